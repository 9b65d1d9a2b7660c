// block.h: eight swarms in the lanes of registers: copied in, read, and copied out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/buffer.h"
#include "ensemble/ensemble.h"
#include "ensemble/kernels.h"

namespace murmur::ensemble {

using AlignedArray = hwy::AlignedFreeUniquePtr<double[]>;
using Lanes = std::array<double, kSwarms>;

AlignedArray zeros(std::size_t count);

// Throws Error(input) for settings or work that ensembles do not support, and for a start that does
// not fit.
void check(const ReplicasSetting& setting, const ReplicasWork& work);
void check_start(const HostSwarm& x, Shape wanted, std::int64_t replica);

// V = I and the flow commutes with rotations, so a swarm stays in the span of its start: where
// n < d it is integrated in R^n, in coordinates along an orthonormal basis of that span.
class Block {
 public:
  // Replicas [first, first + 8), wanted or not, so that the grouping does not depend on the
  // request.
  Block(const ReplicasSetting& setting, const ReplicasWork& work, std::int64_t first);

  Shape shape() const { return shape_; }  // as stored
  std::int64_t replica(int swarm) const { return first_ + swarm; }
  bool asked(int swarm) const {
    return replica(swarm) >= work_.first && replica(swarm) < work_.first + work_.count;
  }

  void read(std::size_t time, ReplicasResult& result);  // reads x, for the wanted replicas
  HostSwarm fetch(int swarm) const;                     // returns x in all its coordinates

  AlignedArray x;  // (rows, d, kSwarms)

 private:
  void place(int swarm);
  int count_clusters(int swarm);

  const ReplicasSetting& setting_;
  const ReplicasWork& work_;
  const std::int64_t first_;
  const bool reduced_;  // integrated in the span
  const Shape shape_;
  std::vector<double> basis_;                        // (kSwarms, n, d), where reduced
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> link_;  // (n, words, kSwarms)
  std::vector<std::uint64_t> left_;                  // (words) particles in no component yet
  std::vector<int> spread_;                          // particles whose links are not followed yet
};

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
