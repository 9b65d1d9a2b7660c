// sliding.cpp: counts the steps within which the velocity of a particle jumps.
#include "flow/sliding.h"

#include <algorithm>

namespace murmur {

namespace {

double squared_difference(const HostSwarm& a, const HostSwarm& b, int i) {
  double square = 0;
  for (int k = 0; k < a.d(); ++k) {
    const double difference = a.at(i, k) - b.at(i, k);
    square += difference * difference;
  }
  return square;
}

}  // namespace

bool jumps(const Dynamics& dynamics) {
  const std::vector<const Attention*> heads = by_kind(dynamics).heads;
  return std::any_of(heads.begin(), heads.end(),
                     [](const Attention* head) { return head->weighting == Attention::hard; });
}

void SlidingLook::add(const HostSwarm& first, std::span<const HostSwarm> others, double least) {
  for (int i = 0; i < first.n(); ++i) {
    const bool jumped = std::any_of(others.begin(), others.end(), [&](const HostSwarm& other) {
      return squared_difference(first, other, i) > least * least;
    });
    if (jumped) ++steps_[i];
  }
}

int SlidingLook::row() const {
  const auto most = std::max_element(steps_.begin(), steps_.end());
  if (most == steps_.end() || *most < kStepsLookedAt / 4) return -1;
  return static_cast<int>(most - steps_.begin());
}

double JumpScale::least(double h) const {
  return std::max({1e-3 * drift, 1e2 * h * drift * drift / size,
                   1e3 * (tolerance.atol + tolerance.rtol * size)});
}

}  // namespace murmur
