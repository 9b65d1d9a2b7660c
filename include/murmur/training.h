// training.h: from parameters to a trained swarm: recipes, the training itself, and its results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/images.h"
#include "murmur/learn.h"
#include "murmur/run.h"

namespace murmur {

// One row per parameter of `murmur train`. "recipe" as a value: what the recipe says.
std::span<const Parameter> training_parameters();

// Every setting of a training; the pictures come apart.
struct Training {
  std::string name = "digits";
  std::uint64_t seed = 0;
  std::vector<int> digits{};  // labels of the classes, in the order of the targets
  Architecture architecture{};
  Objective objective{};
  Tokenisation tokens{};
  int epochs = 60;
  std::size_t batch = 256;
  double rate = 1e-2;  // the peak of one-cycle, or constant
  bool one_cycle = true;
  double decay = 0.01, clip = 1;  // 0: none
  double shift = 0.5;             // standard deviation of the random shift of a whole sample
  double validation = 0.1;        // share of the training set that is kept back
  enum Device { cpu, cuda } device = cpu;
  int threads = 0;
  std::string data{};    // folder or name, as asked
  std::string config{};  // config.toml: every setting, recipe resolved
};
Training make_training(const Settings& settings);
// Flow and backward on the training's device. Error(tool) where it is not there.
std::unique_ptr<Adjoint> adjoint_for(const Training& training);

// The samples for training, validation and test.
struct TrainingData {
  std::string name{}, checksum{};
  SampleSet train{}, test{};
  std::vector<std::size_t> learned{}, kept_back{};  // samples of `train`
  std::vector<std::size_t> test_picture{};          // (samples of test) index of the picture
  Images test_pictures{};
};
TrainingData gather_data(const Training& training, const std::filesystem::path& folder);

// Where pictures are looked for: as `data` says, or the variable MURMUR_DATA it came from; else at
// `otherwise`, the place a training was asked to look at. Settings may carry `xdg`, the folder
// where this machine keeps data, beside the parameters.
DataPlaces data_places(const Settings& settings, const std::string& otherwise = {});
// A PNG as a digit: 28 x 28 pixels as they are, any other size centred as MNIST was.
Picture read_digit_png(const std::filesystem::path& path);

// A trained swarm: all that a forward pass needs.
struct TrainedSwarm {
  Architecture architecture{};
  std::vector<float> parameters{};
  std::vector<int> digits{};
  Tokenisation tokens{};
  std::string data{};           // folder or name, as the training was asked
  int height = 28, width = 28;  // of the pictures it learned from
  std::vector<double> doubles() const { return {parameters.begin(), parameters.end()}; }
};
// From a training run or a model.safetensors. Error(input) for tensors of another shape.
TrainedSwarm read_trained_swarm(const std::filesystem::path& run_or_file);
TrainedSwarm parse_trained_swarm(std::span<const std::byte> bytes, const std::string& where);
void write_trained_swarm(const TrainedSwarm& swarm, const std::filesystem::path& file);

// Verdicts of a trained swarm on samples.
struct Verdicts {
  std::vector<int> verdict{};  // (samples) index of a class
  Matrix scores{};             // (samples, classes)
  Matrix readout{};            // (samples, d)
};
Verdicts judge(const TrainedSwarm& swarm, const SampleSet& samples, int threads);
// (d) the mean token, or the CLS token, which is the last: what the scores are read off.
Vector readout_of(const Architecture& architecture, const HostSwarm& x);
Matrix chances_of(const Matrix& scores);  // softmax of every row
Matrix confusion_of(const Verdicts& verdicts, const std::vector<int>& label, int classes);

// One sample's forward pass by Dynamics, Flow and the method `layers`: a frame a
// block; `blocks` past the trained depth when larger. The readout of every frame, as scores.
struct SampleTrajectory {
  std::vector<HostSwarm> frames{};
  Matrix scores{};  // (frames, classes)
};
SampleTrajectory simulate_sample(const TrainedSwarm& swarm, const SampleSet& samples,
                                 std::size_t sample, int blocks = 0);

// The maps of one block at a point x of R^d, (d) each; empty where the interaction has no such map:
//   Q x + b_Q,  K x + b_K,  V x + b_V,  W_out relu(W_in x + b_in) + b_out
struct BlockFields {
  Vector query{}, key{}, value{}, feed_forward{};
};
BlockFields fields_at(const TrainedSwarm& swarm, int block, std::span<const double> x);

struct TrainingSummary {
  double test_accuracy = 0, validation_accuracy = 0;  // 0 to 1
  std::size_t test_correct = 0, test_count = 0;
  double images_per_second = 0, seconds = 0;
  int epochs = 0;
  std::uint64_t seed = 0;
  std::size_t parameters = 0;
  std::string data{}, checksum{};
};

// A run whose frames are epochs: the mean readout of each class (classes, d), with
// loss, accuracies, rate and length of the gradient as columns.
std::vector<std::string> free_training_settings();  // keys that change no training
RunContents contents_of(const Training& training, const std::vector<std::string>& argv);

// Trains into `run` from its last checkpoint; leaves model.safetensors and summary.json. Nothing
// when stopped by a signal. The test set is evaluated once, at the end.
std::optional<TrainingSummary> train(const Training& training, const TrainingData& data, Run& run,
                                     const ProcessControl& control);
TrainingSummary read_summary(const std::filesystem::path& run);

}  // namespace murmur
