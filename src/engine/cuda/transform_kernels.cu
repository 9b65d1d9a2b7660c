// transform_kernels.cu: windows of points as rows of two matrices, whose products are tiles of the
// grid; sums at points are products of the same kind. Tensor cores in double, fixed orders.
#include <cub/device/device_radix_sort.cuh>

#include "engine/cuda/device_math.cuh"
#include "engine/cuda/transform_kernels.h"

namespace murmur::cuda {

namespace {

constexpr int kThreads = 128, kWarps = kThreads / kLanes;
constexpr int kPitch = 36;  // doubles of a row of 32: no bank conflicts
constexpr int kEights = kTileSide / 8;

// The position of a direction on the grid, in cells.
struct Angles {
  double theta, phi;
  int tile_row, tile_column;
  __device__ Angles(const AngleGrid& grid, const ConstPlaces& x, int i) {
    const double a = x.at[i], b = x.at[x.stride + i], c = x.at[2 * x.stride + i];
    const double unit = grid.cells / (2 * 3.14159265358979323846);
    const double side = sqrt(a * a + b * b);
    theta = side == 0 && c == 0 ? 0 : atan2(side, c) * unit;  // the zero vector counts as the pole
    phi = atan2(b, a) * unit;
    if (phi < 0) phi += grid.cells;
    if (!(phi < grid.cells)) phi = 0;
    theta = fmin(theta, 0.5 * grid.cells);
    tile_row = static_cast<int>(theta) / kTileCells;
    tile_column = static_cast<int>(phi) / kTileCells;
  }
};

__global__ void find_tiles(AngleGrid grid, ConstPlaces x, std::uint32_t* key, std::uint32_t* row) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= x.n) return;
  const Angles at(grid, x, i);
  key[i] = static_cast<std::uint32_t>(at.tile_row * grid.across + at.tile_column);
  row[i] = static_cast<std::uint32_t>(i);
}

__global__ void place_sorted(AngleGrid grid, ConstPlaces x, const std::uint32_t* key,
                             SortedPoints to, int tiles, int* first) {
  const int s = blockIdx.x * kThreads + threadIdx.x;
  if (s >= x.n) return;
  const Angles at(grid, x, static_cast<int>(to.from[s]));
  to.theta[s] = at.theta - at.tile_row * kTileCells;
  to.phi[s] = at.phi - at.tile_column * kTileCells;
  const int tile = static_cast<int>(key[s]), before = s == 0 ? -1 : static_cast<int>(key[s - 1]);
  for (int t = before + 1; t <= tile; ++t) first[t] = s;
  if (s == x.n - 1)
    for (int t = tile + 1; t <= tiles; ++t) first[t] = x.n;
}

// Writes the window at all cells of a side of a tile, column `lane` of to (kTileSide, kPitch),
// times `scale`.
__device__ void windows(const AngleGrid& grid, double at, double scale, double* to, int lane) {
  const int begin = static_cast<int>(ceil(at - 0.5 * grid.width));
#pragma unroll
  for (int c = 0; c < kTileSide; ++c) to[c * kPitch + lane] = 0;
  for (int e = 0; e < grid.width; ++e) {
    const double z = (begin + e - at) * (2.0 / grid.width), rest = 1 - z * z;
    const double value = rest > 0 ? exp(grid.sharpness * (sqrt(rest) - 1)) : 0;
    to[(begin + e + kTileMargin) * kPitch + lane] = scale * value;
  }
}

// One warp per run: (rows, columns) of the tile += rows' windows (32, points) columns' windows
// (points, 32).
__global__ void __launch_bounds__(kThreads)
    spread_kernel(AngleGrid grid, SortedPoints points, const double* mass, const Run* runs,
                  int count, double* part) {
  extern __shared__ __align__(16) double memory[];
  const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  double* rows = memory + warp * 2 * kTileSide * kPitch;
  double* columns = rows + kTileSide * kPitch;
  const int own = blockIdx.x * kWarps + warp;
  if (own >= count) return;
  const Run run = runs[own];
  double sum[kEights][kEights][2] = {};
  for (int at = run.begin; at < run.end; at += kLanes) {
    const int s = min(at + lane, run.end - 1);
    const double m = at + lane < run.end ? mass[points.from[s]] : 0;
    __syncwarp();
    windows(grid, points.theta[s], m, rows, lane);
    windows(grid, points.phi[s], 1, columns, lane);
    __syncwarp();
#pragma unroll 2
    for (int four = 0; four < kLanes; four += 4) {
      double r[kEights], c[kEights];
#pragma unroll
      for (int e = 0; e < kEights; ++e) {
        r[e] = rows[(e * 8 + lane / 4) * kPitch + four + lane % 4];
        c[e] = columns[(e * 8 + lane / 4) * kPitch + four + lane % 4];
      }
#pragma unroll
      for (int a = 0; a < kEights; ++a)
#pragma unroll
        for (int b = 0; b < kEights; ++b) multiply_doubles(sum[a][b], r[a], c[b]);
    }
  }
  double* to = part + static_cast<std::size_t>(own) * kTileNumbers;
#pragma unroll
  for (int a = 0; a < kEights; ++a)
#pragma unroll
    for (int b = 0; b < kEights; ++b)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        to[(a * 8 + lane / 4) * kTileSide + b * 8 + 2 * (lane % 4) + e] = sum[a][b][e];
}

__global__ void add_parts_kernel(const Added* list, const double* from, double* to) {
  const Added own = list[blockIdx.x];
  for (int at = threadIdx.x; at < kTileNumbers; at += kThreads) {
    double sum = from[static_cast<std::size_t>(own.begin) * kTileNumbers + at];
    for (int p = own.begin + 1; p < own.end; ++p)
      sum += from[static_cast<std::size_t>(p) * kTileNumbers + at];
    to[static_cast<std::size_t>(own.out) * kTileNumbers + at] = sum;
  }
}

// Adds up to four tiles per cell: its own and those whose margins contain it.
__global__ void assemble_kernel(AngleGrid grid, const double* tiles, double* to) {
  const int column = blockIdx.x * kThreads + threadIdx.x, row = blockIdx.y;
  if (column >= grid.cells) return;
  const int across = grid.across, down = grid.tiles / across;
  double sum = 0;
  for (int above = 0; above < 2; ++above)
    for (int left = 0; left < 2; ++left) {
      const int tile_row = row / kTileCells - above;  // row 0 is kTileMargin before theta = 0
      const int tile_column = ((column + kTileMargin) / kTileCells - left + across) % across;
      if (tile_row < 0 || tile_row >= down) continue;
      const int r = row % kTileCells + above * kTileCells;
      const int c = (column + kTileMargin) % kTileCells + left * kTileCells;
      sum += tiles[static_cast<std::size_t>(tile_row * across + tile_column) * kTileNumbers +
                   r * kTileSide + c];
    }
  to[static_cast<std::size_t>(row) * grid.cells + column] = sum;
}

// One block per run: for each function the products of the rows' windows (points, 32) with its tile
// (32, 32), and of these with the columns' windows.
__global__ void __launch_bounds__(kThreads)
    sum_kernel(AngleGrid grid, SortedPoints points, const Run* runs, const double* grids,
               std::size_t row, Sums to) {
  constexpr int kFunctions = 4;
  extern __shared__ __align__(16) double memory[];
  const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  double* tile = memory;  // (functions, kTileSide, kPitch)
  double* rows = memory + (kFunctions + 2 * warp) * kTileSide * kPitch;
  double* columns = rows + kTileSide * kPitch;
  const Run run = runs[blockIdx.x];
  const int top = run.tile / grid.across * kTileCells;
  const int left = run.tile % grid.across * kTileCells;
  for (int at = threadIdx.x; at < kFunctions * kTileNumbers; at += kThreads) {
    const int f = at / kTileNumbers, r = at % kTileNumbers / kTileSide, c = at % kTileSide;
    tile[(f * kTileSide + r) * kPitch + c] =
        grids[(static_cast<std::size_t>(top + r) * kFunctions + f) * row + left + c];
  }
  __syncthreads();
  for (int at = run.begin + warp * kLanes; at < run.end; at += kThreads) {
    const int s = min(at + lane, run.end - 1);
    __syncwarp();
    windows(grid, points.theta[s], 1, rows, lane);
    windows(grid, points.phi[s], 1, columns, lane);
    __syncwarp();
    for (int first = 0; first < kLanes; first += 8) {
      const int point = first + lane / 4;
      double sum[kFunctions][kEights][2] = {};
#pragma unroll
      for (int four = 0; four < kTileSide; four += 4) {
        const double a = rows[(four + lane % 4) * kPitch + point];
#pragma unroll
        for (int f = 0; f < kFunctions; ++f)
#pragma unroll
          for (int b = 0; b < kEights; ++b)
            multiply_doubles(sum[f][b], a,
                             tile[(f * kTileSide + four + lane % 4) * kPitch + b * 8 + lane / 4]);
      }
      double all[kFunctions];
#pragma unroll
      for (int f = 0; f < kFunctions; ++f) {
        all[f] = 0;
#pragma unroll
        for (int b = 0; b < kEights; ++b)
#pragma unroll
          for (int e = 0; e < 2; ++e)
            all[f] =
                fma(sum[f][b][e], columns[(b * 8 + 2 * (lane % 4) + e) * kPitch + point], all[f]);
        all[f] += __shfl_xor_sync(~0u, all[f], 1);
        all[f] += __shfl_xor_sync(~0u, all[f], 2);
      }
      if (at + point >= run.end || lane % 4 != 0) continue;
      const std::uint32_t i = points.from[at + point];
      to.z[i] = all[0];
#pragma unroll
      for (int k = 0; k < 3; ++k) to.n[k * to.stride + i] = all[1 + k];
    }
  }
}

unsigned blocks_of(int n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

int bits_of(int tiles) {
  int bits = 1;
  while (1 << bits < tiles) ++bits;
  return bits;
}

// Allows the shared memory that the kernel needs; if this fails, the launch fails.
template <class Kernel>
void allow(Kernel kernel, std::size_t bytes) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(bytes));
}

}  // namespace

std::size_t tile_sort_bytes(int n) {
  std::size_t bytes = 0;
  const std::uint32_t* from = nullptr;
  std::uint32_t* to = nullptr;
  cub::DeviceRadixSort::SortPairs(nullptr, bytes, from, to, from, to, n);
  return bytes;
}

void sort_by_tile(const AngleGrid& grid, const ConstPlaces& x, const SortScratch& scratch,
                  const SortedPoints& to, int* first) {
  find_tiles<<<blocks_of(x.n), kThreads>>>(grid, x, scratch.key, scratch.row);
  std::size_t bytes = scratch.bytes;
  cub::DeviceRadixSort::SortPairs(scratch.memory, bytes, scratch.key, scratch.sorted_key,
                                  scratch.row, to.from, x.n, 0, bits_of(grid.tiles));
  place_sorted<<<blocks_of(x.n), kThreads>>>(grid, x, scratch.sorted_key, to, grid.tiles, first);
}

void spread_runs(const AngleGrid& grid, const SortedPoints& points, const double* mass,
                 const Run* runs, int count, double* part) {
  constexpr std::size_t kBytes = kWarps * 2 * kTileSide * kPitch * sizeof(double);
  allow(spread_kernel, kBytes);
  spread_kernel<<<static_cast<unsigned>((count + kWarps - 1) / kWarps), kThreads, kBytes>>>(
      grid, points, mass, runs, count, part);
}

void add_parts(const Added* list, int count, const double* from, double* to) {
  add_parts_kernel<<<static_cast<unsigned>(count), kThreads>>>(list, from, to);
}

void assemble(const AngleGrid& grid, const double* tiles, double* to) {
  const dim3 blocks(blocks_of(grid.cells), static_cast<unsigned>(grid.bands));
  assemble_kernel<<<blocks, kThreads>>>(grid, tiles, to);
}

void sum_runs(const AngleGrid& grid, const SortedPoints& points, const Run* runs, int count,
              const double* grids, std::size_t row, const Sums& to) {
  constexpr std::size_t kBytes = (4 + 2 * kWarps) * kTileSide * kPitch * sizeof(double);
  allow(sum_kernel, kBytes);
  sum_kernel<<<static_cast<unsigned>(count), kThreads, kBytes>>>(grid, points, runs, grids, row,
                                                                 to);
}

}  // namespace murmur::cuda
