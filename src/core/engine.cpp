// engine.cpp: no engine is handed a dynamics that it does not know.
#include "murmur/engine.h"

#include "murmur/error.h"

namespace murmur {

std::unique_ptr<Field> Engine::prepare(const Dynamics& dynamics, Shape shape) {
  if (const auto unknown = knows(dynamics, shape))
    throw Error(Fault::input, unknown->what, "engine = " + name().substr(0, name().find(' ')),
                unknown->remedy);
  return prepare_known(dynamics, shape);
}

std::unique_ptr<Field> Engine::prepare_known(const Dynamics& dynamics, Shape shape) {
  return make_field(dynamics, shape);
}

}  // namespace murmur
