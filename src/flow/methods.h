// methods.h: the tableau behind each row of the table of methods.
#pragma once

#include "flow/runge_kutta.h"
#include "murmur/flow.h"

namespace murmur {

// The tableau of a method with Stepping::runge_kutta, or of the drift of strang; nullptr for the
// others.
const Tableau* tableau_of(Method method);

// The pair that integrates reductions, coefficients and ascents.
const Tableau& dormand_prince();

}  // namespace murmur
