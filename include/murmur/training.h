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
const char* name_of(Task task);

// The model: the swarm, or a recurrent network with as many parameters that reads the tokens one
// after another (learn/recurrent.h).
enum class Reader { swarm, recurrent };
const char* name_of(Reader reader);

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

// Describes every parameter of `murmur train`.
template <class Visitor>
void describe(Visitor& v, FieldsOf<TrainingSpec>) {
  using S = TrainingSpec;
  v(&S::name, "name", "first part of the name of the run directory", {.form = Form::run_name});
  v(&S::task, "task",
    "the question: which digit; whether two digits are the same; which sense a word has; whether a "
    "name is subject or object");
  v(&S::reader, "reader",
    "the model that reads: the swarm, or a recurrent network with as many parameters that visits "
    "the tokens one after another");
  v(&S::data, "data", "the pictures: idx files, PNG folders or npy",
    {.values = "auto, mnist, fashion-mnist, a folder", .form = Form::pictures});
  v(&S::digits, "digits",
    "the digits that are read; for task=digits the classes, the first one on the left",
    {.values = "labels such as 5,6 or 0-9"});
  v(&S::threshold, "threshold", "pixels with more ink than this become tokens",
    {.values = "0 to 1", .least = 0, .greatest = 0.999});
  v(&S::every, "every", "one in so many pixels of ink, in reading order, becomes a token",
    {.least = 1, .greatest = 1000, .empty = "recipe"});
  v(&S::d, "d", "coordinates of each token; 8 by default for task=sense",
    {.least = 2, .greatest = 4096});
  v(&S::blocks, "blocks", "blocks of attention and feed-forward; 2 by default for task=sense",
    {.least = 1, .greatest = 256});
  v(&S::shared, "shared", "one set of parameters for all blocks; false by default for task=sense");
  v(&S::hidden, "hidden",
    "hidden units of the feed-forward; 0: none; 128 by default for task=sense",
    {.least = 0, .greatest = 65'536});
  v(&S::heads, "heads", "attention heads", {.values = "1 to 255", .least = 1, .greatest = 255});
  v(&S::head_width, "head_width",
    "coordinates per head; auto: d / heads if that is whole, otherwise d",
    {.least = 1, .greatest = 4096, .zero = "auto"});
  v(&S::residual, "residual", "factor of the change that a block makes to a token: dt",
    {.least = 0, .above = true});
  v(&S::interaction, "interaction",
    "how tokens interact: not at all, by the mean, by messages without or with selection");
  v(&S::readout, "readout", "the token from which the class is read");
  v(&S::position, "position", "adds a code of the token's index: positions=sinusoidal");
  v(&S::positions, "positions", "codes of the positions of tokens");
  v(&S::recipe, "recipe",
    "sets every parameter whose value is `recipe`; auto: settled for two digits read by the mean "
    "of five or more shared blocks of attention in up to four dimensions, otherwise best");
  v(&S::targets, "targets", "left and right (or well spread), or the corners of the companion code",
    {.empty = "recipe"});
  v(&S::loss, "loss", "of the scores of the mean token, or distance of every token to its target",
    {.empty = "recipe"});
  v(&S::average, "average", "of the target loss: over the tokens, or over the padded tensor",
    {.empty = "recipe"});
  v(&S::epochs, "epochs", "passes over the training set",
    {.least = 1, .greatest = 1'000'000, .empty = "recipe"});
  v(&S::samples, "samples",
    "pairs or sentences drawn each epoch; task=digits learns from all pictures",
    {.values = "recipe, all, 1 or more",
     .least = 1,
     .greatest = 10'000'000,
     .empty = "recipe",
     .zero = "all"});
  v(&S::batch, "batch", "samples per update",
    {.least = 1, .greatest = 1'000'000, .empty = "recipe"});
  v(&S::rate, "rate", "learning rate; for one-cycle its peak",
    {.least = 0, .above = true, .empty = "recipe"});
  v(&S::schedule, "schedule", "how the rate changes", {.empty = "recipe"});
  v(&S::decay, "decay", "decay of the parameters (AdamW); 0 is Adam",
    {.least = 0, .empty = "recipe"});
  v(&S::clip, "clip", "largest norm of the gradient; 0: no limit", {.least = 0, .empty = "recipe"});
  v(&S::shift, "shift", "standard deviation of a random shift of the whole sample",
    {.least = 0, .empty = "recipe"});
  v(&S::affine, "affine",
    "standard deviation of the entries of a random linear map of the whole sample", {.least = 0});
  v(&S::warp, "warp", "size of a random smooth deformation of the whole sample", {.least = 0});
  v(&S::settle, "settle", "weight of the squared distance of every token to its target in the loss",
    {.least = 0, .empty = "recipe"});
  v(&S::settle_from, "settle_from",
    "the blocks after which settle counts: the last half, or from the trained depth on",
    {.empty = "recipe"});
  v(&S::deeper, "deeper",
    "an update runs shared blocks a random number of times, up to so many times `blocks`",
    {.values = "recipe, 1 to 100", .least = 0, .above = true, .empty = "recipe"});
  v(&S::depth_law, "depth_law",
    "law of that number: uniform, or mostly small (square of a uniform number)",
    {.empty = "recipe"});
  v(&S::token_share, "token_share",
    "share of the tokens of a picture that an update uses, drawn again each epoch",
    {.least = 0, .greatest = 1, .empty = "recipe"});
  v(&S::stay, "stay", "pictures of one token at its target that an update adds for each class",
    {.values = "recipe, 0 to 1000", .least = 0, .greatest = 1000, .empty = "recipe"});
  v(&S::averaging, "averaging", "share of the epochs at the end whose parameters are averaged",
    {.least = 0, .greatest = 1, .empty = "recipe"});
  v(&S::smoothing, "smoothing", "label smoothing in the cross-entropy",
    {.least = 0, .greatest = 1});
  v(&S::dropout, "dropout", "share of attention weights left out in training",
    {.values = "0 to 1", .least = 0, .greatest = 0.99});
  v(&S::validation, "validation", "share of the training set held out for validation",
    {.least = 0, .greatest = 0.9});
  v(&S::seed, "seed", "seed of every random stream", {.least = 0, .greatest = kMostWhole});
  v(&S::device, "device",
    "device of the forward and backward passes: the processor, or an NVIDIA GPU");
  v(&S::threads, "threads", "threads; results never depend on it",
    {.least = 1, .greatest = 4096, .zero = "all"});
}

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
