// methods.h: the tableau behind each row of the table of methods.
#pragma once

#include "flow/tableau.h"
#include "murmur/flow.h"

namespace murmur {

// Of the methods that are tableaux (Stepping::runge_kutta), and of strang its drift; none: nullptr.
const Tableau* tableau_of(Method method);

// The pair that reductions, coefficients and ascents are carried by.
const Tableau& dormand_prince();

}  // namespace murmur
