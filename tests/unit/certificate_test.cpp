// certificate_test.cpp: certificates are held against what is at stake, and say no more than that.
#include <gtest/gtest.h>

#include <cmath>

#include "closed_forms.h"
#include "experiment/landscape_setup.h"
#include "landscape_support.h"
#include "murmur/landscape.h"
#include "murmur/theory.h"

namespace murmur {
namespace {

using testing::polygon;
using testing::random_atoms;
using testing::random_landscape;

Landscape with_kernel(Landscape l, Landscape::Kernel kernel) {
  l.kernel = kernel;
  return l;
}

// One ReLU unit along the first axis under descent: V = omega (x_1)_+^2 / 2.
Landscape one_unit(int d, double beta, double omega) {
  Landscape l{.d = d, .beta = beta, .kernel = Landscape::scaled, .direction = Landscape::descent};
  l.a = zeros(1, d);
  l.a(0, 0) = 1;
  l.omega = {omega};
  return l;
}

Atoms dirac(int d, int axis, double sign) {
  Atoms mu{zeros(1, d), {1}};
  mu.x(0, axis) = sign;
  return mu;
}

// Atom i turned by an angle in the plane of the first two coordinates.
Atoms turned(Atoms mu, int i, double angle) {
  const double x = mu.x(i, 0), y = mu.x(i, 1);
  mu.x(i, 0) = std::cos(angle) * x - std::sin(angle) * y;
  mu.x(i, 1) = std::sin(angle) * x + std::cos(angle) * y;
  return mu;
}

TEST(AboveUniform, IsTheDifferenceOfTheEnergies) {
  for (const int d : {2, 3, 5})
    for (const double beta : {0.3, 2.0, 9.0})
      for (const auto kernel : {Landscape::plain, Landscape::scaled}) {
        const Landscape l{.d = d, .beta = beta, .kernel = kernel};
        const Atoms mu = random_atoms(d, 7, 3);
        const double unit = kernel == Landscape::scaled ? std::exp(-beta) : 1;
        EXPECT_NEAR(energy_above_uniform(l, mu),
                    energy(l, mu) - unit * theory::uniform_energy(d, beta),
                    1e-13 * energy_scale(l) / beta)
            << d << " " << beta;
      }
}

// Many tokens evenly on the circle are as good as the uniform law, whatever the units.
TEST(AboveUniform, KnowsTheMeanOfThePotential) {
  for (const auto activation : {Perceptron::relu, Perceptron::gelu, Perceptron::tanh}) {
    Landscape l = random_landscape({.d = 2, .beta = 2}, 3, 8);
    l.activation = activation;
    for (double& value : l.a.data) value *= 3;
    EXPECT_NEAR(energy_above_uniform(l, polygon(1500)), 0,
                activation == Perceptron::relu ? 1e-8 : 1e-13);
  }
  // On S^2 a coordinate is uniform: the mean of ln cosh by the midpoint rule.
  Landscape l = one_unit(3, 1, 2);
  l.activation = Perceptron::tanh;
  constexpr int kParts = 20'000;
  double mean = 0;
  for (int k = 0; k < kParts; ++k)
    mean += primitive(Perceptron::tanh, -1 + 2 * (k + 0.5) / kParts) / kParts;
  const Landscape alone{.d = 3, .beta = 1, .kernel = Landscape::scaled};
  const Atoms mu = random_atoms(3, 4, 1);
  double v = 0;
  for (int i = 0; i < 4; ++i) v += mu.mass[i] * 2 * primitive(Perceptron::tanh, mu.x(i, 0));
  EXPECT_NEAR(energy_above_uniform(l, mu) - energy_above_uniform(alone, mu), v - 2 * mean, 1e-9);
}

// Of k tokens evenly on the circle only the modes k, 2k, ... are left: far below the rounding of
// their energy.
TEST(AboveUniform, TellsAPolygonFromTheUniformLaw) {
  for (const int k : {8, 24, 40}) {
    const double above = energy_above_uniform({.d = 2, .beta = 2}, polygon(k));
    const double expected = theory::eigenvalue(2, 2, k) / 2;
    if (expected > 1e-29) {
      EXPECT_NEAR(above / expected, 1, 1e-3) << k;
    } else {
      EXPECT_LT(std::fabs(above), 1e-28) << k;
    }
  }
}

TEST(Certificates, TellAKnownMinimiser) {
  for (const int d : {2, 3}) {
    const Landscape l = one_unit(d, 0.1, -8);  // F is about x_1 - 4 (x_1)_+^2
    const Certificate c = certify(l, dirac(d, 0, 1));
    EXPECT_TRUE(c.holds) << name_of(c.reason);
    EXPECT_STREQ(answer_of(c), "certified");
    EXPECT_FALSE(c.moved_by_symmetry);  // rotations leave the axis where it is
    EXPECT_GE(c.bound, c.duality_gap + c.rounding);
    EXPECT_LE(c.bound, c.tolerance);
    EXPECT_DOUBLE_EQ(c.tolerance, 1e-8 * c.stake);
    EXPECT_LE(c.stake, 4.000001);  // the range of V
    const Certificate wrong = certify(l, dirac(d, 0, -1)), beside = certify(l, dirac(d, 1, 1));
    EXPECT_TRUE(wrong.fails && beside.fails);
    EXPECT_FALSE(wrong.holds || beside.holds);
  }
}

// A little off the best measure in place or mass, by what matters to the energy in the ninth digit.
TEST(Certificates, RefuteWhatIsNotBest) {
  for (const auto kernel : {Landscape::plain, Landscape::scaled})
    for (int trial = 0; trial < 4; ++trial) {
      Landscape l = with_kernel(random_landscape({.d = 2, .beta = 3}, 3, 60 + trial), kernel);
      l.direction = Landscape::descent;
      const CriticalPoint best = best_measure(l, {.masses = Masses::free, .n = 48});
      EXPECT_TRUE(best.certificate.holds && best.second_order) << trial;
      EXPECT_LT(best.above_uniform, 0) << trial;
      EXPECT_FALSE(certify(l, turned(best.mu, 0, 1e-3)).holds) << trial;
      EXPECT_TRUE(certify(l, turned(best.mu, 0, 1e-2)).fails) << trial;
      if (best.mu.count() == 1) continue;
      Atoms heavier = best.mu;
      heavier.mass[0] += 1e-4;
      heavier.mass[1] -= 1e-4;
      EXPECT_TRUE(certify(l, heavier).fails) << trial;
    }
}

// e^beta above what V can add: a gap that is small beside it may be all that is at stake.
TEST(Certificates, AreNotGivenToMeasuresThatTheUniformLawBeats) {
  for (const double beta : {12.0, 26.4, 40.0})
    for (const int atoms : {24, 54}) {
      Landscape l = random_landscape({.d = 2, .beta = beta}, 2, 5);
      l.direction = Landscape::descent;
      const Atoms mu = turned(polygon(atoms), 0, 1e-4);
      const Certificate c = certify(l, mu);
      EXPECT_FALSE(c.holds) << beta << " " << atoms;
      if (energy_above_uniform(l, mu) > 1e-6) {
        EXPECT_TRUE(c.fails) << beta << " " << atoms;
      }
    }
}

TEST(Certificates, AreOpenWhereDoublePrecisionCannotTell) {
  for (const double beta : {16.0, 22.0, 30.0, 60.0}) {
    Landscape l = random_landscape({.d = 2, .beta = beta}, 2, 5);
    l.direction = Landscape::descent;
    const Certificate c = certify(l, polygon(64));
    EXPECT_FALSE(c.holds) << beta;
    EXPECT_GT(c.rounding, c.tolerance) << beta;
    EXPECT_LE(c.stake, 3) << beta;
  }
}

// No gap, and yet a way up: mass may move from one atom to another.
TEST(Certificates, HoldAtNoSaddle) {
  const Landscape l{.d = 2, .beta = 4};
  const Certificate one = certify(l, polygon(1)), two = certify(l, polygon(2));
  EXPECT_TRUE(one.holds);
  EXPECT_NEAR(one.shortfall, 0, 1e-15);
  EXPECT_TRUE(two.fails);
  EXPECT_FALSE(two.holds);
  EXPECT_EQ(two.reason, Certificate::Reason::unstable);
  EXPECT_LE(two.bound, two.tolerance);
  EXPECT_NEAR(two.shortfall, energy(l, polygon(1)) - energy(l, polygon(2)), 1e-13);
}

// Under descent the bound of the gap is a proof by itself. A trace of mass where F is greatest, of
// which second-order conditions disapprove, costs less than the tolerance.
TEST(Certificates, NeedNoSecondOrderWhereTheEnergyIsConvex) {
  Landscape l = random_landscape({.d = 2, .beta = 3}, 3, 60);
  l.direction = Landscape::descent;
  Atoms mu = best_measure(l, {.masses = Masses::free, .n = 48}).mu;
  ASSERT_TRUE(certify(l, mu).holds);
  double most = -1e300;
  Vector top(2);
  for (int k = 0; k < 360; ++k) {
    const Vector x = {std::cos(k * 0.01745), std::sin(k * 0.01745)};
    const double f = first_variation(l, mu, x);
    if (f > most) top = x;
    most = std::max(most, f);
  }
  const double trace = 1e-3 * certify(l, mu).tolerance;
  for (double& mass : mu.mass) mass *= 1 - trace;
  mu.mass.push_back(trace);
  mu.x.rows += 1;
  mu.x.data.insert(mu.x.data.end(), top.begin(), top.end());
  EXPECT_FALSE(describe(l, mu, 0).second_order);
  const Certificate c = certify(l, mu);
  EXPECT_LE(c.bound, c.tolerance);
  EXPECT_TRUE(c.holds) << name_of(c.reason);
}

TEST(Certificates, SayWhereAtomsStandForAnOrbit) {
  const Atoms mu = random_atoms(3, 10, 4);
  EXPECT_TRUE(certify(one_unit(3, 1, -1), mu).moved_by_symmetry);
  EXPECT_FALSE(certify(one_unit(3, 1, -1), dirac(3, 0, 1)).moved_by_symmetry);
  EXPECT_FALSE(certify(one_unit(2, 1, -1), random_atoms(2, 4, 4)).moved_by_symmetry);
  Landscape two = random_landscape({.d = 3, .beta = 1}, 2, 1);
  two.direction = Landscape::descent;
  EXPECT_FALSE(certify(two, mu).moved_by_symmetry);
  Landscape up = one_unit(3, 1, -1);
  up.direction = Landscape::ascent;
  EXPECT_FALSE(certify(up, mu).moved_by_symmetry);
}

TEST(Certificates, AreReadBackAndOldOnesLeaveTheStakeUnknown) {
  Landscape l = random_landscape({.d = 2, .beta = 2}, 2, 7);
  l.direction = Landscape::descent;
  Search search{.points = {best_measure(l, {.masses = Masses::free, .n = 16})}};
  nlohmann::json told = json_of(l, search);
  const Certificate& was = search.points[0].certificate;
  const Search again = search_of(KeptJson::parse(told.dump(), "points.json"), 2);
  const Certificate& is = again.points[0].certificate;
  EXPECT_EQ(is.stake, was.stake);
  EXPECT_EQ(is.tolerance, was.tolerance);
  EXPECT_EQ(is.rounding, was.rounding);
  EXPECT_EQ(is.reason, was.reason);
  EXPECT_EQ(is.holds, was.holds);
  for (const char* key : {"above_uniform", "stake", "tolerance", "rounding", "shortfall", "answer",
                          "reason", "moved_by_symmetry"})
    told["points"][0].erase(key);
  told.erase("claim");
  const CriticalPoint old = search_of(KeptJson::parse(told.dump(), "points.json"), 2).points[0];
  EXPECT_TRUE(std::isnan(old.certificate.stake) && std::isnan(old.above_uniform));
  EXPECT_EQ(old.certificate.holds, was.holds);
}

}  // namespace
}  // namespace murmur
