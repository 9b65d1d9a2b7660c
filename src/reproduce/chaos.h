// chaos.h: distances of n independent tokens from the swarm of infinitely many, over n and time.
#pragma once

#include <vector>

#include "murmur/dynamics.h"
#include "murmur/transport.h"
#include "reproduce/reproductions.h"

namespace murmur {

// Tokens on the circle drawn from the density f / 2 pi,
//   f(theta) = 1 + 0.5 cos theta + 0.2 sin 2 theta.
struct Chaos {
  Dynamics dynamics{};
  std::vector<int> sizes{};  // n
  std::vector<int> seeds{};  // how many clouds of each n
  int limit = 200'000;       // quantile particles that stand for infinitely many
  double every = 1, T = 3;   // times that are looked at
  int threads = 0;
  int extra = 0;  // tokens a cloud more than its n says: a wrong model
};

// The angle below which lies the fraction s of the mass.
double chaos_quantile(double s);

// The limit at times 0, every, ..., T.
std::vector<CircleMeasure> chaos_limit(const Chaos& chaos, int particles);

struct ChaosPoint {
  double t;
  int n;
  Spread distance;  // W2 over the clouds
  Spread square;    // n W2^2
  int clouds;
};
// For each time, for each n.
std::vector<ChaosPoint> chaos_points(const Chaos& chaos, const std::vector<CircleMeasure>& limit);

// W2 ~ n^exponent at one time, by least squares over ln n, and its standard error.
struct ChaosExponent {
  double value, error;
};
ChaosExponent chaos_exponent(const std::vector<ChaosPoint>& points, double t);

// The limit of n E W2^2 at t = 0. With q = 1 / f along the ranks and B a Brownian bridge,
//   n W2^2 -> (2 pi)^2 min over a of int q^2 (B - a)^2 ds.
double chaos_constant();

}  // namespace murmur
