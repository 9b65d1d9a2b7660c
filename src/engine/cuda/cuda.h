// cuda.h: the engine on an NVIDIA GPU, and what is known about the GPU before it is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "murmur/engine.h"

namespace murmur {

// Sums in single or double precision; positions and all else are double and stay on the GPU.
// Error(tool) where murmur was built without CUDA, or where there is no driver, no GPU, or one that
// is too old.
std::unique_ptr<Engine> make_cuda_engine(Precision precision);

// The GPU that would be used, for `murmur doctor`: "NVIDIA H200, 139 GiB"; empty where there is
// none.
std::string gpu_name();
bool built_with_cuda();

}  // namespace murmur
