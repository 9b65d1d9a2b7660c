// window.cpp: the Fourier transform of the window by quadrature, its error at many places.
#include "engine/moments/window.h"

#include <cmath>
#include <numbers>

namespace murmur::moments {

namespace {

double window_at(double sharpness, double z) {
  return z * z >= 1 ? 0 : std::exp(sharpness * (std::sqrt(1 - z * z) - 1));
}

// w / 2 times the integral of window(z) cos(a z) over [-1, 1], z = sin t: all but e^{-b} of it is
// smooth, so that the trapezium rule has the rest to its last digit.
double transform_at(int width, double sharpness, double a) {
  constexpr int kNodes = 160;
  double sum = 0;
  for (int e = 1; e < kNodes; ++e) {
    const double t = std::numbers::pi * (static_cast<double>(e) / kNodes - 0.5);
    sum += std::exp(sharpness * (std::cos(t) - 1)) * std::cos(a * std::sin(t)) * std::cos(t);
  }
  return 0.5 * width * sum * std::numbers::pi / kNodes;
}

}  // namespace

Window window_of(int width, double sharpness, int cells, int orders) {
  constexpr int kPlaces = 16;  // within a cell
  Window w{width, sharpness};
  const double h = 2 * std::numbers::pi / cells;
  double worst = 0;
  for (int k = 0; k <= orders; ++k) {
    const double factor = transform_at(width, w.sharpness, 0.5 * k * h * width);
    for (int place = 0; place < kPlaces; ++place) {
      const double x = (place + 0.25) / kPlaces;  // in cells, from the cell to the left
      double re = -1, im = 0;
      for (int g = -width / 2 - 1; g <= width / 2 + 1; ++g) {
        const double value = window_at(w.sharpness, (g - x) * 2 / width) / factor;
        re += value * std::cos(k * h * (g - x));
        im += value * std::sin(k * h * (g - x));
      }
      worst = std::fmax(worst, std::hypot(re, im));
    }
    w.factor.push_back(factor);
    w.error.push_back(worst);
  }
  return w;
}

Window window_for(std::span<const double> share, int cells, double cut, double& error) {
  constexpr double kLeastError = 1e-13;  // rounding leaves more
  const int orders = static_cast<int>(share.size());
  Window w;
  for (int width = 6; width <= kMostWindow; ++width) {
    w = window_of(width, 2.65 * width, cells, orders);
    error = 0;
    for (int l = 0; l < orders; ++l) {
      const double e = w.error[l + 1];
      error += share[l] * (2 * e + e * e);
    }
    if (error <= std::fmax(cut, kLeastError)) break;
  }
  return w;
}

}  // namespace murmur::moments
