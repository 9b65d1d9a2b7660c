// small_settings.h: whether a request is cheap enough to be carried out a million times.
#pragma once

#include <cstdlib>
#include <string>

#include "murmur/experiment.h"

namespace murmur::fuzz {

inline bool at_most(const Settings& settings, const char* key, double most) {
  const std::string& text = settings.at(key).text;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return *end != '\0' || !(value > most);
}

// Large swarms are valid and slow to make: a fuzzer looks for faults, not for patience.
inline bool are_small(const Settings& settings) {
  return at_most(settings, "n", 200) && at_most(settings, "d", 50) &&
         at_most(settings, "heads", 4) && settings.at("perceptron").text.rfind("gaussian:", 0) != 0;
}

}  // namespace murmur::fuzz
