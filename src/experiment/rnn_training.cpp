// rnn_training.cpp: teaches one rnn by the swarm's own recipe, epoch by epoch.
#include "experiment/rnn_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "murmur/error.h"
#include "murmur/stop.h"
#include "run/formats.h"

namespace murmur {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Accuracy {
  std::size_t correct = 0, count = 0;
  HostSwarm logits{};  // (classes, classes) mean logits of each class
  double accuracy() const {
    return count == 0 ? kNan : static_cast<double>(correct) / static_cast<double>(count);
  }
};

Accuracy evaluate(Adjoint& adjoint, int classes, const std::vector<float>& parameters,
                  const WatchedSamples& samples) {
  const auto& [e, chosen] = samples;
  std::vector<float> logits(chosen.size() * static_cast<std::size_t>(classes));
  adjoint.forward(parameters, batch_of(samples), logits);
  Accuracy accuracy_now{0, chosen.size(), HostSwarm({classes, classes})};
  std::vector<double> members(classes);
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    const float* row = logits.data() + at * static_cast<std::size_t>(classes);
    const int label = e.label[chosen[at]];
    accuracy_now.correct += std::max_element(row, row + classes) - row == label ? 1 : 0;
    members[label] += 1;
    for (int c = 0; c < classes; ++c) accuracy_now.logits.at(label, c) += row[c];
  }
  for (int label = 0; label < classes; ++label)
    for (int c = 0; c < classes; ++c)
      accuracy_now.logits.at(label, c) /= std::max(1.0, members[label]);
  return accuracy_now;
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

std::optional<TrainingSummary> carry(const RnnTraining& what, RecordedProcess& process) {
  const TrainingData& data = what.data;
  Run& run = what.run;
  Training training = what.training;
  training.deeper = 1;  // it has no blocks
  const Rnn rnn = rnn_for(training);
  const auto adjoint = make_adjoint(rnn, training.threads);
  TrainingLoop loop(training, data, *adjoint);
  TrainingState state = where_it_stands(
      run, data.checksum, TrainingLoop::begin(training, initial_parameters(rnn, training.seed)));
  const WatchedSamples watched = watched_samples(data);
  // There is a row of each epoch.
  const auto lacks_row = [&] {
    return state.update % loop.per_epoch() == 0 && run.frames() < state.update / loop.per_epoch();
  };
  const auto append = [&] {
    const double row[] = {mean_of_epoch(loop, state, state.loss),
                          static_cast<double>(state.correct) / static_cast<double>(state.seen),
                          loop.rate(state.update - 1)};
    run.append(loop.epoch(state), evaluate(*adjoint, rnn.classes, state.model(), watched).logits,
               row);
  };
  while (!loop.finished(state) || lacks_row()) {
    // As in train.cpp: a stop leaves the state as it was after the last whole update.
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
  const Accuracy test = evaluate(*adjoint, rnn.classes, state.model(), test_samples(data));
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
  write_file_atomically(run.directory() / "summary.json", to_json(summary));
  run.close("done", {{"test_accuracy", summary.test_accuracy}}, "");
  return summary;
}

}  // namespace

std::optional<TrainingSummary> train_rnn(const RnnTraining& what) {
  const StopScope stop(what.control.signal);
  RecordedProcess process(what.run, what.control, "update");
  return process.guarded([&] { return carry(what, process); });
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
    throw Error(Fault::input, "this model is no recurrent network", file.string(),
                "name a run of murmur train reader=recurrent");
  TrainedRnn trained{{whole("hidden"), whole("classes"), whole("vocabulary")}, {}};
  if (trained.rnn.vocabulary > 0) trained.rnn.width = whole("width");
  for (const TensorPlace& place : layout(trained.rnn)) {
    const auto found = content.tensors.find(place.name);
    if (found == content.tensors.end() || found->second.shape != place.shape)
      throw Error(Fault::input, fmt::format("the messenger has no fitting tensor {}", place.name),
                  file.string(), "delete the run to train it again");
    for (const double value : found->second.doubles())
      trained.parameters.push_back(static_cast<float>(value));
  }
  return trained;
}

}  // namespace murmur
