// checks.cpp: refuses mean fields, measures and schedules that are invalid or cannot be solved.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "meanfield/continuum.h"
#include "meanfield/harmonics.h"
#include "meanfield/particles.h"
#include "murmur/error.h"

namespace murmur {

namespace {

constexpr double kWhole = 1e-6;  // largest error of the integral of a density on a grid

[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

bool is_unit(const std::vector<double>& x, int d) {
  const double square = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  return static_cast<int>(x.size()) == d && std::fabs(square - 1) < 1e-9;
}

bool are_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// check(Dynamics) compares the shapes; this checks that entries exist and are finite.
void check_perceptron(const Perceptron& p) {
  for (const Matrix* m : {&p.in, &p.out})
    if (m->rows < 0 || m->cols < 0 || m->data.size() != static_cast<std::size_t>(m->rows) * m->cols)
      refuse(fmt::format("a matrix of shape ({}, {}) holds {} numbers", m->rows, m->cols,
                         m->data.size()),
             m == &p.in ? "perceptron in" : "perceptron out", "give rows times columns numbers");
  if (!(are_finite(p.in.data) && are_finite(p.out.data) && are_finite(p.in_bias) &&
        are_finite(p.out_bias)))
    refuse("a number of the perceptron is not finite", "perceptron", "give finite numbers");
}

// Returns the sum of the weights; refuses numbers that are negative or not finite.
double sum_of(const Measure& m, const std::vector<double>& weight) {
  const std::size_t columns = m.density.size() / weight.size();
  double sum = 0;
  for (std::size_t i = 0; i < m.density.size(); ++i) {
    if (!(std::isfinite(m.density[i]) && m.density[i] >= 0))
      refuse(fmt::format("the density is {}, which is negative or no number", m.density[i]),
             weight.size() > 1 ? fmt::format("init, cell ({}, {})", i / columns, i % columns)
                               : fmt::format("init, cell {}", i),
             "give densities of 0 or above");
    sum += weight[i / columns] * m.density[i];
  }
  return sum / static_cast<double>(columns);
}

void check_shape(const Measure& m, int d) {
  constexpr std::size_t kMostCells = 1'048'576, kMostRows = 1024, kMostColumns = 2048;
  const std::size_t cells = m.density.size(), rows = d == 2 ? 1 : m.rows;
  if (d != 2 && d != 3)
    refuse("a density on a grid needs the circle or the sphere", "init", "use d=2 or d=3");
  if ((d == 2 && m.rows != 0) || (d == 3 && (m.rows < 1 || cells % m.rows != 0)))
    refuse("the density is not on a grid of this dimension", "init",
           d == 2 ? "give an array of shape (cells)" : "give an array of shape (polar, azimuth)");
  if (d == 2 && cells < 8) refuse("the grid has too few cells", "init", "give 8 cells or more");
  if (d == 2 && cells > kMostCells)
    refuse("the grid has too many cells", fmt::format("init, {} cells", cells),
           fmt::format("give up to {} cells", kMostCells));
  if (d == 3 && (rows < 4 || cells / rows < 4))
    refuse("the grid has too few cells", fmt::format("init, shape ({}, {})", rows, cells / rows),
           "give 4 polar angles and 4 azimuths or more");
  if (d == 3 && (rows > kMostRows || cells / rows > kMostColumns))
    refuse("the grid has too many cells", fmt::format("init, shape ({}, {})", rows, cells / rows),
           fmt::format("give up to {} polar angles and {} azimuths", kMostRows, kMostColumns));
}

// Returns the largest amplitude among the highest degrees that the cells resolve; higher ones would
// alias.
double grid_tail(const Measure& m, int d) {
  if (d == 3) return meanfield::GridDensity(m).tail();
  const auto waves = meanfield::grid_waves(m);
  const std::size_t last = waves.size() - 1;
  double tail = 0;
  for (std::size_t k = last - last / 10; k <= last; ++k) tail = std::fmax(tail, std::abs(waves[k]));
  return tail;
}

void check_density(const Measure& m, int d) {
  check_shape(m, d);
  if (!m.waves.empty() || !m.bumps.empty() || !m.atoms.empty())
    refuse("a density on a grid cannot be combined with modes, bumps or atoms", "init",
           "remove the modes, bumps and atoms");
  const double integral =
      2 * std::numbers::pi *
      sum_of(m, d == 2 ? std::vector<double>{1} : meanfield::fejer_weights(m.rows));
  if (!(std::fabs(integral - 1) <= kWhole))
    refuse(fmt::format("the density integrates to {:.9g}, not to 1", integral), "init",
           d == 2 ? "divide it by that: the uniform density of the circle is 1 / (2 pi)"
                  : "divide it by that: the uniform density of the sphere is 1 / (4 pi)");
  if (const double tail = grid_tail(m, d); !(tail <= kWhole))
    refuse(fmt::format("the grid does not resolve the density: its finest waves hold {:.2g}", tail),
           "init", "give the density on more cells, or a smoother one");
}

void check_particles(const MeanField& field, const Measure& start, int particles) {
  const int d = field.d;
  constexpr std::size_t kMost = 10'000'000;  // a few gigabytes with all stages of a step
  const std::size_t count = start.atoms.size() + (particles > 0 ? particles : 0);
  if (particles < 2 || count > kMost)
    refuse("the number of particles is out of range", fmt::format("particles = {}", count),
           fmt::format("give 2 to {}", kMost));
  if (d > 3 && particles > meanfield::kMostZonalParticles)
    refuse("the number of particles is out of range", fmt::format("particles = {}", particles),
           fmt::format("give 2 to {}", meanfield::kMostZonalParticles));
  const int degree = meanfield::particle_degrees(d, particles);
  for (const Measure::Wave& w : start.waves)
    if (w.k > degree)
      refuse(fmt::format("{} particles do not resolve mode {}", particles, w.k), "init",
             w.k > meanfield::kDistributionDegrees
                 ? fmt::format("use modes of degree {} or less", meanfield::kDistributionDegrees)
                 : fmt::format("use particles={} or more", d == 2   ? 8 * w.k
                                                           : d == 3 ? 2 * (w.k + 1) * (w.k + 1)
                                                                    : 2 * w.k));
  if (d == 3) meanfield::particles_of(start, d, particles);
  if (d > 3) meanfield::make_cloud(field, particles)->start(start);
  if (const double lost = d == 2 && !start.density.empty()
                              ? meanfield::beyond(start, d, meanfield::kDistributionDegrees)
                              : 0;
      lost > kWhole)
    refuse(fmt::format("the density holds waves of {:.2g} above degree {}", lost,
                       meanfield::kDistributionDegrees),
           "init", "give a smoother density, or points");
}

void check_schedule(const Schedule& s) {
  constexpr double kMostFrames = 1e7;
  if (!(s.T > 0 && std::isfinite(s.T)))
    refuse("a run ends at a time above 0", "T", "give a finite T above 0");
  if (!(s.every >= 0 && std::isfinite(s.every)) || (s.every > 0 && !(s.T / s.every <= kMostFrames)))
    refuse(fmt::format("this is more than {:.0f} frames, or none", kMostFrames), "save",
           "write every:0.1, every:T/100 or final");
}

}  // namespace

void check(const MeanField& f) {
  if (f.d < 2 || f.d > meanfield::kMostZonal)
    refuse(fmt::format("mean fields are solved for d from 2 to {}", meanfield::kMostZonal),
           fmt::format("d = {}", f.d), fmt::format("use d up to {}", meanfield::kMostZonal));
  if (!(f.beta >= 0 && f.beta <= 700))
    refuse("beta is out of range", fmt::format("beta = {:g}", f.beta), "give beta from 0 to 700");
  if (f.weighting != Attention::softmax && f.weighting != Attention::unnormalised)
    refuse("this attention has no mean field", "dynamics", "use dynamics=SA or USA");
  if (f.clock == Clock::u4 || (f.clock != Clock::u1 && f.weighting == Attention::softmax))
    refuse("this clock does not fit", "clock", "use U1; with USA also U2 or U3");
  if (!(f.noise >= 0 && std::isfinite(f.noise)))
    refuse("the noise is negative or not finite", "noise", "give 0 or more");
  check(dynamics_of(f), f.d);
  if (f.perceptron) check_perceptron(*f.perceptron);
  if (f.d > 3 && f.perceptron && !meanfield::is_zonal(*f.perceptron))
    refuse("beyond d = 3 laws are symmetric about the last axis, and this perceptron is not",
           "perceptron", "use perceptron=none, one along only the last axis, or d=2 or d=3");
}

void check(const Measure& m, int d) {
  constexpr int kMostDegree = 10'000;
  if (!m.density.empty()) return check_density(m, d);
  if (m.rows != 0) refuse("the density has no cells", "init", "give densities of 0 or above");
  double swing = 0, weights = 0;
  for (const Measure::Wave& w : m.waves) {
    if (w.k < 1 || w.k > kMostDegree)
      refuse(fmt::format("a mode has a degree from 1 to {}", kMostDegree), "init",
             "write mode:3:1e-4");
    swing += std::fabs(w.eps) * 0.5 * meanfield::harmonics(d, w.k);
  }
  if (!(swing <= 1))
    refuse("the modes make the density negative", "init",
           fmt::format("give amplitudes of {:.3g} of these or less", 1 / swing));
  for (const Measure::Bump& b : m.bumps) {
    if (!(b.kappa >= 0 && b.kappa <= 1e5 && b.weight > 0 && is_unit(b.centre, d)))
      refuse("a bump is out of range", "init",
             "give kappa from 0 to 1e5, a weight above 0, unit vectors");
    weights += b.weight;
  }
  for (const Measure::Atom& a : m.atoms) {
    if (!(a.weight > 0 && is_unit(a.place, d)))
      refuse("an atom is out of range", "init", "give weights above 0 and unit vectors");
    weights += a.weight;
  }
  if (!std::isfinite(weights))
    refuse("the weights have no finite sum", "init", "give smaller weights: they are scaled to 1");
  if (!m.waves.empty() && (!m.bumps.empty() || !m.atoms.empty()))
    refuse("modes perturb only the uniform law", "init", "remove the bumps and atoms");
  if (d > 3 && !meanfield::is_zonal(m))
    refuse("beyond d = 3 laws are symmetric about the last axis, and this start is not", "init",
           "centre bumps and atoms at the poles, 0 and pi, or use d=2 or d=3");
}

namespace meanfield {

int most_modes(int d) { return d == 2 ? 8192 : d == 3 ? 256 : 512; }

void check_modes(int d, int modes) {
  if (modes < 4 || modes > most_modes(d))
    refuse("the number of modes is out of range", fmt::format("modes = {}", modes),
           fmt::format("give 4 to {}", most_modes(d)));
}

}  // namespace meanfield

namespace {
// Error(input) unless the solver can represent one law.
void check_start(const MeanField& field, const Measure& start, const MeanFieldMethod& method) {
  if (method.solver == MeanFieldMethod::quantiles)
    return check_particles(field, start, method.particles);
  const int most = meanfield::most_modes(field.d);
  if (!start.atoms.empty())
    refuse("atoms have no density", "init", "use solver=quantiles, or bumps with a large kappa");
  for (const Measure::Wave& w : start.waves)
    if (w.k > method.modes)
      refuse(fmt::format("mode {} is above the {} modes of the solver", w.k, method.modes), "init",
             w.k <= most ? fmt::format("use modes={} or more", 2 * w.k <= most ? 2 * w.k : most)
                         : fmt::format("use modes of degree {} or less", most));
}

// Checks the labels of a causal field, and the laws of the earlier ones.
void check_prompt(const MeanField& field, const Measure& start, const MeanFieldMethod& method) {
  constexpr int kMostLabels = 1024;
  constexpr double kMostParticles = 20'000;  // forces are sums over all pairs
  if (!field.causal && !start.before.empty())
    refuse("laws differ by label only if attention is causal", "prefix",
           "use dynamics=causal, or remove the prefix");
  double from = 0;
  for (const Measure::Earlier& earlier : start.before) {
    if (!(earlier.until > from && earlier.until < 1) || !earlier.law.before.empty())
      refuse("the labels of the prefix are out of range", "prefix",
             "give shares above 0 and below 1");
    from = earlier.until;
  }
  if (!field.causal) return;
  if (method.labels < 2 || method.labels > kMostLabels)
    refuse("the number of labels is out of range", fmt::format("labels = {}", method.labels),
           fmt::format("give 2 to {}", kMostLabels));
  if (method.solver != MeanFieldMethod::quantiles) return;
  if (field.d == 3)
    refuse("particles of causal laws need the circle, or a meridian", "solver = quantiles",
           "use solver=spectral, or d=2, or d=4 or more");
  const auto laws = static_cast<double>(labels_of(field, start, method).size());
  if (!(laws * method.particles <= kMostParticles))
    refuse(fmt::format("{:.0f} laws of {} particles are too many", laws, method.particles),
           "particles, labels", fmt::format("give up to {:.0f} in all", kMostParticles));
}

}  // namespace

void check(const MeanField& field, const Measure& start, const MeanFieldMethod& method,
           const Schedule& schedule) {
  check(field);
  check(start, field.d);
  for (const Measure::Earlier& earlier : start.before) check(earlier.law, field.d);
  check_schedule(schedule);
  const Tolerance& tolerance = method.tolerance;
  if (!(tolerance.rtol > 0 && tolerance.rtol < 1 && tolerance.atol > 0 && tolerance.atol < 1))
    refuse("the tolerances are out of range", "rtol, atol", "give both between 0 and 1");
  if (tolerance.rtol + tolerance.atol < 1e-15)
    refuse("rtol with atol asks for more digits than doubles have", "rtol, atol",
           "use rtol=1e-14 or more");
  if (!(method.merge >= 0 && method.merge <= 2))
    refuse("two unit vectors are at most 2 apart", fmt::format("merge = {:g}", method.merge),
           "give merge from 0 (never) to 2");
  if (method.solver == MeanFieldMethod::quantiles && field.noise > 0)
    refuse("particles of a mean field have no noise", "solver = quantiles",
           "use solver=spectral, or murmur simulate with noise");
  if (method.solver == MeanFieldMethod::quantiles && method.merge > 0 &&
      !moves_swarm(field, method))
    refuse("these particles do not merge", fmt::format("merge = {:g}", method.merge),
           "give merge = 0");
  if (method.solver == MeanFieldMethod::spectral) meanfield::check_modes(field.d, method.modes);
  check_prompt(field, start, method);
  for (const Measure::Earlier& earlier : start.before) check_start(field, earlier.law, method);
  check_start(field, start, method);
}

}  // namespace murmur
