// landscape_matrix_test.cpp: the energy with scores <x, D y>: derivatives, best measures, bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "landscape_support.h"
#include "murmur/error.h"
#include "murmur/landscape.h"
#include "murmur/observe.h"
#include "support.h"

namespace murmur {
namespace {

using testing::random_atoms;
using testing::random_landscape;

Vector unit_vector(int d, std::uint64_t seed) {
  const Atoms one = random_atoms(d, 1, seed);
  return {one.x.data.begin(), one.x.data.end()};
}

// sum_k l_k q_k q_k^t with an orthonormal basis at random, by Gram and Schmidt.
Matrix with_eigenvalues(const Vector& eigenvalues, std::uint64_t seed) {
  const int d = static_cast<int>(eigenvalues.size());
  Matrix matrix = zeros(d, d);
  std::vector<Vector> basis;
  for (int k = 0; k < d; ++k) {
    Vector q = unit_vector(d, 100 * seed + k);
    for (int round = 0; round < 2; ++round)
      for (const Vector& p : basis) {
        double along = 0;
        for (int i = 0; i < d; ++i) along += p[i] * q[i];
        for (int i = 0; i < d; ++i) q[i] -= along * p[i];
      }
    double square = 0;
    for (const double entry : q) square += entry * entry;
    for (double& entry : q) entry /= std::sqrt(square);
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) matrix(i, j) += eigenvalues[k] * q[i] * q[j];
    basis.push_back(std::move(q));
  }
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < i; ++j) matrix(i, j) = matrix(j, i);
  return matrix;
}

Matrix random_symmetric(int d, std::uint64_t seed) {
  Vector eigenvalues;
  for (int k = 0; k < d; ++k)
    eigenvalues.push_back(Draw{seed, Stream::value, static_cast<std::uint32_t>(k)}.normal(0));
  return with_eigenvalues(eigenvalues, seed);
}

// Each atom moved along its frame by its part of u, over the root of its mass.
Atoms moved(const Atoms& mu, const Vector& u, double h) {
  Atoms next = mu;
  const int d = mu.x.cols;
  for (int i = 0; i < mu.count(); ++i) {
    const std::span<const double> x(&mu.x.data[i * d], d);
    const Matrix t = tangent_frame(x);
    double square = 0;
    for (int k = 0; k < d; ++k) {
      double along = 0;
      for (int e = 0; e < d - 1; ++e) along += t(k, e) * u[i * (d - 1) + e];
      next.x(i, k) = h * along / std::sqrt(mu.mass[i]);
      square += next.x(i, k) * next.x(i, k);
    }
    const double angle = std::sqrt(square);
    for (int k = 0; k < d; ++k)
      next.x(i, k) =
          std::cos(angle) * x[k] + (angle > 0 ? std::sin(angle) / angle : 1) * next.x(i, k);
  }
  return next;
}

TEST(LandscapeMatrix, HasTheEnergyAndTheVelocityOfItsDynamics) {
  for (int trial = 0; trial < 12; ++trial) {
    const int d = 2 + trial % 3;
    Landscape l = random_landscape({.d = d, .beta = 1.5}, trial % 2 == 0 ? 0 : 3, trial);
    l.matrix = random_symmetric(d, trial);
    Dynamics dynamics = testing::dynamics_of(Attention{
        .beta = l.beta, .key = l.matrix, .value = l.matrix, .weighting = Attention::unnormalised});
    if (!l.a.empty()) {
      Perceptron p{.in = l.a, .out = zeros(d, l.a.rows)};
      for (int m = 0; m < l.a.rows; ++m)
        for (int k = 0; k < d; ++k) p.out(k, m) = l.omega[m] * l.a(m, k);
      dynamics.sublayers.push_back({{p}});
    }
    const Landscape told = landscape_of(dynamics, d);
    EXPECT_EQ(told.matrix, l.matrix);
    const Atoms mu = random_atoms(d, 6, trial);
    HostSwarm x({6, d});
    for (int i = 0; i < 6; ++i) {
      x.mass[i] = mu.mass[i];
      for (int k = 0; k < d; ++k) x.at(i, k) = mu.x(i, k);
    }
    EXPECT_NEAR(observe(x, dynamics, {})[observable_column(dynamics, "energy")], energy(told, mu),
                1e-13 * energy_scale(told));
    const Matrix g = slope(told, mu);
    const HostSwarm v = testing::velocity(*make_reference_engine(), dynamics, x);
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < d; ++k) EXPECT_NEAR(g(i, k), v.at(i, k), 1e-13 * energy_scale(told));
  }
}

TEST(LandscapeMatrix, DerivativesAreThoseOfTheEnergy) {
  for (int trial = 0; trial < 20; ++trial) {
    const int d = 2 + trial % 3, count = 1 + trial % 4;
    Landscape l = random_landscape({.d = d, .beta = 2}, trial % 3, trial);
    l.activation = Perceptron::tanh;
    l.matrix = random_symmetric(d, trial);
    const Atoms mu = random_atoms(d, count, trial);
    const Matrix g = slope(l, mu), second = hessian(l, mu);
    Vector u(count * (d - 1));
    for (std::size_t e = 0; e < u.size(); ++e)
      u[e] = Draw{99, Stream::position, static_cast<std::uint32_t>(e)}.normal(0);
    double first = 0, bend = 0;
    for (int i = 0; i < count; ++i) {
      const Matrix t = tangent_frame(std::span<const double>(&mu.x.data[i * d], d));
      for (int k = 0; k < d; ++k)
        for (int e = 0; e < d - 1; ++e)
          first += std::sqrt(mu.mass[i]) * g(i, k) * t(k, e) * u[i * (d - 1) + e];
    }
    for (std::size_t e = 0; e < u.size(); ++e)
      for (std::size_t f = 0; f < u.size(); ++f)
        bend += u[e] * second(static_cast<int>(e), static_cast<int>(f)) * u[f];
    const double h = 1e-3;
    const auto at = [&](double s) { return energy(l, moved(mu, u, s)); };
    EXPECT_NEAR((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h), first,
                1e-7 * energy_scale(l));
    EXPECT_NEAR((16 * (at(h) + at(-h)) - (at(2 * h) + at(-2 * h)) - 30 * at(0)) / (12 * h * h),
                bend, 1e-5 * energy_scale(l));
  }
}

TEST(LandscapeMatrix, TheFlowNeverTurnsBack) {
  for (int trial = 0; trial < 200; ++trial) {
    const int d = 2 + trial % 3;
    Landscape l = random_landscape({.d = d, .beta = 0.5 + trial % 4}, trial % 3, trial);
    l.matrix = random_symmetric(d, 7 + trial);
    l.direction = trial % 2 == 0 ? Landscape::ascent : Landscape::descent;
    const double sign = trial % 2 == 0 ? 1 : -1;
    const Climb path = climb(l, random_atoms(d, 2 + trial % 7, trial), {.tolerance = 1e-2});
    ASSERT_GT(path.energies.size(), 3u);
    for (std::size_t k = 1; k < path.energies.size(); ++k)
      ASSERT_GE(sign * (path.energies[k] - path.energies[k - 1]), -1e-13 * energy_scale(l));
    EXPECT_GT(sign * (path.energies.back() - path.energies.front()), 0);
  }
}

// Against e^{beta <x, D y>} averaged over a grid of pairs of angles.
TEST(LandscapeMatrix, KnowsTheEnergyOfTheUniformLaw) {
  for (int trial = 0; trial < 6; ++trial) {
    Landscape l{.d = 2, .beta = 0.5 + 2 * trial, .matrix = random_symmetric(2, trial)};
    l.kernel = trial % 2 == 0 ? Landscape::plain : Landscape::scaled;
    const Atoms even = testing::polygon(400);
    const Atoms mu = random_atoms(2, 3, trial);
    EXPECT_NEAR(energy_above_uniform(l, mu), energy(l, mu) - energy(l, even),
                1e-12 * energy_scale(l));
  }
  // On S^2: the mean over x of e^{beta <x, v>} is sinh(beta |v|) / (beta |v|), over y by rings.
  const Vector eigenvalues{0.3, -0.8, 1.1};
  Landscape l{.d = 3, .beta = 3, .matrix = zeros(3, 3)};
  for (int k = 0; k < 3; ++k) l.matrix(k, k) = eigenvalues[k];
  double mean = 0;
  const int rings = 400, places = 200;
  for (int r = 0; r < rings; ++r) {
    const double z = -1 + (r + 0.5) * 2 / rings;
    for (int p = 0; p < places; ++p) {
      const double angle = 2 * std::numbers::pi * p / places, across = std::sqrt(1 - z * z);
      const double v =
          l.beta * std::sqrt(std::pow(0.3 * across * std::cos(angle), 2) +
                             std::pow(0.8 * across * std::sin(angle), 2) + std::pow(1.1 * z, 2));
      mean += std::sinh(v) / v / (rings * places);
    }
  }
  const Atoms one{{1, 3, {0, 0, 1}}, {1}};
  EXPECT_NEAR(energy_above_uniform(l, one), (std::exp(3.3) - mean) / 6, 1e-4);
}

// 2501.03096: a Dirac at a top eigenvector for D > 0, two opposite halves for D < 0.
TEST(LandscapeMatrix, FindsAndCertifiesTheKnownMaximisers) {
  for (const int d : {2, 3})
    for (int trial = 0; trial < 4; ++trial)
      for (const double sign : {1.0, -1.0}) {
        Vector eigenvalues;
        for (int k = 0; k < d; ++k)
          eigenvalues.push_back(
              sign *
              (0.2 + Draw{5, Stream::value, std::uint32_t(k), std::uint32_t(trial)}.uniform(0)));
        const Landscape l{.d = d, .beta = 3, .matrix = with_eigenvalues(eigenvalues, trial + d)};
        const Search found = critical_points(l, {.n = 8, .starts = 16, .threads = 1});
        const CriticalPoint& best = found.points.front();
        double most = 0;
        for (const double e : eigenvalues) most = std::max(most, std::fabs(e));
        const double expected =
            (sign > 0 ? std::exp(3 * most) : std::cosh(3 * most)) / (2 * l.beta);
        EXPECT_NEAR(best.energy, expected, 1e-11 * energy_scale(l));
        EXPECT_EQ(best.mu.count(), sign > 0 ? 1 : 2);
        EXPECT_TRUE(best.certificate.holds) << name_of(best.certificate.reason);
        EXPECT_NEAR(best.certificate.shortfall, 0, 1e-11 * energy_scale(l));
        ASSERT_TRUE(known_best(l));
        EXPECT_NEAR(known_best(l)->energy, expected, 1e-12 * expected);
        EXPECT_NEAR(energy(l, known_best(l)->mu), expected, 1e-12 * expected);
        // The same atoms are no maximiser where D is another matrix, or tokens descend.
        Landscape wrong = l;
        wrong.matrix(0, 0) += 0.1;
        EXPECT_FALSE(certify(wrong, best.mu).holds);
        Landscape turned = l;
        turned.direction = Landscape::descent;
        EXPECT_TRUE(certify(turned, best.mu).fails);
      }
}

// The bounds of certify.cpp hold for measures of every kind, and are reached.
TEST(LandscapeMatrix, NoMeasureIsBetterThanTheClosedForm) {
  int dirac = 0, pair = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const int d = 2 + trial % 3;
    Landscape l{.d = d, .beta = 0.5 + trial % 5, .matrix = random_symmetric(d, 1000 + trial)};
    const KnownBest most = *known_best(l);
    (most.mu.count() == 1 ? dirac : pair) += 1;
    l.direction = Landscape::descent;
    const std::optional<KnownBest> least = known_best(l);
    EXPECT_EQ(least.has_value(), !certifies_energy(l));
    if (least) {
      EXPECT_NEAR(energy(l, least->mu), least->energy, 1e-13 * energy_scale(l));
    }
    for (int k = 0; k < 40; ++k) {
      const double e = energy(l, random_atoms(d, 1 + k % 5, 50 * trial + k));
      EXPECT_LE(e, most.energy * (1 + 1e-12));
      if (least) {
        EXPECT_GE(e, least->energy * (1 - 1e-12));
      }
    }
    l.direction = Landscape::ascent;
    for (int k = 0; k < 4; ++k) {
      const Climb path = climb(l, random_atoms(d, 4, 70 * trial + k));
      EXPECT_LE(path.energies.back(), most.energy * (1 + 1e-12));
    }
  }
  EXPECT_GT(dirac, 5);
  EXPECT_GT(pair, 5);
}

// diag(1, -1.2): e^beta against cosh(1.2 beta); they change places at beta = 3.4645.
TEST(LandscapeMatrix, AnIndefiniteMatrixChangesItsMaximiserWithBeta) {
  Landscape l{.d = 2, .matrix = {2, 2, {1, 0, 0, -1.2}}};
  for (const double beta : {2.0, 3.4, 3.5, 5.0}) {
    l.beta = beta;
    const bool pair = std::cosh(1.2 * beta) > std::exp(beta);
    EXPECT_EQ(pair, beta > 3.45);
    const Search found = critical_points(l, {.n = 8, .starts = 16, .threads = 1});
    const CriticalPoint& best = found.points.front();
    EXPECT_EQ(best.mu.count(), pair ? 2 : 1);
    EXPECT_TRUE(best.certificate.holds);
    EXPECT_NEAR(best.certificate.shortfall, 0, 1e-11 * energy_scale(l));
    // The other is a local maximum: it is certified as such, and its shortfall says what it lacks.
    int others = 0;
    for (const CriticalPoint& p : found.points)
      if (p.certificate.holds && p.mu.count() == (pair ? 1 : 2)) {
        ++others;
        EXPECT_NEAR(p.certificate.shortfall, best.energy - p.energy, 1e-11 * energy_scale(l));
      }
    EXPECT_EQ(others, 1) << beta;
  }
}

TEST(LandscapeMatrix, UnderDescentADiracIsBestWhereDHasANegativeEigenvalue) {
  for (const int d : {2, 3})
    for (int trial = 0; trial < 3; ++trial) {
      Vector eigenvalues{0.9, -0.3 - 0.2 * trial, 0.4};
      eigenvalues.resize(d);
      const Landscape l{.d = d,
                        .beta = 2,
                        .matrix = with_eigenvalues(eigenvalues, trial),
                        .direction = Landscape::descent};
      SearchSettings settings{.masses = Masses::free, .n = 8, .starts = 4, .threads = 1};
      const CriticalPoint best = critical_points(l, settings).points.front();
      EXPECT_EQ(best.mu.count(), 1);
      EXPECT_NEAR(best.energy, std::exp(2 * eigenvalues[1]) / 4, 1e-11 * energy_scale(l));
      EXPECT_TRUE(best.certificate.holds) << name_of(best.certificate.reason);
      EXPECT_NEAR(best.certificate.shortfall, 0, 1e-11 * energy_scale(l));
    }
}

// D > 0 under descent: convex, so that a certificate is about every measure.
TEST(LandscapeMatrix, CertifiedMinimisersOfPositiveMatricesAreBelowAllMeasures) {
  for (int trial = 0; trial < 4; ++trial) {
    const Landscape l{.d = 2,
                      .beta = 2,
                      .matrix = with_eigenvalues({1.0, 0.1 + 0.1 * trial}, trial),
                      .direction = Landscape::descent};
    ASSERT_TRUE(certifies_energy(l));
    const CriticalPoint best = best_measure(l, {.masses = Masses::free, .n = 32});
    EXPECT_TRUE(best.certificate.holds) << name_of(best.certificate.reason);
    EXPECT_LT(best.above_uniform, 0);
    for (int k = 0; k < 200; ++k)
      EXPECT_GE(energy(l, random_atoms(2, 1 + k % 9, 300 * trial + k)),
                best.energy - best.certificate.bound);
  }
}

// A lower bound of sign F from few cells is below F wherever it is looked at.
TEST(LandscapeMatrix, TheBoundOfTheGapIsNeverBelowTheGap) {
  for (int trial = 0; trial < 60; ++trial) {
    const int d = 2 + trial % 2;
    Landscape l = random_landscape({.d = d, .beta = 0.5 + trial % 6}, trial % 3, trial);
    l.matrix = random_symmetric(d, 400 + trial);
    l.direction = trial % 4 < 2 ? Landscape::ascent : Landscape::descent;
    const double sign = trial % 4 < 2 ? -1 : 1;
    const Atoms mu = random_atoms(d, 1 + trial % 4, trial);
    double mean = 0;
    for (int i = 0; i < mu.count(); ++i)
      mean += mu.mass[i] * first_variation(l, mu, std::span<const double>(&mu.x.data[i * d], d));
    for (const std::int64_t cells : {0, 100, 5'000}) {
      const Certificate c = certify(l, mu, {.most_cells = cells});
      for (int k = 0; k < 300; ++k) {
        const Vector x = unit_vector(d, 31'000 + k);
        ASSERT_GE(c.bound + 1e-13 * energy_scale(l), sign * (mean - first_variation(l, mu, x)));
      }
    }
  }
}

TEST(LandscapeMatrix, RefusesWhatHasNoEnergy) {
  const Atoms mu = random_atoms(2, 2, 1);
  EXPECT_THROW(energy({.d = 2, .matrix = {2, 2, {1, 1, 0, 1}}}, mu), Error);
  EXPECT_THROW(energy({.d = 2, .matrix = zeros(2, 2)}, mu), Error);
  EXPECT_THROW(energy({.d = 2, .matrix = zeros(3, 3)}, mu), Error);
  EXPECT_THROW(energy({.d = 2, .beta = 400, .matrix = scaled_identity(2, 2)}, mu), Error);
  const Matrix turn{2, 2, {0, -1, 1, 0}}, d{2, 2, {2, 0, 0, 1}};
  const auto dynamics = [](const Matrix& query, const Matrix& value) {
    return testing::dynamics_of(
        Attention{.query = query, .value = value, .weighting = Attention::unnormalised});
  };
  EXPECT_THROW(landscape_of(dynamics(turn, turn), 2), Error);
  EXPECT_THROW(landscape_of(dynamics(d, {}), 2), Error);
  Matrix minus = d;
  for (double& entry : minus.data) entry = -entry;
  EXPECT_EQ(landscape_of(dynamics(d, minus), 2).direction, Landscape::descent);
  EXPECT_EQ(landscape_of(dynamics(d, d), 2).matrix, d);
}

// A multiple of the identity is the identity at another beta.
TEST(LandscapeMatrix, AMultipleOfTheIdentityIsAnotherBeta) {
  const Atoms mu = random_atoms(3, 5, 2);
  const Landscape twice{.d = 3, .beta = 2, .matrix = scaled_identity(3, 2)},
      plain{.d = 3, .beta = 4};
  EXPECT_NEAR(energy(twice, mu), 2 * energy(plain, mu), 1e-13 * energy_scale(twice));
  const CriticalPoint a = describe(twice, mu, 0), b = describe(plain, mu, 0);
  EXPECT_EQ(a.expected_zeros, b.expected_zeros);
  EXPECT_NEAR(a.above_uniform, 2 * b.above_uniform, 1e-12 * energy_scale(twice));
  SearchSettings free{.masses = Masses::free};
  Landscape down = twice;
  down.direction = Landscape::descent;
  EXPECT_THROW(check_search(down, free), Error);
}

}  // namespace
}  // namespace murmur
