// entropy.h: how widely the particles of a swarm spread their attention.
#pragma once

#include "murmur/dynamics.h"
#include "murmur/observe.h"
#include "murmur/swarm.h"

namespace murmur {

// Mean over heads and particles i that see somebody of -sum_j a_ij ln a_ij (nats), where
//   a_ij = m_j e^{s_ij} / sum_k m_k e^{s_ik},   s_ij = beta <Q x_i + b_Q, K x_j + b_K>
// over the j that i can see, for softmax and plain heads alike; a hard head has m_j over those of
// greatest score, a sinkhorn head its doubly stochastic weights. Of forces that come and go only
// those of settings.t count; gains and rescaled scores are those of settings.t. NaN where nobody
// sees anybody. For large swarms (is_sampled) the mean is over a fixed sample of rows, which
// sinkhorn does not have.
double attention_entropy(const HostSwarm& x, const Dynamics& dynamics,
                         const ObserveSettings& settings);

}  // namespace murmur
