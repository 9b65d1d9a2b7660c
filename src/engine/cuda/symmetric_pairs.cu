// symmetric_pairs.cu: sums over pairs in single precision if scores are symmetric, so that each
// exponential is used for both particles. Scores and both sums are products of the tensor cores.
#include <cuda_fp16.h>

#include "engine/cuda/device_math.cuh"
#include "engine/cuda/pair_kernels.h"

namespace murmur::cuda {

namespace {

constexpr int kWarps = 4, kThreads = kWarps * kLanes;
constexpr int kBlocks = 4;                         // of a multiprocessor at once
constexpr int kSixteens = 4;                       // groups of sixteen columns, per warp
constexpr int kColumns = kWarps * kSixteens * 16;  // of a block at once
constexpr int kStage = 128;  // rows in shared memory at once, and in one accumulator of a column

struct Stage {
  uint4 target[kStage / 16][kLanes];
  uint2 feature[kStage / 16][kLanes];
};

// The sums of a warp for the rows of a stage, by the high or by the low half of their features.
// Four rows of padding avoid bank conflicts between the two.
struct Part {
  float4 row[kStage + 4];
};

struct Shared {
  Stage stage[2];
  Part part[kWarps][2];
};

struct Symmetric {
  Packed p;
  int strip;  // rows and columns of a block
  Stretches to;
};

__device__ void fetch_stage(const Packed& p, int first, Stage& to) {
  const auto at = static_cast<std::size_t>(first);
  copy_all<kStage * 2, kThreads>(to.target, static_cast<const char*>(p.target) + at * 32);
  copy_all<kStage, kThreads>(to.feature, static_cast<const char*>(p.feature) + at * 16);
}

// The columns of a warp: keys and features as operands of the lanes, and their sums.
struct Columns {
  std::uint32_t key[kSixteens][2][2];
  std::uint32_t feature[kSixteens][2];
  float sum[kSixteens][4];  // features 2t and 2t + 1 of columns g and g + 8
};

__device__ void load_columns(const Packed& p, int first, Columns& c) {
  const int lane = threadIdx.x % kLanes, g = lane / 4, t = lane % 4;
  const auto* key = static_cast<const uint2*>(p.key);
  const auto* feature = static_cast<const uint2*>(p.feature);
#pragma unroll
  for (int s = 0; s < kSixteens; ++s) {
#pragma unroll
    for (int eight = 0; eight < 2; ++eight) {
      const uint2 k = key[static_cast<std::size_t>(first + s * 16 + eight * 8 + g) * 4 + t];
      c.key[s][eight][0] = k.x, c.key[s][eight][1] = k.y;
    }
    const uint2 f = feature[static_cast<std::size_t>(first / 16 + s) * kLanes + lane];
    c.feature[s][0] = f.x, c.feature[s][1] = f.y;
#pragma unroll
    for (int k = 0; k < 4; ++k) c.sum[s][k] = 0;
  }
}

// Weights of sixteen rows and sixteen columns, as high + low to 22 bits: of rows g and g + 8,
// columns 2t, 2t + 1 and then 2t + 8, 2t + 9.
struct Weights16 {
  std::uint32_t high[4], low[4];
};

__device__ __forceinline__ Weights16 compute_weights(const std::uint32_t (&target)[4],
                                                     const std::uint32_t (&key)[2][2]) {
  Weights16 w;
#pragma unroll
  for (int eight = 0; eight < 2; ++eight) {
    float score[4];
    multiply_halves_into(score, target, key[eight]);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const float left = exp2_unit(score[2 * row]), right = exp2_unit(score[2 * row + 1]);
      const __half2 high = __floats2half2_rn(left, right);
      const float2 kept = __half22float2(high);
      const __half2 low = __floats2half2_rn(left - kept.x, right - kept.y);
      w.high[2 * eight + row] = pack(__low2half(high), __high2half(high));
      w.low[2 * eight + row] = pack(__low2half(low), __high2half(low));
    }
  }
  return w;
}

// Exchanges rows and columns of the weights.
__device__ __forceinline__ void transpose(const std::uint32_t (&w)[4],
                                          std::uint32_t (&transposed)[4]) {
  constexpr int kFrom[4] = {0, 2, 1, 3};
#pragma unroll
  for (int k = 0; k < 4; ++k)
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(transposed[k]) : "r"(w[kFrom[k]]));
}

// Adds sixteen rows to the columns of a warp: `row` has features 2t and 2t + 1 of rows g and g + 8.
__device__ __forceinline__ void add_rows(const Stage& stage, int sixteen, const Columns& c,
                                         float (&column)[kSixteens][4], float (&row)[4]) {
  const int lane = threadIdx.x % kLanes;
  const uint4 packed = stage.target[sixteen][lane];
  const uint2 own = stage.feature[sixteen][lane];
  const std::uint32_t target[4] = {packed.x, packed.y, packed.z, packed.w},
                      feature[2] = {own.x, own.y};
#pragma unroll
  for (int s = 0; s < kSixteens; ++s) {
    const Weights16 w = compute_weights(target, c.key[s]);
    if (s == 0)
      multiply_halves_into(row, w.high, c.feature[s]);
    else
      multiply_halves(row, w.high, c.feature[s]);
    multiply_halves(row, w.low, c.feature[s]);
    std::uint32_t transposed[4];
    transpose(w.high, transposed);
    multiply_halves(column[s], transposed, feature);
    transpose(w.low, transposed);
    multiply_halves(column[s], transposed, feature);
  }
}

// Adds a stage of rows to the columns of a warp. Tensor cores always round down, so their sums are
// added to those of the columns after every stage.
__device__ __forceinline__ void add_stage(const Stage& stage, Columns& c, Part (&part)[2]) {
  const int lane = threadIdx.x % kLanes, g = lane / 4, t = lane % 4;
  float column[kSixteens][4] = {};
#pragma unroll 1
  for (int sixteen = 0; sixteen < kStage / 16; ++sixteen) {
    float row[4];
    add_rows(stage, sixteen, c, column, row);
    float4* const to = part[t / 2].row + sixteen * 16 + g;
    reinterpret_cast<float2*>(to)[t % 2] = make_float2(row[0], row[1]);
    reinterpret_cast<float2*>(to + 8)[t % 2] = make_float2(row[2], row[3]);
  }
#pragma unroll
  for (int s = 0; s < kSixteens; ++s)
#pragma unroll
    for (int k = 0; k < 4; ++k) c.sum[s][k] += column[s][k];
}

// Adds the sums of the warps for the rows of a stage, in a fixed order, to the sums of the rows of
// the block in global memory. A thread always has the same row, so that it reads only what it
// wrote.
template <int d>
__device__ void gather_rows(const Part (&part)[kWarps][2], bool first, float* to,
                            std::size_t rows) {
  static_assert(kStage == kThreads);
  const int row = threadIdx.x;
  float sum[4] = {};
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4 more = part[warp][half].row[row];
      sum[0] += more.x, sum[1] += more.y, sum[2] += more.z, sum[3] += more.w;
    }
#pragma unroll
  for (int k = 0; k <= d; ++k) {
    float* const at = to + static_cast<std::size_t>(k) * rows + row;
    *at = (first ? 0 : *at) + sum[k];
  }
}

template <int d>
__device__ void write_columns(const Columns& c, float* to, std::size_t rows) {
  const int lane = threadIdx.x % kLanes, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int s = 0; s < kSixteens; ++s)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float sum = c.sum[s][k] + __shfl_xor_sync(~0u, c.sum[s][k], 2);  // high + low
      const int feature = 2 * t + k % 2;
      if (feature <= d) to[static_cast<std::size_t>(feature) * rows + s * 16 + k / 2 * 8 + g] = sum;
    }
}

// Sums the rows of strip blockIdx.y with the columns of strip blockIdx.x. A strip with itself is
// summed by rows only.
template <int d>
__global__ void __launch_bounds__(kThreads, kBlocks) symmetric_kernel(const Symmetric a) {
  __shared__ __align__(16) Shared s;
  const int rows = blockIdx.y * a.strip, columns = blockIdx.x * a.strip;
  if (columns < rows) return;
  const int most = static_cast<int>(a.p.rows), warp = threadIdx.x / kLanes;
  const int row_end = min(rows + a.strip, most), column_end = min(columns + a.strip, most);
  const std::size_t size = (d + 1) * a.to.rows;
  float* const own_rows = a.to.at + blockIdx.x * size;
  float* const own_columns = a.to.at + blockIdx.y * size;
  Columns c;
  for (int group = columns; group < column_end; group += kColumns) {
    const int first = group + warp * kSixteens * 16;
    load_columns(a.p, first, c);
    __syncthreads();  // the stages of the previous group have been read
    int buffer = 0;
    fetch_stage(a.p, rows, s.stage[0]);
    end_of_copies();
    for (int at = rows; at < row_end; at += kStage, buffer ^= 1) {
      wait_for_copies<0>();
      __syncthreads();  // the stage is complete, and the other one has been read
      if (at + kStage < row_end) fetch_stage(a.p, at + kStage, s.stage[buffer ^ 1]);
      end_of_copies();
      add_stage(s.stage[buffer], c, s.part[warp]);
      __syncthreads();  // all parts are complete
      gather_rows<d>(s.part, group == columns, own_rows + at, a.to.rows);
    }
    if (columns != rows) write_columns<d>(c, own_columns + first, a.to.rows);
  }
}

template <int d>
void launch_symmetric(const Symmetric& a) {
  const auto strips = static_cast<unsigned>(a.to.count);
  symmetric_kernel<d><<<dim3(strips, strips), kThreads>>>(a);
}

}  // namespace

int symmetric_stretches(int n) {
  return (whole_rows(n) + symmetric_strip(n) - 1) / symmetric_strip(n);
}

void symmetric_sums(const Packed& p, int n, int d, const Stretches& to) {
  static_assert(kRowTile % kColumns == 0 && kRowTile % kStage == 0);
  const Symmetric a{p, symmetric_strip(n), to};
  if (d == 2) launch_symmetric<2>(a);
  if (d == 3) launch_symmetric<3>(a);
}

}  // namespace murmur::cuda
