// no_stiff.cpp: replaces stiff.cpp in builds without SUNDIALS.
#include "flow/stiff.h"
#include "murmur/error.h"

namespace murmur {

Outcome advance_stiff(const Flow&, const Schedule&, FlowState&, const FlowWatch&) {
  throw Error(Fault::tool, "the method bdf needs SUNDIALS, and this program was built without it",
              "method=bdf", "install libsundials-dev and build again, or use method=dopri5");
}

bool has_stiff() { return false; }

}  // namespace murmur
