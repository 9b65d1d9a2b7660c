// no_moments.cpp: stands in for the moments engine where vectors hold no doubles.
#include "murmur/error.h"
#include "murmur/moments.h"

namespace murmur {

bool moments_know(const Dynamics&, int) { return false; }

void require_moments(const Dynamics&, int) {
  throw Error(Fault::input, "the moments engine is not in the page", "engine = moments",
              "use engine=auto here, or fly this with the program murmur");
}

std::unique_ptr<Engine> make_moments_engine(const MomentsChoice&) {
  require_moments({}, 2);
  return nullptr;
}

}  // namespace murmur
