// history_test.cpp: quantities of several frames, on made-up and on known trajectories.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/observe.h"
#include "refused.h"
#include "support.h"

namespace murmur {
namespace {

using testing::circle;
using testing::sa;
using testing::simulated;
using testing::usa;

constexpr double pi = std::numbers::pi;

Series series_of(double (*f)(double), double from, double to, int points) {
  Series s;
  for (int k = 0; k < points; ++k) {
    s.t.push_back(from + (to - from) * k / (points - 1));
    s.value.push_back(f(s.t.back()));
  }
  return s;
}

// Five tokens: 0 and 1 join, 3 and 4 join, 4 leaves again, then 4 changes over to 2 while 3 joins
// the first two, and all end as one.
TEST(genealogy, of_a_sequence_made_by_hand) {
  const std::vector<double> mass{0.1, 0.1, 0.2, 0.3, 0.3};
  const History history = history_of({0, 1, 2, 3, 4}, {circle({0, 1, 2, 3, 4}, mass),  //
                                                       circle({0, 0, 2, 3, 3}, mass),  //
                                                       circle({0, 0, 2, 3, 4}, mass),  //
                                                       circle({0, 0, 2, 0, 2}, mass),  //
                                                       circle({1, 1, 1, 1, 1}, mass)});
  const Genealogy g = genealogy(history, Dynamics{}, 1e-3);
  ASSERT_EQ(g.events.size(), 6u);
  const auto is = [&](int e, Regrouping::Kind kind, double after, std::vector<int> from,
                      std::vector<int> to) {
    EXPECT_EQ(g.events[e].kind, kind) << e;
    EXPECT_EQ(g.events[e].after, after) << e;
    EXPECT_EQ(g.events[e].by, after + 1) << e;
    EXPECT_EQ(g.events[e].from, from) << e;
    EXPECT_EQ(g.events[e].to, to) << e;
  };
  is(0, Regrouping::merge, 0, {0, 1}, {5});
  is(1, Regrouping::merge, 0, {3, 4}, {6});
  is(2, Regrouping::split, 1, {6}, {7, 8});
  is(3, Regrouping::merge, 2, {5, 7}, {9});
  is(4, Regrouping::merge, 2, {2, 8}, {10});
  is(5, Regrouping::merge, 3, {9, 10}, {11});
  EXPECT_EQ(g.clusters[2].born, 0);
  EXPECT_EQ(g.clusters[2].last, 2);
  EXPECT_EQ(g.clusters[10].size, 2);
  EXPECT_NEAR(g.clusters[10].mass, 0.5, 1e-15);
  EXPECT_EQ(g.clusters[10].first_member, 2);
  EXPECT_EQ(g.clusters[10].from, (std::vector<int>{2, 8}));
  EXPECT_EQ(g.clusters[10].becomes, std::vector<int>{11});
  EXPECT_TRUE(g.clusters[11].becomes.empty());
  EXPECT_NEAR(g.clusters[11].mass, 1, 1e-15);
}

TEST(genealogy, exchange_knows_who_came_from_whom) {
  const History history = history_of({0, 1}, {circle({0, 0, 1, 1, 2}), circle({0, 1, 1, 1, 2})});
  const Genealogy g = genealogy(history, Dynamics{}, 1e-3);
  ASSERT_EQ(g.events.size(), 1u);
  EXPECT_EQ(g.events[0].kind, Regrouping::exchange);
  EXPECT_EQ(g.clusters[3].from, std::vector<int>{0});
  EXPECT_EQ(g.clusters[4].from, (std::vector<int>{0, 1}));
  EXPECT_EQ(g.clusters[1].becomes, std::vector<int>{4});
  EXPECT_EQ(g.clusters[2].last, 1);  // untouched
}

// The five points of 2410.06833 at beta = 4, exact flow: mergers at 1.27, 2.41, 5.20 and 328.37.
TEST(genealogy, of_five_tokens_that_merge_one_by_one) {
  const double points[] = {0.99806638, 0.06215705,  0.97712061, 0.21268594,  -0.24578194,
                           0.96932515, -0.97354734, 0.2284854,  -0.99892629, -0.04632772};
  HostSwarm x = from_rows({5, 2}, points);
  for (int i = 0; i < 5; ++i) {
    const double r = std::hypot(x.at(i, 0), x.at(i, 1));
    x.at(i, 0) /= r;
    x.at(i, 1) /= r;
  }
  const auto trajectory =
      simulated(sa(4), x, {.tolerance = {1e-10, 1e-12}}, {.T = 400, .first = 0.5, .ratio = 1.002});
  const Genealogy g = genealogy(history_of(trajectory.times, trajectory.frames), Dynamics{}, 1e-3);
  const double exact[] = {1.27, 2.41, 5.20, 328.37};
  ASSERT_EQ(g.events.size(), 4u);
  for (int e = 0; e < 4; ++e) {
    EXPECT_EQ(g.events[e].kind, Regrouping::merge);
    EXPECT_EQ(g.events[e].from.size(), 2u);
    EXPECT_LT(g.events[e].after, exact[e] + 0.005);
    EXPECT_GT(g.events[e].by, exact[e] - 0.005);
    EXPECT_LT(g.events[e].by - g.events[e].after, 0.0021 * exact[e]);
  }
  EXPECT_EQ(g.clusters.back().size, 5);
  EXPECT_EQ(g.clusters[g.events[3].from[0]].size + g.clusters[g.events[3].from[1]].size, 5);
}

// Where norms move clusters are those of the directions, as in the column `clusters`.
TEST(genealogy, follows_directions_where_norms_move) {
  HostSwarm apart = circle({0, 1}), along = circle({1, 1});
  for (int k = 0; k < 2; ++k) along.at(1, k) *= 3;
  const History history = history_of({0, 1}, {apart, along});
  const Dynamics pre{.manifold = Manifold::space, .normalisation = LayerNorm::pre};
  ASSERT_EQ(genealogy(history, pre).events.size(), 1u);
  EXPECT_EQ(genealogy(history, pre).events[0].kind, Regrouping::merge);
  EXPECT_TRUE(genealogy(history, {.manifold = Manifold::space}).events.empty());
}

TEST(genealogy, refuses_frames_of_different_sizes) {
  EXPECT_EQ(fault_of([] {
              genealogy(history_of({0, 1}, {circle({0, 1}), circle({0})}), Dynamics{});
            }),
            Fault::input);
  EXPECT_EQ(fault_of([] { history_of({0, 1}, {circle({0})}); }), Fault::input);
}

TEST(plateaus, of_a_staircase_made_by_hand) {
  const Series s = series_of(
      [](double t) { return std::tanh((t - 2) * 20) + 2 * std::tanh((t - 6) * 20); }, 0, 10, 1001);
  const std::vector<Plateau> found = plateaus(s);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0].level, -3, 1e-3);
  EXPECT_NEAR(found[1].level, -1, 1e-3);
  EXPECT_NEAR(found[2].level, 3, 1e-3);
  EXPECT_FALSE(found[0].rise.has_value());
  EXPECT_NEAR(*found[1].rise, 2, 1e-3);
  EXPECT_NEAR(*found[2].rise, 6, 1e-3);
  EXPECT_NEAR(found[1].start, 2, 0.25);
  EXPECT_NEAR(found[1].end, 6, 0.25);
}

TEST(plateaus, of_a_line_are_none_and_of_a_constant_one) {
  EXPECT_TRUE(plateaus(series_of([](double t) { return 3 * t; }, 0, 1, 50)).empty());
  const auto one = plateaus(series_of([](double) { return 0.7; }, 0, 1, 50));
  ASSERT_EQ(one.size(), 1u);
  EXPECT_DOUBLE_EQ(one[0].level, 0.7);
  EXPECT_DOUBLE_EQ(one[0].end, 1);
}

// Steps at t = 1 and 100: in linear time the first plateaus are too short to see.
TEST(plateaus, are_sought_in_log_time_too) {
  Series s{{0}, {0}};
  for (int k = 0; k <= 600; ++k) {
    const double t = std::pow(10.0, -2 + k / 100.0);
    s.t.push_back(t);
    s.value.push_back((t > 1) + (t > 100));
  }
  EXPECT_EQ(plateaus(s).size(), 1u);
  const auto found = plateaus(s, {.log_time = true});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[1].level, 1, 1e-12);
  EXPECT_NEAR(*found[2].rise, 101.2, 1.3);
}

// Five close tokens at beta = 2000 in the arc-length clock (2410.06833): energies rest at sums of
// squared masses, and pass half-way when theory says so.
TEST(plateaus, of_the_energy_staircase) {
  const double unit = 0.5 * std::log(2000.0) / std::sqrt(2000.0);
  Dynamics dynamics = usa(2000);
  dynamics.clock = Clock::u4;
  const auto trajectory =
      simulated(dynamics, circle({0, 0.5 * unit, 2 * unit, 4 * unit, 7 * unit}),
                {.method = Method::rk4, .dt = 1e-5, .merge = 1.2e-4}, {.T = 0.11, .every = 1e-4});
  const auto names = observable_names(dynamics);
  const auto column = std::find(names.begin(), names.end(), "energy_scaled") - names.begin();
  Series s;
  for (std::size_t k = 0; k < trajectory.times.size(); ++k) {
    s.t.push_back(trajectory.times[k]);
    s.value.push_back(observe(trajectory.frames[k], dynamics, {.cluster_tol = 1e-6})[column]);
  }
  const std::vector<Plateau> found = plateaus(s);
  const double level[] = {0.28, 0.44, 0.52, 1}, rise[] = {0, 0.01710, 0.04120, 0.09702};
  ASSERT_EQ(found.size(), 4u);
  for (int p = 0; p < 4; ++p) {
    EXPECT_NEAR(found[p].level, level[p], 0.01);
    if (p > 0) {
      EXPECT_NEAR(*found[p].rise, rise[p], 1e-4);
    }
  }
}

TEST(growth_rate, of_an_exponential_is_exact) {
  const Series s = series_of([](double t) { return -1e-4 * std::exp(2.5 * t); }, 0, 4, 81);
  const Growth g = growth_rate(s, {.low = 1e-3, .high = 0.1});
  EXPECT_NEAR(g.rate, 2.5, 1e-12);
  EXPECT_LT(g.error, 1e-12);
  EXPECT_GT(g.from, std::log(10) / 2.5);
  EXPECT_LT(g.to, std::log(1000) / 2.5);
  EXPECT_NEAR(
      growth_rate(series_of([](double t) { return std::exp(-t); }, 0, 9, 40), {0.01, 0.5}).rate, -1,
      1e-12);
  EXPECT_EQ(fault_of([&] { growth_rate(s, {.low = 1e3, .high = 1e4}); }), Fault::input);
}

// y = t + noise: slope 1 and the textbook error, by hand for four points.
TEST(growth_rate, knows_its_standard_error) {
  const double e = 0.1;
  const Series s{{0, 1, 2, 3}, {std::exp(e), std::exp(1 - e), std::exp(2 - e), std::exp(3 + e)}};
  const Growth g = growth_rate(s, {.low = 0.1, .high = 1e3});
  EXPECT_NEAR(g.rate, 1, 1e-14);
  EXPECT_NEAR(g.error, std::sqrt(4 * e * e / 2 / 5), 1e-14);
  EXPECT_EQ(g.points, 4);
}

// The square of equal clusters at beta = 4 breaks up at the rate .2826: with
// h = (cos - beta sin^2) e^{beta (cos - 1)}, rate_m = -sum_j h(1 - cos(2 pi m j / k)) / sum_j
// e^{...}.
TEST(growth_rate, of_the_distance_from_a_metastable_state) {
  const double beta = 4, term = 1e-7;
  double top = 0, z = 0;
  for (int j = 0; j < 4; ++j) {
    const double c = std::cos(pi * j / 2), sine = std::sin(pi * j / 2);
    top -= (c - beta * sine * sine) * std::exp(beta * (c - 1)) * (1 - std::cos(pi * j));
    z += std::exp(beta * (c - 1));
  }
  EXPECT_NEAR(top / z, 0.2826, 5e-5);
  const HostSwarm square = circle({0, pi / 2, pi, 3 * pi / 2});
  const auto trajectory =
      simulated(sa(beta), circle({term, pi / 2 - term, pi + term, 3 * pi / 2 - term}),
                {.tolerance = {1e-12, 1e-14}}, {.T = 30, .every = 0.5});
  const Series distance = distance_from(history_of(trajectory.times, trajectory.frames), square);
  EXPECT_NEAR(distance.value[0], term, 1e-13);
  EXPECT_NEAR(growth_rate(distance, {.low = 2e-7, .high = 1e-4}).rate, top / z, 1e-4 * top / z);
}

TEST(crossing_time, lies_on_the_straight_line) {
  const double nan = std::nan("");
  const Series s{{0, 1, 2, 3, 4}, {0, nan, 4, 2, 8}};
  EXPECT_DOUBLE_EQ(*crossing_time(s, 3), 1.5);
  EXPECT_DOUBLE_EQ(*crossing_time(s, 5), 3.5);
  EXPECT_DOUBLE_EQ(*crossing_time(s, 0), 0);
  EXPECT_DOUBLE_EQ(*crossing_time(s, 8), 4);
  EXPECT_FALSE(crossing_time(s, 9).has_value());
  EXPECT_EQ(fault_of([] { crossing_time({{1, 1}, {0, 2}}, 1); }), Fault::input);
}

// Two tokens at beta = 0 close their angle as tan(theta / 2) = tan(theta_0 / 2) e^{-t}.
TEST(near_clustering, of_two_tokens_has_a_closed_form) {
  const auto trajectory =
      simulated(sa(0), circle({-0.6, 0.6}), {.tolerance = {1e-10, 1e-12}}, {.T = 8, .every = 0.01});
  const double delta = 1e-3, end = std::acos(1 - delta);
  const double exact = std::log(std::tan(0.6) / std::tan(end / 2));
  const NearClustering found = near_clustering(history_of(trajectory.times, trajectory.frames),
                                               {.delta = delta, .share = 0.5});
  EXPECT_NEAR(*found.all, exact, 1e-4);
  EXPECT_NEAR(*found.part, exact, 0.01);  // the fraction jumps from 0 to 1 between two frames
  EXPECT_FALSE(
      near_clustering(history_of({0, 1}, {circle({0, 1}), circle({0, 0.9})}), {}).all.has_value());
}

TEST(near_clustering, counts_the_share_of_close_pairs) {
  // Of the six pairs of four tokens 0, 1, 3, 6 are close at t = 0, 1, 2, 3.
  const History history = history_of({0, 1, 2, 3}, {circle({0, 1, 2, 3}), circle({0, 0, 2, 3}),
                                                    circle({0, 0, 0, 3}), circle({0, 0, 0, 0})});
  EXPECT_DOUBLE_EQ(*near_clustering(history, {.delta = 1e-3, .share = 0.5}).part, 2);
  EXPECT_DOUBLE_EQ(*near_clustering(history, {.delta = 1e-3, .share = 0.75}).part, 2.5);
  EXPECT_EQ(fault_of([&] { near_clustering(history, {.delta = 0}); }), Fault::input);
}

}  // namespace
}  // namespace murmur
