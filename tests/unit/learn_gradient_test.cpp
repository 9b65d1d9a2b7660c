// learn_gradient_test.cpp: the reference's gradients against central differences, in every setting.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "learn/block_tensors.h"
#include "learn/objective.h"
#include "learn_samples.h"
#include "murmur/error.h"

namespace murmur::testing {
namespace {

void expect_true_gradient(const Architecture& a, const Objective& objective) {
  SCOPED_TRACE(fmt::format(
      "d {} blocks {} shared {} heads {} of width {} interaction {} readout {} position "
      "{} loss {} padded {} dropout {} settle {}",
      a.d, a.blocks, a.shared, a.heads, width_of_head(a), static_cast<int>(a.interaction),
      static_cast<int>(a.readout), a.position, static_cast<int>(objective.loss), objective.padded,
      objective.dropout, objective.settle));
  const Samples samples({4, 1, 6}, a.targets.rows);
  const std::vector<double> parameters = lively_parameters(a, 9);
  std::vector<double> gradient(parameters.size()), unused(parameters.size());
  const Batch batch = samples.batch(a);
  reference_backward(a, parameters, batch, objective, gradient);
  expect_central_differences(layout(a), parameters, gradient, [&](const auto& moved) {
    return reference_backward(a, moved, batch, objective, unused).loss;
  });
}

Architecture small(int d, int classes = 2) {
  return {.d = d, .blocks = 2, .hidden = 4, .residual = 0.3, .targets = spread_targets(classes, d)};
}

TEST(Gradient, EveryInteractionReadoutAndLoss) {
  for (const int d : {2, 3, 5})
    for (int interaction = Architecture::none; interaction <= Architecture::attention;
         ++interaction)
      for (const auto readout : {Architecture::mean, Architecture::cls})
        for (const auto loss : {Objective::target, Objective::cross_entropy}) {
          Architecture a = small(d);
          a.interaction = static_cast<Architecture::Interaction>(interaction);
          a.readout = readout;
          expect_true_gradient(a, {.loss = loss});
        }
}

TEST(Gradient, FreeBlocksAndHeads) {
  for (const int heads : {1, 3})
    for (int interaction = Architecture::uniform; interaction <= Architecture::attention;
         ++interaction)
      for (const bool shared : {true, false}) {
        Architecture a = small(3, 3);
        a.interaction = static_cast<Architecture::Interaction>(interaction);
        a.heads = heads;
        a.shared = shared;
        a.blocks = 3;
        expect_true_gradient(a, {});
      }
}

TEST(Gradient, HeadsOfTheirOwnWidth) {
  for (const auto& [heads, wide] : {std::pair{2, 0}, {2, 1}, {3, 2}, {2, 5}})
    for (int interaction = Architecture::uniform; interaction <= Architecture::attention;
         ++interaction) {
      Architecture a = small(3, 3);
      a.interaction = static_cast<Architecture::Interaction>(interaction);
      a.heads = heads;
      a.head_width = wide;
      expect_true_gradient(a, {});
      expect_true_gradient(a, {.loss = Objective::target, .dropout = 0.3});
    }
}

// Heads add: in any order, and a head whose columns of the mix are zero is as good as none.
TEST(Heads, AddUpAndMayBeExchangedOrLeftOut) {
  const int d = 3, k = 4;
  const Samples samples({5, 8});
  Architecture two = small(d), one = two;
  two.heads = 2, two.head_width = one.head_width = k;
  const auto readout = [&](const Architecture& a, const std::vector<double>& parameters) {
    std::vector<double> m(2 * d);
    reference_forward(a, parameters, samples.batch(), m);
    return m;
  };
  std::vector<double> parameters = lively_parameters(two, 4), exchanged = parameters;
  const auto from = block_tensors(two, std::as_const(parameters).data(), 0);
  const auto to = block_tensors(two, exchanged.data(), 0);
  for (const auto& [read, write] :
       {std::pair{from.query, to.query}, {from.key, to.key}, {from.value, to.value}})
    for (int e = 0; e < 2 * k * d; ++e) write[e] = read[(e + k * d) % (2 * k * d)];
  for (const auto& [read, write] : {std::pair{from.query_bias, to.query_bias},
                                    {from.key_bias, to.key_bias},
                                    {from.value_bias, to.value_bias}})
    for (int e = 0; e < 2 * k; ++e) write[e] = read[(e + k) % (2 * k)];
  for (int e = 0; e < 2 * k * d; ++e) to.mix[e] = from.mix[e / (2 * k) * 2 * k + (e + k) % (2 * k)];
  const std::vector<double> plain = readout(two, parameters), other = readout(two, exchanged);
  for (int e = 0; e < 2 * d; ++e) EXPECT_NEAR(other[e], plain[e], 1e-12);

  std::vector<double> alone = lively_parameters(one, 5);
  const auto left = block_tensors(one, alone.data(), 0);
  std::copy_n(from.query, k * d, left.query), std::copy_n(from.query_bias, k, left.query_bias);
  std::copy_n(from.key, k * d, left.key), std::copy_n(from.key_bias, k, left.key_bias);
  std::copy_n(from.value, k * d, left.value), std::copy_n(from.value_bias, k, left.value_bias);
  std::copy_n(from.mix_bias, d, left.mix_bias);
  std::copy_n(from.in, 4 * d, left.in), std::copy_n(from.in_bias, 4, left.in_bias);
  std::copy_n(from.out, 4 * d, left.out), std::copy_n(from.out_bias, d, left.out_bias);
  const auto silenced = block_tensors(two, parameters.data(), 0);
  for (int r = 0; r < d; ++r) {
    std::copy_n(from.mix + r * 2 * k, k, left.mix + r * k);
    std::fill_n(silenced.mix + r * 2 * k + k, k, 0.0);
  }
  const std::vector<double> without = readout(two, parameters), single = readout(one, alone);
  for (int e = 0; e < 2 * d; ++e) EXPECT_NEAR(without[e], single[e], 1e-12);
  EXPECT_GT(std::abs(without[0] - plain[0]), 1e-6);  // the second head did something
}

// Starts that are learned: every row of the table, one word more often in a sample than once.
TEST(Gradient, TablesOfWordsAndTokensThatAreAskedAbout) {
  for (const int d : {2, 3, 5})
    for (int interaction = Architecture::none; interaction <= Architecture::attention;
         ++interaction)
      for (const auto readout : {Architecture::mean, Architecture::cls, Architecture::asked})
        for (const bool position : {false, true}) {
          Architecture a = small(d);
          a.interaction = static_cast<Architecture::Interaction>(interaction);
          a.readout = readout;
          a.position = position;
          a.vocabulary = Samples::kWords;
          expect_true_gradient(a, {});
          expect_true_gradient(a, {.loss = Objective::target});
        }
}

// Codes that are learned, and queries and keys that are turned by the tokens' numbers.
TEST(Gradient, PlacesAndRotaryPositions) {
  for (const int d : {2, 3, 5})
    for (const auto readout : {Architecture::mean, Architecture::cls, Architecture::asked})
      for (const int heads : {1, 2})
        for (const bool rotary : {false, true}) {
          Architecture a = small(d);
          a.readout = readout;
          a.heads = heads;
          a.vocabulary = Samples::kWords;
          a.places = rotary ? 0 : 7;
          a.rotary = rotary;
          expect_true_gradient(a, {});
          expect_true_gradient(a, {.loss = Objective::target, .dropout = 0.3});
        }
}

TEST(Gradient, BlocksWithoutFeedForward) {
  for (const int d : {3, 5})
    for (int interaction = Architecture::uniform; interaction <= Architecture::attention;
         ++interaction) {
      Architecture a = small(d);
      a.interaction = static_cast<Architecture::Interaction>(interaction);
      a.hidden = 0;
      a.shared = false;
      EXPECT_EQ(parameter_count(a), (interaction == Architecture::uniform ? 4u : 8u) * d * (d + 1));
      expect_true_gradient(a, {});
    }
  Architecture a = small(3);
  a.hidden = 0;
  a.interaction = Architecture::attraction;
  EXPECT_THROW(check(a), Error);  // nothing is left to learn
}

TEST(Gradient, PositionPaddingDropoutAndSmoothing) {
  for (const auto readout : {Architecture::mean, Architecture::cls})
    for (const int heads : {1, 3}) {
      Architecture a = small(3, 4);
      a.readout = readout;
      a.heads = heads;
      a.position = true;
      expect_true_gradient(a, {.loss = Objective::target, .padded = true, .dropout = 0.3});
      expect_true_gradient(a, {.dropout = 0.5, .smoothing = 0.1});
    }
}

TEST(Gradient, DistancesBehindTheLastHalfOfTheBlocks) {
  for (const int d : {2, 3, 5})
    for (const int blocks : {1, 2, 5})
      for (const bool shared : {true, false})
        for (const auto readout : {Architecture::mean, Architecture::cls})
          for (const auto loss : {Objective::target, Objective::cross_entropy}) {
            Architecture a = small(d, 3);
            a.blocks = blocks;
            a.shared = shared;
            a.readout = readout;
            expect_true_gradient(a, {.loss = loss, .settle = 0.7});
          }
  for (const auto interaction :
       {Architecture::none, Architecture::attraction, Architecture::uniform}) {
    Architecture a = small(3);
    a.interaction = interaction;
    expect_true_gradient(a, {.settle = 2});
  }
}

TEST(Gradient, DistancesFromAGivenBlockOn) {
  for (const int from : {1, 2, 4, 5, 9}) {
    Architecture a = small(3);
    a.blocks = 5;
    a.shared = true;
    expect_true_gradient(a, {.settle = 0.7, .settle_from = from});
  }
  EXPECT_EQ(settled_blocks(30, 10), 21);
  EXPECT_EQ(settled_blocks(10, 10), 1);
  EXPECT_EQ(settled_blocks(5, 9), 1);  // the last block always counts
}

// Tokens that never move are as far from their target behind every block, and those at their target
// add nothing.
TEST(Gradient, TokensAtRestPayForTheirDistanceAlone) {
  for (const int blocks : {1, 2, 3, 10}) {
    EXPECT_EQ(settled_blocks(blocks), (blocks + 1) / 2);
    Architecture a = small(2);
    a.blocks = blocks;
    a.interaction = Architecture::none;
    a.targets = Matrix{2, 2, {-10, 0, 10, 0}};
    const std::vector<double> still(parameter_count(a));
    std::vector<double> gradient(still.size());
    const std::vector<float> x{-10, -10, -10}, y{0, 0, 3};  // one at its target; two, one of them
    const std::vector<std::size_t> first{0, 1, 3}, chosen{0, 1};
    const std::vector<int> label{0, 0};
    const Batch batch{.x = x, .y = y, .first = first, .label = label, .chosen = chosen};
    const auto loss = [&](double settle) {
      return reference_backward(a, still, batch, {.settle = settle}, gradient).loss;
    };
    const double mean_square = (0 + (0 + 9) / 2.0) / 2;
    EXPECT_NEAR(loss(4) - loss(0), 4 * mean_square / 100, 1e-15);
  }
}

// Samples of 8 and 2 in a tensor of 2 x 8: sums over tokens, divided by 16.
TEST(Gradient, PaddingDividesByTheLongestFlock) {
  const Architecture a = small(3);
  const std::vector<double> parameters = lively_parameters(a, 2);
  const Samples samples({8, 2});
  std::vector<double> plain(parameters.size()), padded(parameters.size());
  std::vector<double> first(parameters.size()), second(parameters.size());
  Batch batch = samples.batch();
  const Objective objective{.loss = Objective::target};
  const double whole =
      reference_backward(a, parameters, batch, {Objective::target, true}, padded).loss;
  reference_backward(a, parameters, batch, objective, plain);
  const std::vector<std::size_t> one{0}, two{1};
  batch.chosen = one;
  const double loss_of_first = reference_backward(a, parameters, batch, objective, first).loss;
  batch.chosen = two;
  batch.shift = batch.shift.subspan(2);
  const double loss_of_second = reference_backward(a, parameters, batch, objective, second).loss;
  EXPECT_NEAR(whole, (8 * loss_of_first + 2 * loss_of_second) / 16, 1e-12);
  for (std::size_t e = 0; e < plain.size(); ++e) {
    EXPECT_NEAR(plain[e], (first[e] + second[e]) / 2, 1e-12);
    EXPECT_NEAR(padded[e], (8 * first[e] + 2 * second[e]) / 16, 1e-12);
  }
}

TEST(Gradient, ABoidAtItsTargetPullsNowhere) {
  Architecture a = small(2);
  a.interaction = Architecture::none;
  a.targets = Matrix{2, 2, {-10, 0, 10, 0}};
  const std::vector<double> still(parameter_count(a));  // nothing moves
  std::vector<double> gradient(still.size());
  const std::vector<float> x{-10}, y{0};
  const std::vector<std::size_t> first{0, 1}, chosen{0};
  const std::vector<int> label{0};
  const Batch batch{.x = x, .y = y, .first = first, .label = label, .chosen = chosen};
  const BatchResult result =
      reference_backward(a, still, batch, {.loss = Objective::target}, gradient);
  EXPECT_EQ(result.loss, 0);
  EXPECT_EQ(result.correct, 1u);
  for (const double g : gradient) EXPECT_EQ(g, 0);
}

TEST(Gradient, RefusesALabelOfNoClass) {
  const Architecture a = small(3);
  Samples samples({3, 3});
  samples.label[1] = -1;
  const std::vector<double> parameters = lively_parameters(a, 2);
  std::vector<double> gradient(parameters.size());
  EXPECT_THROW(reference_backward(a, parameters, samples.batch(), {}, gradient), Error);
}

// The readout moves by J_i dx_i: central differences of the start of each token.
TEST(Influence, IsTheLengthOfTheJacobian) {
  for (const auto readout : {Architecture::mean, Architecture::cls}) {
    Architecture a = small(2);
    a.readout = readout;
    Samples samples({5});
    const std::vector<double> parameters = lively_parameters(a, 4);
    const std::vector<double> influence = reference_influence(a, parameters, samples.batch());
    ASSERT_EQ(influence.size(), 5u);
    const float h = 0x1p-10F;
    for (std::size_t i = 0; i < 5; ++i) {
      double square = 0;
      for (auto* axis : {&samples.x, &samples.y}) {
        const float here = (*axis)[i];
        std::vector<double> above(2), below(2);
        (*axis)[i] = here + h;
        const double up = (*axis)[i];
        reference_forward(a, parameters, samples.batch(), above);
        (*axis)[i] = here - h;
        const double width = up - (*axis)[i];
        reference_forward(a, parameters, samples.batch(), below);
        (*axis)[i] = here;
        for (int k = 0; k < 2; ++k) square += std::pow((above[k] - below[k]) / width, 2);
      }
      EXPECT_NEAR(influence[i], std::sqrt(square), 1e-5 * influence[i]);
      EXPECT_GT(influence[i], 0);
    }
  }
}

TEST(Influence, IsolatedBoidsDoNotReachTheClsBoid) {
  Architecture a = small(3);
  a.interaction = Architecture::none;
  a.readout = Architecture::cls;
  for (const double reach : reference_influence(a, lively_parameters(a, 4), Samples({5}).batch()))
    EXPECT_EQ(reach, 0);
}

TEST(Dropout, LeavesOutItsShareAndKeepsTheMean) {
  const int n = 301;
  std::vector<float> mask(n * n);
  for (const double p : {0.1, 0.5}) {
    dropout_mask({.seed = 1, .update = 2, .sample = 3, .block = 4, .head = 1}, n, p, mask.data());
    double zeros = 0, sum = 0;
    for (const float m : mask) {
      zeros += m == 0 ? 1 : 0;
      sum += m;
      ASSERT_TRUE(m == 0 || std::abs(m - 1 / (1 - p)) < 1e-6);
    }
    const double pairs = n * n, deviation = std::sqrt(p * (1 - p) / pairs);
    EXPECT_NEAR(zeros / pairs, p, 5 * deviation);
    EXPECT_NEAR(sum / pairs, 1, 10 * deviation);
  }
}

// Whoever asks for something else gets other bits: half of all pairs agree, as for coins.
TEST(Dropout, EveryNameHasItsOwnMask) {
  const int n = 100;
  const DropoutDraw base{.seed = 1, .update = 2, .sample = 3, .block = 4, .head = 1};
  std::vector<DropoutDraw> others(5, base);
  others[0].seed = 9, others[1].update = 9, others[2].sample = 9, others[3].block = 9;
  others[4].head = 2;
  std::vector<float> mask(n * n), other(n * n);
  dropout_mask(base, n, 0.5, mask.data());
  for (const DropoutDraw& draw : others) {
    dropout_mask(draw, n, 0.5, other.data());
    int same = 0;
    for (std::size_t e = 0; e < mask.size(); ++e) same += mask[e] == other[e] ? 1 : 0;
    EXPECT_NEAR(same / 1e4, 0.5, 0.025);
  }
}

// Sixteen bits a pair, used once: neighbours near and far agree half of the time.
TEST(Dropout, PairsAreIndependent) {
  const int n = 200;
  std::vector<float> mask(n * n);
  dropout_mask({.seed = 8}, n, 0.5, mask.data());
  for (const std::size_t lag : {1, 2, 3, 4, 5, 6, 7, 8, 16, 200, 201}) {
    int same = 0;
    for (std::size_t e = lag; e < mask.size(); ++e) same += mask[e] == mask[e - lag] ? 1 : 0;
    EXPECT_NEAR(same / static_cast<double>(mask.size() - lag), 0.5, 0.0125) << lag;
  }
}

TEST(Dropout, NothingAndEverything) {
  std::vector<float> mask(49);
  dropout_mask({}, 7, 0, mask.data());
  for (const float m : mask) EXPECT_EQ(m, 1);
  dropout_mask({}, 7, 1, mask.data());
  for (const float m : mask) EXPECT_EQ(m, 0);
}

}  // namespace
}  // namespace murmur::testing
