// initial.h: where a swarm starts: initial laws, points given by hand or by file.
#pragma once

#include <functional>
#include <vector>

#include "murmur/engine.h"
#include "murmur/experiment.h"

namespace murmur {

using Position = std::vector<double>;  // (d)

// Reads and writes initial laws: uniform, cap:0.5, clusters:3:0.1, ...
InitialLaw read_law(const Settings& words, const std::string& key);
std::string law_text(const InitialLaw& law);

// Returns every initial law: its name with its arguments, and a description.
std::span<const ParameterValue> initial_laws();

// A law and the swarm to draw, with the settings that an error quotes.
struct LawRequest {
  const InitialLaw& law;
  RandomKey random;
  Shape shape;
  Manifold manifold;
  const Settings& words;
};
// Returns a function that maps i to the start (d) of particle i; on the sphere of norm 1.
std::function<Position(int)> initial_law(const LawRequest& request);

// Returns the initial swarm of a spec. Points given by hand or by file set n and d. On the sphere
// points with norms within 1e-5 of 1 are normalised, others refused.
HostSwarm initial_swarm(const WordedSpec& worded, Manifold manifold);

bool is_picture(const InitialFile& file);  // a png

// Returns the array (n, d) of init=points:... or init=FILE.npy; nothing for other starts.
std::optional<Array> given_points(const Initial& init);

// Error(input) if the choice names a GPU engine and the memory of the GPU cannot hold the swarm;
// Error(tool) if there is no GPU.
void require_room(const EngineChoice& choice, Shape shape);

}  // namespace murmur
