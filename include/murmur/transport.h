// transport.h: distances between two measures on the circle, on the sphere and in R^d.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "murmur/swarm.h"

namespace murmur {

//   W_p(mu, nu)^p = min over couplings of  E d(X, Y)^p,   X ~ mu, Y ~ nu,   p = 1 or 2

// The circle: d is the arc, in [0, pi].

// A probability measure on the circle by its quantile function Q: non-decreasing, linear on each
// piece, Q(s + 1) = Q(s) + 2 pi. An atom is a piece with from = to.
struct CirclePiece {
  double mass, from, to;  // angles
};
struct CircleMeasure {
  std::vector<CirclePiece> pieces{};  // masses sum to 1, angles ascend over at most one turn
};

// Angles are any real numbers; masses are positive and scaled to sum 1; without masses they are
// equal.
CircleMeasure circle_atoms(std::span<const double> angles, std::span<const double> masses = {});
CircleMeasure circle_atoms(const HostSwarm& x);  // the directions of a swarm with d = 2
CircleMeasure circle_uniform();
// Mass 1 / n uniform between neighbours: the measure that n quantile particles represent.
CircleMeasure circle_between(std::span<const double> angles);
// Q is evaluated at 0, 1 / pieces, ..., 1. Error(input) unless it increases by one turn.
CircleMeasure circle_quantiles(const std::function<double(double)>& quantile, int pieces);

//   W_p^p = min over a of  C(a) = int_0^1 |F^{-1}(s) - G^{-1}(s + a)|^p ds,
// C convex (Delon, Salomon, Sobolevski, SIAM J. Appl. Math. 70, 2010). For atoms of equal masses a
// is a whole number of atoms and found exactly; otherwise tangents bracket the minimum. Masses are
// assumed accurate to 1e-15.
struct CircleDistance {
  double distance = 0;
  double min = 0;    // lower bound of the distance, from the tangents
  double shift = 0;  // a
};
CircleDistance circle_distance(const CircleMeasure& a, const CircleMeasure& b, int p = 2);
double circle_w1(const CircleMeasure& a, const CircleMeasure& b);
double circle_w2(const CircleMeasure& a, const CircleMeasure& b);

// The line.

struct LineMeasure {
  std::span<const double> place;
  std::span<const double> mass = {};  // empty: equal masses
};
double line_distance(const LineMeasure& a, const LineMeasure& b, int p = 2);

// Swarms in R^d or on the sphere S^{d-1}.

enum class Ground {
  chord,  // d(x, y) = |x - y|
  arc,    // the angle between x and y, which need not have norm 1
};

// Exact, for equal numbers of particles of equal masses: shortest augmenting paths (Jonker and
// Volgenant, Computing 38, 1987). Error(input) above kMostAssigned, for other masses or counts.
inline constexpr int kMostAssigned = 2'000;
struct Assignment {
  double distance = 0;
  double min = 0;              // lower bound of the distance, from the dual prices
  std::vector<int> partner{};  // (n) index among y for each x
};
Assignment assignment_distance(const HostSwarm& x, const HostSwarm& y, Ground ground, int p = 2);

// Entropic W2: S = OT(x, y) - (OT(x, x) + OT(y, y)) / 2, with
//   OT(x, y) = min over couplings of  E d^2 + eps KL(coupling | product),
// by Sinkhorn's iteration in the logarithmic domain while eps decreases from the largest d^2 by
// factors of 4 to its last value (1810.08278). The exact W2 lies in [min, most]: the lower bound
// comes from feasible dual prices, the upper bound from the coupling rounded to exact marginals
// (1705.09634). Up to kMostEntropic particles per side.
inline constexpr int kMostEntropic = 4'096;
inline constexpr double kLeastEpsilon = 1e-6;  // as a fraction of the mean cost
struct EntropicSettings {
  Ground ground = Ground::chord;
  double epsilon = 1e-2;    // last eps, as a fraction of the mean of d^2
  double tolerance = 1e-6;  // of the margins: sum_i |sum_j P_ij - m_i|
  int max_sweeps = 2'000;   // at the last eps
  int threads = 0;          // 0: all cores; no result depends on it
};
struct EntropicDistance {
  double distance = 0;       // sqrt(S); outside [min, most] if eps is large compared with W2^2
  double min = 0, most = 0;  // of the exact W2
  double epsilon = 0;        // its last value, in units of d^2
  double margin_error = 0;   // largest of the three problems; above the tolerance: not converged
  int sweeps = 0;            // of the three problems
};
EntropicDistance entropic_distance(const HostSwarm& x, const HostSwarm& y,
                                   const EntropicSettings& settings = {});

// Sliced W2: sqrt of the mean of W2^2 over random slices, from the stream `slices`.
//   chord: projections on lines through 0, so SW2 <= W2 / sqrt(d) for d coordinates
//   arc:   projections on great circles, with their arcs (2206.08780); a particle at right angles
//          to the plane of a circle counts as at its angle 0
struct SlicedSettings {
  Ground ground = Ground::chord;
  int slices = 256;
  std::uint64_t seed = 0;
  int threads = 0;  // 0: all cores; no result depends on it
};
struct SlicedDistance {
  double distance = 0;
  double error = 0;  // standard error over the slices
};
SlicedDistance sliced_distance(const HostSwarm& x, const HostSwarm& y,
                               const SlicedSettings& settings = {});

}  // namespace murmur
