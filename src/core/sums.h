// sums.h: the sums behind the observables, of swarms in host memory.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "murmur/engine.h"

namespace murmur {

// As Field::particle_sums, of a swarm in host memory.
ParticleSums particle_sums(const Dynamics& dynamics, const HostSwarm& x, int threads);
// As Field::pair_sums, of a swarm in host memory.
PairSums pair_sums(const Dynamics& dynamics, const HostSwarm& x, const PairRequest& request);
// The same at points u.
PairSums pair_sums(const HostSwarm& u, const PairRequest& request);

// Returns the first particle with a coordinate that is not finite, or whose square is not.
std::optional<int> first_unmeasurable(const HostSwarm& x);
// Throws Error(input) if there is such a particle.
void require_measurable(const HostSwarm& x);

// Whether pairs and rows are sampled: only for large swarms, and with fewer draws than there are
// pairs.
inline bool is_sampled(int n, const PairSample& sample) {
  return n > sample.max_exact && std::int64_t{n} * (n - 1) / 2 > sample.pairs;
}

// Pair `index` of the fixed sample of pairs: i in [0, n), and j one of the n - 1 others.
std::pair<int, int> sampled_pair(std::int64_t index, int n, std::uint64_t seed);

// Row `index` of the fixed sample of rows, in [0, n).
int sampled_row(std::int64_t index, int n, std::uint64_t seed);

}  // namespace murmur
