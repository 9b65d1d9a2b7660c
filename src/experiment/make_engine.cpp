// make_engine.cpp: chooses the engine that computes velocities.
#include "murmur/engine.h"
#include "murmur/error.h"

namespace murmur {

std::string resolve_engine(const EngineChoice& choice, Shape shape, const Dynamics& dynamics) {
  const bool known = simd_knows(dynamics);
  if (choice.name == "simd" && !known)
    throw Error(Fault::input, "the simd engine has no kernel for this dynamics", "engine = simd",
                "use engine=reference or engine=auto: hard, sinkhorn, alibi and rescaled attention "
                "are computed there");
  if (choice.name != "auto") return choice.name;
  if (!known && choice.precision == Precision::f32)
    throw Error(Fault::input, "this dynamics is computed by the reference engine alone, in double",
                "precision = f32", "use precision=f64");
  const double work = static_cast<double>(shape.n) * shape.n * shape.d;
  const bool small = choice.precision == Precision::f64 && work <= 32'768;
  return small || !known ? "reference" : "simd";
}

std::unique_ptr<Engine> make_engine(const EngineChoice& choice, Shape shape,
                                    const Dynamics& dynamics) {
  const std::string name = resolve_engine(choice, shape, dynamics);
  if (name == "reference") return make_reference_engine();
  if (name == "simd") return make_simd_engine(choice.precision, choice.threads);
  throw Error(Fault::input, "there is no engine " + name, "engine", "use auto, reference or simd");
}

}  // namespace murmur
