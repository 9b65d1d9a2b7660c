// bench.cpp: murmur bench: the speed of the engines compared with numpy, PyTorch and the hardware
// limit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "command.h"
#include "core/timed.h"
#include "engine/cuda/cuda.h"
#include "engine/simd/probes.h"
#include "generated/peers.h"
#include "murmur/engine.h"
#include "process.h"
#include "run/formats.h"

namespace murmur::app {

namespace {

struct TableChoice {
  int repetitions = 9;      // the best time of these counts
  std::string python = "";  // the interpreter of numpy and torch; empty: one that has numpy, if any
};

// The limits of one core or of a GPU; exp2_f64 is not measured on a GPU.
struct Limits : simd::CoreLimits {
  double half_products = 0;  // multiply-adds of halves by tensor cores
};

// The least time that the hardware needs, and the operation that limits it.
struct Limit {
  double seconds = 0;
  const char* by = "";
};

// A timed operation: the arguments of its experiment, and the limit of the hardware.
struct Work {
  const char* kind;  // velocity or retract, as in bench/peers/table.py
  std::vector<std::string> words;
  std::function<Limit(const Limits&, const Experiment&, const Field&)> limit;
  bool gpu = false;
};

// Each exponential serves a pair in both directions: for an unordered pair d multiply-adds of the
// score, d for each of the two sums of values, one for the second sum of weights, and a power of
// two with its addition to the first.
Limit symmetric_pairs(const Limits& core, const Experiment& e, const Field&) {
  const bool single = e.engine.precision == Precision::f32;
  const double n = e.swarm.n(), d = e.swarm.d();
  const double fma = single ? core.fma_f32 : core.fma_f64;
  const double power = single ? core.exp2_f32 : core.exp2_f64;
  return {n * n / 2 * ((3 * d + 1) / fma + 1 / power), "multiply-adds, exp"};
}

// 2 d multiply-adds and a power of two for every ordered pair.
Limit ordered_pairs(const Limits& core, const Experiment& e, const Field&) {
  const bool single = e.engine.precision == Precision::f32;
  const double n = e.swarm.n(), d = e.swarm.d();
  const double fma = single ? core.fma_f32 : core.fma_f64;
  const double power = single ? core.exp2_f32 : core.exp2_f64;
  return {n * n * (2 * d / fma + 1 / power), "multiply-adds, exp"};
}

// A power of z and its two sums into the moments (6), the same power again and two series (8): 14
// operations for each order and particle.
Limit circle_series(const Limits& core, const Experiment& e, const Field& field) {
  const ErrorBound* known = field.error_bound();
  const double orders = known != nullptr ? known->orders : 0;
  return {14.0 * e.swarm.n() * orders / core.fma_f64, "multiply-adds"};
}

// Positions and increments are read, positions written, and a mass read and written.
Limit streams(const Limits& core, const Experiment& e, const Field&) {
  const double n = e.swarm.n(), d = e.swarm.d();
  return {8 * n * (3 * d + 2) / core.memory_bytes, "memory"};
}

std::vector<Work> works() {
  return {
      {"velocity", {"n=8192", "d=3", "precision=f32", "engine=simd"}, symmetric_pairs},
      {"velocity", {"n=8192", "d=3", "engine=simd"}, symmetric_pairs},
      {"velocity", {"n=4096", "d=64", "precision=f32", "engine=simd"}, ordered_pairs},
      {"velocity", {"n=8192", "d=2", "engine=moments"}, circle_series},
      {"retract", {"n=1000000", "d=3", "engine=simd"}, streams},
  };
}

// The units of a GPU work in parallel: the busiest one is the limit.
Limit busiest(std::initializer_list<Limit> units) {
  return *std::max_element(units.begin(), units.end(),
                           [](const Limit& a, const Limit& b) { return a.seconds < b.seconds; });
}

// For an unordered pair a power of two and products of halves: sixteen for the score, and eight for
// the high and for the low half of the weight in each of its two sums.
Limit gpu_symmetric_pairs(const Limits& gpu, const Experiment& e, const Field&) {
  const double pairs = 0.5 * e.swarm.n() * e.swarm.n();
  return busiest({{pairs / gpu.exp2_f32, "exponentials"},
                  {pairs * (16 + 4 * 8) / gpu.half_products, "tensor cores"}});
}

// Numbers as two halves: three products of d for the score, three for the sums.
Limit gpu_wide_pairs(const Limits& gpu, const Experiment& e, const Field&) {
  const double pairs = 1.0 * e.swarm.n() * e.swarm.n(), d = e.swarm.d();
  return busiest({{pairs / gpu.exp2_f32, "exponentials"},
                  {pairs * 6 * d / gpu.half_products, "tensor cores"}});
}

// d multiply-adds of the score, d + 1 of the sums, and 13 operations for a power of two.
Limit gpu_double_pairs(const Limits& gpu, const Experiment& e, const Field&) {
  const double pairs = 1.0 * e.swarm.n() * e.swarm.n(), d = e.swarm.d();
  return {pairs * (2 * d + 14) / gpu.fma_f64, "multiply-adds"};
}

// On S^2, of degree p: (p + 1)^2 products for the moments and three times as many for the values,
// and at least the positions read twice and sums written.
Limit gpu_series(const Limits& gpu, const Experiment& e, const Field& field) {
  const ErrorBound* known = field.error_bound();
  const double n = e.swarm.n(), orders = known != nullptr ? known->orders + 1 : 0;
  return busiest({{n * 4 * orders * orders / gpu.fma_f64, "multiply-adds"},
                  {n * 8 * 16 / gpu.memory_bytes, "memory"}});
}

std::vector<Work> gpu_works() {
  return {
      {"velocity", {"n=65536", "d=3", "precision=f32", "engine=cuda"}, gpu_symmetric_pairs, true},
      {"velocity", {"n=65536", "d=64", "precision=f32", "engine=cuda"}, gpu_wide_pairs, true},
      {"velocity", {"n=32768", "d=3", "engine=cuda"}, gpu_double_pairs, true},
      {"velocity", {"n=65536", "d=3", "engine=cuda-moments"}, gpu_series, true},
      {"retract", {"n=10000000", "d=3", "engine=cuda"}, streams, true},
  };
}

// An engine with the swarm of an experiment, prepared to repeat one operation.
class TimedEngine {
 public:
  TimedEngine(const Work& work, const Experiment& e)
      : retracts_(std::string(work.kind) == "retract"),
        engine_(make_engine(e.engine)),
        field_(prepare_field(e, *engine_)),
        x_(engine_->place(e.swarm)),
        along_(engine_->place(turned(e.swarm))),
        y_(x_->like()) {}

  double best(int repetitions) {
    double best = std::numeric_limits<double>::infinity();
    const clockid_t clock = clock_of(*field_, true);
    const auto work = [&] {
      const Term step[] = {{0.1, along_.get()}};
      retracts_ ? field_->retract(*x_, step, *y_) : field_->velocity(0, *x_, *y_);
    };
    for (int r = 0; r < repetitions; ++r)
      best = std::min(best, timed_seconds(
                                *field_, [&] { return seconds_of(clock); }, work));
    return best;
  }

  const Field& field() const { return *field_; }
  std::string engine() const { return engine_->name(); }
  HostSwarm result() { return engine_->fetch(*y_); }
  // (n, d), or points and increments (2, n, d), in the precision of the experiment.
  Array given(const Experiment& e) {
    std::vector<double> rows = to_rows(e.swarm);
    std::vector<std::size_t> shape = {static_cast<std::size_t>(e.swarm.n()),
                                      static_cast<std::size_t>(e.swarm.d())};
    if (retracts_) {
      const std::vector<double> along = to_rows(engine_->fetch(*along_));
      rows.insert(rows.end(), along.begin(), along.end());
      shape.insert(shape.begin(), 2);
    }
    Array array = array_of(rows);
    array.shape = shape;
    if (e.engine.precision == Precision::f32)
      array.values = std::vector<float>(rows.begin(), rows.end());
    return array;
  }

 private:
  // Increments as long as the points: coordinate k gets the values of coordinate k + 1.
  static HostSwarm turned(HostSwarm x) {
    for (int i = 0; i < x.n(); ++i) {
      const double first = x.at(i, 0);
      for (int k = 0; k + 1 < x.d(); ++k) x.at(i, k) = x.at(i, k + 1);
      x.at(i, x.d() - 1) = first;
    }
    return x;
  }

  bool retracts_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Field> field_;
  std::unique_ptr<Swarm> x_, along_, y_;
};

// The seconds of numpy and torch by name, from their own process; empty if Python or numpy is
// missing.
nlohmann::json time_peers(const Work& work, const std::string& python,
                          const TemporaryFolder& folder, double beta, int repetitions) {
  if (python.empty()) return nlohmann::json::object();
  const std::string in = folder.path() / "x.npy", out = folder.path() / "out.npy";
  const auto result =
      capture_output({python, "-c", kPeers, work.kind, in, out, fmt::format("{}", beta),
                      fmt::format("{}", repetitions), work.gpu ? "gpu" : "core"});
  if (!result || result->code != 0) return nlohmann::json::object();
  const nlohmann::json seconds = nlohmann::json::parse(result->out, nullptr, false);
  return seconds.is_object() ? seconds : nlohmann::json::object();
}

// The largest difference of a coordinate to the result of a peer.
double difference(const HostSwarm& ours, const std::filesystem::path& theirs) {
  const std::vector<double> a = to_rows(ours), b = read_npy(theirs).doubles();
  if (a.size() != b.size()) return std::numeric_limits<double>::quiet_NaN();
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

// The first interpreter that has numpy: the one of the PATH, then Debian's.
std::string python_with_numpy() {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const auto result = capture_output({python, "-c", "import numpy"});
    if (result && result->code == 0) return python;
  }
  return {};
}

nlohmann::json measured_row(const Work& work, const Limits& core, const std::string& python,
                            const TableChoice& choice) {
  std::vector<std::string> words = work.words;
  words.push_back("threads=1");
  const Experiment e = make_experiment(gather({"", {}, words}));
  TimedEngine ours(work, e);
  double seconds = ours.best(choice.repetitions);  // timed before the peers, and after them
  const TemporaryFolder folder;
  write_npy(folder.path() / "x.npy", ours.given(e));
  nlohmann::json row = time_peers(work, python, folder, by_kind(e.dynamics).heads[0]->beta,
                                  std::min(choice.repetitions, 5));
  seconds = std::min(seconds, ours.best(choice.repetitions));
  const Limit limit = work.limit(core, e, ours.field());
  if (std::string(work.kind) == "velocity")  // caches may be faster than the probe of memory
    require_possible(seconds, limit.seconds, ours.engine());
  row["work"] = work.kind;
  row["engine"] = ours.engine();
  row["n"] = e.swarm.n();
  row["d"] = e.swarm.d();
  row["precision"] = e.engine.precision == Precision::f32 ? "f32" : "f64";
  row["seconds"] = seconds;
  row["limit"] = limit.seconds;
  row["limited_by"] = limit.by;
  if (row.contains(work.gpu ? "torch_gpu" : "numpy"))
    row["difference"] = difference(ours.result(), folder.path() / "out.npy");
  return row;
}

// Three digits, without an exponent.
std::string digits(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

// "406 ms (42 x)", or a dash if the peer is missing.
std::string peer_text(const nlohmann::json& row, const char* name) {
  if (!row.contains(name)) return "-";
  const double theirs = row[name], ours = row["seconds"];
  return fmt::format("{} ms ({} x)", digits(1e3 * theirs), digits(theirs / ours));
}

std::string name_of(const nlohmann::json& row) {
  return fmt::format("{} n={} d={} {}", row["work"].get<std::string>(), row["n"].get<int>(),
                     row["d"].get<int>(), row["engine"].get<std::string>());
}

std::string limit_text(const nlohmann::json& row) {
  const double ours = row["seconds"], limit = row["limit"];
  return fmt::format("{:.3g} ms, {:.0f} %: {}", 1e3 * limit, 100 * limit / ours,
                     row["limited_by"].get<std::string>());
}

// Prints a row as soon as it is measured.
void print_core_row(const nlohmann::json& row) {
  print_text(fmt::format("{:<37} {:>7.3g} ms {:>17} {:>17}  {}\n", name_of(row),
                         1e3 * row["seconds"].get<double>(), peer_text(row, "numpy"),
                         peer_text(row, "torch"), limit_text(row)));
  std::fflush(stdout);
}

void print_gpu_row(const nlohmann::json& row) {
  print_text(fmt::format("{:<55} {:>7.3g} ms {:>17}  {}\n", name_of(row),
                         1e3 * row["seconds"].get<double>(), peer_text(row, "torch_gpu"),
                         limit_text(row)));
  std::fflush(stdout);
}

// Measures all operations; `print_row`, unless null, prints each row at once.
nlohmann::json measured_rows(const std::vector<Work>& works, const Limits& limits,
                             const std::string& python, const TableChoice& choice,
                             void (*print_row)(const nlohmann::json& row)) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Work& work : works) {
    rows.push_back(measured_row(work, limits, python, choice));
    if (print_row != nullptr) print_row(rows.back());
  }
  return rows;
}

nlohmann::json core_rows(const Limits& core, const std::string& python, const TableChoice& choice,
                         bool prints) {
  if (!prints) return measured_rows(works(), core, python, choice, nullptr);
  print_text(fmt::format("{:<37} {:>10} {:>17} {:>17}  {}\n", "one core", "ours", "numpy", "torch",
                         "limit of this core (reached)"));
  nlohmann::json rows = measured_rows(works(), core, python, choice, print_core_row);
  print_text(fmt::format(
      "limits: {:.3g} and {:.3g} G multiply-adds/s (f32, f64), {:.3g} and {:.3g} G powers of "
      "two/s, {:.3g} GB/s of memory\n",
      1e-9 * core.fma_f32, 1e-9 * core.fma_f64, 1e-9 * core.exp2_f32, 1e-9 * core.exp2_f64,
      1e-9 * core.memory_bytes));
  return rows;
}

nlohmann::json gpu_rows(const Limits& gpu, const std::string& python, const TableChoice& choice,
                        bool prints) {
  if (!prints) return measured_rows(gpu_works(), gpu, python, choice, nullptr);
  print_text(fmt::format("\n{:<55} {:>10} {:>17}  {}\n", "the GPU", "ours", "torch on the GPU",
                         "limit of this GPU (reached)"));
  nlohmann::json rows = measured_rows(gpu_works(), gpu, python, choice, print_gpu_row);
  print_text(fmt::format(
      "limits: {:.3g} and {:.3g} T multiply-adds/s (f32, f64), {:.3g} T of halves by tensor "
      "cores,\n  {:.3g} T powers of two/s, {:.3g} TB/s of memory\n",
      1e-12 * gpu.fma_f32, 1e-12 * gpu.fma_f64, 1e-12 * gpu.half_products, 1e-12 * gpu.exp2_f32,
      1e-12 * gpu.memory_bytes));
  return rows;
}

// The limits that were measured.
nlohmann::json json_of(const Limits& limits) {
  nlohmann::json object = {{"fma_f32", limits.fma_f32},
                           {"fma_f64", limits.fma_f64},
                           {"exp2_f32", limits.exp2_f32},
                           {"memory_bytes", limits.memory_bytes}};
  if (limits.exp2_f64 > 0) object["exp2_f64"] = limits.exp2_f64;
  if (limits.half_products > 0) object["half_products"] = limits.half_products;
  return object;
}

Limits limits_of_gpu() {
  const GpuLimits found = probe_gpu();
  Limits gpu;
  gpu.fma_f32 = found.fma_f32, gpu.fma_f64 = found.fma_f64, gpu.exp2_f32 = found.exp2_f32;
  gpu.half_products = found.half_products, gpu.memory_bytes = found.memory_bytes;
  return gpu;
}

int print_bench_table(const Flags& flags, const TableChoice& choice) {
  const std::string python = choice.python.empty() ? python_with_numpy() : choice.python;
  const Limits core{simd::probe_core()};
  nlohmann::json all = {{"rows", core_rows(core, python, choice, !flags.json)},
                        {"core", json_of(core)}};
  if (!gpu_name().empty()) {
    const Limits gpu = limits_of_gpu();
    all["gpu_rows"] = gpu_rows(gpu, python, choice, !flags.json);
    all["gpu"] = json_of(gpu);
  }
  const nlohmann::json& first = all["rows"][0];
  const bool no_numpy = !first.contains("numpy"), no_torch = !first.contains("torch");
  if (flags.json) print_json(all);
  if (no_numpy)
    print_message(flags, "no Python with numpy was found; give one with --python PROGRAM");
  else if (no_torch)
    print_message(flags, "this Python has no torch: its column is empty");
  return 0;
}

int repetitions = 9;
bool with_reference = false;
std::string python;

int run(const Flags& flags, const std::vector<std::string>& words) {
  Arguments arguments = parse_arguments(words);
  if (arguments.positional.empty() && arguments.assignments.empty())
    return print_bench_table(flags, {repetitions, python});
  if (arguments.positional.empty() || arguments.positional[0] != "velocity")
    throw_usage_error("bench takes velocity, or nothing for the table",
                      "murmur bench velocity n=16384 precision=f32");
  if (!python.empty())
    throw_usage_error("--python is only for the table", "leave it out, or leave velocity out");
  arguments.positional.erase(arguments.positional.begin());
  Settings settings = settings_of(arguments);
  if (settings.at("n").origin == "default") settings["n"].text = "16384";
  const Experiment e = make_experiment(settings);
  const VelocitySpeed speed = time_velocity(e, {repetitions, with_reference});
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = e.engine.threads > 0 ? e.engine.threads : cores;
  nlohmann::json result = {{"gpairs_per_second", speed.gpairs_per_second},
                           {"seconds_best", speed.seconds_best},
                           {"engine", speed.engine},
                           {"precision", e.engine.precision == Precision::f32 ? "f32" : "f64"},
                           {"threads", threads},
                           {"n", e.swarm.n()},
                           {"d", e.swarm.d()}};
  if (with_reference) result["ratio_to_reference"] = speed.ratio;
  if (speed.seconds_least > 0) result["seconds_least"] = speed.seconds_least;
  print_result(
      flags, result,
      fmt::format("{}  n={} d={}  {:.3f} Gpairs/s  ({:.4g} ms per velocity){}\n", speed.engine,
                  e.swarm.n(), e.swarm.d(), speed.gpairs_per_second, 1e3 * speed.seconds_best,
                  with_reference ? fmt::format("  {:.1f} x reference", speed.ratio) : ""));
  return 0;
}

}  // namespace

Command bench_command() {
  return {"bench",
          "Compare the speed of the engines with numpy, PyTorch and the limit of the hardware.",
          "  murmur bench\n"
          "  murmur bench velocity n=16384 d=3 precision=f32 threads=1 --json\n"
          "  murmur bench velocity d=64 n=2048 --beside-reference",
          [](Options& sub, Flags&) {
            sub.add_option("--repetitions", repetitions,
                           "number of measurements, of which the best counts")
                .range(1, 100000);
            sub.add_flag("--beside-reference", with_reference,
                         "velocity: measure the reference engine too, alternating");
            sub.add_option("--python", python,
                           "table: the Python interpreter that has numpy and torch")
                .type_name("PROGRAM");
          },
          run,
          true,
          nullptr,
          parameters};
}

}  // namespace murmur::app
