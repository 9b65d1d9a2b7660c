// flow_test.cpp: schedules, merging, and integrations that are stopped and continued.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <random>

#include "flow/flow_stepper.h"
#include "murmur/stop.h"
#include "support.h"

namespace murmur::testing {
namespace {

TEST(Schedule, KeepsWholeMultiplesAndTheEnd) {
  const Schedule s{.T = 10, .every = 3};
  ASSERT_EQ(s.frames(), 5);
  const double times[] = {0, 3, 6, 9, 10};
  for (int k = 0; k < 5; ++k) EXPECT_EQ(s.time(k), times[k]);
  EXPECT_EQ((Schedule{.T = 1, .every = 0.1}.frames()), 11);
  EXPECT_EQ((Schedule{.T = 30, .every = 0.3}.frames()), 101);
  EXPECT_EQ((Schedule{.T = 30, .every = 0.3}.time(100)), 30);
}

TEST(Schedule, LogarithmicTimesEndAtT) {
  const Schedule s{.T = 1e6, .first = 0.1, .ratio = 10};
  ASSERT_EQ(s.frames(), 9);  // 0, 0.1, 1, ..., 1e5, 1e6
  EXPECT_EQ(s.time(0), 0);
  EXPECT_EQ(s.time(1), 0.1);
  EXPECT_NEAR(s.time(7), 1e5, 1e-9 * 1e5);
  EXPECT_EQ(s.time(8), 1e6);
}

TEST(Schedule, FinalKeepsOneFrame) {
  EXPECT_EQ((Schedule{.T = 7}.frames()), 1);
  EXPECT_EQ((Schedule{.T = 7}.time(0)), 7);
}

TEST(Merging, NearestPairFirstWithMass) {
  FlowState state = start(circle({0, 1e-4, 2.6e-4, 2}));
  const auto merges = merge_close(state, 2e-4, Manifold::sphere);
  ASSERT_EQ(merges.size(), 1u);  // 0 and 1 meet; their mean is 2.1e-4 from 2, which is not below
  EXPECT_EQ(merges[0].into, 0);
  EXPECT_EQ(merges[0].absorbed, 1);
  EXPECT_EQ(merges[0].mass, 0.5);
  EXPECT_EQ(merges[0].left, 3);
  EXPECT_EQ(state.group, (std::vector<int>{0, 0, 1, 2}));
  EXPECT_NEAR(state.x.at(0, 1), 5e-5, 1e-12);
  EXPECT_NEAR(dot(state.x, 0, 0), 1, 1e-15);
  const HostSwarm frame = unfold(state, state.x);
  EXPECT_EQ(frame.n(), 4);
  EXPECT_EQ(frame.at(1, 1), frame.at(0, 1));
  EXPECT_EQ(frame.mass[1], 0.25);
}

TEST(Merging, ChainsCollapseToOne) {
  std::vector<double> angles;
  for (int i = 0; i < 50; ++i) angles.push_back(1e-7 * i);
  FlowState state = start(circle(angles));
  EXPECT_EQ(merge_close(state, 1e-3, Manifold::sphere).size(), 49u);
  EXPECT_NEAR(state.x.mass[0], 1, 1e-14);
  EXPECT_NEAR(std::atan2(state.x.at(0, 1), state.x.at(0, 0)), 1e-7 * 24.5, 1e-12);
}

// Joins the nearest pair of all, one pair after another, by looking at every pair each time.
std::vector<Merge> merge_by_all_pairs(FlowState& state, double delta) {
  std::vector<Merge> merges;
  for (;;) {
    ClosePair best{delta * delta, -1, -1};
    for (int i = 0; i < state.x.n(); ++i)
      for (int j = i + 1; j < state.x.n(); ++j) {
        double square = 0;
        for (int k = 0; k < state.x.d(); ++k)
          square += std::pow(state.x.at(i, k) - state.x.at(j, k), 2);
        if (square < best.square) best = {square, i, j};
      }
    if (best.i < 0) return merges;
    HostSwarm& x = state.x;
    const double mass = x.mass[best.i] + x.mass[best.j];
    for (int k = 0; k < x.d(); ++k)
      x.at(best.i, k) =
          (x.mass[best.i] * x.at(best.i, k) + x.mass[best.j] * x.at(best.j, k)) / mass;
    x.mass[best.i] = mass;
    const auto member = [&](int row) {
      return static_cast<int>(std::find(state.group.begin(), state.group.end(), row) -
                              state.group.begin());
    };
    merges.push_back({state.t, member(best.i), member(best.j), mass, x.n() - 1});
    HostSwarm left({x.n() - 1, x.d()});
    for (int i = 0, to = 0; i < x.n(); ++i) {
      if (i == best.j) continue;
      for (int k = 0; k < x.d(); ++k) left.at(to, k) = x.at(i, k);
      left.mass[to++] = x.mass[i];
    }
    for (int& row : state.group) row = row == best.j ? best.i : row > best.j ? row - 1 : row;
    x = left;
  }
}

// Points of a coarse lattice too, so that many pairs are equally close.
TEST(Merging, JoinsTheSamePairsAsASearchOfAllPairs) {
  std::mt19937 numbers(3);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 2 + trial % 37, d = 1 + trial % 4;
    const bool lattice = trial % 2;
    FlowState state = start(HostSwarm({n, d}));
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < d; ++k)
        state.x.at(i, k) = lattice ? numbers() % 5 / 4. : numbers() / 4294967296.;
      state.x.mass[i] = 1. + numbers() % 3;
    }
    FlowState expected = state;
    const double delta = lattice ? 0.6 : 0.2;
    const auto merges = merge_close(state, delta, Manifold::space);
    const auto asked = merge_by_all_pairs(expected, delta);
    ASSERT_EQ(merges.size(), asked.size());
    for (std::size_t m = 0; m < merges.size(); ++m) {
      EXPECT_EQ(merges[m].into, asked[m].into);
      EXPECT_EQ(merges[m].absorbed, asked[m].absorbed);
      EXPECT_EQ(merges[m].mass, asked[m].mass);
      EXPECT_EQ(merges[m].left, asked[m].left);
    }
    EXPECT_EQ(state.group, expected.group);
    ASSERT_EQ(state.x.n(), expected.x.n());
    EXPECT_EQ(state.x.mass, expected.x.mass);
    for (int i = 0; i < state.x.n(); ++i)
      for (int k = 0; k < d; ++k) EXPECT_EQ(state.x.at(i, k), expected.x.at(i, k));
  }
}

TEST(Merging, StopsAndLeavesTheStateAsItWas) {
  std::vector<double> angles;
  for (int i = 0; i < 2000; ++i) angles.push_back(1e-9 * i);
  FlowState state = start(circle(angles));
  std::atomic<int> flag = 1;
  const StopScope scope(&flag);
  EXPECT_FALSE(finishes([&] { merge_close(state, 1e-3, Manifold::sphere); }));
  EXPECT_EQ(state.x.n(), 2000);
  EXPECT_EQ(state.group.back(), 1999);
}

// Stops after every `stride` steps and goes on from the state alone, in a new run of the flow.
Simulated simulated_in_pieces(const Dynamics& dynamics, const HostSwarm& x,
                              const FlowSettings& settings, const Schedule& schedule, int stride) {
  Simulated result;
  result.state = start(x);
  for (;;) {
    const auto engine = make_reference_engine();
    const auto field = engine->prepare(dynamics, x.shape());
    FlowWatch watch;
    int steps = 0;
    watch.frame = [&](double t, const HostSwarm& frame) {
      result.times.push_back(t);
      result.frames.push_back(frame);
    };
    watch.merged = [&](const Merge& merge) { result.merges.push_back(merge); };
    watch.pause = [&](const FlowState&, const auto& fetch) {
      fetch();
      return ++steps == stride;
    };
    result.outcome = advance({*engine, *field, settings}, schedule, result.state, watch);
    if (result.outcome.ending != Ending::interrupted) return result;
  }
}

void expect_same(const Simulated& a, const Simulated& b) {
  ASSERT_EQ(a.times, b.times);
  for (std::size_t k = 0; k < a.frames.size(); ++k)
    EXPECT_EQ(to_rows(a.frames[k]), to_rows(b.frames[k])) << "frame " << k;
  ASSERT_EQ(a.merges.size(), b.merges.size());
  for (std::size_t k = 0; k < a.merges.size(); ++k) EXPECT_EQ(a.merges[k].t, b.merges[k].t);
}

TEST(Flow, StoppedAndContinuedGivesTheSameBits) {
  const HostSwarm x = random_sphere({24, 2}, 5);
  const FlowSettings kinds[] = {{.method = Method::layers},
                                {.method = Method::rk4, .dt = 0.05},
                                {},
                                {.tolerance = {1e-8, 1e-8}, .merge = 1e-6}};
  for (const FlowSettings& settings : kinds)
    for (const int stride : {1, 3, 17}) {
      const Schedule schedule{.T = 20, .every = 0.5};
      expect_same(simulated(sa(9), x, settings, schedule),
                  simulated_in_pieces(sa(9), x, settings, schedule, stride));
    }
}

// A flight to T = 7, then carried on to 20, equals one to 20 from the start.
TEST(Flow, ALargerTimeContinuesAsIfItHadBeenMeant) {
  const HostSwarm x = random_sphere({24, 2}, 6);
  const FlowSettings settings{.tolerance = {1e-8, 1e-8}, .merge = 1e-6};
  const Simulated whole = simulated(sa(9), x, settings, {.T = 20, .every = 0.5});
  Simulated part = simulated(sa(9), x, settings, {.T = 7, .every = 0.5});
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(sa(9), x.shape());
  FlowWatch watch;
  watch.frame = [&](double t, const HostSwarm& frame) {
    part.times.push_back(t);
    part.frames.push_back(frame);
  };
  watch.merged = [&](const Merge& merge) { part.merges.push_back(merge); };
  advance({*engine, *field, settings}, {.T = 20, .every = 0.5}, part.state, watch);
  expect_same(whole, part);
}

TEST(Flow, SavingNeverChangesTheSteps) {
  const HostSwarm x = random_sphere({16, 3}, 1);
  const Simulated often = simulated(sa(4), x, {}, {.T = 5, .every = 0.01});
  const Simulated once = simulated(sa(4), x, {}, {.T = 5});
  EXPECT_EQ(to_rows(often.last()), to_rows(once.last()));
  EXPECT_EQ(often.state.evaluations, once.state.evaluations);
}

TEST(Flow, OverflowEndsWithASentenceAndTheLastGoodFrame) {
  const Simulated f = simulated(usa(800), random_sphere({8, 3}, 1), {}, {.T = 1, .every = 0.1});
  EXPECT_EQ(f.outcome.ending, Ending::not_finite);
  EXPECT_GE(f.outcome.particle, 0);
  EXPECT_FALSE(f.outcome.what.empty());
  EXPECT_FALSE(f.outcome.remedy.empty());
  ASSERT_FALSE(f.frames.empty());
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(std::isfinite(f.last().at(i, 0)));
}

TEST(Flow, FixedStepsStopAtTheLastGoodStep) {
  // V = I in R^d grows as e^t: with a huge step it overflows after some steps.
  const Dynamics runaway = dynamics_of(Attention{.beta = 0}, Manifold::space);
  const Simulated f = simulated(runaway, random_sphere({4, 2}, 1),
                                {.method = Method::euler, .dt = 1e60}, {.T = 1e62, .every = 1e61});
  EXPECT_EQ(f.outcome.ending, Ending::not_finite);
  EXPECT_EQ(f.times.back(), f.state.t);
  EXPECT_TRUE(std::isfinite(f.last().at(0, 0)));
}

// e^{beta} overflows at beta = 800. At 500 it does not, but the length of the drift does, and a
// division by it would leave the particle at the origin.
TEST(Flow, OverflowIsNoPosition) {
  const HostSwarm x = random_sphere({8, 3}, 1);
  for (const Method method : {Method::layers, Method::euler, Method::rk4, Method::strang})
    for (const double beta : {500., 800.}) {
      const Simulated f = simulated(usa(beta), x, {.method = method}, {.T = 1, .every = 0.1});
      if (f.outcome.ok()) {
        for (int i = 0; i < 8; ++i) EXPECT_NEAR(dot(f.last(), i, i), 1, 1e-14);
        continue;
      }
      EXPECT_EQ(f.outcome.ending, Ending::not_finite);
      EXPECT_GE(f.outcome.particle, 0);
      EXPECT_FALSE(f.outcome.what.empty());
      EXPECT_EQ(f.last().at(0, 0), x.at(0, 0));
    }
  const auto ends = [&](double beta) {
    return simulated(usa(beta), x, {.method = Method::layers}, {.T = 1}).outcome.ending;
  };
  EXPECT_EQ(ends(800), Ending::not_finite);
  EXPECT_EQ(ends(500), Ending::not_finite);
}

TEST(Flow, EvaluationsAreLimited) {
  const Simulated f =
      simulated(sa(4), random_sphere({8, 3}, 1), {.max_evaluations = 20}, {.T = 100});
  EXPECT_EQ(f.outcome.ending, Ending::too_many_evaluations);
}

}  // namespace
}  // namespace murmur::testing
