// attention_adjoint.h: the adjoint of one head's sums over pairs, by definition.
#pragma once

#include <memory>

#include "core/force_adjoint.h"

namespace murmur::reference {

// Returns the adjoint of softmax, plain and doubly stochastic attention. Its `add` throws
// Error(input) for hard attention, which has no derivative, and for sinkhorn weights of particles
// without mass. Returns nullptr on the page, which computes no gradients (no_adjoint.cpp).
std::unique_ptr<PairAdjoint> make_pair_adjoint();

}  // namespace murmur::reference
