// host_sums.cpp: particles to the GPU and forces back, of a whole swarm or of a rank's share.
#include "engine/cuda/host_sums.h"

#include <utility>

#include "core/host_field.h"
#include "engine/cuda/device_forces.h"

namespace murmur::cuda {

namespace {

class HostSumsField final : public HostField {
 public:
  HostSumsField(const Dynamics& dynamics, Shape shape, Precision precision, GpuSums sums)
      : HostField(dynamics, shape), sums_(sums), forces_(dynamics_, shape, precision, sums) {}

  const ErrorBound* error_bound() const override {
    return sums_ == GpuSums::moments ? &forces_.error_bound() : nullptr;
  }
  int shared_block() const override { return kRowTile; }
  void wait() const override { inspect(cudaDeviceSynchronize()); }
  bool on_device() const override { return true; }

  void add_shared_forces(const Ask& ask, Share& share, const HostSwarm& x, HostSwarm& a) override {
    add_rows(ask, share.everybody(x), share.first(), a);
  }

 private:
  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& a) override {
    add_rows(ask, x, 0, a);
  }

  // a_i += the forces on particle first + i.
  void add_rows(const Ask& ask, const HostSwarm& x, int first, HostSwarm& a) {
    if (x.n() == 0 || a.n() == 0) return;
    place(x);
    clear(a_->places());
    forces_.add(ask.t, ask.sublayer, *x_, tiles_of(first, first + a.n()), *a_);
    if (back_.shape() != a.shape()) back_ = HostSwarm(a.shape());
    inspect(cudaMemcpy2D(back_.axis(0), back_.stride() * sizeof(double), a_->data() + first,
                         a_->stride() * sizeof(double), a.n() * sizeof(double),
                         static_cast<std::size_t>(a.d()), cudaMemcpyDeviceToHost));
    for (int k = 0; k < a.d(); ++k)
      for (int i = 0; i < a.n(); ++i) a.at(i, k) += back_.at(i, k);
  }

  void place(const HostSwarm& x) {
    if (!x_ || x_->shape() != x.shape() || x_->masses->host != x.mass) {
      x_ = std::make_unique<DeviceSwarm>(x.shape(), std::make_shared<Masses>(x.mass));
      a_ = std::make_unique<DeviceSwarm>(x.shape(), x_->masses);
    }
    inspect(cudaMemcpy2D(x_->data(), x_->stride() * sizeof(double), x.axis(0),
                         x.stride() * sizeof(double), x.n() * sizeof(double),
                         static_cast<std::size_t>(x.d()), cudaMemcpyHostToDevice));
  }

  const GpuSums sums_;
  ForcesOnDevice forces_;
  std::unique_ptr<DeviceSwarm> x_{}, a_{};
  HostSwarm back_{};
};

class HostSumsEngine final : public HostEngine {
 public:
  HostSumsEngine(std::unique_ptr<Engine> device, Precision precision, GpuSums sums)
      : device_(std::move(device)), precision_(precision), sums_(sums) {}

  std::string name() const override { return device_->name(); }
  std::optional<Unknown> knows(const Dynamics& dynamics, Shape shape) const override {
    return device_->knows(dynamics, shape);
  }
  bool same_when_shared() const override { return false; }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<HostSumsField>(dynamics, shape, precision_, sums_);
  }

  std::unique_ptr<Engine> device_;
  const Precision precision_;
  const GpuSums sums_;
};

}  // namespace

std::unique_ptr<Engine> make_host_engine(std::unique_ptr<Engine> device, Precision precision,
                                         GpuSums sums) {
  return std::make_unique<HostSumsEngine>(std::move(device), precision, sums);
}

}  // namespace murmur::cuda
