// identities_test.cpp: what cannot be otherwise in a right program: cells, order, nested fits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/theory.h"
#include "murmur/transport.h"
#include "reproduce/head_fields.h"
#include "support.h"

namespace murmur::testing {
namespace {

// k vertices at random angles, no gap above 3 pi / k, and of norms from `least` to 1; then points
// of a grid inside their hull.
HostSwarm with_vertices(int k, double least, int side) {
  std::vector<std::array<double, 2>> points;
  for (int v = 0; v < k; ++v) {
    const Draw who{0, Stream::target, static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(k)};
    const double angle = 2 * std::numbers::pi * (v + 0.5 * who.uniform(0)) / k;
    const double norm = least + (1 - least) * who.uniform(1);
    points.push_back({norm * std::cos(angle), norm * std::sin(angle)});
  }
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c)
      points.push_back({0.2 * (2 * (c + 0.47) / side - 1), 0.2 * (2 * (r + 0.53) / side - 1)});
  HostSwarm x({static_cast<int>(points.size()), 2});
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j < 2; ++j) x.at(i, j) = points[i][j];
  return x;
}

// The vertex to which hard attention drives point i, and the one that lies nearest.
int driven_to(const HostSwarm& x, const HostSwarm& v, int i, int k) {
  for (int j = 0; j < k; ++j)
    if (std::hypot(x.at(i, 0) + v.at(i, 0) - x.at(j, 0), x.at(i, 1) + v.at(i, 1) - x.at(j, 1)) <
        1e-12)
      return j;
  return -1;
}
int nearest_to(const HostSwarm& x, int i, int k) {
  const auto apart = [&](int j) {
    return std::hypot(x.at(i, 0) - x.at(j, 0), x.at(i, 1) - x.at(j, 1));
  };
  int best = 0;
  for (int j = 1; j < k; ++j)
    if (apart(j) < apart(best)) best = j;
  return best;
}

// For vertices of one norm the cells of hard attention are Voronoi's; for others they are not.
TEST(HardmaxCells, AreVoronoisForEqualNorms) {
  const Dynamics hard =
      dynamics_of(Attention{.relative = true, .weighting = Attention::hard}, Manifold::space);
  const auto engine = make_reference_engine();
  for (int k = 5; k <= 25; ++k)
    for (const bool equal : {true, false}) {
      const HostSwarm x = with_vertices(k, equal ? 1 : 0.6, 20);
      const HostSwarm v = velocity(*engine, hard, x);
      int other = 0;
      for (int i = k; i < x.n(); ++i) other += driven_to(x, v, i, k) != nearest_to(x, i, k) ? 1 : 0;
      EXPECT_EQ(other == 0, equal) << k << " vertices, " << other << " points elsewhere";
    }
}

// What a swarm puts out is a measure: tokens in reverse put out the same one. A mask sees order.
TEST(OutputMeasure, DoesNotDependOnTheOrder) {
  const HostSwarm x = random_sphere({200, 3}, 5);
  HostSwarm y = x;
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < 3; ++k) y.at(i, k) = x.at(x.n() - 1 - i, k);
  const auto apart = [&](const Dynamics& dynamics) {
    const FlowSettings flow{.tolerance = {1e-8, 1e-10}};
    return assignment_distance(simulated(dynamics, x, flow, {.T = 2}).last(),
                               simulated(dynamics, y, flow, {.T = 2}).last(), Ground::arc)
        .distance;
  };
  EXPECT_LT(apart(sa(4)), 1e-6);
  EXPECT_GT(apart(dynamics_of(Attention{.beta = 4, .mask = Attention::causal})), 0.01);
}

// Least squares over more heads is never worse on what it was fitted to, whether scores stay as
// drawn or are trained from those of half as many heads; and trained ones are the better.
TEST(NestedHeads, FitNoWorseThanFewer) {
  const FieldSample sample =
      sample_of(FieldOfMeasures(HeadField::mean_of_heads, 2),
                {.seed = 1, .first = 0, .count = 40, .n = 8, .law = kAllLaws});
  HeadSum trained, fitted;
  double last_trained = 1, last_fitted = 1;
  for (const int count : {1, 2, 4, 8}) {
    for (HeadSum* heads : {&trained, &fitted})
      for (int h = heads->count(); h < count; ++h) {
        heads->scores.push_back(drawn_scores(2, 1, h));
        heads->values.push_back(Eigen::MatrixXd::Zero(2, 2));
      }
    train_heads(sample, {.iterations = 10}, trained);
    fit_values(sample, fitted);
    const double now_trained = error_of(trained, sample).mean,
                 now_fitted = error_of(fitted, sample).mean;
    EXPECT_LE(now_trained, last_trained * (1 + 1e-9)) << count;
    EXPECT_LE(now_fitted, last_fitted * (1 + 1e-6)) << count;  // a damping of 1e-10
    EXPECT_LT(now_trained, now_fitted) << count;
    last_trained = now_trained;
    last_fitted = now_fitted;
  }
  EXPECT_LT(last_trained, 0.1);
}

// The formula of the critical time is where the slope of the profile at the end changes its sign:
// before it the minimum lies inside, after it at the end.
TEST(LostInTheMiddle, TheMinimumLeavesTheInsideAtTheCriticalTime) {
  for (const double beta : {.1, .5, 1., 2., 3.}) {
    const theory::Retrieval retrieval{.beta = beta};
    const double critical = theory::retrieval_critical_time(retrieval);
    const auto slope = [&](double t) {
      constexpr double h = 1e-4;
      const auto s = [&](double place) { return theory::retrieval_profile(retrieval, t, place); };
      return (3 * s(1) - 4 * s(1 - h) + s(1 - 2 * h)) / (2 * h);
    };
    EXPECT_GT(slope(critical * (1 - 1e-5)), 0) << beta;
    EXPECT_LT(slope(critical * (1 + 1e-5)), 0) << beta;
    const auto minimum = [&](double t) {
      double place = 0, least = 1e300;
      for (int k = 1; k <= 1000; ++k) {
        const double value = theory::retrieval_profile(retrieval, t, k / 1000.0);
        if (value < least) least = value, place = k / 1000.0;
      }
      return place;
    };
    EXPECT_GT(minimum(0.9 * critical), 0.01) << beta;
    EXPECT_LT(minimum(0.9 * critical), 1) << beta;
    EXPECT_EQ(minimum(1.1 * critical), 1) << beta;
  }
}

}  // namespace
}  // namespace murmur::testing
