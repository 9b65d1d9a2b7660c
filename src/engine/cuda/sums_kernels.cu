// sums_kernels.cu: sums and extremes over particles and pairs in fixed stretches, added up in
// order, and the nearest two particles by a sweep along the first axis.
#include <algorithm>
#include <cmath>
#include <cub/device/device_radix_sort.cuh>

#include "engine/cuda/device_math.cuh"
#include "engine/cuda/sums_kernels.h"

namespace murmur::cuda {

namespace {

constexpr int kReduceThreads = 256;
constexpr int kStretch = 4096;  // particles of a block
constexpr int kFinalThreads = 1024;

struct Add {
  __device__ double operator()(double a, double b) const { return a + b; }
  static constexpr double start = 0;
};
// The larger of two numbers, or NaN if one is NaN.
struct Most {
  __device__ double operator()(double a, double b) const { return a > b || a != a ? a : b; }
  static constexpr double start = 0;
};

// Combines value(which, i) over a stretch of particles i; `which` is the y of the block.
template <class Combine, class Value>
__global__ void reduce_stretch(int n, Value value, double* part) {
  __shared__ double scratch[kReduceThreads];
  const Combine combine;
  double all = Combine::start;
  const int first = blockIdx.x * kStretch;
  for (int at = threadIdx.x; at < kStretch; at += kReduceThreads)
    if (first + at < n) all = combine(all, value(static_cast<int>(blockIdx.y), first + at));
  all = over_block<kReduceThreads>(all, scratch, combine);
  if (threadIdx.x == 0) part[blockIdx.y * gridDim.x + blockIdx.x] = all;
}

template <class Combine>
__global__ void reduce_parts(int parts, const double* part, double* to) {
  part += blockIdx.x * parts;
  to += blockIdx.x;
  __shared__ double scratch[kFinalThreads];
  const Combine combine;
  double all = Combine::start;
  for (int at = threadIdx.x; at < parts; at += kFinalThreads) all = combine(all, part[at]);
  all = over_block<kFinalThreads>(all, scratch, combine);
  if (threadIdx.x == 0) *to = all;
}

inline int parts_of(int n) { return (n + kStretch - 1) / kStretch; }

// to[w] = value(w, 0) combined with value(w, 1), ..., for all w < count in one launch; `part` has
// count parts_of(n) numbers.
template <class Combine, class Value>
void reduce_each(int n, int count, double* part, double* to, Value value) {
  const dim3 grid(static_cast<unsigned>(parts_of(n)), static_cast<unsigned>(count));
  if (grid.x > 0) reduce_stretch<Combine><<<grid, kReduceThreads>>>(n, value, part);
  reduce_parts<Combine><<<grid.y, kFinalThreads>>>(static_cast<int>(grid.x), part, to);
}

// *to = value(0) combined with value(1), ...; `part` has parts_of(n) numbers.
template <class Value>
struct OnlyOne {
  Value value;
  __device__ double operator()(int, int i) const { return value(i); }
};
template <class Combine, class Value>
void reduce(int n, double* part, double* to, Value value) {
  reduce_each<Combine>(n, 1, part, to, OnlyOne<Value>{value});
}

constexpr int kThreads = 128;
constexpr int kMostAtOnce = 8;  // sums of one launch
constexpr int kOthers = 1024;   // partners of a block of pairs
constexpr std::int64_t kDrawsOfBlock = 4096;

__device__ double square_from(const ConstPlaces& x, const double* origin, int i) {
  double square = 0;
  for (int k = 0; k < x.d; ++k) {
    const double at = x.at[k * x.stride + i] - (origin != nullptr ? origin[k] : 0);
    square += at * at;
  }
  return square;
}

__device__ double score(const PairSumInput& q, int i, int j) {
  double sum = 0;
  for (int k = 0; k < q.x.d; ++k) sum += q.x.at[k * q.x.stride + i] * q.y.at[k * q.y.stride + j];
  return sum;
}

struct Tally {
  PairPart part{0, INFINITY, -INFINITY, 0, 0, 0};
  __device__ void add(const PairSumInput& q, double c, double weight) {
    part.sum += c;
    part.min = fmin(part.min, c);
    part.max = fmax(part.max, c);
    part.close += c > q.threshold ? 1 : 0;
    part.weight += weight;
    if (q.beta != 0) part.gibbs += weight * exp(q.beta * (c - q.anchor));
  }
};

struct Join {
  __device__ PairPart operator()(const PairPart& a, const PairPart& b) const {
    return {a.sum + b.sum,     fmin(a.min, b.min), fmax(a.max, b.max),
            a.close + b.close, a.gibbs + b.gibbs,  a.weight + b.weight};
  }
};

__device__ void write_block_sum(const PairPart& mine, PairPart* to) {
  __shared__ PairPart scratch[kThreads];
  const PairPart all = over_block<kThreads>(mine, scratch, Join());
  if (threadIdx.x == 0) *to = all;
}

__global__ void all_pairs_kernel(PairSumInput q, PairPart* to) {
  const int i = blockIdx.x * kThreads + threadIdx.x, n = q.x.n;
  const int first = max(static_cast<int>(blockIdx.y) * kOthers, i + 1);
  const int end = min(static_cast<int>(blockIdx.y + 1) * kOthers, n);
  Tally tally;
  for (int j = first; j < end && i < n; ++j) tally.add(q, score(q, i, j), q.mass[i] * q.mass[j]);
  write_block_sum(tally.part, to + blockIdx.y * gridDim.x + blockIdx.x);
}

__global__ void diagonal_pairs_kernel(PairSumInput q, PairPart* to) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  Tally tally;
  if (i < q.x.n) tally.add(q, score(q, i, i), q.mass[i] * q.mass[i]);
  write_block_sum(tally.part, to + blockIdx.x);
}

// Returns the first two random numbers of a drawn pair, of stream `pairs` (6).
__device__ uint2 random_pair(std::int64_t index, std::uint64_t seed) {
  const uint4 word =
      philox(make_uint4(static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                        0, 6u << 16),
             make_uint2(static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)));
  return make_uint2(word.x, word.y);
}

__device__ int scale_word(std::uint32_t word, int size) {
  return static_cast<int>((std::uint64_t{word} * static_cast<std::uint64_t>(size)) >> 32);
}

__global__ void drawn_pairs_kernel(PairSumInput q, std::uint64_t seed, std::int64_t pairs,
                                   PairPart* to) {
  Tally tally;
  const std::int64_t first = blockIdx.x * kDrawsOfBlock;
  for (std::int64_t p = first + threadIdx.x; p < min(first + kDrawsOfBlock, pairs); p += kThreads) {
    const uint2 word = random_pair(p, seed);
    const int i = scale_word(word.x, q.x.n), other = scale_word(word.y, q.x.n - 1);
    const int j = other + (other >= i ? 1 : 0);
    tally.add(q, score(q, i, j), q.mass[i] * q.mass[j]);
  }
  write_block_sum(tally.part, to + blockIdx.x);
}

__global__ void gram_of_particles(ConstPlaces u, double* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= u.n) return;
  double sum = 0;
  for (int k = 0; k < u.d; ++k) sum += u.at[k * u.stride + i] * u.at[k * u.stride + j];
  if (j <= i) to[static_cast<std::size_t>(i) * u.n + j] = sum;
}

__global__ void gram_of_axes(ConstPlaces u, double* to) {
  __shared__ double scratch[kReduceThreads];
  const int k = blockIdx.y, l = blockIdx.x;
  if (l > k) return;
  double sum = 0;
  for (int i = threadIdx.x; i < u.n; i += kReduceThreads)
    sum += u.at[k * u.stride + i] * u.at[l * u.stride + i];
  sum = over_block<kReduceThreads>(sum, scratch, Add());
  if (threadIdx.x == 0) to[static_cast<std::size_t>(k) * u.d + l] = sum;
}

unsigned blocks_of(int n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }
unsigned rows_of_others(int n) { return static_cast<unsigned>((n + kOthers - 1) / kOthers); }

}  // namespace
std::size_t reduce_scratch(int n) {
  return static_cast<std::size_t>(kMostAtOnce) * parts_of(n) + 1;
}

void centre(const ConstPlaces& x, const double* mass, double* scratch, double* to) {
  const double equal = 1.0 / x.n;
  for (int first = 0; first < x.d; first += kMostAtOnce)
    reduce_each<Add>(
        x.n, std::min(kMostAtOnce, x.d - first), scratch, to + first, [=] __device__(int k, int i) {
          return (mass != nullptr ? mass[i] : equal) * x.at[(first + k) * x.stride + i];
        });
}

void largest_squares(const ConstPlaces& keys, const double* middle, const ConstPlaces& u,
                     const ConstPlaces& x, double* scratch, double* to) {
  reduce_each<Most>(u.n, 4, scratch, to, [=] __device__(int which, int i) {
    if (which < 2) return square_from(keys, which == 0 ? middle : nullptr, i);
    return which == 2 ? square_from(u, nullptr, i) : fabs(square_from(x, nullptr, i) - 1);
  });
}

void largest_square(const ConstPlaces& x, const double* origin, double* scratch, double* to) {
  reduce<Most>(x.n, scratch, to, [=] __device__(int i) { return square_from(x, origin, i); });
}

void sphere_deviation(const ConstPlaces& x, double* scratch, double* to) {
  reduce<Most>(x.n, scratch, to,
               [=] __device__(int i) { return fabs(square_from(x, nullptr, i) - 1); });
}

// 1 / z, since `Most` starts from 0.
void largest_inverse(const double* z, int first, int n, double* scratch, double* to) {
  reduce<Most>(n - first, scratch, to, [=] __device__(int i) {
    const double own = z[first + i];
    return own > 0 ? 1 / own : NAN;
  });
}

void error_square(const ConstPlaces& a, const ConstPlaces& b, double rtol, double atol,
                  double* scratch, double* to) {
  reduce<Add>(a.n, scratch, to, [=] __device__(int i) {
    double size_a = 0, size_b = 0, difference = 0;
    for (int k = 0; k < a.d; ++k) {
      const double p = a.at[k * a.stride + i], q = b.at[k * b.stride + i];
      size_a += p * p, size_b += q * q, difference += (p - q) * (p - q);
    }
    const double larger = size_a < size_b ? size_b : size_a;
    const double scale = atol + rtol * sqrt(larger);
    return difference / (scale * scale);
  });
}

void speed_square(const ConstPlaces& v, const double* mass, double n, double* scratch, double* to) {
  reduce<Add>(v.n, scratch, to, [=] __device__(int i) {
    return mass[i] == 0 ? 0 : n * mass[i] * square_from(v, nullptr, i);
  });
}

void norm_sums(const ConstPlaces& x, const double* mass, double* scratch, double* to) {
  reduce<Add>(x.n, scratch, to,
              [=] __device__(int i) { return mass[i] * sqrt(square_from(x, nullptr, i)); });
  reduce<Most>(x.n, scratch, to + 1,
               [=] __device__(int i) { return fabs(sqrt(square_from(x, nullptr, i)) - 1); });
  reduce<Most>(x.n, scratch, to + 2, [=] __device__(int i) {
    double most = 0;
    for (int k = 0; k < x.d; ++k) most = Most()(most, fabs(x.at[k * x.stride + i]));
    return most;
  });
}

void gram(const ConstPlaces& u, double* scratch, double* to) {
  if (u.n <= u.d) {
    gram_of_particles<<<dim3(blocks_of(u.n), static_cast<unsigned>(u.n)), kThreads>>>(u, to);
    return;
  }
  if (u.d > 8) {
    const auto d = static_cast<unsigned>(u.d);
    gram_of_axes<<<dim3(d, d), kReduceThreads>>>(u, to);
    return;
  }
  for (int k = 0; k < u.d; ++k)
    for (int l = 0; l <= k; ++l)
      reduce<Add>(u.n, scratch, to + k * u.d + l, [=] __device__(int i) {
        return u.at[k * u.stride + i] * u.at[l * u.stride + i];
      });
}

int pair_parts(int n) { return static_cast<int>(blocks_of(n) * rows_of_others(n)); }

void all_pairs(const PairSumInput& q, PairPart* to) {
  all_pairs_kernel<<<dim3(blocks_of(q.x.n), rows_of_others(q.x.n)), kThreads>>>(q, to);
}

int drawn_parts(std::int64_t pairs) {
  return static_cast<int>((pairs + kDrawsOfBlock - 1) / kDrawsOfBlock);
}

void drawn_pairs(const PairSumInput& q, std::uint64_t seed, std::int64_t pairs, PairPart* to) {
  drawn_pairs_kernel<<<static_cast<unsigned>(drawn_parts(pairs)), kThreads>>>(q, seed, pairs, to);
}

int diagonal_parts(int n) { return static_cast<int>(blocks_of(n)); }

void diagonal_pairs(const PairSumInput& q, PairPart* to) {
  diagonal_pairs_kernel<<<blocks_of(q.x.n), kThreads>>>(q, to);
}

namespace {

// Returns the scratch of the sort, without keys and rows.
std::size_t sort_bytes(int n) {
  std::size_t bytes = 0;
  cub::DeviceRadixSort::SortPairs(nullptr, bytes, static_cast<const double*>(nullptr),
                                  static_cast<double*>(nullptr), static_cast<const int*>(nullptr),
                                  static_cast<int*>(nullptr), n);
  return bytes;
}

std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

__global__ void number(int n, int* row) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) row[i] = i;
}

// The nearer of two pairs; ties go to the lower rows.
struct Nearer {
  __device__ NearPair operator()(const NearPair& a, const NearPair& b) const {
    if (b.i < 0) return a;
    if (a.i < 0) return b;
    if (a.square != b.square) return a.square < b.square ? a : b;
    if (a.i != b.i) return a.i < b.i ? a : b;
    return a.j <= b.j ? a : b;
  }
};

__global__ void sweep(ConstPlaces x, double delta, const double* first, const int* row,
                      NearPair* to) {
  __shared__ NearPair scratch[kThreads];
  const int a = blockIdx.x * kThreads + threadIdx.x;
  NearPair best{delta * delta, -1, -1};
  const Nearer nearer;
  for (int b = a + 1; b < x.n && a < x.n && first[b] - first[a] < delta; ++b) {
    const int i = min(row[a], row[b]), j = max(row[a], row[b]);
    double square = 0;
    for (int k = 0; k < x.d; ++k) {
      const double apart = x.at[k * x.stride + i] - x.at[k * x.stride + j];
      square += apart * apart;
    }
    if (square < delta * delta) best = nearer(best, NearPair{square, i, j});
  }
  best = over_block<kThreads>(best, scratch, nearer);
  if (threadIdx.x == 0) to[blockIdx.x] = best;
}

}  // namespace

std::size_t nearest_bytes(int n) {
  return rounded(sort_bytes(n)) + rounded(n * sizeof(double)) + 2 * rounded(n * sizeof(int));
}

int nearest_parts(int n) { return (n + kThreads - 1) / kThreads; }

void nearest(const ConstPlaces& x, double delta, void* room, NearPair* to) {
  char* at = static_cast<char*>(room);
  std::size_t bytes = sort_bytes(x.n);
  void* scratch = at;
  at += rounded(bytes);
  auto* first = reinterpret_cast<double*>(at);
  at += rounded(x.n * sizeof(double));
  auto* rows = reinterpret_cast<int*>(at);
  at += rounded(x.n * sizeof(int));
  auto* row = reinterpret_cast<int*>(at);
  const auto blocks = static_cast<unsigned>(nearest_parts(x.n));
  number<<<blocks, kThreads>>>(x.n, rows);
  cub::DeviceRadixSort::SortPairs(scratch, bytes, x.at, first, rows, row, x.n);
  sweep<<<blocks, kThreads>>>(x, delta, first, row, to);
}

}  // namespace murmur::cuda
