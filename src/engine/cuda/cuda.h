// cuda.h: the engine on an NVIDIA GPU, and the properties of the GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "murmur/engine.h"

namespace murmur {

// How pairs are summed: one by one, or by the moments of the swarm on S^2. Moments are used if the
// error is at most kGpuMomentsPromise times the sum of the weights of a particle; else pairs one by
// one.
enum class GpuSums { pairs, moments };
inline constexpr double kGpuMomentsPromise = 1e-10, kGpuMomentsPromiseFloat = 1e-6;

// Makes an engine with sums in single or double precision; positions and everything else are double
// and stay on the GPU. Throws Error(tool) if murmur was built without CUDA, or if there is no
// driver, no GPU, or one that is too old.
std::unique_ptr<Engine> make_cuda_engine(Precision precision, GpuSums sums = GpuSums::pairs);

// Distributes the GPUs of a machine over its ranks; this process is rank `rank_here` of the
// machine. To be called before any engine is made; without it the first GPU is used.
void choose_gpu(int rank_here);

// Returns the name of the GPU in use, for `murmur doctor`: "NVIDIA H200"; empty if there is none.
std::string gpu_name();
bool built_with_cuda();

// The limits of the GPU per second, as measured by its probes for `murmur bench`: multiply-adds,
// powers of two, products of halves by tensor cores (each a multiply-add), bytes read and written.
struct GpuLimits {
  double fma_f32 = 0, fma_f64 = 0, exp2_f32 = 0, half_products = 0, memory_bytes = 0;
};
GpuLimits probe_gpu();

}  // namespace murmur
