// observe.h: observables of a swarm; one table row names an observable everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/swarm.h"

namespace murmur {

struct ObserveSettings {
  double cluster_tol = 1e-3;  // sphere: linked when <x_i, x_j> > 1 - tol; R^d: |x_i - x_j| < tol
  double pair_threshold = 0.999;  // of close_pairs: fraction of pairs with cosine above it
  std::uint64_t seed = 0;         // of the pair sample of large swarms
  int max_exact = 20'000;         // above this many particles pair statistics are sampled
  std::int64_t sample_pairs = 10'000'000;
  int threads = 0;  // 0: all cores; the numbers do not depend on it
  double t = 0;     // time of the frame, for attention that changes with time
};

struct Observable {
  const char* name;     // column, axis, JSON key
  const char* symbol;   // in figures, TeX-free UTF-8
  const char* meaning;  // one line
};

// All observables, in column order.
std::span<const Observable> observables();

// The names of those that exist for this dynamics (energy needs V = +-Q^T K symmetric, ...).
std::vector<std::string> observable_names(const Dynamics& dynamics);

// Where a name stands among observable_names(dynamics); their number where it is not one of them.
std::size_t observable_column(const Dynamics& dynamics, const std::string& name);

// One row of numbers, in the order of observable_names(dynamics). NaN where a value does not exist
// for this frame: an energy that overflows, the cosines of a single particle, anything computed
// from a swarm with a coordinate that is not finite.
std::vector<double> observe(const HostSwarm& x, const Dynamics& dynamics,
                            const ObserveSettings& settings);

struct Clusters {
  int count = 0;
  std::vector<int> label{};    // (n) 0 .. count-1, numbered by first member
  std::vector<int> size{};     // (count) particles
  std::vector<double> mass{};  // (count)
};

// Components of the graph of close pairs. Error(input) unless tol > 0 and x is finite.
Clusters clusters(const HostSwarm& x, Manifold manifold, double tol = 1e-3);

// The same on the manifold of a dynamics; where norms change too, of the directions x / |x|.
Clusters clusters(const HostSwarm& x, const Dynamics& dynamics, double tol = 1e-3);

}  // namespace murmur
