// harmonic_sums.cpp: the tables of the harmonic functions, in long double; moments of blocks of
// particles, their products with coordinates, the series that they make, and the power of a swarm
// in each degree.
#include "engine/moments/harmonic_sums.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "core/buffer.h"
#include "core/parallel.h"
#include "engine/moments/head_sums.h"

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

namespace {

long double step(int n, long double a) {
  return n == 0 ? 0 : n * (n + 2 * a - 1) / (4 * (n + a) * (n + a - 1));
}

// Returns a of level t if the functions of the level below have degree k.
long double parameter(int level, int k) { return k + (level - 2) * 0.5L; }

std::uint64_t key_of(const Degrees& k, int size) {
  std::uint64_t key = 0;
  for (int e = 0; e < size; ++e) key = key << 16 | static_cast<std::uint64_t>(k[e]);
  return key;
}

// A term of a product of functions of x_1 .. x_t, |x| = r: of degree one more, or one less and
// times r^2.
struct Piece {
  Degrees k;
  long double coefficient;
  bool up;
};

// Returns the product one level up: the factor of S_{t-1} becomes that of S_t = G_n^a S_{t-1},
// where
//   G_n^a = G_n^{a+1} - e r^2 G_{n-2}^{a+1},   e = n (n - 1) / (4 (n + a) (n + a - 1))
//   (r^2 - x_t^2) G_n^a = -G_{n+2}^{a-1} + f r^2 G_n^{a-1},
//   f = (n + 2a - 1) (n + 2a - 2) / (4 (n + a) (n + a - 1)).
std::vector<Piece> lift(const std::vector<Piece>& below, int level, const Degrees& k) {
  const int at = level - 2, degree = k[at], n = degree - k[at - 1];
  const long double a = parameter(level, k[at - 1]), low = 4 * (n + a) * (n + a - 1);
  std::vector<Piece> all;
  const auto put = [&](Piece piece, long double factor, bool up) {
    piece.k[at] = degree + (up ? 1 : -1);
    piece.coefficient *= factor;
    piece.up = up;
    if (factor != 0) all.push_back(piece);
  };
  for (const Piece& piece : below) {
    put(piece, piece.up ? 1 : -1, true);
    if (piece.up)
      put(piece, n < 2 ? 0 : -n * (n - 1) / low, false);
    else
      put(piece, (n + 2 * a - 1) * (n + 2 * a - 2) / low, false);
  }
  return all;
}

}  // namespace

Harmonics::Harmonics(int d, int degree) : d_(d), degree_(degree) {
  assert(d >= 2 && d <= kMostCoordinates);
  for (int level = 3; level <= d; ++level) {
    auto& rows = steps_.emplace_back();
    for (int k = 0; k <= degree; ++k)
      for (int n = 0; n < degree + 2; ++n)
        rows.push_back(static_cast<double>(step(n, parameter(level, k))));
  }
  for (int m = 0; m <= degree; ++m) {
    if (d > 2) {
      enumerate(3, {m}, 1);
      continue;
    }
    fibres_.push_back({{m}, m, m, count_++});
    squares_.push_back(1);
  }
  for (const long double square : squares_)
    scales_.push_back(-static_cast<int>(std::floor(0.5 * std::log2(static_cast<double>(square)))));
}

// The mean of |S|^2 from one sphere to the next: with z = x_t / r_t the integral of
// (1 - z^2)^{a - 1/2} G_n^2, which is b_1 .. b_n times that of n = 0, over the one of k = 0.
void Harmonics::enumerate(int level, Degrees k, long double square) {
  assert(level <= kMostCoordinates);
  const int below = k[level - 3];
  const long double first = parameter(level, 0), a = parameter(level, below);
  for (int i = 0; i < below; ++i) square *= (first + i + 0.5L) / (first + i + 1);
  if (level == d_) {
    place_[key_of(k, d_ - 2)] = count_;
    Fibre fibre{k, below, degree_, count_};
    fibre.k[d_ - 2] = below;
    fibres_.push_back(fibre);
  }
  for (int n = 0; below + n <= degree_; ++n) {
    if (n > 0) square *= step(n, a);
    k[level - 2] = below + n;
    if (level < d_) {
      enumerate(level + 1, k, square);
    } else {
      squares_.push_back(square);
      ++count_;
    }
  }
}

std::size_t Harmonics::place(const Degrees& k) const {
  if (d_ == 2) return k[0];
  return place_.at(key_of(k, d_ - 2)) + k[d_ - 2] - k[d_ - 3];
}

std::vector<Product> product(int d, Factor factor, const Degrees& k) {
  std::vector<Piece> pieces;
  int level = 2;
  if (factor == Factor::w || factor == Factor::conjugate) {
    const bool up = factor == Factor::w;
    Piece piece{{k[0] + (up ? 1 : -1)}, 1, up};
    assert(piece.k[0] >= 0);
    pieces = {piece};
  } else {
    level = 3 + static_cast<int>(factor) - static_cast<int>(Factor::x3);
    const int n = k[level - 2] - k[level - 3];
    Piece up{{}, 1, true}, down{{}, step(n, parameter(level, k[level - 3])), false};
    for (Piece* piece : {&up, &down})
      for (int e = 0; e < level - 1; ++e) piece->k[e] = k[e];
    ++up.k[level - 2];
    --down.k[level - 2];
    pieces = {up};
    if (n > 0) pieces.push_back(down);
  }
  for (++level; level <= d; ++level) pieces = lift(pieces, level, k);
  std::vector<Product> terms;
  for (const Piece& piece : pieces)
    terms.push_back({piece.k, static_cast<double>(piece.coefficient)});
  return terms;
}

// Counts the homogeneous polynomials of degree l minus those that |x|^2 divides.
double dimension(int d, int l) {
  const auto choose = [](int n, int k) {
    double c = 1;
    for (int i = 1; i <= k; ++i) c = c * (n - k + i) / i;
    return n < k ? 0 : c;
  };
  return choose(l + d - 1, d - 1) - choose(l + d - 3, d - 1);
}

// Computes downwards the ratios A_{l+1} / A_l = rho / (2 (l + 1) + d - 2 + rho A_{l+2} / A_{l+1}).
ExponentialSeries exponential_series(int d, double rho, int count) {
  ExponentialSeries s{std::vector<double>(count), std::vector<double>(count)};
  double ratio = 0, tail = 0;  // tail = sum over k > l of dimension_k A_k, over A_l
  for (int l = count + static_cast<int>(40 + std::sqrt(80 * rho)); l >= 0; --l) {
    ratio = rho / (2 * (l + 1) + d - 2 + rho * ratio);
    tail = ratio * (dimension(d, l + 1) + tail);
    if (l < count) {
      s.a[l] = ratio;
      s.beyond[l] = tail;
    }
  }
  double a = 1 / (1 + tail);
  for (int l = 0; l < count; ++l) {
    s.beyond[l] *= a;
    a *= std::exchange(s.a[l], a);
  }
  return s;
}

int degree_for(int d, double rho, double tail, int most) {
  const ExponentialSeries s = exponential_series(d, rho, most + 1);
  for (int l = 1; l <= most; ++l)
    if (s.beyond[l] <= tail) return l;
  return kNoDegree;
}

}  // namespace murmur::moments
