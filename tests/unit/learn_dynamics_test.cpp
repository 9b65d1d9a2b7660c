// learn_dynamics_test.cpp: a trained swarm as a Dynamics has the outputs of its forward pass.
#include <gtest/gtest.h>

#include "learn_samples.h"
#include "support.h"

namespace murmur::testing {
namespace {

Architecture swarm(Architecture::Interaction interaction, bool shared, int heads) {
  return {.d = 6,
          .blocks = 7,
          .shared = shared,
          .hidden = 5,
          .heads = heads,
          .residual = 0.1,
          .interaction = interaction,
          .targets = spread_targets(2, 6)};
}

// One sample through `blocks` layers of an engine, (n, d) rows at the end.
HostSwarm carried(Engine& engine, const Architecture& a, const std::vector<double>& parameters,
                  const Samples& samples) {
  const Dynamics dynamics = murmur::dynamics_of(a, parameters);
  const Sample sample = start_sample(a, parameters, samples.x, samples.y);
  const HostSwarm x = from_rows({sample.n, a.d}, sample.rows.data());
  const auto field = engine.prepare(dynamics, x.shape());
  FlowState state = start(x);
  const FlowSettings settings{.method = Method::layers, .dt = a.residual};
  const Outcome outcome =
      advance({engine, *field, settings}, {.T = a.blocks * a.residual}, state, {});
  EXPECT_TRUE(outcome.ok()) << outcome.what;
  EXPECT_EQ(state.step, a.blocks);
  return state.x;
}

void expect_same_trajectory(const Architecture& a, Engine& engine, double close) {
  const std::vector<double> parameters = lively_parameters(a, 8);
  Samples samples({9});
  samples.shift.clear();
  std::vector<double> readout(a.d);
  reference_forward(a, parameters, samples.batch(), readout);
  const HostSwarm end = carried(engine, a, parameters, samples);
  double size = 0;
  for (const double m : readout) size = std::max(size, std::abs(m));
  for (int k = 0; k < a.d; ++k) {
    double mean = 0;
    for (int i = 0; i < end.n(); ++i) mean += end.at(i, k) / end.n();
    if (a.readout == Architecture::cls) mean = end.at(end.n() - 1, k);
    EXPECT_NEAR(mean, readout[k], close * std::max(1.0, size))
        << engine.name() << ", interaction " << a.interaction << ", shared " << a.shared
        << ", heads " << a.heads;
  }
}

TEST(DynamicsOfSwarm, FliesAsItLearned) {
  const auto reference = make_reference_engine();
  const auto simd = make_simd_engine(Precision::f64, 1);
  for (int interaction = Architecture::none; interaction <= Architecture::attention; ++interaction)
    for (const bool shared : {true, false})
      for (const int heads : {1, 3}) {
        Architecture a = swarm(static_cast<Architecture::Interaction>(interaction), shared, heads);
        expect_same_trajectory(a, *reference, 1e-12);
        expect_same_trajectory(a, *simd, 1e-10);
        a.readout = Architecture::cls;
        a.position = true;
        expect_same_trajectory(a, *reference, 1e-12);
        a.head_width = 4;
        expect_same_trajectory(a, *reference, 1e-12);
        expect_same_trajectory(a, *simd, 1e-10);
      }
}

// Times summed step by step, or with a residual that is no sum of powers of two, choose the same
// blocks.
TEST(DynamicsOfSwarm, RoundingOfTimeChoosesNoOtherBlock) {
  for (const double residual : {0.1, 1.0 / 3, 0.7, 1e-3}) {
    Architecture a = swarm(Architecture::attention, false, 1);
    a.residual = residual;
    a.blocks = 30;
    const std::vector<double> parameters = lively_parameters(a, 8);
    const Dynamics dynamics = murmur::dynamics_of(a, parameters);
    ASSERT_EQ(dynamics.sublayers.size(), 60u);
    double sum = 0;
    for (int b = 0; b < 40; ++b, sum += residual)
      for (const double t : {sum, b * residual})
        for (int sublayer = 0; sublayer < 60; ++sublayer)
          EXPECT_EQ(dynamics.sublayers[sublayer].active(t), sublayer / 2 == std::min(b, 29)) << b;
    EXPECT_TRUE(dynamics.sublayers[0].active(-1e9));
  }
}

TEST(DynamicsOfSwarm, SharedBlocksAreTwoPhasesForEver) {
  const Architecture a = swarm(Architecture::attention, true, 3);
  const Dynamics dynamics = murmur::dynamics_of(a, lively_parameters(a, 8));
  ASSERT_EQ(dynamics.sublayers.size(), 2u);
  EXPECT_EQ(dynamics.sublayers[0].forces.size(), 3u);
  EXPECT_EQ(dynamics.manifold, Manifold::space);
  for (const double t : {-1e300, 0.0, 1e300})
    for (const Sublayer& sublayer : dynamics.sublayers) EXPECT_TRUE(sublayer.active(t));
}

}  // namespace
}  // namespace murmur::testing
