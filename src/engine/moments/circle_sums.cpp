// circle_sums.cpp: moments of a swarm on the circle, and the Fourier series that they make: kernels
// compiled for every vector target and chosen at run time, and the loops around them.
#include "engine/moments/circle_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/moments/circle_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "core/buffer.h"
#include "core/elementary.h"
#include "core/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::moments {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// Multiplication by z keeps lengths, so that rounding grows like k both ways, also for theta near
// 0.
struct Complex {
  V re, im;
  // Written out: on aarch64 gcc 12 makes the implicit ones for another target than this namespace.
  HWY_INLINE Complex() {}
  HWY_INLINE Complex(V real, V imaginary) : re(real), im(imaginary) {}
};
HWY_INLINE Complex product(Complex a, Complex z) {
  return {hn::NegMulAdd(a.im, z.im, hn::Mul(a.re, z.re)),
          hn::MulAdd(a.re, z.im, hn::Mul(a.im, z.re))};
}

//   up:  w_0 = m,  w_k = z w_{k-1},  added over the particles lane by lane
void AddPowers(const CircleBlock& block, int orders, double* lanes, double* sums) {
  const D d;
  const int width = static_cast<int>(hn::Lanes(d));
  for (int e = 0; e < 2 * (orders + 1); ++e) hn::Store(hn::Zero(d), d, lanes + e * width);
  for (int j = 0; j < block.count; j += kTogether * width) {
    Complex z[kTogether], w[kTogether];
    for (int a = 0; a < kTogether; ++a) {
      z[a] = {hn::Load(d, block.x + j + a * width), hn::Load(d, block.y + j + a * width)};
      w[a] = {hn::Load(d, block.mass + j + a * width), hn::Zero(d)};
    }
    for (int k = 0; k <= orders; ++k) {
      double* at = lanes + 2 * k * width;
      V re = hn::Load(d, at), im = hn::Load(d, at + width);
      re = hn::Add(re, hn::Add(hn::Add(w[0].re, w[1].re), hn::Add(w[2].re, w[3].re)));
      im = hn::Add(im, hn::Add(hn::Add(w[0].im, w[1].im), hn::Add(w[2].im, w[3].im)));
      hn::Store(re, d, at);
      hn::Store(im, d, at + width);
      for (int a = 0; a < kTogether; ++a) w[a] = product(w[a], z[a]);
    }
  }
  for (int e = 0; e < 2 * (orders + 1); ++e) {
    sums[e] = 0;
    for (int lane = 0; lane < width; ++lane) sums[e] += lanes[e * width + lane];
  }
}

//   down:  b_k = c_k + z b_{k+1},  sum = Re b_0
template <int kSeries>
void SumAll(const CircleBlock& block, const CircleSeries& s) {
  constexpr int kAtOnce = kSeries == 1 ? 4 : 2;
  const D d;
  const int width = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < block.count; i += kAtOnce * width) {
    Complex z[kAtOnce], b[kAtOnce][kSeries];
    for (int a = 0; a < kAtOnce; ++a) {
      z[a] = {hn::Load(d, block.x + i + a * width), hn::Load(d, block.y + i + a * width)};
      for (int e = 0; e < kSeries; ++e) b[a][e] = {hn::Zero(d), hn::Zero(d)};
    }
    for (int k = s.orders; k >= 0; --k) {
      const double* c = s.terms + 2 * kSeries * k;
      for (int e = 0; e < kSeries; ++e) {
        const V re = hn::Set(d, c[2 * e]), im = hn::Set(d, c[2 * e + 1]);
        for (int a = 0; a < kAtOnce; ++a) {
          const Complex above = b[a][e];
          b[a][e] = {hn::NegMulAdd(above.im, z[a].im, hn::MulAdd(above.re, z[a].re, re)),
                     hn::MulAdd(above.re, z[a].im, hn::MulAdd(above.im, z[a].re, im))};
        }
      }
    }
    for (int a = 0; a < kAtOnce; ++a)
      for (int e = 0; e < kSeries; ++e) hn::Store(b[a][e].re, d, s.out[e] + i + a * width);
  }
}

void SumSeries(const CircleBlock& block, const CircleSeries& s) {
  s.series == 1 ? SumAll<1>(block, s) : s.series == 2 ? SumAll<2>(block, s) : SumAll<3>(block, s);
}

int Width() { return static_cast<int>(hn::Lanes(D())); }
const char* TargetHere() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace murmur::moments
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::moments {

HWY_EXPORT(AddPowers);
HWY_EXPORT(SumSeries);
HWY_EXPORT(Width);
HWY_EXPORT(TargetHere);

std::string target_name() { return HWY_DYNAMIC_DISPATCH(TargetHere)(); }

namespace {

// sums[2 k], sums[2 k + 1] = sum_j m_j cos k theta_j, sum_j m_j sin k theta_j, k = 0 .. orders;
// lanes: scratch of scratch_size(orders) doubles.
void add_powers(const CircleBlock& block, int orders, double* lanes, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddPowers)(block, orders, lanes, sums);
}
int scratch_size(int orders) { return 2 * (orders + 1) * HWY_DYNAMIC_DISPATCH(Width)(); }

// Returns the number of additions of one lane of a block, one after another.
int longest_sum() { return kBlock / (kTogether * HWY_DYNAMIC_DISPATCH(Width)()); }

void sum_series(const CircleBlock& block, const CircleSeries& series) {
  HWY_DYNAMIC_DISPATCH(SumSeries)(block, series);
}

// Bounds the rounding of sums over masses 1, in units of 2^-53: the additions one after another; 20
// for powers and coefficients; and beta, because the lengths of unit vectors are right to an ulp.
// Compared with long double the error without the additions was at most 5 + beta / 2, for up to
// 200,000 particles, spread or in one cluster; tests/conformance/moments_test.cpp checks the bound.
double rounding(double beta) {
  return (longest_sum() + 21 + beta) * 0.5 * std::numeric_limits<double>::epsilon();
}

constexpr int kRun = 256;  // pairs that are added up first

int blocks_of(const HostSwarm& x) { return (x.n() + kBlock - 1) / kBlock; }

// One thread's copy of a block, aligned and padded, and the arrays for its sums.
class BlockScratch {
 public:
  CircleBlock load(const HostSwarm& x, int block) {
    double* at = buffer_.need(6 * static_cast<std::size_t>(kBlock));
    const int first = block * kBlock, count = std::min(kBlock, x.n() - first);
    const double* from[] = {x.axis(0) + first, x.axis(1) + first, x.mass.data() + first};
    constexpr double kPadding[] = {1, 0, 0};
    for (int e = 0; e < 3; ++e) {
      std::copy_n(from[e], count, at + e * kBlock);
      std::fill(at + e * kBlock + count, at + (e + 1) * kBlock, kPadding[e]);
    }
    return {at, at + kBlock, at + 2 * kBlock, count};
  }
  double* sums(int which) {
    return buffer_.need(6 * static_cast<std::size_t>(kBlock)) + (3 + which) * kBlock;
  }
  double* lanes(int orders) { return lanes_.need(scratch_size(orders)); }

 private:
  simd::Buffer<double> buffer_, lanes_;
};

BlockScratch& thread_scratch() {
  static thread_local BlockScratch scratch;
  return scratch;
}

}  // namespace

int orders_for(double beta, double tail) {
  if (beta == 0) return 1;
  for (int p = 1;; ++p) {
    const double s = (p + 1) / beta, root = std::sqrt(1 + s * s);
    const double h = s * elementary::log(s + root) - root + 1;
    if (2 * elementary::exp(-beta * h) <= tail) return p;
  }
}

Moments moments_of(const HostSwarm& x, int orders, int threads, const Reduction* ranks) {
  constexpr int kChunk = 16;  // blocks that one thread sums before it adds them to the total
  const int blocks = blocks_of(x), row = 2 * (orders + 1);
  std::vector<Fixed> total(row);  // (orders + 1, 2)
  std::mutex lock;
  for_blocks((blocks + kChunk - 1) / kChunk, threads, [&](int chunk) {
    BlockScratch& scratch = thread_scratch();
    std::vector<Fixed> part(row);
    std::vector<double> sums(row);
    for (int block = chunk * kChunk; block < std::min(blocks, (chunk + 1) * kChunk); ++block) {
      add_powers(scratch.load(x, block), orders, scratch.lanes(orders), sums.data());
      for (int e = 0; e < row; ++e) part[e] += to_fixed(sums[e]);
    }
    const std::lock_guard hold(lock);
    for (int e = 0; e < row; ++e) total[e] += part[e];
  });
  if (ranks != nullptr) ranks->sum(total);
  Moments m(orders + 1);
  for (int k = 0; k <= orders; ++k) m[k] = {from_fixed(total[2 * k]), from_fixed(total[2 * k + 1])};
  return m;
}

CircleSums::CircleSums(double beta, double tail, const Reduction* ranks)
    : beta_(beta), ranks_(ranks), orders_(orders_for(beta, tail)) {
  const BesselSeries s = bessel_series(beta, orders_ + 2);
  a_ = s.a;
  // The remainder of w cos t and w sin t beyond order p: a_p + 2 (a_{p+1} + ...); that of w is
  // less.
  tail_ = s.a[orders_] + 2 * s.beyond[orders_];
}

double CircleSums::error(int) const { return tail_ + rounding(beta_); }

//   w:        a_0 + 2 sum_k a_k cos k t
//   w cos t:  a_1 + sum_k (a_{k-1} + a_{k+1}) cos k t
//   w sin t:  sum_k (a_{k-1} - a_{k+1}) sin k t
// at t = theta_j - theta_i, where sum_j m_j cos k t = Re conj(m_k) z_i^k, and
// sum_j m_j sin k t = Re i conj(m_k) z_i^k.
std::vector<double> CircleSums::series_terms(const Moments& m, Want want) const {
  std::vector<double> terms;  // (orders + 1, series, 2)
  const auto put = [&](double scale, std::complex<double> c) {
    terms.push_back(scale * c.real());
    terms.push_back(scale * c.imag());
  };
  for (int k = 0; k <= orders_; ++k) {
    const std::complex<double> c = std::conj(m[k]);
    const double below = a_[std::abs(k - 1)], above = a_[k + 1], once = k == 0 ? 0.5 : 1;
    if (want != only_across) put(2 * once * a_[k], c);
    if (want == everything) put(once * (below + above), c);
    put(below - above, {-c.imag(), c.real()});
  }
  return terms;
}

void CircleSums::evaluate(const HostSwarm& x, Want want, int threads,
                          const std::function<void(const BlockSums&)>& done) const {
  const std::vector<double> terms = series_terms(moments_of(x, orders_, threads, ranks_), want);
  const int series = want == only_across ? 1 : want == weight_and_across ? 2 : 3;
  for_blocks(blocks_of(x), threads, [&](int block) {
    BlockScratch& scratch = thread_scratch();
    const CircleBlock at = scratch.load(x, block);
    sum_series(
        at, {series, orders_, terms.data(), {scratch.sums(0), scratch.sums(1), scratch.sums(2)}});
    done({.first = block * kBlock,
          .count = at.count,
          .weight = series > 1 ? scratch.sums(0) : nullptr,
          .along = series == 3 ? scratch.sums(1) : nullptr,
          .across = scratch.sums(series - 1)});
  });
}

std::array<double, 3> CircleSums::evaluate_pairs(const HostSwarm& x,
                                                 std::array<double, 2> at) const {
  std::array<double, 3> sums{};
  for (int first = 0; first < x.n(); first += kRun) {
    std::array<double, 3> run{};
    for (int j = first; j < std::min(first + kRun, x.n()); ++j) {
      const double along = at[0] * x.at(j, 0) + at[1] * x.at(j, 1);
      const double across = at[0] * x.at(j, 1) - at[1] * x.at(j, 0);
      const double w = x.mass[j] * elementary::exp(beta_ * (along - 1));
      run[0] += w;
      run[1] += w * along;
      run[2] += w * across;
    }
    for (int e = 0; e < 3; ++e) sums[e] += run[e];
  }
  return sums;
}

// Counts the additions one after another, and the roundings of the weights as in rounding().
double CircleSums::pairs_error(int n) const {
  const double additions = std::min(n, kRun) + n / kRun;
  return (additions + 20 + beta_) * 0.5 * std::numeric_limits<double>::epsilon();
}

}  // namespace murmur::moments
#endif
