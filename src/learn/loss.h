// loss.h: what a flock's last places cost, and how the cost changes with each of them.
#pragma once

#include <cstddef>

#include "murmur/learn.h"

namespace murmur {

// n boids of d coordinates in single precision: coordinate k of boid i is at[i * boid + k * axis].
struct Boids {
  float* at = nullptr;
  int n = 0, d = 0;
  std::size_t boid = 0, axis = 0;
  float& operator()(int i, int k) const {
    return at[static_cast<std::size_t>(i) * boid + static_cast<std::size_t>(k) * axis];
  }
};

// m: the mean boid, or the last one; (d).
void read_out(const Architecture& architecture, const Boids& x, float* readout);

struct FlockLoss {
  double loss = 0;  // this flock's share of the batch's mean
  bool correct = false;
};
struct LossQuestion {
  int label = 0;
  std::size_t batch = 1;    // flocks in the batch
  std::size_t longest = 1;  // boids of its longest flock
};
// dx: the gradient of the loss at every boid, overwritten.
FlockLoss flock_loss(const Architecture& architecture, const Objective& objective,
                     const LossQuestion& question, const Boids& x, const Boids& dx);

}  // namespace murmur
