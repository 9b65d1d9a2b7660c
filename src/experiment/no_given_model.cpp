// no_given_model.cpp: replaces given_model.cpp in builds without files.
#include "experiment/given_model.h"
#include "experiment/words.h"

namespace murmur {

std::optional<GivenModel> given_model(const WordedSpec& worded) {
  if (worded.spec.model)
    refuse(worded.words, "model", "there are no files here", "load the model itself instead");
  return std::nullopt;
}

bool fixed_by_model(const std::string&) { return false; }

WordedSpec with_model(WordedSpec worded, const GivenModel&) { return worded; }

std::optional<HostSwarm> initial_sample(const WordedSpec&, const GivenModel&) {
  return std::nullopt;
}

}  // namespace murmur
