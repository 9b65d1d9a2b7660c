// pair_sample.h: the sample of pairs that the settings of observables ask for.
#pragma once

#include "core/sums.h"
#include "murmur/observe.h"

namespace murmur {

inline PairSample sample_of(const ObserveSettings& settings) {
  return {.seed = settings.seed, .max_exact = settings.max_exact, .pairs = settings.sample_pairs};
}

}  // namespace murmur
