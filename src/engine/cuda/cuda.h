// cuda.h: the engine on an NVIDIA GPU, and what is known about the GPU before it is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "murmur/engine.h"

namespace murmur {

// How sums over pairs are made: one by one, or on S^2 through the moments of the swarm, where the
// error is bounded by kGpuMomentsPromise times the sum of a particle's weights; else one by one.
enum class GpuSums { pairs, moments };
inline constexpr double kGpuMomentsPromise = 1e-10, kGpuMomentsPromiseFloat = 1e-6;

// Sums in single or double precision; positions and all else are double and stay on the GPU.
// Error(tool) where murmur was built without CUDA, or where there is no driver, no GPU, or one that
// is too old.
std::unique_ptr<Engine> make_cuda_engine(Precision precision, GpuSums sums = GpuSums::pairs);

// The GPU that would be used, for `murmur doctor`: "NVIDIA H200, 139 GiB"; empty where there is
// none.
std::string gpu_name();
bool built_with_cuda();

}  // namespace murmur
