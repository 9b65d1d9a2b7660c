// attention_adjoint.h: the adjoint of one head's sums over pairs, by definition.
#pragma once

#include <memory>

#include "core/force_adjoint.h"

namespace murmur::reference {

// Softmax, plain and doubly stochastic attention; Error(input) for hard attention, which has no
// derivative, and for sinkhorn weights of particles without mass. nullptr on the page, which goes
// back through nothing (no_adjoint.cpp).
std::unique_ptr<PairAdjoint> make_pair_adjoint();

}  // namespace murmur::reference
