// cuda_engine.cpp: the engine on an NVIDIA GPU: what it computes, and swarms there and back.
#include <algorithm>
#include <string>

#include "core/device_engine.h"
#include "core/overloaded.h"
#include "engine/cuda/cuda.h"
#include "engine/cuda/cuda_field.h"
#include "engine/cuda/host_sums.h"
#include "engine/cuda/room.h"
#include "murmur/error.h"

namespace murmur {

namespace cuda {

Masses::Masses(const std::vector<double>& mass) : host(mass) {
  if (mass.empty()) return;
  device.upload(std::span<const double>(host));
  heaviest = *std::max_element(host.begin(), host.end());
  equal = *std::min_element(host.begin(), host.end()) == heaviest;
  weightless = static_cast<int>(std::count(host.begin(), host.end(), 0.0));
}

DeviceSwarm::DeviceSwarm(Shape shape, std::shared_ptr<Masses> mass)
    : masses(std::move(mass)),
      shape_(shape),
      stride_((static_cast<std::size_t>(shape.n) + 31) / 32 * 32) {
  if (shape.n > 0) x_.need(stride_ * static_cast<std::size_t>(shape.d));
}

namespace {

constexpr int kLeastMajor = 9;  // compute capability that the kernels are made for

// What keeps a head from having a kernel, as words after "attention"; nothing where it has one.
const char* no_kernel(const Attention& a) {
  switch (a.weighting) {
    case Attention::softmax:
    case Attention::unnormalised:
      break;
    case Attention::hard:
      return "to the greatest score alone (hardmax)";
    case Attention::sinkhorn:
      return "with doubly stochastic weights (sinkhorn)";
  }
  if (a.alibi != 0) return "with alibi";
  return a.rescaled ? "rescaled by e^{tV}" : nullptr;
}

std::optional<Unknown> no_force(const Dynamics& dynamics) {
  if (by_kind(dynamics).others)
    return Unknown{"the cuda engine has no kernel for the limit of many heads",
                   "use engine=reference or engine=auto"};
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      if (const Attention* head = head_of(force))
        if (const char* why = no_kernel(*head))
          return Unknown{std::string("the cuda engine has no kernel for attention ") + why,
                         "use engine=reference or engine=auto: hard, sinkhorn, alibi and rescaled "
                         "attention are computed there"};
  return std::nullopt;
}

class CudaEngine final : public DeviceEngine {
 public:
  CudaEngine(Precision precision, GpuSums sums) : precision_(precision), sums_(sums) {
    need_gpu({"engine = cuda", "use engine=auto"}, kLeastMajor);
  }

  std::string name() const override {
    return std::string(sums_ == GpuSums::moments ? "cuda-moments " : "cuda ") +
           (precision_ == Precision::f32 ? "f32 " : "f64 ") + gpu_name();
  }

  std::optional<Unknown> knows(const Dynamics& dynamics, Shape shape) const override {
    if (auto why = no_force(dynamics)) return why;
    if (sums_ == GpuSums::moments && shape.d != 3)
      return Unknown{"the GPU's moments are those of S^2, and d is " + std::to_string(shape.d),
                     "use d=3, or engine=cuda"};
    return room_for(shape);
  }

  std::optional<Unknown> room_for(Shape shape) const override {
    std::size_t available = 0, all = 0;
    inspect(cudaMemGetInfo(&available, &all));
    return too_large(shape, precision_, sums_, available);
  }

  std::unique_ptr<Engine> in_host_memory() const override {
    return make_host_engine(std::make_unique<CudaEngine>(precision_, sums_), precision_, sums_);
  }

  std::unique_ptr<Swarm> place(const HostSwarm& x) override {
    auto there = std::make_unique<DeviceSwarm>(x.shape(), std::make_shared<Masses>(x.mass));
    if (x.n() > 0)
      inspect(cudaMemcpy2D(there->data(), there->stride() * sizeof(double), x.axis(0),
                           x.stride() * sizeof(double), x.n() * sizeof(double),
                           static_cast<std::size_t>(x.d()), cudaMemcpyHostToDevice));
    return there;
  }

  HostSwarm fetch(const Swarm& x) override {
    const DeviceSwarm& from = device(x);
    HostSwarm here(x.shape());
    here.mass = from.masses->host;
    if (here.n() > 0)
      inspect(cudaMemcpy2D(here.axis(0), here.stride() * sizeof(double), from.data(),
                           from.stride() * sizeof(double), here.n() * sizeof(double),
                           static_cast<std::size_t>(here.d()), cudaMemcpyDeviceToHost));
    return here;
  }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<CudaField>(dynamics, shape, precision_, sums_);
  }

  const Precision precision_;
  const GpuSums sums_;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Engine> make_cuda_engine(Precision precision, GpuSums sums) {
  return std::make_unique<cuda::CudaEngine>(precision, sums);
}

std::string gpu_name() {
  cudaDeviceProp gpu{};
  const int which = cuda::chosen_gpu();
  if (which < 0 || cudaGetDeviceProperties(&gpu, which) != cudaSuccess) return "";
  return gpu.name;
}

void choose_gpu(int rank_here) { cuda::choose_gpu_of(rank_here); }

bool built_with_cuda() { return true; }

}  // namespace murmur
