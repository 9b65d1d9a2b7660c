// measures.h: the initial measure that the words init and prefix describe.
#pragma once

#include "murmur/experiment.h"
#include "murmur/meanfield.h"

namespace murmur {

// What came from a file is added to `inputs`, as "density" or "points".
Measure measure_of(const Settings& settings, int d, Record& inputs);

// The laws of the first labels of a prompt, by the word prefix; none: no laws.
std::vector<Measure::Earlier> prefix_of(const Settings& settings, int d);

}  // namespace murmur
