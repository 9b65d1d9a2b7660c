// forces.h: the dynamics that settings describe.
#pragma once

#include "murmur/experiment.h"

namespace murmur {

// sphere, space or ellipsoid: as given, or as dynamics, normalisation and gains want it.
std::string manifold_name(const Settings& settings);
Manifold manifold_of(const Settings& settings);  // an ellipsoid is a sphere with gains

// For swarms of that shape. Matrices and feed-forward parameters that came from files are added to
// `inputs` by name.
Dynamics dynamics_of(const Settings& settings, Shape shape, Record& inputs);

}  // namespace murmur
