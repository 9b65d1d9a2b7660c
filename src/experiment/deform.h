// deform.h: random deformations of whole samples: a linear map and a smooth bending.
#pragma once

#include <span>

#include "murmur/random.h"

namespace murmur {

//   p <- (I + A) (p + u(p)),   A (2, 2) of independent normal entries with deviation `affine`,
//   u(p) = sum_n B(x / 5 - n_x) B(y / 5 - n_y) c_n / share,   c_n normal with deviation `warp`
// B is the cubic B-spline, n runs over a lattice of 7 x 7 nodes around the plane of pictures, and
// share = 151/315, the integral of B^2, makes `warp` the root mean square of each coordinate of u.
// Outside [-10, 10] u is what it is at the edge.
struct Deformation {
  double affine = 0, warp = 0;
  bool any() const { return affine > 0 || warp > 0; }
};

// x, y (tokens) of one sample; `who` says which and in which epoch: a pure function of it.
void deform(const Deformation& deformation, const Draw& who, std::span<float> x,
            std::span<float> y);

}  // namespace murmur
