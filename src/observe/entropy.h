// entropy.h: mean entropy of the rows of attention matrices.
#pragma once

#include "murmur/dynamics.h"
#include "murmur/observe.h"
#include "murmur/swarm.h"

namespace murmur {

// Mean over heads and particles i with at least one allowed j of -sum_j a_ij ln a_ij (nats), where
//   a_ij = m_j e^{s_ij} / sum_k m_k e^{s_ik},   s_ij = beta <Q x_i + b_Q, K x_j + b_K>
// over the allowed j, for softmax and unnormalised heads alike; for a hard head a_ij is
// proportional to m_j over the j of greatest score, for a sinkhorn head its doubly stochastic
// weight. Heads, gains and rescaled scores are those at settings.t. NaN where every row is empty.
// For large swarms (is_sampled) the mean is over a fixed sample of rows, which sinkhorn does not
// have.
double attention_entropy(const HostSwarm& x, const Dynamics& dynamics,
                         const ObserveSettings& settings);

}  // namespace murmur
