// modes_test.cpp: what one frame shows, against closed forms and slow sums.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "murmur/observe.h"
#include "refused.h"
#include "support.h"

namespace murmur {
namespace {

using testing::circle;
using testing::dot;
using testing::dynamics_of;
using testing::random_sphere;
using testing::sa;

constexpr double pi = std::numbers::pi;

HostSwarm gon(int k, double turned = 0) {
  std::vector<double> angles;
  for (int j = 0; j < k; ++j) angles.push_back(turned + 2 * pi * j / k);
  return circle(angles);
}

TEST(cosine_histogram, counts_every_pair_once) {
  const HostSwarm x = random_sphere({37, 4}, 1);
  const CosineHistogram h = cosine_histogram(x, 10);
  EXPECT_EQ(h.pairs, 37 * 36 / 2);
  EXPECT_EQ(h.edge.front(), -1);
  EXPECT_EQ(h.edge.back(), 1);
  std::vector<std::int64_t> slow(10, 0);
  for (int i = 0; i < 37; ++i)
    for (int j = i + 1; j < 37; ++j) ++slow[static_cast<int>((dot(x, i, j) + 1) * 5)];
  EXPECT_EQ(h.count, slow);
}

TEST(cosine_histogram, gon_has_its_cosines) {
  const CosineHistogram h = cosine_histogram(gon(4, 0.1), 3);
  EXPECT_EQ(h.count, (std::vector<std::int64_t>{2, 4, 0}));  // two at -1, four at 0
  const CosineHistogram one = cosine_histogram(circle({0.3, 0.3, 0.3}), 7);
  EXPECT_EQ(one.count.back(), 3);
}

// The sample is that of `measure`: the last bin is its count of close pairs.
TEST(cosine_histogram, samples_as_measure_does) {
  const HostSwarm x = random_sphere({400, 3}, 5);
  const ObserveSettings settings{
      .pair_threshold = 0.9, .seed = 3, .max_exact = 100, .sample_pairs = 30'000};
  const CosineHistogram h = cosine_histogram(x, 20, settings);
  EXPECT_EQ(h.pairs, 30'000);
  const auto names = observable_names(sa(1));
  const std::vector<double> row = observe(x, sa(1), settings);
  const auto at = std::find(names.begin(), names.end(), "close_pairs") - names.begin();
  EXPECT_EQ(static_cast<double>(h.count.back()), std::round(row[at] * 30'000));
  EXPECT_GT(h.count.back(), 1000);
  ObserveSettings other = settings;
  other.threads = 3;
  EXPECT_EQ(cosine_histogram(x, 20, other).count, h.count);
}

TEST(modes, gon_has_only_multiples_of_k) {
  for (const int k : {1, 3, 5}) {
    const auto m = fourier_amplitudes(gon(k, 0.2), 12);
    for (int q = 0; q <= 12; ++q) {
      EXPECT_NEAR(std::abs(m[q]), q % k == 0 ? 1 : 0, 1e-14) << k << " " << q;
      if (q % k == 0) {
        EXPECT_NEAR(std::arg(m[q] * std::polar(1.0, -0.2 * q)), 0, 1e-13);
      }
    }
  }
}

// sum_ij m_i m_j P_k(x_i . x_j), the definition, with P_k by its recurrence.
double slow_power(const HostSwarm& x, int k) {
  const double nu = x.d() / 2.0 - 1;
  double sum = 0;
  for (int i = 0; i < x.n(); ++i) {
    for (int j = 0; j < x.n(); ++j) {
      const double c = dot(x, i, j);
      double before = 1, now = c;
      for (int q = 2; q <= k; ++q)
        before =
            std::exchange(now, (2 * (q + nu - 1) * c * now - (q - 1) * before) / (2 * nu + q - 1));
      sum += x.mass[i] * x.mass[j] * (k == 0 ? 1 : now);
    }
  }
  return sum;
}

TEST(modes, powers_are_sums_over_pairs_in_every_dimension) {
  for (const int d : {2, 3, 4, 7}) {
    HostSwarm x = random_sphere({23, d}, 7);
    double total = 0;
    for (int i = 0; i < 23; ++i) total += x.mass[i] = 1 + i % 4;
    for (double& m : x.mass) m /= total;
    const std::vector<double> power = mode_powers(x, 9);
    for (int k = 0; k <= 9; ++k) EXPECT_NEAR(power[k], slow_power(x, k), 1e-13) << d << " " << k;
  }
}

TEST(modes, a_dirac_mass_has_amplitude_one_in_every_mode) {
  for (const int d : {2, 3, 6}) {
    HostSwarm x = random_sphere({1, d}, 2);
    for (const double a : mode_amplitudes(x, 8)) EXPECT_NEAR(a, 1, 1e-12) << d;
  }
}

TEST(modes, octahedron_is_a_spherical_design_of_degree_three) {
  HostSwarm x({6, 3});
  for (int i = 0; i < 6; ++i) x.at(i, i / 2) = i % 2 == 0 ? 1 : -1;
  const std::vector<double> a = mode_powers(x, 4);
  for (const int k : {1, 2, 3}) EXPECT_NEAR(a[k], 0, 1e-15);
  EXPECT_NEAR(a[4], (2 + 4 * 3.0 / 8) / 6, 1e-15);  // P_4(+-1) = 1, P_4(0) = 3/8
}

TEST(modes, sampled_powers_are_near_the_exact_ones) {
  const HostSwarm x = random_sphere({300, 7}, 4);
  const auto exact = mode_powers(x, 4);
  const auto sampled = mode_powers(x, 4, {.max_exact = 10, .sample_pairs = 40'000});
  for (int k = 1; k <= 4; ++k) EXPECT_NEAR(sampled[k], exact[k], 4.0 / std::sqrt(40'000)) << k;
  EXPECT_NE(sampled[1], exact[1]);
}

TEST(modes, refuse_what_has_no_direction) {
  EXPECT_EQ(fault_of([] { mode_powers(HostSwarm({2, 3}), 4); }), Fault::input);
  EXPECT_EQ(fault_of([] { fourier_amplitudes(random_sphere({2, 3}, 0), 4); }), Fault::input);
  EXPECT_EQ(fault_of([] { mode_powers(random_sphere({2, 1}, 0), 4); }), Fault::input);
}

TEST(attention_weights, rows_are_softmax) {
  const HostSwarm x = random_sphere({6, 3}, 3);
  const Matrix a = attention_weights(x, sa(2), 0, 0);
  for (int i = 0; i < 6; ++i) {
    double sum = 0, z = 0;
    for (int j = 0; j < 6; ++j) z += std::exp(2 * dot(x, i, j));
    for (int j = 0; j < 6; ++j) {
      sum += a(i, j);
      EXPECT_NEAR(a(i, j), std::exp(2 * dot(x, i, j)) / z, 1e-15);
    }
    EXPECT_NEAR(sum, 1, 1e-14);
  }
  const Matrix huge = attention_weights(x, sa(5000), 0, 0);
  EXPECT_EQ(huge(2, 2), 1);
}

TEST(attention_weights, see_only_the_past_and_fade_with_alibi) {
  const HostSwarm x = random_sphere({5, 2}, 3);
  const Matrix a = attention_weights(
      x, dynamics_of(Attention{.beta = 0, .mask = Attention::causal, .alibi = 0.5}), 0, 0);
  EXPECT_EQ(a(1, 2), 0);
  EXPECT_NEAR(a(4, 1) / a(4, 4), std::exp(-1.5), 1e-14);
  const Matrix other =
      attention_weights(x, dynamics_of(Attention{.self = false, .mask = Attention::causal}), 0, 0);
  EXPECT_EQ(attention_received(other)[4], 0);
  for (int j = 0; j < 5; ++j) EXPECT_EQ(other(0, j), 0);
}

TEST(attention_weights, sinkhorn_is_doubly_stochastic_and_hard_is_one_hot) {
  const HostSwarm x = random_sphere({9, 3}, 8);
  const Matrix s = attention_weights(
      x, dynamics_of(Attention{.beta = 3, .weighting = Attention::sinkhorn}), 0, 0);
  for (const double received : attention_received(s)) EXPECT_NEAR(received, 1, 1e-12);
  EXPECT_NEAR(s(2, 5), s(5, 2), 1e-12);
  const Matrix h = attention_weights(x, dynamics_of(Attention{.weighting = Attention::hard}), 0, 0);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(h(i, i), 1);
  EXPECT_EQ(numerical_rank(h), 9);
}

TEST(attention_weights, rank_and_leaders) {
  // In d = 1 with growing V the ends of the line take all attention (2305.05465): here by scale.
  HostSwarm x({5, 1});
  for (int i = 0; i < 5; ++i) x.at(i, 0) = i - 1.5;
  const Dynamics dynamics =
      dynamics_of(Attention{.beta = 1, .relative = true, .rescaled = true}, Manifold::space);
  EXPECT_EQ(numerical_rank(attention_weights(x, dynamics, 0, 0), 1e-6), 5);
  const Matrix late = attention_weights(x, dynamics, 0, 3);
  EXPECT_EQ(numerical_rank(late, 1e-6), 2);  // rows e_1 and e_5
  EXPECT_NEAR(attention_received(late)[4], 3, 1e-12);
  EXPECT_EQ(leaders(late, 0.5), std::vector<int>{4});
  EXPECT_EQ(leaders(late, 0.3), (std::vector<int>{0, 4}));
  EXPECT_EQ(fault_of([&] { attention_weights(x, dynamics, 1, 0); }), Fault::input);
  EXPECT_EQ(fault_of([&] { attention_weights(x, {.manifold = Manifold::space}, 0, 0); }),
            Fault::input);
}

// The swarm holds u; scores are read off g(t) o u, also where g begins at ones.
TEST(attention_weights, read_gains_that_only_end) {
  const HostSwarm x = random_sphere({6, 2}, 4);
  Dynamics dynamics = sa(2);
  dynamics.gain_end = {3, 0.5};
  dynamics.gain_until = 10;
  HostSwarm seen = x;
  for (int i = 0; i < 6; ++i) {
    seen.at(i, 0) *= 2;
    seen.at(i, 1) *= 0.75;
  }
  const Matrix a = attention_weights(x, dynamics, 0, 5), b = attention_weights(seen, sa(2), 0, 5);
  for (std::size_t e = 0; e < a.data.size(); ++e) EXPECT_NEAR(a.data[e], b.data[e], 1e-15);
  EXPECT_EQ(attention_weights(x, dynamics, 0, 0), attention_weights(x, sa(2), 0, 0));
}

TEST(attention_weights, are_those_of_the_heads_that_act_now) {
  const HostSwarm x = random_sphere({5, 3}, 4);
  Dynamics dynamics = sa(1);
  dynamics.sublayers[0].until = 2;
  dynamics.sublayers.push_back({{Attention{.beta = 7}, Attention{.beta = 8}}, 2});
  ASSERT_EQ(heads_of(dynamics, 1.5).size(), 1u);
  ASSERT_EQ(heads_of(dynamics, 2).size(), 2u);
  EXPECT_EQ(heads_of(dynamics, 2)[1].beta, 8);
  EXPECT_EQ(attention_weights(x, dynamics, 0, 2), attention_weights(x, sa(7), 0, 2));
  EXPECT_EQ(fault_of([&] { attention_weights(x, dynamics, 1, 1.5); }), Fault::input);
}

TEST(renyi_centres, by_hand) {
  const HostSwarm x = circle({0, 0.3, 0.6, 0.9, 3});
  EXPECT_EQ(renyi_centres(x, Manifold::sphere, 0.5, Centres::ordinary),
            (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(renyi_centres(x, Manifold::sphere, 0.5, Centres::strong), (std::vector<int>{0, 4}));
  EXPECT_EQ(renyi_centres(x, Manifold::sphere, 4, Centres::strong), std::vector<int>{0});
  HostSwarm line({3, 1});
  line.at(1, 0) = 1;
  line.at(2, 0) = 2.5;
  EXPECT_EQ(renyi_centres(line, Manifold::space, 1, Centres::strong), (std::vector<int>{0, 2}));
  EXPECT_EQ(fault_of([&] { renyi_centres(x, Manifold::sphere, 0, Centres::strong); }),
            Fault::input);
}

// n iid tokens on the circle: (1 - (1 - p)^n) / p strong centres on average, p = delta / pi.
// Of ordinary ones 2 pi / delta times Renyi's parking constant would fit a long circle.
TEST(renyi_centres, mean_counts_of_uniform_tokens) {
  const double delta = 0.5, p = delta / pi;
  const int n = 200, seeds = 400;
  double strong = 0, square = 0, ordinary = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    std::vector<double> angles;
    for (int i = 0; i < n; ++i)
      angles.push_back(
          2 * pi *
          Draw{.seed = static_cast<std::uint64_t>(seed), .particle = static_cast<std::uint32_t>(i)}
              .uniform(0));
    const HostSwarm x = circle(angles);
    const double count =
        static_cast<double>(renyi_centres(x, Manifold::sphere, delta, Centres::strong).size());
    strong += count / seeds;
    square += count * count / seeds;
    ordinary +=
        static_cast<double>(renyi_centres(x, Manifold::sphere, delta, Centres::ordinary).size()) /
        seeds;
  }
  const double error = std::sqrt((square - strong * strong) / seeds);
  EXPECT_NEAR(strong, (1 - std::pow(1 - p, n)) / p, 3 * error);
  EXPECT_LT(error, 0.15);
  EXPECT_NEAR(ordinary, 0.7476 * 2 * pi / delta, 0.4);
}

std::vector<double> line_modes(const std::vector<double>& points, double beta) {
  HostSwarm x({static_cast<int>(points.size()), 1});
  for (int i = 0; i < x.n(); ++i) x.at(i, 0) = points[i];
  return density_modes(x, Manifold::space, {.beta = beta});
}

// Two equal Gaussians have two modes when they are farther apart than two widths.
TEST(density_modes, two_points_split_at_two_widths) {
  for (const double beta : {1.0, 400.0}) {
    const double width = 1 / std::sqrt(beta);
    EXPECT_EQ(line_modes({0, 1.999 * width}, beta).size(), 1u);
    EXPECT_EQ(line_modes({0, 2.001 * width}, beta).size(), 2u);
    EXPECT_EQ(line_modes({0, 3 * width, 1e6}, beta).size(), 3u);
  }
  EXPECT_NEAR(line_modes({2, 2}, 50).at(0), 2, 1e-12);
}

// On the circle e^{beta cos} of two points at angles +-a: one mode while beta sin^2 a <= cos a.
TEST(density_modes, two_points_of_the_circle) {
  for (const double beta : {0.5, 4.0, 2500.0}) {
    const double c = (-1 + std::sqrt(1 + 4 * beta * beta)) / (2 * beta), a = std::acos(c);
    for (const double turned : {0.0, 1.0, 3.1}) {
      const auto near = circle({turned - 0.999 * a, turned + 0.999 * a});
      const auto far = circle({turned - 1.001 * a, turned + 1.001 * a});
      const auto one = density_modes(near, Manifold::sphere, {.beta = beta});
      ASSERT_EQ(one.size(), 1u) << beta << " " << turned;
      EXPECT_NEAR(std::cos(one[0] - turned), 1, 1e-10);
      EXPECT_EQ(density_modes(far, Manifold::sphere, {.beta = beta}).size(), 2u) << beta;
    }
  }
  EXPECT_EQ(density_modes(gon(7, 0.1), Manifold::sphere, {.beta = 100}).size(), 7u);
  EXPECT_EQ(density_modes(gon(7), Manifold::sphere, {.beta = 100}).size(), 7u);
  EXPECT_EQ(density_modes(gon(64), Manifold::sphere, {.beta = 1}).size(), 0u);  // flat
}

double mean_normal_modes(double beta) {
  double mean = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<double> points;
    for (std::uint32_t i = 0; i < 10'000; ++i)
      points.push_back(Draw{.seed = seed, .particle = i}.normal(0));
    mean += static_cast<double>(line_modes(points, beta).size()) / 10;
  }
  return mean;
}

// sqrt(beta ln beta) up to a constant (2412.09080); the means are those of 40 independent runs.
TEST(density_modes, of_ten_thousand_normal_points) {
  EXPECT_NEAR(mean_normal_modes(1e3), 40.2, 0.05 * 40.2);
  EXPECT_NEAR(mean_normal_modes(1e4), 133.5, 0.05 * 133.5);
}

TEST(density_modes, refuse_what_they_do_not_know) {
  const HostSwarm x = random_sphere({4, 3}, 0);
  EXPECT_EQ(fault_of([&] { density_modes(x, Manifold::sphere, {.beta = 1}); }), Fault::input);
  EXPECT_EQ(fault_of([&] { density_modes(x, Manifold::space, {.beta = 0}); }), Fault::input);
  EXPECT_EQ(fault_of([&] { density_modes(x, Manifold::space, {.beta = 1, .axis = 3}); }),
            Fault::input);
}

}  // namespace
}  // namespace murmur
