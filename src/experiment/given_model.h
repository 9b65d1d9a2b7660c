// given_model.h: a trained swarm named by model=: what it says of an experiment, and the sample
// that starts it.
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
  std::vector<std::uint8_t> bytes{};  // of the model file, as it was
  bool own_copy = false;              // inputs/model.npy of a run: the points of init have started
};
std::optional<GivenModel> given_model(const WordedSpec& worded);  // nothing for model=none

// Whether a model settles a parameter, which then cannot be given beside it: all that say something
// of the forces, and the masses.
bool fixed_by_model(const std::string& parameter);
WordedSpec with_model(WordedSpec worded, const GivenModel& model);

// What init says in the words of digits: test:K, train:K, a PNG, points of the plane or of R^d.
// Nothing where it is an initial law.
std::optional<HostSwarm> initial_sample(const WordedSpec& worded, const GivenModel& model);

}  // namespace murmur
