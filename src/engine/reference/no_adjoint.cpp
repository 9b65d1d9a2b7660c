// no_adjoint.cpp: stands in for attention_adjoint.cpp on the page, which goes back through nothing.
#include "engine/reference/attention_adjoint.h"

namespace murmur::reference {

std::unique_ptr<PairAdjoint> make_pair_adjoint() { return nullptr; }

}  // namespace murmur::reference
