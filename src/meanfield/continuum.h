// continuum.h: a measure as coefficients of waves or harmonics, its energy, and how attention moves
// it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "murmur/meanfield.h"
#include "observe/energy.h"

namespace murmur::meanfield {

using State = std::vector<double>;

//   value_k = e^{-beta} lambda_k,   slope_k = value_k / beta,   k = 0 .. count - 1
// with lambda_k the eigenvalues of e^{beta x.y} for the uniform law on S^{d-1} (Funk and Hecke). At
// beta = 0 slope_1 = 1/d, and slope_0, which would be infinite, is 0.
struct Kernel {
  std::vector<double> value, slope;
};
Kernel kernel_of(int d, double beta, int count);

// How many harmonics of degree k >= 1 there are: 2 on the circle, 2 k + 1 on the sphere.
int harmonics(int d, int k);
//   (1/2 beta) int int e^{beta (x.y - 1)} = (1/2) sum_k slope_k harmonics_k a_k^2
double pairs_of(const MeanField& field, const Kernel& kernel, const std::vector<double>& amplitude);
// Degrees after which the energy gains nothing.
int energy_degrees(const MeanField& field);
// V where the flow climbs it beside the pairs, its sign that of attention; none: see has_potential.
std::optional<Potential> potential_of(const MeanField& field);

struct EnergyParts {
  double pairs = 0;      // pairs_of
  double potential = 0;  // int V dmu; 0 where there is none
  double entropy = 0;    // entropy_of
};
void set_energies(const MeanField& field, const EnergyParts& parts, MeanFieldReading& reading);

// What the last degrees of amplitudes a_0 .. a_M hold, and what attention carries beyond them:
//   max of a_k over the last tenth,   and of p_l a_j over l + j > M,   p_l = value_l / value_0 a_l
// since its drift, of waves p_l, turns wave j into j - l and j + l. The products see a measure of
// k-fold symmetry, of which the last tenth may hold no degree; a perceptron of that symmetry is
// seen by its `spacing` k, where that is more than a tenth.
double tail_of(const Kernel& kernel, const std::vector<double>& amplitude, int spacing = 1);

class Continuum {
 public:
  virtual ~Continuum() = default;
  virtual State start(const Measure& measure) const = 0;
  // (size) eigenvalues of -Lap
  virtual const std::vector<double>& laplacian() const = 0;
  virtual void flow(const State& y, State& change) = 0;  // without the noise
  virtual MeanFieldFrame read(const State& y) = 0;       // t is not set
  virtual std::vector<double> cells() const = 0;         // (cells, d)
};
int most_modes(int d);
void check_modes(int d, int modes);  // Error(input) unless 4 to most_modes
std::unique_ptr<Continuum> make_circle(const MeanField& field, int modes);
std::unique_ptr<Continuum> make_sphere(const MeanField& field, int modes);

// int log(density) dmu over cells of weights that sum to 1; what is below 0 counts as 0.
double entropy_of(const std::vector<double>& density, const std::vector<double>& weight);
// int V dmu, of (cells) V, likewise; 0 for an empty V.
double mean_of(const std::vector<double>& v, const std::vector<double>& density,
               const std::vector<double>& weight);

// Weights of bumps and atoms, scaled to sum 1 over both.
struct Shares {
  std::vector<double> bumps, atoms;
  double uniform = 0;  // 1 where there is neither
};
Shares shares_of(const Measure& measure);
// The largest amplitude of a degree above `degree`; of bumps as if all stood in one place.
double beyond(const Measure& measure, int d, int degree);

}  // namespace murmur::meanfield
