// landscape_test.cpp: derivatives of the landscape by finite differences, and what it refuses.
#include "murmur/landscape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "landscape_support.h"
#include "murmur/error.h"

namespace murmur {
namespace {

using testing::random_atoms;
using testing::random_landscape;

TEST(Landscape, PrimitivesAreZeroAtZeroAndHaveTheActivationsAsSlopes) {
  const auto cdf = [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; };
  for (const double z : {-3.1, -0.7, 0.0, 0.4, 1.9, 5.0}) {
    const auto numeric = [&](Perceptron::Activation kind) {
      constexpr double h = 1e-3;  // fourth order
      return (8 * (primitive(kind, z + h) - primitive(kind, z - h)) -
              (primitive(kind, z + 2 * h) - primitive(kind, z - 2 * h))) /
             (12 * h);
    };
    EXPECT_NEAR(numeric(Perceptron::gelu), z * cdf(z), 1e-11) << z;
    EXPECT_NEAR(numeric(Perceptron::tanh), std::tanh(z), 1e-11) << z;
    EXPECT_NEAR(numeric(Perceptron::relu), std::max(z, 0.0), z == 0 ? 1e-3 : 1e-11) << z;
  }
  for (const auto kind : {Perceptron::relu, Perceptron::gelu, Perceptron::tanh})
    EXPECT_NEAR(primitive(kind, 0), 0, 1e-16);
}

// Atom i moved by angle |u| along u, a row of `u` in the frame of the atom.
Atoms moved(const Atoms& mu, const std::vector<Vector>& u, double share) {
  Atoms next = mu;
  const int d = mu.x.cols;
  for (int i = 0; i < mu.count(); ++i) {
    const Matrix frame =
        tangent_frame({&mu.x.data[static_cast<std::size_t>(i) * d], static_cast<std::size_t>(d)});
    Vector way(d);
    double angle = 0;
    for (int k = 0; k < d; ++k) {
      for (int c = 0; c < d - 1; ++c) way[k] += share * frame(k, c) * u[i][c];
      angle += way[k] * way[k];
    }
    angle = std::sqrt(angle);
    for (int k = 0; k < d && angle > 0; ++k)
      next.x(i, k) = std::cos(angle) * mu.x(i, k) + std::sin(angle) / angle * way[k];
  }
  return next;
}

struct Case {
  int d, count;
  Landscape::Kernel kernel;
  Perceptron::Activation activation;
  int units;
};

class Derivatives : public ::testing::TestWithParam<Case> {};

// d/ds E(moved by s u) = sum_i m_i <slope_i, u_i>, and its second derivative is the Hessian's form,
// along geodesics, at any point.
TEST_P(Derivatives, AgreeWithFiniteDifferencesOfTheEnergy) {
  const Case c = GetParam();
  Landscape l = random_landscape({.d = c.d, .beta = 1.7, .kernel = c.kernel}, c.units, 3);
  l.activation = c.activation;
  const Atoms mu = random_atoms(c.d, c.count, 5);
  std::vector<Vector> u(c.count, Vector(c.d - 1));
  for (int i = 0; i < c.count; ++i)
    for (int k = 0; k < c.d - 1; ++k)
      u[i][k] = Draw{.seed = 9, .particle = static_cast<std::uint32_t>(i)}.normal(
          static_cast<std::uint16_t>(k));
  const auto at = [&](double share) { return energy(l, moved(mu, u, share)); };
  constexpr double h = 1e-3;
  const double first = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  const double second =
      (16 * (at(h) + at(-h)) - (at(2 * h) + at(-2 * h)) - 30 * at(0)) / (12 * h * h);
  const Matrix g = slope(l, mu), b = hessian(l, mu);
  double along = 0, form = 0;
  Vector w;  // sqrt(m_i) u_i
  for (int i = 0; i < c.count; ++i) {
    const Matrix frame = tangent_frame(
        {&mu.x.data[static_cast<std::size_t>(i) * c.d], static_cast<std::size_t>(c.d)});
    for (int k = 0; k < c.d - 1; ++k) {
      w.push_back(std::sqrt(mu.mass[i]) * u[i][k]);
      for (int j = 0; j < c.d; ++j) along += mu.mass[i] * g(i, j) * frame(j, k) * u[i][k];
    }
  }
  for (int i = 0; i < b.rows; ++i)
    for (int j = 0; j < b.cols; ++j) {
      form += w[i] * b(i, j) * w[j];
      EXPECT_NEAR(b(i, j), b(j, i), 1e-14 * energy_scale(l));
    }
  EXPECT_NEAR(first, along, 1e-9 * energy_scale(l));
  EXPECT_NEAR(second, form, 1e-7 * energy_scale(l));
}

INSTANTIATE_TEST_SUITE_P(Landscape, Derivatives,
                         ::testing::Values(Case{2, 5, Landscape::plain, Perceptron::relu, 0},
                                           Case{3, 4, Landscape::scaled, Perceptron::relu, 0},
                                           Case{2, 3, Landscape::plain, Perceptron::gelu, 4},
                                           Case{3, 6, Landscape::scaled, Perceptron::tanh, 3},
                                           Case{5, 4, Landscape::plain, Perceptron::relu, 6},
                                           Case{4, 1, Landscape::scaled, Perceptron::gelu, 2}));

TEST(Landscape, FirstVariationIsTheSlopeOfTheEnergyInMass) {
  const Landscape l = random_landscape({.d = 3, .beta = 2}, 3, 1);
  const Atoms mu = random_atoms(3, 4, 2);
  const Vector y = {0.6, 0, -0.8};
  // E((1 - e) mu + e delta_y) is quadratic in e; its slope at 0 is F(y) - mean of F.
  const auto at = [&](double e) {
    Atoms more{zeros(5, 3), Vector(5)};
    for (int i = 0; i < 4; ++i) {
      more.mass[i] = (1 - e) * mu.mass[i];
      for (int k = 0; k < 3; ++k) more.x(i, k) = mu.x(i, k);
    }
    more.mass[4] = e;
    for (int k = 0; k < 3; ++k) more.x(4, k) = y[k];
    return energy(l, more);
  };
  double mean = 0;
  for (int i = 0; i < 4; ++i) mean += mu.mass[i] * first_variation(l, mu, {&mu.x.data[i * 3], 3});
  const double e = 0.25, slope = (4 * at(e) - at(2 * e) - 3 * energy(l, mu)) / (2 * e);
  EXPECT_NEAR(first_variation(l, mu, y) - mean, slope, 1e-12);
}

TEST(Landscape, TheCertificateIsAboveEveryPointOfTheSphere) {
  for (const int d : {2, 3})
    for (const auto direction : {Landscape::ascent, Landscape::descent}) {
      Landscape l = random_landscape({.d = d, .beta = 6}, 4, 11);
      l.direction = direction;
      const Atoms mu = random_atoms(d, 5, 7);
      const Certificate c = certify(l, mu, {});
      const double sign = direction == Landscape::descent ? 1 : -1;
      double mean = 0, min = 1e300;
      for (int i = 0; i < 5; ++i)
        mean +=
            sign * mu.mass[i] *
            first_variation(
                l, mu, {&mu.x.data[static_cast<std::size_t>(i) * d], static_cast<std::size_t>(d)});
      for (int k = 0; k < 20'000; ++k) {
        const Atoms one = random_atoms(d, 1, 1000 + k);
        min = std::min(min, sign * first_variation(l, mu, one.x.data));
      }
      EXPECT_TRUE(c.exhaustive);
      EXPECT_GE(c.duality_gap, mean - min - 1e-12);  // no sample beats what was found
      EXPECT_LE(c.duality_gap, mean - min + 0.01 * energy_scale(l));
      EXPECT_GE(c.bound, c.duality_gap);
      EXPECT_LE(c.bound, 1.001 * c.duality_gap);
      EXPECT_FALSE(c.holds);
      EXPECT_NEAR(sign * first_variation(l, mu, c.best), mean - c.duality_gap, 1e-12);
    }
}

template <typename Work>
void expect_refused(const Work& work) {
  try {
    work();
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::input);
  }
}

TEST(Landscape, WrongRequestsAreRefused) {
  const Atoms mu = random_atoms(3, 2, 1);
  expect_refused([&] { energy({.d = 3, .beta = -1}, mu); });
  expect_refused([&] { energy({.d = 3, .beta = 0}, mu); });
  expect_refused([&] { energy({.d = 3, .beta = 800}, mu); });
  expect_refused([&] { energy({.d = 2}, mu); });
  expect_refused([&] { energy({.d = 3, .a = zeros(2, 3), .omega = {1}}, mu); });
  expect_refused([&] { energy({.d = 3, .a = zeros(1, 2), .omega = {1}}, mu); });
  expect_refused([&] { energy({.d = 3}, Atoms{zeros(1, 3), {1}}); });
  expect_refused([&] { energy({.d = 3}, Atoms{mu.x, {0.5, 0.6}}); });
  expect_refused([&] { energy({.d = 3}, Atoms{}); });
  expect_refused([&] { critical_points({.d = 3}, {.n = 0}); });
  expect_refused([&] { critical_points({.d = 3}, {.starts = 0}); });
  EXPECT_NO_THROW(energy({.d = 3, .beta = 800, .kernel = Landscape::scaled}, mu));
}

TEST(Landscape, OnlyPerceptronsInGradientFormHaveAPotential) {
  Landscape l{.d = 2};
  Perceptron p{.in = {2, 2, {1, 0, 0, 2}}, .out = {2, 2, {3, 0, 0, -1}}};
  set_potential(p, l);
  EXPECT_EQ(l.omega, (Vector{3, -0.5}));
  p.out(1, 0) = 0.1;
  expect_refused([&] { set_potential(p, l); });
  p.out(1, 0) = 0;
  p.in_bias = {0, 1};
  expect_refused([&] { set_potential(p, l); });
}

TEST(Landscape, SearchIsTheSameForAnyNumberOfThreads) {
  const Landscape l = random_landscape({.d = 2, .beta = 3}, 2, 4);
  const Search one = critical_points(l, {.n = 8, .starts = 8, .threads = 1});
  const Search two = critical_points(l, {.n = 8, .starts = 8, .threads = 3});
  ASSERT_EQ(one.points.size(), two.points.size());
  for (std::size_t k = 0; k < one.points.size(); ++k) {
    EXPECT_EQ(one.points[k].mu.x.data, two.points[k].mu.x.data);
    EXPECT_EQ(one.points[k].spectrum, two.points[k].spectrum);
    EXPECT_EQ(one.points[k].certificate.bound, two.points[k].certificate.bound);
  }
}

TEST(Landscape, ASearchGoesOnFromWhatIsKnown) {
  const Landscape l = random_landscape({.d = 2, .beta = 3}, 2, 4);
  const SearchSettings settings{.n = 8, .starts = 8, .threads = 1};
  const Search whole = critical_points(l, settings);
  std::vector<std::optional<SearchEnd>> known(8);
  bool stop = false;
  int ended = 0;
  SearchWatch<SearchEnd> watch;
  watch.stop = [&] { return stop; };
  watch.ended = [&](int start, const SearchEnd& end) {
    known[start] = end;
    stop = ++ended == 3;
  };
  EXPECT_FALSE(critical_points(l, settings, watch));
  EXPECT_EQ(ended, 3);
  watch.known = known;
  stop = false;
  const auto search = critical_points(l, settings, watch);  // 8 in all: never 3 again
  ASSERT_TRUE(search);
  EXPECT_EQ(ended, 8);
  ASSERT_EQ(search->points.size(), whole.points.size());
  EXPECT_EQ(search->lost, whole.lost);
  for (std::size_t k = 0; k < whole.points.size(); ++k) {
    EXPECT_EQ(search->points[k].mu.x.data, whole.points[k].mu.x.data);
    EXPECT_EQ(search->points[k].found, whole.points[k].found);
    EXPECT_EQ(search->points[k].spectrum, whole.points[k].spectrum);
  }
}

}  // namespace
}  // namespace murmur
