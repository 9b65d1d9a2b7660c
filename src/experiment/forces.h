// forces.h: the dynamics that a spec describes.
#pragma once

#include "murmur/experiment.h"

namespace murmur {

// sphere, space or ellipsoid: as given, or as dynamics, normalisation and gains need it.
ManifoldChoice resolved_manifold(const DynamicsSpec& spec);
Manifold manifold_of(const DynamicsSpec& spec);  // an ellipsoid is a sphere with gains

// The spec of the forces, with the settings that an error quotes.
struct DynamicsRequest {
  const DynamicsSpec& spec;
  RandomKey random;
  double T;
  const Settings& words;
};

// Selects among weights that change with time: the number of earlier draws, and the layer of files
// with several layers.
struct Turn {
  std::uint32_t redraw = 0;
  std::size_t layer = 0;
};

// Makes the dynamics for swarms of that shape. Adds matrices and feed-forward parameters that came
// from files to `inputs` by name.
Dynamics dynamics_of(const DynamicsRequest& request, Shape shape, Record& inputs);
// The same without checking shapes and numbers, for callers with narrower checks.
Dynamics unchecked_dynamics(const DynamicsRequest& request, Shape shape, Record& inputs);

// Returns the factor of the drift A_i in the equation and in steps, with a space after it, or
// nothing.
std::string speed_text(const Dynamics& dynamics);

// The force of head_scale=limit. Error(input) if the mean over the laws of query, key and value is
// not known in closed form, or is zero.
ManyHeads many_heads(const DynamicsRequest& request);

// --- Layers of weights in files.

// Returns the number of layers in all files that have an axis of layers, and reads them into
// `inputs`. Error(input) if the numbers differ, if no file has such an axis, or if the rest of the
// request does not allow layers.
std::size_t number_of_layers(const DynamicsRequest& request, Record& inputs);

// Returns the time at which the last layer ends or is reached: the final time, or as given.
double weights_until(const DynamicsRequest& request);

// Refuses weights_until without layers.
void check_weights_until(const DynamicsRequest& request);

}  // namespace murmur
