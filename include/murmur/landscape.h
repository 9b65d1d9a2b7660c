// landscape.h: the energy of attention and a perceptron on the sphere, and its critical points.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "murmur/describe.h"
#include "murmur/dynamics.h"
#include "murmur/matrix.h"

namespace murmur {

// For a measure mu = sum_i m_i delta_{x_i} on S^{d-1}, sum_i m_i = 1, 2601.21366:
//   E(mu) = (1 / 2 beta) sum_ij m_i m_j k(x_i . D x_j) + sum_i m_i V(x_i)
//   k(s) = e^{beta s} (plain, the paper) or e^{beta (s - 1)} (scaled, its companion code)
//   D symmetric, of scores beta <x, D y> and the value D y (2501.03096); I in 2601.21366
//   V(x) = sum_m omega_m phi(a_m . x),   phi' = activation, phi(0) = 0
// Its first variation is a function on the sphere, and tokens follow its gradient:
//   F(x) = (1 / beta) sum_j m_j k(x . D x_j) + V(x),      x_i' = +-P_x grad F(x_i)
struct Landscape {
  int d = 3;
  double beta = 4;  // above 0
  enum Kernel { plain, scaled } kernel = plain;
  Matrix matrix{};  // D (d, d), symmetric; empty means identity
  Matrix a{};       // (h, d) rows a_m; empty: no perceptron
  Vector omega{};   // (h)
  Perceptron::Activation activation = Perceptron::relu;
  enum Direction { ascent, descent } direction = ascent;
};

// Returns the energy that tokens ascend (V = D) or descend (V = -D), D = Q^T K symmetric (relative
// 1e-12): unnormalised attention in the clock U1 (kernel plain) or U2 (scaled), with a perceptron
// in gradient form, without noise. Throws Error(input) with a reason for any other dynamics on the
// sphere of R^d.
Landscape landscape_of(const Dynamics& dynamics, int d);

// Returns a and omega of a perceptron in gradient form, W_out = W_in^T diag(omega) without biases
// (relative 1e-12); Error(input) for any other.
void set_potential(const Perceptron& perceptron, Landscape& landscape);

struct Atoms {
  Matrix x{};     // (count, d), rows of norm 1
  Vector mass{};  // (count), positive, sum 1
  int count() const { return x.rows; }
};
template <class Visitor>
void describe(Visitor& v, FieldsOf<Atoms>) {
  v(&Atoms::x, "atoms", "positions on the sphere, one row per atom");
  v(&Atoms::mass, "masses", "masses of the atoms, of sum 1", {.least = 0, .greatest = 1 + 1e-9});
}

// Each throws Error(input) for an invalid landscape or atoms: shapes, beta, norms, masses. From
// 2,048 atoms on, with up to five coordinates, sums over atoms are certified sums
// (docs/engines.md), each with a relative error of at most 1e-12 as far as double allows;
// `first_variations` from 2,048 points on. Memory grows like the number of atoms, and with a series
// time too.

double energy(const Landscape& landscape, const Atoms& mu);
// Returns E(mu) minus E of the uniform law; on the circle without cancellation, as a sum over
// Fourier modes.
double energy_above_uniform(const Landscape& landscape, const Atoms& mu);
double first_variation(const Landscape& landscape, const Atoms& mu, std::span<const double> x);
// (points) F at the rows of x (points, d).
Vector first_variations(const Landscape& landscape, const Atoms& mu, const Matrix& x);
Matrix slope(const Landscape& landscape, const Atoms& mu);  // (count, d) P_x grad F at the atoms
// All of these at the atoms, each with a bound on its error, including rounding.
struct AtAtoms {
  double energy = 0, energy_bound = 0;
  Vector value{}, value_bound{};  // (count) F
  Matrix slope{};                 // (count, d)
  Vector slope_bound{};           // (count)
};
AtAtoms at_atoms(const Landscape& landscape, const Atoms& mu);
// (count (d-1), count (d-1)) second derivative of E along tangent moves u_i of the atoms in the
// metric sum_i m_i |u_i|^2, in the frames of `tangent_frame`. At rest its eigenvalues are the rates
// at which moves grow under ascent; divided by sum_j m_j k(x_i . x_j), if that is the same for all
// i, they are the rates under softmax attention.
Matrix hessian(const Landscape& landscape, const Atoms& mu);
Matrix tangent_frame(std::span<const double> x);  // (d, d-1), orthonormal columns, orthogonal to x
// Returns |D| k(|D|) + sum_m |omega_m| |a_m|^2, the unit in which gradients and gaps are compared
// with tolerances.
double energy_scale(const Landscape& landscape);

// The gradient flow in W_2: x_i' = +-P_x grad F(x_i). A step is accepted if its error estimate is
// below `tolerance` and the energy does not change in the wrong direction by more than 1e-14
// energy_scale plus the bounds on both energies.
struct ClimbSettings {
  double tolerance = 1e-4;  // local error of a step, largest move of an atom
  double gradient = 1e-9;   // ends when every slope is below this share of energy_scale
  int most_steps = 1000;
  double most_time = 1e300;
  std::function<bool()> stop{};  // called between steps; true: stop there
};
struct Climb {
  Atoms mu{};
  std::vector<double> times{}, energies{};  // called at the start and after every accepted step
  int refused = 0;                          // steps rejected
  double slope_bound = 0;                   // on the error of any slope; 0: summed pair by pair
};
Climb climb(const Landscape& landscape, const Atoms& start, const ClimbSettings& settings = {});

// Optimality of a measure by its duality gap (the gap of Frank and Wolfe): under descent
//   gap = mean of F over mu - min F >= E(mu) - min E >= 0      (E is convex in mu, D >= 0)
// and under ascent gap = max F - mean of F, zero at every maximiser. The same holds under descent
// if D has a negative eigenvalue: E is then not convex, and a certificate is local. The gap is
// compared with the stake: the range of V, the gain of the best measure along the axes of D, or the
// distance of E(mu) from the energy of the uniform law, whichever is least. k(1) is not suitable,
// because e^beta is much larger than both. A certificate is about the energy; it does not give the
// number of atoms of the best measure.
struct Certificate {
  static constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  double duality_gap = 0;       // from the best point that was found
  double bound = kUnbounded;    // upper bound of the gap, with its rounding
  double stake = kUnknown;      // unknown if it was read from a file without it
  double tolerance = kUnknown;  // the largest bound that is certified: a fraction of `stake`
  double rounding = kUnknown;   // rounding error of the gap in double precision
  // If sign E is not convex, how much better than mu the best of all measures is (under ascent
  // without a matrix the best Dirac); with both D and units, an upper bound on that. A certificate
  // is then local, of first and second order.
  double shortfall = kUnknown;
  bool exhaustive = false;  // whether every point of the sphere was considered
  // Three answers. Certified: exhaustive, bound <= tolerance and, if sign E is not convex, the
  // second-order conditions of free masses hold. Refuted: another measure is better. Open: neither.
  bool holds = false, fails = false;
  enum class Reason {
    none,       // certified
    gap,        // refuted: moving mass to `best` helps, by at most the gap
    uniform,    // refuted: the uniform law is better
    unstable,   // refuted: a second-order direction is better (sign E not convex)
    precision,  // open: the rounding error is above the tolerance
    cells,      // open: most_cells were examined
    samples,    // open: d > 3
  } reason = Reason::none;
  // Under descent the best measure is unique, so it is invariant under rotations that fix every
  // a_m. True if these atoms are not: the best measure then has no atoms there, and their number
  // belongs to an approximation. Requires two or more dimensions orthogonal to all a_m.
  bool moved_by_symmetry = false;
  Vector best{};           // (d) the best point of F
  std::int64_t cells = 0;  // number of examined parts of the sphere
};
const char* answer_of(const Certificate& certificate);  // certified, refuted, open
const char* name_of(Certificate::Reason reason);        // its name; "" for none
template <class Visitor>
void describe(Visitor& v, FieldsOf<Certificate>) {
  using C = Certificate;
  v(&C::duality_gap, "gap", "duality gap from the best point found");
  v(&C::bound, "gap_bound", "upper bound of the gap over the whole sphere, rounding included",
    {.null = Null::infinity});
  v(&C::exhaustive, "exhaustive", "whether the bound covers every point of the sphere");
  v(&C::holds, "certified", "whether the measure is certified");
  v(&C::fails, "refuted", "whether a better measure exists");
  v.derived([](const C& c) { return std::string(answer_of(c)); }, "answer",
            "certified, refuted or open");
  v(&C::stake, "stake", "energy with which the gap is compared",
    {.null = Null::nan, .optional = true});
  v(&C::tolerance, "tolerance", "largest bound that is certified, a share of the stake",
    {.null = Null::nan, .optional = true});
  v(&C::rounding, "rounding", "bound on the rounding error of the gap",
    {.null = Null::nan, .optional = true});
  v(&C::shortfall, "shortfall", "how much better the best of all measures is at most",
    {.null = Null::nan, .optional = true});
  v(&C::moved_by_symmetry, "moved_by_symmetry",
    "whether rotations that leave the best measure as it is move these atoms", {.optional = true});
  v.choice(&C::reason, C::Reason::samples, "reason", "why it is refuted or open",
           {.optional = true});
}
// Whether certificates are about all measures: sign E is convex, under descent with D >= 0.
bool certifies_energy(const Landscape& landscape);

// The best of all measures in closed form, if there are no units and sign E is not convex. Under
// ascent a Dirac at an eigenvector of D's largest eigenvalue l+ or, if D has an eigenvalue -l- < 0
// with cosh(beta l-) > e^{beta l+}, half a Dirac at its eigenvector and half at its negative
// (2501.03096 for D > 0 and D < 0). Under descent with l- > 0, the Dirac at an eigenvector of -l-.
struct KnownBest {
  double energy = 0;
  Atoms mu{};  // one of them
};
std::optional<KnownBest> known_best(const Landscape& landscape);

// d = 2, 3: branch and bound over arcs or cells of the cube's faces, by F's Taylor series of second
// order with a bound of F''' along great circles, or a bound of F'', which without a matrix is k(1)
// + L sum_m |omega_m| |a_m|^2, L the activation's Lipschitz constant, if that gives a better bound;
// up to rounding. d > 3: gradient ascent from many starts, never exhaustive.
struct CertifySettings {
  double tolerance = 1e-8;            // as a fraction of the stake
  std::int64_t most_cells = 500'000;  // maximum; then the bound so far is reported
};
Certificate certify(const Landscape& landscape, const Atoms& mu,
                    const CertifySettings& settings = {});

enum class Masses {
  equal,  // n tokens of mass 1/n: an atom holds a whole number of them
  free,   // masses move too: F is the same on all atoms
};

struct CriticalPoint {
  Atoms mu{};  // heaviest first
  double energy = 0;
  double above_uniform = 0;  // energy_above_uniform: more accurate if e^beta is large
  double gradient_norm = 0;  // largest slope, and with free masses |F - mean|, over energy_scale
  // Largest ratio of the gradient at an atom to the sum of the lengths of its terms, which cancel
  // at a critical point: near 1 if the gradient is small only because other atoms are far away.
  // Reported points have at most 1e-9.
  double balance = 0;
  // Eigenvalues of the second derivative, increasing. Equal masses: of the n tokens, (n (d-1)).
  // Free masses: of moves of atoms and of square roots of masses, (count d - 1).
  Vector spectrum{};
  Matrix splitting{};  // (count, d-1) eigenvalues of F's own second derivative at each atom
  int index = 0;       // number of unstable eigenvalues
  int zeros = 0;       // eigenvalues below 1e-10 of the largest, or 1e-14 of their terms
  // Zeros that follow from rotations that fix every a_m: d(d-1)/2 - (d-r)(d-r-1)/2 without a
  // perceptron, r the dimension of the span of the atoms.
  int expected_zeros = 0;
  int edges = 0;  // atoms on the edge of a relu unit, counted by units: there the second derivative
                  // has two values, and spectrum and index are those without the unit
  // No unstable eigenvalue on any side of the edges; with free masses none of `splitting` either,
  // since an atom may then split into any number of atoms; with equal masses only into its tokens.
  bool second_order = false;
  int found = 0;  // number of starts that ended here
  Certificate certificate{};
};
template <class Visitor>
void describe(Visitor& v, FieldsOf<CriticalPoint>) {
  using P = CriticalPoint;
  v.part(&P::mu);
  v(&P::energy, "energy", "energy of the measure");
  v(&P::gradient_norm, "gradient_norm", "largest gradient at an atom, relative to the scale",
    {.least = 0});
  v(&P::balance, "balance", "largest ratio of a gradient to the lengths of its terms",
    {.least = 0});
  v(&P::index, "index", "number of unstable eigenvalues");
  v(&P::zeros, "zeros", "number of eigenvalues that vanish");
  v(&P::expected_zeros, "expected_zeros", "number of zeros that follow from rotations");
  v(&P::edges, "edges", "number of atoms on the edge of a relu unit");
  v(&P::spectrum, "spectrum", "eigenvalues of the second derivative, increasing");
  v(&P::second_order, "second_order", "whether no direction is unstable");
  v.part(&P::certificate);
  v(&P::found, "found", "number of starts that ended here");
  v(&P::above_uniform, "above_uniform", "energy minus that of the uniform measure",
    {.null = Null::nan, .optional = true});
}

// Computes all fields of a CriticalPoint for given atoms. n: tokens that share the mass, 0: free
// masses.
CriticalPoint describe(const Landscape& landscape, const Atoms& mu, int n);

// Limit on atoms times d of a measure with free masses.
inline constexpr int kMostOptimised = 300;
struct SearchSettings {
  Masses masses = Masses::equal;
  int n = 64;
  int starts = 100;  // every second one follows the flow, the others solve for any index
  std::uint64_t seed = 0;
  double gradient = 1e-12;  // largest gradient of a critical point, as a fraction of energy_scale
  double merge = 1e-6;      // atoms closer than this chord merge
  CertifySettings certify{};
  int threads = 0;  // 0: all cores; the result does not depend on it
};
// Throws Error(input) for invalid settings, before the search.
void check_search(const Landscape& landscape, const SearchSettings& settings);
struct Search {
  std::vector<CriticalPoint> points{};  // best energy first
  int lost = 0;                         // number of starts that did not converge
  // Free masses and a convex energy: the best measure, which is unique, needs more atoms than a
  // search handles. Then every start fails, and only the first one is tried.
  bool is_spread = false;
};
// Points that differ only in the order of atoms, or by rotations and reflections that fix every
// a_m, are equal: masses and cosines are compared to 1e-6.
Search critical_points(const Landscape& landscape, const SearchSettings& settings = {});

// Known results for the starts of a search or the betas of a scan, and when to stop.
template <typename Found>
struct SearchWatch {
  std::vector<std::optional<Found>> known{};             // one per start, found before; empty: none
  std::function<void(int start, const Found&)> ended{};  // called after each; one call at a time
  std::function<bool()> stop{};                          // true: stop; called by any thread
  bool stopped() const { return stop && stop(); }
};
// The end point of a start; no atoms: it did not converge.
using SearchEnd = Atoms;
// Returns nothing if stopped.
std::optional<Search> critical_points(const Landscape& landscape, const SearchSettings& settings,
                                      const SearchWatch<SearchEnd>& watch);

// Finds the best measure with free masses, from n tokens at random positions: conic particle
// gradient steps (mass r^2), then atoms at the best points of F and masses by quadratic programming
// (sliding Frank-Wolfe), until the certificate holds. Under descent that is the minimiser of E;
// under ascent a local maximiser.
CriticalPoint best_measure(const Landscape& landscape, const SearchSettings& settings);

// Positions of the atoms relative to the potential V.
struct Place {
  int active = 0;         // units with a_m . x > 0
  double angle = 0;       // to the nearest local maximum of V under ascent, minimum under descent
  double unit_angle = 0;  // to the nearest a_m
};
template <class Visitor>
void describe(Visitor& v, FieldsOf<Place>) {
  v(&Place::active, "active", "number of units that are active at the atom");
  v(&Place::angle, "angle", "angle to the nearest extremum of V", {.null = Null::nan});
  v(&Place::unit_angle, "unit_angle", "angle to the nearest direction of a unit",
    {.null = Null::nan});
}
struct Localisation {
  std::vector<Place> places{};    // one per atom
  std::vector<Vector> extrema{};  // strict local maxima of V (minima under descent)
  double heaviest = 0;            // mass of one atom
  // d = 2: the greatest mass of two or more atoms in an arc of 1 / (2 sqrt beta), and its bound at
  // second-order points under descent; NaN elsewhere.
  double arc_mass = 0, arc_mass_bound = 0;
};
template <class Visitor>
void describe(Visitor& v, FieldsOf<Localisation>) {
  v(&Localisation::arc_mass, "crowd",
    "on the circle: greatest mass of two or more atoms in an arc of 1/(2 sqrt(beta))",
    {.null = Null::nan});
  v(&Localisation::arc_mass_bound, "crowd_bound", "bound of crowd under descent",
    {.null = Null::nan});
}
Localisation localise(const Landscape& landscape, const Atoms& mu);
// (2 e^{beta-3/2} + C) / (2 e^{beta-3/2} + (3/8) e^{beta-1/8}), C = 2 L sum_m |omega_m| |a_m|^2,
// for the plain kernel; the scaled one multiplies C by e^beta (2601.21366).
double arc_mass_bound(const Landscape& landscape);

// The best measure at one beta, and its position.
struct ScanPoint {
  double beta = 0;
  CriticalPoint best{};
  Localisation where{};
  double scale = 0;  // energy_scale
  double angle = 0;  // sum_i m_i angle_i to the nearest extremum of V; NaN if there is none
  // Mass at which at least one unit is active, and at which all are; NaN without units.
  double active_mass = 0, all_active_mass = 0;
};
template <class Visitor>
void describe(Visitor& v, FieldsOf<ScanPoint>) {
  v(&ScanPoint::beta, "beta", "inverse temperature", {.least = 0});
  v.part(&ScanPoint::best);
  v(&ScanPoint::scale, "scale", "unit of gradients: |D| k(|D|) + sum |omega| |a|^2", {.least = 0});
  v([](auto& p) -> auto& { return p.where.heaviest; }, "heaviest", "largest mass of an atom",
    {.least = 0, .greatest = 1 + 1e-9});
  v(
      [](auto& p) -> auto& { return p.where.extrema; }, "extrema", "strict extrema of V");
  v.part(&ScanPoint::where);
  v(&ScanPoint::angle, "angle", "mean angle to the nearest extremum of V", {.null = Null::nan});
  v(&ScanPoint::active_mass, "active_mass", "mass at which at least one unit is active",
    {.null = Null::nan});
  v(&ScanPoint::all_active_mass, "all_active_mass", "mass at which all units are active",
    {.null = Null::nan});
}
// Computes best_measure at each of `betas`; each starts from the same tokens.
std::vector<ScanPoint> scan_beta(const Landscape& landscape, std::span<const double> betas,
                                 const SearchSettings& settings);
// The same with known best measures of some betas. Returns nothing if stopped.
std::optional<std::vector<ScanPoint>> scan_beta(const Landscape& landscape,
                                                std::span<const double> betas,
                                                const SearchSettings& settings,
                                                const SearchWatch<CriticalPoint>& watch);

}  // namespace murmur
