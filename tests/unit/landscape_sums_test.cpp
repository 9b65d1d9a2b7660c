// landscape_sums_test.cpp: energies, first variations and slopes of clouds within their bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "landscape/cloud_sums.h"
#include "landscape_support.h"
#include "murmur/landscape.h"

namespace murmur::testing {
namespace {

using Long = long double;

// phi and phi' = relu, in long double.
Long ramp(Long z) { return z > 0 ? z : 0; }
Long primitive_of_ramp(Long z) { return z > 0 ? z * z / 2 : 0; }

struct Exact {
  Long value = 0, pairs = 0;  // F, and its part from pairs
  std::vector<Long> slope{};  // (d)
};

// F and P grad F at atom i, atom by atom.
Exact exact_at(const Landscape& l, const Atoms& mu, int i) {
  const int d = l.d;
  const auto score = [&](int r, int c) -> Long {
    return l.matrix.empty() ? (r == c ? 1 : 0) : Long{l.matrix(r, c)};
  };
  Exact at;
  std::vector<Long> gradient(d);
  for (int j = 0; j < mu.count(); ++j) {
    std::vector<Long> from(d);
    Long s = 0;
    for (int r = 0; r < d; ++r) {
      for (int c = 0; c < d; ++c) from[r] += score(r, c) * mu.x(j, c);
      s += mu.x(i, r) * from[r];
    }
    const Long k =
        mu.mass[j] * std::exp(Long{l.beta} * (s - (l.kernel == Landscape::scaled ? 1 : 0)));
    at.pairs += k / l.beta;
    for (int r = 0; r < d; ++r) gradient[r] += k * from[r];
  }
  at.value = at.pairs;
  for (int m = 0; m < l.a.rows; ++m) {
    Long z = 0;
    for (int r = 0; r < d; ++r) z += Long{l.a(m, r)} * mu.x(i, r);
    at.value += l.omega[m] * primitive_of_ramp(z);
    for (int r = 0; r < d; ++r) gradient[r] += l.omega[m] * ramp(z) * l.a(m, r);
  }
  Long along = 0;
  for (int r = 0; r < d; ++r) along += gradient[r] * mu.x(i, r);
  for (int r = 0; r < d; ++r) at.slope.push_back(gradient[r] - along * mu.x(i, r));
  return at;
}

Matrix symmetric(int d, std::uint64_t seed) {
  Matrix m = zeros(d, d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j <= i; ++j)
      m(i, j) = m(j, i) =
          Draw{seed, Stream::value, static_cast<std::uint32_t>(i * d + j)}.normal(0) / std::sqrt(d);
  return m;
}

// Atoms spread evenly, or drawn towards the first.
Atoms cloud(int d, int count, bool gathered) {
  Atoms mu = random_atoms(d, count, 7);
  for (int i = 1; i < count && gathered; ++i) {
    double square = 0;
    for (int k = 0; k < d; ++k) {
      mu.x(i, k) = mu.x(0, k) + 0.2 * mu.x(i, k);
      square += mu.x(i, k) * mu.x(i, k);
    }
    for (int k = 0; k < d; ++k) mu.x(i, k) /= std::sqrt(square);
  }
  return mu;
}

struct Case {
  Landscape l;
  Atoms mu;
  std::string name;
};

std::vector<Case> cases(int count) {
  std::vector<Case> all;
  for (const int d : {2, 3, 4, 5})
    for (const double beta : {0.5, 4.0, 25.0})
      for (const bool with_matrix : {false, true})
        for (const bool gathered : {false, true}) {
          Landscape l{.d = d, .beta = beta};
          if (with_matrix) l.matrix = symmetric(d, 3);
          if (gathered) l.kernel = Landscape::scaled;
          all.push_back({random_landscape(l, with_matrix ? 0 : 3, 5), cloud(d, count, gathered),
                         "d " + std::to_string(d) + " beta " + std::to_string(beta) +
                             (with_matrix ? " matrix" : "") + (gathered ? " gathered" : "")});
        }
  return all;
}

void expect_within_bounds(const Case& c, const AtAtoms& got) {
  for (int look = 0; look < 10; ++look) {
    const int i = look * c.mu.count() / 10;
    const Exact wanted = exact_at(c.l, c.mu, i);
    EXPECT_LE(std::fabs(static_cast<double>(got.value[i] - wanted.value)), got.value_bound[i])
        << c.name << " atom " << i;
    Long square = 0;
    for (int k = 0; k < c.l.d; ++k)
      square += (got.slope(i, k) - wanted.slope[k]) * (got.slope(i, k) - wanted.slope[k]);
    EXPECT_LE(static_cast<double>(std::sqrt(square)), got.slope_bound[i])
        << c.name << " atom " << i;
    // A bound that says nothing would pass too.
    const auto size = static_cast<double>(wanted.pairs);
    EXPECT_LE(got.value_bound[i], 1e-11 * size + 1e-13) << c.name;
    EXPECT_LE(got.slope_bound[i], 1e-10 * size * c.l.beta * (c.l.matrix.empty() ? 1 : 3) + 1e-12)
        << c.name;
    // Another model by a thousandth of a millionth is outside of it.
    Landscape other = c.l;
    other.beta *= 1 + 1e-9;
    const double moved =
        std::fabs(static_cast<double>(got.value[i] - exact_at(other, c.mu, i).value));
    EXPECT_GT(moved, got.value_bound[i]) << c.name;
  }
}

TEST(LandscapeSums, OfLargeCloudsAreWithinTheirBounds) {
  for (const Case& c : cases(landscape::CloudSums::kLeastCertified + 52))
    expect_within_bounds(c, at_atoms(c.l, c.mu));
}

TEST(LandscapeSums, OfSmallCloudsAreWithinTheirBounds) {
  for (const Case& c : cases(200)) expect_within_bounds(c, at_atoms(c.l, c.mu));
}

// The functions that give one of these alone give the same; energies against sums over all pairs.
TEST(LandscapeSums, AreThoseOfEveryFunction) {
  for (const int count : {300, landscape::CloudSums::kLeastCertified})
    for (const int d : {3, 4, 5}) {
      const Landscape l = random_landscape({.d = d, .beta = 3}, 2, 9);
      const Atoms mu = cloud(d, count, false);
      const AtAtoms all = at_atoms(l, mu);
      EXPECT_NEAR(energy(l, mu), all.energy, all.energy_bound);
      EXPECT_EQ(slope(l, mu).data, all.slope.data);
      const Vector f = first_variations(l, mu, mu.x);
      Long sum = 0, potential = 0;
      for (int i = 0; i < count; ++i) {
        EXPECT_NEAR(f[i], all.value[i], 2 * all.value_bound[i]);
        if (i % 50 == 0) {
          EXPECT_NEAR(static_cast<double>(exact_at(l, mu, i).value), f[i], all.value_bound[i]);
        }
        const Exact at = exact_at(l, mu, i);
        sum += mu.mass[i] * at.pairs / 2;
        potential += mu.mass[i] * (at.value - at.pairs);
      }
      EXPECT_NEAR(static_cast<double>(sum + potential), all.energy, all.energy_bound) << d;
      EXPECT_LE(all.energy_bound, 1e-11 * all.energy);
      EXPECT_NEAR(energy_above_uniform(l, mu), all.energy - energy(l, cloud(d, 40'000, false)),
                  2e-3 * all.energy);
    }
}

// Where the sums say how far they may be off, a step that seems to lose by as much is no loss.
TEST(LandscapeSums, CarryLargeCloudsUphill) {
  for (const int d : {4, 5}) {
    const Landscape l = random_landscape({.d = d, .beta = 2}, 1, 4);
    const Atoms start = equal_atoms(d, landscape::CloudSums::kLeastCertified, 3);
    const Climb path = climb(l, start, {.tolerance = 1e-3, .most_steps = 6});
    ASSERT_EQ(path.energies.size(), 7U);
    for (std::size_t k = 1; k < path.energies.size(); ++k)
      EXPECT_GT(path.energies[k], path.energies[k - 1]);
    EXPECT_GT(path.slope_bound, 0);
    EXPECT_LE(path.slope_bound, 1e-10 * energy_scale(l));
    const Climb few = climb(l, equal_atoms(d, 100, 3), {.most_steps = 2});
    EXPECT_EQ(few.slope_bound, 0);
  }
}

}  // namespace
}  // namespace murmur::testing
