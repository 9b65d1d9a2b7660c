// groups.h: which tokens of a frame are together at a peak of their density, and which lead.
#pragma once

#include <vector>

#include "murmur/dynamics.h"

namespace murmur::facade {

// Positions (n, d), row by row.
struct Rows {
  const double* data = nullptr;
  int n = 0, d = 0;
  const double* operator[](int i) const { return data + static_cast<std::ptrdiff_t>(i) * d; }
};

// Returns the peak of the density to which each token belongs, numbered by first member. The
// density is sum_j e^(beta <y, x_j>) on the sphere and sum_j e^(-beta |y - x_j|^2 / 2) in R^d. Mean
// shift finds its peaks,
//   y <- N( sum_j e^(beta <y, x_j>) x_j ),   y <- sum_j w_j x_j / sum_j w_j,
// from the positions of at most 64 tokens, evenly chosen; the others belong to the peak of the
// nearest of these.
std::vector<int> density_peaks(Rows x, Manifold manifold, double beta);

// Returns the tokens that hear themselves best, <x_i, x_i> >= <x_i, x_j> for all j: hard attention
// leaves them where they are.
std::vector<int> leaders(Rows x);

}  // namespace murmur::facade
