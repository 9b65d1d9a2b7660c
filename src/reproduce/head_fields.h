// head_fields.h: sums of attention heads on the sphere, the fields of measures that they are fitted
// to, and random measures.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
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

// Some measures, and the values of the field at their tokens.
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

// Sets V_h to the values of least squares, without changing S_h.
void fit_values(const FieldSample& sample, HeadSum& heads);

struct HeadTraining {
  int iterations = 30;
  bool only_values = false;      // S_h are not changed
  std::function<bool()> stop{};  // called once per iteration
};

// Lowers sum |F_H - target|^2 over all S_h and V_h by the method of Levenberg and Marquardt, whose
// Jacobian is exact. The error on the sample never rises.
void train_heads(const FieldSample& sample, const HeadTraining& how, HeadSum& heads);

// Rows of d F_H / d (S, V) in orthonormal frames of the tangent spaces, (n (d-1), 2 d^2 H): for
// each head its S row by row, then its V. For the tests.
Eigen::MatrixXd jacobian_of(const HeadSum& heads, const Eigen::MatrixXd& x);
// The same frames: row i of the result is (d-1) coordinates of row i of a, one below the other.
Eigen::VectorXd in_frames(const Eigen::MatrixXd& x, const Eigen::MatrixXd& a);

// F(mu)(x), tangent at x in S^{d-1}; all odd, F(-mu)(-x) = -F(mu)(x), as heads without biases are.
// m and M are mean and second moments of mu, J the quarter turn of the first two axes.
enum class HeadField {
  softmax_head,  // P_x of softmax attention, scores 3 <x, y>, V = I
  energy,  // P_x int e^{4 (<x, y> - 1)} y dmu: gradient of an interaction energy, one USA head
  second_moments,  // P_x M x = P_x int <x, y> y dmu: linear attention, no head
  rotation,        // <x, m>^2 J x turned into the tangent space: not linear in mu, no gradient
  mean_of_heads,   // the mean of 512 softmax heads with V = I and normal scores of deviation 2
};
std::vector<HeadField> head_fields();
std::string name_of(HeadField field);

class FieldOfMeasures {
 public:
  FieldOfMeasures(HeadField field, int d);
  int d() const { return d_; }
  Eigen::MatrixXd at_tokens(const Eigen::MatrixXd& x) const;  // (n, d)
  const HeadSum& law() const { return law_; }                 // of mean_of_heads; V = I / 512

 private:
  HeadField field_;
  int d_;
  HeadSum law_{};
};

// Empirical measures of n tokens. Laws: uniform, two clusters, a cap of 60 degrees; all: in turn.
inline constexpr int kTokens = 12, kLaws = 3, kAllLaws = -1;
struct MeasureDraws {
  std::uint64_t seed;
  std::uint32_t first, count;
  int n, law;
};
FieldSample sample_of(const FieldOfMeasures& field, const MeasureDraws& draws);

// Scores of a fresh head, entries of deviation 2 / sqrt(d).
Eigen::MatrixXd drawn_scores(int d, int seed, int head);

// sigma: the root mean square distance of one head of the law of mean_of_heads, V = I, from their
// mean, relative to that: H heads drawn from the law and averaged are off by sigma / sqrt(H).
double spread_of_law(const FieldOfMeasures& field, const MeasureDraws& draws);

}  // namespace murmur
