// plain_pairs.cu: sums over pairs in single precision: scores by tensor cores, exponentials by the
// special-function unit, whose rate is the limit, weighted sums by multiply-adds. Packs the
// particles, too.
#include "engine/cuda/device_math.cuh"
#include "engine/cuda/pair_kernels.h"

namespace murmur::cuda {

namespace {

constexpr int kWarps = 4, kThreads = kWarps * kLanes;
constexpr int kTiles = 4;                         // of sixteen rows, per warp
static_assert(kWarps * kTiles * 16 == kRowTile);  // a block has a tile of rows
constexpr int kStage = 256;                       // sources in shared memory at once

struct Stage {
  uint2 key[kStage][4];
  float4 value[kStage];
  float weight[kStage];
};

struct Plain {
  Packed p;
  int n;
  PairMask mask;
  RowTiles rows;
  int stretch;  // sources of a block
  int first;    // stretch
  Stretches to;
};

template <int d>
__device__ void fetch_stage(const Packed& p, int first, Stage& to) {
  const auto at = static_cast<std::size_t>(first);
  copy_all<kStage * 2, kThreads>(to.key, static_cast<const char*>(p.key) + at * 32);
  copy_all<kStage, kThreads>(to.value, p.value + at * 4);
  if (d == 4) copy_all<kStage / 4, kThreads>(to.weight, p.weight + at);
}

// The summands of a source: its d coordinates and its weight, each to be multiplied by w.
template <int d>
struct Source {
  float at[d + 1];
  __device__ Source(const Stage& s, int j) {
    const float4 v = s.value[j];
    at[0] = v.x, at[1] = v.y, at[2] = v.z;
    if constexpr (d >= 3) at[3] = v.w;
    if constexpr (d == 4) at[4] = s.weight[j];
  }
};

template <int d>
struct Rows {
  std::uint32_t target[kTiles][4];
  float sum[kTiles][2][d + 1];
};

// Adds eight sources to the rows of a warp; if `masked`, without the masked pairs.
template <int d, bool masked>
__device__ __forceinline__ void add_eight(const Stage& stage, int at, int j, int row,
                                          const PairMask& mask, Rows<d>& rows) {
  const int lane = threadIdx.x % kLanes, g = lane / 4, t = lane % 4;
  const uint2 key = stage.key[at + g][t];
  const std::uint32_t b[2] = {key.x, key.y};
  const Source<d> left(stage, at + 2 * t), right(stage, at + 2 * t + 1);
  float score[kTiles][4];
#pragma unroll
  for (int m = 0; m < kTiles; ++m) multiply_halves_into(score[m], rows.target[m], b);
#pragma unroll
  for (int m = 0; m < kTiles; ++m) {
    float w[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      w[e] = exp2_unit(score[m][e]);
      if (masked) {
        const int i = row + m * 16 + (e / 2) * 8, other = j + e % 2;
        if ((mask.causal && other > i) || (!mask.self && other == i)) w[e] = 0;
      }
    }
#pragma unroll
    for (int c = 0; c <= d; ++c)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float& sum = rows.sum[m][half][c];
        sum = fmaf(w[2 * half], left.at[c], sum);
        sum = fmaf(w[2 * half + 1], right.at[c], sum);
      }
  }
}

template <int d, bool masked>
__device__ __forceinline__ void add_stage(const Stage& stage, int first, int row,
                                          const PairMask& mask, Rows<d>& rows) {
  const int t = threadIdx.x % 4;
#pragma unroll 2
  for (int at = 0; at < kStage; at += 8)
    add_eight<d, masked>(stage, at, first + at + 2 * t, row, mask, rows);
}

template <int d, bool masked>
__global__ void __launch_bounds__(kThreads, 4) plain_kernel(const Plain a) {
  __shared__ Stage stages[2];
  const int lane = threadIdx.x % kLanes, g = lane / 4, t = lane % 4;
  const int block_row = (a.rows.first + static_cast<int>(blockIdx.x)) * kRowTile;
  const int row = block_row + threadIdx.x / kLanes * kTiles * 16 + g;
  Rows<d> rows;
  const uint4* target = static_cast<const uint4*>(a.p.target);
#pragma unroll
  for (int m = 0; m < kTiles; ++m) {
    const uint4 packed = target[static_cast<std::size_t>(row / 16 + m) * kLanes + lane];
    rows.target[m][0] = packed.x, rows.target[m][1] = packed.y;
    rows.target[m][2] = packed.z, rows.target[m][3] = packed.w;
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int c = 0; c <= d; ++c) rows.sum[m][half][c] = 0;
  }

  const int first = (a.first + static_cast<int>(blockIdx.y)) * a.stretch;
  int end = min(first + a.stretch, static_cast<int>(a.p.rows));
  if (masked && a.mask.causal) end = min(end, block_row + kRowTile);
  int buffer = 0;
  if (first < end) fetch_stage<d>(a.p, first, stages[0]);
  end_of_copies();
  for (int at = first; at < end; at += kStage, buffer ^= 1) {
    if (at + kStage < end) fetch_stage<d>(a.p, at + kStage, stages[buffer ^ 1]);
    end_of_copies();
    wait_for_copies<1>();
    __syncthreads();
    if (masked && at + kStage > block_row && (a.mask.causal || at < block_row + kRowTile))
      add_stage<d, true>(stages[buffer], at, row, a.mask, rows);
    else
      add_stage<d, false>(stages[buffer], at, row, a.mask, rows);
    __syncthreads();
  }

  float* to = a.to.at + static_cast<std::size_t>(blockIdx.y) * (d + 1) * a.to.rows;
#pragma unroll
  for (int m = 0; m < kTiles; ++m)
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int c = 0; c <= d; ++c) {
        float sum = rows.sum[m][half][c];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        if (t == c % 4) to[static_cast<std::size_t>(c) * a.to.rows + row + m * 16 + half * 8] = sum;
      }
}

template <int d>
void launch_plain(const Plain& a) {
  const dim3 grid(static_cast<unsigned>(a.rows.count), static_cast<unsigned>(a.to.count));
  if (a.mask.empty())
    plain_kernel<d, false><<<grid, kThreads>>>(a);
  else
    plain_kernel<d, true><<<grid, kThreads>>>(a);
}

template <int d>
__global__ void add_stretches_kernel(Stretches from, int n, int first, bool more, double scale,
                                     Sums to) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum[d + 1] = {};
  for (int s = 0; s < from.count; ++s)
#pragma unroll
    for (int c = 0; c <= d; ++c)
      sum[c] += from.at[(static_cast<std::size_t>(s) * (d + 1) + c) * from.rows + i];
#pragma unroll
  for (int c = 0; c <= d; ++c) {
    double& total = c < d ? to.n[c * to.stride + i] : to.z[i];
    total = (more ? total : 0) + scale * sum[c];
  }
}

// high + low = x to 22 bits.
struct Split {
  __half high, low;
  __device__ explicit Split(double x)
      : high(__float2half_rn(static_cast<float>(x))),
        low(__float2half_rn(static_cast<float>(x - static_cast<double>(__half2float(high))))) {}
};

__global__ void pack_kernel(Unpacked from, Packed to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= to.rows) return;
  auto* target = static_cast<std::uint32_t*>(to.target);
  auto* key = static_cast<uint2*>(to.key);
  const bool there = i < from.n;
  const double w = there ? from.mass[i] / from.largest_mass : 0;
  for (int k = 0; k < 4; ++k) {
    const bool coordinate = there && k < from.d;
    const bool shifts = from.symmetric && k == 3;
    const double u = coordinate ? from.u[k * from.stride + i] : shifts ? 1 : 0;
    const double y = coordinate ? from.x[k * from.stride + i] - from.origin[k] : 0;
    const Split query(u * from.balance), at((shifts ? from.shift : y) / from.balance);
    std::uint32_t* lane = target + (static_cast<std::size_t>(i / 16) * kLanes + i % 8 * 4 + k) * 4;
    lane[i % 16 / 8] = pack(query.high, query.high);
    lane[i % 16 / 8 + 2] = pack(query.low, query.low);
    key[static_cast<std::size_t>(i) * 4 + k] =
        make_uint2(pack(at.high, at.low), pack(at.high, at.low));
    const double value = k == from.d ? w : coordinate ? w * y : 0;
    if (!from.symmetric) {
      to.value[static_cast<std::size_t>(i) * 4 + k] = static_cast<float>(value);
      continue;
    }
    const Split feature(value);
    const auto halves = [&](int g) {  // of two rows of the first eight and two of the others
      return static_cast<__half*>(to.feature) +
             (static_cast<std::size_t>(i / 16) * kLanes + g * 4 + i % 8 / 2) * 4;
    };
    halves(k)[i % 16 / 8 * 2 + i % 2] = feature.high;
    halves(k + 4)[i % 16 / 8 * 2 + i % 2] = feature.low;
  }
  to.weight[i] = static_cast<float>(w);
}

}  // namespace

std::size_t packed_bytes(int n) { return static_cast<std::size_t>(whole_rows(n)) * (32 + 32 + 20); }

Packed lay_out(void* room, int n) {
  Packed p;
  p.rows = static_cast<std::size_t>(whole_rows(n));
  char* at = static_cast<char*>(room);
  p.target = at;
  p.key = at + p.rows * 32;
  p.feature = at + p.rows * 64;
  p.value = static_cast<float*>(p.feature);
  p.weight = p.value + p.rows * 4;
  return p;
}

void pack(const Unpacked& from, const Packed& to) {
  pack_kernel<<<static_cast<unsigned>(to.rows / 256), 256>>>(from, to);
}

// Returns the sources of a stretch: long stretches need less memory, short ones keep the whole GPU
// busy with few particles.
static int plain_stretch(int n) { return n <= 16'384 ? 256 : n <= 65'536 ? 1024 : 4096; }

int plain_stretches(int n) { return (n + plain_stretch(n) - 1) / plain_stretch(n); }

void plain_sums(const Packed& p, int n, int d, const PairMask& mask, const RowTiles& rows,
                int first, const Stretches& to) {
  const Plain a{p, n, mask, rows, plain_stretch(n), first, to};
  if (d == 2) launch_plain<2>(a);
  if (d == 3) launch_plain<3>(a);
  if (d == 4) launch_plain<4>(a);
}

void add_stretches(const Stretches& from, int n, int d, const RowTiles& rows, bool more,
                   double scale, const Sums& to) {
  const int first = rows.begin(), end = rows.end(n);
  const unsigned blocks = static_cast<unsigned>((end - first + 127) / 128);
  if (d == 2) add_stretches_kernel<2><<<blocks, 128>>>(from, end, first, more, scale, to);
  if (d == 3) add_stretches_kernel<3><<<blocks, 128>>>(from, end, first, more, scale, to);
  if (d == 4) add_stretches_kernel<4><<<blocks, 128>>>(from, end, first, more, scale, to);
}

}  // namespace murmur::cuda
