// sphere_targets.h: sums over a swarm on S^2 at targets of any length, from its moments.
#pragma once

#include "engine/cuda/small_pairs.h"
#include "engine/cuda/swarm_kernels.h"

namespace murmur::cuda {

// bound_i = |u_i|
void lengths(const ConstPlaces& u, double* bound);
// n_i = sum_j m_j e^{<v_i, x_j> - |v_i|} x_j and z_i, v = u log 2, from `harmonics` of
// sphere_series.h up to degree p; no v_i may be 0. `bound` has the lengths of u.
void sums_at_targets(const ConstPlaces& u, const double* bound, int p, const double* harmonics,
                     const Sums& to);

}  // namespace murmur::cuda
