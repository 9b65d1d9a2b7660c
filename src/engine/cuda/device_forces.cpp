// device_forces.cpp: heads through their sums over pairs, perceptrons through their units.
#include "engine/cuda/device_forces.h"

namespace murmur::cuda {

ForcesOnDevice::ForcesOnDevice(const Dynamics& dynamics, Shape shape, Precision precision,
                               GpuSums sums)
    : dynamics_(dynamics), pairs_(precision, sums) {
  check(dynamics, shape.d);
  for (const Sublayer& sublayer : dynamics_.sublayers)
    ready_.push_back(sublayer.forces_end.empty() ? ready(sublayer.forces, dynamics_.clock, shape.d)
                                                 : DeviceForces{});
}

void ForcesOnDevice::add(double t, int sublayer, const DeviceSwarm& x, const RowTiles& rows,
                         DeviceSwarm& a) {
  const Sublayer& forces = dynamics_.sublayers[sublayer];
  if (!forces.forces_end.empty())
    ready_[sublayer] = ready(forces_at(forces, t), dynamics_.clock, x.shape().d);
  for (const DeviceHead& head : ready_[sublayer].heads) pairs_.add(head, x, rows, a);
  for (const DeviceLayer& layer : ready_[sublayer].layers) add_layer(layer, x, a);
}

void ForcesOnDevice::add_layer(const DeviceLayer& layer, const DeviceSwarm& x, DeviceSwarm& a) {
  const int n = x.shape().n, rows = layer.in.rows;
  double* hidden = hidden_.need(x.stride() * rows);
  apply(layer.in.map(), x.places(), false, hidden, x.stride());
  const Places units{hidden, x.stride(), n, rows};
  activate(layer.activation, units);
  apply(layer.out.map(), units, true, a.data(), a.stride());
}

}  // namespace murmur::cuda
