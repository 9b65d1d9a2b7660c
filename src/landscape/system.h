// system.h: optimisation of atoms and measures: second-order expansion of the energy, steps,
// minima.
#pragma once

#include "landscape/terrain.h"

namespace murmur::landscape {

// Coordinates: sqrt(m_i) times the displacement of atom i in its frame and, with free masses, the
// displacement of r_i = sqrt(m_i) in the frame of r on its unit sphere. In them, with k_ij = k(x_i
// . x_j):
//   gradient   r_i T_i^t grad F(x_i);                        2 r_i (F_i - mean F)
//   second     delta_ij F''(x_i) + r_i r_j k_ij (beta T_i^t D x_j x_i^t D T_j + T_i^t D T_j);
//              2 r_i r_j k_ij T_i^t D x_j;   4 r_i r_j k_ij / beta + 2 delta_ij (F_i - mean F)
// up to terms in the mixed block that vanish with the gradient.
struct System {
  VectorXd gradient;
  MatrixXd matrix;
  std::vector<MatrixXd> frames;  // of the atoms
  MatrixXd mass_frame;           // (count, count - 1), with free masses
  double residual = 0;           // largest gradient, and |F_i - mean F| with free masses
  // Largest ratio of the gradient to the sum of the lengths of its terms (Terrain::term_lengths).
  // Atoms far apart at large beta have a tiny gradient without being critical: their residual
  // vanishes, their balance does not.
  double balance = 0;
};
System system_of(const Terrain& terrain, const Cloud& mu, bool free_masses);

// Returns the cloud after a step in those coordinates, scaled so that no atom moves more than
// `most` radians.
Cloud move_atoms(const System& system, const Cloud& mu, const VectorXd& step, double most);

// Minimises sign E by trust region (Steihaug) until the residual is below `gradient`.
Cloud minimise(const Terrain& terrain, Cloud mu, bool free_masses, double gradient);

// Newton's method for critical points of any index: at every step |gradient|^2 or the residual
// decreases, or atoms that meet are merged (Levenberg-Marquardt over the spectrum). Returns false
// if it stalls above `gradient` or `balance`.
struct PolishSettings {
  bool free_masses = false;
  double gradient = 1e-12;  // relative to the scale
  double balance = 1e-9;
  double merge = 1e-6;
  int most_steps = 500;
};
bool polish(const Terrain& terrain, Cloud& mu, const PolishSettings& settings);

// Returns a stationary point of F near x, by Newton's method with decreasing values of sign F.
VectorXd descend_to_minimum(const Terrain& terrain, const Cloud& mu, VectorXd x);
// Returns the distinct local minima of sign F found from many starts, best first.
std::vector<VectorXd> local_minima(const Terrain& terrain, const Cloud& mu);
// Returns (d, count) points spread over the sphere: equally spaced on the circle, a Fibonacci
// spiral on S^2, random in more dimensions.
MatrixXd spread_points(int d);

Rounded above_uniform(const Terrain& terrain, const Cloud& mu);  // E(mu) - E of the uniform law
// The best pair energy if sign E is not convex, without units (proof in certify.cpp):
//   ascent    mean k <= max(k(l+), (k(l-) + k(-l-)) / 2), l+ and -l- the largest and the least
//             eigenvalue of D or 0: a Dirac, or the pair of an eigenvector and its negative
//   descent   mean k >= k(-l-): a Dirac at an eigenvector of -l- < 0
struct BestPairs {
  double mean_kernel = 0;
  bool antipodal = false;  // the pair, not the Dirac
  double range = 0;        // range of the energy of such a measure over the sphere
  VectorXd axis{};         // (d) an eigenvector
};
BestPairs best_pairs(const Terrain& terrain);
// Returns the smallest of these that exist: the range of V, the range of best_pairs, and |E(mu) - E
// of the uniform law|.
double stake(const Terrain& terrain, const Rounded& above);
double gap_rounding(const Terrain& terrain, const Cloud& mu);  // of the duality gap

CriticalPoint describe(const Terrain& terrain, const Cloud& mu, int n);
Certificate certify(const Terrain& terrain, const Cloud& mu, const CertifySettings& settings);

// Returns mu with the best masses for its positions under descent, by an active set method for
//   min (1/2) m^t K m + V^t m,   m >= 0, sum m = 1. Atoms without mass are removed.
Cloud with_best_masses(const Terrain& terrain, const Cloud& mu);

// Conic particle gradient steps; the energy never gets worse.
Cloud conic_steps(const Terrain& terrain, Cloud mu, int steps);

// Result of the optimisation of a measure.
enum class Optimised {
  reached,  // critical, and F is nowhere better than on the atoms
  stalled,  // no further gain
  spread,   // it has more than kMostOptimised / d atoms
};

// Moves mu to a critical measure on whose atoms F has its extreme value.
Optimised best_measure(const Terrain& terrain, Cloud& mu, const SearchSettings& settings,
                       const Stop& stopped);

// The public best_measure with a stop; meaningless if `stopped` returned true.
CriticalPoint best_point(const Landscape& landscape, const SearchSettings& settings,
                         const Stop& stopped);

}  // namespace murmur::landscape
