// ensemble.h: simulates many small swarms with one setting at once, one lane of a register per
// swarm.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/flow.h"
#include "murmur/swarm.h"

namespace murmur {

// Swarms of equal masses on the sphere under SA or USA with Q = K = V = I.
struct ReplicasSetting {
  Shape shape{32, 2};  // of every swarm
  double beta = 1;
  Attention::Weighting weighting = Attention::softmax;  // or unnormalised
  Clock clock = Clock::u1;                              // of unnormalised; u4 is not supported here
  Method method = Method::layers;                       // layers, or any that is a tableau
  double dt = 0.1;                                      // of methods with fixed steps
  Tolerance tolerance{1e-6, 1e-8};  // of the other methods, with one step length for eight swarms
  double pair_threshold = 0.999, cluster_tol = 1e-3;
};

// One swarm at one time.
struct ReplicaReading {
  double close_pairs = 0;  // fraction of pairs i < j with cosine above pair_threshold
  double mean_cos = 0;     // over pairs i < j
  double order = 0;        // |sum_i m_i x_i|
  int clusters = 0;        // components of the graph of cosines above 1 - cluster_tol
};

struct ReplicasWork {
  std::int64_t first = 0, count = 0;  // replicas
  std::vector<double> times{};        // increasing; multiples of dt where fixed
  std::function<HostSwarm(std::int64_t replica)> start{};  // called from several threads
  int threads = 0;                                         // 0: all cores; never changes a number
  const std::atomic<int>* signal = nullptr;                // non-zero: leave early
  bool keep_last = true;                                   // whether `last` is wanted
};

struct ReplicasResult {
  Outcome outcome{};  // interrupted, not_finite, step_too_small, ...; of the first block that ended
  std::vector<ReplicaReading> readings{};  // (count, times); NaN after a simulation failed
  std::vector<HostSwarm> last{};           // (count) at the last time
};

// Whether the kernel supports this dynamics; others are simulated one by one elsewhere.
bool replicas_know(const Dynamics& dynamics, Method method);

// Returns the kernel's setting for a supported dynamics and its integration; throws Error(input)
// for any other.
ReplicasSetting replicas_of(const Dynamics& dynamics, const FlowSettings& flow, Shape shape);

// A simulation ends at its last time or with a failure: FlowSettings::max_evaluations is not used
// here. Blocks of eight replicas, aligned to multiples of eight, advance together, whether or not
// they are wanted: a replica's numbers do not depend on first, count, times or threads. Where d > n
// a swarm is simulated in the span of its start, which costs as much as d = n. On the circle, with
// beta small compared with n, forces are Fourier sums instead of sums over pairs, truncated at
// 1e-13 of a particle's own part.
ReplicasResult advance_replicas(const ReplicasSetting& setting, const ReplicasWork& work);

}  // namespace murmur
