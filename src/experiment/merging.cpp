// merging.cpp: the dynamics whose particles must not become one when they meet.
#include "experiment/verify.h"

namespace murmur {

std::optional<WhyNotMerge> why_not_merge(const Dynamics& dynamics) {
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      if (const Attention* a = head_of(force)) {
        if (a->mask == Attention::causal)
          return WhyNotMerge{"particles of a causal swarm do not move alike when they meet",
                             "use merge=0"};
        if (!a->self)
          return WhyNotMerge{"with self=false a merged group would no longer see itself",
                             "use merge=0, or self=true"};
      }
  return std::nullopt;
}

}  // namespace murmur
