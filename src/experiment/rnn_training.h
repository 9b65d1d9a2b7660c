// rnn_training.h: trains a recurrent network instead of a swarm, stored as a run.
#pragma once

#include <memory>
#include <optional>

#include "experiment/training_loop.h"
#include "learn/recurrent.h"

namespace murmur {

// The format in the file of a trained network.
inline constexpr const char* kRnnFormat = "murmur messenger";

// Returns the network whose number of parameters is closest to that of the swarm of the training.
Rnn rnn_for(const Training& training);

// Contents of a run whose frames are epochs: the mean logits of each class (classes, classes). The
// command is `murmur train` if the training has a recurrent reader, else `murmur reproduce`.
RunContents rnn_contents(const Training& training, const std::vector<std::string>& argv);

// Trains into `run` from its last checkpoint; writes model.safetensors and summary.json. Returns
// nothing after a signal.
struct RnnTraining {
  const Training& training;
  const TrainingData& data;
  Run& run;
  const ProcessControl& control;
};
std::optional<TrainingSummary> train_rnn(const RnnTraining& what);

struct TrainedRnn {
  Rnn rnn{};
  std::vector<float> parameters{};
};
TrainedRnn read_trained_rnn(const std::filesystem::path& run);

}  // namespace murmur
