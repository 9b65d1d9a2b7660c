// make_engine.cpp: the table of engines, and the choice among them.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

#include "core/device_engine.h"
#include "engine/cuda/cuda.h"
#include "engine/moments/moments.h"
#include "experiment/initial.h"
#include "murmur/engine.h"
#include "murmur/error.h"
#include "murmur/experiment.h"
#include "run/text.h"

namespace murmur {

namespace {

// Returns the name of an engine without the tolerance after it: `moments` of `moments:1e-12`.
std::string base_of(const std::string& name) { return name.substr(0, name.find(':')); }

double tolerance_of(const EngineChoice& choice) {
  const std::size_t colon = choice.name.find(':');
  return colon == std::string::npos ? kMomentsPromise
                                    : parse_number(choice.name.substr(colon + 1)).value();
}

// The default tolerance of moments on a GPU.
double gpu_tolerance(Precision precision) {
  return precision == Precision::f32 ? kGpuMomentsPromiseFloat : kGpuMomentsPromise;
}

struct Request {
  const EngineChoice& choice;
  Shape shape;
  const Dynamics& dynamics;
};

// Conditions under which auto selects moments (docs/engines.md): enough particles that series cost
// much less than pairs, a beta for which the bounds were tested, and for unnormalised heads on the
// circle a bound that is known beforehand and within the tolerance. The arc-length clock divides by
// the velocity, which would magnify any error. If scores are not those of x_i with itself, a swarm
// can gather far from its queries; then cells replace the series, which is faster only for larger
// swarms.
constexpr int kManyParticles = 4096, kManyQueries = 20'000;
constexpr double kSharpest = 100;
constexpr double kPairNanoseconds = 0.33;  // of simd in double, d = 2 to 4

bool suits_moments(const Request& r) {
  if (r.choice.precision != Precision::f64 || r.shape.n < kManyParticles) return false;
  const std::vector<const Attention*> heads = by_kind(r.dynamics).heads;
  const bool tested = std::all_of(heads.begin(), heads.end(), [&](const Attention* a) {
    const bool own = is_identity(a->query) && is_identity(a->key) && a->query_bias.empty() &&
                     a->key_bias.empty() && a->beta >= 0;
    return std::fabs(a->beta) <= kSharpest && (own || r.shape.n >= kManyQueries);
  });
  const double pairs = kPairNanoseconds * r.shape.n * r.shape.n * std::max(1, r.shape.d - 3);
  return !heads.empty() && tested && !kernel_of(r.dynamics.clock).arc_length &&
         (r.shape.d > 2 || moments_bound(r.dynamics, r.shape.n) <= kMomentsPromise) &&
         2 * moments_cost(r.dynamics, r.shape) < pairs * static_cast<double>(heads.size());
}

bool suits_simd(const Request& r) {
  const double work = static_cast<double>(r.shape.n) * r.shape.n * r.shape.d;
  return r.choice.precision == Precision::f32 || work > 32'768;
}

enum class Single {
  sums,     // precision=f32 gives sums in single precision
  ignored,  // always double; the setting is ignored
  refused,  // always double; f32 is refused
};

// One engine. auto selects the first row that suits and supports the experiment.
struct EngineRow {
  const char* name;
  const char* meaning;
  std::unique_ptr<Engine> (*make)(const EngineChoice& choice);
  bool (*suits)(const Request& request);
  Single single;
  bool own_memory = false;  // its swarms are in the memory of the device
};
constexpr EngineRow kRows[] = {
    {"cuda-moments", "the series of `moments` on an NVIDIA GPU",
     [](const EngineChoice& choice) {
       return make_cuda_engine(choice.precision, GpuSums::moments);
     },
     [](const Request&) { return false; }, Single::sums, true},
    {"cuda", "sums over all pairs on an NVIDIA GPU",
     [](const EngineChoice& choice) { return make_cuda_engine(choice.precision); },
     [](const Request&) {
       return false;
     },  // only by name: with auto, results would depend on the machine
     Single::sums, true},
    {"moments",
     "sums by series of moments for many particles, in up to five coordinates, with a bound on "
     "the error; moments:TOLERANCE is the bound to stay within",
     [](const EngineChoice& choice) {
       const double tolerance = tolerance_of(choice);
       return make_moments_engine({.tolerance = std::max(1e-15, tolerance / 100),
                                   .pairs_above = tolerance,
                                   .threads = choice.threads});
     },
     suits_moments, Single::refused},
    {"simd", "sums over all pairs by vector instructions, on all threads",
     [](const EngineChoice& choice) { return make_simd_engine(choice.precision, choice.threads); },
     suits_simd, Single::sums},
    {"reference",
     "plain loops in double precision on one thread: the definition that the others are compared "
     "with",
     [](const EngineChoice&) { return make_reference_engine(); },
     [](const Request&) { return true; }, Single::ignored},
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

struct Resolved {
  const EngineRow& row;
  std::unique_ptr<Engine> engine;
};

// Error(input) if the named engine cannot compute the experiment.
Resolved resolve_named(const Request& r, const EngineRow& row) {
  const std::string name = row.name;
  if (row.single == Single::refused && r.choice.precision == Precision::f32)
    throw Error(Fault::input, "the " + name + " engine is always double", "precision = f32",
                "use precision=f64, or engine=simd");
  auto engine = row.make(r.choice);
  if (engine == nullptr)
    throw Error(Fault::input, "the " + name + " engine is not in the page", "engine = " + name,
                "use engine=auto here, or run this with the program murmur");
  if (const auto unknown = engine->unsupported_reason(r.dynamics, r.shape))
    throw Error(Fault::input, unknown->what, "engine = " + r.choice.name, unknown->remedy);
  return {row, std::move(engine)};
}

Resolved resolve(const Request& r) {
  for (const EngineRow& row : kRows)
    if (base_of(r.choice.name) == row.name) return resolve_named(r, row);
  if (r.choice.name != "auto")
    throw Error(Fault::input, "there is no engine " + r.choice.name, "engine",
                "use one of " + joined(engine_words()));
  std::string reason;  // why the last engine cannot
  for (const EngineRow& row : kRows) {
    const bool double_only = row.single != Single::sums;
    if (!row.suits(r) || (r.choice.precision == Precision::f32 && double_only)) continue;
    auto engine = row.make(r.choice);
    if (engine == nullptr) continue;
    const auto unknown = engine->unsupported_reason(r.dynamics, r.shape);
    if (!unknown) return {row, std::move(engine)};
    reason = unknown->what;
  }
  throw Error(Fault::input, "only the reference engine computes this, in double: " + reason,
              "precision = f32", "use precision=f64");
}

}  // namespace

std::span<const ParameterValue> engine_values() {
  static const std::vector<ParameterValue> values = [] {
    std::vector<ParameterValue> all = {
        {"auto", "the fastest engine of the processor that can compute this swarm"}};
    for (auto row = std::rbegin(kRows); row != std::rend(kRows); ++row)
      all.push_back({row->name, row->meaning});
    return all;
  }();
  return values;
}

std::optional<double> error_tolerance(const EngineChoice& choice) {
  const std::string base = base_of(choice.name);
  if (base == "moments") return tolerance_of(choice);
  if (base == "cuda-moments") return gpu_tolerance(choice.precision);
  return std::nullopt;
}

std::vector<std::string> engine_words() {
  std::vector<std::string> words;
  for (const ParameterValue& engine : engine_values()) words.emplace_back(engine.name);
  return words;
}

std::string resolve_engine(const EngineChoice& choice, Shape shape, const Dynamics& dynamics) {
  const std::string name = resolve({choice, shape, dynamics}).row.name;
  return name == base_of(choice.name) ? choice.name : name;
}

void require_room(const EngineChoice& choice, Shape shape) {
  for (const EngineRow& row : kRows)
    if (row.own_memory && base_of(choice.name) == row.name)
      if (const auto engine = row.make(choice);
          const auto* device = dynamic_cast<const DeviceEngine*>(engine.get()))
        if (const auto reason = device->room_for(shape))
          throw Error(Fault::input, reason->what, "engine = " + choice.name, reason->remedy);
}

std::unique_ptr<Engine> make_engine(const EngineChoice& resolved) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const EngineRow& r) {
    return base_of(resolved.name) == r.name;
  });
  assert(row != std::end(kRows));  // resolve_engine named it
  return row->make(resolved);
}

std::unique_ptr<Engine> make_engine(const EngineChoice& choice, Shape shape,
                                    const Dynamics& dynamics) {
  return resolve({choice, shape, dynamics}).engine;
}

}  // namespace murmur
