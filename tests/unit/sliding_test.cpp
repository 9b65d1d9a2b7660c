// sliding_test.cpp: adaptive steps stop where a particle slides along a switch of hard attention.
#include <gtest/gtest.h>

#include <functional>

#include "flow/flow_stepper.h"
#include "support.h"

namespace murmur::testing {
namespace {

HostSwarm velocity_of(double second) {  // of two particles, the first of which stays
  HostSwarm v({2, 2});
  v.at(0, 0) = 0.5;
  v.at(1, 0) = second;
  return v;
}

// Whom a look at steps names, in each of which the second particle goes from one velocity to
// another.
int named(const std::function<double(int)>& from, const std::function<double(int)>& to) {
  SlidingDetector look(2);
  for (int k = 0; k < kStepsLookedAt; ++k) {
    const std::vector<HostSwarm> others = {velocity_of(from(k)), velocity_of(to(k))};
    look.add(velocity_of(from(k)), others, 1e-3);
  }
  return look.row();
}

TEST(SlidingDetector, SeesJumpsWithinManySteps) {
  const auto one = [](int) { return 1.0; };
  EXPECT_EQ(named(one, [](int) { return -0.3; }), 1);                     // stays on a side
  EXPECT_EQ(named(one, [](int k) { return k % 3 == 0 ? 0.9 : 1; }), 1);   // now and then
  EXPECT_EQ(named(one, [](int k) { return k == 30 ? 0.9 : 1; }), -1);     // crosses once
  EXPECT_EQ(named(one, [](int k) { return k % 8 == 0 ? 0.9 : 1; }), -1);  // crosses many
  EXPECT_EQ(named(one, [](int) { return 1 + 1e-6; }), -1);                // no jump
  EXPECT_EQ(SlidingDetector(0).row(), -1);
}

TEST(SlidingDetector, IsAskedForWhereVelocitiesJump) {
  EXPECT_TRUE(velocity_jumps(dynamics_of(Attention{.weighting = Attention::hard})));
  EXPECT_FALSE(velocity_jumps(sa(100)));
}

// Everybody flees from the nearest other. The middle one of three is driven to the bisector of its
// neighbours from either side, and slides along it while they move away.
Dynamics flight() {
  return dynamics_of(
      Attention{.value = scaled_identity(2, -1), .self = false, .weighting = Attention::hard});
}
const HostSwarm kThree = circle({0, 1, 2.2});

double angle(const HostSwarm& x, int i) { return std::atan2(x.at(i, 1), x.at(i, 0)); }

TEST(Sliding, EndsAdaptiveMethodsWithTheParticle) {
  for (const Method method : {Method::dopri5, Method::tsit5, Method::dop853}) {
    const Simulated f = simulated(flight(), kThree, {.method = method}, {.T = 1});
    EXPECT_EQ(f.outcome.ending, Ending::sliding) << row_of(method).name;
    EXPECT_EQ(f.outcome.particle, 1);
    EXPECT_LT(f.state.evaluations, 100'000);
    const HostSwarm& x = f.last();
    EXPECT_NEAR(angle(x, 1), (angle(x, 0) + angle(x, 2)) / 2, 1e-6);
    EXPECT_NE(f.outcome.remedy.find("euler"), std::string::npos);
  }
}

TEST(Sliding, IsFollowedByFixedSteps) {
  for (const double dt : {1.0 / 128, 1.0 / 1024})
    for (const Method method : {Method::euler, Method::layers}) {
      const Simulated f = simulated(flight(), kThree, {.method = method, .dt = dt}, {.T = 0.5});
      ASSERT_TRUE(f.outcome.ok());
      EXPECT_NEAR(angle(f.last(), 1), (angle(f.last(), 0) + angle(f.last(), 2)) / 2, 2 * dt);
    }
}

// The steps on the side leave no trace, and an interruption changes nothing of the end.
TEST(Sliding, IsFoundAtTheSameTimeAfterInterruptions) {
  const Simulated whole = simulated(flight(), kThree, {}, {.T = 1});
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(flight(), kThree.shape());
  FlowState state = start(kThree);
  Outcome outcome{Ending::interrupted};
  int pauses = 0;
  while (outcome.ending == Ending::interrupted && pauses < 1000) {
    ++pauses;
    outcome =
        advance({*engine, *field, {}}, {.T = 1}, state,
                {.pause = [&](const FlowState& now, const auto&) { return now.step % 97 == 0; }});
  }
  EXPECT_GT(pauses, 10);
  EXPECT_EQ(outcome.ending, Ending::sliding);
  EXPECT_EQ(outcome.t, whole.outcome.t);
  EXPECT_EQ(to_rows(state.x), to_rows(whole.state.x));
  EXPECT_EQ(state.step, whole.state.step);
}

// Tokens that circle about an axis as fast as their nearest neighbour overtake each other, and
// cross switches all the time; nobody slides.
TEST(Sliding, IsNotSeenWhereSwitchesAreCrossed) {
  Matrix turn = zeros(3, 3);
  turn(0, 1) = -1;
  turn(1, 0) = 1;
  const Attention nearest{.value = turn, .self = false, .weighting = Attention::hard};
  const Simulated f = simulated(dynamics_of(nearest), random_sphere({50, 3}, 5), {}, {.T = 10});
  EXPECT_TRUE(f.outcome.ok()) << f.outcome.what;
  EXPECT_GT(f.state.step, kStepsBetweenLooks);
  EXPECT_GT(f.state.rejected, kStepsBetweenLooks);
}

// In clusters so small that their scores are rounding the nearest changes by chance.
TEST(Sliding, IsNotSeenInRounding) {
  const Attention nearest{.self = false, .weighting = Attention::hard};
  const Simulated f = simulated(dynamics_of(nearest), random_sphere({20, 3}, 2),
                                {.tolerance = {1e-12, 1e-13}}, {.T = 30});
  EXPECT_TRUE(f.outcome.ok()) << f.outcome.what;
  EXPECT_GT(f.state.step, kStepsBetweenLooks);
}

}  // namespace
}  // namespace murmur::testing
