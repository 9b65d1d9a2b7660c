// learn_architecture_test.cpp: what a swarm that learns may be, where its numbers lie, how it
// starts.
#include <gtest/gtest.h>

#include <algorithm>

#include "learn/block_tensors.h"
#include "learn_samples.h"
#include "murmur/error.h"

namespace murmur::testing {
namespace {

Architecture published() { return {.targets = third_axis_targets(3)}; }

TEST(Architecture, CountsItsParameters) {
  Architecture a = published();
  EXPECT_EQ(parameter_count(a), 3635u);  // 36 + 12 of attention, 3587 of the feed-forward
  a.shared = false;
  EXPECT_EQ(parameter_count(a), 36350u);
  a.readout = Architecture::cls;
  EXPECT_EQ(parameter_count(a), 36353u);
  a.interaction = Architecture::none;
  EXPECT_EQ(parameter_count(a), 35873u);
  a.interaction = Architecture::uniform;
  EXPECT_EQ(parameter_count(a), 36113u);
}

// Names are told once each, tensors follow each other, and block_tensors points to the same places.
TEST(Architecture, LayoutHasNoGapsAndOneMeaning) {
  for (int interaction = Architecture::none; interaction <= Architecture::attention; ++interaction)
    for (const auto readout : {Architecture::mean, Architecture::cls})
      for (const bool shared : {true, false}) {
        Architecture a = published();
        a.interaction = static_cast<Architecture::Interaction>(interaction);
        a.readout = readout;
        a.shared = shared;
        a.hidden = 7;
        std::size_t end = 0;
        std::vector<float> parameters(parameter_count(a));
        const auto places = layout(a);
        for (const TensorPlace& place : places) {
          EXPECT_EQ(place.offset, end);
          end += place.size();
          EXPECT_EQ(std::count_if(places.begin(), places.end(),
                                  [&](const auto& other) { return other.name == place.name; }),
                    1);
        }
        EXPECT_EQ(end, parameter_count(a));
        const auto offset = [&](const std::string& name) -> std::ptrdiff_t {
          for (const TensorPlace& place : places)
            if (place.name == name) return static_cast<std::ptrdiff_t>(place.offset);
          return -1;
        };
        const auto pointed = [&](const float* at) {
          return at ? at - parameters.data() : std::ptrdiff_t{-1};
        };
        const int last = shared ? 0 : a.blocks - 1;
        const auto block = block_tensors(a, parameters.data(), a.blocks - 1);
        const std::string name = "blocks." + std::to_string(last) + ".";
        EXPECT_EQ(pointed(block.query), offset(name + "query"));
        EXPECT_EQ(pointed(block.query_bias), offset(name + "query_bias"));
        EXPECT_EQ(pointed(block.key), offset(name + "key"));
        EXPECT_EQ(pointed(block.key_bias), offset(name + "key_bias"));
        EXPECT_EQ(pointed(block.value), offset(name + "value"));
        EXPECT_EQ(pointed(block.value_bias), offset(name + "value_bias"));
        EXPECT_EQ(pointed(block.mix), offset(name + "mix"));
        EXPECT_EQ(pointed(block.mix_bias), offset(name + "mix_bias"));
        EXPECT_EQ(pointed(block.in), offset(name + "in"));
        EXPECT_EQ(pointed(block.in_bias), offset(name + "in_bias"));
        EXPECT_EQ(pointed(block.out), offset(name + "out"));
        EXPECT_EQ(pointed(block.out_bias), offset(name + "out_bias"));
        EXPECT_EQ(pointed(cls_start(a, parameters.data())), offset("cls"));
      }
}

// Heads that share d as they always did, heads that cannot, and heads of a width of their own.
TEST(Architecture, HeadsHaveTheirWidth) {
  const auto width = [](int d, int heads, int given) {
    return width_of_head({.d = d, .heads = heads, .head_width = given});
  };
  EXPECT_EQ(width(3, 1, 0), 3);
  EXPECT_EQ(width(3, 3, 0), 1);
  EXPECT_EQ(width(6, 2, 0), 3);
  EXPECT_EQ(width(3, 2, 0), 3);
  EXPECT_EQ(width(3, 3, 3), 3);
  EXPECT_EQ(width(100, 7, 5), 5);
  for (const Architecture& a : {Architecture{.d = 3, .hidden = 5, .heads = 2},
                                Architecture{.d = 4, .hidden = 5, .heads = 3, .head_width = 7}}) {
    const auto d = static_cast<std::size_t>(a.d);
    const auto wide = static_cast<std::size_t>(a.heads) * width_of_head(a);
    const std::vector<TensorPlace> places = layout(a);
    for (const int kind : {0, 2, 4}) {
      EXPECT_EQ(places[kind].shape, (std::vector{wide, d}));
      EXPECT_EQ(places[kind + 1].shape, std::vector{wide});
    }
    EXPECT_EQ(places[6].shape, (std::vector{d, wide}));
    EXPECT_EQ(places[7].shape, std::vector{d});
    EXPECT_EQ(places.back().offset + places.back().size(), parameter_count(a));
  }
}

TEST(Architecture, WidthsMakeUpForWhatABlockLacks) {
  const std::size_t wanted = parameter_count({.d = 3, .blocks = 10, .shared = false});
  for (int blocks = 1; blocks <= 12; ++blocks)
    for (int interaction = Architecture::none; interaction <= Architecture::attention;
         ++interaction) {
      Architecture a{.d = 3, .blocks = blocks, .shared = false};
      a.interaction = static_cast<Architecture::Interaction>(interaction);
      a.hidden = hidden_near(a, wanted);
      EXPECT_NEAR(parameter_count(a) / static_cast<double>(wanted), 1, 0.005);
    }
}

TEST(Architecture, RefusesWhatCannotBeBuilt) {
  EXPECT_NO_THROW(check(published()));
  const auto refused = [](auto change) {
    Architecture a = published();
    change(a);
    EXPECT_THROW(check(a), Error);
  };
  refused([](auto& a) { a.d = 1; });
  refused([](auto& a) { a.d = 4; });  // the targets stay in R^3
  refused([](auto& a) { a.blocks = 0; });
  refused([](auto& a) { a.hidden = -1; });
  refused([](auto& a) { a.hidden = 0, a.interaction = Architecture::none; });
  refused([](auto& a) { a.vocabulary = -1; });
  refused([](auto& a) { a.heads = 0; });
  refused([](auto& a) { a.heads = 256; });
  refused([](auto& a) { a.head_width = -1; });
  refused([](auto& a) { a.head_width = 4097; });
  refused([](auto& a) { a.heads = 255, a.head_width = 4096; });
  refused([](auto& a) { a.residual = 0; });
  refused([](auto& a) { a.residual = NAN; });
  refused([](auto& a) { a.targets = {}; });
  refused([](auto& a) { a.targets(1, 2) = 9; });
  refused([](auto& a) { a.targets(1, 2) = -10; });
  refused([](auto& a) { a.targets = zeros(2, 3); });
  EXPECT_THROW(spread_targets(11, 3), Error);
  EXPECT_THROW(spread_targets(1, 3), Error);
  EXPECT_THROW(third_axis_targets(2), Error);
}

TEST(Targets, AreFarApartAndOfOneLength) {
  for (const int d : {2, 3, 7})
    for (int classes = 2; classes <= 10; ++classes) {
      Architecture a = published();
      a.d = d;
      a.targets = spread_targets(classes, d);
      EXPECT_NO_THROW(check(a));
      double nearest = HUGE_VAL;
      for (int c = 0; c < classes; ++c) {
        double square = 0;
        for (int k = 0; k < d; ++k) square += a.targets(c, k) * a.targets(c, k);
        EXPECT_NEAR(square, 100, 1e-10);
        for (int other = 0; other < c; ++other) {
          double apart = 0;
          for (int k = 0; k < d; ++k) apart += std::pow(a.targets(c, k) - a.targets(other, k), 2);
          nearest = std::min(nearest, std::sqrt(apart));
        }
      }
      EXPECT_GE(nearest, d == 2 ? 20 * std::sin(M_PI / classes) - 1e-9 : 8.0) << classes;
    }
  EXPECT_EQ(spread_targets(2, 3).data, (std::vector<double>{-10, 0, 0, 10, 0, 0}));
  EXPECT_EQ(third_axis_targets(3).data, (std::vector<double>{-10, 10, -10, -10, 10, 10}));
}

// Uniform laws: the largest comes near its bound and never beyond, the mean square is bound^2 / 3.
TEST(InitialParameters, FollowTheirLaws) {
  Architecture a = published();
  a.d = 12;
  a.targets = spread_targets(2, 12);
  a.shared = false;
  a.readout = Architecture::cls;
  const std::vector<float> parameters = initial_parameters(a, 5);
  ASSERT_EQ(parameters.size(), parameter_count(a));
  for (const TensorPlace& place : layout(a)) {
    const std::string kind = place.name.substr(place.name.rfind('.') + 1);
    const double bound = kind == "query" || kind == "key" || kind == "value"  ? std::sqrt(6.0 / 48)
                         : kind == "mix" || kind == "in" || kind == "in_bias" ? 1 / std::sqrt(12.0)
                         : kind == "out" || kind == "out_bias"                ? 1 / std::sqrt(512.0)
                                                                              : 0;
    double largest = 0;
    for (std::size_t e = 0; e < place.size(); ++e)
      largest = std::max(largest, std::abs(static_cast<double>(parameters[place.offset + e])));
    EXPECT_LE(largest, bound * (1 + 1e-7)) << place.name;
    if (place.size() < 100) continue;
    EXPECT_GE(largest, 0.9 * bound) << place.name;
    const double mean_square = std::pow(norm(parameters, place.offset, place.size()), 2) /
                               static_cast<double>(place.size());
    EXPECT_NEAR(mean_square, bound * bound / 3, 0.4 * bound * bound / 3) << place.name;
  }
}

// Draws are named: a tensor starts alike whatever else there is, and no two tensors start alike.
TEST(InitialParameters, DoNotDependOnTheOrderOfDrawing) {
  Architecture a = published(), b = published();
  b.interaction = Architecture::none;
  const std::vector<float> full = initial_parameters(a, 5), bare = initial_parameters(b, 5);
  EXPECT_TRUE(std::equal(bare.begin(), bare.end(), full.end() - 3587));
  EXPECT_NE(initial_parameters(a, 6), full);
  std::vector<float> drawn;
  for (const float value : full)
    if (value != 0) drawn.push_back(value);
  std::sort(drawn.begin(), drawn.end());
  const auto repeats = drawn.end() - std::unique(drawn.begin(), drawn.end());
  EXPECT_LE(repeats, 5);  // single precision has no more than about 2^25 numbers there
}

TEST(Start, PutsPointsCodesAndTheClsBoid) {
  Architecture a = published();
  a.d = 5;
  a.targets = spread_targets(2, 5);
  a.readout = Architecture::cls;
  std::vector<double> parameters(parameter_count(a));
  for (int k = 0; k < 5; ++k) parameters[parameters.size() - 5 + k] = k + 1;
  const std::vector<float> x{1, 2}, y{3, 4};
  Sample sample = start_sample(a, parameters, x, y);
  EXPECT_EQ(sample.n, 3);
  EXPECT_EQ(sample.rows, (std::vector<double>{1, 3, 0, 0, 0, 2, 4, 0, 0, 0, 1, 2, 3, 4, 5}));
  a.position = true;
  sample = start_sample(a, parameters, x, y);
  const double slow = 1 / std::pow(100, 0.4), slower = 1 / std::pow(100, 0.8);
  const std::vector<double> wanted{1,
                                   4,
                                   0,
                                   1,
                                   0,
                                   2 + std::sin(1.0),
                                   4 + std::cos(1.0),
                                   std::sin(slow),
                                   std::cos(slow),
                                   std::sin(slower),
                                   1,
                                   2,
                                   3,
                                   4,
                                   5};
  for (std::size_t e = 0; e < wanted.size(); ++e)
    EXPECT_NEAR(sample.rows[e], wanted[e], 1e-15) << e;
  EXPECT_THROW(start_sample(a, parameters, {}, {}), Error);
}

TEST(Scores, TheLargestIsTheNearestTarget) {
  Architecture a = published();
  a.targets = spread_targets(10, 3);
  for (int draw = 0; draw < 200; ++draw) {
    const Draw who{.seed = 3, .particle = static_cast<std::uint32_t>(draw)};
    const std::vector<double> m{8 * who.normal(0), 8 * who.normal(1), 8 * who.normal(2)};
    const std::vector<double> score = scores(a, m);
    std::vector<double> distance;
    for (int c = 0; c < 10; ++c) {
      double square = 0, dot = 0;
      for (int k = 0; k < 3; ++k) square += std::pow(m[k] - a.targets(c, k), 2);
      for (int k = 0; k < 3; ++k) dot += m[k] * a.targets(c, k);
      distance.push_back(square);
      EXPECT_NEAR(score[c], dot / 10, 1e-12);
    }
    EXPECT_EQ(std::max_element(score.begin(), score.end()) - score.begin(),
              std::min_element(distance.begin(), distance.end()) - distance.begin());
  }
}

}  // namespace
}  // namespace murmur::testing
