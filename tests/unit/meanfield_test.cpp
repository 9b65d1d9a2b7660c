// meanfield_test.cpp: solvers of the mean field: resolution, mass, frames, starts, refusals.
#include "murmur/meanfield.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "experiment/meanfield_setup.h"
#include "meanfield/harmonics.h"
#include "meanfield/integrate.h"
#include "meanfield/particles.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "refused.h"

namespace murmur {
namespace {

using namespace meanfield;

MeanFieldSetup setup(const std::vector<std::string>& assignments) {
  return make_meanfield(gather({.assignments = assignments}, meanfield_parameters()));
}

Measure two_bumps(int d) {
  Measure m;
  std::vector<double> first(d), second(d);
  first[0] = 1;
  second[0] = std::cos(2.0);
  second[d - 1] = std::sin(2.0);
  m.bumps = {{6, first, 0.7}, {3, second, 0.3}};
  return m;
}

TEST(Fourier, IsTheSlowSum) {
  Wave x(16);
  for (int k = 0; k < 16; ++k) x[k] = {std::sin(k + 0.3), std::cos(2.0 * k)};
  Wave y = x;
  Fourier(16).transform(y.data());
  for (int g = 0; g < 16; ++g) {
    std::complex<double> sum = 0;
    for (int k = 0; k < 16; ++k) sum += x[k] * std::polar(1.0, 2 * std::numbers::pi * k * g / 16);
    EXPECT_NEAR(std::abs(y[g] - sum), 0, 1e-13);
  }
}

TEST(Gauss, IntegratesPolynomialsExactly) {
  for (const int count : {1, 2, 7, 40}) {
    const Gauss g = gauss_legendre(count);
    for (int power = 0; power < 2 * count; ++power) {
      double sum = 0;
      for (int i = 0; i < count; ++i) sum += g.weight[i] * std::pow(g.node[i], power);
      EXPECT_NEAR(sum, power % 2 == 0 ? 2.0 / (power + 1) : 0, 1e-14) << count << " " << power;
    }
  }
}

TEST(March, KeepsItsToleranceAndTakesDecayExactly) {
  CoefficientSystem decaying;
  decaying.flow = [](const auto& y, auto& f) { f.assign(y.size(), 0); };
  decaying.decay = {1000, 3};
  March still(decaying);
  still.y = {1, 1};
  while (still.find() && still.end_time() < 0.5) still.commit();
  EXPECT_NEAR(still.inside(0.5)[1], std::exp(-1.5), 1e-14);
  EXPECT_NEAR(still.inside(0.5)[0], 0, 1e-14);
  CoefficientSystem rotation;
  rotation.flow = [](const auto& y, auto& f) { f = {-y[1], y[0]}; };
  rotation.tolerance = {1e-10, 1e-10};
  March turn(rotation);
  turn.y = {1, 0};
  while (turn.find() && turn.end_time() < 3) {
    const double middle = 0.5 * (turn.at.t + turn.end_time());
    EXPECT_NEAR(turn.inside(middle)[0], std::cos(middle), 1e-8);
    turn.commit();
  }
  ASSERT_GE(turn.end_time(), 3);
  EXPECT_NEAR(turn.inside(3)[0], std::cos(3), 1e-8);
  EXPECT_NEAR(turn.inside(3)[1], std::sin(3), 1e-8);
}

TEST(Harmonics, AreOrthonormal) {
  const int degree = 6;
  const Gauss g = gauss_legendre(12);
  std::vector<double> product(49 * 49);
  for (int j = 0; j < 12; ++j)
    for (int p = 0; p < 24; ++p) {
      const double z = g.node[j], s = std::sqrt(1 - z * z), phi = 2 * std::numbers::pi * p / 24;
      const double x[] = {s * std::cos(phi), s * std::sin(phi), z};
      const std::vector<double> y = harmonics_at(degree, x);
      for (int a = 0; a < 49; ++a)
        for (int b = 0; b < 49; ++b) product[a * 49 + b] += g.weight[j] / 48 * y[a] * y[b];
    }
  for (int a = 0; a < 49; ++a)
    for (int b = 0; b < 49; ++b) EXPECT_NEAR(product[a * 49 + b], a == b ? 1 : 0, 1e-12);
}

// (rows, columns) of a measure of bumps, as a file would hold it.
Measure on_a_grid(const Measure& m, int rows, int columns) {
  Measure grid;
  grid.rows = rows;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const double polar = std::numbers::pi * (i + 0.5) / rows;
      const double phi = 2 * std::numbers::pi * j / columns, s = std::sin(polar);
      const double x[] = {s * std::cos(phi), s * std::sin(phi), std::cos(polar)};
      double p = 0, weights = 0;
      for (const auto& b : m.bumps) {
        const double along = std::inner_product(x, x + 3, b.centre.begin(), 0.0);
        p += b.weight * b.kappa / (4 * std::numbers::pi * std::sinh(b.kappa)) *
             std::exp(b.kappa * along);
        weights += b.weight;
      }
      grid.density.push_back(p / weights);
    }
  return grid;
}

TEST(GridDensity, FejerIntegratesPolynomialsOfItsRows) {
  for (const int rows : {4, 5, 12, 33}) {
    const std::vector<double> w = fejer_weights(rows);
    for (int power = 0; power < rows; ++power) {
      double sum = 0;
      for (int i = 0; i < rows; ++i)
        sum += w[i] * std::pow(std::cos(std::numbers::pi * (i + 0.5) / rows), power);
      EXPECT_NEAR(sum, power % 2 == 0 ? 2.0 / (power + 1) : 0, 1e-14) << rows << " " << power;
    }
  }
}

// Even and odd rows and columns; degrees beyond what the grid itself could integrate.
TEST(GridDensity, HasTheCoefficientsOfWhatItHolds) {
  const auto wanted = sphere_coefficients(two_bumps(3), 40);
  for (const auto& [rows, columns] : {std::pair{40, 64}, {41, 65}, {64, 63}}) {
    const Measure grid = on_a_grid(two_bumps(3), rows, columns);
    EXPECT_NO_THROW(check(grid, 3));
    const auto c = sphere_coefficients(grid, 40);
    for (std::size_t k = 0; k < c.size(); ++k) EXPECT_NEAR(c[k], wanted[k], 1e-13) << rows;
  }
}

TEST(GridDensity, PassesThroughItsCells) {
  Measure grid;
  grid.rows = 6;
  for (int i = 0; i < 6 * 9; ++i) grid.density.push_back(1 + 0.5 * std::sin(7.0 * i));
  const GridDensity density(grid);
  const double scale = density_at(density.at(std::cos(std::numbers::pi / 12)), 0) / grid.density[0];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 9; ++j)
      EXPECT_NEAR(density_at(density.at(std::cos(std::numbers::pi * (i + 0.5) / 6)),
                             2 * std::numbers::pi * j / 9),
                  scale * grid.density[9 * i + j], 1e-12);
}

TEST(GridDensity, WeighsParticles) {
  const HostSwarm a = particles_of(two_bumps(3), 3, 800);
  const HostSwarm b = particles_of(on_a_grid(two_bumps(3), 40, 64), 3, 800);
  ASSERT_EQ(a.n(), b.n());
  for (int i = 0; i < a.n(); ++i) EXPECT_NEAR(a.mass[i], b.mass[i], 1e-15) << i;
}

// The same measure as coefficients and as particles.
TEST(MeanField, StartsAgreeBetweenSolvers) {
  const auto circle = circle_coefficients(two_bumps(2), 20);
  double error[2] = {0, 0};  // of 4,000 and 8,000 quantiles: of second order
  for (const int run : {0, 1}) {
    const auto modes = fourier_amplitudes(particles_of(two_bumps(2), 2, 4000 << run), 20);
    for (int k = 0; k <= 20; ++k)
      error[run] = std::fmax(error[run], std::abs(circle[k] - modes[k]));
  }
  EXPECT_LT(error[0], 3e-5);
  EXPECT_LT(error[1], 0.27 * error[0]);
  const auto sphere = sphere_coefficients(two_bumps(3), 12);
  const auto powers = mode_powers(particles_of(two_bumps(3), 3, 3200), 12);
  for (int l = 0; l <= 12; ++l) {
    double sum = 0;
    for (int m = -l; m <= l; ++m)
      sum += sphere[harmonic_index(l, m)] * sphere[harmonic_index(l, m)];
    EXPECT_NEAR(sum / (2 * l + 1), powers[l], 1e-12) << l;
  }
}

TEST(MeanField, AtomsBecomeParticlesOfTheirOwn) {
  Measure m;
  m.atoms = {{{1, 0}, 2}, {{0, 1}, 1}};
  const HostSwarm x = particles_of(m, 2, 100);
  ASSERT_EQ(x.n(), 2);
  EXPECT_DOUBLE_EQ(x.mass[0], 2.0 / 3);
}

// The two solvers see the same flow while both resolve it, frame by frame.
TEST(MeanField, SolversAgree) {
  for (const auto weighting : {Attention::softmax, Attention::unnormalised})
    for (const bool repulsive : {false, true}) {
      const MeanField field{.beta = 2, .weighting = weighting, .repulsive = repulsive};
      std::vector<double> energy[2];
      for (const auto solver : {MeanFieldMethod::spectral, MeanFieldMethod::quantiles}) {
        MeanFieldPlan plan{.schedule = {.T = 0.4, .every = 0.1}};
        plan.frame = [&](const MeanFieldFrame& f) { energy[solver].push_back(f.reading.energy); };
        const MeanFieldMethod method{.solver = solver, .modes = 200, .particles = 4000};
        EXPECT_TRUE(carry(field, two_bumps(2), method, plan).outcome.ok());
      }
      ASSERT_EQ(energy[0].size(), 5u);
      ASSERT_EQ(energy[1].size(), 5u);
      for (int i = 0; i < 5; ++i) EXPECT_NEAR(energy[0][i], energy[1][i], 2e-6 * energy[0][i]);
      EXPECT_GT(std::fabs(energy[0][4] / energy[0][0] - 1), 1e-3);
    }
}

TEST(MeanField, SolversAgreeOnTheSphere) {
  const MeanField field{.d = 3, .beta = 2};
  double order[2] = {0, 0};
  for (const auto solver : {MeanFieldMethod::spectral, MeanFieldMethod::quantiles}) {
    const MeanFieldMethod method{.solver = solver, .modes = 32, .particles = 1800};
    order[solver] = carry(field, two_bumps(3), method, {.schedule = {.T = 0.3}}).steps.back().order;
  }
  EXPECT_NEAR(order[0], order[1], 1e-6);
}

// A perceptron alone carries each token by itself: the same order as its particles'.
TEST(MeanField, PerceptronsDriftOnCircleAndSphere) {
  for (const int d : {2, 3}) {
    Perceptron perceptron{.activation = Perceptron::tanh};
    perceptron.in = zeros(1, d);
    perceptron.in(0, 0) = 0.8;
    perceptron.in_bias = {0.3};
    perceptron.out = zeros(d, 1);
    perceptron.out(d - 1, 0) = 0.7;
    MeanField field{.d = d, .beta = 1};
    field.perceptron = perceptron;
    std::vector<double> mean[2];
    for (const auto solver : {MeanFieldMethod::spectral, MeanFieldMethod::quantiles}) {
      const MeanFieldMethod method{
          .solver = solver, .modes = d == 2 ? 128 : 30, .particles = d == 2 ? 4000 : 1800};
      mean[solver] = carry(field, two_bumps(d), method, {.schedule = {.T = 0.3}}).steps.back().mean;
    }
    for (int k = 0; k < d; ++k) EXPECT_NEAR(mean[0][k], mean[1][k], 2e-6) << d;
  }
}

// Tokens never pass each other, so the mass between two of them stays: that of the density flown by
// waves, between places flown by particles.
TEST(MeanField, KeepsTheMassBetweenTokens) {
  constexpr int n = 2000;
  const double turn = 2 * std::numbers::pi;
  for (const auto weighting : {Attention::softmax, Attention::unnormalised}) {
    const MeanField field{.beta = 2, .weighting = weighting};
    const MeanFieldMethod method{.solver = MeanFieldMethod::quantiles, .particles = n};
    MeanFieldPlan plan{.schedule = {.T = 1}};
    plan.stop = [](const MeanFieldReading& r) { return r.t >= 0.3; };
    const FlowState tokens = carry(field, two_bumps(2), method, plan).state.flow;
    const HostSwarm& x = tokens.x;
    std::vector<double> density;
    plan = {.schedule = {.T = tokens.t}};
    plan.frame = [&](const MeanFieldFrame& f) { density = f.density; };
    ASSERT_TRUE(carry(field, two_bumps(2), {.modes = 256}, plan).outcome.ok());
    std::vector<double> below = {0};  // mass from angle 0 to each cell's
    const auto cells = static_cast<int>(density.size());
    for (int g = 0; g < cells; ++g)
      below.push_back(below.back() + (density[g] + density[(g + 1) % cells]) / (2 * cells));
    const auto mass_to = [&](int i) {
      double at = std::atan2(x.at(i, 1), x.at(i, 0)) / turn;
      at = (at < 0 ? at + 1 : at) * cells;
      const int g = std::min(static_cast<int>(at), cells - 1);
      return below[g] + (at - g) * (below[g + 1] - below[g]);
    };
    for (int i = 100; i < n; i += 100) {
      const double between = mass_to(i) - mass_to(0);
      EXPECT_NEAR(between < 0 ? between + 1 : between, static_cast<double>(i) / n, 1e-4) << i;
    }
  }
}

TEST(MeanField, KeepsItsMass) {
  for (const int d : {2, 3}) {
    const MeanFieldMethod method{
        .solver = MeanFieldMethod::quantiles, .particles = 800, .merge = 0.05};
    double worst = 0;
    MeanFieldPlan plan{.schedule = {.T = 3, .every = 0.5}};
    plan.frame = [&](const MeanFieldFrame& f) {
      const double sum = std::accumulate(f.density.begin(), f.density.end(), 0.0);
      worst = std::fmax(worst, std::fabs(sum / static_cast<double>(f.density.size()) - 1));
    };
    const MeanFieldTrajectory trajectory = carry({.d = d, .beta = 4}, two_bumps(d), method, plan);
    const std::vector<double>& mass = trajectory.state.flow.x.mass;
    EXPECT_LT(mass.size(), 700u) << "none has merged";
    EXPECT_NEAR(std::accumulate(mass.begin(), mass.end(), 0.0), 1, 1e-12);
    EXPECT_LT(worst, 1e-12);
  }
}

// A density that sharpens like e^t: more modes buy time, and each run says where it stopped.
TEST(MeanField, TheMonitorStopsBeforeAWrongCurve) {
  Measure start;
  start.waves = {{1, 0.2}, {2, 0.1}};
  double stopped[2] = {0, 0};
  for (const int run : {0, 1}) {
    const MeanFieldTrajectory trajectory =
        carry({.beta = 4}, start, {.modes = run == 0 ? 32 : 128}, {.schedule = {.T = 30}});
    EXPECT_EQ(trajectory.outcome.ending, Ending::unresolved);
    EXPECT_NE(trajectory.outcome.what.find("the last modes"), std::string::npos);
    EXPECT_LE(trajectory.steps.back().tail, 1e-8);
    stopped[run] = trajectory.outcome.t;
  }
  EXPECT_GT(stopped[1], stopped[0] + 1);
  EXPECT_LT(stopped[1], 8);
  // Up to there, particles say the same.
  const MeanFieldMethod method{.solver = MeanFieldMethod::quantiles, .particles = 4000};
  const double T = stopped[1] - 0.1;
  const double spectral =
      carry({.beta = 4}, start, {.modes = 128}, {.schedule = {.T = T}}).steps.back().energy;
  EXPECT_NEAR(carry({.beta = 4}, start, method, {.schedule = {.T = T}}).steps.back().energy,
              spectral, 1e-6 * spectral);
}

TEST(MeanField, AStartThatIsNotResolvedStopsAtOnce) {
  Measure sharp;
  sharp.bumps = {{1000, {1, 0}, 1}};
  const MeanFieldTrajectory trajectory =
      carry({.beta = 4}, sharp, {.modes = 32}, {.schedule = {.T = 1}});
  EXPECT_EQ(trajectory.outcome.ending, Ending::unresolved);
  EXPECT_EQ(trajectory.outcome.t, 0);
}

TEST(MeanField, FramesNeverChangeTheSteps) {
  MeanFieldPlan often{.schedule = {.T = 1, .every = 0.01}};
  often.frame = [](const MeanFieldFrame&) {};
  const auto a = carry({.beta = 4}, two_bumps(2), {.modes = 128}, often);
  const auto b = carry({.beta = 4}, two_bumps(2), {.modes = 128}, {.schedule = {.T = 1}});
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) EXPECT_EQ(a.steps[i].energy, b.steps[i].energy);
}

// Left at any step and carried on, also to a larger T, it is the same course bit for bit.
TEST(MeanField, GoesOnWithTheSameBits) {
  for (const int d : {2, 3})
    for (const auto solver : {MeanFieldMethod::spectral, MeanFieldMethod::quantiles}) {
      const MeanField field{.d = d, .beta = 3};
      const MeanFieldMethod method{
          .solver = solver, .modes = d == 2 ? 96 : 40, .particles = 200, .merge = 1e-3};
      std::vector<double> whole, parts;
      const auto into = [](std::vector<double>& seen) {
        return [&seen](const MeanFieldFrame& f) {
          seen.push_back(f.reading.t);
          seen.insert(seen.end(), f.density.begin(), f.density.end());
        };
      };
      const Measure start = d == 2 ? two_bumps(2) : two_bumps(3);
      MeanFieldPlan plan{.schedule = {.T = 0.5, .every = 0.05}, .frame = into(whole)};
      const MeanFieldTrajectory expected = carry(field, start, method, plan);
      ASSERT_TRUE(expected.outcome.ok()) << expected.outcome.what;
      plan.frame = into(parts);
      plan.schedule.T = 0.3;
      int left = 0;
      for (;;) {
        std::size_t steps = 0;
        MeanFieldState state;
        plan.pause = [&](const MeanFieldTrajectory&, const std::function<MeanFieldState()>& fetch) {
          state = fetch();
          return ++steps == 2;
        };
        MeanFieldTrajectory part = carry(field, start, method, plan);
        if (part.outcome.ok() && plan.schedule.T == 0.5) {
          ASSERT_EQ(part.steps.size(), expected.steps.size());
          for (std::size_t i = 0; i < part.steps.size(); ++i) {
            EXPECT_EQ(part.steps[i].t, expected.steps[i].t);
            EXPECT_EQ(part.steps[i].energy, expected.steps[i].energy);
            EXPECT_EQ(part.steps[i].amplitude, expected.steps[i].amplitude);
          }
          break;
        }
        if (part.outcome.ok())
          plan.schedule.T = 0.5;
        else
          part.state = state;
        plan.from = part;
        ++left;
      }
      EXPECT_GT(left, 2) << d;
      EXPECT_EQ(parts, whole) << d;
    }
}

TEST(MeanField, ThreadsNeverShow) {
  double energy[2];
  for (const int run : {0, 1}) {
    MeanFieldMethod method{.solver = MeanFieldMethod::quantiles, .particles = 9000};
    method.threads = run == 0 ? 1 : 3;
    energy[run] =
        carry({.beta = 4}, two_bumps(2), method, {.schedule = {.T = 0.5}}).steps.back().energy;
  }
  EXPECT_EQ(energy[0], energy[1]);
}

TEST(MeanFieldSetup, ReadsMeasures) {
  const MeanFieldSetup waves = setup({"init=modes:1-12:1e-6", "beta=9"});
  EXPECT_EQ(waves.start.waves.size(), 12u);
  EXPECT_EQ(waves.start.waves[11].k, 12);
  const MeanFieldSetup bumps = setup({"init=vmf:20@0*0.25,5@1.5*0.75"});
  ASSERT_EQ(bumps.start.bumps.size(), 2u);
  EXPECT_NEAR(bumps.start.bumps[1].centre[1], std::sin(1.5), 1e-15);
  const MeanFieldSetup sphere = setup({"d=3", "init=vmf:4@0.5/1"});
  EXPECT_NEAR(sphere.start.bumps[0].centre[2], std::cos(0.5), 1e-15);
  EXPECT_EQ(setup({"init=atoms:0*1,2*3", "solver=quantiles"}).start.atoms.size(), 2u);
}

TEST(MeanFieldSetup, RefusesWithASentence) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"init=mode:3"},
                                                {"init=mode:0:1"},
                                                {"init=mode:3:2"},
                                                {"init=vmf:20"},
                                                {"init=vmf:20@x"},
                                                {"init=nowhere"},
                                                {"d=129"},
                                                {"d=4", "init=vmf:3@1"},
                                                {"dynamics=causal", "prefix=1:uniform"},
                                                {"beta=-1"},
                                                {"dynamics=SA", "clock=U2"},
                                                {"save=often"},
                                                {"noise=-1"},
                                                {"noise=1", "solver=quantiles"},
                                                {"kappa=3:1:5"},
                                                {"kappa=1:3:5", "dynamics=SA"}})
    EXPECT_EQ(fault_of([&] { setup(words); }), Fault::input) << words[0];
}

TEST(Measure, DensitiesOnAGridAreChecked) {
  Measure m;
  m.density.assign(64, 1 / (2 * std::numbers::pi));
  EXPECT_NO_THROW(check(m, 2));
  m.density[3] = -0.1;
  std::string text;
  EXPECT_EQ(fault_of([&] { check(m, 2); }, &text), Fault::input);
  EXPECT_NE(text.find("negative"), std::string::npos);
  m.density.assign(64, 1);
  EXPECT_EQ(fault_of([&] { check(m, 2); }, &text), Fault::input);
  EXPECT_NE(text.find("integrates to"), std::string::npos);
  m.rows = 8;
  EXPECT_EQ(fault_of([&] { check(m, 2); }), Fault::input);
  m.density.assign(64, 1 / (4 * std::numbers::pi));
  EXPECT_NO_THROW(check(m, 3));
  m.density[19] = -1;
  EXPECT_EQ(fault_of([&] { check(m, 3); }, &text), Fault::input);
  EXPECT_NE(text.find("cell (2, 3)"), std::string::npos) << text;
  m.rows = 7;
  EXPECT_EQ(fault_of([&] { check(m, 3); }), Fault::input);
}

}  // namespace
}  // namespace murmur
