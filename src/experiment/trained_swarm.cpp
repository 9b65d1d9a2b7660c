// trained_swarm.cpp: a swarm that has learned, as a file of named tensors, and back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/rnn_training.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/training.h"
#include "run/formats.h"

namespace murmur {

std::vector<std::string> class_names(Task task, const std::vector<int>& digits) {
  if (task == Task::same) return {"same", "different"};
  if (task == Task::sense) return {"first", "second"};
  if (task == Task::order) return {"subject", "object"};
  std::vector<std::string> names;
  for (const int digit : digits) names.push_back(fmt::format("{}", digit));
  return names;
}

bool reads_words(Task task) { return task == Task::sense || task == Task::order; }

namespace fs = std::filesystem;

namespace {

constexpr const char* kInteractions[] = {"none", "attraction", "uniform", "attention"};
constexpr const char* kReadouts[] = {"mean", "cls", "asked"};
constexpr const char* kTasks[] = {"digits", "same", "sense", "order"};
constexpr const char* kTargets = "targets";
constexpr const char* kRemedy = "give a model.safetensors that murmur train wrote";

std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

// The texts of a model file, read as what they must be.
struct Texts {
  const std::map<std::string, std::string>& metadata;
  const std::string& where;

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Fault::input, what, where, kRemedy);
  }
  const std::string& text(const char* key) const {
    const auto found = metadata.find(key);
    if (found == metadata.end()) refuse(fmt::format("the model does not say its {}", key));
    return found->second;
  }
  bool given(const char* key) const { return metadata.contains(key); }
  double number(const char* key) const {
    double value = 0;
    if (!parse_number(text(key), value)) not_as_it_should(key, "a number");
    return value;
  }
  int whole(const char* key) const {
    const double value = number(key);
    if (value != std::floor(value) || std::fabs(value) > 1e9)
      not_as_it_should(key, "a whole number");
    return static_cast<int>(value);
  }
  int one_of(const char* key, std::span<const char* const> words) const {
    for (std::size_t k = 0; k < words.size(); ++k)
      if (text(key) == words[k]) return static_cast<int>(k);
    not_as_it_should(key, fmt::format("one of {}", fmt::join(words, ", ")));
  }
  bool flag(const char* key) const {
    static constexpr const char* words[] = {"false", "true"};
    return one_of(key, words) == 1;
  }
  std::vector<int> digits() const {
    std::vector<int> all;
    for (const std::string& part : split(text("digits"), ',')) {
      double value = 0;
      if (!parse_number(part, value) || value != std::floor(value) || value < 0 || value > 999)
        not_as_it_should("digits", "a list of labels");
      all.push_back(static_cast<int>(value));
    }
    return all;
  }
  [[noreturn]] void not_as_it_should(const char* key, const std::string& expected) const {
    refuse(fmt::format("the model says {} = {}, not {}", key, text(key), expected));
  }
};

// What a swarm that reads one digit of all its ink does not say stands as it always did.
std::map<std::string, std::string> texts_of(const TrainedSwarm& swarm) {
  const Architecture& a = swarm.architecture;
  std::map<std::string, std::string> texts = {
      {"d", fmt::format("{}", a.d)},
      {"blocks", fmt::format("{}", a.blocks)},
      {"shared", a.shared ? "true" : "false"},
      {"hidden", fmt::format("{}", a.hidden)},
      {"heads", fmt::format("{}", a.heads)},
      {"residual", fmt::format("{}", a.residual)},
      {"interaction", kInteractions[a.interaction]},
      {"readout", kReadouts[a.readout]},
      {"position", a.position ? "true" : "false"},
      {"digits", fmt::format("{}", fmt::join(swarm.digits, ","))},
      {"threshold", fmt::format("{}", swarm.tokens.threshold)},
      {"finer", fmt::format("{}", swarm.tokens.finer)},
      {"height", fmt::format("{}", swarm.height)},
      {"width", fmt::format("{}", swarm.width)},
      {"data", swarm.data}};
  // Only where it was chosen: models of heads that share d keep the bytes they had.
  if (a.head_width > 0) texts["head_width"] = fmt::format("{}", a.head_width);
  if (a.vocabulary > 0) texts["vocabulary"] = fmt::format("{}", a.vocabulary);
  if (a.places > 0) texts["places"] = fmt::format("{}", a.places);
  if (a.rotary) texts["rotary"] = "true";
  if (swarm.task != Task::digits) texts["task"] = kTasks[static_cast<int>(swarm.task)];
  if (swarm.tokens.every != 1) texts["every"] = fmt::format("{}", swarm.tokens.every);
  return texts;
}

// One tensor, of that shape and finite; its place in `tensors` is then empty.
std::vector<double> take(Record& tensors, const TensorPlace& place, const std::string& where) {
  const std::string& name = place.name;
  const auto found = tensors.find(name);
  const std::string expected = fmt::format("{} of shape {}", name, shape_text(place.shape));
  if (found == tensors.end())
    throw Error(Fault::input, fmt::format("the model lacks the tensor {}", expected), where,
                kRemedy);
  const Array& array = found->second;
  if (array.shape != place.shape)
    throw Error(Fault::input,
                fmt::format("the tensor {} was expected, its shape is {}", expected,
                            shape_text(array.shape)),
                where, kRemedy);
  if (array.values.index() > 1)
    throw Error(Fault::input, fmt::format("{} is not of floating-point numbers", name), where,
                kRemedy);
  std::vector<double> values = array.doubles();
  for (std::size_t e = 0; e < values.size(); ++e)
    if (!std::isfinite(values[e]) || std::fabs(values[e]) > 3e38)
      throw Error(Fault::input, fmt::format("number {} of {} is not finite", e, name), where,
                  "train again with a smaller rate, or give another model");
  tensors.erase(found);
  return values;
}

Architecture architecture_of(const Texts& texts) {
  Architecture a;
  a.d = texts.whole("d");
  a.blocks = texts.whole("blocks");
  a.shared = texts.flag("shared");
  a.hidden = texts.whole("hidden");
  a.heads = texts.whole("heads");
  if (texts.given("head_width")) a.head_width = texts.whole("head_width");
  a.residual = texts.number("residual");
  a.interaction =
      static_cast<Architecture::Interaction>(texts.one_of("interaction", kInteractions));
  a.readout = static_cast<Architecture::Readout>(texts.one_of("readout", kReadouts));
  a.position = texts.flag("position");
  if (texts.given("vocabulary")) a.vocabulary = texts.whole("vocabulary");
  if (texts.given("places")) a.places = texts.whole("places");
  if (texts.given("rotary")) a.rotary = texts.flag("rotary");
  return a;
}

}  // namespace

TrainedSwarm parse_trained_swarm(std::span<const std::byte> bytes, const std::string& where) {
  Safetensors file = parse_safetensors(bytes, where);
  const Texts texts{file.metadata, where};
  if (texts.given("format") && texts.text("format") == kRnnFormat)
    throw Error(Fault::input, "this model is a recurrent network, not a swarm", where,
                "murmur runs show RUN has its accuracy; train a swarm without reader=recurrent");
  TrainedSwarm swarm;
  Architecture& a = swarm.architecture = architecture_of(texts);
  swarm.digits = texts.digits();
  if (texts.metadata.contains("task")) swarm.task = static_cast<Task>(texts.one_of("task", kTasks));
  swarm.tokens = {texts.number("threshold"), texts.whole("finer"),
                  texts.metadata.contains("every") ? texts.whole("every") : 1};
  if (swarm.tokens.every < 1) texts.not_as_it_should("every", "1 or more");
  swarm.height = texts.whole("height");
  swarm.width = texts.whole("width");
  swarm.data = texts.text("data");
  if (swarm.tokens.finer < 1 || swarm.tokens.finer > 32) texts.not_as_it_should("finer", "1 to 32");
  if (!(swarm.tokens.threshold >= 0 && swarm.tokens.threshold < 1))
    texts.not_as_it_should("threshold", "a share of full ink");
  for (const auto& [name, side] : {std::pair{"height", swarm.height}, {"width", swarm.width}})
    if (side < 2 || side > 4096) texts.not_as_it_should(name, "2 to 4096 pixels");
  if (reads_words(swarm.task) != (a.vocabulary > 0))
    texts.refuse("the model's task and its vocabulary do not fit together");
  if (a.d < 2 || a.d > 65'536) texts.not_as_it_should("d", "a number of coordinates");
  const std::size_t classes = class_names(swarm.task, swarm.digits).size();
  const TensorPlace targets{kTargets, {classes, static_cast<std::size_t>(a.d)}, 0};
  a.targets = {static_cast<int>(classes), a.d, take(file.tensors, targets, where)};
  try {
    check(a);
  } catch (const Error& error) {
    throw Error(Fault::input, error.summary, where, kRemedy);
  }
  for (const TensorPlace& place : layout(a))
    for (const double value : take(file.tensors, place, where))
      swarm.parameters.push_back(static_cast<float>(value));
  if (!file.tensors.empty())
    throw Error(
        Fault::input,
        fmt::format("the model has a tensor {} of shape {} that no such swarm has",
                    file.tensors.begin()->first, shape_text(file.tensors.begin()->second.shape)),
        where, kRemedy);
  return swarm;
}

// Targets keep double precision: they must all be of one length.
void write_trained_swarm(const TrainedSwarm& swarm, const fs::path& file) {
  const Architecture& a = swarm.architecture;
  Safetensors content;
  for (const TensorPlace& place : layout(a)) {
    const float* from = swarm.parameters.data() + place.offset;
    content.tensors[place.name] = {place.shape, std::vector<float>(from, from + place.size())};
  }
  content.tensors[kTargets] = {
      {static_cast<std::size_t>(a.targets.rows), static_cast<std::size_t>(a.targets.cols)},
      a.targets.data};
  content.metadata = texts_of(swarm);
  write_safetensors(file, content);
}

}  // namespace murmur
