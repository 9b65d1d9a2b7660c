// circle_sums.cpp: moments of a swarm on the circle, and the Fourier series that they make.
#include "engine/moments/circle_sums.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "core/bessel_series.h"
#include "core/buffer.h"
#include "core/elementary.h"
#include "core/parallel.h"
#include "engine/moments/circle_kernels.h"

namespace murmur::moments {

namespace {

// Rounding of sums over masses 1, in units of 2^-53: as many as additions follow one another; 20
// for powers and coefficients; and beta, since unit vectors that are so to an ulp leave that in the
// weights. Against long double at most 5 + beta / 2 was seen without the additions, for up to
// 200,000 particles, spread or in one cluster; tests/conformance/moments_test.cpp holds particles
// to all of it.
double rounding(double beta) {
  return (longest_sum() + 21 + beta) * 0.5 * std::numeric_limits<double>::epsilon();
}

constexpr int kRun = 256;  // pairs that are added before all others

int blocks_of(const HostSwarm& x) { return (x.n() + kBlock - 1) / kBlock; }

// One thread's copy of a block, aligned and padded, and room for what is summed over it.
class Room {
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

Room& own_room() {
  static thread_local Room room;
  return room;
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
  constexpr int kChunk = 16;  // blocks that one thread sums before it tells the others
  const int blocks = blocks_of(x), row = 2 * (orders + 1);
  std::vector<Fixed> total(row);  // (orders + 1, 2)
  std::mutex lock;
  for_blocks((blocks + kChunk - 1) / kChunk, threads, [&](int chunk) {
    Room& room = own_room();
    std::vector<Fixed> part(row);
    std::vector<double> sums(row);
    for (int block = chunk * kChunk; block < std::min(blocks, (chunk + 1) * kChunk); ++block) {
      add_powers(room.load(x, block), orders, room.lanes(orders), sums.data());
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
  // What lies beyond order p of w cos t and w sin t: a_p + 2 (a_{p+1} + ...), and less of w.
  tail_ = s.a[orders_] + 2 * s.beyond[orders_];
}

double CircleSums::error(int) const { return tail_ + rounding(beta_); }

//   w:        a_0 + 2 sum_k a_k cos k t
//   w cos t:  a_1 + sum_k (a_{k-1} + a_{k+1}) cos k t
//   w sin t:  sum_k (a_{k-1} - a_{k+1}) sin k t
// at t = theta_j - theta_i, where sum_j m_j cos k t = Re conj(m_k) z_i^k, and
// sum_j m_j sin k t = Re i conj(m_k) z_i^k.
std::vector<double> CircleSums::weigh(const Moments& m, Want want) const {
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
  const std::vector<double> terms = weigh(moments_of(x, orders_, threads, ranks_), want);
  const int series = want == only_across ? 1 : want == weight_and_across ? 2 : 3;
  for_blocks(blocks_of(x), threads, [&](int block) {
    Room& room = own_room();
    const CircleBlock at = room.load(x, block);
    sum_series(at, {series, orders_, terms.data(), {room.sums(0), room.sums(1), room.sums(2)}});
    done({.first = block * kBlock,
          .count = at.count,
          .weight = series > 1 ? room.sums(0) : nullptr,
          .along = series == 3 ? room.sums(1) : nullptr,
          .across = room.sums(series - 1)});
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

// As many roundings as additions follow one another, and those of the weights as in rounding().
double CircleSums::pairs_error(int n) const {
  const double additions = std::min(n, kRun) + n / kRun;
  return (additions + 20 + beta_) * 0.5 * std::numeric_limits<double>::epsilon();
}

}  // namespace murmur::moments
