// gpu_limits.cpp: times the probes, and copies of memory to memory.
#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "device/device.h"
#include "engine/cuda/cuda.h"
#include "engine/cuda/probes.h"

namespace murmur {

namespace {

void wait_for_gpu() { cuda::inspect(cudaDeviceSynchronize()); }

double best_seconds(const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int turn = -1; turn < 5; ++turn) {
    wait_for_gpu();
    const auto start = std::chrono::steady_clock::now();
    work();
    wait_for_gpu();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (turn >= 0) best = std::min(best, took.count());
  }
  return best;
}

}  // namespace

GpuLimits probe_gpu() {
  cuda::need_gpu({"murmur bench", "bench without a GPU"});
  constexpr int kBlocks = 8192;
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  cuda::Room<std::byte> from, to;
  const auto rate = [&](cuda::Probe kind) {
    void* scratch = to.need(kBytes);
    const double seconds = best_seconds([&] { cuda::probe(kind, kBlocks, scratch); });
    cuda::inspect(cudaGetLastError());
    return cuda::probed_operations(kind, kBlocks) / seconds;
  };
  GpuLimits limits;
  limits.fma_f32 = rate(cuda::Probe::fma_f32);
  limits.fma_f64 = rate(cuda::Probe::fma_f64);
  limits.exp2_f32 = rate(cuda::Probe::exp2_f32);
  limits.half_products = rate(cuda::Probe::half_products);
  const double seconds = best_seconds([&] {
    cuda::inspect(
        cudaMemcpyAsync(to.need(kBytes), from.need(kBytes), kBytes, cudaMemcpyDeviceToDevice));
  });
  limits.memory_bytes = 2.0 * kBytes / seconds;
  return limits;
}

}  // namespace murmur
