// harmonics.h: harmonic functions on the sphere S^{d-1} (the circle: powers of w), their products
// with coordinates, and the series of the exponential in them.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace murmur::moments {

inline constexpr int kMostCoordinates = 5;

// With w = x_1 + i x_2, degrees k_2 <= k_3 <= ... <= k_d = l and r_t^2 = x_1^2 + ... + x_t^2,
//   S(x) = w^{k_2} prod_{t = 3 .. d} r_t^n G_n^a(x_t / r_t),   n = k_t - k_{t-1},
//   a = k_{t-1} + (t - 2) / 2,
// are orthogonal on the sphere, G_n^a being Gegenbauer's polynomials with leading coefficient 1:
//   G_{n+1} = z G_n - b_n G_{n-1},   b_n = n (n + 2a - 1) / (4 (n + a) (n + a - 1)).
// Functions that differ in l alone are a fibre; kernels go along one after another.
using Degrees = std::array<int, kMostCoordinates - 1>;  // k_2 .. k_d; 0 beyond

struct Fibre {
  Degrees k;          // its k_2 .. k_{d-1}; k_d = k_{d-1}, where it begins
  int begin, last;    // of its l: k_{d-1} and the degree; of the circle k_2 alone
  std::size_t first;  // function l = begin
};

class Harmonics {
 public:
  Harmonics(int d, int degree);

  int d() const { return d_; }
  int degree() const { return degree_; }
  std::size_t count() const { return count_; }  // functions, those with k_2 > 0 complex
  const std::vector<Fibre>& fibres() const { return fibres_; }
  std::size_t place(const Degrees& k) const;  // of a function; it must be there
  // (degree + 2) b_n of level t = 3 .. d where the functions below have degree k
  const double* row(int level, int k) const {
    return level == 2 ? &kNoStep : &steps_[level - 3][static_cast<std::size_t>(k) * (degree_ + 2)];
  }
  // (count) of each function: mean of |S|^2 over the sphere
  const std::vector<long double>& squares() const { return squares_; }
  // (count) exponents of 2 that make the functions about 1 in size
  const std::vector<int>& scales() const { return scales_; }

 private:
  void enumerate(int level, Degrees k, long double square);

  static constexpr double kNoStep = 0;  // of the circle, whose fibres are one function each

  int d_, degree_;
  std::size_t count_ = 0;
  std::vector<Fibre> fibres_;
  std::unordered_map<std::uint64_t, std::size_t> place_;  // of fibres
  std::vector<std::vector<double>> steps_;
  std::vector<long double> squares_;
  std::vector<int> scales_;
};

// One term of a product  x_c S = sum of coefficient * S'  on the unit sphere; for the plane's
// c = 1, 2 the product with w, which makes k_2 + 1, or with its conjugate, which makes k_2 - 1.
struct Product {
  Degrees k;
  double coefficient;
};
enum class Factor { w, conjugate, x3, x4, x5 };
std::vector<Product> product(int d, Factor factor, const Degrees& k);

// e^{<u, x>} = sum_l A_l(rho) sum of S(u / rho) conj S(x) / square over the functions of degree l,
// k_2 of either sign; rho = |u|, |x| = 1, and e^rho = sum_l dimension_l A_l. A_l is a Bessel
// function I_{l + d/2 - 1}(rho) over rho^{d/2 - 1}, but for a constant.
double dimension(int d, int l);

struct ExponentialSeries {
  std::vector<double> a;       // (count) e^{-rho} A_l(rho)
  std::vector<double> beyond;  // (count) e^{-rho} sum over k > l of dimension_k A_k: what is cut
};
ExponentialSeries exponential_series(int d, double rho, int count);

// The least degree p for which what is cut is at most `tail` of e^rho; kNoDegree above `most`.
inline constexpr int kNoDegree = -1;
int degree_for(int d, double rho, double tail, int most);

}  // namespace murmur::moments
