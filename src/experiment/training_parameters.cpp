// training_parameters.cpp: the table of every parameter of a training, as rows over its spec.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <set>

#include "experiment/training_rows.h"
#include "experiment/words.h"

namespace murmur {

namespace codec {

template <>
const std::vector<std::string>& names_of<Architecture::Interaction>() {
  static const std::vector<std::string> names = {"none", "attraction", "uniform", "attention"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Architecture::Readout>() {
  static const std::vector<std::string> names = {"mean", "cls", "asked"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Task>() {
  static const std::vector<std::string> names = {"digits", "same", "sense", "order"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Reader>() {
  static const std::vector<std::string> names = {"swarm", "recurrent"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Positions>() {
  static const std::vector<std::string> names = {"none", "learned", "sinusoidal", "rotary"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Recipe>() {
  static const std::vector<std::string> names = {"auto", "settled", "best", "published"};
  return names;
}
template <>
const std::vector<std::string>& names_of<SettleFrom>() {
  static const std::vector<std::string> names = {"half", "depth"};
  return names;
}
template <>
const std::vector<std::string>& names_of<DepthLaw>() {
  static const std::vector<std::string> names = {"uniform", "square"};
  return names;
}
template <>
const std::vector<std::string>& names_of<TargetChoice>() {
  static const std::vector<std::string> names = {"spread", "third-axis"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Objective::Loss>() {
  static const std::vector<std::string> names = {"cross-entropy", "target"};
  return names;
}
template <>
const std::vector<std::string>& names_of<LossAverage>() {
  static const std::vector<std::string> names = {"tokens", "padded"};
  return names;
}
template <>
const std::vector<std::string>& names_of<RateSchedule>() {
  static const std::vector<std::string> names = {"one-cycle", "constant"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Training::Device>() {
  static const std::vector<std::string> names = {"cpu", "cuda"};
  return names;
}

namespace {

template <int thousandths>
struct Share : Real {  // from 0 to so many thousandths
  static void read(const Settings& words, const std::string& key, double& to) {
    to = number(words, key);
    check(words, key, to);
  }
  static void check(const Settings& words, const std::string& key, double value) {
    constexpr double kMost = thousandths / 1000.0;
    if (!(value >= 0 && value <= kMost))
      refuse(words, key, "out of range", fmt::format("write a number from 0 to {:g}", kMost));
  }
};

struct NotNegative : Real {
  static void read(const Settings& words, const std::string& key, double& to) {
    to = number(words, key);
    check(words, key, to);
  }
  static void check(const Settings& words, const std::string& key, double value) {
    if (!(value >= 0)) refuse(words, key, "must be 0 or above", "write 0 for none");
  }
};

// A value, or none for `recipe`.
template <class Codec>
struct AsRecipe {
  template <class Value>
  static void read(const Settings& words, const std::string& key, std::optional<Value>& to) {
    to.reset();
    if (setting(words, key).text != "recipe") Codec::read(words, key, to.emplace());
  }
  template <class Value>
  static void check(const Settings& words, const std::string& key,
                    const std::optional<Value>& value) {
    if constexpr (requires { Codec::check(words, key, *value); })
      if (value) Codec::check(words, key, *value);
  }
  template <class Value>
  static std::string write(const std::optional<Value>& value) {
    return value ? Codec::write(*value) : "recipe";
  }
};

struct SampleCount {  // a number, or all: 0
  static void read(const Settings& words, const std::string& key, std::size_t& to) {
    to = 0;
    if (setting(words, key).text != "all") Whole<1, 10'000'000>::read(words, key, to);
  }
  static void check(const Settings& words, const std::string& key, std::size_t value) {
    if (value > 0) Whole<1, 10'000'000>::check(words, key, value);
  }
  static std::string write(std::size_t value) {
    return value == 0 ? "all" : Whole<1, 10'000'000>::write(value);
  }
};

struct Pictures {  // a name, or a folder by its full path
  static void read(const Settings& words, const std::string& key, std::string& to) {
    to = whole_path(setting(words, key).folder, setting(words, key).text);
    check(words, key, to);
  }
  static void check(const Settings& words, const std::string& key, const std::string& value) {
    if (value.empty())
      refuse(words, key, "is not a set of pictures", "write data=auto, mnist, or a folder");
  }
  static std::string write(const std::string& value) { return value; }
};

struct HeadWidth {  // auto is 0
  static void read(const Settings& words, const std::string& key, int& to) {
    to = 0;
    if (setting(words, key).text != "auto") Whole<1, 4096>::read(words, key, to);
  }
  static void check(const Settings& words, const std::string& key, int value) {
    if (value != 0) check_whole(words, key, value, {1, 4096});
  }
  static std::string write(int value) { return value == 0 ? "auto" : Whole<1, 4096>::write(value); }
};

constexpr const char* kLabelsRemedy = "write two to ten labels, e.g. digits=5,6 or digits=0-9";

bool all_digits(const std::string& text) {
  return !text.empty() && text.size() < 4 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

struct Labels {  // "5,6" or "0-9": labels in order, each once
  static void read(const Settings& words, const std::string& key, std::vector<int>& to) {
    to.clear();
    for (const std::string& part : split(setting(words, key).text, ',')) {
      const std::vector<std::string> ends = split(part, '-');
      if (ends.size() > 2 || !all_digits(ends.front()) || !all_digits(ends.back()))
        refuse(words, key, "is not a list of labels", kLabelsRemedy);
      const int last = std::stoi(ends.back());
      for (int label = std::stoi(ends.front()); label <= last; ++label) to.push_back(label);
    }
    check(words, key, to);
  }
  static void check(const Settings& words, const std::string& key, const std::vector<int>& value) {
    if (value.size() < 2 || value.size() > 10)
      refuse(words, key, "must name two to ten classes", kLabelsRemedy);
    if (std::set<int>(value.begin(), value.end()).size() != value.size())
      refuse(words, key, "names a class twice", kLabelsRemedy);
  }
  // Three or more in a row as a range.
  static std::string write(const std::vector<int>& value) {
    std::string text;
    for (std::size_t first = 0, last = 0; first < value.size(); first = ++last) {
      while (last + 1 < value.size() && value[last + 1] == value[last] + 1) ++last;
      if (last < first + 2) last = first;
      fmt::format_to(std::back_inserter(text), "{}{}", first == 0 ? "" : ",", value[first]);
      if (last > first) fmt::format_to(std::back_inserter(text), "-{}", value[last]);
    }
    return text;
  }
};

}  // namespace

}  // namespace codec

std::string whole_path(const std::filesystem::path& folder, const std::string& data) {
  if (data.empty() || data == "auto" || data == "mnist" || data == "fashion-mnist") return data;
  return std::filesystem::absolute(folder / data).lexically_normal().string();
}

namespace {

constexpr ParameterValue kReadouts[] = {
    {"mean", "the class is read from the mean of all tokens"},
    {"cls", "the class is read from an extra token"},
    {"asked", "the class is read from the word that is asked about", "task=sense readout=asked"}};
constexpr ParameterValue kPositions[] = {
    {"none", "tokens have no code of their position"},
    {"learned", "a learned code of the position is added to the start of each token",
     "task=order positions=learned"},
    {"sinusoidal", "a code of sines and cosines is added to the start of each token"},
    {"rotary", "queries and keys are rotated by angles that grow with the position"}};

}  // namespace

std::span<const Row<TrainingSpec>> training_rows() {
  using namespace codec;
  using P = Parameter;
  using S = TrainingSpec;
  static const Row<S> table[] = {
      row<S, RunName, &S::name>(
          {P::word, "name", "digits", "a word", "first part of the name of the run directory"}),
      row<S, Named, &S::task>({P::word, "task", "digits", "digits, same, sense, order",
                               "the question: which digit; whether two digits are the same; which "
                               "sense a word has; whether a name is subject or object"}),
      row<S, Named, &S::reader>({P::word, "reader", "swarm", "swarm, recurrent",
                                 "the model that reads: the swarm, or a recurrent network with as "
                                 "many parameters that visits the tokens one after another"}),
      row<S, Pictures, &S::data>({P::word, "data", "auto", "auto, mnist, fashion-mnist, a folder",
                                  "the pictures: idx files, PNG folders or npy"}),
      row<S, Labels, &S::digits>(
          {P::word, "digits", "5,6", "labels such as 5,6 or 0-9",
           "the digits that are read; for task=digits the classes, the first one on the left"}),
      row<S, Share<999>, &S::threshold>({P::number, "threshold", "0.5", "0 to 1",
                                         "pixels with more ink than this become tokens"}),
      row<S, AsRecipe<Whole<1, 1000>>, &S::every>(
          {P::word, "every", "recipe", "recipe, 1 or more",
           "one in so many pixels of ink, in reading order, becomes a token"}),
      row<S, Whole<2, 4096>, &S::d>({P::whole, "d", "3", "2 or more",
                                     "coordinates of each token; 8 by default for task=sense"}),
      row<S, Whole<1, 256>, &S::blocks>(
          {P::whole, "blocks", "10", "1 or more",
           "blocks of attention and feed-forward; 2 by default for task=sense"}),
      row<S, Flag, &S::shared>(
          {P::flag, "shared", "true", "true, false",
           "one set of parameters for all blocks; false by default for task=sense"}),
      row<S, Whole<0, 65'536>, &S::hidden>(
          {P::whole, "hidden", "512", "0 or more",
           "hidden units of the feed-forward; 0: none; 128 by default for task=sense"}),
      row<S, Whole<1, 255>, &S::heads>({P::whole, "heads", "1", "1 to 255", "attention heads"}),
      row<S, HeadWidth, &S::head_width>(
          {P::word, "head_width", "auto", "auto, or 1 or more",
           "coordinates per head; auto: d / heads if that is whole, otherwise d"}),
      row<S, Positive, &S::residual>({P::number, "residual", "0.1", "above 0",
                                      "factor of the change that a block makes to a token: dt"}),
      row<S, Named, &S::interaction>(
          {P::word, "interaction", "attention", "none, attraction, uniform, attention",
           "how tokens interact: not at all, by the mean, by messages without or with selection"}),
      row<S, Named, &S::readout>({P::word, "readout", "mean", "mean, cls, asked",
                                  "the token from which the class is read", "", "", kReadouts}),
      row<S, Flag, &S::position>({P::flag, "position", "false", "true, false",
                                  "adds a code of the token's index: positions=sinusoidal"}),
      row<S, Named, &S::positions>({P::word, "positions", "none",
                                    "none, learned, sinusoidal, rotary",
                                    "codes of the positions of tokens", "", "", kPositions}),
      row<S, Named, &S::recipe>(
          {P::word, "recipe", "auto", "auto, settled, best, published",
           "sets every parameter whose value is `recipe`; auto: settled for two digits read by the "
           "mean of five or more shared blocks of attention in up to four dimensions, otherwise "
           "best"}),
      row<S, AsRecipe<Named>, &S::targets>(
          {P::word, "targets", "recipe", "recipe, spread, third-axis",
           "left and right (or well spread), or the corners of the companion code"}),
      row<S, AsRecipe<Named>, &S::loss>(
          {P::word, "loss", "recipe", "recipe, cross-entropy, target",
           "of the scores of the mean token, or distance of every token to its target"}),
      row<S, AsRecipe<Named>, &S::average>(
          {P::word, "average", "recipe", "recipe, tokens, padded",
           "of the target loss: over the tokens, or over the padded tensor"}),
      row<S, AsRecipe<Whole<1, 1'000'000>>, &S::epochs>(
          {P::word, "epochs", "recipe", "recipe, 1 or more", "passes over the training set"}),
      row<S, AsRecipe<SampleCount>, &S::samples>(
          {P::word, "samples", "recipe", "recipe, all, 1 or more",
           "pairs or sentences drawn each epoch; task=digits learns from all pictures"}),
      row<S, AsRecipe<Whole<1, 1'000'000>>, &S::batch>(
          {P::word, "batch", "recipe", "recipe, 1 or more", "samples per update"}),
      row<S, AsRecipe<Positive>, &S::rate>(
          {P::word, "rate", "recipe", "recipe, above 0", "learning rate; for one-cycle its peak"}),
      row<S, AsRecipe<Named>, &S::schedule>(
          {P::word, "schedule", "recipe", "recipe, one-cycle, constant", "how the rate changes"}),
      row<S, AsRecipe<NotNegative>, &S::decay>({P::word, "decay", "recipe", "recipe, 0 or more",
                                                "decay of the parameters (AdamW); 0 is Adam"}),
      row<S, AsRecipe<NotNegative>, &S::clip>({P::word, "clip", "recipe", "recipe, 0 or more",
                                               "largest norm of the gradient; 0: no limit"}),
      row<S, AsRecipe<NotNegative>, &S::shift>(
          {P::word, "shift", "recipe", "recipe, 0 or more",
           "standard deviation of a random shift of the whole sample"}),
      row<S, NotNegative, &S::affine>(
          {P::number, "affine", "0", "0 or more",
           "standard deviation of the entries of a random linear map of the whole sample"}),
      row<S, NotNegative, &S::warp>({P::number, "warp", "0", "0 or more",
                                     "size of a random smooth deformation of the whole sample"}),
      row<S, AsRecipe<NotNegative>, &S::settle>(
          {P::word, "settle", "recipe", "recipe, 0 or more",
           "weight of the squared distance of every token to its target in the loss"}),
      row<S, AsRecipe<Named>, &S::settle_from>(
          {P::word, "settle_from", "recipe", "recipe, half, depth",
           "the blocks after which settle counts: the last half, or from the trained depth on"}),
      row<S, AsRecipe<Positive>, &S::deeper>(
          {P::word, "deeper", "recipe", "recipe, 1 to 100",
           "an update runs shared blocks a random number of times, up to so many times `blocks`"}),
      row<S, AsRecipe<Named>, &S::depth_law>(
          {P::word, "depth_law", "recipe", "recipe, uniform, square",
           "law of that number: uniform, or mostly small (square of a uniform number)"}),
      row<S, AsRecipe<Share<1000>>, &S::token_share>(
          {P::word, "token_share", "recipe", "recipe, 0 to 1",
           "share of the tokens of a picture that an update uses, drawn again each epoch"}),
      row<S, AsRecipe<Whole<0, 1000>>, &S::stay>(
          {P::word, "stay", "recipe", "recipe, 0 to 1000",
           "pictures of one token at its target that an update adds for each class"}),
      row<S, AsRecipe<Share<1000>>, &S::averaging>(
          {P::word, "averaging", "recipe", "recipe, 0 to 1",
           "share of the epochs at the end whose parameters are averaged"}),
      row<S, Share<1000>, &S::smoothing>(
          {P::number, "smoothing", "0", "0 to 1", "label smoothing in the cross-entropy"}),
      row<S, Share<990>, &S::dropout>(
          {P::number, "dropout", "0", "0 to 1", "share of attention weights left out in training"}),
      row<S, Share<900>, &S::validation>({P::number, "validation", "0.1", "0 to 0.9",
                                          "share of the training set held out for validation"}),
      row<S, Whole<0, kMostWhole>, &S::seed>(
          {P::whole, "seed", "0", "0 or more", "seed of every random stream"}),
      row<S, Named, &S::device>(
          {P::word, "device", "cpu", "cpu, cuda",
           "device of the forward and backward passes: the processor, or an NVIDIA GPU"}),
      row<S, Threads, &S::threads>(
          {P::word, "threads", "all", "all, or 1 or more", "threads; results never depend on it"}),
  };
  return table;
}

std::span<const Row<TrainingSpec>> training_rows_as_read() {
  // The recipe comes first, since other values depend on it; architecture and objective come before
  // epochs and rate. Rows that are not named follow in the order of the table.
  static constexpr const char* kFirst[] = {
      "recipe",     "task",     "reader",      "data",      "name",     "seed",
      "digits",     "d",        "blocks",      "shared",    "hidden",   "heads",
      "head_width", "residual", "interaction", "readout",   "position", "positions",
      "targets",    "loss",     "average",     "smoothing", "dropout"};
  static const std::vector<Row<TrainingSpec>> rows = [] {
    const auto place = [](const Row<TrainingSpec>& row) {
      return std::find_if(std::begin(kFirst), std::end(kFirst), [&](const char* name) {
        return std::strcmp(name, row.parameter.name) == 0;
      });
    };
    std::vector<Row<TrainingSpec>> sorted(training_rows().begin(), training_rows().end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return sorted;
  }();
  return rows;
}

std::span<const Parameter> training_parameters() {
  static const std::vector<Parameter> table = parameters_of(training_rows());
  return table;
}

Settings training_words_of(const TrainingSpec& spec) {
  return words_by(training_rows(), spec, "the training");
}

}  // namespace murmur
