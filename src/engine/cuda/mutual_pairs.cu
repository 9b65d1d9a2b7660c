// mutual_pairs.cu: sums over pairs in single precision where the score of i and j is that of j and
// i: each exponential is used for both. Scores by tensor cores, sums by multiply-adds.
#include "engine/cuda/device_math.cuh"
#include "engine/cuda/small_pairs.h"

namespace murmur::cuda {

namespace {

constexpr int kWarps = 4, kThreads = kWarps * kLanes;
constexpr int kEights = 8;                      // groups of eight columns, a warp
constexpr int kColumns = kWarps * kEights * 8;  // of a block at once
constexpr int kStage = 128;                     // rows in shared memory at once
static_assert(kStrip % kColumns == 0 && kStrip % kStage == 0);

struct Stage {
  uint4 aim[kStage / 16][kLanes];
  float4 value[kStage];
};

// Shared memory of a block: rows that come, and what the lanes add to them.
template <int d>
struct Shared {
  Stage stage[2];
  uint2 key[kColumns][4];
  float4 part[kWarps][4][kStage];  // of the warps' lanes t; of z where d = 4 in `part_z`
  float part_z[d == 4 ? kWarps : 1][4][d == 4 ? kStage : 1];
};

struct Mutual {
  Packed p;
  Stretches to;
};

__device__ void fetch_stage(const Packed& p, int first, Stage& to) {
  const auto at = static_cast<std::size_t>(first);
  copy_all<kStage * 2, kThreads>(to.aim, static_cast<const char*>(p.aim) + at * 32);
  copy_all<kStage, kThreads>(to.value, p.value + at * 4);
}

// The columns of a lane: places and sums of its own two of every eight.
template <int d>
struct Columns {
  float place[kEights][2][d];
  float sum[kEights][2][d + 1];
};

template <int d>
__device__ __forceinline__ void unpack(float4 v, float (&at)[d]) {
  at[0] = v.x, at[1] = v.y;
  if constexpr (d >= 3) at[2] = v.z;
  if constexpr (d == 4) at[3] = v.w;
}

template <int d>
__device__ void meet_columns(const Packed& p, int first, Columns<d>& c) {
  const int t = threadIdx.x % 4;
#pragma unroll
  for (int e = 0; e < kEights; ++e)
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      unpack<d>(reinterpret_cast<const float4*>(p.value)[first + e * 8 + 2 * t + side],
                c.place[e][side]);
#pragma unroll
      for (int k = 0; k <= d; ++k) c.sum[e][side][k] = 0;
    }
}

// Sixteen rows against the columns of a warp. Row g has the weights w[0], w[1] of columns 2t and
// 2t + 1, row g + 8 has w[2], w[3].
template <int d>
__device__ __forceinline__ void meet_rows(const Stage& stage, int first, const uint2 (*keys)[4],
                                          Columns<d>& c, float (&row)[2][d + 1]) {
  const int lane = threadIdx.x % kLanes, g = lane / 4, t = lane % 4;
  const uint4 look = stage.aim[first / 16][lane];
  const std::uint32_t a[4] = {look.x, look.y, look.z, look.w};
  float place[2][d];
  unpack<d>(stage.value[first + g], place[0]);
  unpack<d>(stage.value[first + g + 8], place[1]);
#pragma unroll
  for (int e = 0; e < kEights; ++e) {
    const uint2 key = keys[e * 8 + g][t];
    const std::uint32_t b[2] = {key.x, key.y};
    float w[4];
    multiply_halves_anew(w, a, b);
#pragma unroll
    for (int s = 0; s < 4; ++s) w[s] = exp2_unit(w[s]);
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        const float weight = w[2 * half + side];
        const bool fresh = e == 0 && side == 0;
#pragma unroll
        for (int k = 0; k < d; ++k)
          row[half][k] = fresh ? weight * c.place[e][side][k]
                               : fmaf(weight, c.place[e][side][k], row[half][k]);
        row[half][d] = fresh ? weight : row[half][d] + weight;
      }
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        const float weight = w[2 * half + side];
#pragma unroll
        for (int k = 0; k < d; ++k)
          c.sum[e][side][k] = fmaf(weight, place[half][k], c.sum[e][side][k]);
        c.sum[e][side][d] += weight;
      }
  }
}

template <int d>
__device__ void keep_part(const float (&row)[d + 1], int at, Shared<d>& s) {
  const int warp = threadIdx.x / kLanes, t = threadIdx.x % 4;
  s.part[warp][t][at] = make_float4(row[0], row[1], row[2], d >= 3 ? row[3] : 0);
  if constexpr (d == 4) s.part_z[warp][t][at] = row[4];
}

// What the lanes have added to the rows of a stage, in a fixed order, to the sums of the block's
// rows in global memory. A thread has the same halves of rows every time, and so reads what it
// wrote itself.
template <int d>
__device__ void gather_rows(const Shared<d>& s, bool fresh, float* to, std::size_t rows) {
#pragma unroll
  for (int at = threadIdx.x; at < 2 * kStage; at += kThreads) {
    const int row = at % kStage, half = at / kStage;
    float* const first = to + static_cast<std::size_t>(2 * half) * rows + row;
    float* const second = first + rows;
    const bool both = d >= 3 || half == 0;
    const float2 before = make_float2(fresh ? 0 : *first, fresh || !both ? 0 : *second);
    float2 sum = make_float2(0, 0);
#pragma unroll
    for (int part = 0; part < kWarps * 4; ++part) {
      const float2 more = reinterpret_cast<const float2*>(&s.part[part / 4][part % 4][row])[half];
      sum.x += more.x, sum.y += more.y;
    }
    *first = before.x + sum.x;
    if (both) *second = before.y + sum.y;
    if constexpr (d == 4) {
      if (half == 1) continue;
      float z = 0;
#pragma unroll
      for (int part = 0; part < kWarps * 4; ++part) z += s.part_z[part / 4][part % 4][row];
      float* const last = to + 4 * rows + row;
      *last = (fresh ? 0 : *last) + z;
    }
  }
}

template <int d>
__device__ void keep_columns(const Columns<d>& c, const Mutual& a, int strip, int first) {
  const int lane = threadIdx.x % kLanes, g = lane / 4, t = lane % 4;
  float* to = a.to.at + static_cast<std::size_t>(strip) * (d + 1) * a.to.rows + first;
#pragma unroll
  for (int e = 0; e < kEights; ++e)
#pragma unroll
    for (int side = 0; side < 2; ++side)
#pragma unroll
      for (int k = 0; k <= d; ++k) {
        float sum = c.sum[e][side][k];
        sum += __shfl_xor_sync(~0u, sum, 4);
        sum += __shfl_xor_sync(~0u, sum, 8);
        sum += __shfl_xor_sync(~0u, sum, 16);
        if (g == k) to[static_cast<std::size_t>(k) * a.to.rows + e * 8 + 2 * t + side] = sum;
      }
}

// The rows of strip blockIdx.y against the columns of strip blockIdx.x. A strip against itself is
// summed by rows alone.
template <int d>
__global__ void __launch_bounds__(kThreads, d == 4 ? 2 : 3) mutual_kernel(const Mutual a) {
  extern __shared__ __align__(16) char memory[];
  Shared<d>& s = *reinterpret_cast<Shared<d>*>(memory);
  const int rows = blockIdx.y, columns = blockIdx.x;
  if (columns < rows) return;
  const int most = static_cast<int>(a.p.rows), g = threadIdx.x % kLanes / 4;
  const int row_end = min(kStrip, most - rows * kStrip);
  const int column_end = min(kStrip, most - columns * kStrip);
  float* const own_rows =
      a.to.at + static_cast<std::size_t>(columns) * (d + 1) * a.to.rows + rows * kStrip;
  Columns<d> c;
  for (int group = 0; group < column_end; group += kColumns) {
    const int first = columns * kStrip + group + threadIdx.x / kLanes * kEights * 8;
    meet_columns<d>(a.p, first, c);
    __syncthreads();
    copy_all<kColumns * 2, kThreads>(s.key,
                                     static_cast<const char*>(a.p.key) +
                                         (static_cast<std::size_t>(columns) * kStrip + group) * 32);
    const uint2(*own)[4] = s.key + threadIdx.x / kLanes * kEights * 8;
    int buffer = 0;
    fetch_stage(a.p, rows * kStrip, s.stage[0]);
    end_of_copies();
    for (int at = 0; at < row_end; at += kStage, buffer ^= 1) {
      wait_for_copies<0>();
      __syncthreads();  // the stage is there, and the other one has been read
      if (at + kStage < row_end) fetch_stage(a.p, rows * kStrip + at + kStage, s.stage[buffer ^ 1]);
      end_of_copies();
#pragma unroll 1
      for (int first_row = 0; first_row < kStage; first_row += 16) {
        float row[2][d + 1];
        meet_rows<d>(s.stage[buffer], first_row, own, c, row);
        keep_part<d>(row[0], first_row + g, s);
        keep_part<d>(row[1], first_row + g + 8, s);
      }
      __syncthreads();  // all parts are there
      gather_rows<d>(s, group == 0, own_rows + at, a.to.rows);
    }
    if (columns != rows) keep_columns<d>(c, a, rows, first);
  }
}

template <int d>
void launch_mutual(const Mutual& a) {
  static const cudaError_t allowed =
      cudaFuncSetAttribute(mutual_kernel<d>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(sizeof(Shared<d>)));
  (void)allowed;  // the launch fails where this did
  const unsigned strips = static_cast<unsigned>(a.to.count);
  mutual_kernel<d><<<dim3(strips, strips), kThreads, sizeof(Shared<d>)>>>(a);
}

}  // namespace

int mutual_stretches(int n) { return (whole_rows(n) + kStrip - 1) / kStrip; }

void mutual_sums(const Packed& p, int, int d, const Stretches& to) {
  if (d == 2) launch_mutual<2>({p, to});
  if (d == 3) launch_mutual<3>({p, to});
  if (d == 4) launch_mutual<4>({p, to});
}

}  // namespace murmur::cuda
