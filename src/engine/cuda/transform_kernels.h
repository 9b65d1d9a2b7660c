// transform_kernels.h: particles of S^2 onto a grid of angles under a window and back, on the GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/cuda/pair_kernels.h"
#include "engine/cuda/swarm_kernels.h"

namespace murmur::cuda {

// The grid of engine/moments/transform_sums.h: cells by cells of both angles of the doubled sphere,
// cut into tiles of kTileCells. A tile has kTileMargin more cells on every side, for the window of
// every point in it.
inline constexpr int kTileCells = 16, kTileMargin = 8;
inline constexpr int kTileSide = kTileCells + 2 * kTileMargin;
inline constexpr int kTileNumbers = kTileSide * kTileSide;

struct AngleGrid {
  int cells = 0, width = 0;  // width of the window
  double sharpness = 0;
  int across = 0, tiles = 0;  // tiles of a row, of the grid
  int bands = 0;              // rows of angles theta
};
inline AngleGrid angle_grid(int cells, int width, double sharpness) {
  const int across = cells / kTileCells, down = cells / 2 / kTileCells + 1;
  return {cells, width, sharpness, across, across * down, cells / 2 + 2 * kTileMargin};
}

// Points tile after tile, each in cells from the corner of its tile; `from` is its index in the
// input.
struct SortedPoints {
  int n = 0;
  double *theta = nullptr, *phi = nullptr;
  std::uint32_t* from = nullptr;
};
struct SortScratch {
  std::uint32_t *key = nullptr, *sorted_key = nullptr, *row = nullptr;  // (n)
  void* memory = nullptr;
  std::size_t bytes = 0;
};
std::size_t tile_sort_bytes(int n);
// Sorts the directions x, of any length; `first` (tiles + 1) becomes the first point of each tile.
void sort_by_tile(const AngleGrid& grid, const ConstPlaces& x, const SortScratch& scratch,
                  const SortedPoints& to, int* first);

// Points begin .. end of one tile; at most kRunPoints, to limit the additions one after another.
struct Run {
  int tile, begin, end;
};
inline constexpr int kRunPoints = 512;
// part (runs, kTileNumbers) = m window(theta) window(phi) of each run
void spread_runs(const AngleGrid& grid, const SortedPoints& points, const double* mass,
                 const Run* runs, int count, double* part);
// to[out] = sum of from[begin] .. from[end - 1], each kTileNumbers, in order; at most kAddedAtOnce.
struct Added {
  int out, begin, end;
};
inline constexpr int kAddedAtOnce = 64;
void add_parts(const Added* list, int count, const double* from, double* to);
// Writes (bands, cells): the sum of the tiles at every cell.
void assemble(const AngleGrid& grid, const double* tiles, double* to);

// Writes the sums of four grids (rows, 4, row) at the points: weights to z, the others to n.
void sum_runs(const AngleGrid& grid, const SortedPoints& points, const Run* runs, int count,
              const double* grids, std::size_t row, const Sums& to);

}  // namespace murmur::cuda
