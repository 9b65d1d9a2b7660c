// messenger_course.h: the training of one messenger in a swarm's place, kept as a run.
#pragma once

#include <memory>
#include <optional>

#include "experiment/course.h"
#include "murmur/messenger.h"

namespace murmur {

// As many parameters as the training's swarm, within the step from one hidden unit to the next.
Messenger messenger_for(const Training& training);

// A run whose frames are epochs: the mean logits of each class (classes, classes).
RunContents messenger_contents(const Training& training, const std::vector<std::string>& argv);

// Trains into `run` from its last checkpoint, one after every epoch; leaves model.safetensors and
// summary.json. Nothing when stopped by a signal.
struct MessengerTraining {
  const Training& training;
  const TrainingData& data;
  Run& run;
  const TrainingControl& control;
};
std::optional<TrainingSummary> train_messenger(const MessengerTraining& what);

struct TrainedMessenger {
  Messenger messenger{};
  std::vector<float> parameters{};
};
TrainedMessenger read_trained_messenger(const std::filesystem::path& run);

}  // namespace murmur
