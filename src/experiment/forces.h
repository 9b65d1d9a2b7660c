// forces.h: the dynamics that settings describe.
#pragma once

#include "murmur/experiment.h"

namespace murmur {

// Matrices and feed-forward parameters that came from files are added to `inputs` by name.
Dynamics dynamics_of(const Settings& settings, int d, Record& inputs);

}  // namespace murmur
