// training_cache.cpp: finds the directory of a training, and trains only what is missing.
#include "reproduce/training_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "experiment/rnn_training.h"
#include "murmur/error.h"
#include "run/compare.h"
#include "run/identity.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

// Lines with default values, which config.toml of older versions do not have.
constexpr const char* kDefaultLines[] = {
    "task = digits",      "every = 1",           "samples = all",    "head_width = auto",
    "affine = 0.0",       "warp = 0.0",          "settle = 0",       "deeper = 1",
    "averaging = 0.0",    "averaging = 0",       "positions = none", "reader = swarm",
    "settle_from = half", "depth_law = uniform", "token_share = 1",  "stay = 0"};

// The lines of a config.toml without those of the given keys, and without quotes: a parameter that
// was a number in older files may be a name now.
std::vector<std::string> lines_without(const std::string& config,
                                       const std::vector<std::string>& keys) {
  std::vector<std::string> lines;
  std::istringstream in(config);
  for (std::string line; std::getline(in, line);) {
    std::erase(line, '"');
    bool kept = !line.empty() && line[0] != '#' &&
                std::find(std::begin(kDefaultLines), std::end(kDefaultLines), line) ==
                    std::end(kDefaultLines);
    for (const std::string& key : keys) kept = kept && line.rfind(key + " =", 0) != 0;
    if (kept) lines.push_back(line);
  }
  return lines;
}

bool same_but_for_place(const std::string& config, const std::string& other) {
  const std::vector<std::string> free = {"name", "threads", "device"};
  return lines_without(config, free) == lines_without(other, free);
}

// The accuracy of a reader that gives every sample the same class.
double constant_accuracy(const Training& t) {
  return t.task == Task::digits ? 1.0 / static_cast<double>(t.digits.size()) : 0.5;
}

std::string key_of(const Training& t) {
  return fmt::format("{} {} {} {} {} {} {}", static_cast<int>(t.task), fmt::join(t.digits, ","),
                     t.tokens.threshold, t.tokens.finer, t.tokens.every, t.validation, t.seed);
}

}  // namespace

bool same_training(const std::string& config, const std::string& other) {
  const std::vector<std::string> free = free_training_settings();
  return lines_without(config, free) == lines_without(other, free);
}

TrainingCache::TrainingCache(const ReproductionControl& control, fs::path folder)
    : control_(control), folder_(std::move(folder)) {
  fs::create_directories(folder_);
}

Training TrainingCache::describe(TrainingSpec spec) const {
  if (!control_.data.empty()) spec.data = control_.data.string();
  if (control_.threads > 0) spec.threads = control_.threads;
  return make_training(apply_assignments(spec, control_.changed));
}

const TrainingData& TrainingCache::data_for(const Training& training) {
  const std::string wanted = key_of(training);
  if (data_ && data_key_ == wanted) return *data_;
  data_.reset();
  data_ = std::make_unique<TrainingData>(gather_data(training, control_.data));
  data_key_ = wanted;
  return *data_;
}

TrainingCache::Place TrainingCache::find_place(const std::string& key, const Training& training) {
  const std::string stem = fmt::format("{}-e{}-s{}", key, training.epochs, training.seed);
  for (int number = 1;; ++number) {
    Place place{folder_ / (number == 1 ? stem : fmt::format("{}-{}", stem, number))};
    if (!fs::exists(place.directory)) return place;
    if (!is_run_directory(place.directory)) continue;
    place.there = true;
    const RunReader reader(place.directory);
    place.done = reader.status() == "done";
    if (!place.done && same_but_for_place(reader.config(), training.config)) return place;
    if (place.done && same_training(reader.config(), training.config) &&
        read_summary(place.directory).checksum == data_for(training).checksum) {
      require_readable(place.directory, free_training_settings());
      return place;
    }
  }
}

ProcessControl TrainingCache::control_for(const Place& place) const {
  ProcessControl control = control_;
  if (control_.report)
    control.report = [name = place.directory.filename().string(),
                      &report = control_.report](Progress progress) {
      progress.details.emplace_back("run", name);
      report(progress);
    };
  return control;
}

void TrainingCache::tell(const Place& place, const TrainingSummary& summary) const {
  if (!control_.tell) return;
  control_.tell(fmt::format(
      "{:<32} {:6.2f} %  {}", place.directory.filename().string(), 100 * summary.test_accuracy,
      place.done ? "kept from before"
                 : fmt::format("{} epochs, {:.0f} s", summary.epochs, summary.seconds)));
}

Run TrainingCache::reopen(const Place& place, const RunContents& contents) const {
  const std::string warning = require_same_settings(place.directory, contents.free);
  if (!warning.empty() && control_.tell)
    control_.tell(fmt::format("{}: {}", place.directory.filename().string(), warning));
  return Run::reopen(place.directory, control_.argv, &contents);
}

std::optional<StoredTraining> TrainingCache::fetch(const std::string& key, const Training& training,
                                                   Kind kind) {
  if (control_.wrong.null == NullModel::constant)
    return StoredTraining{{}, {.test_accuracy = constant_accuracy(training)}};
  const Place place = find_place(key, training);
  std::optional<TrainingSummary> summary;
  if (place.done) {
    summary = read_summary(place.directory);
  } else {
    const bool swarm = kind == Kind::swarm;
    const TrainingData& data = data_for(training);
    const ProcessControl control = control_for(place);
    const RunContents contents =
        swarm ? contents_of(training, control_.argv) : rnn_contents(training, control_.argv);
    Run run = place.there ? reopen(place, contents) : Run::create(place.directory, contents, false);
    summary =
        swarm ? train(training, data, run, control) : train_rnn({training, data, run, control});
  }
  if (!summary) return std::nullopt;
  tell(place, *summary);
  return StoredTraining{place.directory, *summary};
}

}  // namespace murmur
