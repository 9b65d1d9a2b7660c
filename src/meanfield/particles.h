// particles.h: measures as weighted particles, and their observables.
#pragma once

#include "meanfield/continuum.h"
#include "murmur/meanfield.h"
#include "murmur/swarm.h"

namespace murmur::meanfield {

// Circle: equal masses at the quantiles of the part with a density, and one particle for each atom.
// Sphere: the density on a Gauss grid as masses; Error(input) if that grid is too coarse.
HostSwarm particles_of(const Measure& measure, int d, int n);

// Degree up to which n particles resolve a wave: on the circle eight particles per wavelength, and
// at most kDistributionDegrees; in higher dimension the degrees whose products the grid integrates.
inline constexpr int kDistributionDegrees = 8192;
int particle_degrees(int d, int n);

// Reads particles with as many degrees of the kernel as the energy needs.
struct ParticleReader {
  MeanField field{};
  Kernel kernel{};
  int threads = 0;
  MeanFieldFrame read(const HostSwarm& x) const;  // t is not set
};
ParticleReader reader_of(const MeanField& field, int threads);
std::vector<double> particle_cells(int d);  // (cells, d)

}  // namespace murmur::meanfield
