// harmonic_kernels.h: sums over harmonic functions for blocks of points, one point a lane.
#pragma once

#include <cstddef>

#include "engine/moments/harmonics.h"

namespace murmur::moments {

inline constexpr int kPoints = 2048;  // of a block; arrays of a block are padded up to it

// Unit vectors in aligned memory. Padding has mass 0 and stands at (0, .., 0, 1).
struct PointBlock {
  const double* axis[kMostCoordinates];  // (kPoints) each, d of them
  const double* mass;                    // (kPoints); of sources alone
  int count;                             // points in it, the rest is padding
};

// sums (count of h, 2): Re and Im of sum_j m_j S(x_j); lanes: harmonic_scratch(h) doubles.
void add_harmonics(const Harmonics& h, const PointBlock& block, double* lanes, double* sums);
std::size_t harmonic_scratch(const Harmonics& h);
int longest_harmonic_sum();  // additions that follow one another in it

// out[e] = sum over functions of A_l (Re c_e Re S + Im c_e Im S) at each point, e < outputs.
struct HarmonicSeries {
  int outputs;                        // 1, or d + 1
  const double* terms;                // (count of h, outputs, 2) Re and Im of c_e
  const double* rho;                  // (kPoints) of A_l(rho), over e^rho; null: A_l is in c_e
  double* out[kMostCoordinates + 1];  // (kPoints) each
  double* beyond;                     // (kPoints) of the exponential's series; where rho is
  double* rows;                       // series_scratch(h) doubles; where rho is
};
void sum_harmonics(const Harmonics& h, const PointBlock& block, const HarmonicSeries& series);
std::size_t series_scratch(const Harmonics& h);

}  // namespace murmur::moments
