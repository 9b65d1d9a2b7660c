// meanfield.h: the limit of infinitely many tokens: the flow of a measure on a sphere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "murmur/describe.h"
#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/flow.h"

namespace murmur {

//   d_t mu + div(mu X) = noise Lap mu   on S^{d-1}
//   X = sign grad log(W * mu) / beta          (softmax, SA)
//   X = sign clock grad(W * mu) / beta        (unnormalised, USA),   W(x, y) = e^{beta x.y}
// plus the tangential part of a perceptron, if there is one (2312.10794, section 3; noise:
// 2412.14813, 2512.01868). From d = 4 to 128 the law is symmetric about the last axis.
//
// Causal attention: tokens have labels s in (0, 1], their position in the prompt, and each label
// has a law mu_s. A token of label s attends to labels up to s: in its velocity mu is replaced by
//   (1/s) int_0^s mu_r dr  (SA),   int_0^s mu_r dr  (USA).
struct MeanField {
  int d = 2;
  double beta = 1;                                      // at least 0
  Attention::Weighting weighting = Attention::softmax;  // softmax or unnormalised
  bool repulsive = false;                               // V = -I: sign -1
  Clock clock = Clock::u1;                              // u1, u2 or u3; softmax has only u1
  std::optional<Perceptron> perceptron{};
  double noise = 0;  // 1 / kappa
  bool causal = false;
};
void check(const MeanField& field);  // Throws Error(input) for invalid fields
// The limit n -> infinity of a dynamics on the sphere of R^d: softmax or unnormalised attention in
// the clocks U1 to U3, with a perceptron and noise. Error(input) with a reason for gains, layer
// norms other than post, several heads, Q or K other than the identity, V other than I and -I,
// biases, relative or rescaled values, alibi, self = false, and weights that change with time.
MeanField mean_field_of(const Dynamics& dynamics, int d);
Dynamics dynamics_of(const MeanField& field);  // the same forces, for particles
double clock_scale(const MeanField& field);    // factor of USA's kernel over e^{beta (x.y - 1)}
// Whether the energy includes the perceptron's potential: with unnormalised attention and a
// perceptron in gradient form (docs/notation.md). Otherwise the energy is that of attention only,
// which need not be monotone.
bool has_potential(const MeanField& field);

// A probability measure on the circle or sphere, as a mixture. Places are unit vectors.
//   wave:   the uniform law times 1 + eps cos(k theta) on the circle, times
//           1 + eps (2k + 1)/2 P_k(x_2) on the sphere, times 1 + eps h_k/2 c_k(x_{d-1}) beyond,
//           c_k = C_k / C_k(1) Gegenbauer's: amplitude eps / 2 in degree k always
//   bump:   von Mises-Fisher, density ~ e^{kappa x.centre}
//   atom:   a Dirac mass
struct Measure {
  struct Wave {
    int k = 1;
    double eps = 0;
  };
  struct Bump {
    double kappa = 1;
    std::vector<double> centre{};  // (d)
    double weight = 1;
  };
  struct Atom {
    std::vector<double> place{};  // (d)
    double weight = 1;
  };
  std::vector<Wave> waves{};  // on the uniform part
  std::vector<Bump> bumps{};  // with atoms: weights scaled to sum 1; none of both: uniform
  std::vector<Atom> atoms{};
  // Used without other parts, per unit of length or area, so that its integral is 1: on the circle
  // (cells) at 2 pi i / cells; on the sphere (rows, columns) at the polar angle pi (i + 1/2) / rows
  // and the azimuth 2 pi j / columns, and interpolated by waves.
  std::vector<double> density{};
  int rows = 0;  // of a density on the sphere
  // For causal fields: laws of the earlier labels, (0, until] for the first and so on; the measure
  // itself is the law of the rest.
  struct Earlier;
  std::vector<Earlier> before;  // no {}: clang 14 would build it before Earlier is known
};
struct Measure::Earlier {
  double until = 0;  // in (0, 1), increasing
  Measure law{};     // the measure without `earlier`
};
// Throws Error(input) unless it is valid for that d: positive weights, densities that are not
// negative, with integral 1 within 10^-6.
void check(const Measure& measure, int d);

// a_k of observe.h for a measure: 1 in degree 0, then kModesRead degrees.
inline constexpr int kModesRead = 32;

struct MeanFieldReading {
  double t = 0;
  // (1/2 beta) int int e^{beta x.y}; at beta = 0 |int x|^2 / 2. With a potential V the kernel is
  // the clock's, and sign int V dmu is added. Increases, or decreases if attention repels.
  double energy = 0;
  // Without noise the energy. With it energy - sign noise int log(density) dmu, the kernel always
  // the clock's: increases under noisy USA, or decreases if attention repels. NaN for particles,
  // which have no density.
  double free_energy = 0;
  std::vector<double> mean{};       // (d) int x
  double order = 0;                 // |mean|
  std::vector<double> amplitude{};  // (kModesRead + 1)
  // For the spectral solver: the largest amplitude in the last tenth of the degrees, or product of
  // two amplitudes whose degree would be beyond them; for d > 3 also the rounding error of the
  // coefficients. For causal fields the largest over the labels, as for min and max.
  double tail = 0;
  double min = 0, max = 0;  // of the density over the uniform one; particles: of the cells'
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<MeanFieldReading>) {
  using R = MeanFieldReading;
  v(&R::t, "t", "time");
  v(&R::energy, "energy", "energy of attention, and of the perceptron where it has a potential");
  v(&R::free_energy, "free_energy", "energy and, with noise, entropy");
  v(&R::order, "order", "length of the mean");
  v(&R::tail, "tail", "largest amplitude at the end of the spectrum");
  v(&R::min, "least", "smallest density");
  v(&R::max, "greatest", "largest density");
  v(&R::mean, "mean", "mean of x");
  v(&R::amplitude, "amplitude", "amplitudes by degree");
}

struct MeanFieldFrame {
  MeanFieldReading reading{};
  std::vector<double> density{};  // (cells) density over the uniform one
  // For causal fields, in the order of labels_of; reading and density above are those of the whole
  // prompt, int_0^1 mu_s ds.
  std::vector<MeanFieldReading> labels{};
  std::vector<double> label_density{};  // (labels, cells)
};

// The solvers.
//   spectral:  coefficients of degrees up to `modes`, products on a grid by the 2/3 rule; stops
//              when they no longer resolve the measure
//   quantiles: points of equal mass at the quantiles (circle) or weighted points of a Gauss grid
//              (sphere), integrated with the moments or simd engine; never unresolved. From d = 4
//              on, Gauss's nodes on a meridian that stands for all of them; there, and for causal
//              fields on the circle, forces are sums over all pairs
struct MeanFieldMethod {
  enum Solver { spectral, quantiles } solver = spectral;
  int modes = 512;
  int particles = 100'000;
  Tolerance tolerance{1e-9, 1e-12};
  int labels = 32;              // intervals between the labels of every law of a causal field
  double merge = 0;             // of particles, as in FlowSettings
  double most_tail = 1e-8;      // a larger tail stops the spectral solver,
  double most_negative = 1e-8;  // and so does a density below minus this times the greatest
  std::int64_t max_evaluations = 10'000'000;
  int threads = 0;
};

// The state of a solver. The step that reaches T is computed for its frames but not committed, so
// that a continuation to a larger T takes the same steps as a run with this T from the start.
struct MeanFieldState {
  FlowState flow{};  // without a swarm: only t, h, evaluations, next_frame
  // without a swarm: coefficients, or angles and masses of particles; for causal fields label by
  // label
  std::vector<double> coefficients{};
};
// Whether the state is a swarm on an engine: quantiles on the circle and sphere, not causal.
bool moves_swarm(const MeanField& field, const MeanFieldMethod& method);

struct MeanFieldTrajectory {
  Outcome outcome{};  // Ending::unresolved: the modes no longer resolve the measure
  std::vector<MeanFieldReading> steps{};  // at the start, after every step taken, and at T
  std::int64_t evaluations = 0;
  double grain = 0;        // mean mass of the particles that represent a density; 0: spectral
  MeanFieldState state{};  // position of the end
};

struct MeanFieldPlan {
  Schedule schedule{};
  std::function<void(const MeanFieldFrame&)> frame{};
  std::function<bool(const MeanFieldReading&)> stop{};  // called after every step; true: stop
  // Called after every step and every frame inside one; true: stop, resumably. `so_far` does not
  // contain the state; `fetch` returns it.
  std::function<bool(const MeanFieldTrajectory& so_far,
                     const std::function<MeanFieldState()>& fetch)>
      pause{};
  // A trajectory to continue with the same bits: its steps, and its state with the next frame.
  std::optional<MeanFieldTrajectory> from{};
};

// Throws Error(input) for problems that cannot be solved: waves above the modes or too short for
// the particles, too many modes or particles, infinitely many frames.
void check(const MeanField& field, const Measure& start, const MeanFieldMethod& method,
           const Schedule& schedule);

// Returns the labels at which a causal field has laws, increasing. Under SA a law with the same
// measure for all its labels is represented by its last label, since these do not attend to others;
// else there are `labels` intervals, equal in ln s for SA and in s for USA. int_0^s is the
// trapezoidal sum: error O(labels^-2).
std::vector<double> labels_of(const MeanField& field, const Measure& start,
                              const MeanFieldMethod& method);

// Returns the points at which frames have the density: (cells, d), unit vectors.
std::vector<double> density_cells(const MeanField& field, const MeanFieldMethod& method);

// Integrates `start` to plan.schedule.T. Frames never change the steps taken.
MeanFieldTrajectory carry(const MeanField& field, const Measure& start,
                          const MeanFieldMethod& method, const MeanFieldPlan& plan);

// Regimes of a trajectory (2410.23228). Times are those of the steps.
struct ModeGrowth {
  int k = 0;
  double rate = 0, error = 0;  // slope of ln a_k and its standard error
  double from = 0, to = 0;
};
// Until the leading wave's height at its top is 0.2: amplitude 0.1 on the circle, 0.2 / h_k beyond,
// h_k harmonics of degree k.
struct LinearRegime {
  std::optional<double> until{};  // none: still linear at the end
  int leader = 0;                 // degree of greatest amplitude there, or at the end
};
struct MeanFieldRegimes {
  std::optional<LinearRegime> linear{};  // none if the start is not small, or has no wave
  // For degrees in which, over three steps or more, products of waves and rounding errors are less
  // than 1/2000 of the rate.
  std::vector<ModeGrowth> growth{};
  // metastable: the longest interval of ln t, after the linear regime, of nearly constant energy
  std::optional<std::pair<double, double>> metastable{};
  double plateau = 0;  // its energy
  // clustering: contraction to one point, from order 0.9 on; rate at which 1 - order decays, while
  // it is at least ten times the mass of a particle
  std::optional<ModeGrowth> clustering{};
};
MeanFieldRegimes regimes_of(const MeanFieldTrajectory& trajectory);

// Noise: stationary laws mu ~ exp((kappa / beta) W * mu) of USA, axially symmetric, any d >= 2;
// their order parameter r = |int x dmu| (2412.14813, 2606.05140).
struct NoisyLaw {
  int d = 2;
  double beta = 1;
};
// Returns the order of the stable law that is reached from order `start`; 0 for the uniform one.
double stationary_order(const NoisyLaw& law, double kappa, double start);

struct Bifurcation {
  std::vector<double> kappa{}, up{}, down{};  // order parameter, each sweep from its last law
  double onset = 0;  // kappa at which the branch of ordered laws bifurcates from the uniform
  double fold = 0;   // least kappa of an ordered law; the onset if there is none below
  // kappa at which the ordered and the uniform law have the same free energy; the onset without
  // hysteresis
  double transition = 0;
  double jump = 0;          // order of the stable law at the onset
  bool hysteretic = false;  // fold below the onset
};
struct BifurcationSweep {
  double from = 0, to = 0;
  int points = 40;
};
// Error(input) unless the onset lies inside the sweep; fold and jump do not depend on it.
Bifurcation bifurcation(const NoisyLaw& law, const BifurcationSweep& sweep);

}  // namespace murmur
