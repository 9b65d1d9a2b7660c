// twin.h: the ideal flow from the same tokens as a transformer, fitted to it block by block.
#pragma once

#include <string>

#include "murmur/swarm.h"

namespace murmur {

// Block k of the transformer corresponds to the flow dx/dt = SA(x), or causal, at the beta that
// fits block k best, for the time tau for which tau v, with the velocity v at the real tokens x, is
// nearest to their real move D:
//   tau = <D, v> / <v, v>,   alignment = <D, v> / (|D| |v|),   D_i = P_{x_i}(y_i - x_i)
// If tau is negative, the flow runs backwards in time.
inline constexpr double kLongestTwinTime = 20;  // |tau| is limited to this
struct TwinBlock {
  double beta = 0, tau = 0, alignment = 0;
};

struct TwinRule {
  bool causal = false;
  std::string engine = "auto";  // that computes the flow
};

// Fits tau and alignment to the move from x to y at the given beta.
TwinBlock move_fit(const HostSwarm& x, const HostSwarm& y, double beta, const TwinRule& rule);

class Twin {
 public:
  Twin(HostSwarm start, TwinRule rule) : x_(std::move(start)), rule_(std::move(rule)) {}

  // Advances by the block that moved the real tokens from x to y. Error(numerical) if the flow
  // fails.
  TwinBlock advance(const HostSwarm& x, const HostSwarm& y, double beta);
  const HostSwarm& x() const { return x_; }

 private:
  HostSwarm x_;
  TwinRule rule_;
};

// sqrt of the mean over tokens of |x_i - y_i|^2.
double distance_between(const HostSwarm& x, const HostSwarm& y);

// Mean of <x_i, x_j> over the pairs of different unit vectors; NaN for one vector.
//   (|sum_i x_i|^2 - n) / (n (n - 1))
double mean_cosine(const HostSwarm& x);

}  // namespace murmur
