// meanfield_refusals_test.cpp: mean fields that would go wrong are refused, or stop where they do.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "experiment/meanfield_setup.h"
#include "meanfield/continuum.h"
#include "meanfield/harmonics.h"
#include "meanfield/particles.h"
#include "murmur/meanfield.h"
#include "refused.h"

namespace murmur {
namespace {

using namespace meanfield;

constexpr double kTurn = 2 * std::numbers::pi;

Measure wave(int k, double eps) {
  Measure m;
  m.waves = {{k, eps}};
  return m;
}

// (cells) 1 + eps cos(k theta), per unit of length.
Measure wave_on_cells(int cells, int k, double eps) {
  Measure m;
  for (int i = 0; i < cells; ++i)
    m.density.push_back((1 + eps * std::cos(kTurn * k * i / cells)) / kTurn);
  return m;
}

// Equal bumps evenly around the circle.
Measure ring(int count, double kappa) {
  Measure m;
  for (int b = 0; b < count; ++b)
    m.bumps.push_back({kappa, {std::cos(kTurn * b / count), std::sin(kTurn * b / count)}, 1});
  return m;
}

// What a flight is refused with, all three lines.
std::string refusal(const MeanField& field, const Measure& start, const MeanFieldMethod& method,
                    const Schedule& schedule = {.T = 0.1}) {
  std::string text;
  EXPECT_EQ(fault_of([&] { carry(field, start, method, {.schedule = schedule}); }, &text),
            Fault::input);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  return text;
}

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(Spectrum, IsTheSlowSumOfAnySize) {
  for (const int size : {1, 2, 7, 16, 45, 61, 67, 100, 146}) {
    Wave x(size);
    for (int k = 0; k < size; ++k) x[k] = {std::sin(k + 0.3), std::cos(2.0 * k)};
    const Wave y = spectrum(x);
    ASSERT_EQ(y.size(), x.size());
    for (int g = 0; g < size; ++g) {
      std::complex<double> sum = 0;
      for (int k = 0; k < size; ++k) sum += x[k] * std::polar(1.0, kTurn * (k * g % size) / size);
      EXPECT_NEAR(std::abs(y[g] - sum), 0, 1e-12) << size << " " << g;
    }
  }
}

TEST(MeanFieldStart, WavesAboveTheModesAreRefused) {
  for (const int d : {2, 3}) {
    const std::string text = refusal({.d = d}, wave(20, 0.02), {.modes = 16});
    EXPECT_TRUE(says(text, "mode 20 is above the 16 modes")) << text;
    EXPECT_TRUE(says(text, "modes=40")) << text;
    EXPECT_TRUE(
        carry({.d = d}, wave(20, 1e-6), {.modes = 40}, {.schedule = {.T = 0.1}}).outcome.ok());
  }
}

// Nothing at or below the last degree tells of what is above it.
TEST(MeanFieldStart, WhatLiesAboveTheModesIsSeen) {
  Measure sphere;  // 1 + 0.2 cos(20 phi) sin^20(polar)
  sphere.rows = 64;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j)
      sphere.density.push_back((1 + 0.2 * std::cos(20 * kTurn * j / 64) *
                                        std::pow(std::sin(kTurn * (i + 0.5) / 128), 20)) /
                               (2 * kTurn));
  struct Case {
    int d;
    Measure start;
    int modes, enough;
  };
  for (const auto& [d, start, modes, enough] : {Case{2, wave_on_cells(256, 100, 0.5), 64, 220},
                                                {2, ring(20, 200), 16, 240},
                                                {3, sphere, 16, 60}}) {
    const auto trajectory = carry({.d = d}, start, {.modes = modes}, {.schedule = {.T = 1e-3}});
    EXPECT_EQ(trajectory.outcome.ending, Ending::unresolved) << d << " " << modes;
    EXPECT_EQ(trajectory.outcome.t, 0);
    EXPECT_TRUE(says(trajectory.outcome.what, "above degree " + std::to_string(modes)))
        << trajectory.outcome.what;
    EXPECT_TRUE(says(trajectory.outcome.remedy, "more modes"));
    const auto good = carry({.d = d}, start, {.modes = enough}, {.schedule = {.T = 1e-3}});
    EXPECT_TRUE(good.outcome.ok()) << good.outcome.what;
  }
}

TEST(MeanFieldStart, AGridThatDoesNotResolveItsDensityIsRefused) {
  for (const auto solver : {MeanFieldMethod::spectral, MeanFieldMethod::quantiles}) {
    const MeanFieldMethod method{.solver = solver, .modes = 128, .particles = 2000};
    for (const int k : {30, 32}) {
      const std::string text = refusal({}, wave_on_cells(64, k, 0.5), method);
      EXPECT_TRUE(says(text, "does not resolve")) << text;
    }
    EXPECT_NO_THROW(carry({}, wave_on_cells(64, 20, 0.01), method, {.schedule = {.T = 1e-3}}));
  }
  Measure sphere;  // an azimuthal wave, then a polar one, that the grid can only just tell
  sphere.rows = 16;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j)
      sphere.density.push_back(
          (1 + 0.5 * std::cos(4 * kTurn * j / 8) * std::pow(std::sin(kTurn * (i + 0.5) / 32), 4)) /
          (2 * kTurn));
  EXPECT_TRUE(says(refusal({.d = 3}, sphere, {.modes = 20}), "does not resolve"));
  sphere.density.clear();
  double mass = 0;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      sphere.density.push_back(1 + 0.5 * std::cos(15 * kTurn * (i + 0.5) / 32));
      mass += sphere.density.back() * std::sin(kTurn * (i + 0.5) / 32) * kTurn * kTurn / 2 / 128;
    }
  for (double& p : sphere.density) p /= 2 * kTurn;
  EXPECT_GT(mass, 0);
  EXPECT_TRUE(says(refusal({.d = 3}, sphere, {.modes = 20}), "does not resolve"));
}

TEST(MeanFieldStart, AMillionCellsAreReadAndMoreAreRefused) {
  const auto trajectory =
      carry({}, wave_on_cells(200'000, 3, 0.5), {.modes = 64}, {.schedule = {.T = 1e-3}});
  EXPECT_TRUE(trajectory.outcome.ok());
  EXPECT_NEAR(trajectory.steps.front().amplitude[3], 0.25, 1e-12);
  Measure large;
  large.density.assign(1'048'577, 1 / kTurn);
  EXPECT_TRUE(says(refusal({}, large, {}), "too many cells"));
}

// The last tenth of 16 degrees holds no multiple of 7.
TEST(MeanFieldMonitor, SeesMeasuresOfHighSymmetry) {
  const MeanField field{.beta = 25};
  double stopped[2];
  for (const int run : {0, 1}) {
    const auto trajectory =
        carry(field, wave(7, 0.02), {.modes = run == 0 ? 16 : 48}, {.schedule = {.T = 10}});
    EXPECT_EQ(trajectory.outcome.ending, Ending::unresolved);
    stopped[run] = trajectory.outcome.t;
  }
  EXPECT_GT(stopped[1], 2 * stopped[0]);
  // Up to where it stopped, more modes say the same.
  double energy[2];
  for (const int run : {0, 1}) {
    const auto trajectory = carry(field, wave(7, 0.02), {.modes = run == 0 ? 48 : 256},
                                  {.schedule = {.T = stopped[1]}});
    energy[run] = trajectory.steps.back().energy;
  }
  EXPECT_NEAR(energy[0] / energy[1], 1, 1e-9);
  // Five places to which a perceptron draws, and hardly any attention.
  MeanField drawn{.beta = 0.01};
  Perceptron perceptron{.activation = Perceptron::tanh};
  perceptron.in = zeros(5, 2);
  perceptron.out = zeros(2, 5);
  for (int m = 0; m < 5; ++m)
    for (int k = 0; k < 2; ++k)
      perceptron.in(m, k) = perceptron.out(k, m) =
          3 * (k == 0 ? std::cos(kTurn * m / 5) : std::sin(kTurn * m / 5));
  drawn.perceptron = perceptron;
  EXPECT_EQ(carry(drawn, {}, {.modes = 14}, {.schedule = {.T = 1}}).outcome.ending,
            Ending::unresolved);
}

TEST(MeanFieldMonitor, LetsSmallWavesBe) {
  Measure many;
  for (int k = 1; k <= 12; ++k) many.waves.push_back({k, 1e-6});
  EXPECT_TRUE(carry({.beta = 3, .repulsive = true}, many, {.modes = 16}, {.schedule = {.T = 1}})
                  .outcome.ok());
  EXPECT_TRUE(
      carry({.beta = 3}, wave(9, 1e-6), {.modes = 16}, {.schedule = {.T = 0.1}}).outcome.ok());
  // Where amplitudes fall evenly, products say no more than the last tenth.
  std::vector<double> even;
  for (int k = 0; k <= 100; ++k) even.push_back(std::exp(-0.2 * k));
  EXPECT_EQ(tail_of(kernel_of(2, 4, 101), even), std::exp(-0.2 * 90));
}

TEST(MeanFieldParticles, AGridTooCoarseForItsStartIsRefused) {
  const auto by = [](int particles) {
    return MeanFieldMethod{.solver = MeanFieldMethod::quantiles, .particles = particles};
  };
  Measure narrow;
  narrow.bumps = {{3000, {std::sin(0.3), 0, std::cos(0.3)}, 1}};
  EXPECT_TRUE(says(refusal({.d = 3}, narrow, by(3200)), "too coarse"));
  narrow.bumps[0].kappa = 100;
  EXPECT_NO_THROW(particles_of(narrow, 3, 3200));
  EXPECT_TRUE(says(refusal({.d = 3}, wave(15, 0.05), by(200)), "do not resolve mode 15"));
  EXPECT_TRUE(says(refusal({}, wave(9, 0.5), by(20)), "do not resolve mode 9"));
  EXPECT_TRUE(says(refusal({}, wave(9000, 0.5), by(1'000'000)), "do not resolve mode 9000"));
  EXPECT_TRUE(says(refusal({}, wave(1, 0.5), by(20'000'000)), "give 2 to 10000000"));
  EXPECT_TRUE(says(refusal({}, wave(1, 0.5), by(1)), "give 2 to"));
}

TEST(MeanFieldCheck, BeyondThreeCoordinatesWhatIsNotZonalIsRefused) {
  const MeanFieldMethod pairs{.solver = MeanFieldMethod::quantiles, .particles = 32};
  EXPECT_TRUE(says(refusal({.d = 129}, {}, {}), "use d up to 128"));
  Measure start;
  start.bumps = {{2, {0.6, 0, 0, 0.8}, 1}};
  EXPECT_TRUE(says(refusal({.d = 4}, start, {}), "symmetric about the last axis"));
  EXPECT_TRUE(says(refusal({.d = 4}, start, {}), "at the poles"));
  start.bumps[0].centre = {0, 0, 0, -1};
  EXPECT_NO_THROW(check({.d = 4}, start, {}, {.T = 1}));
  start.bumps[0].kappa = 4000;
  EXPECT_TRUE(says(refusal({.d = 4}, start, pairs), "too few particles for the start"));
  Measure atom;
  atom.atoms = {{{0, 0, 1, 0}, 1}};
  EXPECT_TRUE(says(refusal({.d = 4}, atom, pairs), "symmetric about the last axis"));
  MeanField field{.d = 4};
  field.perceptron = Perceptron{.in = zeros(1, 4), .out = zeros(4, 1)};
  field.perceptron->in(0, 3) = field.perceptron->out(3, 0) = 1;
  EXPECT_NO_THROW(check(field));
  field.perceptron->out(1, 0) = 1;
  EXPECT_TRUE(says(refusal(field, {}, {}), "this perceptron is not"));
  EXPECT_TRUE(says(refusal({.d = 8}, wave(2, 0.1), {}), "amplitudes of 0.571"));  // 2 / 35
  EXPECT_TRUE(says(refusal({.d = 8}, {}, {.modes = 513}), "give 4 to 512"));
  EXPECT_TRUE(says(refusal({.d = 8}, wave(20, 1e-12), pairs), "use particles=40"));
  MeanFieldMethod merging = pairs;
  merging.merge = 0.1;
  EXPECT_TRUE(says(refusal({.d = 8}, {}, merging), "do not merge"));
  merging.merge = 0;
  merging.particles = 9000;
  EXPECT_TRUE(says(refusal({.d = 8}, {}, merging), "give 2 to 8192"));
  EXPECT_TRUE(says(refusal({.d = 8}, wave_on_cells(64, 1, 0.1), {}), "use d=2 or d=3"));
}

TEST(MeanFieldCheck, PromptsWithoutMeaningAreRefused) {
  const MeanField causal{.causal = true};
  Measure start;
  start.before = {{0.5, {}}};
  EXPECT_TRUE(says(refusal({}, start, {}), "dynamics=causal"));
  EXPECT_NO_THROW(check(causal, start, {}, {.T = 1}));
  for (const double until : {0.0, 0.4, 1.0, -1.0}) {
    Measure off = start;
    off.before.push_back({until, {}});
    EXPECT_TRUE(says(refusal(causal, off, {}), "above 0 and below 1")) << until;
  }
  Measure nested = start;
  nested.before[0].law.before = {{0.2, {}}};
  EXPECT_TRUE(says(refusal(causal, nested, {}), "labels of the prefix are out of range"));
  start.before[0].law = wave(600, 0.1);
  EXPECT_TRUE(says(refusal(causal, start, {}), "mode 600 is above"));
  start.before[0].law = {};
  EXPECT_TRUE(says(refusal(causal, start, {.labels = 1}), "give 2 to 1024"));
  MeanFieldMethod pairs{.solver = MeanFieldMethod::quantiles, .particles = 5000};
  EXPECT_TRUE(says(refusal(causal, start, pairs), "too many"));
  pairs.particles = 50;
  EXPECT_TRUE(says(refusal({.d = 3, .causal = true}, start, pairs), "use solver=spectral"));
}

TEST(MeanFieldCheck, PerceptronsHaveTheShapesOfTheSphere) {
  const auto refused = [](int d, const Perceptron& perceptron) {
    MeanField field{.d = d};
    field.perceptron = perceptron;
    std::string text;
    EXPECT_EQ(fault_of([&] { check(field); }, &text), Fault::input);
    return text;
  };
  Perceptron good;
  good.in = zeros(4, 2);
  good.out = zeros(2, 4);
  MeanField field;
  field.perceptron = good;
  EXPECT_NO_THROW(check(field));
  EXPECT_TRUE(says(refused(3, good), "perceptron in has shape (4, 2)"));
  Perceptron bad = good;
  bad.out = zeros(2, 3);
  EXPECT_TRUE(says(refused(2, bad), "perceptron out has shape (2, 3)"));
  bad = good;
  bad.in_bias = {1, 2};
  EXPECT_TRUE(says(refused(2, bad), "in_bias has 2 entries"));
  bad = good;
  bad.in.data.pop_back();
  EXPECT_TRUE(says(refused(2, bad), "shape (4, 2) holds 7 numbers"));
  bad = good;
  bad.out(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(says(refused(2, bad), "not finite"));
}

TEST(MeanFieldCheck, MeasuresAndFlightsWithoutMeaningAreRefused) {
  Measure heavy;
  heavy.bumps = {{2, {1, 0}, 1e308}, {3, {0, 1}, 1e308}};
  EXPECT_TRUE(says(refusal({}, heavy, {}), "finite sum"));
  Measure rowless;
  rowless.rows = 3;
  EXPECT_TRUE(says(refusal({.d = 3}, rowless, {}), "no cells"));
  Measure both = wave_on_cells(64, 1, 0.1);
  both.waves = {{3, 0.1}};
  EXPECT_TRUE(says(refusal({}, both, {}), "cannot be combined"));
  const Measure start = wave(1, 0.1);
  EXPECT_TRUE(says(refusal({}, start, {}, {.T = 1, .every = 1e-300}), "frames"));
  EXPECT_TRUE(says(refusal({}, start, {}, {.T = 1, .every = HUGE_VAL}), "frames"));
  EXPECT_TRUE(says(refusal({}, start, {}, {.T = 0}), "T"));
  MeanFieldMethod method{.solver = MeanFieldMethod::quantiles, .particles = 100, .merge = 2.5};
  EXPECT_TRUE(says(refusal({}, start, method), "merge = 2.5"));
  method.merge = -1;
  EXPECT_TRUE(says(refusal({}, start, method), "merge = -1"));
  EXPECT_TRUE(says(refusal({}, start, {.tolerance = {2, 1e-9}}), "tolerances"));
}

TEST(MeanFieldStop, AReLUIsToldItsOwnRemedy) {
  MeanField field{.beta = 4};
  Perceptron perceptron;
  perceptron.in = zeros(1, 2);
  perceptron.in(0, 0) = 1;
  perceptron.out = zeros(2, 1);
  perceptron.out(1, 0) = 1;
  field.perceptron = perceptron;
  const auto kinked = carry(field, wave(1, 0.1), {.modes = 128}, {.schedule = {.T = 1}});
  EXPECT_EQ(kinked.outcome.ending, Ending::unresolved);
  EXPECT_TRUE(says(kinked.outcome.remedy, "ReLU")) << kinked.outcome.remedy;
  EXPECT_FALSE(says(kinked.outcome.remedy, "more modes"));
  const MeanFieldMethod quantiles{.solver = MeanFieldMethod::quantiles, .particles = 1000};
  EXPECT_TRUE(carry(field, wave(1, 0.1), quantiles, {.schedule = {.T = 1}}).outcome.ok());
}

// Where the flight stops between two scheduled frames, what it was last sure of is kept.
TEST(MeanFieldStop, KeepsItsLastGoodFrame) {
  MeanFieldPlan plan{.schedule = {.T = 30}};
  std::vector<double> times;
  plan.frame = [&](const MeanFieldFrame& f) { times.push_back(f.reading.t); };
  const auto trajectory = carry({.beta = 4}, wave(1, 0.3), {.modes = 48}, plan);
  EXPECT_EQ(trajectory.outcome.ending, Ending::unresolved);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0], trajectory.outcome.t);
  EXPECT_EQ(times[0], trajectory.steps.back().t);
  times.clear();
  const auto few = carry({.beta = 4}, wave(1, 0.3), {.modes = 48, .max_evaluations = 20}, plan);
  EXPECT_EQ(few.outcome.ending, Ending::too_many_evaluations);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0], few.outcome.t);
}

// The uniform law takes long steps; frames inside one are left at any of them.
TEST(MeanFieldPause, ReachesIntoAStep) {
  for (const auto solver : {MeanFieldMethod::spectral, MeanFieldMethod::quantiles}) {
    int frames = 0;
    MeanFieldPlan plan{.schedule = {.T = 1, .every = 0.001}};
    plan.frame = [&](const MeanFieldFrame&) { ++frames; };
    plan.pause = [&](const MeanFieldTrajectory&, const std::function<MeanFieldState()>&) {
      return frames >= 100;
    };
    const MeanFieldMethod method{.solver = solver, .modes = 32, .particles = 100};
    const auto trajectory = carry({.beta = 1}, {}, method, plan);
    EXPECT_EQ(trajectory.outcome.ending, Ending::interrupted);
    EXPECT_EQ(frames, 100);
    EXPECT_EQ(trajectory.state.flow.next_frame, 100);
  }
}

TEST(MeanFieldWords, ThoseWithoutEffectAreRefused) {
  const auto refused = [](const std::vector<std::string>& words) {
    std::string text;
    EXPECT_EQ(
        fault_of([&] { make_meanfield(gather({.assignments = words}, meanfield_parameters())); },
                 &text),
        Fault::input)
        << words.back();
    return text;
  };
  EXPECT_TRUE(says(refused({"merge=0.1"}), "no effect on the spectral"));
  EXPECT_TRUE(says(refused({"particles=100"}), "no effect on the spectral"));
  EXPECT_TRUE(says(refused({"solver=quantiles", "modes=64"}), "no effect on particles"));
  EXPECT_TRUE(says(refused({"activation=tanh"}), "without a perceptron"));
  EXPECT_TRUE(says(refused({"seed=3"}), "nothing is random"));
  EXPECT_TRUE(says(refused({"replica=3"}), "nothing is random"));
  EXPECT_TRUE(says(refused({"save=every:1e-300"}), "frames"));
  EXPECT_TRUE(says(refused({"solver=quantiles", "merge=3"}), "at most 2"));
  EXPECT_TRUE(says(refused({"init=mode:20:0.02", "modes=16"}), "mode 20"));
  EXPECT_NO_THROW(make_meanfield(
      gather({.assignments = {"perceptron=gaussian:4", "activation=tanh", "seed=3", "T=1"}},
             meanfield_parameters())));
}

}  // namespace
}  // namespace murmur
