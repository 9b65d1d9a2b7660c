// training_loop.h: the sequence of updates of a training, and random deformations of its samples.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learn/device_training.h"
#include "murmur/random.h"
#include "murmur/training.h"

namespace murmur {

//   p <- (I + A) (p + u(p)),   A (2, 2) of independent normal entries with deviation `affine`,
//   u(p) = sum_n B(x / 5 - n_x) B(y / 5 - n_y) c_n / share,   c_n normal with deviation `warp`
// B is the cubic B-spline, n runs over a lattice of 7 x 7 nodes around the plane of pictures, and
// share = 151/315, the integral of B^2, makes `warp` the root mean square of each coordinate of u.
// Outside [-10, 10] u has its value at the edge.
struct Deformation {
  double affine = 0, warp = 0;
  bool any() const { return affine > 0 || warp > 0; }
};

// Deforms x, y (tokens) of one sample; a pure function of `who`, which names the sample and the
// epoch.
void deform(const Deformation& deformation, const Draw& who, std::span<float> x,
            std::span<float> y);

// Everything that an exact continuation needs; sums are over the current epoch.
struct TrainingState {
  std::vector<float> parameters{};
  Optimiser optimiser{};
  std::vector<float> mean{};  // mean of the parameters after the last epochs, if they are averaged
  std::int64_t averaged = 0;  // epochs in the mean
  std::int64_t update = 0;    // updates made so far
  double loss = 0, gradient = 0;
  std::int64_t correct = 0, seen = 0;
  std::int64_t left_out = 0;  // updates of this epoch whose gradient was not finite
  double seconds = 0;         // spent in updates so far, all epochs

  // Parameters of the swarm if the training ended now.
  const std::vector<float>& model() const { return averaged > 0 ? mean : parameters; }
};

// Returns a state as named arrays, with the checksum of the pictures.
Record record_of(const TrainingState& state, const std::string& pictures);
// Returns the last checkpoint of a run, or `state`, the beginning. Error(input) if the checkpoint
// belongs to another swarm or other pictures.
TrainingState load_state(const Run& run, const std::string& pictures, TrainingState state);

class TrainingLoop;

// Samples for validation: those held out, else those learned; drawn ones if the task draws.
struct ChosenSamples {
  const SampleSet& set;
  std::vector<std::size_t> chosen;
};
ChosenSamples validation_samples(const TrainingData& data);
ChosenSamples test_samples(const TrainingData& data);  // all of them
// Packs samples of a set into a batch for a forward pass.
Batch batch_of(const ChosenSamples& samples);

// Progress of a training; `validation`: accuracy after the last complete epoch, NaN before.
Progress progress_of(const TrainingLoop& loop, const TrainingState& state, double validation);
// Returns the mean over the updates of a finished epoch that were not left out.
double mean_of_epoch(const TrainingLoop& loop, const TrainingState& state, double sum);
double images_per_second(const TrainingLoop& loop, const TrainingState& state);

// The samples of one update and the shift of each.
struct DrawnBatch {
  std::int64_t update = -1;  // none yet
  std::vector<std::size_t> chosen{};
  std::vector<float> shift{};
  SampleSet changed{};                 // the chosen samples, if tokens are left out or deformed
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
  int epoch(const TrainingState& state) const {  // the current epoch; 0 is the first
    return static_cast<int>(state.update / per_epoch_);
  }
  bool finished(const TrainingState& state) const { return state.update >= updates(); }
  double rate(std::int64_t update) const;
  int blocks(std::int64_t update) const;  // number of blocks that it runs

  // Processes one batch: backward, clipping, one update of the parameters. Returns true if it ended
  // an epoch: the sums then stay until the next update resets them. Parameters and optimiser may
  // stay on a device: call `collect` before reading them.
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
  SampleSet of_epoch_{};              // the samples of that epoch, if the task draws them
  std::vector<std::size_t> order_{};  // of the samples learned, or drawn
  std::vector<float> gradient_{};
  DrawnBatch drawn_{}, next_{};
  DeviceTraining* device_;       // null: the parameters are always in host memory
  std::int64_t on_device_ = -1;  // number of updates when the device last had the parameters
  bool collected_ = true;
};

}  // namespace murmur
