// forces.h: the dynamics that a spec describes.
#pragma once

#include "murmur/experiment.h"

namespace murmur {

// sphere, space or ellipsoid: as given, or as dynamics, normalisation and gains want it.
ManifoldChoice resolved_manifold(const DynamicsSpec& spec);
Manifold manifold_of(const DynamicsSpec& spec);  // an ellipsoid is a sphere with gains

// What the forces are made of, with the words that a refusal quotes.
struct DynamicsRequest {
  const DynamicsSpec& spec;
  RandomKey random;
  double T;
  const Settings& words;
};

// Which of the weights that change with time are meant: how many draws came before, and which layer
// of files that hold several.
struct Turn {
  std::uint32_t redraw = 0;
  std::size_t layer = 0;
};

// For swarms of that shape. Matrices and feed-forward parameters that came from files are added to
// `inputs` by name.
Dynamics dynamics_of(const DynamicsRequest& request, Shape shape, Record& inputs);
// The same before its shapes and numbers are checked: for those who check more narrowly.
Dynamics unchecked_dynamics(const DynamicsRequest& request, Shape shape, Record& inputs);

// The factor of the drift A_i in the equation and in steps, with a space behind it, or nothing.
std::string speed_text(const Dynamics& dynamics);

}  // namespace murmur
