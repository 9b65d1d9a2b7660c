// no_stiff.cpp: stands in for stiff.cpp where SUNDIALS was not found.
#include "flow/stiff.h"
#include "murmur/error.h"

namespace murmur {

Outcome advance_stiff(const Flow&, const Schedule&, FlowState&, const FlowWatch&) {
  throw Error(Fault::tool, "the method bdf needs SUNDIALS, and this program was built without it",
              "method=bdf", "install libsundials-dev and build again, or use method=dopri5");
}

bool has_stiff() { return false; }

}  // namespace murmur
