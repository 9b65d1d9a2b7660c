// attention.h: clocks, rescaled heads, score matrices and doubly stochastic weights, for engines
// and observables; defined in forces.cpp.
#pragma once

#include <vector>

#include "murmur/dynamics.h"
#include "murmur/matrix.h"

namespace murmur {

// The kernel of plain attention in each clock over e^{s - beta}: e^beta, 1, beta e^beta; u4 has the
// value of u2.
double clock_scale(Clock clock, double beta);

// Returns a rescaled head at time t as a plain head, with e^{tV} multiplied into Q and K:
//   <Q e^{tV} z_i + b_Q, K e^{tV} z_j + b_K>.
Attention at_time(Attention head, double t, int d);

// Returns Q^T K (d, d): the scores of a head without biases are beta <x_i, Q^T K x_j>. An empty
// matrix is the identity, as an argument and as a result.
Matrix score_matrix(const Matrix& query, const Matrix& key);

// The doubly stochastic weights a_ij = p_i m_j e^{s_ij} q_j of scores s (n, n) and masses m (n):
//   sum_j a_ij = 1 to 1e-13 (or to what scores so large can be known to),   sum_i m_i a_ij = m_j
// to rounding, by at most max_sweeps alternate normalisations of rows and columns. A particle
// without mass attends to others, but has weight 0 itself.
std::vector<double> sinkhorn_weights(const std::vector<double>& scores,
                                     const std::vector<double>& mass, int max_sweeps = 10'000);

// A B, (k, d) times (d, d).
Matrix product(const Matrix& a, const Matrix& b);

// e^{tM}, M (d, d). Entries that overflow are infinite or NaN.
Matrix matrix_exponential(const Matrix& m, double t);

}  // namespace murmur
