// laws.h: the initial laws: where each particle starts, as a pure function of its number.
#pragma once

#include <functional>
#include <vector>

#include "murmur/experiment.h"

namespace murmur {

using Row = std::vector<double>;  // (d)

// The law that `init` names; on the sphere its rows have norm 1.
std::function<Row(int)> initial_law(const Settings& settings, Shape shape, Manifold manifold);

}  // namespace murmur
