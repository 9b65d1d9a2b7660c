// mutual_pairs.cu: sums over pairs in single precision where the score of i and j is that of j and
// i: each exponential is used for both. Scores and both sums are products of the tensor cores.
#include <cuda_fp16.h>

#include "engine/cuda/device_math.cuh"
#include "engine/cuda/small_pairs.h"

namespace murmur::cuda {

namespace {

constexpr int kWarps = 4, kThreads = kWarps * kLanes;
constexpr int kBlocks = 4;                         // of a multiprocessor at once
constexpr int kSixteens = 4;                       // groups of sixteen columns, a warp
constexpr int kColumns = kWarps * kSixteens * 16;  // of a block at once
constexpr int kStage = 128;  // rows in shared memory at once, and in one accumulator of a column

struct Stage {
  uint4 aim[kStage / 16][kLanes];
  uint2 feature[kStage / 16][kLanes];
};

// What a warp has added to the rows of a stage: by the high and by the low half of their features.
// Four rows behind the end keep the two off each other's banks.
struct Part {
  float4 row[kStage + 4];
};

struct Shared {
  Stage stage[2];
  Part part[kWarps][2];
};

struct Mutual {
  Packed p;
  int strip;  // rows and columns of a block
  Stretches to;
};

__device__ void fetch_stage(const Packed& p, int first, Stage& to) {
  const auto at = static_cast<std::size_t>(first);
  copy_all<kStage * 2, kThreads>(to.aim, static_cast<const char*>(p.aim) + at * 32);
  copy_all<kStage, kThreads>(to.feature, static_cast<const char*>(p.feature) + at * 16);
}

// The columns of a warp: keys and features as lanes multiply them, and their sums.
struct Columns {
  std::uint32_t key[kSixteens][2][2];
  std::uint32_t feature[kSixteens][2];
  float sum[kSixteens][4];  // features 2t and 2t + 1 of columns g and g + 8
};

__device__ void meet_columns(const Packed& p, int first, Columns& c) {
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

__device__ __forceinline__ Weights16 weigh(const std::uint32_t (&aim)[4],
                                           const std::uint32_t (&key)[2][2]) {
  Weights16 w;
#pragma unroll
  for (int eight = 0; eight < 2; ++eight) {
    float score[4];
    multiply_halves_anew(score, aim, key[eight]);
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

// The same weights with rows and columns exchanged.
__device__ __forceinline__ void turn_over(const std::uint32_t (&w)[4], std::uint32_t (&turned)[4]) {
  constexpr int kFrom[4] = {0, 2, 1, 3};
#pragma unroll
  for (int k = 0; k < 4; ++k)
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned[k]) : "r"(w[kFrom[k]]));
}

// Sixteen rows against the columns of a warp: `row` has features 2t and 2t + 1 of rows g and g + 8.
__device__ __forceinline__ void meet_rows(const Stage& stage, int sixteen, const Columns& c,
                                          float (&column)[kSixteens][4], float (&row)[4]) {
  const int lane = threadIdx.x % kLanes;
  const uint4 look = stage.aim[sixteen][lane];
  const uint2 own = stage.feature[sixteen][lane];
  const std::uint32_t aim[4] = {look.x, look.y, look.z, look.w}, feature[2] = {own.x, own.y};
#pragma unroll
  for (int s = 0; s < kSixteens; ++s) {
    const Weights16 w = weigh(aim, c.key[s]);
    if (s == 0)
      multiply_halves_anew(row, w.high, c.feature[s]);
    else
      multiply_halves(row, w.high, c.feature[s]);
    multiply_halves(row, w.low, c.feature[s]);
    std::uint32_t turned[4];
    turn_over(w.high, turned);
    multiply_halves(column[s], turned, feature);
    turn_over(w.low, turned);
    multiply_halves(column[s], turned, feature);
  }
}

// A stage of rows against the columns of a warp. What the tensor cores add up, always rounding
// down, goes into the sums of columns after every stage.
__device__ __forceinline__ void meet_stage(const Stage& stage, Columns& c, Part (&part)[2]) {
  const int lane = threadIdx.x % kLanes, g = lane / 4, t = lane % 4;
  float column[kSixteens][4] = {};
#pragma unroll 1
  for (int sixteen = 0; sixteen < kStage / 16; ++sixteen) {
    float row[4];
    meet_rows(stage, sixteen, c, column, row);
    float4* const to = part[t / 2].row + sixteen * 16 + g;
    reinterpret_cast<float2*>(to)[t % 2] = make_float2(row[0], row[1]);
    reinterpret_cast<float2*>(to + 8)[t % 2] = make_float2(row[2], row[3]);
  }
#pragma unroll
  for (int s = 0; s < kSixteens; ++s)
#pragma unroll
    for (int k = 0; k < 4; ++k) c.sum[s][k] += column[s][k];
}

// What the warps have added to the rows of a stage, in a fixed order, to the sums of the block's
// rows in global memory. A thread has the same row every time, and so reads what it wrote itself.
template <int d>
__device__ void gather_rows(const Part (&part)[kWarps][2], bool fresh, float* to,
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
    *at = (fresh ? 0 : *at) + sum[k];
  }
}

template <int d>
__device__ void keep_columns(const Columns& c, float* to, std::size_t rows) {
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

// The rows of strip blockIdx.y against the columns of strip blockIdx.x. A strip against itself is
// summed by rows alone.
template <int d>
__global__ void __launch_bounds__(kThreads, kBlocks) mutual_kernel(const Mutual a) {
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
    meet_columns(a.p, first, c);
    __syncthreads();  // the stages of the group before have been read
    int buffer = 0;
    fetch_stage(a.p, rows, s.stage[0]);
    end_of_copies();
    for (int at = rows; at < row_end; at += kStage, buffer ^= 1) {
      wait_for_copies<0>();
      __syncthreads();  // the stage is there, and the other one has been read
      if (at + kStage < row_end) fetch_stage(a.p, at + kStage, s.stage[buffer ^ 1]);
      end_of_copies();
      meet_stage(s.stage[buffer], c, s.part[warp]);
      __syncthreads();  // all parts are there
      gather_rows<d>(s.part, group == columns, own_rows + at, a.to.rows);
    }
    if (columns != rows) keep_columns<d>(c, own_columns + first, a.to.rows);
  }
}

template <int d>
void launch_mutual(const Mutual& a) {
  const auto strips = static_cast<unsigned>(a.to.count);
  mutual_kernel<d><<<dim3(strips, strips), kThreads>>>(a);
}

}  // namespace

int mutual_stretches(int n) { return (whole_rows(n) + mutual_strip(n) - 1) / mutual_strip(n); }

void mutual_sums(const Packed& p, int n, int d, const Stretches& to) {
  static_assert(kRowTile % kColumns == 0 && kRowTile % kStage == 0);
  const Mutual a{p, mutual_strip(n), to};
  if (d == 2) launch_mutual<2>(a);
  if (d == 3) launch_mutual<3>(a);
}

}  // namespace murmur::cuda
