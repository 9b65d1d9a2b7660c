// training.cpp: the whole training out of its settings: recipes, classes, targets.
#include "murmur/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "experiment/config.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur {

std::span<const Parameter> training_parameters() {
  using P = Parameter;
  static constexpr Parameter table[] = {
      {P::word, "name", "digits", "a word", "first part of the run directory's name"},
      {P::word, "data", "auto", "auto, mnist, fashion-mnist, a folder",
       "where the pictures are: idx files, PNG folders or npy"},
      {P::word, "digits", "5,6", "labels such as 5,6 or 0-9", "the classes, first one left"},
      {P::number, "threshold", "0.5", "0 to 1", "pixels with more ink than this become boids"},
      {P::whole, "d", "3", "2 or more", "coordinates of each boid"},
      {P::whole, "blocks", "10", "1 or more", "blocks of attention and feed-forward"},
      {P::flag, "shared", "true", "true, false", "one set of parameters for all blocks"},
      {P::whole, "hidden", "512", "1 or more", "hidden units of the feed-forward"},
      {P::whole, "heads", "1", "a divisor of d", "attention heads"},
      {P::number, "residual", "0.1", "above 0", "how far a block moves a boid: dt"},
      {P::word, "interaction", "attention", "none, attraction, uniform, attention",
       "what boids tell each other: nothing, the mean, messages without or with selection"},
      {P::word, "readout", "mean", "mean, cls", "the mean boid decides, or an extra one"},
      {P::flag, "position", "false", "true, false", "adds a code of the boid's number"},
      {P::word, "recipe", "best", "best, published", "what every `recipe` below means"},
      {P::word, "targets", "recipe", "recipe, spread, third-axis",
       "left and right (or well spread), or the companion code's corners"},
      {P::word, "loss", "recipe", "recipe, cross-entropy, target",
       "of the mean boid's scores, or distance of every boid to its target"},
      {P::word, "average", "recipe", "recipe, tokens, padded",
       "of the target loss: over the boids, or over the padded tensor"},
      {P::word, "epochs", "recipe", "recipe, 1 or more", "passes over the training set"},
      {P::word, "batch", "recipe", "recipe, 1 or more", "flocks an update"},
      {P::word, "rate", "recipe", "recipe, above 0", "learning rate, of one-cycle its peak"},
      {P::word, "schedule", "recipe", "recipe, one-cycle, constant", "how the rate changes"},
      {P::word, "decay", "recipe", "recipe, 0 or more",
       "decay of the parameters (AdamW); 0 is Adam"},
      {P::word, "clip", "recipe", "recipe, 0 or more", "longest gradient allowed; 0 any"},
      {P::word, "shift", "recipe", "recipe, 0 or more",
       "standard deviation of a random shift of the whole flock"},
      {P::number, "smoothing", "0", "0 to 1", "of the labels in the cross-entropy"},
      {P::number, "dropout", "0", "0 to 1", "share of attention weights left out in training"},
      {P::number, "validation", "0.1", "0 to 0.9", "share of the training set kept back"},
      {P::whole, "seed", "0", "0 or more", "seed of every random stream"},
      {P::word, "device", "cpu", "cpu, cuda",
       "what computes the swarm's flights and hindsight: the processor, or an NVIDIA GPU"},
      {P::word, "threads", "all", "all, or 1 or more", "threads; results never depend on it"},
  };
  return table;
}

namespace {

// What each recipe says. `best` is tuned on validation samples; `published` is the companion code.
struct RecipeRow {
  const char *key, *best, *published;
};
constexpr RecipeRow kRecipes[] = {
    {"targets", "spread", "third-axis"},
    {"loss", "cross-entropy", "target"},
    {"average", "tokens", "padded"},
    {"epochs", "60", "15"},
    {"batch", "256", "256"},
    {"rate", "0.01", "0.001"},
    {"schedule", "one-cycle", "constant"},
    {"decay", "0.01", "0"},
    {"clip", "1", "0"},
    {"shift", "0.5", "0"},
};

// Words in place of `recipe`; a value that was given stays.
Settings with_recipe(Settings settings) {
  const bool best = choice(settings, "recipe", {"best", "published"}) == 0;
  for (const RecipeRow& row : kRecipes)
    if (settings.at(row.key).text == "recipe")
      settings.at(row.key).text = best ? row.best : row.published;
  return settings;
}

bool all_digits(const std::string& text) {
  return !text.empty() && text.size() < 4 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

// "5,6" or "0-9": labels in their order, each once.
std::vector<int> digits_of(const Settings& settings) {
  const std::string remedy = "write two to ten labels, e.g. digits=5,6 or digits=0-9";
  std::vector<int> digits;
  for (const std::string& part : split(setting(settings, "digits").text, ',')) {
    const std::vector<std::string> ends = split(part, '-');
    if (ends.size() > 2 || !all_digits(ends.front()) || !all_digits(ends.back()))
      refuse(settings, "digits", "is not a list of labels", remedy);
    const int last = std::stoi(ends.back());
    for (int digit = std::stoi(ends.front()); digit <= last; ++digit) digits.push_back(digit);
  }
  if (digits.size() < 2 || digits.size() > 10)
    refuse(settings, "digits", "must name two to ten classes", remedy);
  if (std::set<int>(digits.begin(), digits.end()).size() != digits.size())
    refuse(settings, "digits", "names a class twice", remedy);
  return digits;
}

double share(const Settings& settings, const std::string& key, double most) {
  const double value = number(settings, key);
  if (value < 0 || value > most)
    refuse(settings, key, "out of range", fmt::format("write a number from 0 to {:g}", most));
  return value;
}

double not_negative(const Settings& settings, const std::string& key) {
  const double value = number(settings, key);
  if (value < 0) refuse(settings, key, "must be 0 or above", "write 0 for none");
  return value;
}

Architecture architecture_of(const Settings& settings, int classes) {
  Architecture a;
  a.d = static_cast<int>(whole(settings, "d", 2, 4096));
  a.blocks = static_cast<int>(whole(settings, "blocks", 1, 256));
  a.shared = flag(settings, "shared");
  a.hidden = static_cast<int>(whole(settings, "hidden", 1, 65'536));
  a.heads = static_cast<int>(whole(settings, "heads", 1, 255));
  a.residual = positive(settings, "residual");
  a.interaction = static_cast<Architecture::Interaction>(
      choice(settings, "interaction", {"none", "attraction", "uniform", "attention"}));
  a.readout = static_cast<Architecture::Readout>(choice(settings, "readout", {"mean", "cls"}));
  a.position = flag(settings, "position");
  if (a.d % a.heads != 0)
    refuse(settings, "heads", fmt::format("does not divide d = {}", a.d),
           "choose a number of heads that divides d");
  const bool third = choice(settings, "targets", {"spread", "third-axis"}) == 1;
  if (third && (a.d < 3 || classes != 2))
    refuse(settings, "targets", "third-axis needs two classes and d of 3 or more",
           "use targets=spread, or d=3 and two digits");
  a.targets = third ? third_axis_targets(a.d) : spread_targets(classes, a.d);
  check(a);
  return a;
}

Objective objective_of(const Settings& settings) {
  Objective o;
  o.loss = choice(settings, "loss", {"cross-entropy", "target"}) == 1 ? Objective::target
                                                                      : Objective::cross_entropy;
  o.padded = choice(settings, "average", {"tokens", "padded"}) == 1;
  o.smoothing = share(settings, "smoothing", 1);
  o.dropout = share(settings, "dropout", 0.99);
  return o;
}

// A folder of pictures by its whole path, so that a run finds it again from anywhere.
Settings with_whole_path(Settings settings) {
  Setting& data = settings.at("data");
  if (data.text.empty())
    refuse(settings, "data", "names no pictures", "write data=auto, mnist, or a folder");
  const std::set<std::string> names = {"auto", "mnist", "fashion-mnist"};
  if (!data.text.empty() && names.count(data.text) == 0)
    data.text = std::filesystem::absolute(data.folder / data.text).lexically_normal().string();
  return settings;
}

}  // namespace

Training make_training(const Settings& given) {
  const Settings settings = with_whole_path(with_recipe(given));
  Training t;
  t.name = run_name(settings);
  t.seed = seed_of(settings);
  t.digits = digits_of(settings);
  t.architecture = architecture_of(settings, static_cast<int>(t.digits.size()));
  t.objective = objective_of(settings);
  t.tokens.threshold = share(settings, "threshold", 0.999);
  t.epochs = static_cast<int>(whole(settings, "epochs", 1, 1'000'000));
  t.batch = static_cast<std::size_t>(whole(settings, "batch", 1, 1'000'000));
  t.rate = positive(settings, "rate");
  t.one_cycle = choice(settings, "schedule", {"one-cycle", "constant"}) == 0;
  t.decay = not_negative(settings, "decay");
  t.clip = not_negative(settings, "clip");
  t.shift = not_negative(settings, "shift");
  t.validation = share(settings, "validation", 0.9);
  t.data = setting(settings, "data").text;
  t.device = static_cast<Training::Device>(choice(settings, "device", {"cpu", "cuda"}));
  if (t.device == Training::cuda && t.objective.dropout > 0)
    refuse(settings, "device", "cuda leaves out no attention weights",
           "use dropout=0, or device=cpu");
  if (setting(settings, "threads").text != "all")
    t.threads = static_cast<int>(whole(settings, "threads", 1, 4096));
  t.config = config_of(training_parameters(), settings);
  return t;
}

std::unique_ptr<Adjoint> adjoint_for(const Training& training) {
  return training.device == Training::cuda ? make_cuda_adjoint(training.architecture)
                                           : make_adjoint(training.architecture, training.threads);
}

TrainingData gather_data(const Training& training, const std::filesystem::path& folder) {
  DataSet set = read_data_set(folder);
  TrainingData data;
  data.name = set.name;
  data.checksum = set.checksum;
  data.train = samples_of(set.train, training.digits, training.tokens);
  data.test = samples_of(set.test, training.digits, training.tokens, &data.test_picture);
  data.test_pictures = std::move(set.test);
  // The samples with the smallest draws are kept back: the same ones for any recipe of one seed.
  std::vector<std::pair<std::array<std::uint32_t, 4>, std::size_t>> draws;
  for (std::size_t sample = 0; sample < data.train.samples(); ++sample)
    draws.emplace_back(
        Draw{training.seed, Stream::split, static_cast<std::uint32_t>(sample)}.bits(0), sample);
  std::sort(draws.begin(), draws.end());
  const auto back =
      static_cast<std::size_t>(training.validation * static_cast<double>(data.train.samples()));
  for (std::size_t k = 0; k < draws.size(); ++k)
    (k < back ? data.kept_back : data.learned).push_back(draws[k].second);
  std::sort(data.kept_back.begin(), data.kept_back.end());
  std::sort(data.learned.begin(), data.learned.end());
  return data;
}

}  // namespace murmur
