// grid_density.h: a density given on a grid of the sphere, integrated and interpolated.
#pragma once

#include <complex>
#include <vector>

#include "murmur/meanfield.h"

namespace murmur::meanfield {

// (rows) weights of sum 2 at z = cos(pi (i + 1/2) / rows): exact up to degree rows - 1 in z
// (Fejer's first rule, 1933).
std::vector<double> fejer_weights(int rows);

//   density = F_0(theta) + 2 Re sum_{m > 0} F_m(theta) e^{i m phi},   over the uniform one
// with F_m a series of cosines of theta for even m and of sines for odd m, as on every smooth
// function of the sphere; it passes through the values of the grid.
class GridDensity {
 public:
  explicit GridDensity(const Measure& measure);          // with a density of (rows, columns)
  std::vector<std::complex<double>> at(double z) const;  // F_m at cos theta = z, m = 0, 1, ...
  int rows() const { return rows_; }
  // Largest coefficient in the last tenth of its orders or of its series: near the grid's limit.
  double tail() const { return tail_; }

 private:
  int rows_;
  double tail_ = 0;
  // (orders, rows): of cos k theta, k = 0 .. rows - 1, or of sin (k + 1) theta
  std::vector<std::vector<std::complex<double>>> series_{};
};
double density_at(const std::vector<std::complex<double>>& orders, double phi);

// int Y_lm dmu in the order of a state, l = 0 first, of the density between its cells: exact.
std::vector<double> grid_coefficients(const Measure& measure, int degree);
// The largest error of harmonics up to `degree` in any order m, at the cells' polar angles.
double grid_beyond(const Measure& measure, int degree);

}  // namespace murmur::meanfield
