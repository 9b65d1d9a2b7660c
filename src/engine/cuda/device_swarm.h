// device_swarm.h: a swarm in the GPU's memory.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "engine/cuda/swarm_kernels.h"
#include "murmur/swarm.h"

namespace murmur::cuda {

// Masses change when particles merge, and then the swarm is placed anew: swarms share them.
struct Masses {
  explicit Masses(const std::vector<double>& mass);
  const std::vector<double> host;  // (n)
  Room<double> device{};
  double heaviest = 0;
  bool equal = true;
  int weightless = 0;  // how many have mass 0
};

// As HostSwarm: coordinate k of particle i is x[k * stride + i].
class DeviceSwarm final : public Swarm {
 public:
  DeviceSwarm(Shape shape, std::shared_ptr<Masses> mass);

  Shape shape() const override { return shape_; }
  std::unique_ptr<Swarm> like() const override {
    return std::make_unique<DeviceSwarm>(shape_, masses);
  }
  std::size_t stride() const { return stride_; }
  double* data() { return x_.need(0); }
  const double* data() const { return const_cast<Room<double>&>(x_).need(0); }
  Places places() { return {data(), stride_, shape_.n, shape_.d}; }
  ConstPlaces places() const { return {data(), stride_, shape_.n, shape_.d}; }
  double* mass() const { return masses->device.need(0); }

  std::shared_ptr<Masses> masses;

 private:
  Shape shape_{};
  std::size_t stride_ = 0;
  Room<double> x_{};
};

inline const DeviceSwarm& device(const Swarm& x) { return static_cast<const DeviceSwarm&>(x); }
inline DeviceSwarm& device(Swarm& x) { return static_cast<DeviceSwarm&>(x); }

}  // namespace murmur::cuda
