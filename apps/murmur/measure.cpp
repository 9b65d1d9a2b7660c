// measure.cpp: murmur measure: reads the observables off a run, or off any file of points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run_kind.h"
#include "show.h"

namespace murmur::app {

namespace {

History frames_of_run(const std::shared_ptr<RunReader>& reader) {
  return {reader->frames(), [reader](std::int64_t k) { return reader->times()[k]; },
          [reader](std::int64_t k) { return reader->frame(k); }};
}

// (n, d) or (frames, n, d), at times 0, 1, ...
History frames_of_array(const std::string& path) {
  auto array = std::make_shared<Array>(read_npy(path));
  const std::size_t axes = array->shape.size();
  if (axes < 2 || axes > 3 || array->size() == 0)
    throw Error(Fault::input, "the array is not a configuration or a trajectory", path,
                "save shape (n, d) or (frames, n, d)");
  const Shape shape{static_cast<int>(array->shape[axes - 2]),
                    static_cast<int>(array->shape[axes - 1])};
  auto values = std::make_shared<std::vector<double>>(array->doubles());
  const std::size_t size = static_cast<std::size_t>(shape.n) * shape.d;
  return {axes == 3 ? static_cast<std::int64_t>(array->shape[0]) : 1,
          [](std::int64_t k) { return static_cast<double>(k); },
          [=](std::int64_t k) { return from_rows(shape, values->data() + k * size); }};
}

bool ends_with(const std::string& what, const std::string& ending) {
  return what.size() > ending.size() && what.substr(what.size() - ending.size()) == ending;
}

bool is_array(const std::string& what) { return ends_with(what, ".npy"); }

// A preset or an experiment file, where no run has that name.
bool is_experiment(const Flags& flags, const std::string& what) {
  if (is_run_directory(what) || is_run_directory(std::filesystem::path(flags.runs) / what))
    return false;
  const auto all = presets();
  return ends_with(what, ".toml") ||
         std::any_of(all.begin(), all.end(), [&](const Preset& p) { return p.name == what; });
}

nlohmann::json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

void print_json(const History& frames, const Experiment& e) {
  const std::vector<std::string> names = observable_names(e.dynamics);
  nlohmann::json rows = nlohmann::json::array();
  for (std::int64_t k = 0; k < frames.count; ++k) {
    const HostSwarm x = frames.frame(k);
    const std::vector<double> row = observe(x, e.dynamics, observe_settings(e, frames.time(k)));
    nlohmann::json object = {{"t", frames.time(k)}};
    for (std::size_t c = 0; c < names.size(); ++c) object[names[c]] = number_or_null(row[c]);
    const Clusters found = clusters(x, e.dynamics, e.observe.cluster_tol);
    object["sizes"] = found.size;
    rows.push_back(std::move(object));
  }
  data(json_text(rows, 1) + "\n");
}

void print_csv(const History& frames, const Experiment& e) {
  std::string header = "t";
  for (const std::string& name : observable_names(e.dynamics)) header += "," + name;
  data(header + "\n");
  for (std::int64_t k = 0; k < frames.count; ++k) {
    std::string line = fmt::format("{}", frames.time(k));
    for (const double value :
         observe(frames.frame(k), e.dynamics, observe_settings(e, frames.time(k))))
      line += std::isfinite(value) ? fmt::format(",{}", value) : ",";
    data(line + "\n");
  }
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  Words sorted = sort_words(words);
  if (sorted.plain.empty())
    usage("there is nothing to measure", "give a run directory, a .npy file or a preset");
  const ShowWords asked = ShowWords::take(sorted.assignments);
  const std::string what = sorted.plain[0];
  sorted.plain.erase(sorted.plain.begin());
  History frames;
  Settings settings;
  std::optional<int> n;  // of an array; a model may start with another
  bool is_run = false;
  if (is_array(what)) {
    frames = frames_of_array(what);
    settings = settings_of(sorted);
    const Shape shape = frames.frame(0).shape();
    n = shape.n;
    settings["d"] = {fmt::format("{}", shape.d), what, {}};  // a model must have the same
    settings["init"] = {"uniform", what, {}};
  } else if (is_experiment(flags, what)) {
    if (!sorted.plain.empty()) usage("one thing is measured at a time", "give one preset");
    sorted.plain = {what};
    settings = settings_of(sorted);
  } else {
    is_run = true;
    const std::filesystem::path directory = find_run(flags, what);
    if (!sorted.plain.empty()) usage("one thing is measured at a time", "give one run or file");
    const auto reader = std::make_shared<RunReader>(read_run(flags, what));
    require_kind_with_frames(*reader);
    frames = frames_of_run(reader);
    settings = settings_of_run(directory, sorted.assignments);
  }
  WordedSpec worded{spec_of(settings), settings};
  if (n) worded.spec.n = n;
  const Experiment e = make_experiment(worded);
  if (frames.count == 0 && !is_run)  // the start of the experiment
    frames = {1, [](std::int64_t) { return 0.0; }, [&e](std::int64_t) { return e.swarm; }};
  frames.frame = [frame = frames.frame, &e, &what](std::int64_t k) {
    HostSwarm x = frame(k);
    x.mass = e.swarm.mass;
    fit_to_manifold(x, e.dynamics.manifold, fmt::format("{}: frame {}", what, k));
    return x;
  };
  for (std::int64_t k = 0; is_array(what) && k < frames.count; ++k)
    frames.frame(k);  // refuses all first
  if (!asked.show().empty())
    show(flags, {frames, e, std::strtod(settings.at("beta").text.c_str(), nullptr), what, is_run},
         asked);
  else
    flags.json ? print_json(frames, e) : print_csv(frames, e);
  return 0;
}

}  // namespace

History frames_of(const Flags& flags, const std::string& what) {
  if (is_array(what)) return frames_of_array(what);
  const std::filesystem::path directory = find_run(flags, what);
  const auto reader = std::make_shared<RunReader>(read_run(flags, what));
  if (const RunKind& kind = kind_of(*reader); kind.measures != nullptr)
    return kind.measures(*reader);
  require_kind_with_frames(*reader);
  History frames = frames_of_run(reader);
  const std::vector<double> mass = make_experiment(settings_of_run(directory)).swarm.mass;
  frames.frame = [frame = frames.frame, mass](std::int64_t k) {
    HostSwarm x = frame(k);
    x.mass = mass;
    return x;
  };
  return frames;
}

Command measure_command() {
  static const std::string examples = show_examples();
  return {"measure",
          "Read the observables off a run, a file of points or the start of a preset.",
          examples.c_str(),
          nullptr,
          run,
          true,
          show_parameters,
          parameters};
}

}  // namespace murmur::app
