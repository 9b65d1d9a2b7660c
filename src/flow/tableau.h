// tableau.h: explicit Runge-Kutta methods as data: stages, embedded estimates, interpolants.
#pragma once

#include <array>

namespace murmur {

inline constexpr int kMaxStages = 16;
using StageWeights = std::array<double, kMaxStages>;

// Stage i:  k_i = v(t + c_i h, retract(x + h sum_j a_ij k_j));   x <- retract(x + h sum_i b_i k_i).
// Stage points are retracted: the method is then the usual one for the field x -> v(x / |x|), whose
// flow stays on the sphere, so the order is kept.
struct Tableau {
  int order = 1;
  int stages = 1;  // of every step; the last stands at the new point where there are estimates
  std::array<StageWeights, kMaxStages> a{};
  StageWeights b{}, c{};
  // Embedded weights, one row or two. One: the error of a step is |x_b - x_embedded|. Two, of
  // errors e and e': e^2 / sqrt(e^2 + e'^2 / 100) (Hairer, Norsett, Wanner I, equation II.10.17).
  int estimates = 0;  // 0: steps of fixed length only
  int embedded_order = 0;
  std::array<StageWeights, 2> embedded{};
  // x(t + theta h) = x + h sum_i dense(theta)_i k_i over `dense_stages` stages, those beyond
  // `stages` evaluated only for frames.
  int dense_order = 0;
  int dense_stages = 0;
  StageWeights (*dense)(double theta) = nullptr;
};

}  // namespace murmur
