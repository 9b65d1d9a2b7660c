// no_adjoint.cpp: stands in for pair_adjoint.cpp on the page, which goes back through nothing.
#include "engine/simd/pair_adjoint.h"

namespace murmur::simd {

std::unique_ptr<PairAdjoint> make_pair_adjoint(int) { return nullptr; }

}  // namespace murmur::simd
