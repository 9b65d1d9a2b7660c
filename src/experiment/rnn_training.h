// rnn_training.h: the training of one rnn in a swarm's place, kept as a run.
#pragma once

#include <memory>
#include <optional>

#include "experiment/training_loop.h"
#include "learn/recurrent.h"

namespace murmur {

// What the file of a trained one says of its format.
inline constexpr const char* kRnnFormat = "murmur messenger";

// As many parameters as the training's swarm, within the step from one hidden unit to the next.
Rnn rnn_for(const Training& training);

// A run whose frames are epochs: the mean logits of each class (classes, classes). Of `murmur
// train` where the training asks for a recurrent reader, else of the reproduction that compares
// with one.
RunContents rnn_contents(const Training& training, const std::vector<std::string>& argv);

// Trains into `run` from its last checkpoint; leaves model.safetensors and summary.json. Nothing
// when stopped by a signal.
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
