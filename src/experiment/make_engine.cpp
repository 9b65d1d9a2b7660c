// make_engine.cpp: chooses the engine that computes velocities.
#include "murmur/engine.h"
#include "murmur/error.h"
#include "murmur/moments.h"

namespace murmur {

namespace {

// What auto gives to moments (docs/engines.md): crowds on the circle that attend by softmax, not
// sharper than the certificate was tested for.
constexpr int kManyParticles = 4096;
constexpr double kSharpest = 100;

bool suits_moments(const EngineChoice& choice, Shape shape, const Dynamics& dynamics) {
  if (choice.precision != Precision::f64 || shape.n < kManyParticles) return false;
  bool attends = false;
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      if (const auto* a = std::get_if<Attention>(&force)) {
        if (a->weighting != Attention::softmax || a->beta > kSharpest) return false;
        attends = true;
      }
  return attends && moments_know(dynamics, shape.d);
}

// Error(input) where the named engine cannot compute what is asked for.
void check_named(const EngineChoice& choice, Shape shape, const Dynamics& dynamics) {
  if (choice.name == "simd" && !simd_knows(dynamics))
    throw Error(Fault::input, "the simd engine has no kernel for this dynamics", "engine = simd",
                "use engine=reference or engine=auto: hard, sinkhorn, alibi and rescaled attention "
                "are computed there");
  if (choice.name != "moments") return;
  if (choice.precision == Precision::f32)
    throw Error(Fault::input, "the moments engine is always double", "precision = f32",
                "use precision=f64, or engine=simd");
  require_moments(dynamics, shape.d);
}

}  // namespace

std::string resolve_engine(const EngineChoice& choice, Shape shape, const Dynamics& dynamics) {
  check_named(choice, shape, dynamics);
  if (choice.name != "auto") return choice.name;
  const bool known = simd_knows(dynamics);
  if (!known && choice.precision == Precision::f32)
    throw Error(Fault::input, "this dynamics is computed by the reference engine alone, in double",
                "precision = f32", "use precision=f64");
  if (suits_moments(choice, shape, dynamics)) return "moments";
  const double work = static_cast<double>(shape.n) * shape.n * shape.d;
  const bool small = choice.precision == Precision::f64 && work <= 32'768;
  return small || !known ? "reference" : "simd";
}

std::unique_ptr<Engine> make_engine(const EngineChoice& choice, Shape shape,
                                    const Dynamics& dynamics) {
  const std::string name = resolve_engine(choice, shape, dynamics);
  if (name == "reference") return make_reference_engine();
  if (name == "simd") return make_simd_engine(choice.precision, choice.threads);
  if (name == "moments")
    return make_moments_engine({.pairs_above = kMomentsPromise, .threads = choice.threads});
  throw Error(Fault::input, "there is no engine " + name, "engine",
              "use auto, reference, simd or moments");
}

}  // namespace murmur
