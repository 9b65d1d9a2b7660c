// attention.h: what engines and observables share about attention: clocks, weights that rows cannot
// tell.
#pragma once

#include <vector>

#include "murmur/dynamics.h"

namespace murmur {

// The kernel of plain attention in each clock over e^{s - beta}: e^beta, 1, beta e^beta; u4 asks
// for u2's.
double clock_scale(Clock clock, double beta);

// A rescaled head at time t as one that is not: e^{tV} goes into Q and K,
//   <Q e^{tV} z_i + b_Q, K e^{tV} z_j + b_K>.
Attention at_time(Attention head, double t, int d);

// Q^T K (d, d), of which the scores of a head without biases are beta <x_i, Q^T K x_j>. An empty
// matrix is the identity, here and in the answer.
Matrix score_matrix(const Matrix& query, const Matrix& key);

// The doubly stochastic weights a_ij = p_i m_j e^{s_ij} q_j of scores s (n, n) and masses m (n):
//   sum_j a_ij = 1 to 1e-13 (or to what scores so large can be known to),   sum_i m_i a_ij = m_j
// to rounding, by at most max_sweeps alternate normalisations of rows and columns. Who has no mass
// looks, but is not looked at.
std::vector<double> sinkhorn_weights(const std::vector<double>& scores,
                                     const std::vector<double>& mass, int max_sweeps = 10'000);

}  // namespace murmur
