// harmonic_sums.h: tables of the harmonic functions on a sphere, and sums over particles through
// their moments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/moments/sums.h"

namespace murmur::moments {

inline constexpr int kMostCoordinates = 5;
// The largest degree for d = 2 .. 5: tables of a few 10 MB at most.
inline constexpr int kMostHarmonicDegree[] = {2000, 160, 48, 26};

// With w = x_1 + i x_2, degrees k_2 <= k_3 <= ... <= k_d = l and r_t^2 = x_1^2 + ... + x_t^2,
//   S(x) = w^{k_2} prod_{t = 3 .. d} r_t^n G_n^a(x_t / r_t),   n = k_t - k_{t-1},
//   a = k_{t-1} + (t - 2) / 2,
// are orthogonal on the sphere, G_n^a being Gegenbauer's polynomials with leading coefficient 1:
//   G_{n+1} = z G_n - b_n G_{n-1},   b_n = n (n + 2a - 1) / (4 (n + a) (n + a - 1)).
// Functions that differ only in l are a fibre; kernels go along one fibre after another.
using Degrees = std::array<int, kMostCoordinates - 1>;  // k_2 .. k_d; 0 beyond

struct Fibre {
  Degrees k;          // its k_2 .. k_{d-1}; k_d = k_{d-1}, its first degree
  int begin, last;    // of its l: k_{d-1} and the degree; of the circle only k_2
  std::size_t first;  // function l = begin
};

class Harmonics {
 public:
  Harmonics(int d, int degree);

  int d() const { return d_; }
  int degree() const { return degree_; }
  std::size_t count() const { return count_; }  // functions, those with k_2 > 0 complex
  const std::vector<Fibre>& fibres() const { return fibres_; }
  std::size_t place(const Degrees& k) const;  // of a function, which must exist
  // Returns (degree + 2) b_n of level t = 3 .. d if the functions of the level below have degree k.
  const double* row(int level, int k) const {
    return level == 2 ? &kNoStep : &steps_[level - 3][static_cast<std::size_t>(k) * (degree_ + 2)];
  }
  // (count) of each function: mean of |S|^2 over the sphere
  const std::vector<long double>& squares() const { return squares_; }
  // (count) exponents of 2 that make the functions about 1 in size
  const std::vector<int>& scales() const { return scales_; }

 private:
  void enumerate(int level, Degrees k, long double square);

  static constexpr double kNoStep = 0;  // of the circle, where each fibre is one function

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
// function I_{l + d/2 - 1}(rho) over rho^{d/2 - 1}, up to a constant.
double dimension(int d, int l);

struct ExponentialSeries {
  std::vector<double> a;       // (count) e^{-rho} A_l(rho)
  std::vector<double> beyond;  // (count) e^{-rho} sum over k > l of dimension_k A_k: the remainder
};
ExponentialSeries exponential_series(int d, double rho, int count);

// degree_for returns the least degree p whose remainder is at most `tail` of e^rho, or kNoDegree if
// it is above `most`.
inline constexpr int kNoDegree = -1;
int degree_for(int d, double rho, double tail, int most);

inline constexpr int kPoints = 2048;  // of a block; arrays of a block are padded up to it

// Unit vectors in aligned memory. Padding has mass 0 and position (0, .., 0, 1).
struct PointBlock {
  const double* axis[kMostCoordinates];  // (kPoints) each, d of them
  const double* mass;                    // (kPoints); of sources only
  int count;                             // points in it, the rest is padding
};

// sums (count of h, 2): Re and Im of sum_j m_j S(x_j); lanes: harmonic_scratch(h) doubles.
void add_harmonics(const Harmonics& h, const PointBlock& block, double* lanes, double* sums);
std::size_t harmonic_scratch(const Harmonics& h);
int longest_harmonic_sum();  // its additions one after another

// out[e] = sum over functions of A_l (Re c_e Re S + Im c_e Im S) at each point, e < outputs.
struct HarmonicSeries {
  int outputs;                        // 1, or d + 1
  const double* terms;                // (count of h, outputs, 2) Re and Im of c_e
  const double* rho;                  // (kPoints) of A_l(rho), over e^rho; null: A_l is in c_e
  double* out[kMostCoordinates + 1];  // (kPoints) each
  double* beyond;                     // (kPoints) of the exponential's series; if rho is given
  double* rows;                       // series_scratch(h) doubles; if rho is given
};
void sum_harmonics(const Harmonics& h, const PointBlock& block, const HarmonicSeries& series);
std::size_t series_scratch(const Harmonics& h);

// The moments sum_j m_j S(x_j) of a swarm for every harmonic function up to a degree.
struct HarmonicMoments {
  std::vector<double> values{};  // (count of the functions, 2) Re and Im
  double mass = 0;               // sum_j m_j
  double off = 0;                // max_j | |x_j| - 1 |
};
// Returns the moments of the directions of the particles. Blocks are fixed, so that the bits are
// the same for any number of threads.
HarmonicMoments moments_of(const Harmonics& functions, const HostSwarm& x, int threads,
                           const Reduction* ranks);
// Returns a bound on the rounding of a sum of functions of a degree over all particles, for terms
// whose sizes sum to 1.
double harmonic_rounding(int degree);

// e^{<u, x>} on S^{d-1} as a series of degree p; Z and N are one each, and N_c has the moments of
// x_c S, which are sums of few moments of degree p + 1. The remainder is at most T_p e^{|u|} of
// every weight (harmonics.h), and the sum of the sizes of all terms at most e^{|u|}.
class HarmonicSums {
 public:
  HarmonicSums(int d, int degree);

  int degree() const { return degree_; }
  const Harmonics& up() const { return up_; }      // of degree p + 1: the moments
  const Harmonics& down() const { return down_; }  // of degree p: the series
  HarmonicMoments moments_of(const HostSwarm& x, int threads, const Reduction* ranks) const {
    return moments::moments_of(up_, x, threads, ranks);
  }

  // The series of the sums at targets of the same length |u| = rho, or of any lengths.
  struct Series {
    std::vector<double> terms{};  // (count, outputs, 2)
    int outputs = 0;              // 1: weights only; d + 1
    std::optional<double> rho{};  // the common length
    double beyond = 0;            // T_p of it
    double mass = 0, off = 0;     // of the moments
  };
  Series series_of(const HarmonicMoments& m, std::optional<double> rho, bool mean) const;

  // Sums at most kPoints targets. The bounds of store_row (sums.h) are made of the remainder and an
  // allowance for rounding, which tests/conformance/error_bound_test.cpp compares with sums in
  // quadruple precision.
  void evaluate(const Series& series, const Targets& u, const SumsResult& out) const;

 private:
  int d_, degree_;
  Harmonics up_, down_;  // of degree p + 1 and p
  struct Term {
    std::size_t from;
    double re, im;   // of its coefficient
    bool conjugate;  // of the moment
  };
  std::vector<std::size_t> row_;  // (count of down_ * (d + 1) + 1) the first term of each c_e
  std::vector<Term> terms_;       // c_e = sum over terms, without A_l
};

}  // namespace murmur::moments
