// continuum.h: a measure by its coefficients in harmonics, its energy, and its flow.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "murmur/meanfield.h"
#include "observe/energy.h"

namespace murmur::meanfield {

using State = std::vector<double>;

//   value_k = e^{-beta} lambda_k,   slope_k = value_k / beta,   k = 0 .. count - 1
// with lambda_k the Funk-Hecke eigenvalues of e^{beta x.y} for the uniform law on S^{d-1}. At
// beta = 0 slope_1 = 1/d, and slope_0, which would be infinite, is 0.
struct Kernel {
  std::vector<double> value, slope;
};
Kernel kernel_of(int d, double beta, int count);

// Returns the number of harmonics of degree k on S^{d-1}: for k >= 1 2 on the circle, 2 k + 1 on
// the sphere, (2k + d - 2)/k C(k + d - 3, k - 1) in d coordinates.
double harmonics(int d, int k);
//   (1/2 beta) int int e^{beta (x.y - 1)} = (1/2) sum_k slope_k harmonics_k a_k^2
double pairs_of(const MeanField& field, const Kernel& kernel, const std::vector<double>& amplitude);
// Returns the degree after which the terms of the energy are below rounding.
int energy_degrees(const MeanField& field);
// Returns the potential V with the sign of attention, if it is part of the energy; see
// has_potential.
std::optional<Potential> potential_of(const MeanField& field);

struct EnergyParts {
  double pairs = 0;      // pairs_of
  double potential = 0;  // int V dmu; 0 if there is none
  double entropy = 0;    // entropy_of
};
void set_energies(const MeanField& field, const EnergyParts& parts, MeanFieldReading& reading);

// The resolution monitor of amplitudes a_0 .. a_M: the larger of
//   max of a_k over the last tenth,   max of p_l a_j over l + j > M,   p_l = value_l / value_0 a_l
// since the drift has coefficients p_l, and its product with degree j has the degrees j - l and
// j + l. The products detect a measure of k-fold symmetry, which may have no degree in the last
// tenth; for a perceptron of that symmetry `spacing` is k, if that is more than a tenth.
double tail_of(const Kernel& kernel, const std::vector<double>& amplitude, int spacing = 1);

class Continuum {
 public:
  virtual ~Continuum() = default;
  virtual State start(const Measure& measure) const = 0;
  // (size) eigenvalues of -Lap
  virtual const std::vector<double>& laplacian() const = 0;
  // Computes the change of the law y, with attention to the law `seen`, without the noise.
  virtual void flow(const State& y, const State& seen, State& change) = 0;
  // sum_l weight_l laws_l
  virtual State mixed(const std::vector<State>& laws, const std::vector<double>& weight) const;
  virtual double grain(const State&) const { return 0; }  // see MeanFieldTrajectory
  virtual MeanFieldFrame read(const State& y) = 0;        // t is not set
  virtual std::vector<double> cells() const = 0;          // (cells, d)
};
int most_modes(int d);
void check_modes(int d, int modes);  // Error(input) unless 4 to most_modes
std::unique_ptr<Continuum> make_circle(const MeanField& field, int modes);
std::unique_ptr<Continuum> make_sphere(const MeanField& field, int modes);
std::unique_ptr<Continuum> make_zonal(const MeanField& field, int modes);  // d >= 3
// Particles on the circle, or on one meridian that represents all of them (d >= 3).
std::unique_ptr<Continuum> make_cloud(const MeanField& field, int particles);
// Laws of the labels of a causal field, each moved by `law`.
std::unique_ptr<Continuum> make_causal(const MeanField& field, std::unique_ptr<Continuum> law,
                                       const Measure& start, const MeanFieldMethod& method);

// int log(density) dmu over cells of weights that sum to 1; negative values count as 0.
double entropy_of(const std::vector<double>& density, const std::vector<double>& weight);
// int V dmu for V of shape (cells), in the same way; 0 for an empty V.
double mean_of(const std::vector<double>& v, const std::vector<double>& density,
               const std::vector<double>& weight);

// Weights of bumps and atoms, scaled to sum 1 over both.
struct Shares {
  std::vector<double> bumps, atoms;
  double uniform = 0;  // 1 without bumps and atoms
};
Shares shares_of(const Measure& measure);
// Returns the largest amplitude of a degree above `degree`, as if all bumps had one centre.
double beyond(const Measure& measure, int d, int degree);

}  // namespace murmur::meanfield
