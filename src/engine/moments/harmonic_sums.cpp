// harmonic_sums.cpp: moments of blocks of particles, their products with coordinates, the series
// that they make, and the power of a swarm in each degree.
#include "engine/moments/harmonic_sums.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/buffer.h"
#include "core/parallel.h"
#include "engine/moments/energy_sums.h"

namespace murmur::moments {

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
constexpr int kChunk = 16;  // blocks that one thread sums before it adds them to the total

int blocks_of(int n) { return (n + kPoints - 1) / kPoints; }

// One thread's copy of a block as unit vectors, aligned and padded, and the arrays for its sums.
class BlockScratch {
 public:
  // Writes |x| of each point to length(); padding is at the pole.
  PointBlock load(const Targets& x, const double* mass) {
    double* at = points_.need(static_cast<std::size_t>(kRows) * kPoints);
    PointBlock block{{}, at + kMostCoordinates * kPoints, x.n};
    double* length = this->length();
    std::fill_n(length, x.n, 0.0);
    for (int k = 0; k < x.d; ++k) {
      const double* from = x.axis(k);
      for (int i = 0; i < x.n; ++i) length[i] += from[i] * from[i];
    }
    for (int i = 0; i < x.n; ++i) length[i] = std::sqrt(length[i]);
    std::fill(length + x.n, length + kPoints, 1.0);
    for (int k = 0; k < x.d; ++k) {
      double* to = at + k * kPoints;
      const double* from = x.axis(k);
      const double pole = k + 1 == x.d ? 1 : 0;
      for (int i = 0; i < x.n; ++i) to[i] = length[i] > 0 ? from[i] / length[i] : pole;
      std::fill(to + x.n, to + kPoints, pole);
      block.axis[k] = to;
    }
    if (mass != nullptr) {
      std::copy_n(mass, x.n, at + kMostCoordinates * kPoints);
      std::fill(at + kMostCoordinates * kPoints + x.n, at + (kMostCoordinates + 1) * kPoints, 0.0);
    }
    return block;
  }
  double* length() { return row(kMostCoordinates + 1); }
  double* row(int k) {
    return points_.need(static_cast<std::size_t>(kRows) * kPoints) + k * kPoints;
  }
  static constexpr int kSums = kMostCoordinates + 2;  // first of the rows for results
  static constexpr int kRows = kSums + kMostCoordinates + 2;

  simd::Buffer<double> lanes, sums, rows;

 private:
  simd::Buffer<double> points_;
};

BlockScratch& thread_scratch() {
  static thread_local BlockScratch scratch;
  return scratch;
}

Targets rows_of(const HostSwarm& x, int block) {
  const int first = block * kPoints;
  return {x.axis(0) + first, x.stride(), std::min(kPoints, x.n() - first), x.d()};
}

}  // namespace

HarmonicSums::HarmonicSums(int d, int degree)
    : d_(d), degree_(degree), up_(d, degree + 1), down_(d, degree) {
  row_.push_back(0);
  for (const Fibre& fibre : down_.fibres())
    for (int l = fibre.begin; l <= fibre.last; ++l) {
      Degrees k = fibre.k;
      k[d - 2] = l;
      const long double square = down_.squares()[fibre.first + l - fibre.begin];
      const auto share = static_cast<double>((k[0] == 0 ? 1 : 2) / square);
      const auto put = [&](Factor factor, double re, double im) {
        const bool mirrored = factor == Factor::conjugate && k[0] == 0;  // conj(w) S = conj(w S)
        for (const Product& p : product(d, mirrored ? Factor::w : factor, k))
          terms_.push_back(
              {up_.place(p.k), share * p.coefficient * re, share * p.coefficient * im, mirrored});
      };
      terms_.push_back({up_.place(k), share, 0, false});
      row_.push_back(terms_.size());
      // x_1 = (w + conj w) / 2, x_2 = (w - conj w) / 2i
      put(Factor::w, 0.5, 0), put(Factor::conjugate, 0.5, 0);
      row_.push_back(terms_.size());
      put(Factor::w, 0, -0.5), put(Factor::conjugate, 0, 0.5);
      row_.push_back(terms_.size());
      for (int c = 3; c <= d; ++c) {
        put(static_cast<Factor>(static_cast<int>(Factor::x3) + c - 3), 1, 0);
        row_.push_back(terms_.size());
      }
    }
}

HarmonicMoments moments_of(const Harmonics& functions, const HostSwarm& x, int threads,
                           const Reduction* ranks) {
  const std::size_t size = 2 * functions.count();
  const std::vector<int>& scale = functions.scales();
  std::vector<Fixed> total(size);
  const int blocks = blocks_of(x.n());
  double off = 0;
  std::mutex lock;
  for_blocks((blocks + kChunk - 1) / kChunk, threads, [&](int chunk) {
    BlockScratch& scratch = thread_scratch();
    double* lanes = scratch.lanes.need(harmonic_scratch(functions));
    double* sums = scratch.sums.need(size);
    std::vector<Fixed> part(size);
    double most = 0;
    for (int block = chunk * kChunk; block < std::min(blocks, (chunk + 1) * kChunk); ++block) {
      const Targets here = rows_of(x, block);
      const PointBlock points = scratch.load(here, x.mass.data() + block * kPoints);
      for (int i = 0; i < here.n; ++i) most = std::fmax(most, std::fabs(scratch.length()[i] - 1));
      add_harmonics(functions, points, lanes, sums);
      for (std::size_t e = 0; e < size; ++e) part[e] += to_fixed(std::ldexp(sums[e], scale[e / 2]));
    }
    const std::lock_guard hold(lock);
    off = std::fmax(off, most);
    for (std::size_t e = 0; e < size; ++e) total[e] += part[e];
  });
  if (ranks != nullptr) {
    ranks->sum(total);
    off = ranks->largest(off);
  }
  HarmonicMoments m{std::vector<double>(size), 0, off};
  for (std::size_t e = 0; e < size; ++e)
    m.values[e] = std::ldexp(from_fixed(total[e]), -scale[e / 2]);
  m.mass = m.values[0];
  return m;
}

HarmonicSums::Series HarmonicSums::series_of(const HarmonicMoments& m, std::optional<double> rho,
                                             bool mean) const {
  Series s{.outputs = mean ? d_ + 1 : 1, .rho = rho, .mass = m.mass, .off = m.off};
  s.terms.reserve(2 * down_.count() * s.outputs);
  ExponentialSeries a;
  if (rho) {
    a = exponential_series(d_, *rho, degree_ + 1);
    s.beyond = a.beyond[degree_];
  }
  for (const Fibre& fibre : down_.fibres())
    for (int l = fibre.begin; l <= fibre.last; ++l) {
      const std::size_t at = (fibre.first + l - fibre.begin) * (d_ + 1);
      const double scale = rho ? a.a[l] : 1;
      for (int e = 0; e < s.outputs; ++e) {
        double re = 0, im = 0;
        for (std::size_t t = row_[at + e]; t < row_[at + e + 1]; ++t) {
          const Term& term = terms_[t];
          const double m_re = m.values[2 * term.from];
          const double m_im = (term.conjugate ? -1 : 1) * m.values[2 * term.from + 1];
          re += term.re * m_re - term.im * m_im;
          im += term.re * m_im + term.im * m_re;
        }
        s.terms.push_back(scale * re);
        s.terms.push_back(scale * im);
      }
    }
  return s;
}

double harmonic_rounding(int degree) { return (4 * (degree + 8) + longest_harmonic_sum()) * kUnit; }

void HarmonicSums::evaluate(const Series& series, const Targets& u, const SumsResult& out) const {
  assert(u.n <= kPoints);
  BlockScratch& scratch = thread_scratch();
  const PointBlock points = scratch.load(u, nullptr);
  const double* length = scratch.length();
  HarmonicSeries s{.outputs = series.outputs,
                   .terms = series.terms.data(),
                   .rho = series.rho ? nullptr : length,
                   .out = {},
                   .beyond = scratch.row(BlockScratch::kSums + kMostCoordinates + 1),
                   .rows = scratch.rows.need(series_scratch(down_))};
  for (int e = 0; e < s.outputs; ++e) s.out[e] = scratch.row(BlockScratch::kSums + e);
  sum_harmonics(down_, points, s);
  for (int i = 0; i < u.n; ++i) {
    const double rho = series.rho.value_or(length[i]);
    const double cut = series.rho ? series.beyond : s.beyond[i];
    store_row({.sums = s.out[0] + i,
               .stride = kPoints,
               .coordinates = series.outputs - 1,
               .rho = rho,
               .eps = series.mass * (cut + harmonic_rounding(degree_)),
               .scores = rho * (series.off + 4 * kUnit) + std::fabs(rho - length[i]),
               .off = series.off},
              i, out);
  }
}

namespace {

bool has_sums(int d, int modes) {
  return d >= 2 && d <= kMostCoordinates && modes <= kMostHarmonicDegree[d - 2];
}

}  // namespace

// A trigonometric polynomial of degree k that is at most 1 changes by at most k per radian
// (Bernstein), so that the error of C_k / C_k(1) is 2k times that of a direction: six units, three
// for each normalisation. The functions at a point, each over the root of its square, are a vector
// of length sqrt(dimension), by the addition theorem; the relative error of the square of a sum of
// such vectors is twice that of the vectors.
std::optional<ModeSums> mode_sums(const HostSwarm& directions, int modes, int threads) {
  const int d = directions.d();
  if (!has_sums(d, modes)) return std::nullopt;
  constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
  const Harmonics functions(d, modes);
  const HarmonicMoments m = moments_of(functions, directions, threads, nullptr);
  std::vector<long double> power(static_cast<std::size_t>(modes) + 1);
  for (const Fibre& fibre : functions.fibres())
    for (int k = fibre.begin; k <= fibre.last; ++k) {
      const std::size_t at = fibre.first + k - fibre.begin;
      const long double re = m.values[2 * at], im = m.values[2 * at + 1];
      power[k] += (fibre.k[0] == 0 ? 1 : 2) * (re * re + im * im) / functions.squares()[at];
    }
  ModeSums sums;
  for (int k = 0; k <= modes; ++k) {
    const double share = harmonic_rounding(k);
    sums.power.push_back(static_cast<double>(power[k] / dimension(d, k)));
    sums.bound.push_back(m.mass * m.mass * (share * (2 + share) + 12 * k * kUnit));
  }
  return sums;
}

double mode_sums_cost(Shape shape, int modes) {
  if (!has_sums(shape.d, modes)) return std::numeric_limits<double>::infinity();
  constexpr double kFunction = 0.3, kTable = 150;  // at a particle; of the tables, once
  double functions = 0;
  for (int k = 0; k <= modes; ++k) functions += 0.5 * (dimension(shape.d, k) + 1);
  return functions * (kFunction * shape.n + kTable);
}

}  // namespace murmur::moments
