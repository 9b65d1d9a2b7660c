// bench.cpp: murmur bench: our engines beside their peers, or one velocity alone.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "bench_table.h"
#include "command.h"

namespace murmur::app {

namespace {

int repetitions = 9;
bool beside_reference = false;
std::string python;

int run(const Flags& flags, const std::vector<std::string>& words) {
  Words sorted = sort_words(words);
  if (sorted.plain.empty() && sorted.assignments.empty())
    return print_bench_table(flags, {repetitions, python});
  if (sorted.plain.empty() || sorted.plain[0] != "velocity")
    usage("bench takes velocity, or nothing for the table",
          "murmur bench velocity n=16384 precision=f32");
  if (!python.empty()) usage("--python is for the table", "leave it out, or leave velocity out");
  sorted.plain.erase(sorted.plain.begin());
  Settings settings = settings_of(sorted);
  if (settings.at("n").origin == "default") settings["n"].text = "16384";
  const Experiment e = make_experiment(settings);
  const VelocitySpeed speed = time_velocity(e, {repetitions, beside_reference});
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = e.engine.threads > 0 ? e.engine.threads : cores;
  nlohmann::json result = {{"gpairs_per_second", speed.gpairs_per_second},
                           {"seconds_best", speed.seconds_best},
                           {"engine", speed.engine},
                           {"precision", e.engine.precision == Precision::f32 ? "f32" : "f64"},
                           {"threads", threads},
                           {"n", e.swarm.n()},
                           {"d", e.swarm.d()}};
  if (beside_reference) result["ratio_to_reference"] = speed.ratio;
  if (speed.seconds_least > 0) result["seconds_least"] = speed.seconds_least;
  if (flags.json) {
    report(result);
    return 0;
  }
  data(fmt::format("{}  n={} d={}  {:.3f} Gpairs/s  ({:.4g} ms a velocity){}\n", speed.engine,
                   e.swarm.n(), e.swarm.d(), speed.gpairs_per_second, 1e3 * speed.seconds_best,
                   beside_reference ? fmt::format("  {:.1f} x reference", speed.ratio) : ""));
  return 0;
}

}  // namespace

Command bench_command() {
  return {
      "bench",
      "How fast we are beside numpy, PyTorch and what this machine can do at most.",
      "  murmur bench\n"
      "  murmur bench velocity n=16384 d=3 precision=f32 threads=1 --json\n"
      "  murmur bench velocity d=64 n=2048 --beside-reference",
      [](Options& sub, Flags&) {
        sub.add_option("--repetitions", repetitions, "takes the best of so many").range(1, 100000);
        sub.add_flag("--beside-reference", beside_reference,
                     "of a velocity: times the reference engine too, turn by turn");
        sub.add_option("--python", python, "of the table: the interpreter of numpy and torch")
            .type_name("PROGRAM");
      },
      run,
      true,
      nullptr,
      parameters};
}

}  // namespace murmur::app
