// no_adjoint.cpp: replaces attention_adjoint.cpp on the page, which computes no gradients.
#include "engine/reference/attention_adjoint.h"

namespace murmur::reference {

std::unique_ptr<PairAdjoint> make_pair_adjoint() { return nullptr; }

}  // namespace murmur::reference
