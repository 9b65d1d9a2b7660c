// additive_test.cpp: what a mean of functions of single tokens can know of a pair of pictures.
//
//   S = sum over tokens of f(x_i) = S_left + S_right,   score s = S / n,  n = n_left + n_right
// Over a four of crossed pairs, y = 1 for same and -1 for different:
//   sum y S = 0: not all four verdicts are right, and sum n ln(1 + e^(-y s)) >= ln 2 sum n
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "murmur/images.h"
#include "murmur/learn.h"
#include "murmur/random.h"

namespace murmur {
namespace {

// Random clouds of 5 to 24 points, of two classes that lie apart.
SampleSet clouds(std::size_t count) {
  SampleSet set;
  set.first = {0};
  std::uint32_t number = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const int label = static_cast<int>(k % 2);
    const int size = 5 + static_cast<int>(k * 7 % 20);
    for (int i = 0; i < size; ++i, ++number) {
      const Draw draw{.seed = 8, .particle = number};
      set.x.push_back(static_cast<float>(4 * draw.normal(0) + (label == 0 ? -3 : 3)));
      set.y.push_back(static_cast<float>(4 * draw.normal(1)));
    }
    set.first.push_back(set.x.size());
    set.label.push_back(label);
  }
  return set;
}

struct Pairs {
  SampleSet samples{};
  std::vector<double> y{};      // (pairs) 1: same, -1: different
  std::vector<double> score{};  // (pairs) that of `same` less that of `different`
  double n(std::size_t k) const { return samples.size_of(k); }
};

Pairs scored(const Architecture& a, std::uint64_t seed) {
  const SampleSet pictures = clouds(80);
  std::vector<std::size_t> all(pictures.samples());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Pairs pairs{samples_of(pictures, crossed_pairs(pictures, all, 100, {.seed = seed}))};
  const std::vector<float> start = initial_parameters(a, seed);
  std::vector<std::size_t> chosen(pairs.samples.samples());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::vector<double> readout(chosen.size() * a.d);
  reference_forward(
      a, std::vector<double>(start.begin(), start.end()),
      {.x = pairs.samples.x, .y = pairs.samples.y, .first = pairs.samples.first, .chosen = chosen},
      readout);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::vector<double> both = scores(a, std::span(readout).subspan(k * a.d, a.d));
    pairs.score.push_back(both[same_class] - both[other_class]);
    pairs.y.push_back(pairs.samples.label[k] == same_class ? 1 : -1);
  }
  return pairs;
}

Architecture reader(Architecture::Interaction interaction) {
  return {.d = 3,
          .blocks = 4,
          .shared = false,
          .hidden = 24,
          .residual = 0.5,
          .interaction = interaction,
          .targets = spread_targets(2, 3)};
}

// How far sum y n s is from 0 in the worst four, against the sizes of its terms.
double worst_four(const Pairs& pairs) {
  double worst = 0;
  for (std::size_t four = 0; four < pairs.y.size(); four += 4) {
    double sum = 0, size = 0;
    for (std::size_t k = four; k < four + 4; ++k) {
      sum += pairs.y[k] * pairs.n(k) * pairs.score[k];
      size += std::fabs(pairs.n(k) * pairs.score[k]);
    }
    worst = std::max(worst, std::fabs(sum) / size);
  }
  return worst;
}

TEST(Additive, IsolatedTokensCancelInEveryFour) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Pairs pairs = scored(reader(Architecture::none), seed);
    EXPECT_LT(worst_four(pairs), 1e-12);
    double loss = 0, tokens = 0;
    for (std::size_t four = 0; four < pairs.y.size(); four += 4) {
      int right = 0;
      for (std::size_t k = four; k < four + 4; ++k) {
        right += (pairs.score[k] >= 0) == (pairs.y[k] > 0) ? 1 : 0;
        loss += pairs.n(k) * std::log1p(std::exp(-pairs.y[k] * pairs.score[k]));
        tokens += pairs.n(k);
      }
      EXPECT_LE(right, 3);
    }
    EXPECT_GE(loss, std::log(2.0) * tokens);
  }
}

// Three of four can be had: s = 1 where both are of class 0, a little below 0 elsewhere.
TEST(Additive, ThreeOfFourCanBeRightButNotMore) {
  const double f[] = {1, -1.5};  // of either side
  int best = 0;
  for (const int l : {0, 1})
    for (const int r : {0, 1}) best += (f[l] + f[r] >= 0) == (l == r) ? 1 : 0;
  EXPECT_EQ(best, 3);
}

// Every kind of talk breaks the cancellation: the theorem is of isolation, not of the readout.
TEST(Additive, TokensThatInteractDoNotCancel) {
  for (const auto interaction :
       {Architecture::attraction, Architecture::uniform, Architecture::attention})
    EXPECT_GT(worst_four(scored(reader(interaction), 1)), 1e-3) << interaction;
}

}  // namespace
}  // namespace murmur
