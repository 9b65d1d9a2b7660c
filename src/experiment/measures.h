// measures.h: the initial measure that the word init describes.
#pragma once

#include "murmur/experiment.h"
#include "murmur/meanfield.h"

namespace murmur {

// What came from a file is added to `inputs`, as "density" or "points".
Measure measure_of(const Settings& settings, int d, Record& inputs);

}  // namespace murmur
