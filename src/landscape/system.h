// system.h: gradient and second derivative of the energy over all atoms at once, and moves of them.
#pragma once

#include "landscape/terrain.h"

namespace murmur::landscape {

// Coordinates: sqrt(m_i) times the move of atom i in its frame and, with free masses, the move of
// r_i = sqrt(m_i) in the frame of r on its unit sphere. In them, with k_ij = k(x_i . x_j):
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

// The cloud after a step in those coordinates, no atom going farther than `most` radians.
Cloud moved(const System& system, const Cloud& mu, const VectorXd& step, double most);

// Minimises sign E by trust region (Steihaug) until the residual is below `gradient`.
Cloud minimised(const Terrain& terrain, Cloud mu, bool free_masses, double gradient);

// Newton's method for critical points of any index: at every step |gradient|^2 or the residual
// decreases, or atoms that meet are merged (Levenberg-Marquardt over the spectrum). False where it
// stalls above `gradient` or `balance`.
struct PolishSettings {
  bool free_masses = false;
  double gradient = 1e-12;  // as a share of the scale
  double balance = 1e-9;
  double merge = 1e-6;
  int most_steps = 500;
};
bool polish(const Terrain& terrain, Cloud& mu, const PolishSettings& settings);

// A stationary point of F near x by Newton's method with decreasing values of sign F.
VectorXd descended(const Terrain& terrain, const Cloud& mu, VectorXd x);
// Every local minimum of sign F that many starts find, distinct ones, best first.
std::vector<VectorXd> valleys(const Terrain& terrain, const Cloud& mu);
// (d, count) points spread over the sphere: even on the circle, a Fibonacci spiral on S^2, random
// in more dimensions.
MatrixXd spread_points(int d);

Told above_uniform(const Terrain& terrain, const Cloud& mu);  // E(mu) - E of the uniform law
// The best that pairs can do where sign E is not convex (best.cpp has the proof), without units:
//   ascent    mean k <= max(k(l+), (k(l-) + k(-l-)) / 2), l+ and -l- the largest and the least
//             eigenvalue of D or 0: a Dirac, or the pair of an eigenvector and its negative
//   descent   mean k >= k(-l-): a Dirac at an eigenvector of -l- < 0
struct BestPairs {
  double mean_kernel = 0;
  bool antipodal = false;  // the pair
  double range = 0;  // of the energy of such a measure, over the sphere: what D's axes are worth
  VectorXd axis{};   // (d) an eigenvector
};
BestPairs best_pairs(const Terrain& terrain);
// The least of the range of V, of what D's axes are worth, and |E(mu) - E of the uniform law|; of
// those that there are.
double stake(const Terrain& terrain, const Told& above);
double gap_rounding(const Terrain& terrain, const Cloud& mu);  // of the duality gap

CriticalPoint describe(const Terrain& terrain, const Cloud& mu, int n);
Certificate certify(const Terrain& terrain, const Cloud& mu, const CertifySettings& settings);

// The best masses for fixed positions under descent, by an active set method for
//   min (1/2) m^t K m + V^t m,   m >= 0, sum m = 1.  Atoms without mass are left out.
Cloud weighed(const Terrain& terrain, const Cloud& mu);

}  // namespace murmur::landscape
