// forces.h: formulas of attention, perceptrons and the limit of many heads that engines and
// observables share.
#pragma once

#include <optional>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/matrix.h"

namespace murmur {

// Perceptrons.

double activate(Perceptron::Activation kind, double z);  // s(z)
// s'(z); 0 at z = 0 for relu
double activation_slope(Perceptron::Activation kind, double z);

//   a += W_out s(W_in x + b_in) + b_out,   x and a (d)
void add_perceptron_at(const Perceptron& p, const double* x, double* a);

// Bounds on the rounding error of add_perceptron_at, and on the length of its result: fixed + slope
// |x| each.
struct PerceptronBound {
  double fixed = 0, slope = 0;            // of the error
  double size_fixed = 0, size_slope = 0;  // of the result
};
PerceptronBound perceptron_bound(const Perceptron& p);

// Returns omega of a perceptron that is a gradient, W_out = (omega_m a_m) with a_m the rows of W_in
// and no biases: omega_m = <out_m, a_m> / |a_m|^2 (relative 1e-12). Returns nothing for other
// perceptrons.
std::optional<Vector> gradient_weights(const Perceptron& p);

// The limit of many heads.

// A_i = sum_j m_j ( to_other x_j + to_self x_i ), in clock u1.
struct Pull {
  double to_other = 0, to_self = 0;
};

// For two unit vectors of d coordinates with cosine c.
Pull pull_at(const ManyHeads& heads, int d, double c);

// The derivatives of both numbers in c and in beta, before `value`; Pull is then value times
// `pull`.
struct PullSlope {
  Pull pull{}, in_cosine{}, in_beta{};
};
PullSlope pull_slope(const ManyHeads& heads, int d, double c);

// k(c) = E e^{beta <x, S y>}; `check` bounds beta.
double mean_kernel(const ManyHeads& heads, int d, double c);

// Attention.

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
