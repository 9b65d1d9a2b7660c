// given_model.h: a trained swarm named by model=: the parameters that it fixes, and the sample that
// starts it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/training.h"

namespace murmur {

struct GivenModel {
  TrainedSwarm swarm{};
  std::vector<std::uint8_t> bytes{};  // of the model file
  bool own_copy = false;  // inputs/model.npy of a run: the points of init are start positions
};
std::optional<GivenModel> given_model(const WordedSpec& worded);  // returns nothing for model=none

// Returns whether a model fixes a parameter, which then cannot be given: all parameters of the
// forces, and the masses.
bool fixed_by_model(const std::string& parameter);
WordedSpec with_model(WordedSpec worded, const GivenModel& model);

// Returns the sample that init names: test:K, train:K, a PNG, points of the plane or of R^d.
// Nothing if init is an initial law.
std::optional<HostSwarm> initial_sample(const WordedSpec& worded, const GivenModel& model);

}  // namespace murmur
