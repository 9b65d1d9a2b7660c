// laws.h: the initial laws: where each particle starts, as a pure function of its number.
#pragma once

#include <functional>
#include <vector>

#include "murmur/experiment.h"

namespace murmur {

using Place = std::vector<double>;  // (d)

// uniform, cap:0.5, clusters:3:0.1, ... and back.
InitialLaw read_law(const Settings& words, const std::string& key);
std::string law_text(const InitialLaw& law);

// Every initial law: its name with the arguments that it takes, and what it draws.
std::span<const ParameterValue> initial_laws();

// What a law is to make, with the words that a refusal quotes.
struct LawRequest {
  const InitialLaw& law;
  RandomKey random;
  Shape shape;
  Manifold manifold;
  const Settings& words;
};
// (d) where particle i starts; on the sphere of norm 1.
std::function<Place(int)> initial_law(const LawRequest& request);

}  // namespace murmur
