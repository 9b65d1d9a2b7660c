// train.cpp: trains into a run: a swarm, or an rnn in its place.
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
#include "run/describe.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run/kept_json.h"

namespace murmur {

// --- summary.json.

template <class Visitor>
void describe(Visitor& v, FieldsOf<Settling>) {
  using S = Settling;
  v(&S::blocks, "blocks", "number of blocks");
  v(&S::accuracy, "accuracy", "share of right verdicts, 0 to 1", {.null = Null::nan});
  v(&S::spread, "spread", "distance of tokens to their mean, relative to the start",
    {.null = Null::nan});
  v(&S::speed, "speed", "displacement of a token in the last block", {.null = Null::nan});
  v(&S::distance, "distance", "distance of a token to its target", {.null = Null::nan});
}

template <class Visitor>
void describe(Visitor& v, FieldsOf<TrainingSummary>) {
  using S = TrainingSummary;
  v(&S::test_accuracy, "test_accuracy", "accuracy on the test set, 0 to 1", {.null = Null::nan});
  v(&S::validation_accuracy, "validation_accuracy", "accuracy on the pictures held out, 0 to 1",
    {.null = Null::nan});
  v(&S::test_correct, "test_correct", "right verdicts on the test set");
  v(&S::test_count, "test_count", "samples of the test set");
  v(&S::images_per_second, "images_per_second", "samples per second of training",
    {.null = Null::nan});
  v(&S::seconds, "seconds", "time spent in updates", {.null = Null::nan});
  v(&S::epochs, "epochs", "passes over the training set");
  v(&S::seed, "seed", "seed of the training");
  v(&S::parameters, "parameters", "number of trained parameters");
  v.list(&S::settling, "settling", "readings at several depths");
  v(&S::data, "data", "name of the data set");
  v(&S::checksum, "data_sha256", "digest of the data set");
}

namespace {

namespace fs = std::filesystem;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Accuracy of a model on samples, and its mean output for each class.
struct Evaluation {
  std::size_t correct = 0, count = 0;
  HostSwarm mean_output{};  // (classes, width)
  double accuracy() const {
    return count == 0 ? kNan : static_cast<double>(correct) / static_cast<double>(count);
  }
};

std::string summary_text(const TrainingSummary& summary) {
  nlohmann::json json = nlohmann::json::object();
  write_fields(summary, json);
  return json_text(json, 2) + "\n";
}

// `predict` returns the class that an output (width) stands for.
template <class Predict>
Evaluation evaluate(Adjoint& adjoint, Shape shape, const std::vector<float>& parameters,
                    const ChosenSamples& samples, const Predict& predict) {
  const auto [classes, width] = shape;
  const auto& [e, chosen] = samples;
  std::vector<float> outputs(chosen.size() * static_cast<std::size_t>(width));
  adjoint.forward(parameters, batch_of(samples), outputs);
  Evaluation result{0, chosen.size(), HostSwarm(shape)};
  std::vector<double> members(classes);
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    const float* row = outputs.data() + at * static_cast<std::size_t>(width);
    const int label = e.label[chosen[at]];
    result.correct += predict(row) == label ? 1 : 0;
    members[label] += 1;
    for (int k = 0; k < width; ++k) result.mean_output.at(label, k) += row[k];
  }
  for (int c = 0; c < classes; ++c)
    for (int k = 0; k < width; ++k) result.mean_output.at(c, k) /= std::max(1.0, members[c]);
  return result;
}

// --- An rnn (rnn_training.h).

Evaluation evaluate(Adjoint& adjoint, int classes, const std::vector<float>& parameters,
                    const ChosenSamples& samples) {
  return evaluate(adjoint, {classes, classes}, parameters, samples, [&](const float* logits) {
    return std::max_element(logits, logits + classes) - logits;
  });
}

void write_model(const Rnn& rnn, const std::vector<float>& parameters,
                 const std::filesystem::path& file) {
  Safetensors content;
  for (const TensorPlace& place : layout(rnn)) {
    const auto at = parameters.begin() + static_cast<std::ptrdiff_t>(place.offset);
    content.tensors[place.name] = {
        place.shape, std::vector<float>(at, at + static_cast<std::ptrdiff_t>(place.size()))};
  }
  content.metadata = {{"format", kRnnFormat},
                      {"hidden", std::to_string(rnn.hidden)},
                      {"classes", std::to_string(rnn.classes)}};
  if (rnn.vocabulary > 0) {
    content.metadata["vocabulary"] = std::to_string(rnn.vocabulary);
    content.metadata["width"] = std::to_string(rnn.width);
  }
  write_safetensors(file, content);
}

}  // namespace

Rnn rnn_for(const Training& training) {
  const Architecture& a = training.architecture;
  return rnn_near(
      parameter_count(a),
      {.classes = a.targets.rows, .vocabulary = a.vocabulary, .width = a.vocabulary > 0 ? a.d : 2});
}

RunContents rnn_contents(const Training& training, const std::vector<std::string>& argv) {
  const bool asked_for = training.reader == Reader::recurrent;
  RunContents c;
  c.config =
      (asked_for
           ? ""
           : "# One messenger learned in the place of the swarm that these lines describe.\n") +
      training.config;
  c.columns = {"loss", "train_accuracy", "rate"};
  const int classes = training.architecture.targets.rows;
  c.shape = {classes, classes};
  c.command = asked_for ? "train" : "reproduce";
  c.argv = argv;
  c.engine = "messenger f32";
  c.seed = training.seed;
  c.outputs = training_outputs();
  c.free = free_training_settings();
  return c;
}

namespace {

std::optional<TrainingSummary> run_training(const RnnTraining& what, RecordedProcess& process) {
  const TrainingData& data = what.data;
  Run& run = what.run;
  Training training = what.training;
  training.deeper = 1;  // it has no blocks
  const Rnn rnn = rnn_for(training);
  const auto adjoint = make_adjoint(rnn, training.threads);
  TrainingLoop loop(training, data, *adjoint);
  TrainingState state = load_state(
      run, data.checksum, TrainingLoop::begin(training, initial_parameters(rnn, training.seed)));
  const ChosenSamples watched = validation_samples(data);
  // Each epoch has a row.
  const auto lacks_row = [&] {
    return state.update % loop.per_epoch() == 0 && run.frames() < state.update / loop.per_epoch();
  };
  const auto append = [&] {
    const double row[] = {mean_of_epoch(loop, state, state.loss),
                          static_cast<double>(state.correct) / static_cast<double>(state.seen),
                          loop.rate(state.update - 1)};
    run.append(loop.epoch(state),
               evaluate(*adjoint, rnn.classes, state.model(), watched).mean_output, row);
  };
  while (!loop.finished(state) || lacks_row()) {
    // As for a swarm below: a stop leaves the state after the last complete update.
    const bool whole = finishes([&] {
      if (!lacks_row()) loop.update(state);
      if (lacks_row()) append();
    });
    const bool stop = process.pause(
        static_cast<double>(state.update), [&] { return record_of(state, data.checksum); },
        [&] { return progress_of(loop, state, kNan); });
    if (!stop && !whole) throw Stopped();
    if (!stop) continue;
    run.close("interrupted", {{"update", static_cast<double>(state.update)}}, "");
    return std::nullopt;
  }
  process.save(static_cast<double>(state.update), record_of(state, data.checksum), true);
  const Evaluation test = evaluate(*adjoint, rnn.classes, state.model(), test_samples(data));
  const TrainingSummary summary{.test_accuracy = test.accuracy(),
                                .validation_accuracy = kNan,
                                .test_correct = test.correct,
                                .test_count = test.count,
                                .images_per_second = images_per_second(loop, state),
                                .seconds = state.seconds,
                                .epochs = training.epochs,
                                .seed = training.seed,
                                .parameters = state.parameters.size(),
                                .data = data.name,
                                .checksum = data.checksum};
  write_model(rnn, state.model(), run.directory() / "model.safetensors");
  write_file_atomically(run.directory() / "summary.json", summary_text(summary));
  run.close("done", {{"test_accuracy", summary.test_accuracy}}, "");
  return summary;
}

}  // namespace

std::optional<TrainingSummary> train_rnn(const RnnTraining& what) {
  const StopScope stop(what.control.signal);
  RecordedProcess process(what.run, what.control, "update");
  return process.guarded([&] { return run_training(what, process); });
}

TrainedRnn read_trained_rnn(const std::filesystem::path& run) {
  const std::filesystem::path file = run / "model.safetensors";
  const Safetensors content = read_safetensors(file);
  const auto whole = [&](const char* key) {
    const auto found = content.metadata.find(key);
    const bool sane = found != content.metadata.end() && !found->second.empty() &&
                      found->second.size() < 5 &&
                      found->second.find_first_not_of("0123456789") == std::string::npos;
    return sane ? std::stoi(found->second) : 0;
  };
  if (content.metadata.contains("format") && content.metadata.at("format") != kRnnFormat)
    throw Error(Fault::input, "this model is not a recurrent network", file.string(),
                "name a run of murmur train reader=recurrent");
  TrainedRnn trained{{whole("hidden"), whole("classes"), whole("vocabulary")}, {}};
  if (trained.rnn.vocabulary > 0) trained.rnn.width = whole("width");
  for (const TensorPlace& place : layout(trained.rnn)) {
    const auto found = content.tensors.find(place.name);
    if (found == content.tensors.end() || found->second.shape != place.shape)
      throw Error(Fault::input,
                  fmt::format("the recurrent network has no fitting tensor {}", place.name),
                  file.string(), "delete the run to train it again");
    for (const double value : found->second.doubles())
      trained.parameters.push_back(static_cast<float>(value));
  }
  return trained;
}

// --- A swarm.

namespace {

Evaluation evaluate(const Architecture& a, Adjoint& adjoint, const std::vector<float>& parameters,
                    const ChosenSamples& samples) {
  return evaluate(adjoint, {a.targets.rows, a.d}, parameters, samples, [&](const float* readout) {
    const std::vector<double> score = scores(a, std::vector<double>(readout, readout + a.d));
    return std::max_element(score.begin(), score.end()) - score.begin();
  });
}

// The training of a swarm, stored in a run.
class TrainingRun {
 public:
  TrainingRun(const Training& training, const TrainingData& data, Run& run,
              const ProcessControl& control)
      : training_(training),
        data_(data),
        run_(run),
        process_(run, control, "update"),
        adjoint_(adjoint_for(training)),
        loop_(training, data, *adjoint_) {}

  std::optional<TrainingSummary> run() {
    return process_.guarded([&] { return run_training(); });
  }

 private:
  std::optional<TrainingSummary> run_training();
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

// The start and each epoch have a row.
bool TrainingRun::lacks_row(const TrainingState& state) const {
  const std::int64_t epochs = state.update / loop_.per_epoch();
  return state.update % loop_.per_epoch() == 0 && run_.frames() <= epochs;
}

// One frame and row: t is the number of epochs done.
void TrainingRun::append(const TrainingState& state) {
  const Evaluation watched =
      evaluate(training_.architecture, *adjoint_, state.model(), validation_samples(data_));
  validation_ = data_.kept_back.empty() ? kNan : watched.accuracy();
  const bool any = state.seen > 0;
  const double row[] = {
      any ? mean_of_epoch(loop_, state, state.loss) : kNan,
      any ? static_cast<double>(state.correct) / static_cast<double>(state.seen) : kNan,
      validation_, loop_.rate(std::max<std::int64_t>(0, state.update - 1)),
      any ? mean_of_epoch(loop_, state, state.gradient) : kNan};
  run_.append(loop_.epoch(state), watched.mean_output, row);
}

std::optional<TrainingSummary> TrainingRun::run_training() {
  TrainingState state = load_state(
      run_, data_.checksum,
      TrainingLoop::begin(training_, initial_parameters(training_.architecture, training_.seed)));
  while (!loop_.finished(state) || lacks_row(state)) {
    // A stop leaves the state after the last complete update. If it skips a row, that row is
    // appended first when the run continues.
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

TrainingSummary TrainingRun::finish(const TrainingState& state) {
  const Architecture& a = training_.architecture;
  const Evaluation test = evaluate(a, *adjoint_, state.model(), test_samples(data_));
  const double validation =
      data_.kept_back.empty()
          ? kNan
          : evaluate(a, *adjoint_, state.model(), validation_samples(data_)).accuracy();
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
  write_file_atomically(run_.directory() / "summary.json", summary_text(s));
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
  std::unique_ptr<TrainingRun> recorded;
  try {
    if (data.learned.empty() && !reads_words(training.task))
      throw Error(Fault::input, "no picture is left to learn from", "validation",
                  "use a smaller validation=");
    if (training.reader == Reader::swarm)
      recorded = std::make_unique<TrainingRun>(training, data, run, control);
  } catch (...) {
    close_after_exception(run, {});
    throw;
  }
  return recorded ? recorded->run() : train_rnn({training, data, run, control});
}

TrainingSummary read_summary(const fs::path& run) {
  const fs::path path = run / "summary.json";
  if (std::error_code ignored; !fs::exists(path, ignored))
    throw Error(Fault::input, "the run has no summary of a training", path.string(),
                "finish it with murmur train --resume, or name another run");
  TrainingSummary s;
  read_fields(KeptJson::read(path), 0, s);
  return s;
}

}  // namespace murmur
