// wide_pairs.cu: sums over pairs in many dimensions: one kernel for 16 to 128 dimensions, and the
// steps between matrix products, where rows of scores become weights. Every number is two halves,
// high and low.
#include <cmath>

#include "engine/cuda/device_math.cuh"
#include "engine/cuda/pair_kernels.h"

namespace murmur::cuda {

namespace {

constexpr int kFlush = 256;  // sources whose sums stay in the accumulators of the tensor cores

template <int p>
struct Form {
  static constexpr int warps = p == 64 ? 8 : 4;
  static constexpr int threads = warps * kLanes;
  static constexpr int tiles = p >= 64 ? 1 : 2;     // of sixteen rows, per warp
  static constexpr int rows = warps * tiles * 16;   // of a block
  static constexpr int stage = p == 128 ? 32 : 64;  // sources in shared memory at once
  static constexpr int pitch = p + 8;               // halves: no two rows begin in one bank
};

template <int p>
struct Stage {
  __half key[2][Form<p>::stage][Form<p>::pitch];  // high, low
  __half value[2][Form<p>::stage][Form<p>::pitch];
  float weight[Form<p>::stage];
};

template <int p>
struct Shared {
  Stage<p> stage[2];
  float sum[Form<p>::tiles * p / 2][Form<p>::threads];  // of each thread, as flushed so far
};

template <int p, bool bounds_only>
__device__ void fetch_stage(const Fused& f, int first, Stage<p>& to) {
  constexpr int kPieces = p / 8, kThreads = Form<p>::threads;  // pieces of sixteen bytes, per row
  constexpr int kAll = Form<p>::stage * kPieces;
  const std::uint16_t* from[4] = {f.key.high, f.key.low, f.value.high, f.value.low};
#pragma unroll
  for (int array = 0; array < (bounds_only ? 1 : 4); ++array)
#pragma unroll
    for (int c = 0; c < kAll; c += kThreads) {
      const int piece = c + static_cast<int>(threadIdx.x);
      if (kAll % kThreads != 0 && piece >= kAll) continue;
      auto& target = array < 2 ? to.key[array] : to.value[array - 2];
      copy_async(&target[piece / kPieces][piece % kPieces * 8],
                 from[array] + static_cast<std::size_t>(first) * p + piece * 8);
    }
  copy_all<Form<p>::stage / 4, kThreads>(to.weight, f.weight + first);
}

// Four matrices of 8 x 8 halves; lane 8m + r names row r of matrix m.
__device__ void load_four(std::uint32_t (&to)[4], const __half* row) {
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at));
}
__device__ void load_four_turned(std::uint32_t (&to)[4], const __half* row) {
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at));
}

// The rows of a warp: their targets u, bounds and sums.
template <int p>
struct Rows {
  static constexpr int tiles = Form<p>::tiles;
  std::uint32_t high[tiles][p / 16][4], low[tiles][p / 16][4];
  float bound[tiles][2];
  float sum[tiles][p / 8][4];
  float z[tiles][2];  // sum of weights, or the largest score if bounds are computed
};

template <int p>
__device__ void load_rows(const Fused& f, int row, Rows<p>& r) {
  const int t = threadIdx.x % 4;
#pragma unroll
  for (int m = 0; m < Rows<p>::tiles; ++m)
#pragma unroll
    for (int s = 0; s < p / 16; ++s)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const std::size_t at =
            static_cast<std::size_t>(row + m * 16 + e % 2 * 8) * p + s * 16 + e / 2 * 8 + 2 * t;
        r.high[m][s][e] = *reinterpret_cast<const std::uint32_t*>(f.u.high + at);
        r.low[m][s][e] = *reinterpret_cast<const std::uint32_t*>(f.u.low + at);
      }
}

// Computes the scores of sixteen sources, as two groups of eight columns.
template <int p, bool bounds_only>
__device__ __forceinline__ void score(const Stage<p>& stage, int at, const Rows<p>& r,
                                      float (&s)[Form<p>::tiles][2][4]) {
  const int lane = threadIdx.x % kLanes;
  const int row = at + lane % 8 + lane / 16 * 8, column = lane / 8 % 2 * 8;
#pragma unroll
  for (int m = 0; m < Form<p>::tiles; ++m)
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int e = 0; e < 4; ++e) s[m][half][e] = 0;
#pragma unroll
  for (int k = 0; k < p / 16; ++k) {
    std::uint32_t high[4], low[4];
    load_four(high, &stage.key[0][row][k * 16 + column]);
    if (!bounds_only) load_four(low, &stage.key[1][row][k * 16 + column]);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::uint32_t big[2] = {high[2 * half], high[2 * half + 1]};
#pragma unroll
      for (int m = 0; m < Form<p>::tiles; ++m) {
        if (bounds_only) {
          multiply_halves(s[m][half], r.high[m][k], big);
          continue;
        }
        // Tensor cores round down: small parts first, and each sixteen coordinates by themselves.
        const std::uint32_t small[2] = {low[2 * half], low[2 * half + 1]};
        float part[4];
        multiply_halves_into(part, r.high[m][k], small);
        multiply_halves(part, r.low[m][k], big);
        multiply_halves(part, r.high[m][k], big);
#pragma unroll
        for (int e = 0; e < 4; ++e) s[m][half][e] += part[e];
      }
    }
  }
}

// Adds sixteen sources: scores, weights, sums.
template <int p, bool masked>
__device__ __forceinline__ void add_sixteen(const Stage<p>& stage, int at, int j, int row,
                                            const PairMask& mask, float unscale, Rows<p>& r) {
  constexpr int tiles = Form<p>::tiles;
  const int lane = threadIdx.x % kLanes, t = lane % 4;
  float s[tiles][2][4];
  score<p, false>(stage, at, r, s);
  std::uint32_t high[tiles][4], low[tiles][4];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float2 mass = *reinterpret_cast<const float2*>(&stage.weight[at + half * 8 + 2 * t]);
#pragma unroll
    for (int m = 0; m < tiles; ++m)
#pragma unroll
      for (int down = 0; down < 2; ++down) {
        float w[2];
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          w[side] = exp2_unit(fmaf(s[m][half][2 * down + side], unscale, -r.bound[m][down])) *
                    (side == 0 ? mass.x : mass.y);
          if (masked && is_masked(mask, row + m * 16 + down * 8, j + half * 8 + 2 * t + side))
            w[side] = 0;
        }
        r.z[m][down] += w[0] + w[1];
        const __half2 big = __floats2half2_rn(w[0], w[1]);
        const __half2 small = __floats2half2_rn(w[0] - __low2float(big), w[1] - __high2float(big));
        high[m][2 * half + down] = *reinterpret_cast<const std::uint32_t*>(&big);
        low[m][2 * half + down] = *reinterpret_cast<const std::uint32_t*>(&small);
      }
  }
  const int source = at + lane % 16, column = lane / 16 * 8;
#pragma unroll
  for (int c = 0; c < p / 16; ++c) {
    std::uint32_t big[4], small[4];
    load_four_turned(big, &stage.value[0][source][c * 16 + column]);
    load_four_turned(small, &stage.value[1][source][c * 16 + column]);
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const std::uint32_t b[2] = {big[2 * side], big[2 * side + 1]};
      const std::uint32_t b_low[2] = {small[2 * side], small[2 * side + 1]};
#pragma unroll
      for (int m = 0; m < tiles; ++m) {
        multiply_halves(r.sum[m][2 * c + side], low[m], b);
        multiply_halves(r.sum[m][2 * c + side], high[m], b_low);
        multiply_halves(r.sum[m][2 * c + side], high[m], b);
      }
    }
  }
}

// Updates the largest score of a row, from the high halves only.
template <int p, bool masked>
__device__ __forceinline__ void bound_sixteen(const Stage<p>& stage, int at, int j, int row,
                                              const PairMask& mask, float unscale, Rows<p>& r) {
  const int t = threadIdx.x % 4;
  float s[Form<p>::tiles][2][4];
  score<p, true>(stage, at, r, s);
#pragma unroll
  for (int m = 0; m < Form<p>::tiles; ++m)
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int side = half * 8 + 2 * t + e % 2;
        const bool skip = stage.weight[at + side] == 0 ||
                          (masked && is_masked(mask, row + m * 16 + e / 2 * 8, j + side));
        if (!skip) r.z[m][e / 2] = fmaxf(r.z[m][e / 2], s[m][half][e] * unscale);
      }
}

template <int p, bool adds>
__device__ void flush(Rows<p>& r, float* sum) {
#pragma unroll
  for (int m = 0; m < Form<p>::tiles; ++m)
#pragma unroll
    for (int c = 0; c < p / 8; ++c)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        float& to = sum[((m * (p / 8) + c) * 4 + e) * Form<p>::threads];
        to = adds ? to + r.sum[m][c][e] : r.sum[m][c][e];
        r.sum[m][c][e] = 0;
      }
}

template <int p, bool bounds_only, bool masked>
__global__ void __launch_bounds__(Form<p>::threads, 2)
    fused_kernel(Fused f, PairMask mask, int stretch, Stretches to) {
  extern __shared__ __align__(16) char memory[];
  Shared<p>& shared = *reinterpret_cast<Shared<p>*>(memory);
  constexpr int kStage = Form<p>::stage, tiles = Form<p>::tiles;
  const int lane = threadIdx.x % kLanes, g = lane / 4, t = lane % 4;
  const int block_row = blockIdx.x * Form<p>::rows;
  const int row = block_row + threadIdx.x / kLanes * tiles * 16 + g;
  float* own = &shared.sum[0][threadIdx.x];
  Rows<p> r;
  load_rows<p>(f, row, r);
#pragma unroll
  for (int m = 0; m < tiles; ++m)
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      r.bound[m][down] = bounds_only ? 0 : f.bound[row + m * 16 + down * 8];
      r.z[m][down] = bounds_only ? -INFINITY : 0;
    }
#pragma unroll
  for (int m = 0; m < tiles; ++m)
#pragma unroll
    for (int c = 0; c < p / 8; ++c)
#pragma unroll
      for (int e = 0; e < 4; ++e) r.sum[m][c][e] = 0;
  if (!bounds_only) flush<p, false>(r, own);

  const int first = blockIdx.y * stretch;
  int end = min(first + stretch, static_cast<int>(f.rows));
  if (masked && mask.causal) end = min(end, block_row + Form<p>::rows);
  int buffer = 0, since = 0;
  if (first < end) fetch_stage<p, bounds_only>(f, first, shared.stage[0]);
  end_of_copies();
  for (int at = first; at < end; at += kStage, buffer ^= 1) {
    if (at + kStage < end) fetch_stage<p, bounds_only>(f, at + kStage, shared.stage[buffer ^ 1]);
    end_of_copies();
    wait_for_copies<1>();
    __syncthreads();
#pragma unroll 1
    for (int in = 0; in < kStage; in += 16)
      if (bounds_only)
        bound_sixteen<p, masked>(shared.stage[buffer], in, at + in, row, mask, f.unscale, r);
      else
        add_sixteen<p, masked>(shared.stage[buffer], in, at + in, row, mask, f.unscale, r);
    __syncthreads();
    since += kStage;
    if (!bounds_only && since == kFlush) flush<p, true>(r, own), since = 0;
  }
  if (!bounds_only) flush<p, true>(r, own);

  // Lanes t of a row have different columns: their z are combined, their sums are not.
  float* base =
      to.at + static_cast<std::size_t>(blockIdx.y) * (bounds_only ? 1 : f.d + 1) * to.rows;
#pragma unroll
  for (int m = 0; m < tiles; ++m)
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      const int i = row + m * 16 + down * 8;
      float z = r.z[m][down];
      const float other = __shfl_xor_sync(~0u, z, 1);
      z = bounds_only ? fmaxf(z, other) : z + other;
      const float more = __shfl_xor_sync(~0u, z, 2);
      z = bounds_only ? fmaxf(z, more) : z + more;
      if (t == 0) base[static_cast<std::size_t>(bounds_only ? 0 : f.d) * to.rows + i] = z;
      for (int c = 0; c < p / 8 && !bounds_only; ++c)
        for (int side = 0; side < 2; ++side)
          if (const int k = c * 8 + 2 * t + side; k < f.d)
            base[static_cast<std::size_t>(k) * to.rows + i] =
                own[((m * (p / 8) + c) * 4 + 2 * down + side) * Form<p>::threads];
    }
}

template <int p, bool bounds_only, bool masked>
void launch(const Fused& f, const PairMask& mask, const Stretches& to) {
  constexpr auto kernel = fused_kernel<p, bounds_only, masked>;
  static const cudaError_t allowed = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(sizeof(Shared<p>)));
  (void)allowed;  // the launch fails where this did
  const int whole = (static_cast<int>(f.rows) + to.count - 1) / to.count;
  const int stretch = (whole + kFlush - 1) / kFlush * kFlush;
  const dim3 grid(static_cast<unsigned>(f.rows / Form<p>::rows), static_cast<unsigned>(to.count));
  kernel<<<grid, Form<p>::threads, sizeof(Shared<p>)>>>(f, mask, stretch, to);
}

template <int p, bool bounds_only>
void launch(const Fused& f, const PairMask& mask, const Stretches& to) {
  mask.empty() ? launch<p, bounds_only, false>(f, mask, to)
               : launch<p, bounds_only, true>(f, mask, to);
}

template <bool bounds_only>
void launch(const Fused& f, const PairMask& mask, const Stretches& to) {
  if (f.pitch == 16) launch<16, bounds_only>(f, mask, to);
  if (f.pitch == 32) launch<32, bounds_only>(f, mask, to);
  if (f.pitch == 64) launch<64, bounds_only>(f, mask, to);
  if (f.pitch == 128) launch<128, bounds_only>(f, mask, to);
}

__global__ void most_of_stretches(const float* from, int stretches, std::size_t rows, float* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float most = -INFINITY;
  for (int s = 0; s < stretches; ++s) most = fmaxf(most, from[s * rows + i]);
  to[i] =
      isinf(most) ? 0 : most - 10;  // weights are up to 2^10, so that small ones fit into halves
}

// On the sphere the nearest particle to u_i = g x_i, g > 0, is i itself.
__global__ void own_scores(Fused f, std::size_t rows) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  const auto* u = reinterpret_cast<const __half*>(f.u.high) + i * f.pitch;
  const auto* key = reinterpret_cast<const __half*>(f.key.high) + i * f.pitch;
  float score = 0;
  for (int k = 0; k < f.pitch; ++k) score += __half2float(u[k]) * __half2float(key[k]);
  f.bound[i] = score * f.unscale - 10;
}

__global__ void add_fused_kernel(Stretches from, int n, int d, double scale, Sums to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
  if (i >= n) return;
  double sum = 0;
  for (int s = 0; s < from.count; ++s)
    sum += from.at[(static_cast<std::size_t>(s) * (d + 1) + c) * from.rows + i];
  (c < d ? to.n[c * to.stride + i] : to.z[i]) = c < d ? sum / scale : sum;
}

__global__ void to_double_kernel(const float* from, int n, double* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

}  // namespace

int padded_dimension(int d) { return d <= 16 ? 16 : d <= 32 ? 32 : d <= 64 ? 64 : 128; }

// Returns enough stretches for all multiprocessors, each of at least kFlush sources.
static_assert(Form<16>::rows == Form<64>::rows && Form<32>::rows == Form<64>::rows);
int fused_stretches(int n, int pitch) {
  const int rows = pitch == 128 ? Form<128>::rows : Form<64>::rows;
  const int blocks = whole_rows(n) / rows, wanted = (1056 + blocks - 1) / blocks;
  const int most = (n + kFlush - 1) / kFlush;
  return wanted < most ? wanted : most;
}

void fused_bounds(const Fused& f, const PairMask& mask, float* scratch) {
  const int count = fused_stretches(f.n, f.pitch);
  launch<true>(f, mask, {count, f.rows, scratch});
  most_of_stretches<<<static_cast<unsigned>(f.rows / 256), 256>>>(scratch, count, f.rows, f.bound);
}

void fused_own_bounds(const Fused& f) {
  own_scores<<<static_cast<unsigned>(f.rows / 256), 256>>>(f, f.rows);
}

void fused_sums(const Fused& f, const PairMask& mask, const Stretches& to) {
  launch<false>(f, mask, to);
}

void add_fused(const Stretches& from, int n, int d, double scale, const Sums& to) {
  const dim3 grid(static_cast<unsigned>((n + 127) / 128), static_cast<unsigned>(d + 1));
  add_fused_kernel<<<grid, 128>>>(from, n, d, scale, to);
}

void to_double(const float* from, int n, double* to) {
  to_double_kernel<<<static_cast<unsigned>((n + 127) / 128), 128>>>(from, n, to);
}

namespace {

constexpr int kThreads = 256;

__device__ void split(const HalvesFrom& from, int i, int k, std::size_t at, const Halves& to) {
  const bool there = i < from.n && k < from.d;
  const double origin = from.origin != nullptr && there ? from.origin[k] : 0;
  const double x = there ? (from.at[k * from.stride + i] - origin) * from.scale : 0;
  const __half high = __float2half_rn(static_cast<float>(x));
  to.high[at] = __half_as_ushort(high);
  to.low[at] = __half_as_ushort(
      __float2half_rn(static_cast<float>(x - static_cast<double>(__half2float(high)))));
}

__global__ void split_rows_kernel(HalvesFrom from, std::size_t rows, int pitch, Halves to) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= rows * pitch) return;
  split(from, static_cast<int>(at / pitch), static_cast<int>(at % pitch), at, to);
}

__global__ void split_columns_kernel(HalvesFrom from, std::size_t rows, Halves to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= rows) return;
  const int k = blockIdx.y;
  split(from, static_cast<int>(i), k, k * rows + i, to);
}

__global__ void weights_kernel(const double* mass, double largest_mass, int n, std::size_t rows,
                               float* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < rows) to[i] = i < n ? static_cast<float>(mass[i] / largest_mass) : 0;
}

__device__ bool attends(const PairMask& mask, int i, int j) {
  return !((mask.causal && j > i) || (!mask.self && j == i));
}

struct Larger {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};
struct Plus {
  __device__ double operator()(double a, double b) const { return a + b; }
};

__global__ void double_weights_kernel(Strip strip, PairMask mask, const double* mass, double* s,
                                      double* z, double* bound) {
  __shared__ double scratch[kThreads];
  __shared__ Powers powers;
  powers.fill();
  __syncthreads();
  const int i = strip.first + blockIdx.x;
  double* row = s + blockIdx.x * strip.pitch;
  double most = -INFINITY;
  for (int j = threadIdx.x; j < strip.n; j += kThreads)
    if (mass[j] > 0 && attends(mask, i, j)) most = fmax(most, row[j]);
  most = over_block<kThreads>(most, scratch, Larger());
  double sum = 0;
  for (int j = threadIdx.x; j < strip.n; j += kThreads) {
    const double w =
        mass[j] > 0 && attends(mask, i, j) ? mass[j] * exp2_double(row[j] - most, powers) : 0;
    row[j] = w;
    sum += w;
  }
  sum = over_block<kThreads>(sum, scratch, Plus());
  if (threadIdx.x == 0) z[i] = sum, bound[i] = isinf(most) ? 0 : most;
}

__global__ void half_weights_kernel(Strip strip, PairMask mask, const float* weight, float unscale,
                                    const float* s, Halves to, double* z, double* bound) {
  __shared__ double scratch[kThreads];
  const int i = strip.first + blockIdx.x;
  const std::size_t at = blockIdx.x * strip.pitch;
  float most = -INFINITY;
  for (int j = threadIdx.x; j < strip.n; j += kThreads)
    if (weight[j] > 0 && attends(mask, i, j)) most = fmaxf(most, s[at + j] * unscale);
  most = static_cast<float>(over_block<kThreads>(static_cast<double>(most), scratch, Larger()));
  const float shift = isinf(most) ? 0 : most - 10;  // weights are up to 2^10
  double sum = 0;
  for (int j = threadIdx.x; j < strip.pitch; j += kThreads) {
    const bool counts = j < strip.n && attends(mask, i, j);
    const float w = counts ? weight[j] * exp2_unit(fmaf(s[at + j], unscale, -shift)) : 0;
    const __half high = __float2half_rn(w);
    to.high[at + j] = __half_as_ushort(high);
    to.low[at + j] = __half_as_ushort(__float2half_rn(w - __half2float(high)));
    sum += w;
  }
  sum = over_block<kThreads>(sum, scratch, Plus());
  if (threadIdx.x == 0) z[i] = sum, bound[i] = shift;
}

__global__ void write_strip_kernel(Strip strip, int d, int parts, const float* from, double scale,
                                   double* to, std::size_t stride) {
  const int i = blockIdx.x * kThreads + threadIdx.x, k = blockIdx.y;
  if (i >= strip.count) return;
  double sum = 0;
  for (int part = 0; part < parts; ++part)
    sum += from[(static_cast<std::size_t>(part) * d + k) * strip.count + i];
  to[k * stride + strip.first + i] = sum / scale;
}

unsigned blocks_of(std::size_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

}  // namespace

void split_rows(const HalvesFrom& from, std::size_t rows, int pitch, const Halves& to) {
  split_rows_kernel<<<blocks_of(rows * pitch), kThreads>>>(from, rows, pitch, to);
}

void split_columns(const HalvesFrom& from, std::size_t rows, const Halves& to) {
  const dim3 grid(blocks_of(rows), static_cast<unsigned>(from.d));
  split_columns_kernel<<<grid, kThreads>>>(from, rows, to);
}

void split_weights(const double* mass, double largest_mass, int n, std::size_t rows, float* to) {
  weights_kernel<<<blocks_of(rows), kThreads>>>(mass, largest_mass, n, rows, to);
}

void compute_double_weights(const Strip& strip, const PairMask& mask, const double* mass, double* s,
                            double* z, double* bound) {
  double_weights_kernel<<<static_cast<unsigned>(strip.count), kThreads>>>(strip, mask, mass, s, z,
                                                                          bound);
}

void compute_half_weights(const Strip& strip, const PairMask& mask, const float* weight,
                          float unscale, const float* s, const Halves& to, double* z,
                          double* bound) {
  half_weights_kernel<<<static_cast<unsigned>(strip.count), kThreads>>>(strip, mask, weight,
                                                                        unscale, s, to, z, bound);
}

void write_strip(const Strip& strip, int d, int parts, const float* from, double scale, double* to,
                 std::size_t stride) {
  const dim3 grid(blocks_of(strip.count), static_cast<unsigned>(d));
  write_strip_kernel<<<grid, kThreads>>>(strip, d, parts, from, scale, to, stride);
}

}  // namespace murmur::cuda
