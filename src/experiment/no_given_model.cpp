// no_given_model.cpp: stands in for given_model.cpp where there are no files to read a model from.
#include "experiment/given_model.h"
#include "experiment/words.h"

namespace murmur {

std::optional<GivenModel> given_model(const Settings& settings) {
  if (setting(settings, "model").text != "none")
    refuse(settings, "model", "there are no files here", "load the model itself instead");
  return std::nullopt;
}

std::span<const char* const> fixed_by_model() { return {}; }

Settings with_model(Settings settings, const GivenModel&) { return settings; }

std::optional<HostSwarm> initial_sample(const Settings&, const GivenModel&) { return std::nullopt; }

}  // namespace murmur
