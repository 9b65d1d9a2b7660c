// sphere.h: spherical harmonics, and coefficients of measures on the sphere.
#pragma once

#include <vector>

#include "murmur/meanfield.h"

namespace murmur::meanfield {

inline int legendre_index(int l, int m) { return l * (l + 1) / 2 + m; }  // 0 <= m <= l
inline int harmonic_index(int l, int m) { return l * (l + 1) + m; }      // -l <= m <= l

struct Legendre {
  std::vector<double> value, slope;  // Q_lm and dQ_lm / dtheta, at legendre_index
};
Legendre legendre_at(int degree, double cosine);

// ((degree + 1)^2) Y_lm(x), and int Y_lm dmu
std::vector<double> harmonics_at(int degree, const double* x);
std::vector<double> sphere_coefficients(const Measure& measure, int degree);

}  // namespace murmur::meanfield
