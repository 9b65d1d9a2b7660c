// measure.cpp: murmur measure: computes the observables of a run or of any file of points, and the
// arguments of show=NAME.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "report/next_word.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run_kind.h"
#include "show.h"

namespace murmur::app {

namespace {

using P = Parameter;

struct Row {
  Parameter parameter;               // an empty default depends on the run
  std::vector<std::string> used_by;  // values of show=
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {{P::word, "frame", "last", "last, all, or a number, negative from the end",
        "frame of the run that is shown"},
       {"histogram", "modes", "attention", "centres", "density-modes", "metastability", "distance",
        "next-word"}},
      {{P::whole, "bins", "50", "1 or more", "number of equal bins over [-1, 1]"}, {"histogram"}},
      {{P::word, "modes", "1-8", "K, or FIRST-LAST", "which modes are shown"}, {"modes", "growth"}},
      {{P::whole, "head", "0", "0 or more", "which attention head is shown"},
       {"attention", "spectrum"}},
      {{P::word, "block", "last", "last, or 0 or more",
        "which block of a traced transformer is shown"},
       {"attention", "spectrum"}},
      {{P::whole, "text", "0", "0 or more", "which text of a traced transformer is shown"},
       {"attention"}},
      {{P::number, "share", "0.5", "0 to 1; atoms 0.99, next-word 0.05 unless given",
        "attention: a leader has more than this share of all attention; clustering, atoms: the "
        "share of pairs or of mass that counts; next-word: the least probability of a possible "
        "word"},
       {"attention", "clustering", "atoms", "next-word"}},
      {{P::number, "rank_tol", "1e-6", "above 0",
        "singular values above this share of the largest one count in the rank"},
       {"attention"}},
      {{P::number, "delta", "", "above 0",
        "centres: how far apart they are, 4 / sqrt(beta) unless given; clustering: pairs with a "
        "cosine above 1 - delta have met, 1e-3 unless given"},
       {"centres", "clustering"}},
      {{P::whole, "axis", "0", "0 or more",
        "in R^d the coordinate along which density modes are counted"},
       {"density-modes"}},
      {{P::word, "column", "energy_scaled", "an observable",
        "which column of the observables is read"},
       {"plateaus", "growth"}},
      {{P::word, "time", "linear", "linear, log", "whether flatness is measured in t or in ln t"},
       {"plateaus"}},
      {{P::number, "slope", "0.1", "above 0",
        "greatest slope of a plateau; a straight line from first to last frame has slope 1"},
       {"plateaus"}},
      {{P::number, "length", "0.03", "0 to 1", "shortest plateau, as a share of the whole run"},
       {"plateaus"}},
      {{P::number, "low", "", "a number", "smallest amplitude of the fit"}, {"growth"}},
      {{P::number, "high", "", "a number", "largest amplitude of the fit"}, {"growth"}},
      {{P::number, "rate", "1", "above 0",
        "how fast the promised distance within a cluster falls with beta"},
       {"metastability"}},
      {{P::word, "vocabulary", "12", "a number of words, FILE.npy, FILE.csv",
        "words as unit points: drawn by the seed, or from a file"},
       {"next-word"}},
      {{P::word, "words", "", "FILE", "texts of the words of a .npy file, one in each line"},
       {"next-word"}},
      {{P::number, "kappa", "16", "a number", "scale of the cosines in the softmax over words"},
       {"next-word"}},
      {{P::word, "token", "last", "last, or 0 or more", "which token speaks"}, {"next-word"}},
      {{P::word, "to", "", "RUN, FILE.npy, start, uniform", "what the distance is measured to"},
       {"distance"}},
      {{P::word, "distance", "w2", "w1, w2, entropic, sliced",
        "which transport distance is measured"},
       {"distance"}},
      {{P::whole, "slices", "256", "1 or more", "number of directions of the sliced distance"},
       {"distance"}},
      {{P::number, "epsilon", "0.01", "above 0", "regularisation of the entropic distance"},
       {"distance"}},
  };
  return rows;
}

constexpr ParameterValue kShows[] = {
    {"histogram", "counts of the cosines of all pairs, in bins"},
    {"modes", "amplitudes of the waves of the density, by degree"},
    {"attention", "the attention matrix of one head, its rank and its leaders"},
    {"centres",
     "particles that are first in their neighbourhood: Rényi centres of causal attention"},
    {"density-modes", "local maxima of the kernel density of the particles"},
    {"genealogy", "which clusters merged, split or exchanged particles, and when"},
    {"plateaus", "intervals in which an observable is nearly constant"},
    {"growth", "the rate of exponential growth of a mode or of an observable"},
    {"clustering", "the times at which a share of the pairs, and all of them, have met"},
    {"atoms", "how many clusters hold a share of the mass, frame by frame"},
    {"metastability",
     "how long the theorem on metastability keeps the clusters of a frame together"},
    {"distance", "the transport distance of each frame to another run, file or law"},
    {"counts", "numbers of clusters at three tolerances, frame by frame"},
    {"next-word", "the word of a vocabulary that a token, and the mean, say next"},
    {"heads", "entropy, sinks and signs of every head of a traced transformer",
     "murmur measure runs/trace-0-1 show=heads"},
    {"layers", "how far each layer of a traced transformer moves its tokens, and where",
     "murmur measure runs/trace-0-1 show=layers"},
    {"twin", "a traced transformer next to the ideal flow from the same points",
     "murmur measure runs/trace-0-1 show=twin"},
    {"lens", "the words that each layer of a traced transformer would say next",
     "murmur measure runs/trace-0-1 show=lens"},
    {"patching", "how far the answer follows when states of another text are put in",
     "murmur measure runs/trace-0-1 show=patching"},
    {"parts", "what changes when one part of a traced transformer is left out",
     "murmur measure runs/trace-0-1 show=parts"},
    {"phase", "places of a traced transformer's layers on the phase diagram",
     "murmur measure runs/trace-0-1 show=phase"},
    {"spectrum", "eigenvalues of O V of one head of a traced transformer",
     "murmur measure runs/trace-0-1 show=spectrum"},
};

std::vector<std::string> shows() {
  std::vector<std::string> names;
  for (const ParameterValue& show : kShows) names.emplace_back(show.name);
  return names;
}

const Row* find(const std::string& name) {
  for (const Row& row : table())
    if (name == row.parameter.name) return &row;
  return nullptr;
}

bool is_parameter(const std::string& name) {
  const auto all = parameters();
  return std::any_of(all.begin(), all.end(), [&](const Parameter& p) { return name == p.name; });
}

void check_show(const std::string& asked) {
  const std::vector<std::string> known = shows();
  if (std::find(known.begin(), known.end(), asked) != known.end()) return;
  const std::string near = did_you_mean(asked, known);
  throw Error(Fault::input, fmt::format("measure cannot show '{}'", asked), "show=" + asked,
              near.empty() ? fmt::format("use one of {}", fmt::join(known, ", "))
                           : fmt::format("did you mean show={}?", near));
}

// Refuses an unknown key that is close to a key of measure.
void check_near_miss(const std::string& name, const std::string& assignment) {
  std::vector<std::string> known{"show"};
  for (const Row& row : table()) known.emplace_back(row.parameter.name);
  for (const Parameter& p : parameters()) known.emplace_back(p.name);
  const std::string near = did_you_mean(name, known);
  if (near == "show" || find(near) != nullptr)
    throw Error(Fault::input, fmt::format("measure has no parameter {}", name), assignment,
                fmt::format("did you mean {}?", near));
}

}  // namespace

ShowArguments ShowArguments::take(std::vector<std::string>& assignments) {
  ShowArguments taken;
  std::vector<std::string> rest;
  for (const std::string& assignment : assignments) {
    const auto [key, value] = split_assignment(assignment);
    if (key == "show") {
      check_show(value);
      taken.show_ = value;
    } else if (find(key) != nullptr) {
      taken.text_[key] = value;
    } else {
      if (!is_parameter(key)) check_near_miss(key, assignment);
      rest.push_back(assignment);
    }
  }
  for (const auto& [key, value] : taken.text_) {
    const std::vector<std::string>& users = find(key)->used_by;
    if (taken.show_.empty())
      throw Error(Fault::input, fmt::format("{} needs show=", key),
                  fmt::format("{}={}", key, value), fmt::format("add show={}", users[0]));
    if (std::find(users.begin(), users.end(), taken.show_) == users.end())
      throw Error(Fault::input, fmt::format("show={} does not use {}", taken.show_, key),
                  fmt::format("{}={}", key, value),
                  fmt::format("leave it out, or use show={}", fmt::join(users, " or ")));
  }
  assignments = std::move(rest);
  return taken;
}

std::string ShowArguments::text(const std::string& key) const {
  return given(key) ? text_.at(key) : find(key)->parameter.initial;
}

void ShowArguments::refuse(const std::string& key, const std::string& reason,
                           const std::string& remedy) const {
  throw Error(Fault::input, fmt::format("{} = {}: {}", key, text(key), reason),
              fmt::format("{}={}", key, text(key)), remedy);
}

double ShowArguments::number(const std::string& key) const {
  if (const std::optional<double> value = parse_number(text(key))) return *value;
  refuse(key, "not a finite number", fmt::format("write a number, e.g. {}=0.5", key));
}

int ShowArguments::whole(const std::string& key) const {
  const double value = number(key);
  if (value != std::floor(value) || std::abs(value) > 1e9)
    refuse(key, "not a whole number", fmt::format("write a whole number, e.g. {}=8", key));
  return static_cast<int>(value);
}

std::vector<Parameter> show_parameters() {
  static const std::string names = fmt::format("{}", fmt::join(shows(), ", "));
  std::vector<Parameter> all = {{P::word, "show", "none", names.c_str(),
                                 "what is computed instead of the row of observables", "", "",
                                 kShows}};
  for (const Row& row : table()) all.push_back(row.parameter);
  return all;
}

std::vector<Parameter> next_word_parameters() {
  std::vector<Parameter> all;
  for (const std::string& key : NextWordRequest::keys()) all.push_back(find(key)->parameter);
  return all;
}

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

void print_json_rows(const History& frames, const Experiment& e) {
  const std::vector<std::string> names = observable_names(e.dynamics);
  nlohmann::json rows = nlohmann::json::array();
  for (std::int64_t k = 0; k < frames.count; ++k) {
    const HostSwarm x = frames.frame(k);
    const std::vector<double> row = observe(x, e.dynamics, observe_settings(e, frames.time(k)));
    nlohmann::json object = {{"t", frames.time(k)}};
    for (std::size_t c = 0; c < names.size(); ++c) object[names[c]] = finite_or_null(row[c]);
    const Clusters found = clusters(x, e.dynamics, e.observe.cluster_tol);
    object["sizes"] = found.size;
    rows.push_back(std::move(object));
  }
  print_text(json_text(rows, 1) + "\n");
}

void print_csv_rows(const History& frames, const Experiment& e) {
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

int run(const Flags& flags, const std::vector<std::string>& words) {
  Arguments arguments = parse_arguments(words);
  if (arguments.positional.empty())
    throw_usage_error("there is nothing to measure",
                      "give a run directory, a .npy file or a preset");
  const ShowArguments asked = ShowArguments::take(arguments.assignments);
  const std::string what = arguments.positional[0];
  arguments.positional.erase(arguments.positional.begin());
  History frames;
  Settings settings;
  std::optional<int> n;  // of an array; the start of a model may have another
  bool is_run = false;
  if (is_array(what)) {
    frames = frames_of_array(what);
    settings = settings_of(arguments);
    const Shape shape = frames.frame(0).shape();
    n = shape.n;
    settings["d"] = {fmt::format("{}", shape.d), what, {}};  // a model must have the same
    settings["init"] = {"uniform", what, {}};
  } else if (is_experiment(flags, what)) {
    if (!arguments.positional.empty())
      throw_usage_error("only one thing can be measured at a time", "give one preset");
    arguments.positional = {what};
    settings = settings_of(arguments);
  } else {
    is_run = true;
    const std::filesystem::path directory = find_run(flags, what);
    if (!arguments.positional.empty())
      throw_usage_error("only one thing can be measured at a time", "give one run or file");
    const auto reader = std::make_shared<RunReader>(read_run(flags, what));
    require_kind_with_frames(*reader);
    frames = frames_of_run(reader);
    settings = settings_of_run(directory, arguments.assignments);
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
    frames.frame(k);  // refuses a wrong frame before anything is printed
  if (!asked.show().empty())
    show(flags, {frames, e, parse_number(settings.at("beta").text).value_or(0), what, is_run},
         asked);
  else
    flags.json ? print_json_rows(frames, e) : print_csv_rows(frames, e);
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
          show_parameters,
          parameters};
}

}  // namespace murmur::app
