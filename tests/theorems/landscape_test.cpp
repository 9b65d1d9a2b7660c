// landscape_test.cpp: critical points of the energy against what is proved or known of them.
#include "murmur/landscape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "closed_forms.h"
#include "landscape_support.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "support.h"

namespace murmur {
namespace {

using testing::equal_atoms;
using testing::polygon;
using testing::random_atoms;
using testing::random_landscape;

HostSwarm swarm_of(const Atoms& mu) {
  HostSwarm x({mu.count(), mu.x.cols});
  for (int i = 0; i < mu.count(); ++i) {
    x.mass[i] = mu.mass[i];
    for (int k = 0; k < mu.x.cols; ++k) x.at(i, k) = mu.x(i, k);
  }
  return x;
}

// Attention of that weighting and, beside plain one, the perceptron whose potential V is.
Dynamics dynamics_of(const Landscape& l, Attention::Weighting weighting) {
  Dynamics dynamics;
  dynamics.sublayers.push_back({{Attention{.beta = l.beta, .weighting = weighting}}});
  if (!l.a.empty()) {
    Perceptron p{.in = l.a, .out = zeros(l.d, l.a.rows), .activation = l.activation};
    for (int m = 0; m < l.a.rows; ++m)
      for (int k = 0; k < l.d; ++k) p.out(k, m) = l.omega[m] * l.a(m, k);
    dynamics.sublayers.push_back({{p}});
  }
  if (l.kernel == Landscape::scaled) dynamics.clock = Clock::u2;
  return dynamics;
}

double share_off(double value, double expected) { return std::fabs(value - expected) / expected; }

// dE/dt = (1/n) sum |x_i'|^2 under USA, (1/n^2) sum_i Z_i |x_i'|^2 under SA: 2312.10794.
TEST(LandscapeEnergy, GrowsAtTheRateOfTheSquaredVelocities) {
  const int n = 20;
  for (const bool perceptron : {false, true})
    for (const auto weighting : {Attention::unnormalised, Attention::softmax}) {
      if (perceptron && weighting == Attention::softmax) continue;  // no gradient of this energy
      const Landscape l = random_landscape({.d = 3, .beta = 3}, perceptron ? 4 : 0, 2);
      const Atoms mu = equal_atoms(3, n, 4);
      const HostSwarm x = swarm_of(mu),
                      v = testing::velocity(*make_reference_engine(), dynamics_of(l, weighting), x);
      double rate = 0;
      for (int i = 0; i < n; ++i) {
        double square = 0, z = 0;
        for (int k = 0; k < 3; ++k) square += v.at(i, k) * v.at(i, k);
        for (int j = 0; j < n; ++j) z += std::exp(l.beta * testing::dot(x, i, j));
        rate += weighting == Attention::unnormalised ? square / n : z * square / (n * n);
      }
      const auto at = [&](double h) {
        Atoms next = mu;
        for (int i = 0; i < n; ++i) {
          double square = 0;
          for (int k = 0; k < 3; ++k) {
            next.x(i, k) += h * v.at(i, k);
            square += next.x(i, k) * next.x(i, k);
          }
          for (int k = 0; k < 3; ++k) next.x(i, k) /= std::sqrt(square);
        }
        return energy(l, next);
      };
      const double h = 1e-4;
      const double numeric = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_LT(share_off(numeric, rate), 1e-8);
    }
}

TEST(LandscapeEnergy, IsTheObservable) {
  for (const auto activation : {Perceptron::relu, Perceptron::gelu, Perceptron::tanh})
    for (const auto kernel : {Landscape::plain, Landscape::scaled}) {
      Landscape l = random_landscape({.d = 3, .beta = 2.5, .kernel = kernel}, 5, 8);
      l.activation = activation;
      const Atoms mu = random_atoms(3, 7, 3);
      const Dynamics dynamics = dynamics_of(l, Attention::unnormalised);
      const auto row = observe(swarm_of(mu), dynamics, {});
      EXPECT_NEAR(row[observable_column(dynamics, "energy")], energy(l, mu),
                  1e-13 * energy_scale(l));
      const Matrix g = slope(l, mu);
      const HostSwarm v = testing::velocity(*make_reference_engine(), dynamics, swarm_of(mu));
      for (int i = 0; i < 7; ++i)
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(g(i, k), v.at(i, k), 1e-13 * energy_scale(l));
    }
}

// The energy is read along the path by the observables' own sums, not by those that kept its steps.
TEST(LandscapeFlow, NeverTurnsBack) {
  int violations = 0;
  std::size_t steps = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Draw draw{.seed = 77, .particle = static_cast<std::uint32_t>(trial)};
    Landscape l{.d = 2 + trial % 3,
                .beta = std::exp(std::log(0.1) + std::log(300.0) * draw.uniform(0)),
                .kernel = trial % 2 == 0 ? Landscape::plain : Landscape::scaled};
    l.direction = trial % 4 < 2 ? Landscape::ascent : Landscape::descent;
    l = random_landscape(l, trial % 5, 100 + trial);
    l.activation = static_cast<Perceptron::Activation>(trial % 3);
    const double sign = l.direction == Landscape::ascent ? 1 : -1;
    const Dynamics dynamics = dynamics_of(l, Attention::unnormalised);
    // Without a perceptron the observable is told with the plain kernel in every clock.
    const bool tells_scaled = l.kernel == Landscape::plain || l.a.rows > 0;
    const double unit = tells_scaled ? 1 : std::exp(-l.beta);
    const auto told = [&](const Atoms& mu) {
      return unit * observe(swarm_of(mu), dynamics, {})[observable_column(dynamics, "energy")];
    };
    const Atoms start = random_atoms(l.d, 2 + trial % 9, trial);
    double before = told(start);
    std::size_t taken = 0;
    for (const int most : {1, 2, 3, 5, 10, 20, 50, 200}) {
      const Climb path =
          climb(l, start, {.tolerance = 1e-2, .gradient = 1e-10, .most_steps = most});
      const double now = told(path.mu);
      if (!(sign * (now - before) >= -1e-13 * energy_scale(l))) ++violations;
      EXPECT_NEAR(now, path.energies.back(), 1e-12 * energy_scale(l));
      before = now;
      taken = path.energies.size() - 1;
    }
    steps += taken;
  }
  EXPECT_EQ(violations, 0);
  EXPECT_GT(steps, 30'000u);
}

// At h small the steps are those of the flow: the equiangular reduction of USA tells the cosine.
TEST(LandscapeFlow, FollowsTheFlow) {
  Atoms mu{scaled_identity(4, 1), Vector(4, 0.25)};
  const Climb path =
      climb({.d = 4, .beta = 1}, mu, {.tolerance = 1e-7, .most_steps = 100'000, .most_time = 0.5});
  double cosine = 0;
  for (int k = 0; k < 4; ++k) cosine += path.mu.x(0, k) * path.mu.x(1, k);
  EXPECT_DOUBLE_EQ(path.times.back(), 0.5);
  EXPECT_NEAR(cosine, theory::cosine({.n = 4, .beta = 1, .law = theory::Law::usa}, 0.5), 1e-5);
}

TEST(LandscapeSpectrum, PolygonsEscapeAtTheKnownRates) {
  for (const double beta : {2.0, 4.0, 7.0})
    for (const int k : {2, 3, 4, 5, 6, 7}) {
      const CriticalPoint point = describe({.d = 2, .beta = beta}, polygon(k), k);
      Vector rates = {0};
      for (int m = 1; m < k; ++m)
        rates.push_back(theory::escape_rate({.k = k, .beta = beta, .law = theory::Law::usa}, m));
      std::sort(rates.begin(), rates.end());
      double z = 0;  // mean of e^{beta cos}: turns rates of USA into those of SA
      for (int j = 0; j < k; ++j) z += std::exp(beta * std::cos(2 * std::numbers::pi * j / k)) / k;
      for (int m = 0; m < k; ++m)
        EXPECT_NEAR(point.spectrum[m], rates[m], 1e-13 * std::exp(beta)) << beta << " " << k;
      EXPECT_NEAR(point.spectrum.back() / z, theory::fastest_escape({.k = k, .beta = beta}).rate,
                  1e-12);
      EXPECT_EQ(point.zeros, 1);
      EXPECT_LT(point.gradient_norm, 1e-15);
    }
}

// Tokens that share an atom: eigenvalues of the small problem and of the splitting moves are those
// of all tokens.
TEST(LandscapeSpectrum, OfAtomsIsThatOfTheirTokens) {
  const Landscape l = random_landscape({.d = 3, .beta = 2}, 3, 6);
  const Atoms two = equal_atoms(3, 2, 1);
  Atoms atoms{two.x, {0.6, 0.4}}, tokens{zeros(5, 3), Vector(5, 0.2)};
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 3; ++k) tokens.x(i, k) = two.x(i < 3 ? 0 : 1, k);
  const CriticalPoint few = describe(l, atoms, 5), all = describe(l, tokens, 5);
  ASSERT_EQ(few.spectrum.size(), 10u);
  for (int e = 0; e < 10; ++e)
    EXPECT_NEAR(few.spectrum[e], all.spectrum[e], 1e-13 * energy_scale(l));
}

// d(d-1)/2 - (d-r)(d-r-1)/2 rotations move atoms that span r dimensions.
TEST(LandscapeSpectrum, RotationsAreZeros) {
  for (const int d : {2, 3, 4})
    for (const auto direction : {Landscape::ascent, Landscape::descent}) {
      Landscape l{.d = d, .beta = 3};
      l.direction = direction;
      const Search search = critical_points(l, {.n = 12, .starts = 20});
      EXPECT_LE(search.lost, 5);  // least squares may end in a dale of |grad E|^2
      for (const CriticalPoint& point : search.points) {
        const int r = std::min(point.mu.count(), d);  // atoms in general position, or fewer
        EXPECT_LE(point.expected_zeros, d * (d - 1) / 2 - (d - r) * (d - r - 1) / 2);
        EXPECT_GE(point.expected_zeros, d - 1);
        EXPECT_GE(point.zeros, point.expected_zeros) << d << " " << point.energy;
        EXPECT_LE(point.gradient_norm, 1e-12);
        EXPECT_EQ(point.spectrum.size(), 12u * (d - 1));
      }
    }
}

const CriticalPoint* with_energy(const Search& search, double energy, int count) {
  for (const CriticalPoint& point : search.points)
    if (point.mu.count() == count && std::fabs(point.energy - energy) < 1e-9 * std::fabs(energy))
      return &point;
  return nullptr;
}

// One point is the maximiser; the antipodal pair and the regular polygons are saddles on the way.
TEST(LandscapeSearch, FindsTheKnownRestPoints) {
  const Landscape l{.d = 2, .beta = 4};
  const Search search = critical_points(l, {.n = 60, .starts = 160});
  for (const int k : {1, 2, 3, 4, 5}) {
    const double expected = energy(l, polygon(k));
    const CriticalPoint* point = with_energy(search, expected, k);
    ASSERT_NE(point, nullptr) << k;
    EXPECT_EQ(point->index, k == 1 ? 0 : describe(l, polygon(k), 60).index);
    EXPECT_EQ(point->second_order, k == 1);
    const Certificate& c = point->certificate;
    EXPECT_LE(c.bound, c.tolerance) << k;  // F is greatest at the corners
    EXPECT_LE(c.tolerance, 1e-8 * energy_scale(l));
    EXPECT_EQ(c.holds, k == 1) << k;  // and yet the others are saddles
    EXPECT_EQ(c.fails, k != 1) << k;
  }
  EXPECT_EQ(search.points.front().mu.count(), 1);
  EXPECT_NEAR(search.points.front().energy, std::exp(4.0) / 8, 1e-13 * std::exp(4.0));
}

// Apart from each other clusters at large beta hardly move, but move: the search tells none of them
// as at rest, and knows the pair's way out, which is slower than its atoms' by e^{-2 beta}.
TEST(LandscapeSearch, TellsMetastableFromRest) {
  for (const double beta : {4.0, 12.0, 30.0, 100.0}) {
    const Landscape l{.d = 2, .beta = beta};
    const Search search = critical_points(l, {.n = 8, .starts = 40});
    const CriticalPoint* pair = nullptr;
    for (const CriticalPoint& point : search.points) {
      EXPECT_LE(point.balance, 1e-9);
      if (point.mu.count() != 2) continue;
      const double cosine =
          point.mu.x(0, 0) * point.mu.x(1, 0) + point.mu.x(0, 1) * point.mu.x(1, 1);
      EXPECT_NEAR(cosine, -1, 1e-12) << beta;
      EXPECT_EQ(point.index, 1) << beta;
      EXPECT_FALSE(point.second_order);
      if (point.mu.mass[0] == 0.5) pair = &point;
    }
    ASSERT_NE(pair, nullptr) << beta;
    // Rate of softmax attention, n^2 eigenvalue / sum_j e^{beta cos} = 1 - tanh beta for two.
    EXPECT_NEAR(pair->spectrum.back() / (std::exp(beta) + std::exp(-beta)) * 2,
                2 / (std::exp(2 * beta) + 1), 1e-12 * 2 / (std::exp(2 * beta) + 1));
  }
}

// Under descent alone the uniform law is best, E = lambda_0 / (2 beta), and no measure is farther
// from it than its duality gap.
TEST(LandscapeSearch, GapsBoundTheEnergyUnderDescent) {
  for (const int d : {2, 3}) {
    Landscape l{.d = d, .beta = 2};
    l.direction = Landscape::descent;
    const double best = theory::uniform_energy(d, l.beta);
    const Search search = critical_points(l, {.n = 24, .starts = 12});
    for (const CriticalPoint& point : search.points) {
      EXPECT_GE(point.energy, best - 1e-12);
      EXPECT_LE(point.energy - best, point.certificate.bound);
    }
    // 24 tokens are exact for e^{beta x.y} up to degree 23 on the circle, 7 on S^2 (a design).
    EXPECT_LT(search.points.front().energy - best, d == 2 ? 1e-12 : 1e-5);
    EXPECT_TRUE(search.points.front().second_order);
  }
}

// 2601.21366: on the circle, beside ReLU units, a stationary measure is a finite sum of Diracs. The
// minimiser is one measure, so however many tokens start, as many atoms come out.
TEST(LandscapeMeasures, AtomsDoNotDependOnTheNumberOfTokens) {
  constexpr int kWeights = 30;
  int same = 0;
  for (int trial = 0; trial < kWeights; ++trial) {
    const double beta = trial % 3 == 0 ? 2 : trial % 3 == 1 ? 5 : 12;
    Landscape l = random_landscape({.d = 2, .beta = beta, .kernel = Landscape::scaled},
                                   2 + trial % 4, 500 + trial);
    l.direction = Landscape::descent;
    std::vector<int> counts;
    for (const int n : {64, 128, 256}) {
      const CriticalPoint point = best_measure(l, {.masses = Masses::free, .n = n, .threads = 1});
      counts.push_back(point.mu.count());
      EXPECT_TRUE(point.certificate.holds)
          << trial << " n=" << n << ": " << point.certificate.bound;
      EXPECT_LE(point.gradient_norm, 1e-12) << trial << " n=" << n;
      EXPECT_TRUE(point.second_order) << trial << " n=" << n;
      const Localisation where = localise(l, point.mu);
      EXPECT_LE(where.arc_mass, std::min(1.0, where.arc_mass_bound) + 1e-12);
    }
    if (counts[0] == counts[1] && counts[1] == counts[2])
      ++same;
    else
      std::printf("weights %d: %d, %d, %d atoms from 64, 128, 256 tokens\n", trial, counts[0],
                  counts[1], counts[2]);
  }
  EXPECT_GE(same, 0.95 * kWeights);
}

// 2601.21366: maximisers of E are Diracs at maxima of the potential.
TEST(LandscapeMeasures, MaximisersAreDiracsAtMaximaOfThePotential) {
  for (int trial = 0; trial < 10; ++trial) {
    Landscape l = random_landscape({.d = 2 + trial % 2, .beta = 3}, 4, 40 + trial);
    l.activation = trial % 4 < 2 ? Perceptron::relu : Perceptron::gelu;
    const CriticalPoint point = best_measure(l, {.masses = Masses::free, .n = 24});
    ASSERT_EQ(point.mu.count(), 1);
    EXPECT_TRUE(point.certificate.holds);
    EXPECT_TRUE(point.second_order);
    EXPECT_LE(point.gradient_norm, 1e-12);
    // V alone is the energy of one atom, but for a constant.
    for (int k = 0; k < 300; ++k) {
      Atoms near = random_atoms(l.d, 1, 9000 + k);
      double square = 0;
      for (int c = 0; c < l.d; ++c) {
        near.x(0, c) = point.mu.x(0, c) + 0.02 * near.x(0, c);
        square += near.x(0, c) * near.x(0, c);
      }
      for (double& value : near.x.data) value /= std::sqrt(square);
      EXPECT_LE(energy(l, near), point.energy + 1e-13 * energy_scale(l));
    }
    // Where no unit is active ReLU's potential is flat at 0; elsewhere its maxima are points.
    const Localisation where = localise(l, point.mu);
    const double v = point.energy - std::exp(l.beta) / (2 * l.beta);
    const bool sharp = v > 1e-6 || l.activation == Perceptron::gelu;
    EXPECT_TRUE(!sharp || where.places[0].angle < 1e-7) << trial << " " << where.places[0].angle;
  }
}

TEST(LandscapeMeasures, CrowdBoundIsThePublishedOne) {
  EXPECT_NEAR(arc_mass_bound({.d = 2, .beta = 9}), .57419, 5.01e-6);
  const Landscape l{.d = 2, .beta = 3, .a = {1, 2, {0, 2}}, .omega = {-0.5}};
  const double near = 2 * std::exp(1.5), far = 0.375 * std::exp(2.875);
  EXPECT_NEAR(arc_mass_bound(l), (near + 2 * 0.5 * 4) / (near + far), 1e-14);
}

}  // namespace
}  // namespace murmur
