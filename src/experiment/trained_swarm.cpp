// trained_swarm.cpp: a trained swarm as a file of named tensors, the maps of its blocks at a point,
// and the trajectory of one sample.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/elementary.h"
#include "experiment/rnn_training.h"
#include "experiment/training_rows.h"
#include "experiment/words.h"
#include "learn/block_tensors.h"
#include "murmur/error.h"
#include "murmur/flow.h"
#include "murmur/training.h"
#include "run/formats.h"

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

}  // namespace codec

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

constexpr const char* kTargets = "targets";
constexpr const char* kRemedy = "give a model.safetensors that murmur train wrote";

std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

// Reads the metadata of a model file as typed values.
struct Texts {
  const std::map<std::string, std::string>& metadata;
  const std::string& where;

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Fault::input, what, where, kRemedy);
  }
  const std::string& text(const char* key) const {
    const auto found = metadata.find(key);
    if (found == metadata.end()) refuse(fmt::format("the model does not contain its {}", key));
    return found->second;
  }
  bool given(const char* key) const { return metadata.contains(key); }
  double number(const char* key) const {
    double value = 0;
    if (!parse_number(text(key), value)) refuse_value(key, "a number");
    return value;
  }
  int whole(const char* key) const {
    const double value = number(key);
    if (value != std::floor(value) || std::fabs(value) > 1e9) refuse_value(key, "a whole number");
    return static_cast<int>(value);
  }
  int one_of(const char* key, const std::vector<std::string>& words) const {
    for (std::size_t k = 0; k < words.size(); ++k)
      if (text(key) == words[k]) return static_cast<int>(k);
    refuse_value(key, fmt::format("one of {}", fmt::join(words, ", ")));
  }
  template <class Enum>
  Enum one_of(const char* key) const {
    return static_cast<Enum>(one_of(key, codec::names_of<Enum>()));
  }
  bool flag(const char* key) const { return one_of(key, {"false", "true"}) == 1; }
  std::vector<int> digits() const {
    std::vector<int> all;
    for (const std::string& part : split(text("digits"), ',')) {
      double value = 0;
      if (!parse_number(part, value) || value != std::floor(value) || value < 0 || value > 999)
        refuse_value("digits", "a list of labels");
      all.push_back(static_cast<int>(value));
    }
    return all;
  }
  [[noreturn]] void refuse_value(const char* key, const std::string& expected) const {
    refuse(fmt::format("the model says {} = {}, not {}", key, text(key), expected));
  }
};

// Metadata that have default values are left out, so files of older versions keep their bytes.
std::map<std::string, std::string> texts_of(const TrainedSwarm& swarm) {
  const Architecture& a = swarm.architecture;
  std::map<std::string, std::string> texts = {
      {"d", fmt::format("{}", a.d)},
      {"blocks", fmt::format("{}", a.blocks)},
      {"shared", a.shared ? "true" : "false"},
      {"hidden", fmt::format("{}", a.hidden)},
      {"heads", fmt::format("{}", a.heads)},
      {"residual", fmt::format("{}", a.residual)},
      {"interaction", codec::write(a.interaction)},
      {"readout", codec::write(a.readout)},
      {"position", a.position ? "true" : "false"},
      {"digits", fmt::format("{}", fmt::join(swarm.digits, ","))},
      {"threshold", fmt::format("{}", swarm.tokens.threshold)},
      {"finer", fmt::format("{}", swarm.tokens.finer)},
      {"height", fmt::format("{}", swarm.height)},
      {"width", fmt::format("{}", swarm.width)},
      {"data", swarm.data}};
  // Written only if it was chosen: models whose heads share d keep their bytes.
  if (a.head_width > 0) texts["head_width"] = fmt::format("{}", a.head_width);
  if (a.vocabulary > 0) texts["vocabulary"] = fmt::format("{}", a.vocabulary);
  if (a.places > 0) texts["places"] = fmt::format("{}", a.places);
  if (a.rotary) texts["rotary"] = "true";
  if (swarm.task != Task::digits) texts["task"] = codec::write(swarm.task);
  if (swarm.tokens.every != 1) texts["every"] = fmt::format("{}", swarm.tokens.every);
  return texts;
}

// Takes one tensor of that shape with finite values out of `tensors`.
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
    throw Error(Fault::input, fmt::format("{} does not hold floating-point numbers", name), where,
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
  a.interaction = texts.one_of<Architecture::Interaction>("interaction");
  a.readout = texts.one_of<Architecture::Readout>("readout");
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
                "murmur runs show RUN prints its accuracy; train a swarm without reader=recurrent");
  TrainedSwarm swarm;
  Architecture& a = swarm.architecture = architecture_of(texts);
  swarm.digits = texts.digits();
  if (texts.metadata.contains("task")) swarm.task = texts.one_of<Task>("task");
  swarm.tokens = {texts.number("threshold"), texts.whole("finer"),
                  texts.metadata.contains("every") ? texts.whole("every") : 1};
  if (swarm.tokens.every < 1) texts.refuse_value("every", "1 or more");
  swarm.height = texts.whole("height");
  swarm.width = texts.whole("width");
  swarm.data = texts.text("data");
  if (swarm.tokens.finer < 1 || swarm.tokens.finer > 32) texts.refuse_value("finer", "1 to 32");
  if (!(swarm.tokens.threshold >= 0 && swarm.tokens.threshold < 1))
    texts.refuse_value("threshold", "a share of full ink");
  for (const auto& [name, side] : {std::pair{"height", swarm.height}, {"width", swarm.width}})
    if (side < 2 || side > 4096) texts.refuse_value(name, "2 to 4096 pixels");
  if (reads_words(swarm.task) != (a.vocabulary > 0))
    texts.refuse("the model's task and its vocabulary do not fit together");
  if (a.d < 2 || a.d > 65'536) texts.refuse_value("d", "a number of coordinates");
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
        fmt::format("the model has a tensor {} of shape {} that such a swarm does not have",
                    file.tensors.begin()->first, shape_text(file.tensors.begin()->second.shape)),
        where, kRemedy);
  return swarm;
}

// Targets stay in double precision and must all have one length.
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

// --- The maps of a block at a point.

namespace {

// W x + b, (rows)
Vector affine(const float* w, const float* b, int rows, std::span<const double> x) {
  Vector y(b, b + rows);
  for (int r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < x.size(); ++k)
      y[r] += static_cast<double>(w[static_cast<std::size_t>(r) * x.size() + k]) * x[k];
  return y;
}

}  // namespace

BlockFields fields_at(const TrainedSwarm& swarm, int block, std::span<const double> x) {
  const Architecture& a = swarm.architecture;
  assert(x.size() == static_cast<std::size_t>(a.d) && block >= 0 && block < a.blocks);
  const auto t = block_tensors(a, swarm.parameters.data(), block);
  const int wide = width_of_heads(a);
  BlockFields fields;
  if (t.query != nullptr) fields.query = affine(t.query, t.query_bias, wide, x);
  if (t.key != nullptr) fields.key = affine(t.key, t.key_bias, wide, x);
  if (t.value != nullptr) fields.value = affine(t.value, t.value_bias, wide, x);
  if (t.in == nullptr) return fields;
  Vector hidden = affine(t.in, t.in_bias, a.hidden, x);
  for (double& unit : hidden) unit = std::max(unit, 0.0);
  fields.feed_forward = affine(t.out, t.out_bias, a.d, hidden);
  return fields;
}

// --- The trajectory of one sample with its scores.

Vector readout_of(const Architecture& a, const HostSwarm& x, int asked) {
  Vector m(static_cast<std::size_t>(x.d()));
  const int read = a.readout == Architecture::cls ? x.n() - 1 : asked;
  for (int k = 0; k < x.d(); ++k) {
    if (a.readout != Architecture::mean) {
      m[k] = x.at(read, k);
    } else {
      for (int i = 0; i < x.n(); ++i) m[k] += x.at(i, k);
      m[k] /= x.n();
    }
  }
  return m;
}

//   chance_c = e^(score_c - max) / sum_k e^(score_k - max)
Matrix chances_of(const Matrix& scores) {
  Matrix chances = scores;
  for (int row = 0; row < scores.rows; ++row) {
    double* p = chances.data.data() + static_cast<std::size_t>(row) * scores.cols;
    const double most = *std::max_element(p, p + scores.cols);
    double sum = 0;
    for (int c = 0; c < scores.cols; ++c) sum += p[c] = elementary::exp(p[c] - most);
    for (int c = 0; c < scores.cols; ++c) p[c] /= sum;
  }
  return chances;
}

SampleTrajectory simulate_sample(const TrainedSwarm& swarm, const SampleSet& samples,
                                 std::size_t sample, int blocks) {
  assert(sample < samples.samples());
  const Architecture& a = swarm.architecture;
  const std::vector<double> parameters = swarm.doubles();
  const std::size_t first = samples.first[sample];
  const auto size = static_cast<std::size_t>(samples.size_of(sample));
  const Sample ready =
      a.vocabulary > 0
          ? start_sample(a, parameters, std::span<const int>(samples.word).subspan(first, size))
          : start_sample(a, parameters, std::span<const float>(samples.x).subspan(first, size),
                         std::span<const float>(samples.y).subspan(first, size));
  const HostSwarm begin = from_rows({ready.n, a.d}, ready.rows.data());
  const auto engine = make_reference_engine();
  const Dynamics dynamics = dynamics_of(a, parameters);
  const auto field = engine->prepare(dynamics, begin.shape());
  FlowSettings settings;
  settings.method = Method::layers;
  settings.dt = a.residual;
  const int steps = blocks > 0 ? blocks : a.blocks;
  SampleTrajectory trajectory;
  FlowState state = start(begin);
  const Outcome outcome =
      advance({*engine, *field, settings}, {.T = steps * a.residual, .every = a.residual}, state,
              {.frame = [&](double, const HostSwarm& x) { trajectory.frames.push_back(x); }});
  if (!outcome.ok())
    throw Error(Fault::numerical, "the coordinates are no longer finite",
                fmt::format("sample {}", sample), "use fewer blocks beyond the trained depth");
  trajectory.scores = zeros(static_cast<int>(trajectory.frames.size()), a.targets.rows);
  const int asked = a.readout == Architecture::asked ? samples.asked[sample] : 0;
  double* row = trajectory.scores.data.data();
  for (const HostSwarm& frame : trajectory.frames) {
    const std::vector<double> score = scores(a, readout_of(a, frame, asked));
    row = std::copy(score.begin(), score.end(), row);
  }
  return trajectory;
}

}  // namespace murmur
