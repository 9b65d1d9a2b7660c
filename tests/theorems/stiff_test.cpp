// stiff_test.cpp: bdf against dopri5 and closed forms, over long lives, stopped and continued.
#include <gtest/gtest.h>

#include <numbers>

#include "murmur/error.h"
#include "support.h"

namespace murmur::testing {
namespace {

bool has_stiff() {
  try {
    simulated(sa(1), random_sphere({2, 2}, 1), {.method = Method::bdf}, {.T = 0.1});
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.fault, Fault::tool);
    return false;
  }
}

class Stiff : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_stiff()) GTEST_SKIP() << "built without SUNDIALS";
  }
};

TEST_F(Stiff, AgreesWithDopri5) {
  const HostSwarm x = random_sphere({8, 3}, 6);
  const Schedule schedule{.T = 20, .every = 1};
  const Simulated stiff =
      simulated(sa(4), x, {.method = Method::bdf, .tolerance = {1e-11, 1e-12}}, schedule);
  const Simulated other = simulated(sa(4), x, {.tolerance = {1e-12, 1e-13}}, schedule);
  ASSERT_TRUE(stiff.outcome.ok());
  ASSERT_EQ(stiff.frames.size(), other.frames.size());
  for (std::size_t k = 0; k < stiff.frames.size(); ++k) {
    EXPECT_EQ(stiff.times[k], other.times[k]);
    EXPECT_LT(largest_difference(stiff.frames[k], other.frames[k]), 1e-6) << stiff.times[k];
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(dot(stiff.frames[k], i, i), 1, 1e-14);
  }
  EXPECT_LT(largest_difference(stiff.last(), other.last()), 1e-7);
}

// Above the size for a dense Jacobian the linear systems are solved by GMRES.
TEST_F(Stiff, ManyParticlesToo) {
  const HostSwarm x = random_sphere({700, 3}, 6);
  const FlowSettings settings{.method = Method::bdf, .tolerance = {1e-8, 1e-10}};
  const Simulated stiff = simulated(sa(2), x, settings, {.T = 0.5});
  const Simulated other = simulated(sa(2), x, {}, {.T = 0.5});
  ASSERT_TRUE(stiff.outcome.ok());
  EXPECT_LT(largest_difference(stiff.last(), other.last()), 1e-5);
}

// In R^d nothing is projected. beta = 0: x_i' = mean, which grows as e^t.
TEST_F(Stiff, InSpace) {
  const HostSwarm x = random_sphere({5, 2}, 3);
  const Dynamics grow = dynamics_of(Attention{.beta = 0}, Manifold::space);
  const Simulated stiff =
      simulated(grow, x, {.method = Method::bdf, .tolerance = {1e-10, 1e-12}}, {.T = 1});
  for (int k = 0; k < 2; ++k) {
    double mean = 0;
    for (int i = 0; i < 5; ++i) mean += x.at(i, k) / 5;
    for (int i = 0; i < 5; ++i)
      EXPECT_NEAR(stiff.last().at(i, k), x.at(i, k) + mean * (std::numbers::e - 1), 1e-7);
  }
}

// Two clusters a right angle apart reach the angle 0.1 at
//   T = int (1 + e^{beta (1 - cos theta)}) / (2 sin theta) d theta.
TEST_F(Stiff, LifetimesOfTwoClusters) {
  const struct { double beta, lifetime; } cases[] = {{4, 10.0219}, {9, 465.896}};
  for (const auto& c : cases) {
    const Simulated f =
        simulated(sa(c.beta), circle({0, std::numbers::pi / 2}),
                  {.method = Method::bdf, .tolerance = {1e-10, 1e-12}}, {.T = c.lifetime});
    ASSERT_TRUE(f.outcome.ok());
    const double angle = std::acos(dot(f.last(), 0, 1));
    const double speed = std::sin(angle) * 2 / (1 + std::exp(c.beta * (1 - std::cos(angle))));
    EXPECT_NEAR(c.lifetime + (angle - 0.1) / speed, c.lifetime, 1e-5 * c.lifetime);
  }
}

// Thirty-two tokens through all their mergers, where explicit steps stay of order one.
TEST_F(Stiff, LongLivesTakeFewSteps) {
  const Simulated f =
      simulated(sa(9), random_sphere({32, 2}, 1), {.method = Method::bdf}, {.T = 1e6});
  ASSERT_TRUE(f.outcome.ok());
  EXPECT_LT(f.state.step, 4000);
  const Simulated merging =
      simulated(sa(9), random_sphere({32, 2}, 1), {.merge = 1e-6}, {.T = 1e6});
  EXPECT_LT(largest_difference(f.last(), merging.last()), 1e-3);
}

// Stopped again and again, later each time, continued from the state the watch was given, and on
// beyond the first T.
TEST_F(Stiff, StoppedAndContinuedGivesTheSameBits) {
  const HostSwarm x = random_sphere({6, 2}, 3);
  const FlowSettings settings{.method = Method::bdf};
  const Schedule schedule{.T = 400, .every = 20};
  const Simulated whole = simulated(sa(6), x, settings, schedule);
  ASSERT_GT(whole.state.step, 200) << "the test needs more than one stretch";
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(sa(6), x.shape());
  const Flow flow{*engine, *field, settings};
  for (const int patience : {37, 150, 199, 200}) {
    FlowState saved = start(x);
    std::vector<HostSwarm> frames;
    for (int simulations = 1; simulations < 50 && saved.next_frame < schedule.frames();
         ++simulations) {
      FlowState state = saved;
      int calls = 0;
      FlowWatch watch;
      watch.frame = [&](double, const HostSwarm& frame) { frames.push_back(frame); };
      watch.pause = [&](const FlowState&, const auto& fetch) {
        if (++calls < patience * simulations) return false;
        saved = fetch();
        return true;
      };
      const Schedule now{.T = simulations == 1 ? 200. : 400., .every = 20};
      if (advance(flow, now, state, watch).ok()) saved = state;
    }
    ASSERT_EQ(frames.size(), whole.frames.size()) << patience;
    for (std::size_t k = 0; k < frames.size(); ++k)
      EXPECT_EQ(to_rows(frames[k]), to_rows(whole.frames[k])) << patience << " " << k;
    EXPECT_EQ(saved.step, whole.state.step) << patience;
    EXPECT_EQ(saved.rejected, whole.state.rejected) << patience;
    EXPECT_EQ(saved.evaluations, whole.state.evaluations) << patience;
  }
}

TEST_F(Stiff, EndsWithASentence) {
  const Simulated few = simulated(sa(4), random_sphere({8, 3}, 1),
                                  {.method = Method::bdf, .max_evaluations = 40}, {.T = 100});
  EXPECT_EQ(few.outcome.ending, Ending::too_many_evaluations);
  ASSERT_EQ(few.frames.size(), 1u);
  const Simulated overflow =
      simulated(usa(800), random_sphere({8, 3}, 1), {.method = Method::bdf}, {.T = 1});
  EXPECT_EQ(overflow.outcome.ending, Ending::not_finite);
  EXPECT_FALSE(overflow.outcome.what.empty());
}

// e^{beta |x_i|^2} overflows for the long one alone.
TEST_F(Stiff, NamesTheParticleThatIsLost) {
  HostSwarm x({4, 2});
  for (int i = 0; i < 4; ++i) x.at(i, i % 2) = i == 1 ? 30 : 1e-3;
  const Dynamics plain =
      dynamics_of(Attention{.beta = 1, .weighting = Attention::unnormalised}, Manifold::space);
  const Simulated f = simulated(plain, x, {.method = Method::bdf}, {.T = 1});
  EXPECT_EQ(f.outcome.ending, Ending::not_finite);
  EXPECT_EQ(f.outcome.particle, 1);
}

}  // namespace
}  // namespace murmur::testing
