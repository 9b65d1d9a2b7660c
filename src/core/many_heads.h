// many_heads.h: the force between two unit vectors in the limit of many random heads; defined in
// forces.cpp.
#pragma once

#include "murmur/dynamics.h"

namespace murmur {

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

}  // namespace murmur
