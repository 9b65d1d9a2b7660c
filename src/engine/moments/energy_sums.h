// energy_sums.h: the interaction energy of a large swarm over all its pairs.
#pragma once

#include "murmur/engine.h"

namespace murmur::moments {

// sum_ij m_i m_j e^{beta (c_ij - anchor)} of a request, c_ij = <w_i, D w_j>, to 1e-10 of itself,
// and the same for any number of threads. `sphere`: the w are unit vectors. At most
// kMostCoordinates.
double gibbs_sum(const HostSwarm& w, bool sphere, const PairRequest& request);

}  // namespace murmur::moments
