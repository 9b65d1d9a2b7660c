// device_head.h: forces made ready on the GPU: heads with their matrices folded, perceptrons.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "engine/cuda/seen.h"
#include "engine/cuda/swarm_kernels.h"
#include "murmur/dynamics.h"

namespace murmur::cuda {

// y_i = M x_i + b with M and b in the GPU's memory.
struct DeviceMap {
  int rows = 0, cols = 0;  // 0: none
  std::shared_ptr<Room<double>> matrix{}, bias{};
  Map map() const;
};

// A head as engine/simd/head.h folds it: scores in powers of two are <u_i, key_j> + c_i.
struct DeviceHead {
  bool softmax = true, relative = false;
  Seen seen{};
  bool isotropic = true;  // u = gaze_scale x, keys are the particles
  double gaze_scale = 0;
  DeviceMap gaze{};  // u = gaze(x) otherwise
  DeviceMap keys{};  // of a head of few rows; none: keys are the particles
  int k = 0;         // coordinates of u and of the keys
  std::shared_ptr<Room<double>> tilt{};
  double level = 0, rate = 1;
  double value_scale = 1;
  DeviceMap value{};  // none: value_scale alone
  std::shared_ptr<Room<double>> value_bias{};
};

struct DeviceLayer {
  DeviceMap in{}, out{};
  int activation = 0;
};

struct DeviceForces {
  std::vector<DeviceHead> heads{};
  std::vector<DeviceLayer> layers{};
};

DeviceForces ready(const std::vector<Force>& forces, Clock clock, int d);

}  // namespace murmur::cuda
