// train.cpp: a training becomes a run: epochs as frames, checkpoints, the model, the summary.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiment/rnn_training.h"
#include "experiment/training_loop.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/settling.h"
#include "murmur/stop.h"
#include "murmur/training.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/kept_json.h"

namespace murmur {

namespace {

namespace fs = std::filesystem;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// How samples fare: which are right, and where the mean sample of each class settles.
struct Accuracy {
  std::size_t correct = 0, count = 0;
  HostSwarm settled{};  // (classes, d)
  double accuracy() const {
    return count == 0 ? kNan : static_cast<double>(correct) / static_cast<double>(count);
  }
};

Accuracy evaluate(const Architecture& a, Adjoint& adjoint, const std::vector<float>& parameters,
                  const WatchedSamples& samples) {
  const int classes = a.targets.rows;
  const auto& [e, chosen] = samples;
  std::vector<float> readout(chosen.size() * static_cast<std::size_t>(a.d));
  adjoint.forward(parameters, batch_of(samples), readout);
  Accuracy accuracy_now{0, chosen.size(), HostSwarm({classes, a.d})};
  std::vector<double> members(classes);
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    const float* m = readout.data() + at * static_cast<std::size_t>(a.d);
    const std::vector<double> score = scores(a, std::vector<double>(m, m + a.d));
    const int label = e.label[chosen[at]];
    const auto best = std::max_element(score.begin(), score.end()) - score.begin();
    accuracy_now.correct += best == label ? 1 : 0;
    members[label] += 1;
    for (int k = 0; k < a.d; ++k) accuracy_now.settled.at(label, k) += m[k];
  }
  for (int c = 0; c < classes; ++c)
    for (int k = 0; k < a.d; ++k) accuracy_now.settled.at(c, k) /= std::max(1.0, members[c]);
  return accuracy_now;
}

// The run of one training while it goes on.
class Keeper {
 public:
  Keeper(const Training& training, const TrainingData& data, Run& run,
         const ProcessControl& control)
      : training_(training),
        data_(data),
        run_(run),
        process_(run, control, "update"),
        adjoint_(adjoint_for(training)),
        loop_(training, data, *adjoint_) {}

  std::optional<TrainingSummary> keep() {
    return process_.guarded([&] { return carry(); });
  }

 private:
  std::optional<TrainingSummary> carry();
  bool lacks_row(const TrainingState& state) const;
  void append(const TrainingState& state);
  TrainingSummary finish(const TrainingState& state);

  const Training& training_;
  const TrainingData& data_;
  Run& run_;
  RecordedProcess process_;
  std::unique_ptr<Adjoint> adjoint_;
  TrainingLoop loop_;
  double validation_ = kNan;
};

// There is a row of the start, and one of each epoch.
bool Keeper::lacks_row(const TrainingState& state) const {
  const std::int64_t epochs = state.update / loop_.per_epoch();
  return state.update % loop_.per_epoch() == 0 && run_.frames() <= epochs;
}

// One frame and row: t is the number of epochs done.
void Keeper::append(const TrainingState& state) {
  const Accuracy accuracy_now =
      evaluate(training_.architecture, *adjoint_, state.model(), watched_samples(data_));
  validation_ = data_.kept_back.empty() ? kNan : accuracy_now.accuracy();
  const bool any = state.seen > 0;
  const double row[] = {
      any ? mean_of_epoch(loop_, state, state.loss) : kNan,
      any ? static_cast<double>(state.correct) / static_cast<double>(state.seen) : kNan,
      validation_, loop_.rate(std::max<std::int64_t>(0, state.update - 1)),
      any ? mean_of_epoch(loop_, state, state.gradient) : kNan};
  run_.append(loop_.epoch(state), accuracy_now.settled, row);
}

std::optional<TrainingSummary> Keeper::carry() {
  TrainingState state = where_it_stands(
      run_, data_.checksum,
      TrainingLoop::begin(training_, initial_parameters(training_.architecture, training_.seed)));
  while (!loop_.finished(state) || lacks_row(state)) {
    // A stop leaves the state as it was after the last whole update; a row that it leaves out is
    // appended first when the run goes on.
    const bool whole = finishes([&] {
      if (!lacks_row(state)) loop_.update(state);
      if (lacks_row(state)) loop_.collect(state), append(state);
    });
    const auto record = [&] { return loop_.collect(state), record_of(state, data_.checksum); };
    const bool stop = process_.pause(static_cast<double>(state.update), record,
                                     [&] { return progress_of(loop_, state, validation_); });
    if (!stop && !whole) throw Stopped();
    if (!stop) continue;
    run_.close("interrupted", {{"update", static_cast<double>(state.update)}}, "");
    return std::nullopt;
  }
  process_.save(static_cast<double>(state.update), record_of(state, data_.checksum), true);
  return finish(state);
}

TrainingSummary Keeper::finish(const TrainingState& state) {
  const Architecture& a = training_.architecture;
  const Accuracy test = evaluate(a, *adjoint_, state.model(), test_samples(data_));
  const double validation =
      data_.kept_back.empty()
          ? kNan
          : evaluate(a, *adjoint_, state.model(), watched_samples(data_)).accuracy();
  TrainingSummary s;
  s.test_accuracy = test.accuracy();
  s.validation_accuracy = validation;
  s.test_correct = test.correct;
  s.test_count = test.count;
  s.images_per_second = images_per_second(loop_, state);
  s.seconds = state.seconds;
  s.epochs = training_.epochs;
  s.seed = training_.seed;
  s.parameters = state.parameters.size();
  s.data = data_.name;
  s.checksum = data_.checksum;
  const TrainedSwarm swarm{a,
                           state.model(),
                           training_.digits,
                           training_.tokens,
                           training_.data,
                           data_.test_pictures.height,
                           data_.test_pictures.width,
                           training_.task};
  write_trained_swarm(swarm, run_.directory() / "model.safetensors");
  if (training_.objective.settle > 0)
    if (const std::vector<int> depths = settling_depths(swarm); !depths.empty())
      s.settling =
          settling_of(swarm, data_.test, evenly_chosen(data_.test), depths, training_.threads);
  write_file_atomically(run_.directory() / "summary.json", to_json(s));
  run_.close("done",
             {{"epochs", static_cast<double>(training_.epochs)},
              {"updates", static_cast<double>(state.update)},
              {"test_accuracy", s.test_accuracy},
              {"images_per_second", s.images_per_second}},
             "");
  return s;
}

}  // namespace

std::vector<std::string> free_training_settings() { return {"name", "threads", "device", "data"}; }

std::vector<std::string> training_outputs() { return {"model.safetensors", "summary.json"}; }

RunContents contents_of(const Training& training, const std::vector<std::string>& argv) {
  if (training.reader == Reader::recurrent) return rnn_contents(training, argv);
  RunContents c;
  c.config = training.config;
  c.columns = {"loss", "train_accuracy", "validation_accuracy", "rate", "gradient"};
  c.shape = {training.architecture.targets.rows, training.architecture.d};
  c.command = "train";
  c.argv = argv;
  c.engine = training.device == Training::cuda ? "adjoint cuda f32" : "adjoint f32";
  c.seed = training.seed;
  c.outputs = training_outputs();
  c.free = free_training_settings();
  return c;
}

std::optional<TrainingSummary> train(const Training& training, const TrainingData& data, Run& run,
                                     const ProcessControl& control) {
  const StopScope stop(control.signal);
  std::unique_ptr<Keeper> keeper;
  try {
    if (data.learned.empty() && !reads_words(training.task))
      throw Error(Fault::input, "no flock is left to learn from", "validation",
                  "keep fewer back: a smaller validation=");
    if (training.reader == Reader::swarm)
      keeper = std::make_unique<Keeper>(training, data, run, control);
  } catch (...) {
    close_after_exception(run, {});
    throw;
  }
  return keeper ? keeper->keep() : train_rnn({training, data, run, control});
}

TrainingSummary read_summary(const fs::path& run) {
  const fs::path path = run / "summary.json";
  if (std::error_code ignored; !fs::exists(path, ignored))
    throw Error(Fault::input, "the run has no summary of a training", path.string(),
                "finish it with murmur train --resume, or name another run");
  const KeptJson kept = KeptJson::read(path);
  const auto count = [&](const char* key) {
    return static_cast<std::size_t>(kept.at(key).whole(0, kMostWhole));
  };
  TrainingSummary s;
  s.test_accuracy = kept.at("test_accuracy").number_or(kNan);
  s.validation_accuracy = kept.at("validation_accuracy").number_or(kNan);
  s.test_correct = count("test_correct");
  s.test_count = count("test_count");
  s.images_per_second = kept.at("images_per_second").number_or(kNan);
  s.seconds = kept.at("seconds").number_or(kNan);
  s.epochs = kept.at("epochs").small_whole();
  s.seed = static_cast<std::uint64_t>(kept.at("seed").whole(0, kMostWhole));
  s.parameters = count("parameters");
  if (kept.has("settling"))
    for (const KeptJson& row : kept.at("settling").list())
      s.settling.push_back({.blocks = row.at("blocks").small_whole(),
                            .accuracy = row.at("accuracy").number_or(kNan),
                            .spread = row.at("spread").number_or(kNan),
                            .speed = row.at("speed").number_or(kNan),
                            .distance = row.at("distance").number_or(kNan)});
  s.data = kept.at("data").text();
  s.checksum = kept.at("data_sha256").text();
  return s;
}

}  // namespace murmur
