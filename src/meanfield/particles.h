// particles.h: measures as weighted particles, and the observables of these.
#pragma once

#include "meanfield/continuum.h"
#include "murmur/meanfield.h"
#include "murmur/swarm.h"

namespace murmur::meanfield {

// Circle: equal masses at the quantiles of the part that has a density, each atom one particle.
// Sphere: the density on a Gauss grid, as masses; Error(input) where that grid is too coarse.
HostSwarm particles_of(const Measure& measure, int d, int n);

// Degree up to which n particles resolve a wave: eight particles to a wavelength on the circle,
// where quantiles use at most that many degrees; on the sphere and beyond as far as the grid
// integrates its products.
inline constexpr int kDistributionDegrees = 8192;
int particle_degrees(int d, int n);

// With as many degrees of the kernel as the energy needs.
struct ParticleReader {
  MeanField field{};
  Kernel kernel{};
  int threads = 0;
  MeanFieldFrame read(const HostSwarm& x) const;  // t is not set
};
ParticleReader reader_of(const MeanField& field, int threads);
std::vector<double> particle_cells(int d);  // (cells, d)

}  // namespace murmur::meanfield
