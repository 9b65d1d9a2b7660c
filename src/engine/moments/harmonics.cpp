// harmonics.cpp: the tables of the harmonic functions, in long double.
#include <cassert>
#include <cmath>
#include <utility>

#include "engine/moments/harmonic_sums.h"

namespace murmur::moments {

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
