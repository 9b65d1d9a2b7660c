// no_cuda.cpp: refuses the adjoint of the GPU in a build without CUDA.
#include "murmur/error.h"
#include "murmur/learn.h"

namespace murmur {

std::unique_ptr<Adjoint> make_cuda_adjoint(const Architecture&) {
  throw Error(Fault::tool, "this murmur was built without CUDA", "device=cuda",
              "use device=cpu, or build with cmake --preset cuda");
}

}  // namespace murmur
