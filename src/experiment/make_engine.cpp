// make_engine.cpp: the table of engines, and the choice among them.
#include <algorithm>
#include <cassert>
#include <iterator>

#include "engine/moments/moments.h"
#include "murmur/engine.h"
#include "murmur/error.h"

namespace murmur {

namespace {

struct Request {
  const EngineChoice& choice;
  Shape shape;
  const Dynamics& dynamics;
};

// What auto gives to moments (docs/engines.md): many particles on the circle that attend by
// softmax, not sharper than the certificate was tested for.
constexpr int kManyParticles = 4096;
constexpr double kSharpest = 100;

bool suits_moments(const Request& r) {
  if (r.choice.precision != Precision::f64 || r.shape.n < kManyParticles) return false;
  bool attends = false, suits = true;
  for (const Sublayer& sublayer : r.dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      if (const Attention* a = head_of(force)) {
        attends = true;
        suits = suits && a->weighting == Attention::softmax && a->beta <= kSharpest;
      }
  return attends && suits;
}

bool suits_simd(const Request& r) {
  const double work = static_cast<double>(r.shape.n) * r.shape.n * r.shape.d;
  return r.choice.precision == Precision::f32 || work > 32'768;
}

enum class Single {
  sums,     // precision=f32 are sums in single precision
  ignored,  // always double, whatever is asked for
  refused,  // always double, and says so
};

// An engine by its word. auto takes the first row that suits and knows.
struct EngineRow {
  const char* name;
  std::unique_ptr<Engine> (*make)(const EngineChoice& choice);
  bool (*suits)(const Request& request);
  Single single;
};
constexpr EngineRow kRows[] = {
    {"moments",
     [](const EngineChoice& choice) {
       return make_moments_engine({.pairs_above = kMomentsPromise, .threads = choice.threads});
     },
     suits_moments, Single::refused},
    {"simd",
     [](const EngineChoice& choice) { return make_simd_engine(choice.precision, choice.threads); },
     suits_simd, Single::sums},
    {"reference", [](const EngineChoice&) { return make_reference_engine(); },
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

// Error(input) where the named engine cannot compute what is asked for.
Resolved resolve_named(const Request& r, const EngineRow& row) {
  const std::string name = row.name;
  if (row.single == Single::refused && r.choice.precision == Precision::f32)
    throw Error(Fault::input, "the " + name + " engine is always double", "precision = f32",
                "use precision=f64, or engine=simd");
  auto engine = row.make(r.choice);
  if (engine == nullptr)
    throw Error(Fault::input, "the " + name + " engine is not in the page", "engine = " + name,
                "use engine=auto here, or fly this with the program murmur");
  if (const auto unknown = engine->knows(r.dynamics, r.shape))
    throw Error(Fault::input, unknown->what, "engine = " + name, unknown->remedy);
  return {row, std::move(engine)};
}

Resolved resolve(const Request& r) {
  for (const EngineRow& row : kRows)
    if (r.choice.name == row.name) return resolve_named(r, row);
  if (r.choice.name != "auto")
    throw Error(Fault::input, "there is no engine " + r.choice.name, "engine",
                "use one of " + joined(engine_words()));
  for (const EngineRow& row : kRows) {
    const bool double_only = row.single != Single::sums;
    if (!row.suits(r) || (r.choice.precision == Precision::f32 && double_only)) continue;
    if (auto engine = row.make(r.choice); engine && !engine->knows(r.dynamics, r.shape))
      return {row, std::move(engine)};
  }
  throw Error(Fault::input, "this dynamics is computed by the reference engine alone, in double",
              "precision = f32", "use precision=f64");
}

}  // namespace

std::vector<std::string> engine_words() {
  std::vector<std::string> words = {"auto"};
  for (auto row = std::rbegin(kRows); row != std::rend(kRows); ++row) words.emplace_back(row->name);
  return words;
}

std::string resolve_engine(const EngineChoice& choice, Shape shape, const Dynamics& dynamics) {
  return resolve({choice, shape, dynamics}).row.name;
}

std::unique_ptr<Engine> make_engine(const EngineChoice& resolved) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const EngineRow& r) { return resolved.name == r.name; });
  assert(row != std::end(kRows));  // resolve_engine named it
  return row->make(resolved);
}

std::unique_ptr<Engine> make_engine(const EngineChoice& choice, Shape shape,
                                    const Dynamics& dynamics) {
  return resolve({choice, shape, dynamics}).engine;
}

}  // namespace murmur
