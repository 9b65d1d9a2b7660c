// stiff.h: the method bdf, for swarms whose clusters live long.
#pragma once

#include "murmur/flow.h"

namespace murmur {

// As `advance`, by backward differentiation formulas. Error(tool) where SUNDIALS was not there when
// the program was built.
Outcome advance_stiff(const Flow& flow, const Schedule& schedule, FlowState& state,
                      const FlowWatch& watch);

bool has_stiff();  // whether it was

}  // namespace murmur
