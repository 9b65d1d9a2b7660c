// window.h: the window of non-uniform Fourier transforms, and what it leaves of every wave.
#pragma once

#include <span>
#include <vector>

namespace murmur::moments {

inline constexpr int kMostWindow = 16;  // cells of a grid under the window

// A wave e^{ikx} is replaced by its values on a grid of N cells of width h = 2 pi / N,
//   e^{ikx} = (1 / f_k) sum_g window((g h - x) 2 / (w h)) e^{ikgh} (1 + E_k(x)),
//   window(z) = e^{b (sqrt(1 - z^2) - 1)} for |z| <= 1,
// f_k its Fourier transform. E_k is small for waves much longer than a cell: it is measured here.
// The larger b, the better long waves do and the worse short ones: b = 2.30 w is good for waves
// down to four cells, and more for a series whose short waves count little.
struct Window {
  int width = 0;                 // w
  double sharpness = 0;          // b
  std::vector<double> factor{};  // (orders + 1) f_k
  std::vector<double> error{};   // (orders + 1) max over x and over all k' <= k of |E_k'(x)|
};
Window window_of(int width, double sharpness, int cells, int orders);

// The narrowest window with b = 2.65 w that errs by `cut` at most, or by little over rounding, in a
// sum of waves of which those of order l take part with share_l; `error` becomes
//   sum_l share_l (2 e_{l+1} + e_{l+1}^2),   e its error: once up and once down.
Window window_for(std::span<const double> share, int cells, double cut, double& error);

}  // namespace murmur::moments
