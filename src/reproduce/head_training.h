// head_training.h: sums of attention heads on the sphere, fitted to a field of measures by exact
// derivatives.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace murmur {

// A field of measures at the tokens of an empirical measure of equal masses:
//   F_H(x)_i = P_i sum_h V_h m_hi,   m_hi = sum_j a_hij x_j,
//   a_hij = softmax_j <x_i, S_h x_j>, or e^{<x_i, S_h x_j>} / n: unnormalised
// S_h stands for beta Q_h^T K_h.
struct HeadSum {
  bool softmax = true;
  std::vector<Eigen::MatrixXd> scores{}, values{};  // S_h, V_h, (d, d) each
  int count() const { return static_cast<int>(scores.size()); }
};

// Some measures, and what the field is to be at their tokens.
struct FieldSample {
  std::vector<Eigen::MatrixXd> tokens{};  // (n, d), unit rows
  std::vector<Eigen::MatrixXd> target{};  // (n, d), each row orthogonal to its token
};

// (n, d) F_H at the rows of x.
Eigen::MatrixXd field_of(const HeadSum& heads, const Eigen::MatrixXd& x);
// (rows of `at`, d) the same at other places than the tokens.
Eigen::MatrixXd field_at(const HeadSum& heads, const Eigen::MatrixXd& tokens,
                         const Eigen::MatrixXd& at);

// P_i a_i, row by row.
Eigen::MatrixXd along_sphere(const Eigen::MatrixXd& x, Eigen::MatrixXd a);

// Of F_H against the target, over its root mean square.
struct FieldError {
  double mean = 0;  // root mean square over all tokens of all measures
  double sup = 0;   // the largest
};
FieldError error_of(const HeadSum& heads, const FieldSample& sample);

// The values V_h of least squares, S_h as they are.
void fit_values(const FieldSample& sample, HeadSum& heads);

struct HeadTraining {
  int iterations = 30;
  bool only_values = false;      // S_h stay as they are
  std::function<bool()> stop{};  // asked once an iteration
};

// Lowers sum |F_H - target|^2 over all S_h and V_h by the method of Levenberg and Marquardt, whose
// Jacobian is exact. The error on the sample never rises.
void train_heads(const FieldSample& sample, const HeadTraining& how, HeadSum& heads);

// Rows of d F_H / d (S, V) in orthonormal frames of the tangent spaces, (n (d-1), 2 d^2 H): for
// each head its S row by row, then its V. For the tests.
Eigen::MatrixXd jacobian_of(const HeadSum& heads, const Eigen::MatrixXd& x);
// The same frames: row i of the result is (d-1) coordinates of row i of a, one below the other.
Eigen::VectorXd in_frames(const Eigen::MatrixXd& x, const Eigen::MatrixXd& a);

}  // namespace murmur
