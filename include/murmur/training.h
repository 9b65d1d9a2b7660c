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
#include "murmur/sentences.h"

namespace murmur {

// One row per parameter of `murmur train`. The value "recipe" takes the value of the recipe.
std::span<const Parameter> training_parameters();

// The task: the question about a sample, with its classes in the order of the targets.
enum class Task {
  digits,  // which of the digits a picture shows
  same,    // whether two pictures next to each other show the same digit: same, different
  sense,   // in which of its two senses a word is used in a sentence: first, second
  order,   // whether a name comes before the verb or after it: subject, object
};
std::vector<std::string> class_names(Task task, const std::vector<int>& digits);
bool reads_words(Task task);  // and no pictures

// The model: the swarm, or a recurrent network with as many parameters that reads the tokens one
// after another (learn/recurrent.h).
enum class Reader { swarm, recurrent };

// A training with its recipe resolved; without the pictures.
struct Training {
  std::string name = "digits";
  Task task = Task::digits;
  Reader reader = Reader::swarm;
  std::uint64_t seed = 0;
  std::vector<int> digits{};  // labels of the pictures that are read
  Architecture architecture{};
  Objective objective{};
  Tokenisation tokens{};
  int epochs = 60;
  std::size_t samples = 0;  // drawn every epoch; 0: the training set, shuffled
  std::size_t batch = 256;
  double rate = 1e-2;  // the peak of one-cycle, or constant
  bool one_cycle = true;
  double decay = 0.01, clip = 1;  // 0: none
  double shift = 0.5;             // standard deviation of the random shift of a whole sample
  double affine = 0, warp = 0;    // of a random linear map's entries, of a bending
  double token_share = 1;         // fraction of a sample's tokens in an update
  int stay = 0;       // number of one-token samples at their target in an update, for each class
  double deeper = 1;  // an update runs between the number of blocks and this many times it
  bool mostly_shallow = false;  // whether that number is drawn with DepthLaw::square
  double averaging = 0;     // fraction of the epochs, the last ones, whose parameters are averaged
  double validation = 0.1;  // fraction of the training set kept for validation
  enum Device { cpu, cuda } device = cpu;
  int threads = 0;
  std::string data{};    // folder or name, as given
  std::string config{};  // config.toml: every setting, recipe resolved
};

// `settled` trains tokens to come to rest at their target; `best` trains for accuracy; `published`
// trains as the companion code did. `automatic` means `settled` where `settles_by_default`,
// otherwise `best`.
enum class Recipe { automatic, settled, best, published };

// The blocks that `settle` counts: the last half of those that an update runs, or those from the
// trained depth on.
enum class SettleFrom { half, depth };

// The law of the number of blocks that an update runs, between `blocks` and `deeper` times as many:
// uniform, or its excess over `blocks` proportional to the square of a uniform number.
enum class DepthLaw { uniform, square };

// spread: left and right for two classes, well apart for more; third_axis: the companion code's
// corners.
enum class TargetChoice { spread, third_axis };

// The mean of the target loss: over the tokens, or over the tensor padded to the longest sample.
enum class LossAverage { tokens, padded };

enum class RateSchedule { one_cycle, constant };

// How tokens get their position: not at all; by learned or sinusoidal codes added to their starts;
// by rotated queries and keys.
enum class Positions { none, learned, sinusoidal, rotary };

// The settings of a training, with one field for each parameter; empty: the recipe's value.
struct TrainingSpec {
  std::string name = "digits";
  Task task = Task::digits;
  Reader reader = Reader::swarm;
  std::string data = "auto";         // auto, mnist, fashion-mnist, or a folder
  std::vector<int> digits = {5, 6};  // labels of the pictures that are read
  double threshold = 0.5;
  std::optional<int> every{};  // one in this many points of ink is a token
  int d = 3, blocks = 10;
  bool shared = true;
  int hidden = 512, heads = 1;
  int head_width = 0;  // as in Architecture
  double residual = 0.1;
  Architecture::Interaction interaction = Architecture::attention;
  Architecture::Readout readout = Architecture::mean;
  bool position = false;  // as Positions::sinusoidal
  Positions positions = Positions::none;
  Recipe recipe = Recipe::automatic;
  std::optional<TargetChoice> targets{};
  std::optional<Objective::Loss> loss{};
  std::optional<LossAverage> average{};
  std::optional<int> epochs{};
  std::optional<std::size_t> samples{};  // per epoch, for a task that draws them
  std::optional<std::size_t> batch{};
  std::optional<double> rate{};  // the peak of one-cycle, or constant
  std::optional<RateSchedule> schedule{};
  std::optional<double> decay{}, clip{};  // 0: none
  std::optional<double> shift{};          // standard deviation of the shift of a whole sample
  double affine = 0, warp = 0;            // random linear map and bending of a whole sample
  std::optional<double> settle{};         // weight of the distance of all tokens to their target
  std::optional<SettleFrom> settle_from{};
  // Maximum number of blocks in an update, as a multiple of `blocks`
  std::optional<double> deeper{};
  std::optional<DepthLaw> depth_law{};
  std::optional<double> token_share{};  // fraction of a sample's tokens in an update
  std::optional<int> stay{};  // one-token samples at their target, of each class, per update
  double smoothing = 0, dropout = 0;
  // Fraction of the epochs, the last ones, whose parameters are averaged
  std::optional<double> averaging{};
  double validation = 0.1;  // fraction of the training set kept for validation
  std::uint64_t seed = 0;
  Training::Device device = Training::cpu;
  int threads = 0;  // 0: all
};

// A spec with the texts it was read from: errors quote them, and config.toml repeats them.
struct WordedTraining {
  TrainingSpec spec{};
  Settings words{};  // every parameter
};

// Parses settings; throws Error(input) for the first value that its parameter does not take.
TrainingSpec training_spec_of(const Settings& words);
// Writes settings that parse to the same spec; values that differ from the default count as given.
Settings training_words_of(const TrainingSpec& spec);
// Applies key=value assignments to a spec; errors quote them as from the command line.
WordedTraining apply_assignments(const TrainingSpec& spec,
                                 const std::vector<std::string>& assignments);

// Whether recipe=auto means `settled`: two digits and five or more shared blocks of attention in up
// to four dimensions, read by their mean token.
bool settles_by_default(const TrainingSpec& spec);

// Resolves the recipe. Throws Error(input) if parts of a spec do not fit together.
Training make_training(const WordedTraining& worded);
Training make_training(const TrainingSpec& spec);
Training make_training(const Settings& settings);
// Makes the forward and backward pass on the training's device. Throws Error(tool) if there is no
// such device.
std::unique_ptr<Adjoint> adjoint_for(const Training& training);
// Returns the number of parameters of the training's model.
std::size_t parameter_count(const Training& training);

struct TrainedSwarm;

// The samples for training, validation and test. A task of pairs has single pictures in `train`,
// and fixed pairs of other pictures in `validation` and `test`.
struct TrainingData {
  std::string name{}, checksum{};
  SampleSet train{}, test{};
  std::vector<std::size_t> learned{}, kept_back{};  // samples of `train`
  // Of tasks that draw; of training pictures if none are kept for validation
  SampleSet validation{};
  std::vector<std::size_t> test_picture{};  // (samples of test, or of its single pictures)
  std::vector<PicturePair> test_pairs{};    // (samples of test) of single test pictures
  Images test_pictures{};
};
// For sentences `train` has the validation set, because training sentences are drawn; the folder is
// for pictures.
TrainingData gather_data(const Training& training, const std::filesystem::path& folder);
// Returns the training samples of an epoch of a task that draws, in their order.
SampleSet draw_epoch(const Training& training, const TrainingData& data, int epoch);
// Returns the test pairs of task=same, the same for every seed: of the samples of its test
// pictures, or of the pictures themselves.
std::vector<PicturePair> test_pairs_of(const SampleSet& test_pictures);
std::vector<PicturePair> test_pairs_of(const TrainedSwarm& swarm, const Images& test);

// The words of a task of sentences by number, and its test sentences, the same for every seed.
const std::vector<std::string>& vocabulary_of(Task task);
SampleSet test_sentences(Task task);
// Makes a sentence of these words; capitals and punctuation do not matter. `asked`: the queried
// word; empty: the first possible one. Throws Error(input) for an unknown word.
SampleSet read_sentence(Task task, const std::string& text, const std::string& asked);
std::string sentence_text(Task task, const SampleSet& samples, std::size_t sample);
bool is_asked_about(Task task, int word);  // an ambiguous word, a name
std::string asked_word(Task task, const SampleSet& samples, std::size_t sample);
// The meaning of a class for a word: the topic of its sense, subject or object.
std::string meaning_of(Task task, const std::string& word, int label);
// Number of positions between the queried word and the decisive one: its cue, or the other name.
int distance_to_cue(Task task, const SampleSet& samples, std::size_t sample);

// Where pictures are searched: in `data`, which may come from the variable MURMUR_DATA; else in
// `otherwise`, the folder given to the training. Settings may also contain `xdg`, the user's folder
// for data.
DataPlaces data_places(const Settings& settings, const std::string& otherwise = {});
// Reads a PNG as a digit: 28 x 28 pixels as they are, any other size centred as MNIST was.
Picture read_digit_png(const std::filesystem::path& path);

// A trained swarm, with all data for a forward pass.
struct TrainedSwarm {
  Architecture architecture{};
  std::vector<float> parameters{};
  std::vector<int> digits{};
  Tokenisation tokens{};
  std::string data{};           // folder or name, as given to the training
  int height = 28, width = 28;  // of the training pictures
  Task task = Task::digits;
  std::vector<double> doubles() const { return {parameters.begin(), parameters.end()}; }
};
// Reads a training run or a model.safetensors. Throws Error(input) for tensors of another shape.
TrainedSwarm read_trained_swarm(const std::filesystem::path& run_or_file);
TrainedSwarm parse_trained_swarm(std::span<const std::byte> bytes, const std::string& where);
void write_trained_swarm(const TrainedSwarm& swarm, const std::filesystem::path& file);

// Answers of a trained swarm for samples.
struct Verdicts {
  std::vector<int> verdict{};  // (samples) index of a class
  Matrix scores{};             // (samples, classes)
  Matrix readout{};            // (samples, d)
};
Verdicts judge(const TrainedSwarm& swarm, const SampleSet& samples, int threads);
// (d) the point from which scores are computed: the mean token, the CLS token, which is the last,
// or the queried token.
Vector readout_of(const Architecture& architecture, const HostSwarm& x, int asked = 0);
Matrix chances_of(const Matrix& scores);  // softmax of every row
Matrix confusion_of(const Verdicts& verdicts, const std::vector<int>& label, int classes);

// Runs one sample's forward pass by Dynamics, Flow and the method `layers`, with one frame per
// block; `blocks` may exceed the trained depth. Returns the scores of every frame.
struct SampleTrajectory {
  std::vector<HostSwarm> frames{};
  Matrix scores{};  // (frames, classes)
};
SampleTrajectory simulate_sample(const TrainedSwarm& swarm, const SampleSet& samples,
                                 std::size_t sample, int blocks = 0);

// The maps of one block at a point x of R^d; empty if the interaction has no such map:
//   Q x + b_Q,  K x + b_K,  V x + b_V (heads k),  W_out relu(W_in x + b_in) + b_out (d)
struct BlockFields {
  Vector query{}, key{}, value{}, feed_forward{};
};
BlockFields fields_at(const TrainedSwarm& swarm, int block, std::span<const double> x);

// A trained swarm after some number of blocks.
struct Settling {
  int blocks = 0;
  double accuracy = 0;  // accuracy there, 0 to 1, over all samples
  // Means over the watched samples:
  double spread = 0;    // spread of tokens around their mean, relative to that at the start
  double speed = 0;     // distance of a token in the last block; targets are at distance 10 from 0
  double distance = 0;  // distance of a token from its sample's target
};

struct TrainingSummary {
  double test_accuracy = 0, validation_accuracy = 0;  // 0 to 1
  std::size_t test_correct = 0, test_count = 0;
  double images_per_second = 0, seconds = 0;
  int epochs = 0;
  std::uint64_t seed = 0;
  std::size_t parameters = 0;
  std::string data{}, checksum{};
  // For a training with `settle`: on test samples at the trained depth, twice and four times it.
  std::vector<Settling> settling{};
};

// A run whose frames are epochs: the mean readout of each class (classes, d), with
// loss, accuracies, rate and length of the gradient as columns.
std::vector<std::string> training_outputs();        // files that a training writes to its run
std::vector<std::string> free_training_settings();  // keys that do not change a training
RunContents contents_of(const Training& training, const std::vector<std::string>& argv);

// Trains into `run` from its last checkpoint; writes model.safetensors and summary.json. Returns
// nothing if stopped by a signal. The test set is evaluated once, at the end.
std::optional<TrainingSummary> train(const Training& training, const TrainingData& data, Run& run,
                                     const ProcessControl& control);
TrainingSummary read_summary(const std::filesystem::path& run);

}  // namespace murmur
