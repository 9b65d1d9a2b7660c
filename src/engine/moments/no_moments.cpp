// no_moments.cpp: stands in for the moments engine where vectors hold no doubles.
#include "engine/moments/moments.h"
#include "murmur/error.h"

namespace murmur {

std::unique_ptr<Engine> make_moments_engine(const MomentsChoice&) { return nullptr; }

}  // namespace murmur
