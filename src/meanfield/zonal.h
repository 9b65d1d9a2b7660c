// zonal.h: polynomials and Gauss's nodes for laws symmetric about the last axis of R^d.
#pragma once

#include <vector>

#include "meanfield/fourier.h"
#include "murmur/meanfield.h"

namespace murmur::meanfield {

inline constexpr int kMostZonal = 128;             // coordinates; see docs/meanfield.md
inline constexpr int kMostZonalParticles = 8'192;  // forces are sums over all pairs

// Orthonormal for the law of s = x_{d-1} under the uniform one, whose density is proportional to
// (1 - s^2)^{(d-3)/2}; d >= 3.
//   p_k = sqrt(h_k) C_k(s) / C_k(1),   C_k Gegenbauer's of index d/2 - 1,  h_k = harmonics(d, k)
//   b_{k+1} p_{k+1} = s p_k - b_k p_{k-1},   b_k^2 = k (k + d - 3) / ((2k + d - 2)(2k + d - 4))
std::vector<double> zonal_values(int d, int degree, double s);  // (degree + 1)
// (degree + 1) dp_k / dtheta, s = cos theta:  p_k' = sqrt(k (k + d - 2) d / (d - 1)) p_{k-1} of d+2
std::vector<double> zonal_slopes(int d, int degree, double theta);

// Nodes descending, weights of sum 1 for the law of s: exact up to degree 2 count - 1.
Gauss gauss_zonal(int d, int count);

// (degree + 1) int p_k dmu
std::vector<double> zonal_coefficients(const Measure& measure, int d, int degree);

// ln of the density of theta under the uniform law: sin^{d-2} theta over its integral
double log_zonal_weight(int d, double theta);

// Whether bumps, atoms and perceptron are symmetric about the last axis.
bool is_zonal(const Measure& measure);
bool is_zonal(const Perceptron& perceptron);

// (d) the place at angle theta from the axis on one meridian, and its perceptron's velocity there.
std::vector<double> on_meridian(int d, double theta);
double meridian_drift(const Perceptron& perceptron, int d, double theta);

}  // namespace murmur::meanfield
