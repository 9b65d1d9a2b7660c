// pair_kernels.h: the inner loops of the pair observables: one particle against a tile of others.
#pragma once

#include "murmur/swarm.h"

namespace murmur {

inline constexpr int tile = 256;  // particles handled at once: 2 kB of scores, which fit into L1

// Coordinates of particle i, gathered into a (d).
void gather(const HostSwarm& x, int i, double* a);

// out[c] = <a, x_{first + c}> for 0 <= c < count, summed over the coordinates in turn.
void inner_products(const double* a, const HostSwarm& x, int first, int count, double* out);

// out[c] = |a - x_{first + c}|^2, likewise.
void squared_distances(const double* a, const HostSwarm& x, int first, int count, double* out);

// sum_c a[c] b[c]
double dot(const double* a, const double* b, int count);

struct CosineSums {
  double sum, min, max;
  double close;  // number above the threshold
};
CosineSums tally(const double* cosine, int count, double threshold);

// sum_c mass[c] e^{beta (score[c] - anchor)}, count <= tile
double gibbs_sum(const double* score, const double* mass, int count, double beta, double anchor);

struct EntropySums {
  double weight;  // Z = sum_c e^{t_c - top}
  double moment;  // sum_c e^{t_c - top} (t_c - top)
};
double max(const double* t, int count);
EntropySums entropy_sums(const double* t, int count, double top);  // count <= tile

}  // namespace murmur
