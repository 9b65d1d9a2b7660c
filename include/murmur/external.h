// external.h: forces that are functions of whoever calls the library, for trying an idea.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "murmur/engine.h"

namespace murmur {

// A force of its own sublayer, the last. No file can hold it: a run that it moved names it in the
// engine of its manifest, "reference with NAME", and cannot be made again from its files.
struct ExternalForce {
  std::string name{};
  // a_i += the force on particle i at time t; x and a have one shape, before projection.
  std::function<void(double t, const HostSwarm& x, HostSwarm& a)> add{};
};

// The reference engine with these forces in the last sublayer of any dynamics.
std::unique_ptr<Engine> make_reference_engine(std::vector<ExternalForce> forces);

// The names of these in the full name of an engine; none for any other engine.
std::vector<std::string> external_of_engine(const std::string& engine);

}  // namespace murmur
