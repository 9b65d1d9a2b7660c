// direct_sums.h: the sums of a request pair by pair, with a bound on their rounding.
#pragma once

#include "engine/moments/sums.h"

namespace murmur::moments {

inline constexpr int kMostDirectCoordinates = 16;

// Every target's largest score first, then the sums over it. The bound holds for any positions and
// masses: sums of positive terms keep their relative error.
SumsCost direct_sums(const SumsRequest& request, const SumsResult& result);

}  // namespace murmur::moments
