// given_model.cpp: a trained swarm named by model=: the parameters that it fixes, and its samples.
#include "experiment/given_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "experiment/initial.h"
#include "experiment/rows.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/training.h"
#include "run/compare.h"
#include "run/file.h"
#include "run/formats.h"

namespace murmur {

// --- The model file, to be read or to be kept as an input of a run.

namespace fs = std::filesystem;

namespace {

struct ModelFile {
  fs::path path{};
  std::vector<std::uint8_t> bytes{};
};

fs::path model_path(const fs::path& run_or_file) {
  std::error_code ignored;
  if (!fs::is_directory(run_or_file, ignored)) return run_or_file;
  const bool is_run = fs::exists(run_or_file / "manifest.json", ignored);
  if (const fs::path trained = run_or_file / "model.safetensors"; fs::exists(trained, ignored)) {
    if (is_run) require_readable(run_or_file, free_training_settings());
    return trained;
  }
  if (const fs::path copy = run_or_file / "inputs/model.npy"; fs::exists(copy, ignored)) {
    if (is_run) require_readable(run_or_file, {});
    return copy;
  }
  throw Error(Fault::input, "there is no trained swarm in this folder", run_or_file.string(),
              "murmur train makes one; murmur train --resume continues an unfinished training");
}

// Reads a model.safetensors, the one in a run, or the copy in a run, inputs/model.npy. Error(input)
// if a run does not agree with its manifest.
ModelFile read_model_file(const fs::path& run_or_file) {
  ModelFile model{model_path(run_or_file), {}};
  if (model.path.extension() == ".npy") {
    Array array = read_npy(model.path);
    auto* bytes = std::get_if<std::vector<std::uint8_t>>(&array.values);
    if (bytes == nullptr || array.shape.size() != 1)
      throw Error(Fault::input, "the array does not hold the bytes of a model", model.path.string(),
                  "give a model.safetensors that murmur train wrote");
    model.bytes = std::move(*bytes);
    return model;
  }
  const File file = File::reading(model.path);
  model.bytes.resize(file.size());
  file.read_at(0, std::as_writable_bytes(std::span(model.bytes)));
  return model;
}

}  // namespace

TrainedSwarm read_trained_swarm(const fs::path& run_or_file) {
  const ModelFile file = read_model_file(run_or_file);
  return parse_trained_swarm(std::as_bytes(std::span(file.bytes)), file.path.string());
}

// --- The model in an experiment.

namespace {

constexpr double kFarthest = 1e6;  // of a given point from the origin, along an axis

std::filesystem::path file_of(const Setting& setting) { return setting.folder / setting.text; }

// Makes one sample from points in the plane, with the code and the CLS token of the model.
HostSwarm started(const GivenModel& model, std::span<const float> x, std::span<const float> y) {
  const Architecture& a = model.swarm.architecture;
  const Sample sample = start_sample(a, model.swarm.doubles(), x, y);
  return from_rows({sample.n, a.d}, sample.rows.data());
}

HostSwarm started(const GivenModel& model, const Images& images, std::size_t index, int finer) {
  Tokenisation how = model.swarm.tokens;
  how.finer *= finer;
  SampleSet samples;
  add_sample(images, index, -1, how, samples);
  return started(model, samples.x, samples.y);
}

// Returns pair `index` of the test.
HostSwarm sample_of_pair(const WordedSpec& worded, const GivenModel& model, const Images& test,
                         const InitialPicture& picture) {
  if (picture.train)
    refuse(worded.words, "init", "names no pair", "write init=test:17, a pair of the test");
  const std::vector<PicturePair> pairs = test_pairs_of(model.swarm, test);
  if (picture.index >= static_cast<double>(pairs.size()))
    refuse(worded.words, "init", "there is no such pair",
           fmt::format("the test has pairs 0 to {}", pairs.size() - 1));
  Tokenisation how = model.swarm.tokens;
  how.finer *= static_cast<int>(picture.finer);
  SampleSet samples;
  add_pair(test, pairs[static_cast<std::size_t>(picture.index)], -1, how, samples);
  return started(model, samples.x, samples.y);
}

// Returns sentence `index` of the test.
HostSwarm sample_of_sentence(const WordedSpec& worded, const GivenModel& model,
                             const InitialPicture& picture) {
  const SampleSet test = test_sentences(model.swarm.task);
  if (picture.train || picture.finer != 1 || picture.index != std::floor(picture.index) ||
      !(picture.index >= 0 && picture.index < static_cast<double>(test.samples())))
    refuse(worded.words, "init", "names no sentence",
           fmt::format("write init=test:17; the test has sentences 0 to {}", test.samples() - 1));
  const auto k = static_cast<std::size_t>(picture.index);
  const Sample sample = start_sample(
      model.swarm.architecture, model.swarm.doubles(),
      std::span<const int>(test.word).subspan(test.first[k], test.first[k + 1] - test.first[k]));
  return from_rows({sample.n, model.swarm.architecture.d}, sample.rows.data());
}

HostSwarm sample_of_set(const WordedSpec& worded, const GivenModel& model,
                        const InitialPicture& picture) {
  const Settings& words = worded.words;
  const auto [train, index, finer] = picture;
  if (reads_words(model.swarm.task)) return sample_of_sentence(worded, model, picture);
  const std::string remedy = "write init=test:17, or init=test:17:2 for a grid twice as fine";
  if (!(index >= 0) || index != std::floor(index))
    refuse(words, "init", "names no picture", remedy);
  if (!(finer >= 1 && finer <= 32 / model.swarm.tokens.finer) || finer != std::floor(finer))
    refuse(words, "init", "has no such grid", remedy);
  const DataSet set = read_data_set(find_data(data_places(words, model.swarm.data)));
  if (model.swarm.task == Task::same) return sample_of_pair(worded, model, set.test, picture);
  const Images& images = train ? set.train : set.test;
  if (index >= static_cast<double>(images.count()))
    refuse(words, "init", "there is no such picture",
           fmt::format("{} has pictures 0 to {}", images.where, images.count() - 1));
  return started(model, images, static_cast<std::size_t>(index), static_cast<int>(finer));
}

HostSwarm sample_of_png(const std::filesystem::path& path, const GivenModel& model) {
  if (reads_words(model.swarm.task))
    throw Error(Fault::input, "the model reads sentences, and this is a picture", path.string(),
                "write init=test:17, a sentence of the test");
  if (model.swarm.task == Task::same)
    throw Error(Fault::input, "the model compares two pictures, and this is one", path.string(),
                "write init=test:17, or murmur classify RUN images=LEFT.png+RIGHT.png -o RUN");
  Picture picture = read_digit_png(path);
  const Images images{picture.height, picture.width, std::move(picture.pixels), {}, path.string()};
  return started(model, images, 0, 1);
}

// Points of shape (n, d) are tokens; those of shape (n, 2) are points of a picture, unless they are
// start positions.
std::optional<HostSwarm> sample_of_points(const WordedSpec& worded, const GivenModel& model,
                                          const Array& points) {
  const Settings& words = worded.words;
  const auto d = static_cast<std::size_t>(model.swarm.architecture.d);
  if (reads_words(model.swarm.task)) return std::nullopt;  // rows are tokens
  if (points.shape.size() != 2 || points.shape[0] == 0 ||
      (points.shape[1] != 2 && points.shape[1] != d))
    refuse(words, "init",
           fmt::format("has shape ({}), the model takes (n, 2) or (n, {})",
                       fmt::join(points.shape, ", "), d),
           "save one row per point, in the plane or with all coordinates of the model");
  const bool resumed = model.own_copy && std::holds_alternative<InitialFile>(worded.spec.init);
  if (points.shape[1] == d && (d > 2 || resumed)) return std::nullopt;
  const std::vector<double> values = points.doubles();
  std::vector<float> x, y;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (!(std::fabs(values[e]) <= kFarthest))
      refuse(words, "init", fmt::format("point {} is too far away or not finite", e / 2),
             "give finite points; pictures lie in [-10, 10]^2");
    (e % 2 == 0 ? x : y).push_back(static_cast<float>(values[e]));
  }
  return started(model, x, y);
}

}  // namespace

DataPlaces data_places(const Settings& settings, const std::string& otherwise) {
  const Setting& data = setting(settings, "data");
  const bool from_variable = data.origin.rfind("environment", 0) == 0;
  const bool is_name = data.text == "mnist" || data.text == "fashion-mnist";
  DataPlaces places{otherwise == "auto" ? "" : otherwise, {}, {}};
  if (data.text != "auto" && from_variable)
    places.environment = data.text;
  else if (data.text != "auto")
    places.asked = is_name ? data.text : file_of(data).string();
  if (const auto xdg = settings.find("xdg"); xdg != settings.end()) places.xdg = xdg->second.text;
  return places;
}

Picture read_digit_png(const std::filesystem::path& path) {
  Picture picture = read_png(path);
  const bool ready = picture.height == 28 && picture.width == 28;
  return ready ? picture : centre_like_mnist(picture, path.string());
}

std::optional<GivenModel> given_model(const WordedSpec& worded) {
  if (!worded.spec.model) return std::nullopt;
  if (setting(worded.words, "model").text.empty())
    refuse(worded.words, "model", "names no model", "give a training run or a model.safetensors");
  ModelFile file = read_model_file(*worded.spec.model);
  GivenModel model;
  model.swarm = parse_trained_swarm(std::as_bytes(std::span(file.bytes)), file.path.string());
  model.own_copy = file.path.extension() == ".npy";
  model.bytes = std::move(file.bytes);
  return model;
}

bool fixed_by_model(const std::string& parameter) {
  const bool free = parameter == "habitat" || parameter == "noise";  // habitat must be R^d
  return (row_named<ExperimentSpec>(parameter).of_dynamics && !free) || parameter == "masses";
}

WordedSpec with_model(WordedSpec worded, const GivenModel& model) {
  const Architecture& a = model.swarm.architecture;
  ExperimentSpec& spec = worded.spec;
  Settings& words = worded.words;
  for (const Parameter& p : parameters())
    if (fixed_by_model(p.name) && is_given(words, p.name))
      refuse(words, p.name, "the model determines how its tokens move",
             fmt::format("remove {}, or model=", p.name));
  const auto fix = [&](const char* key, auto& field, const auto& value, const std::string& text) {
    if (is_given(words, key)) return;
    field = value;
    words[key] = {text, "the model", setting(words, key).folder};
  };
  fix("habitat", spec.dynamics.manifold, ManifoldChoice::space, "space");
  if (spec.dynamics.manifold != ManifoldChoice::space)
    refuse(words, "habitat", "a trained swarm moves in R^d", "remove habitat");
  fix("d", spec.d, a.d, fmt::format("{}", a.d));
  if (*spec.d != a.d) refuse(words, "d", fmt::format("but the model has d = {}", a.d), "remove d");
  const SaveChoice save{SaveChoice::every, a.residual, 0};
  const std::string T = fmt::format("{:.12g}", a.blocks * a.residual);
  double rounded = 0;
  parse_number(T, rounded);  // 0.3 and not 0.30000000000000004
  fix("init", spec.init, InitialPicture{}, "test:0");
  fix("method", spec.method, Method::layers, "layers");
  fix("dt", spec.dt, a.residual, fmt::format("{}", a.residual));
  fix("T", spec.T, rounded, T);
  fix("save", spec.save, save, fmt::format("every:{}", a.residual));
  return worded;
}

std::optional<HostSwarm> initial_sample(const WordedSpec& worded, const GivenModel& model) {
  const auto& [spec, words] = worded;
  std::optional<HostSwarm> sample;
  const auto* file = std::get_if<InitialFile>(&spec.init);
  if (const auto* picture = std::get_if<InitialPicture>(&spec.init))
    sample = sample_of_set(worded, model, *picture);
  else if (file != nullptr && is_picture(*file))
    sample = sample_of_png(file->file, model);
  else if (const std::optional<Array> points = given_points(spec.init))
    sample = sample_of_points(worded, model, *points);
  if (sample && spec.n && *spec.n != sample->n())
    refuse(words, "n", fmt::format("but the picture of init has n = {}", sample->n()),
           "remove n: the picture sets it");
  return sample;
}

}  // namespace murmur
