// no_products.cpp: replaces products.cpp in builds without OpenBLAS: refuses matrix products.
#include "learn/products.h"
#include "murmur/error.h"

namespace murmur {

void require_products() {
  throw Error(Fault::tool, "there is no OpenBLAS here", "matrix products",
              "use the reference pass, which needs none");
}

void multiply(const View&, const View&, Transposed, const View&, float, float) {
  require_products();
}

}  // namespace murmur
