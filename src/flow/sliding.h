// sliding.h: tells particles that slide along a jump of the velocity from those that cross it.
#pragma once

#include <span>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/engine.h"

namespace murmur {

// Whether velocities jump as particles move: hard attention turns from one token to another.
bool jumps(const Dynamics& dynamics);

// Every so many accepted steps of a dynamics that jumps, so many more are tried on the side.
inline constexpr int kStepsBetweenLooks = 1024;
inline constexpr int kStepsLookedAt = 64;

// Where both sides of a surface lead to it a particle slides along it, and its velocity jumps to
// and fro within almost every step; steps are then as short as makes their error small, and time
// stands almost still (Filippov 1988, section 4). Who crosses a surface jumps in one step or two,
// and after that not before steps have become long again, by a factor of ten at most each.
class SlidingLook {
 public:
  explicit SlidingLook(int rows) : steps_(rows) {}

  // One step more: the velocity of its first stage, and those of the others. Differences of `least`
  // or less are no jumps.
  void add(const HostSwarm& first, std::span<const HostSwarm> others, double least);
  // The row that jumped in most steps, at least in a quarter of kStepsLookedAt; -1: nobody did.
  int row() const;

 private:
  std::vector<int> steps_;  // (rows) in how many it jumped
};

// What a difference of velocities within a step of h has to exceed to be a jump that matters: a
// thousandth of the greatest drift, or it makes no step short; a hundred times what the velocity
// changes by itself as particles move by their own size |x|; and what steps limited by stability
// leave behind about a rest point, a few tolerances.
struct JumpScale {
  double drift = 0, size = 1;  // max |A_i|, max |x_i|
  Tolerance tolerance{};
  double least(double h) const;
};

}  // namespace murmur
