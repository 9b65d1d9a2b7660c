// no_cuda.cpp: in a build without CUDA the GPU's adjoint is refused.
#include "murmur/error.h"
#include "murmur/learn.h"

namespace murmur {

std::unique_ptr<Adjoint> make_cuda_adjoint(const Architecture&) {
  throw Error(Fault::tool, "this murmur was built without CUDA", "device=cuda",
              "use device=cpu, or build with cmake --preset cuda");
}

}  // namespace murmur
