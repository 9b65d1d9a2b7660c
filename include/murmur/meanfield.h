// meanfield.h: the swarm of infinitely many tokens: a measure on the circle or sphere that flows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/engine.h"
#include "murmur/flow.h"

namespace murmur {

//   d_t mu + div(mu X) = noise Lap mu   on S^{d-1}, d = 2 or 3
//   X = sign grad log(W * mu) / beta          (softmax, SA)
//   X = sign clock grad(W * mu) / beta        (plain, USA),   W(x, y) = e^{beta x.y}
// and the part along the sphere of a perceptron, if there is one (2312.10794, section 3).
struct MeanField {
  int d = 2;
  double beta = 1;                              // at least 0
  Attention::Scale scale = Attention::softmax;  // softmax or plain
  bool repulsive = false;                       // V = -I: sign -1
  Clock clock = Clock::u1;                      // u1, u2 or u3; softmax knows u1 alone
  std::optional<Perceptron> will{};
  double noise = 0;  // 1 / kappa
};
void check(const MeanField& field);            // Error(input) for what is not one
Dynamics dynamics_of(const MeanField& field);  // the same forces, for particles
double clock_scale(const MeanField& field);    // of plain attention over e^{beta (x.y - 1)}

// A probability measure on the circle or sphere, as a mixture. Places are unit vectors.
//   wave:   the uniform law times 1 + eps cos(k theta) on the circle, times
//           1 + eps (2k + 1)/2 P_k(x_2) on the sphere: amplitude eps / 2 in degree k either way
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
  std::vector<double> density{};  // (cells) on the circle, at 2 pi i / cells; alone
};
// Error(input) unless it is one for that d: weights positive, densities neither negative nor, to a
// part in 10^6, of another integral than 1.
void check(const Measure& measure, int d);

// a_k of modes.h for a measure: 1 in degree 0; kModesRead degrees follow.
inline constexpr int kModesRead = 32;

struct MeanFieldReading {
  double t = 0;
  double energy = 0;                // (1/2 beta) int int e^{beta x.y}; at beta = 0 |int x|^2 / 2
  double free_energy = 0;           // energy - noise int log(density) dmu: climbs under noisy USA
                                    // in clock u1. NaN for particles, which have no density
  std::vector<double> mean{};       // (d) int x
  double order = 0;                 // |mean|
  std::vector<double> amplitude{};  // (kModesRead + 1)
  double tail = 0;  // largest amplitude among the last tenth of the degrees; spectral
  double least = 0, greatest = 0;  // of the density over the uniform one; particles: of the cells'
};

struct MeanFieldFrame {
  MeanFieldReading reading{};
  std::vector<double> density{};  // (cells) over the uniform one
};

// How it is solved.
//   spectral:  coefficients of degrees up to `modes`, products on a grid by the 2/3 rule; stops
//              where they no longer resolve the measure
//   quantiles: points of equal mass at the quantiles (circle) or weighted points of a Gauss grid
//              (sphere), carried by the moments or simd engine; never stops resolving
struct MeanFieldMethod {
  enum Solver { spectral, quantiles } solver = spectral;
  int modes = 512;
  int particles = 100'000;
  Tolerance tolerance{1e-9, 1e-12};
  double merge = 0;             // of particles, as in FlowSettings
  double most_tail = 1e-8;      // a larger tail stops the spectral solver,
  double most_negative = 1e-8;  // and so does a density below minus this times the greatest
  std::int64_t max_evaluations = 10'000'000;
  int threads = 0;
};

struct MeanFieldCourse {
  Outcome outcome{};                      // unresolved is Ending::not_finite with its own words
  bool unresolved = false;                // the spectral solver lost its resolution
  std::vector<MeanFieldReading> steps{};  // after every accepted step, and at the start
  std::int64_t evaluations = 0;
};

struct MeanFieldPlan {
  Schedule schedule{};
  std::function<void(const MeanFieldFrame&)> frame{};
  std::function<bool(const MeanFieldReading&)> stop{};  // after every step; true: leave
};

// Where frames read their density: (cells, d), unit vectors.
std::vector<double> density_cells(const MeanField& field, const MeanFieldMethod& method);

// Carries `start` to plan.schedule.T. Frames never change the steps taken.
MeanFieldCourse carry(const MeanField& field, const Measure& start, const MeanFieldMethod& method,
                      const MeanFieldPlan& plan);

// What a course shows. Times are those of the steps.
struct ModeGrowth {
  int k = 0;
  double rate = 0, error = 0;  // slope of ln a_k and its standard error
  double from = 0, to = 0;
};
struct MeanFieldPhases {
  // linear: until the leading wave's eps (see Measure) is 0.2: amplitude 0.1 on the circle,
  // 0.2 / (2 k + 1) on the sphere
  double linear_until = 0;
  int leader = 0;                    // degree of greatest amplitude there
  std::vector<ModeGrowth> growth{};  // of degrees that can be read without the others' products
  // metastable: the longest stretch, in ln t after the linear phase, where the energy stands still
  std::optional<std::pair<double, double>> metastable{};
  double plateau = 0;  // its energy
  // clustering: towards one point, from order 0.9 on; rate at which 1 - order decays
  std::optional<ModeGrowth> clustering{};
};
MeanFieldPhases phases_of(const MeanFieldCourse& course);

// Noise: stationary laws mu ~ exp((kappa / beta) W * mu) of USA, axially symmetric, any d >= 2;
// their order parameter r = |int x dmu| (2412.14813, 2606.05140).
struct NoisyLaw {
  int d = 2;
  double beta = 1;
};
// From order `start` by that map, which climbs the free energy; 0 where only the uniform law is.
double stationary_order(const NoisyLaw& law, double kappa, double start);

struct Bifurcation {
  std::vector<double> kappa{}, up{}, down{};  // order parameter, each sweep going on from its last
  double onset = 0;         // kappa at which the uniform law becomes unstable, by bisection
  double fold = 0;          // kappa down to which an ordered law lives, by bisection
  double jump = 0;          // order of the ordered law at the onset
  bool hysteretic = false;  // fold clearly below the onset
};
struct BifurcationSweep {
  double from = 0, to = 0;
  int points = 40;
};
Bifurcation bifurcation(const NoisyLaw& law, const BifurcationSweep& sweep);

}  // namespace murmur
