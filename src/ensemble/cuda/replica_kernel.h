// replica_kernel.h: inputs and results of the GPU kernel for small swarms.
#pragma once

#include <cstddef>
#include <cstdint>

namespace murmur::cuda {

inline constexpr int kMostReplicaParticles = 128;
inline constexpr int kReplicaStages = 4;

// w_ij = 2^{slope <x_i, x_j> - offset}; softmax divides by its sum, else the sum is multiplied by
// factor.
struct ReplicaForces {
  double slope = 0, offset = 0, factor = 1;
  bool softmax = true;
};

// A step x <- retract(x + dt sum_i b_i k_i), k_i = v(retract(x + dt sum_j a_ij k_j)); no stages:
// x <- retract(x + dt A(x)).
struct ReplicaSteps {
  int stages = 0;
  double dt = 0;
  double a[kReplicaStages][kReplicaStages] = {}, b[kReplicaStages] = {};
};

struct ReplicaNumbers {  // of one swarm at one time
  double close, cosines, order;
  std::int64_t clusters;
};

struct ReplicaLaunch {
  int n = 0, d = 0;
  std::int64_t swarms = 0;
  ReplicaForces forces{};
  ReplicaSteps steps{};
  double close = 0, linked = 0;  // cosines above which a pair is counted, and linked
  double* x = nullptr;           // (swarms, n, d), start and result
  int readings = 0;              // number in this launch, each after `until` steps of it, ascending
  const int* until = nullptr;
  int count = 0;                      // steps of this launch
  ReplicaNumbers* numbers = nullptr;  // (swarms, pitch)
  int pitch = 0;                      // readings of a swarm in all
  int* lost = nullptr;                // (swarms) 1 if a number stopped being finite
};
void launch_replicas(const ReplicaLaunch& launch);

}  // namespace murmur::cuda
