// continuum.h: a measure as coefficients of waves or harmonics, and how attention moves them.
#pragma once

#include <memory>
#include <vector>

#include "murmur/meanfield.h"

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
//   (1/2 beta) int int e^{beta x.y} = e^beta / 2 sum_k slope_k harmonics_k a_k^2
double energy_of(const MeanField& field, const Kernel& kernel,
                 const std::vector<double>& amplitude);
// Degrees after which the energy gains nothing.
int energy_degrees(const MeanField& field);

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
std::unique_ptr<Continuum> make_circle(const MeanField& field, int modes);
std::unique_ptr<Continuum> make_sphere(const MeanField& field, int modes);

// int log(density) dmu over equal cells of weights that sum to 1; what is below 0 counts as 0.
double entropy_of(const std::vector<double>& density, const std::vector<double>& weight);

// Weights of bumps and atoms, scaled to sum 1 over both.
struct Shares {
  std::vector<double> bumps, atoms;
  double uniform = 0;  // 1 where there is neither
};
Shares shares_of(const Measure& measure);

}  // namespace murmur::meanfield
