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

// One row per parameter of `murmur train`. "recipe" as a value: what the recipe says.
std::span<const Parameter> training_parameters();

// What is asked of a sample, with its classes in the order of the targets.
enum class Task {
  digits,  // which of the digits a picture shows
  same,    // whether two pictures side by side show the same digit: same, different
  sense,   // in which of its two senses a word stands in a sentence: first, second
  order,   // whether a name comes before the verb or after it: subject, object
};
std::vector<std::string> class_names(Task task, const std::vector<int>& digits);
bool reads_words(Task task);  // and no pictures

// What reads the samples: the swarm, or one recurrent network in its place, with as many
// parameters, that visits the tokens one after another (learn/recurrent.h).
enum class Reader { swarm, recurrent };

// A training ready to be done, recipe resolved; the pictures come apart.
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
  std::size_t samples = 0;  // drawn anew each epoch; 0: the training set, shuffled
  std::size_t batch = 256;
  double rate = 1e-2;  // the peak of one-cycle, or constant
  bool one_cycle = true;
  double decay = 0.01, clip = 1;  // 0: none
  double shift = 0.5;             // standard deviation of the random shift of a whole sample
  double affine = 0, warp = 0;    // of a random linear map's entries, of a bending: deform.h
  double token_share = 1;         // of a sample's tokens that an update computes with
  int stay = 0;       // samples of one token at its target that an update adds for each class
  double deeper = 1;  // an update runs between the blocks and so many times as many
  bool mostly_shallow = false;  // whether that number is drawn with DepthLaw::square
  double averaging = 0;         // share of the epochs, the last, whose parameters are averaged
  double validation = 0.1;      // share of the training set that is kept back
  enum Device { cpu, cuda } device = cpu;
  int threads = 0;
  std::string data{};    // folder or name, as asked
  std::string config{};  // config.toml: every setting, recipe resolved
};

// `settled` trains tokens that come to rest at their target; `best` trains for accuracy;
// `published` trains as the companion code did. `automatic` means `settled` where
// `settles_by_default`, otherwise `best`.
enum class Recipe { automatic, settled, best, published };

// Which blocks `settle` counts: the last half of those that an update runs, or those from the
// trained depth on.
enum class SettleFrom { half, depth };

// The law of the number of blocks that an update runs, between `blocks` and `deeper` times as many:
// uniform, or its excess over `blocks` proportional to the square of a uniform number.
enum class DepthLaw { uniform, square };

// spread: left and right for two classes, well apart for more; third_axis: the companion code's
// corners.
enum class TargetChoice { spread, third_axis };

// Of the target loss: over the tokens, or over the tensor padded to the longest sample.
enum class LossAverage { tokens, padded };

enum class RateSchedule { one_cycle, constant };

// How tokens know their number: not at all; by codes that are learned, or made of sines, and added
// to their starts; by turning queries and keys.
enum class Positions { none, learned, sinusoidal, rotary };

// A training as its words or its program say it. A field for each parameter; empty: as the recipe
// has it.
struct TrainingSpec {
  std::string name = "digits";
  Task task = Task::digits;
  Reader reader = Reader::swarm;
  std::string data = "auto";         // auto, mnist, fashion-mnist, or a folder
  std::vector<int> digits = {5, 6};  // labels of the pictures that are read
  double threshold = 0.5;
  std::optional<int> every{};  // of the points of ink, one in so many is a token
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
  std::optional<std::size_t> samples{};  // an epoch, of a task that draws them
  std::optional<std::size_t> batch{};
  std::optional<double> rate{};  // the peak of one-cycle, or constant
  std::optional<RateSchedule> schedule{};
  std::optional<double> decay{}, clip{};  // 0: none
  std::optional<double> shift{};          // standard deviation of the shift of a whole sample
  double affine = 0, warp = 0;            // random linear map and bending of a whole sample
  std::optional<double> settle{};         // weight of the distance of all tokens to their target
  std::optional<SettleFrom> settle_from{};
  std::optional<double> deeper{};  // times the blocks, at most, that an update runs
  std::optional<DepthLaw> depth_law{};
  std::optional<double> token_share{};  // of a sample's tokens that an update computes with
  std::optional<int> stay{};  // samples of one token at its target, of each class, an update
  double smoothing = 0, dropout = 0;
  std::optional<double>
      averaging{};          // share of the epochs, the last, whose parameters are averaged
  double validation = 0.1;  // share of the training set that is kept back
  std::uint64_t seed = 0;
  Training::Device device = Training::cpu;
  int threads = 0;  // 0: all
};

// A spec beside the words that say the same: refusals quote them, config.toml repeats them.
struct WordedTraining {
  TrainingSpec spec{};
  Settings words{};  // every parameter
};

// Out of words, each held to what its parameter takes; Error(input) for the first that is not.
TrainingSpec training_spec_of(const Settings& words);
// Into words that read back as the same spec: what differs from the default counts as given.
Settings training_words_of(const TrainingSpec& spec);
// A spec with assignments, key=value, laid over it; they are quoted as of the command line.
WordedTraining lay_over(const TrainingSpec& spec, const std::vector<std::string>& assignments);

// Whether recipe=auto means `settled`: two digits and five or more shared blocks of attention in up
// to four dimensions, read by their mean token.
bool settles_by_default(const TrainingSpec& spec);

// Resolves what the recipe says. Error(input) where parts of a spec do not fit together.
Training make_training(const WordedTraining& worded);
Training make_training(const TrainingSpec& spec);
Training make_training(const Settings& settings);
// Flow and backward on the training's device. Error(tool) where it is not there.
std::unique_ptr<Adjoint> adjoint_for(const Training& training);
// Numbers that the training's reader learns.
std::size_t parameter_count(const Training& training);

struct TrainedSwarm;

// The samples for training, validation and test. A task of pairs has single pictures in `train`,
// and fixed pairs of pictures that it does not learn from in `validation` and `test`.
struct TrainingData {
  std::string name{}, checksum{};
  SampleSet train{}, test{};
  std::vector<std::size_t> learned{}, kept_back{};  // samples of `train`
  SampleSet validation{};  // of tasks that draw; of learned pictures where none are kept back
  std::vector<std::size_t> test_picture{};  // (samples of test, or of its single pictures)
  std::vector<PicturePair> test_pairs{};    // (samples of test) of single test pictures
  Images test_pictures{};
};
// Of sentences `train` has those that are kept back, and all that is learned from is drawn; the
// folder is for pictures.
TrainingData gather_data(const Training& training, const std::filesystem::path& folder);
// The samples that an epoch of a task that draws learns from, in their order.
SampleSet draw_epoch(const Training& training, const TrainingData& data, int epoch);
// The pairs that a swarm of task=same is tested with, the same for every seed: of the samples of
// its test pictures, or of the pictures themselves.
std::vector<PicturePair> test_pairs_of(const SampleSet& test_pictures);
std::vector<PicturePair> test_pairs_of(const TrainedSwarm& swarm, const Images& test);

// The words of a task of sentences by number, and the sentences that it is tested with, the same
// for every seed.
const std::vector<std::string>& vocabulary_of(Task task);
SampleSet test_sentences(Task task);
// A sentence of these words; capitals and punctuation do not matter. `asked`: the word that is
// asked about; empty: the first that the task asks about. Error(input) for a word that is not
// known.
SampleSet read_sentence(Task task, const std::string& text, const std::string& asked);
std::string sentence_text(Task task, const SampleSet& samples, std::size_t sample);
bool is_asked_about(Task task, int word);  // an ambiguous word, a name
std::string asked_word(Task task, const SampleSet& samples, std::size_t sample);
// What a class means for a word: the topic of its sense, subject or object.
std::string meaning_of(Task task, const std::string& word, int label);
// Places between the word that is asked about and what decides: its cue, the other name.
int distance_to_cue(Task task, const SampleSet& samples, std::size_t sample);

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
  Task task = Task::digits;
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
// (d) the mean token, the CLS token, which is the last, or the token that is asked about: what the
// scores are read off.
Vector readout_of(const Architecture& architecture, const HostSwarm& x, int asked = 0);
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

// The maps of one block at a point x of R^d; empty where the interaction has no such map:
//   Q x + b_Q,  K x + b_K,  V x + b_V (heads k),  W_out relu(W_in x + b_in) + b_out (d)
struct BlockFields {
  Vector query{}, key{}, value{}, feed_forward{};
};
BlockFields fields_at(const TrainedSwarm& swarm, int block, std::span<const double> x);

// What a trained swarm does behind some number of blocks.
struct Settling {
  int blocks = 0;
  double accuracy = 0;  // of the verdicts read there, 0 to 1, over all samples
  // Means over the samples that are watched:
  double spread = 0;    // of their tokens around their mean token, over that at the start
  double speed = 0;     // how far a token moves in the last block, where targets are 10 from 0
  double distance = 0;  // of a token to its sample's target
};

struct TrainingSummary {
  double test_accuracy = 0, validation_accuracy = 0;  // 0 to 1
  std::size_t test_correct = 0, test_count = 0;
  double images_per_second = 0, seconds = 0;
  int epochs = 0;
  std::uint64_t seed = 0;
  std::size_t parameters = 0;
  std::string data{}, checksum{};
  // Of a training with `settle`: on test samples at the trained depth, twice and four times it.
  std::vector<Settling> settling{};
};

// A run whose frames are epochs: the mean readout of each class (classes, d), with
// loss, accuracies, rate and length of the gradient as columns.
std::vector<std::string> training_outputs();        // what a training leaves in its run
std::vector<std::string> free_training_settings();  // keys that change no training
RunContents contents_of(const Training& training, const std::vector<std::string>& argv);

// Trains into `run` from its last checkpoint; leaves model.safetensors and summary.json. Nothing
// when stopped by a signal. The test set is evaluated once, at the end.
std::optional<TrainingSummary> train(const Training& training, const TrainingData& data, Run& run,
                                     const ProcessControl& control);
TrainingSummary read_summary(const std::filesystem::path& run);

}  // namespace murmur
