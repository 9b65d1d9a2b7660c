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

// Ranks of one machine take its GPUs in turn: this process is rank `rank_here` of them. Before any
// engine is made; without it the first GPU is used.
void choose_gpu(int rank_here);

// The GPU that would be used, for `murmur doctor`: "NVIDIA H200, 139 GiB"; empty where there is
// none.
std::string gpu_name();
bool built_with_cuda();

// What the GPU does a second at most, by its own probes: multiply-adds, powers of two, products of
// halves by tensor cores (each a multiply-add), bytes read and written. For `murmur bench`.
struct GpuLimits {
  double fma_f32 = 0, fma_f64 = 0, exp2_f32 = 0, half_products = 0, memory_bytes = 0;
};
GpuLimits probe_gpu();

}  // namespace murmur
