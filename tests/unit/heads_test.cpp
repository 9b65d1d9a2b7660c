// heads_test.cpp: what heads attend to in swarms where it is known, and swarms without a head.
#include "murmur/heads.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "learn/block_tensors.h"
#include "learn_samples.h"
#include "murmur/engine.h"
#include "murmur/experiment.h"
#include "murmur/observe.h"
#include "refused.h"
#include "support.h"

namespace murmur::testing {
namespace {

TrainedSwarm two_heads(bool shared) {
  TrainedSwarm swarm;
  Architecture& a = swarm.architecture;
  a = {.d = 3, .blocks = 3, .shared = shared, .hidden = 5, .heads = 2};
  a.targets = spread_targets(2, 3);
  const std::vector<double> lively = lively_parameters(a, 6);
  swarm.parameters.assign(lively.begin(), lively.end());
  swarm.digits = {5, 6};
  return swarm;
}

SampleSet some_samples() {
  const Samples samples({12, 30});
  return {samples.x, samples.y, samples.first, samples.label};
}

// beta 0: ln n nats, no preference, the tenth of the particles has a tenth of the weights.
TEST(HeadSummaries, OfUniformAttention) {
  const HostSwarm x = random_sphere({40, 3}, 2);
  const std::vector<HeadSummary> all = summaries_of_heads(x, sa(0), 0);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all[0].entropy, std::log(40.0), 1e-12);
  EXPECT_NEAR(all[0].distance, 1, 1e-12);
  EXPECT_NEAR(all[0].near, 0.1, 1e-12);
}

// On the sphere the greatest score is one's own: sharp attention is to oneself, or with the
// opposite sign to the farthest.
TEST(HeadSummaries, OfSharpAttention) {
  const HostSwarm x = random_sphere({40, 3}, 2);
  Dynamics dynamics = sa(1e5);
  dynamics.sublayers[0].forces.push_back(Attention{.beta = -1e5});
  const std::vector<HeadSummary> all = summaries_of_heads(x, dynamics, 0);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NEAR(all[0].entropy, 0, 1e-9);
  EXPECT_NEAR(all[0].distance, 0, 1e-9);
  EXPECT_NEAR(all[0].near, 1, 1e-9);
  EXPECT_NEAR(all[1].entropy, 0, 1e-2);
  EXPECT_GT(all[1].distance, 1.2);
  EXPECT_NEAR(all[1].near, 0, 1e-9);
}

// The mean over samples of what the heads do at the positions before each block.
TEST(HeadSummaries, OfATrainedSwarm) {
  for (const bool shared : {true, false}) {
    const TrainedSwarm swarm = two_heads(shared);
    const SampleSet samples = some_samples();
    const std::size_t chosen[] = {0, 1};
    const std::vector<HeadSummary> all = summaries_of_heads(swarm, samples, chosen);
    ASSERT_EQ(all.size(), 6u);
    const Dynamics dynamics = murmur::dynamics_of(swarm.architecture, swarm.doubles());
    double entropy = 0;
    for (const std::size_t sample : chosen) {
      const HostSwarm x = simulate_sample(swarm, samples, sample).frames[2];
      const Matrix a = attention_weights(x, dynamics, 1, 2 * swarm.architecture.residual);
      for (const double weight : a.data)
        if (weight > 0) entropy -= weight * std::log(weight) / a.rows / 2;
    }
    EXPECT_NEAR(all[2 * 2 + 1].entropy, entropy, 1e-12);
  }
  TrainedSwarm uniform = two_heads(true);
  uniform.architecture.interaction = Architecture::uniform;
  uniform.parameters.resize(parameter_count(uniform.architecture));
  const std::size_t first[] = {0};
  EXPECT_TRUE(summaries_of_heads(uniform, some_samples(), first).empty());
}

// A silent head has no columns of the mix, and only it; the readout then is that of the other head.
TEST(WithoutHead, SilencesItAlone) {
  for (const bool shared : {true, false})
    for (const int block : {-1, 1}) {
      const TrainedSwarm swarm = two_heads(shared), silent = without_head(swarm, 1, block);
      const Architecture& a = swarm.architecture;
      int changed = 0;
      for (std::size_t e = 0; e < swarm.parameters.size(); ++e) {
        if (silent.parameters[e] == swarm.parameters[e]) continue;
        ++changed;
        EXPECT_EQ(silent.parameters[e], 0);
      }
      const int width = width_of_head(a), blocks = shared ? 1 : block == -1 ? a.blocks : 1;
      EXPECT_EQ(changed, blocks * a.d * width);
      const int at = shared || block == -1 ? 0 : block;
      const float* mix = block_tensors(a, silent.parameters.data(), at).mix;
      for (int r = 0; r < a.d; ++r)
        for (int c = 0; c < 2 * width; ++c) EXPECT_EQ(mix[r * 2 * width + c] == 0, c >= width);
      const SampleSet samples = some_samples();
      EXPECT_GT(std::abs(judge(silent, samples, 1).readout(0, 0) -
                         judge(swarm, samples, 1).readout(0, 0)),
                1e-6);
    }
}

TEST(WithoutHead, RefusesWhatIsNotThere) {
  const TrainedSwarm swarm = two_heads(false);
  const auto said = [](const std::function<void()>& act) {
    std::string text;
    EXPECT_EQ(fault_of(act, &text), Fault::input);
    return text;
  };
  EXPECT_NE(said([&] { without_head(swarm, 2); }).find("head 2"), std::string::npos);
  EXPECT_NE(said([&] { without_head(swarm, -1); }).find("head -1"), std::string::npos);
  EXPECT_NE(said([&] { without_head(swarm, 0, 3); }).find("block 3"), std::string::npos);
  TrainedSwarm none = swarm;
  none.architecture.interaction = Architecture::none;
  EXPECT_NE(said([&] { without_head(none, 0); }).find("no attention"), std::string::npos);
}

Experiment made(const std::vector<std::string>& words) {
  return make_experiment(gather({"", {}, words}));
}

HostSwarm velocity_of(const Experiment& e, const HostSwarm& x) {
  return velocity(*make_reference_engine(), e.dynamics, x);
}

// Averaged heads are the sum of the heads over their number; equal ones are one head.
TEST(HeadScale, MeanIsTheSumOverTheNumberOfHeads) {
  const HostSwarm x = random_sphere({12, 3}, 4);
  for (const char* value : {"value=gaussian", "value=identity"}) {
    const HostSwarm sum = velocity_of(made({"heads=4", "d=3", value, "query=gaussian"}), x);
    const HostSwarm mean =
        velocity_of(made({"heads=4", "d=3", value, "query=gaussian", "head_scale=mean"}), x);
    for (int i = 0; i < x.n(); ++i)
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(mean.at(i, k), sum.at(i, k) / 4, 1e-14);
  }
  const HostSwarm one = velocity_of(made({"d=3"}), x);
  const HostSwarm alike = velocity_of(made({"d=3", "heads=5", "head_scale=mean"}), x);
  EXPECT_LT(largest_difference(one, alike), 1e-14);
}

// With Q = K = I the law of V has mean 0, and the mean of |v_i|^2 is 1 / H of one head's: variances
// fall like 1 / H.
TEST(HeadScale, FluctuationsFallLikeOneOverTheHeads) {
  const HostSwarm x = random_sphere({6, 4}, 9);
  const auto square = [&](int heads) {
    double sum = 0;
    for (int seed = 0; seed < 60; ++seed) {
      const HostSwarm a = velocity_of(made({"d=4", fmt::format("heads={}", heads), "value=gaussian",
                                            "head_scale=mean", fmt::format("seed={}", seed)}),
                                      x);
      for (int i = 0; i < x.n(); ++i) sum += dot(a, i, i);
    }
    return sum;
  };
  EXPECT_NEAR(square(1) / square(16), 16, 5);
}

TEST(HeadScale, IsRefusedWhereVIsInTheExponential) {
  std::string text;
  EXPECT_EQ(fault_of(
                [] {
                  made({"dynamics=rescaled", "heads=2", "head_scale=mean"});
                },
                &text),
            Fault::input);
  EXPECT_NE(text.find("head_scale"), std::string::npos);
}

}  // namespace
}  // namespace murmur::testing
