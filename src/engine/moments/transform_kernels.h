// transform_kernels.h: particles onto a grid of angles under a window, and back.
#pragma once

#include <cstddef>

#include "engine/moments/window.h"

namespace murmur::moments {

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

// On the circle: line (cells and kMargin before and after) += m window(phi), phi in cells.
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
