// fixed_point.h: sums that are the same in any order: blocks as 128-bit integers, and who adds
// them.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "murmur/swarm.h"

namespace murmur::moments {

// Sums over blocks of particles are turned into integers, whose addition is associative: the total
// has the same bits however blocks are dealt out to threads and to ranks. 96 bits behind the point
// leave 31 before it, enough for masses that sum to less than 2^31 over their largest function.
__extension__ using Fixed = __int128;
inline constexpr int kFractionBits = 96;

inline Fixed to_fixed(double value) { return static_cast<Fixed>(std::ldexp(value, kFractionBits)); }
inline double from_fixed(Fixed value) {
  return std::ldexp(static_cast<double>(value), -kFractionBits);
}

// Adds up what the ranks of a run have summed over their own particles. Without one there is one
// rank, which has them all.
class Reduction {
 public:
  virtual ~Reduction() = default;
  virtual void sum(std::span<Fixed> parts) const = 0;     // over the ranks; the total everywhere
  virtual double largest(double of_this_rank) const = 0;  // the same everywhere
  // All particles, where some rank needs them for sums pair by pair; else those of this rank.
  virtual const HostSwarm& everybody(const HostSwarm& own, bool needed) const = 0;
  // What every rank has, one after another; `first` becomes where that of this rank begins.
  virtual std::vector<double> gathered(std::span<const double> own, std::size_t& first) const = 0;
};

}  // namespace murmur::moments
