// training_loop.h: the updates of a training, one after another, over any Adjoint.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "learn/device_training.h"
#include "murmur/training.h"

namespace murmur {

// Everything an exact continuation needs; sums are over the epoch under way.
struct TrainingState {
  std::vector<float> parameters{};
  Optimiser optimiser{};
  std::vector<float> mean{};  // of the parameters after the last epochs, where they are averaged
  std::int64_t averaged = 0;  // epochs in it
  std::int64_t update = 0;    // updates made so far
  double loss = 0, gradient = 0;
  std::int64_t correct = 0, seen = 0;
  std::int64_t left_out = 0;  // updates of the epoch under way whose gradient was not finite
  double seconds = 0;         // spent in updates so far, all epochs

  // What the swarm would be if the training ended here.
  const std::vector<float>& model() const { return averaged > 0 ? mean : parameters; }
};

// A state as named arrays, with the checksum of the pictures it learns from.
Record record_of(const TrainingState& state, const std::string& pictures);
// Where a run stands: its last checkpoint, or `state`, the beginning. Error(input) for a checkpoint
// of another swarm or of other pictures.
TrainingState where_it_stands(const Run& run, const std::string& pictures, TrainingState state);

class TrainingLoop;

// Samples that a training is watched by: those kept back, or learned where none are; drawn ones
// where the task draws.
struct WatchedSamples {
  const SampleSet& set;
  std::vector<std::size_t> chosen;
};
WatchedSamples watched_samples(const TrainingData& data);
WatchedSamples test_samples(const TrainingData& data);  // all of them
// Some samples of a set as a batch of a forward pass.
Batch batch_of(const WatchedSamples& samples);

// How far a training is; `validation`: accuracy after the last whole epoch, NaN before.
Progress progress_of(const TrainingLoop& loop, const TrainingState& state, double validation);
// A sum over the updates of an epoch that ended, as the mean over those that were not left out.
double mean_of_epoch(const TrainingLoop& loop, const TrainingState& state, double sum);
double images_per_second(const TrainingLoop& loop, const TrainingState& state);
std::string to_json(const TrainingSummary& summary);  // text of summary.json

// The samples of one update and how far each is shifted.
struct DrawnBatch {
  std::int64_t update = -1;  // none yet
  std::vector<std::size_t> chosen{};
  std::vector<float> shift{};
  SampleSet changed{};                 // the chosen ones, where tokens are left out or deformed
  std::vector<std::size_t> in_turn{};  // all of them
};

class TrainingLoop {
 public:
  TrainingLoop(const Training& training, const TrainingData& data, Adjoint& adjoint);
  static TrainingState begin(const Training& training, std::vector<float> parameters);

  std::int64_t updates() const { return per_epoch_ * training_.epochs; }
  std::int64_t per_epoch() const { return per_epoch_; }
  std::size_t batch() const { return batch_; }
  int epochs() const { return training_.epochs; }
  int epoch(const TrainingState& state) const {  // under way: 0 is the first
    return static_cast<int>(state.update / per_epoch_);
  }
  bool finished(const TrainingState& state) const { return state.update >= updates(); }
  double rate(std::int64_t update) const;
  int blocks(std::int64_t update) const;  // that it runs

  // One batch: backward, clipping, one update of the parameters. True when it ended an epoch: the
  // sums then stand until the next update begins them anew. Parameters and optimiser may stay on a
  // device: collect them before they are read.
  bool update(TrainingState& state);
  void collect(TrainingState& state);

 private:
  void prepare(int epoch);
  void shuffle(int epoch);
  void draw(std::int64_t update, DrawnBatch& to);
  void change_samples(std::uint32_t epoch, DrawnBatch& to) const;
  bool computes_with(std::size_t sample, std::uint32_t epoch, std::size_t token) const;
  void average(TrainingState& state);
  void leave_out(TrainingState& state) const;
  Adjoint& adjoint_of(std::int64_t update);
  Batch batch_of(const DrawnBatch& drawn) const;
  DeviceTraining::Update learn(TrainingState& state);
  DeviceTraining::Update learn_on_device(TrainingState& state);

  const Training& training_;
  const TrainingData& data_;
  Adjoint& adjoint_;
  std::map<int, std::unique_ptr<Adjoint>> deeper_{};  // by the number of blocks
  std::size_t batch_;
  std::int64_t per_epoch_;
  int prepared_ = -1;                 // the epoch that `order_` is for
  SampleSet of_epoch_{};              // the samples of that epoch, where the task draws them
  std::vector<std::size_t> order_{};  // of the samples learned, or drawn
  std::vector<float> gradient_{};
  DrawnBatch drawn_{}, next_{};
  DeviceTraining* device_;       // null: the parameters are always here
  std::int64_t on_device_ = -1;  // updates made when the device had the parameters last
  bool collected_ = true;
};

}  // namespace murmur
