// transform_kernels.h: the window of non-uniform Fourier transforms, and the kernels that spread
// particles onto a grid of angles under it and sum the grid at targets.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace murmur::moments {

inline constexpr int kMostWindow = 16;  // cells of a grid under the window

// A wave e^{ikx} is replaced by its values on a grid of N cells of width h = 2 pi / N,
//   e^{ikx} = (1 / f_k) sum_g window((g h - x) 2 / (w h)) e^{ikgh} (1 + E_k(x)),
//   window(z) = e^{b (sqrt(1 - z^2) - 1)} for |z| <= 1,
// f_k its Fourier transform. E_k is small for waves much longer than a cell, and is computed here.
// A larger b makes it smaller for long waves and larger for short ones: b = 2.30 w is good for
// waves down to four cells, and a larger b for a series with small coefficients of short waves.
struct Window {
  int width = 0;                 // w
  double sharpness = 0;          // b
  std::vector<double> factor{};  // (orders + 1) f_k
  std::vector<double> error{};   // (orders + 1) max over x and over all k' <= k of |E_k'(x)|
};
Window window_of(int width, double sharpness, int cells, int orders);

// Returns the narrowest window with b = 2.65 w whose error is at most `cut`, or little more than
// rounding, in a sum of waves where share_l is the weight of those of order l; `error` becomes
//   sum_l share_l (2 e_{l+1} + e_{l+1}^2),   e the error: once up and once down.
Window window_for(std::span<const double> share, int cells, double cut, double& error);

inline constexpr int kMargin = kMostWindow / 2;  // cells around a grid, and around a tile
inline constexpr int kTileCells = 16;            // of a side of a tile

// A sphere's points in cells of a grid of `cells` by `cells` angles: theta from z, 0 .. cells / 2,
// and phi from x, 0 .. cells. Arrays are padded up to a multiple of 8.
struct AnglePoints {
  const double *x, *y, *z;
  double *theta, *phi;
  int count, cells;
};
void angles_of(const AnglePoints& points);

// One point in cells, relative to the corner of its tile: 0 <= theta, phi < kTileCells.
struct TilePoints {
  const double *theta, *phi, *mass;
  int count;
};
// tile (kTileSide, kTileSide) += m window(theta) window(phi), from kMargin cells before the corner.
inline constexpr int kTileSide = kTileCells + 2 * kMargin;
void spread_tile(const Window& window, const TilePoints& points, double* tile);

// out[f * stride + i] = sum over cells of window window grid_f, of `functions` grids side by side:
// cell (r, c) of grid f is at grid[(r * functions + f) * row + c]; points are in cells of it, from
// kMargin on. functions: 1 or 4.
struct GridSums {
  const double* grid;
  std::size_t row;
  int functions;
  const double *theta, *phi;
  int count;
  double* out;
  std::size_t stride;
};
void sum_grid(const Window& window, const GridSums& sums);

// Spreads points on the circle: line (cells and kMargin before and after) += m window(phi), phi in
// cells.
struct LinePoints {
  const double *phi, *mass;
  int count;
};
void spread_line(const Window& window, const LinePoints& points, double* line);
// out[f * stride + i] = sum over cells of window line_f, f = 0 .. functions - 1: 1 or 3.
struct LineSums {
  const double* line;
  std::size_t row;
  int functions;
  const double* phi;
  int count;
  double* out;
  std::size_t stride;
};
void sum_line(const Window& window, const LineSums& sums);

}  // namespace murmur::moments
