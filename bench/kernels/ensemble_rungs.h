// ensemble_rungs.h: one way of taking the same step of many small swarms on the circle a rung.
#pragma once

#include <span>

#include "ensemble/block.h"

namespace murmur::bench {

//   x_i <- normalise(x_i + dt sum_j w_ij x_j / sum_j w_ij),   w_ij = e^{beta <x_i, x_j>}
struct Samples {
  ReplicasSetting setting;   // d = 2, method layers
  int blocks;                // of eight swarms
  ensemble::AlignedArray x;  // (blocks, n, 2, kSwarms), n a whole number of tiles
  double* block(int b) { return x.get() + b * ensemble::block_size(setting.shape); }
};

struct EnsembleRung {
  const char* name;
  void (*step)(Samples&);
};
std::span<const EnsembleRung> ensemble_rungs();

}  // namespace murmur::bench
