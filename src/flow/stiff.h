// stiff.h: the method bdf, for swarms with long-lived clusters.
#pragma once

#include "murmur/flow.h"

namespace murmur {

// As `advance`, by backward differentiation formulas. Throws Error(tool) if the program was built
// without SUNDIALS.
Outcome advance_stiff(const Flow& flow, const Schedule& schedule, FlowState& state,
                      const FlowWatch& watch);

bool has_stiff();  // whether the program was built with SUNDIALS

}  // namespace murmur
