// measure.cpp: murmur measure: computes the observables, or the reading that show=NAME names, of a
// run or of any file of points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "report/readings.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

std::vector<std::string> tables() {
  std::vector<std::string> names;
  for (const Reading& reading : readings())
    if (has_table(reading)) names.emplace_back(reading.name);
  return names;
}

// The readings whose tables have this option.
std::vector<std::string> users_of(const std::string& option) {
  std::vector<std::string> users;
  for (const Reading& reading : readings())
    for (const Parameter& own : reading.options)
      if (option == own.name) users.emplace_back(reading.name);
  return users;
}

bool is_parameter(const std::string& name) {
  const auto all = parameters();
  return std::any_of(all.begin(), all.end(), [&](const Parameter& p) { return name == p.name; });
}

const Reading* find_table(const std::string& asked) {
  const Reading* const reading = find_reading(asked);
  if (reading != nullptr && has_table(*reading)) return reading;
  const std::vector<std::string> known = tables();
  const std::string near = did_you_mean(asked, known);
  throw Error(Fault::input, fmt::format("measure cannot show '{}'", asked), "show=" + asked,
              near.empty() ? fmt::format("use one of {}", fmt::join(known, ", "))
                           : fmt::format("did you mean show={}?", near));
}

// Refuses an unknown key that is close to a key of measure.
void check_near_miss(const std::string& name, const std::string& assignment) {
  std::vector<std::string> known{"show"};
  for (const Parameter& option : options_of_tables()) known.emplace_back(option.name);
  for (const Parameter& p : parameters()) known.emplace_back(p.name);
  const std::string near = did_you_mean(name, known);
  if (near == "show" || !users_of(near).empty())
    throw Error(Fault::input, fmt::format("measure has no parameter {}", name), assignment,
                fmt::format("did you mean {}?", near));
}

// The reading that show= names, and its options.
struct Shown {
  const Reading* reading = nullptr;  // null: the row of observables
  ReadingOptions::Given given{};
};

// Removes show= and the options of readings from the assignments. Error(input) for a reading that
// is not there, for an option that it does not have, and for a misspelt one.
Shown take_shown(std::vector<std::string>& assignments) {
  Shown shown;
  std::vector<std::string> rest;
  for (const std::string& assignment : assignments) {
    const auto [key, value] = split_assignment(assignment);
    if (key == "show") {
      shown.reading = find_table(value);
    } else if (!users_of(key).empty()) {
      shown.given[key] = value;
    } else {
      if (!is_parameter(key)) check_near_miss(key, assignment);
      rest.push_back(assignment);
    }
  }
  for (const auto& [key, value] : shown.given) {
    const std::vector<std::string> users = users_of(key);
    if (shown.reading == nullptr)
      throw Error(Fault::input, fmt::format("{} needs show=", key),
                  fmt::format("{}={}", key, value), fmt::format("add show={}", users[0]));
    if (std::find(users.begin(), users.end(), shown.reading->name) == users.end())
      throw Error(Fault::input, fmt::format("show={} does not use {}", shown.reading->name, key),
                  fmt::format("{}={}", key, value),
                  fmt::format("leave it out, or use show={}", fmt::join(users, " or ")));
  }
  assignments = std::move(rest);
  return shown;
}

std::vector<Parameter> measure_parameters() {
  static const std::string names = fmt::format("{}", fmt::join(tables(), ", "));
  static const std::vector<ParameterValue> values = reading_values(has_table, "measure", "show");
  std::vector<Parameter> all = {{Parameter::word, "show", "none", names.c_str(),
                                 "what is computed instead of the row of observables", "", "",
                                 values}};
  for (const Parameter& option : options_of_tables()) all.push_back(option);
  return all;
}

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

bool has_ending(const std::string& what, std::string_view ending) {
  return what.size() > ending.size() && what.ends_with(ending);
}

bool is_array(const std::string& what) { return has_ending(what, ".npy"); }

// Whether it is a preset or an experiment file, and not the name of a run.
bool is_experiment(const Flags& flags, const std::string& what) {
  if (is_run_directory(what) || is_run_directory(std::filesystem::path(flags.runs) / what))
    return false;
  const auto all = presets();
  return has_ending(what, ".toml") ||
         std::any_of(all.begin(), all.end(), [&](const Preset& p) { return p.name == what; });
}

void print_json_rows(const RunView& view) {
  const std::vector<std::string> names = observable_names(view.dynamics());
  const Experiment& e = view.experiment();
  const History& frames = view.history();
  nlohmann::json rows = nlohmann::json::array();
  for (std::int64_t k = 0; k < frames.count; ++k) {
    const HostSwarm x = frames.frame(k);
    const std::vector<double> row = observe(x, e.dynamics, observe_settings(e, frames.time(k)));
    nlohmann::json object = {{"t", frames.time(k)}};
    for (std::size_t c = 0; c < names.size(); ++c) object[names[c]] = finite_or_null(row[c]);
    object["sizes"] = clusters(x, e.dynamics, e.observe.cluster_tol).size;
    rows.push_back(std::move(object));
  }
  print_text(json_text(rows, 1) + "\n");
}

void print_csv_rows(const RunView& view) {
  const Experiment& e = view.experiment();
  const History& frames = view.history();
  std::string header = "t";
  for (const std::string& name : observable_names(e.dynamics)) header += "," + name;
  print_text(header + "\n");
  for (std::int64_t k = 0; k < frames.count; ++k) {
    std::string line = fmt::format("{}", frames.time(k));
    for (const double value :
         observe(frames.frame(k), e.dynamics, observe_settings(e, frames.time(k))))
      line += std::isfinite(value) ? fmt::format(",{}", value) : ",";
    print_text(line + "\n");
  }
}

void print_table(const Flags& flags, const Table& table) {
  if (flags.json)
    print_json(json_of(table));
  else
    print_text(csv_of(table));
  const bool among_facts = flags.json && !table.facts.is_null();
  if (!table.message.empty() && !among_facts) print_message(flags, table.message);
}

// The frames of a run, with its masses, or those of a .npy file, of equal masses.
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

RunView view_of_array(const std::string& path, const Arguments& arguments) {
  const History frames = frames_of_array(path);
  Settings settings = settings_of(arguments);
  const Shape shape = frames.frame(0).shape();
  settings["d"] = {fmt::format("{}", shape.d), path, {}};  // a model must have the same
  settings["init"] = {"uniform", path, {}};
  WordedSpec worded{spec_of(settings), settings};
  worded.spec.n = shape.n;  // the start of a model may have another
  RunView view(frames, path, std::move(settings), worded);
  for (std::int64_t k = 0; k < frames.count; ++k)
    view.history().frame(k);  // refuses a wrong frame before anything is printed
  return view;
}

RunView view_of_run(const Flags& flags, const std::string& what, const Arguments& arguments) {
  RunReader reader = read_run(flags, what);
  require_kind_with_frames(reader);
  const std::filesystem::path directory = reader.directory();
  return {std::move(reader), what, [directory, changes = arguments.assignments] {
            return settings_of_run(directory, changes);
          }};
}

RunView view_of(const Flags& flags, const std::string& what, Arguments arguments) {
  if (is_array(what)) return view_of_array(what, arguments);
  const bool experiment = is_experiment(flags, what);
  if (!arguments.positional.empty())
    throw_usage_error("only one thing can be measured at a time",
                      experiment ? "give one preset" : "give one run or file");
  if (!experiment) return view_of_run(flags, what, arguments);
  arguments.positional = {what};
  const Settings settings = settings_of(arguments);
  return {{}, what, settings, {spec_of(settings), settings}};
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  Arguments arguments = parse_arguments(words);
  if (arguments.positional.empty())
    throw_usage_error("there is nothing to measure",
                      "give a run directory, a .npy file or a preset");
  const Shown shown = take_shown(arguments.assignments);
  const std::string what = arguments.positional[0];
  arguments.positional.erase(arguments.positional.begin());
  RunView view = view_of(flags, what, arguments);
  view.open_frames = [&flags](const std::string& name) { return frames_of(flags, name); };
  view.experiment();  // refuses wrong parameters first
  if (shown.reading == nullptr) {
    flags.json ? print_json_rows(view) : print_csv_rows(view);
    return 0;
  }
  const Reading& reading = *shown.reading;
  if (view.history().count == 0)
    throw Error(Fault::input, "there are no frames yet", what,
                "continue it first: murmur simulate --resume RUN");
  print_table(flags,
              reading.compute(view, ReadingOptions(reading.name, reading.options, shown.given)));
  return 0;
}

}  // namespace

Command measure_command() {
  return {"measure",
          "Compute the observables of a run, a file of points or the start of a preset.",
          "  murmur measure runs/flock-0-1 cluster_tol=1e-2\n"
          "  murmur measure hidden.npy habitat=space --json\n"
          "  murmur measure runs/flock-0-1 show=histogram bins=20 frame=0\n"
          "  murmur measure runs/circle-0-1 show=modes modes=1-8\n"
          "  murmur measure runs/circle-0-1 show=distance to=runs/circle-1-1 frame=all\n"
          "  murmur measure runs/flock-0-1 show=next-word vocabulary=words.csv kappa=16",
          nullptr,
          run,
          true,
          measure_parameters,
          parameters};
}

}  // namespace murmur::app
