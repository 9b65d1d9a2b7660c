// no_cuda.cpp: replaces the GPU's small swarms in builds without CUDA.
#include "ensemble/cuda/replicas.h"
#include "murmur/error.h"

namespace murmur {

bool gpu_replicas_know(const ReplicasSetting&) { return false; }

ReplicasResult advance_replicas_on_gpu(const ReplicasSetting&, const ReplicasWork&) {
  throw Error(Fault::tool, "this murmur was built without CUDA", "engine = cuda",
              "use engine=auto, or build with cmake --preset cuda");
}

}  // namespace murmur
