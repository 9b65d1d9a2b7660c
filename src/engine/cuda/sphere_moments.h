// sphere_moments.h: moments of a swarm on S^2, and the sums of its pairs out of them.
#pragma once

#include "engine/cuda/small_pairs.h"
#include "engine/cuda/swarm_kernels.h"

namespace murmur::cuda {

// Numbers of scratch that `sphere_moments` takes.
std::size_t moment_scratch(int terms);
// (terms, terms, 2) sum_j m_j T_k(z_j) (x_j + i y_j)^m, Re and Im, in a fixed order.
void sphere_moments(const ConstPlaces& x, const double* mass, int terms, double* scratch,
                    double* to);
// n_i = sum_j m_j e^{rho (<x_i, x_j> - 1)} x_j and z_i, from coefficients of sphere_series.h.
void sphere_sums(const ConstPlaces& x, double rho, int terms, const double* coefficients,
                 const Sums& to);

}  // namespace murmur::cuda
