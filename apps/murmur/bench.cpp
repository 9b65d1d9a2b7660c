// bench.cpp: murmur bench velocity: how fast an engine computes velocities, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.h"

namespace murmur::app {

namespace {

int repetitions = 9;
bool beside_reference = false;

int run(const Flags& flags, const std::vector<std::string>& words) {
  Words sorted = sort_words(words);
  if (sorted.plain.empty() || sorted.plain[0] != "velocity")
    usage("bench takes velocity", "murmur bench velocity n=16384 precision=f32");
  sorted.plain.erase(sorted.plain.begin());
  const auto given = [&](const std::string& key) {
    return std::any_of(sorted.assignments.begin(), sorted.assignments.end(),
                       [&](const std::string& a) { return a.rfind(key + "=", 0) == 0; });
  };
  if (sorted.plain.empty() && !given("n") && !given("init"))
    sorted.assignments.emplace_back("n=16384");
  const Experiment e = make_experiment(settings_of(sorted));
  const VelocitySpeed speed = measure_velocity(e, {repetitions, beside_reference});
  nlohmann::json report = {{"gpairs_per_second", speed.gpairs_per_second},
                           {"seconds_best", speed.seconds_best},
                           {"engine", speed.engine},
                           {"precision", e.engine.precision == Precision::f32 ? "f32" : "f64"},
                           {"threads", e.engine.threads},
                           {"n", e.swarm.n()},
                           {"d", e.swarm.d()}};
  if (beside_reference) report["ratio_to_reference"] = speed.ratio;
  if (flags.json) {
    data(report.dump(2) + "\n");
    return 0;
  }
  data(fmt::format("{}  n={} d={}  {:.3f} Gpairs/s  ({:.4g} ms a velocity){}\n", speed.engine,
                   e.swarm.n(), e.swarm.d(), speed.gpairs_per_second, 1e3 * speed.seconds_best,
                   beside_reference ? fmt::format("  {:.1f} x reference", speed.ratio) : ""));
  return 0;
}

}  // namespace

Command bench_command() {
  return {"bench", "How fast velocities are computed, best of several, side by side.",
          "  murmur bench velocity n=16384 d=3 precision=f32 threads=1 --json\n"
          "  murmur bench velocity d=64 n=2048 --beside-reference",
          [](CLI::App& sub, Flags&) {
            sub.add_option("--repetitions", repetitions, "takes the best of so many")
                ->check(CLI::Range(1, 100000));
            sub.add_flag("--beside-reference", beside_reference,
                         "times the reference engine too, turn by turn");
          },
          run};
}

}  // namespace murmur::app
