// make_engine.cpp: chooses the engine that computes velocities.
#include "murmur/engine.h"
#include "murmur/error.h"

namespace murmur {

std::string resolve_engine(const EngineChoice& choice, Shape shape) {
  if (choice.name != "auto") return choice.name;
  const double work = static_cast<double>(shape.n) * shape.n * shape.d;
  return choice.precision == Precision::f64 && work <= 32'768 ? "reference" : "simd";
}

std::unique_ptr<Engine> make_engine(const EngineChoice& choice, Shape shape) {
  const std::string name = resolve_engine(choice, shape);
  if (name == "reference") return make_reference_engine();
  if (name == "simd") return make_simd_engine(choice.precision, choice.threads);
  throw Error(Fault::input, "there is no engine " + name, "engine", "use auto, reference or simd");
}

}  // namespace murmur
