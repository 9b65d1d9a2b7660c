// describe.cpp: trajectories and the observables of their frames, as JSON and arrays.
#include "describe.h"

#include <algorithm>

#include "generated/version.h"
#include "murmur/experiment.h"
#include "murmur/observe.h"

namespace murmur::facade {

namespace {

const char* kind_of(const Parameter& parameter) {
  static constexpr const char* names[] = {"number", "whole", "word", "flag"};
  return names[parameter.kind];
}

int verdict_of(const std::vector<double>& scores) {
  return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

// (bins) shares of the pairs; zeros for a lone particle.
void add_cosines(const HostSwarm& x, const ObserveSettings& settings, std::vector<double>& to) {
  const CosineHistogram cosines = cosine_histogram(x, kCosineBins, settings);
  for (const std::int64_t count : cosines.count)
    to.push_back(cosines.pairs > 0 ? static_cast<double>(count) / static_cast<double>(cosines.pairs)
                                   : 0.0);
}

std::vector<std::string> classes_of(const TrainedSwarm& swarm) {
  return class_names(swarm.task, swarm.digits);
}

struct Readings {  // of several frames
  std::vector<double> observables{}, cosines{}, chances{};
  std::vector<std::int8_t> verdicts{};
};

// What a trained swarm's readout says, and which target each token is nearest to.
void read_trained(const TrainedSwarm& swarm, const HostSwarm& x, Readings& readings) {
  const Architecture& a = swarm.architecture;
  const std::vector<double> score = scores(a, readout_of(a, x));
  const Matrix chances = chances_of({1, static_cast<int>(score.size()), score});
  readings.chances.insert(readings.chances.end(), chances.data.begin(), chances.data.end());
  std::vector<double> place(static_cast<std::size_t>(x.d()));
  for (int i = 0; i < x.n(); ++i) {
    for (int k = 0; k < x.d(); ++k) place[static_cast<std::size_t>(k)] = x.at(i, k);
    readings.verdicts.push_back(static_cast<std::int8_t>(verdict_of(scores(a, place))));
  }
}

}  // namespace

Json numbers(std::initializer_list<std::pair<const char*, double>> list) {
  Json object = Json::object();
  for (const auto& [name, value] : list) object[name] = value;
  return object;
}

Json texts(std::initializer_list<std::pair<const char*, const char*>> list) {
  Json object = Json::object();
  for (const auto& [name, value] : list) object[name] = value;
  return object;
}

Json about() {
  Json text = texts({{"version", MURMUR_VERSION}, {"commit", MURMUR_COMMIT}});
  for (const Parameter& p : parameters())
    text["parameters"].push_back(texts({{"name", p.name},
                                        {"kind", kind_of(p)},
                                        {"initial", p.initial},
                                        {"values", p.values},
                                        {"meaning", p.meaning}}));
  for (const MethodRow& row : methods())
    if (row.stepping != Stepping::cvode) {  // CVODE is not in the page
      Json method = Json::object();
      method["name"] = row.name;
      method["fixed"] = is_fixed(row.method);
      method["noise"] = row.takes_noise;
      text["methods"].push_back(std::move(method));
    }
  return text;
}

Json describe(const Recording& trajectory, int id) {
  const Experiment& e = trajectory.experiment();
  const TrainedSwarm* trained = trajectory.trained();
  Json text = numbers({{"n", e.swarm.n()},
                       {"d", e.swarm.d()},
                       {"frames", static_cast<double>(e.schedule.frames())},
                       {"first", static_cast<double>(trajectory.first())},
                       {"T", e.schedule.T}});
  text["id"] = id;
  text["habitat"] = e.dynamics.manifold == Manifold::sphere ? "sphere" : "space";
  text["columns"] = observable_names(e.dynamics);
  text["digits"] = trained != nullptr ? trained->digits : std::vector<int>{};
  text["classes"] = trained != nullptr ? classes_of(*trained) : std::vector<std::string>{};
  text["known"] = known_results(e);
  text["config"] = e.config;
  return text;
}

Json describe(const TrainedSwarm& swarm, int id) {
  const Architecture& a = swarm.architecture;
  static constexpr const char* interactions[] = {"none", "attraction", "uniform", "attention"};
  Json targets = Json::array();
  for (int c = 0; c < a.targets.rows; ++c) {
    const auto row = a.targets.data.begin() + static_cast<std::ptrdiff_t>(c) * a.targets.cols;
    targets.push_back(std::vector<double>(row, row + a.targets.cols));
  }
  Json text = numbers({{"d", a.d},
                       {"blocks", a.blocks},
                       {"heads", a.heads},
                       {"hidden", a.hidden},
                       {"residual", a.residual},
                       {"parameters", static_cast<double>(swarm.parameters.size())},
                       {"height", swarm.height},
                       {"width", swarm.width}});
  text["id"] = id;
  text["task"] = swarm.task == Task::same ? "same" : "digits";
  text["digits"] = swarm.digits;
  text["classes"] = classes_of(swarm);
  text["shared"] = a.shared;
  text["interaction"] = interactions[a.interaction];
  text["position"] = a.position;
  text["readout"] = a.readout == Architecture::cls ? "cls" : "mean";
  text["targets"] = std::move(targets);
  return text;
}

void add_frames(const Recording& trajectory, std::int64_t first, Reply& reply) {
  const Experiment& e = trajectory.experiment();
  std::vector<double> times;
  std::vector<float> positions;
  Readings readings;
  for (std::int64_t frame = first; frame < trajectory.kept(); ++frame) {
    const HostSwarm x = trajectory.swarm(frame);
    const ObserveSettings settings = observe_settings(e, trajectory.time(frame));
    times.push_back(settings.t);
    for (const double value : trajectory.rows(frame))
      positions.push_back(static_cast<float>(value));
    const std::vector<double> row = observe(x, e.dynamics, settings);
    readings.observables.insert(readings.observables.end(), row.begin(), row.end());
    if (e.dynamics.manifold == Manifold::sphere) add_cosines(x, settings, readings.cosines);
    if (trajectory.trained() != nullptr) read_trained(*trajectory.trained(), x, readings);
  }
  reply.text["first"] = first;
  reply.text["count"] = times.size();
  reply.text["ended"] = nullptr;
  if (trajectory.ended()) {
    Json& ended = reply.text["ended"] = texts({{"what", trajectory.ended()->what.c_str()},
                                               {"remedy", trajectory.ended()->remedy.c_str()}});
    ended["ok"] = trajectory.ended()->ok();
  }
  reply.add(times);
  reply.add(positions);
  reply.add(readings.observables);
  reply.add(readings.cosines);
  reply.add(readings.chances);
  reply.add(readings.verdicts);
}

}  // namespace murmur::facade
