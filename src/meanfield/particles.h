// particles.h: measures as weighted particles, and what is read off them.
#pragma once

#include "meanfield/continuum.h"
#include "murmur/meanfield.h"
#include "murmur/swarm.h"

namespace murmur::meanfield {

// Circle: equal masses at the quantiles of the part that has a density, each atom a particle of its
// own. Sphere: the density on a Gauss grid, in masses; Error(input) where that grid is too coarse
// for it.
HostSwarm particles_of(const Measure& measure, int d, int n);

// Degree up to which n particles can hold a wave: eight to a wave on the circle, where quantiles
// are found by that many degrees at most; as far as products with it are integrated on the sphere.
inline constexpr int kDistributionDegrees = 8192;
int particle_degrees(int d, int n);

// With the kernel's degrees as far as the energy needs them.
struct ParticleReader {
  MeanField field{};
  Kernel kernel{};
  int threads = 0;
  MeanFieldFrame read(const HostSwarm& x) const;  // t is not set
};
ParticleReader reader_of(const MeanField& field, int threads);
std::vector<double> particle_cells(int d);  // (cells, d)

}  // namespace murmur::meanfield
