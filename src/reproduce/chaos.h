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
  int limit = 20'000;        // quantile particles, in place of infinitely many
  double every = 1, T = 3;   // times between measurements, and the last one
  int threads = 0;
  int first_seed = 0;                // of the clouds of each n
  int extra = 0;                     // additional tokens per cloud: a wrong model
  NullModel null = NullModel::none;  // that moves the clouds; never the limit
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
  std::vector<double> squares;  // (clouds) n W2^2, the same clouds at every time
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

// The same at times 0, every, ..., T. A small displacement u of the quantiles is carried linearly
// by the flow, so that n E W2^2 -> sum over k of min over a of int (u_k(t) - a dtheta/ds)^2 ds,
// where u_k starts as the k-th term of the bridge, (2 pi q) sqrt(2) sin(pi k s) / (pi k). Waves
// above `modes` are so fine that no other token responds to them: the flow only transports them.
std::vector<double> chaos_constants(const Chaos& chaos, int particles, int modes);

}  // namespace murmur
