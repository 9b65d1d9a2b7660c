// head_fields.h: fields of measures that heads are to approximate, and measures to try them on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reproduce/head_training.h"

namespace murmur {

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
