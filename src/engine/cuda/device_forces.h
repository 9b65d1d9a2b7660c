// device_forces.h: the forces of a dynamics on the GPU, sublayer by sublayer.
#pragma once

#include <vector>

#include "engine/cuda/pair_forces.h"

namespace murmur::cuda {

class ForcesOnDevice {
 public:
  ForcesOnDevice(const Dynamics& dynamics, Shape shape, Precision precision, GpuSums sums);

  // a_i += the forces of one sublayer at x, of the rows that are wanted.
  void add(double t, int sublayer, const DeviceSwarm& x, const RowTiles& rows, DeviceSwarm& a);
  const ErrorBound& error_bound() const { return pairs_.error; }

 private:
  void add_layer(const DeviceLayer& layer, const DeviceSwarm& x, DeviceSwarm& a);

  const Dynamics& dynamics_;
  DevicePairs pairs_;
  std::vector<DeviceForces> ready_{};  // by sublayer; of one that changes, as last asked for
  Room<double> hidden_{};
};

}  // namespace murmur::cuda
