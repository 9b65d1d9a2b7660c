// sums_kernels.cu: sums over particles and pairs in fixed stretches, added up in order.
#include <algorithm>
#include <cmath>

#include "engine/cuda/reduce.cuh"
#include "engine/cuda/sums_kernels.h"

namespace murmur::cuda {

namespace {

constexpr int kThreads = 128;
constexpr int kMostAtOnce = 8;  // sums of one go
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

__device__ double score(const PairQuestion& q, int i, int j) {
  double sum = 0;
  for (int k = 0; k < q.x.d; ++k) sum += q.x.at[k * q.x.stride + i] * q.y.at[k * q.y.stride + j];
  return sum;
}

struct Tally {
  PairPart part{0, INFINITY, -INFINITY, 0, 0, 0};
  __device__ void add(const PairQuestion& q, double c, double weight) {
    part.sum += c;
    part.least = fmin(part.least, c);
    part.most = fmax(part.most, c);
    part.close += c > q.threshold ? 1 : 0;
    part.weight += weight;
    if (q.beta != 0) part.gibbs += weight * exp(q.beta * (c - q.anchor));
  }
};

struct Join {
  __device__ PairPart operator()(const PairPart& a, const PairPart& b) const {
    return {a.sum + b.sum,     fmin(a.least, b.least), fmax(a.most, b.most),
            a.close + b.close, a.gibbs + b.gibbs,      a.weight + b.weight};
  }
};

__device__ void keep(const PairPart& mine, PairPart* to) {
  __shared__ PairPart scratch[kThreads];
  const PairPart all = over_block<kThreads>(mine, scratch, Join());
  if (threadIdx.x == 0) *to = all;
}

__global__ void all_pairs_kernel(PairQuestion q, PairPart* to) {
  const int i = blockIdx.x * kThreads + threadIdx.x, n = q.x.n;
  const int first = max(static_cast<int>(blockIdx.y) * kOthers, i + 1);
  const int end = min(static_cast<int>(blockIdx.y + 1) * kOthers, n);
  Tally tally;
  for (int j = first; j < end && i < n; ++j) tally.add(q, score(q, i, j), q.mass[i] * q.mass[j]);
  keep(tally.part, to + blockIdx.y * gridDim.x + blockIdx.x);
}

__global__ void own_pairs_kernel(PairQuestion q, PairPart* to) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  Tally tally;
  if (i < q.x.n) tally.add(q, score(q, i, i), q.mass[i] * q.mass[i]);
  keep(tally.part, to + blockIdx.x);
}

// Philox4x32-10, as random.cpp has it, of stream `pairs` (6): the first two words.
__device__ uint2 pair_words(std::int64_t index, std::uint64_t seed) {
  std::uint32_t c[4] = {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                        0, 6u << 16};
  std::uint32_t key[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * c[2];
    c[0] = static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0];
    c[1] = static_cast<std::uint32_t>(b);
    c[2] = static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1];
    c[3] = static_cast<std::uint32_t>(a);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return make_uint2(c[0], c[1]);
}

__device__ int spread(std::uint32_t word, int size) {
  return static_cast<int>((std::uint64_t{word} * static_cast<std::uint64_t>(size)) >> 32);
}

__global__ void drawn_pairs_kernel(PairQuestion q, std::uint64_t seed, std::int64_t pairs,
                                   PairPart* to) {
  Tally tally;
  const std::int64_t first = blockIdx.x * kDrawsOfBlock;
  for (std::int64_t p = first + threadIdx.x; p < min(first + kDrawsOfBlock, pairs); p += kThreads) {
    const uint2 word = pair_words(p, seed);
    const int i = spread(word.x, q.x.n), other = spread(word.y, q.x.n - 1);
    const int j = other + (other >= i ? 1 : 0);
    tally.add(q, score(q, i, j), q.mass[i] * q.mass[j]);
  }
  keep(tally.part, to + blockIdx.x);
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

void sizes(const ConstPlaces& keys, const double* middle, const ConstPlaces& u,
           const ConstPlaces& x, double* scratch, double* to) {
  reduce_each<Most>(u.n, 4, scratch, to, [=] __device__(int which, int i) {
    if (which < 2) return square_from(keys, which == 0 ? middle : nullptr, i);
    return which == 2 ? square_from(u, nullptr, i) : fabs(square_from(x, nullptr, i) - 1);
  });
}

void farthest(const ConstPlaces& x, const double* origin, double* scratch, double* to) {
  reduce<Most>(x.n, scratch, to, [=] __device__(int i) { return square_from(x, origin, i); });
}

void off_the_sphere(const ConstPlaces& x, double* scratch, double* to) {
  reduce<Most>(x.n, scratch, to,
               [=] __device__(int i) { return fabs(square_from(x, nullptr, i) - 1); });
}

// 1 / z, since `Most` starts from 0.
void least(const double* z, int first, int n, double* scratch, double* to) {
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

void all_pairs(const PairQuestion& q, PairPart* to) {
  all_pairs_kernel<<<dim3(blocks_of(q.x.n), rows_of_others(q.x.n)), kThreads>>>(q, to);
}

int drawn_parts(std::int64_t pairs) {
  return static_cast<int>((pairs + kDrawsOfBlock - 1) / kDrawsOfBlock);
}

void drawn_pairs(const PairQuestion& q, std::uint64_t seed, std::int64_t pairs, PairPart* to) {
  drawn_pairs_kernel<<<static_cast<unsigned>(drawn_parts(pairs)), kThreads>>>(q, seed, pairs, to);
}

int own_parts(int n) { return static_cast<int>(blocks_of(n)); }

void own_pairs(const PairQuestion& q, PairPart* to) {
  own_pairs_kernel<<<blocks_of(q.x.n), kThreads>>>(q, to);
}

}  // namespace murmur::cuda
