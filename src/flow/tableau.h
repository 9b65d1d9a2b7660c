// tableau.h: explicit Runge-Kutta methods as constants, each with its citation and declared order.
#pragma once

#include <array>

namespace murmur {

// Stage i:  k_i = v(t + c_i h, retract(x + h sum_j a_ij k_j));   x <- retract(x + h sum_i b_i k_i).
// Stage points are retracted: the method is then the usual one for the field x -> v(x / |x|), whose
// flow stays on the sphere, so the order is kept.
struct Tableau {
  int order;
  int stages;
  std::array<std::array<double, 7>, 7> a;
  std::array<double, 7> b;
  std::array<double, 7> c;
};

inline constexpr Tableau kEuler{1, 1, {}, {1}, {0}};

// Runge (1895), the midpoint method.
inline constexpr Tableau kMidpoint{2, 2, {{{}, {1. / 2}}}, {0, 1}, {0, 1. / 2}};

// Kutta (1901), the classical fourth-order method.
inline constexpr Tableau kRk4{4,
                              4,
                              {{{}, {1. / 2}, {0, 1. / 2}, {0, 0, 1}}},
                              {1. / 6, 1. / 3, 1. / 3, 1. / 6},
                              {0, 1. / 2, 1. / 2, 1}};

// Dormand and Prince (1980), the pair 5(4) with seven stages, the last at the new point.
inline constexpr Tableau kDopri5{
    5,
    7,
    {{{},
      {1. / 5},
      {3. / 40, 9. / 40},
      {44. / 45, -56. / 15, 32. / 9},
      {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
      {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
      {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}}},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0},
    {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1}};

// Its embedded fourth-order weights.
inline constexpr std::array<double, 7> kDopri5Embedded{
    5179. / 57600, 0, 7571. / 16695, 393. / 640, -92097. / 339200, 187. / 2100, 1. / 40};

// Its fourth-order interpolant (Hairer, Norsett, Wanner I, section II.6):
//   x(t + theta h) = x + h sum_i b_i(theta) k_i
//   b_i(theta) = theta (b_i + (1 - theta) (f_i + theta (g_i + (1 - theta) d_i)))
//   f_i = [i = 1] - b_i,   g_i = b_i - [i = 7] - f_i
inline constexpr std::array<double, 7> kDopri5Dense{
    -12715105075. / 11282082432.,  0,
    87487479700. / 32700410799.,   -10690763975. / 1880347072.,
    701980252875. / 199316789632., -1453857185. / 822651844.,
    69997945. / 29380423.};

constexpr std::array<double, 7> dopri5_weights_at(double theta) {
  std::array<double, 7> weights{};
  for (int i = 0; i < 7; ++i) {
    const double b = kDopri5.b[i];
    const double f = (i == 0 ? 1.0 : 0.0) - b;
    const double g = b - (i == 6 ? 1.0 : 0.0) - f;
    weights[i] = theta * (b + (1 - theta) * (f + theta * (g + (1 - theta) * kDopri5Dense[i])));
  }
  return weights;
}

}  // namespace murmur
