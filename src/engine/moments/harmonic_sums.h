// harmonic_sums.h: sums over the particles on a sphere through their harmonic moments.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/moments/harmonics.h"
#include "engine/moments/sums.h"

namespace murmur::moments {

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
