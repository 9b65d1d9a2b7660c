// cuda_field.h: a Dynamics made ready on the GPU.
#pragma once

#include "engine/cuda/device_forces.h"
#include "murmur/engine.h"

namespace murmur::cuda {

class CudaField final : public Field {
 public:
  CudaField(const Dynamics& dynamics, Shape shape, Precision precision, GpuSums sums);

  const Dynamics& dynamics() const override { return dynamics_; }
  int sublayers() const override { return static_cast<int>(dynamics_.sublayers.size()); }
  bool active(double t, int sublayer) const override {
    return dynamics_.sublayers[sublayer].active(t);
  }
  void drift(double t, int sublayer, const Swarm& x, Swarm& a) override;
  void velocity(double t, const Swarm& x, Swarm& v) override;
  void retract(const Swarm& x, std::span<const Term> terms, Swarm& y) override;
  void keep_lengths(double t, const Swarm& x, Swarm& y) override;
  double error_norm(const Swarm& a, const Swarm& b, Tolerance tolerance) override;
  void noise_increment(const NoiseStep& step, const Swarm& x, Swarm& out) override;
  void diffuse(const NoiseStep& step, const Swarm& x, Swarm& y) override;
  ClosePair nearest_pair(const Swarm& x, double delta) override;
  ParticleSums particle_sums(const Swarm& x, int threads) override;
  PairSums pair_sums(const Swarm& x, const PairRequest& request) override;
  void wait() const override { inspect(cudaDeviceSynchronize()); }
  bool on_device() const override { return true; }
  const ErrorBound* error_bound() const override {
    return sums_ == GpuSums::moments ? &forces_.error_bound() : nullptr;
  }

 private:
  bool turns_only(double t) const;
  bool on_sphere() const { return dynamics_.manifold == Manifold::sphere; }
  const DeviceSwarm& force_points(double t, const DeviceSwarm& x);
  void finish(double t, Finish f, const DeviceSwarm& x, DeviceSwarm& a);
  void to_arc_length(DeviceSwarm& v);
  const double* gain(double t);
  // x, or the directions of its particles where norms move.
  ConstPlaces measured(const DeviceSwarm& x);

  const Dynamics dynamics_;
  const int n0_;  // particles before any merging
  const GpuSums sums_;
  ForcesOnDevice forces_;
  std::unique_ptr<DeviceSwarm> force_points_{};
  Room<double> gain_{}, scratch_{}, result_{}, turned_{}, directed_{}, image_{};
  Room<double> matrix_{};
  Room<std::byte> room_{};
};

}  // namespace murmur::cuda
