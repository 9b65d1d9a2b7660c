// twin.h: the ideal flow that flies beside the layers of a transformer, from the same tokens.
#pragma once

#include <string>

#include "murmur/swarm.h"

namespace murmur {

// Block k of the real one becomes a stretch of the flow dx/dt = SA(x), or causal, at the beta that
// fits block k best, for the time tau that brings the velocity v at the real tokens x nearest to
// their real move D:
//   tau = <D, v> / <v, v>,   alignment = <D, v> / (|D| |v|),   D_i = P_{x_i}(y_i - x_i)
// Below 0 the flow runs the other way.
inline constexpr double kLongestTwinTime = 20;  // |tau| is cut there
struct TwinBlock {
  double beta = 0, tau = 0, alignment = 0;
};

struct TwinRule {
  bool causal = false;
  std::string engine = "auto";  // that computes the flow
};

// beta as given, tau and alignment of the move from x to y.
TwinBlock move_fit(const HostSwarm& x, const HostSwarm& y, double beta, const TwinRule& rule);

class Twin {
 public:
  Twin(HostSwarm start, TwinRule rule) : x_(std::move(start)), rule_(std::move(rule)) {}

  // Past the block that brought the real tokens from x to y. Error(numerical) where the flow ends.
  TwinBlock advance(const HostSwarm& x, const HostSwarm& y, double beta);
  const HostSwarm& x() const { return x_; }

 private:
  HostSwarm x_;
  TwinRule rule_;
};

// sqrt of the mean over tokens of |x_i - y_i|^2.
double distance_between(const HostSwarm& x, const HostSwarm& y);

}  // namespace murmur
