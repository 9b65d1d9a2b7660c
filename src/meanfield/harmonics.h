// harmonics.h: Fourier transforms, quadrature, and coefficients of measures in harmonics of the
// circle, the sphere and laws symmetric about an axis.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "murmur/meanfield.h"

namespace murmur::meanfield {

// --- Fast Fourier transforms and Gauss's nodes (fourier.cpp).

using Wave = std::vector<std::complex<double>>;

//   y_g = sum_k x_k e^{2 pi i k g / size},   in place, by Eigen's transform: time grows with the
//   sum of the prime factors of the size
class Fourier {
 public:
  explicit Fourier(int size);
  ~Fourier();
  Fourier(const Fourier&) = delete;
  Fourier& operator=(const Fourier&) = delete;
  int size() const { return size_; }
  void transform(std::complex<double>* x);

 private:
  struct Plan;
  int size_;
  std::unique_ptr<Plan> plan_;
  Wave scratch_;  // (size)
};

//   y_k = sum_j x_j e^{2 pi i j k / size}   fast for any size: a size with a large prime factor is
//   computed as a convolution with a chirp (Bluestein 1970)
Wave spectrum(const Wave& x);

int power_of_two(int min);  // the smallest power of two that is >= min

// Nodes in (-1, 1), decreasing, and weights of sum 2: exact up to degree 2 count - 1.
struct Gauss {
  std::vector<double> node, weight;
};
Gauss gauss_legendre(int count);

// --- Fourier coefficients of measures on the circle (circle.cpp).

// m_k = int e^{i k theta} dmu, k = 0 .. modes
std::vector<std::complex<double>> circle_coefficients(const Measure& measure, int modes);

// (cells / 2 + 1) the same for a density on a grid, for the degrees that its cells resolve.
std::vector<std::complex<double>> grid_waves(const Measure& measure);

// --- Spherical harmonics, and coefficients of measures on the sphere (sphere.cpp).

inline int legendre_index(int l, int m) { return l * (l + 1) / 2 + m; }  // 0 <= m <= l
inline int harmonic_index(int l, int m) { return l * (l + 1) + m; }      // -l <= m <= l

struct Legendre {
  std::vector<double> value, slope;  // Q_lm and dQ_lm / dtheta, at legendre_index
};
Legendre legendre_at(int degree, double cosine);

// ((degree + 1)^2) Y_lm(x), and int Y_lm dmu
std::vector<double> harmonics_at(int degree, const double* x);
std::vector<double> sphere_coefficients(const Measure& measure, int degree);

// --- A density given on a grid of the sphere, integrated and interpolated (fourier.cpp).

// (rows) weights of sum 2 at z = cos(pi (i + 1/2) / rows): exact up to degree rows - 1 in z
// (Fejer's first rule, 1933).
std::vector<double> fejer_weights(int rows);

//   density = F_0(theta) + 2 Re sum_{m > 0} F_m(theta) e^{i m phi},   relative to the uniform one,
//   with F_m a series of cosines of theta for even m and of sines for odd m, as for every smooth
//   function on the sphere. It interpolates the values of the grid.
class GridDensity {
 public:
  explicit GridDensity(const Measure& measure);          // with a density of (rows, columns)
  std::vector<std::complex<double>> at(double z) const;  // F_m at cos theta = z, m = 0, 1, ...
  int rows() const { return rows_; }
  // Largest coefficient in the last tenth of its orders or of its series, near the limit of the
  // grid.
  double tail() const { return tail_; }

 private:
  int rows_;
  double tail_ = 0;
  // (orders, rows): of cos k theta, k = 0 .. rows - 1, or of sin (k + 1) theta
  std::vector<std::vector<std::complex<double>>> series_{};
};
double density_at(const std::vector<std::complex<double>>& orders, double phi);

// int Y_lm dmu in the order of a state, l = 0 first, of the density interpolated between its cells;
// exact.
std::vector<double> grid_coefficients(const Measure& measure, int degree);
// Largest error of harmonics up to `degree` in any order m, at the polar angles of the cells.
double grid_beyond(const Measure& measure, int degree);

// --- Polynomials and Gauss's nodes for laws symmetric about the last axis of R^d (zonal.cpp).

inline constexpr int kMostZonal = 128;             // coordinates; see docs/meanfield.md
inline constexpr int kMostZonalParticles = 8'192;  // forces are sums over all pairs

// Orthonormal for the law of s = x_{d-1} under the uniform one, whose density is proportional to
// (1 - s^2)^{(d-3)/2}; d >= 3.
//   p_k = sqrt(h_k) C_k(s) / C_k(1),   C_k Gegenbauer's of index d/2 - 1,  h_k = harmonics(d, k)
//   b_{k+1} p_{k+1} = s p_k - b_k p_{k-1},   b_k^2 = k (k + d - 3) / ((2k + d - 2)(2k + d - 4))
std::vector<double> zonal_values(int d, int degree, double s);  // (degree + 1)
// (degree + 1) dp_k / dtheta, s = cos theta:  p_k' = sqrt(k (k + d - 2) d / (d - 1)) p_{k-1} of d+2
std::vector<double> zonal_slopes(int d, int degree, double theta);

// Nodes, decreasing, and weights of sum 1 for the law of s: exact up to degree 2 count - 1.
Gauss gauss_zonal(int d, int count);

// (degree + 1) int p_k dmu
std::vector<double> zonal_coefficients(const Measure& measure, int d, int degree);

// ln of the density of theta under the uniform law: sin^{d-2} theta over its integral
double log_zonal_weight(int d, double theta);

// Returns whether bumps and atoms, or a perceptron, are symmetric about the last axis.
bool is_zonal(const Measure& measure);
bool is_zonal(const Perceptron& perceptron);

// (d) the point at angle theta from the axis on one meridian, and the velocity of the perceptron
// there.
std::vector<double> on_meridian(int d, double theta);
double meridian_drift(const Perceptron& perceptron, int d, double theta);

}  // namespace murmur::meanfield
