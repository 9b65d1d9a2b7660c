// pair_kernels.cpp: the inner loops of the pair observables, in lanes of eight.
#include "core/pair_kernels.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/elementary.h"
#include "core/platform.h"

namespace murmur {
namespace {

// Sums run in eight lanes that are added in order, so the bits do not depend on the width of
// registers.
constexpr int lanes = 8;
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));
using Counts = std::int64_t __attribute__((vector_size(lanes * sizeof(double))));

constexpr double infinity = std::numeric_limits<double>::infinity();

[[gnu::always_inline]] inline void load(const double* from, Lanes& to) {
  std::memcpy(&to, from, sizeof to);
}

[[gnu::always_inline]] inline double fold(const Lanes& sum) {
  double total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += sum[lane];
  return total;
}

// out[c] for `width` vectors of c, kept in registers over all coordinates; add(a_k, x_k, sum) adds
// one term to sum.
template <int width, class Add>
[[gnu::always_inline]] inline void sum_over_axes(const double* a, const double* x,
                                                 std::size_t stride, int d, double* out, Add add) {
  Lanes sum[width] = {};
  for (int k = 0; k < d; ++k, x += stride) {
    for (int w = 0; w < width; ++w) {
      Lanes xk;
      load(x + w * lanes, xk);
      add(a[k], xk, sum[w]);
    }
  }
  std::memcpy(out, sum, sizeof sum);
}

template <class Add>
[[gnu::always_inline]] inline void for_tile(const double* a, const HostSwarm& x, int first,
                                            int count, double* out, Add add) {
  constexpr int width = 4;
  const double* at = x.axis(0) + first;
  const std::size_t stride = x.stride();
  const int d = x.d();
  int c = 0;
  for (; c + width * lanes <= count; c += width * lanes) {
    sum_over_axes<width>(a, at + c, stride, d, out + c, add);
  }
  for (; c + lanes <= count; c += lanes) sum_over_axes<1>(a, at + c, stride, d, out + c, add);
  for (; c < count; ++c) {
    out[c] = 0;
    for (int k = 0; k < d; ++k) add(a[k], at[c + k * stride], out[c]);
  }
}

// e[c] = exp(argument(c)): a loop of its own, without sums, so that compilers vectorise it.
template <class Argument>
[[gnu::always_inline]] inline void exponentials(int count, double (&e)[tile], Argument argument) {
  for (int c = 0; c < count; ++c) e[c] = elementary::exp(argument(c));
}

}  // namespace

void gather(const HostSwarm& x, int i, double* a) {
  for (int k = 0; k < x.d(); ++k) a[k] = x.at(i, k);
}

MURMUR_CLONES
void inner_products(const double* a, const HostSwarm& x, int first, int count, double* out) {
  for_tile(
      a, x, first, count, out,
      [](double ak, const auto& xk, auto& sum) __attribute__((always_inline)) { sum += ak * xk; });
}

MURMUR_CLONES
void squared_distances(const double* a, const HostSwarm& x, int first, int count, double* out) {
  for_tile(
      a, x, first, count, out,
      [](double ak, const auto& xk, auto& sum)
          __attribute__((always_inline)) { sum += (ak - xk) * (ak - xk); });
}

MURMUR_CLONES
double dot(const double* a, const double* b, int count) {
  Lanes sum{}, p, q;
  int c = 0;
  for (; c + lanes <= count; c += lanes) {
    load(a + c, p);
    load(b + c, q);
    sum += p * q;
  }
  for (int lane = 0; c + lane < count; ++lane) sum[lane] += a[c + lane] * b[c + lane];
  return fold(sum);
}

MURMUR_CLONES
CosineSums tally(const double* cosine, int count, double threshold) {
  Lanes sum{}, min = infinity - sum, most = -min, value;
  Counts close{};
  int c = 0;
  for (; c + lanes <= count; c += lanes) {
    load(cosine + c, value);
    sum += value;
    close -= value > threshold;  // true is -1
    min = value < min ? value : min;
    most = value > most ? value : most;
  }
  CosineSums all{fold(sum), infinity, -infinity, 0};
  for (int lane = 0; lane < lanes; ++lane) {
    all.min = std::min(all.min, min[lane]);
    all.max = std::max(all.max, most[lane]);
    all.close += static_cast<double>(close[lane]);
  }
  for (; c < count; ++c) {
    all.sum += cosine[c];
    all.min = std::min(all.min, cosine[c]);
    all.max = std::max(all.max, cosine[c]);
    all.close += cosine[c] > threshold ? 1 : 0;
  }
  return all;
}

MURMUR_CLONES
double gibbs_sum(const double* score, const double* mass, int count, double beta, double anchor) {
  double e[tile];
  exponentials(count, e, [=](int c) { return beta * (score[c] - anchor); });
  Lanes sum{}, m, w;
  int c = 0;
  for (; c + lanes <= count; c += lanes) {
    load(mass + c, m);
    load(e + c, w);
    sum += m * w;
  }
  for (int lane = 0; c + lane < count; ++lane) sum[lane] += mass[c + lane] * e[c + lane];
  return fold(sum);
}

MURMUR_CLONES
double max(const double* t, int count) {
  Lanes most = Lanes{} - infinity, value;
  int c = 0;
  for (; c + lanes <= count; c += lanes) {
    load(t + c, value);
    most = value > most ? value : most;
  }
  double all = -infinity;
  for (int lane = 0; lane < lanes; ++lane) all = std::max(all, most[lane]);
  for (; c < count; ++c) all = std::max(all, t[c]);
  return all;
}

MURMUR_CLONES
EntropySums entropy_sums(const double* t, int count, double top) {
  double e[tile];
  exponentials(count, e, [=](int c) { return t[c] - top; });
  Lanes weight{}, moment{}, w, depth;
  int c = 0;
  for (; c + lanes <= count; c += lanes) {
    load(e + c, w);
    load(t + c, depth);
    weight += w;
    moment += w * (depth - top);
  }
  for (int lane = 0; c + lane < count; ++lane) {
    weight[lane] += e[c + lane];
    moment[lane] += e[c + lane] * (t[c + lane] - top);
  }
  return {fold(weight), fold(moment)};
}

}  // namespace murmur
