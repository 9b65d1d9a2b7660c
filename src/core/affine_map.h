// affine_map.h: y = W x + b on rows of particles, and its adjoint; defined in force_adjoint.cpp.
#pragma once

#include <vector>

namespace murmur {

struct AffineMap {
  const double* matrix = nullptr;  // (out, in); null: the identity
  const double* bias = nullptr;    // (out); null: zero
  int out = 0, in = 0;
};

//   y_i = W x_i + b                                               x (n, in) -> y (n, out)
std::vector<double> applied(const AffineMap& map, const std::vector<double>& x);

struct AffineGradient {  // added to; null: not wanted
  double *matrix = nullptr, *bias = nullptr;
};
struct AffinePushes {
  const std::vector<double>& dy;  // (n, out)
  std::vector<double>& dx;        // (n, in), added to
};

//   dW += sum_i dy_i x_i^T,  db += sum_i dy_i,  dx_i += W^T dy_i
void add_adjoint(const AffineMap& map, const AffineGradient& gradient, const std::vector<double>& x,
                 const AffinePushes& pushes);

//   ds_j = scale a_j (da_j - sum_k a_k da_k)
// The adjoint of weights a_j = e^{s_j} / sum_k e^{s_k}, of n tokens. ds may be da.
void softmax_adjoint(int n, double scale, const double* a, const double* da, double* ds);

}  // namespace murmur
