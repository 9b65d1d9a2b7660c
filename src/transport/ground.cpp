// ground.cpp: chords and arcs between all particles of two swarms.
#include "transport/ground.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/parallel.h"
#include "murmur/error.h"

namespace murmur::transport {

namespace {

void check_swarm(const HostSwarm& x, Ground ground) {
  if (x.n() < 1)
    throw Error(Fault::input, "a swarm without particles is no measure", "n = 0",
                "give at least one particle");
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    if (!std::isfinite(square))
      throw Error(Fault::input, "a coordinate is not finite", "particle " + std::to_string(i),
                  "measure an earlier frame");
    if (ground == Ground::arc && square == 0)
      throw Error(Fault::input, "a particle at 0 has no direction", "particle " + std::to_string(i),
                  "measure chords instead");
  }
}

double norm(const HostSwarm& x, int i) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
  return std::sqrt(square);
}

double chord(const HostSwarm& x, int i, const HostSwarm& y, int j) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    const double apart = x.at(i, k) - y.at(j, k);
    square += apart * apart;
  }
  return std::sqrt(square);
}

// 2 atan(|u - v| / |u + v|), u and v the directions: exact near 0 and near pi.
double arc(const HostSwarm& x, int i, const HostSwarm& y, int j) {
  const double a = norm(x, i), b = norm(y, j);
  double apart = 0, together = 0;
  for (int k = 0; k < x.d(); ++k) {
    const double u = x.at(i, k) / a, v = y.at(j, k) / b;
    apart += (u - v) * (u - v);
    together += (u + v) * (u + v);
  }
  return 2 * std::atan2(std::sqrt(apart), std::sqrt(together));
}

}  // namespace

void check_pair(const HostSwarm& x, const HostSwarm& y, Ground ground) {
  check_swarm(x, ground);
  check_swarm(y, ground);
  if (x.d() != y.d())
    throw Error(Fault::input, "the swarms live in different dimensions",
                "d = " + std::to_string(x.d()) + " and " + std::to_string(y.d()),
                "compare swarms of the same d");
}

Costs costs_of(const HostSwarm& x, const HostSwarm& y, const CostRequest& request) {
  check_pair(x, y, request.ground);
  constexpr int kRows = 16;  // a block
  Costs costs{x.n(), y.n(), std::vector<double>(static_cast<std::size_t>(x.n()) * y.n())};
  for_blocks((x.n() + kRows - 1) / kRows, request.threads, [&](int block) {
    for (int i = block * kRows; i < std::min(x.n(), (block + 1) * kRows); ++i)
      for (int j = 0; j < y.n(); ++j) {
        const double far = request.ground == Ground::arc ? arc(x, i, y, j) : chord(x, i, y, j);
        costs.at[static_cast<std::size_t>(i) * y.n() + j] = request.p == 2 ? far * far : far;
      }
  });
  return costs;
}

}  // namespace murmur::transport
