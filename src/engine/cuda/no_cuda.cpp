// no_cuda.cpp: replaces the engine on a GPU in builds without CUDA, where asking for it is an
// error.
#include "engine/cuda/cuda.h"
#include "murmur/error.h"

namespace murmur {

std::unique_ptr<Engine> make_cuda_engine(Precision, GpuSums) {
  throw Error(Fault::tool, "this murmur was built without CUDA", "engine = cuda",
              "use engine=auto, or build with cmake --preset cuda");
}

void choose_gpu(int) {}

std::string gpu_name() { return ""; }

bool built_with_cuda() { return false; }

GpuLimits probe_gpu() { return {}; }

}  // namespace murmur
