// external.h: forces that are functions of the calling program, to try an idea.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "murmur/engine.h"

namespace murmur {

// A force in a separate last sublayer. It cannot be stored in a file: the manifest of a run names
// it in the engine, "reference with NAME", and such a run cannot be reproduced from its files.
struct ExternalForce {
  std::string name{};
  // a_i += the force on particle i at time t; x and a have the same shape; a is the force before
  // projection.
  std::function<void(double t, const HostSwarm& x, HostSwarm& a)> add{};
};

// Makes a reference engine with these forces in the last sublayer of any dynamics.
std::unique_ptr<Engine> make_reference_engine(std::vector<ExternalForce> forces);

// Returns the names of such forces in the full name of an engine; none for other engines.
std::vector<std::string> external_of_engine(const std::string& engine);

}  // namespace murmur
