// no_moments.cpp: replaces the moments engine in builds whose vectors have no doubles.
#include <limits>

#include "engine/moments/head_sums.h"
#include "engine/moments/moments.h"
#include "murmur/error.h"

namespace murmur {

std::unique_ptr<Engine> make_moments_engine(const MomentsChoice&) { return nullptr; }

double moments_cost(const Dynamics&, Shape) { return std::numeric_limits<double>::infinity(); }

double moments_bound(const Dynamics&, int) { return std::numeric_limits<double>::infinity(); }

namespace moments {

std::optional<ModeSums> mode_sums(const HostSwarm&, int, int) { return std::nullopt; }

double mode_sums_cost(Shape, int) { return std::numeric_limits<double>::infinity(); }

}  // namespace moments

}  // namespace murmur
