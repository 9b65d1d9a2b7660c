// waves.h: decides when Fourier sums replace pairs on the circle, and makes their tables; defined
// in ensemble.cpp.
#pragma once

#include <vector>

#include "ensemble/block.h"

namespace murmur::ensemble {

class Waves {
 public:
  // Empty if pairs are to be summed: in more than two dimensions, if pairs cost less, and for beta
  // < 0, where the sums of an isolated particle are too small compared with the terms of the
  // series.
  Waves(const ReplicasSetting& setting, Shape stored);

  explicit operator bool() const { return sums_.orders > 0; }
  const WaveSums& sums() const { return sums_; }

 private:
  std::vector<double> along_, across_;  // (orders + 1)
  AlignedArray terms_;                  // (orders + 1, 4, kSwarms)
  WaveSums sums_{};
};

}  // namespace murmur::ensemble
