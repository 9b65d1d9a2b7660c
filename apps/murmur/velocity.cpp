// velocity.cpp: murmur velocity: evaluates the velocity of given points once.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "command.h"
#include "error_text.h"
#include "murmur/error.h"
#include "run/formats.h"
#include "run/json_text.h"

namespace murmur::app {

namespace {

Array array_of_rows(const HostSwarm& v, Precision precision) {
  Array array = array_of(to_rows(v));
  array.shape = {static_cast<std::size_t>(v.n()), static_cast<std::size_t>(v.d())};
  if (precision == Precision::f32) {
    const std::vector<double> rows = array.doubles();
    array.values = std::vector<float>(rows.begin(), rows.end());
  }
  return array;
}

void check_finite(const HostSwarm& v, Precision precision) {
  const double most = precision == Precision::f32 ? std::numeric_limits<float>::max()
                                                  : std::numeric_limits<double>::max();
  for (int i = 0; i < v.n(); ++i)
    for (int k = 0; k < v.d(); ++k)
      if (!(std::fabs(v.at(i, k)) <= most))
        throw Error(Fault::numerical, "a velocity is not a finite number of its precision",
                    fmt::format("particle {}, coordinate {}", i, k),
                    "use a smaller beta or clock=U2: USA overflows beyond beta 709, f32 beyond 88");
}

// What the field knows of its error, of engines that bound it; null: nothing.
nlohmann::json error_of(const Field& field, const Experiment& e) {
  const ErrorBound* bound = field.error_bound();
  if (bound == nullptr) return nullptr;
  nlohmann::json told = {{"largest", bound->worst},
                         {"kind", bound->kind()},
                         {"tolerance", error_tolerance(e.engine).value_or(0)}};
  if (!std::isfinite(bound->worst)) told["largest"] = nullptr;
  return told;
}

// To the file, or as rows to standard output.
void write_velocity(const Flags& flags, const HostSwarm& velocity, const Experiment& e,
                    const std::string& engine, const nlohmann::json& error) {
  nlohmann::json result = {{"engine", engine}};
  if (!error.is_null()) result["error_bound"] = error;
  if (!flags.out.empty()) {
    write_npy(flags.out, array_of_rows(velocity, e.engine.precision));
    result["out"] = flags.out, result["n"] = velocity.n();
    if (flags.json) report(result);
    return;
  }
  if (flags.json) {
    result["velocity"] = nlohmann::json::array();
    for (int i = 0; i < velocity.n(); ++i) {
      nlohmann::json row = nlohmann::json::array();
      for (int k = 0; k < velocity.d(); ++k) row.push_back(velocity.at(i, k));
      result["velocity"].push_back(std::move(row));
    }
    data(json_text(result) + "\n");
    return;
  }
  for (int i = 0; i < velocity.n(); ++i) {
    std::string line;
    for (int k = 0; k < velocity.d(); ++k)
      line += fmt::format("{}{}", k > 0 ? "," : "", velocity.at(i, k));
    data(line + "\n");
  }
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  Words sorted = sort_words(words);
  std::erase_if(sorted.plain, [&](const std::string& word) {  // points: the word that ends in .npy
    const bool points = word.size() > 4 && word.substr(word.size() - 4) == ".npy";
    if (points) sorted.assignments.push_back("init=" + word);
    return points;
  });
  const Experiment e = make_experiment(settings_of(sorted));
  if (!flags.out.empty()) output_file(flags);
  const auto engine = make_engine(e.engine);
  const auto field = prepare_field(e, *engine);
  const auto x = engine->place(e.swarm);
  const auto v = x->like();
  field->velocity(0, *x, *v);
  const HostSwarm velocity = engine->fetch(*v);
  check_finite(velocity, e.engine.precision);
  const nlohmann::json error = error_of(*field, e);
  write_velocity(flags, velocity, e, engine->name(), error);
  if (!error.is_null())
    say(flags, error_text(field->error_bound()->worst, error["kind"], error["tolerance"]));
  if (!flags.out.empty())
    say(flags, fmt::format("{} velocities in R^{} by {} -> {}", velocity.n(), velocity.d(),
                           engine->name(), flags.out));
  return 0;
}

}  // namespace

Command velocity_command() {
  return {"velocity",
          "Evaluate the velocity of given points once.",
          "  murmur velocity x.npy beta=4 engine=simd -o v.npy\n"
          "  murmur velocity n=5 d=2 beta=9 dynamics=USA",
          nullptr,
          run,
          false,
          nullptr,
          parameters};
}

}  // namespace murmur::app
