// double_pairs.cu: sums over pairs in double precision, and in single precision by differences of
// positions. Each thread has its own targets, and all read the same source at the same time.
#include <cmath>
#include <type_traits>

#include "engine/cuda/device_math.cuh"
#include "engine/cuda/pair_kernels.h"

namespace murmur::cuda {

namespace {

constexpr int kThreads = 128;
constexpr int kTargets = 2;  // of a thread
static_assert(kThreads * kTargets == kRowTile);
constexpr int kStage = 128;  // sources in shared memory at once
constexpr double kNone = -INFINITY;

// Returns the sources of a stretch: there are at most 64 stretches.
__host__ __device__ int sources_of(int n) {
  const int share = (n / 64 + kStage - 1) / kStage * kStage;
  return share > 1024 ? share : 1024;
}

template <int d>
struct Stage {
  double x[d][kStage];
  double w[kStage];
};

template <int d>
__device__ void fetch_stage(const DoublePairs& p, int first, Stage<d>& s) {
  const int j = first + threadIdx.x;
  const bool there = j < p.n;
#pragma unroll
  for (int k = 0; k < d; ++k) s.x[k][threadIdx.x] = there ? p.x[k * p.stride + j] : 0;
  s.w[threadIdx.x] = there ? p.mass[j] / p.largest_mass : 0;
}

// The targets of a thread.
template <int d>
struct Targets {
  int row[kTargets];
  double u[kTargets][d];
  double bound[kTargets];
  __device__ Targets(const DoublePairs& p, int tile) {
#pragma unroll
    for (int m = 0; m < kTargets; ++m) {
      row[m] = (tile + static_cast<int>(blockIdx.x)) * kRowTile + m * kThreads + threadIdx.x;
      const bool there = row[m] < p.n;
#pragma unroll
      for (int k = 0; k < d; ++k) u[m][k] = there ? p.u[k * p.stride + row[m]] : 0;
      bound[m] = there && p.bound != nullptr ? p.bound[row[m]] : 0;
    }
  }
  __device__ double score(int m, const Stage<d>& s, int j) const {
    double sum = u[m][0] * s.x[0][j];
#pragma unroll
    for (int k = 1; k < d; ++k) sum = fma(u[m][k], s.x[k][j], sum);
    return sum;
  }
};

template <int d, bool masked>
__global__ void __launch_bounds__(kThreads)
    double_kernel(DoublePairs p, PairMask mask, int tile, int begin, DoubleStretches to) {
  __shared__ Stage<d> stage;
  __shared__ Powers powers;
  powers.fill();
  const Targets<d> targets(p, tile);
  double sum[kTargets][d + 1] = {};
  const int sources = sources_of(p.n);
  const int first = (begin + static_cast<int>(blockIdx.y)) * sources;
  int end = min(first + sources, p.n);
  if (mask.causal) end = min(end, (tile + static_cast<int>(blockIdx.x) + 1) * kRowTile);
  for (int at = first; at < end; at += kStage) {
    fetch_stage(p, at, stage);
    __syncthreads();
    const int count = min(kStage, end - at);
    for (int j = 0; j < count; ++j)
#pragma unroll
      for (int m = 0; m < kTargets; ++m) {
        double w = exp2_double(targets.score(m, stage, j) - targets.bound[m], powers) * stage.w[j];
        if (masked && is_masked(mask, targets.row[m], at + j)) w = 0;
#pragma unroll
        for (int k = 0; k < d; ++k) sum[m][k] = fma(w, stage.x[k][j], sum[m][k]);
        sum[m][d] += w;
      }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < kTargets; ++m)
#pragma unroll
    for (int k = 0; k <= d; ++k)
      to.at[(static_cast<std::size_t>(blockIdx.y) * (d + 1) + k) * to.rows + targets.row[m]] =
          sum[m][k];
}

template <int d>
__global__ void __launch_bounds__(kThreads)
    largest_kernel(DoublePairs p, PairMask mask, int tile, int begin, DoubleStretches to) {
  __shared__ Stage<d> stage;
  const Targets<d> targets(p, tile);
  double most[kTargets] = {kNone, kNone};
  const int sources = sources_of(p.n);
  const int first = (begin + static_cast<int>(blockIdx.y)) * sources;
  const int end = min(first + sources, p.n);
  for (int at = first; at < end; at += kStage) {
    fetch_stage(p, at, stage);
    __syncthreads();
    const int count = min(kStage, end - at);
    for (int j = 0; j < count; ++j)
#pragma unroll
      for (int m = 0; m < kTargets; ++m) {
        const double score = targets.score(m, stage, j);
        if (stage.w[j] > 0 && !is_masked(mask, targets.row[m], at + j))
          most[m] = fmax(most[m], score);
      }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < kTargets; ++m)
    to.at[static_cast<std::size_t>(blockIdx.y) * to.rows + targets.row[m]] = most[m];
}

__global__ void add_double_kernel(DoubleStretches from, int n, int d, int first, bool more,
                                  Sums to) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int c = 0; c <= d; ++c) {
    double& place = c < d ? to.n[c * to.stride + i] : to.z[i];
    double sum = more ? place : 0;
    for (int s = 0; s < from.count; ++s)
      sum += from.at[(static_cast<std::size_t>(s) * (d + 1) + c) * from.rows + i];
    place = sum;
  }
}

__global__ void largest_of_stretches(DoubleStretches from, int n, int first, bool more,
                                     double* bound) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double most = more ? bound[i] : kNone;
  for (int s = 0; s < from.count; ++s) most = fmax(most, from.at[s * from.rows + i]);
  bound[i] = most;
}

// 2^{-|y_j - t_i|^2} and the sums of y_j - t_i, in floats.
template <int d>
__global__ void __launch_bounds__(kThreads)
    difference_kernel(Difference p, PairMask mask, int tile, int begin, Stretches to) {
  __shared__ float4 source[kStage];
  __shared__ float weight[kStage];
  const int sources = sources_of(p.n);
  const int first = (begin + static_cast<int>(blockIdx.y)) * sources;
  const int end = min(first + sources, p.n);
  float4 t[kTargets];
  float sum[kTargets][d + 1] = {};
  int row[kTargets];
#pragma unroll
  for (int m = 0; m < kTargets; ++m) {
    row[m] = (tile + static_cast<int>(blockIdx.x)) * kRowTile + m * kThreads + threadIdx.x;
    t[m] = p.target[row[m]];
  }
  for (int at = first; at < end; at += kStage) {
    source[threadIdx.x] = p.source[at + threadIdx.x];
    weight[threadIdx.x] = p.weight[at + threadIdx.x];
    __syncthreads();
    const int count = min(kStage, end - at);
    for (int j = 0; j < count; ++j)
#pragma unroll
      for (int m = 0; m < kTargets; ++m) {
        const float4 y = source[j];
        const float apart[4] = {y.x - t[m].x, y.y - t[m].y, y.z - t[m].z, y.w - t[m].w};
        float square = apart[0] * apart[0];
#pragma unroll
        for (int k = 1; k < d; ++k) square = fmaf(apart[k], apart[k], square);
        float w = exp2_unit(-square) * weight[j];
        if (is_masked(mask, row[m], at + j)) w = 0;
#pragma unroll
        for (int k = 0; k < d; ++k) sum[m][k] = fmaf(w, apart[k], sum[m][k]);
        sum[m][d] += w;
      }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < kTargets; ++m)
#pragma unroll
    for (int k = 0; k <= d; ++k)
      to.at[(static_cast<std::size_t>(blockIdx.y) * (d + 1) + k) * to.rows + row[m]] = sum[m][k];
}

//   y_j = scale (x_j - origin),   t_i = scale (u_i / target_scale - origin)
__global__ void pack_difference_kernel(Unpacked from, double scale, double target_scale, int rows,
                                       float4* source, float4* target, float* weight) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float y[4] = {}, t[4] = {};
  for (int k = 0; k < from.d && i < from.n; ++k) {
    y[k] = static_cast<float>(scale * (from.x[k * from.stride + i] - from.origin[k]));
    t[k] =
        static_cast<float>(scale * (from.u[k * from.stride + i] / target_scale - from.origin[k]));
  }
  source[i] = make_float4(y[0], y[1], y[2], y[3]);
  target[i] = make_float4(t[0], t[1], t[2], t[3]);
  weight[i] = i < from.n ? static_cast<float>(from.mass[i] / from.largest_mass) : 0;
}

// launch<d>() for d = 2, 3, 4.
template <class Launch>
void for_dimension(int d, Launch launch) {
  if (d == 2) launch(std::integral_constant<int, 2>());
  if (d == 3) launch(std::integral_constant<int, 3>());
  if (d == 4) launch(std::integral_constant<int, 4>());
}

unsigned blocks_of(int n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

dim3 grid_of(const RowTiles& rows, int stretches) {
  return {static_cast<unsigned>(rows.count), static_cast<unsigned>(stretches)};
}

}  // namespace

int double_stretches(int n) { return (n + sources_of(n) - 1) / sources_of(n); }

void double_sums(const DoublePairs& p, const PairMask& mask, const RowTiles& rows, int first,
                 const DoubleStretches& to) {
  const dim3 grid = grid_of(rows, to.count);
  for_dimension(p.d, [&](auto d) {
    if (mask.empty())
      double_kernel<d, false><<<grid, kThreads>>>(p, mask, rows.first, first, to);
    else
      double_kernel<d, true><<<grid, kThreads>>>(p, mask, rows.first, first, to);
  });
}

void add_double_stretches(const DoubleStretches& from, int n, int d, const RowTiles& rows,
                          bool more, const Sums& to) {
  const int begin = rows.begin(), end = rows.end(n);
  add_double_kernel<<<blocks_of(end - begin), kThreads>>>(from, end, d, begin, more, to);
}

void largest_scores(const DoublePairs& p, const PairMask& mask, const RowTiles& rows, int first,
                    const DoubleStretches& scratch, double* bound) {
  const int begin = rows.begin(), end = rows.end(p.n);
  const dim3 grid = grid_of(rows, scratch.count);
  for_dimension(p.d, [&](auto d) {
    largest_kernel<d><<<grid, kThreads>>>(p, mask, rows.first, first, scratch);
  });
  largest_of_stretches<<<blocks_of(end - begin), kThreads>>>(scratch, end, begin, first > 0, bound);
}

void pack_difference(const Unpacked& from, double scale, double target_scale, float4* source,
                     float4* target, float* weight) {
  const int rows = whole_rows(from.n);
  pack_difference_kernel<<<blocks_of(rows), kThreads>>>(from, scale, target_scale, rows, source,
                                                        target, weight);
}

void difference_sums(const Difference& p, const PairMask& mask, const RowTiles& rows, int first,
                     const Stretches& to) {
  const dim3 grid = grid_of(rows, to.count);
  for_dimension(p.d, [&](auto d) {
    difference_kernel<d><<<grid, kThreads>>>(p, mask, rows.first, first, to);
  });
}

}  // namespace murmur::cuda
