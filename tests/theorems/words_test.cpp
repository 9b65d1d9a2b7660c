// words_test.cpp: what isolated tokens, and tokens without positions, can know of a sentence.
//
// Blocks are equivariant: with a permutation P of tokens F(P x) = P F(x). The readout at one word,
// or at the mean of all, is then the same for a sentence and its reordering; with any code of
// positions it is not.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "learn/block_tensors.h"
#include "murmur/learn.h"
#include "murmur/sentences.h"

namespace murmur {
namespace {

// (samples) the score of class 0 less that of class 1, of a swarm with random parameters.
std::vector<double> margins(Architecture a, const SampleSet& samples, int vocabulary,
                            std::uint64_t seed) {
  a.vocabulary = vocabulary;
  a.targets = spread_targets(2, a.d);
  const std::vector<float> start = initial_parameters(a, seed);
  std::vector<std::size_t> chosen(samples.samples());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::vector<double> readout(chosen.size() * a.d), margin;
  reference_forward(
      a, std::vector<double>(start.begin(), start.end()),
      {.first = samples.first, .chosen = chosen, .word = samples.word, .asked = samples.asked},
      readout);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::vector<double> both = scores(a, std::span(readout).subspan(k * a.d, a.d));
    margin.push_back(both[0] - both[1]);
  }
  return margin;
}

Architecture reader(Architecture::Interaction interaction, Architecture::Readout readout) {
  return {.d = 4,
          .blocks = 3,
          .shared = false,
          .hidden = 16,
          .heads = 2,
          .residual = 0.5,
          .interaction = interaction,
          .readout = readout};
}

constexpr Architecture::Interaction kAll[] = {Architecture::none, Architecture::attraction,
                                              Architecture::uniform, Architecture::attention};

int order_words() { return static_cast<int>(order_lexicon().words.size()); }

// How far both of a two are apart, against the size of margins.
double apart(const std::vector<double>& margin) {
  double most = 0, size = 0;
  for (std::size_t k = 0; k < margin.size(); k += 2) {
    most = std::max(most, std::fabs(margin[k] - margin[k + 1]));
    size = std::max({size, std::fabs(margin[k]), std::fabs(margin[k + 1])});
  }
  return most / size;
}

TEST(Order, WithoutPositionsASentenceAndItsReorderingAreOne) {
  const SampleSet twos = exchanged_orders(60, {.use = Use::test});
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    for (const auto interaction : kAll)
      for (const auto readout : {Architecture::asked, Architecture::mean, Architecture::cls}) {
        const std::vector<double> margin =
            margins(reader(interaction, readout), twos, order_words(), seed);
        EXPECT_LT(apart(margin), 1e-12);
        int right = 0;
        for (std::size_t k = 0; k < margin.size(); ++k)
          right += (margin[k] >= 0 ? 0 : 1) == twos.label[k] ? 1 : 0;
        EXPECT_EQ(2 * right, static_cast<int>(margin.size()));  // exactly chance
      }
}

// The theorem is of the missing codes, not of the test.
TEST(Order, EveryCodeTellsThemApart) {
  const SampleSet twos = exchanged_orders(60, {.use = Use::test});
  for (int code = 0; code < 3; ++code) {
    Architecture a = reader(Architecture::attention, Architecture::asked);
    a.position = code == 0;
    a.places = code == 1 ? kLongestSentence : 0;
    a.rotary = code == 2;
    EXPECT_GT(apart(margins(a, twos, order_words(), 1)), 1e-3) << code;
  }
}

// The asked word alone: one answer for both of its sentences, so two of every four are right.
TEST(Senses, IsolatedTokensAreExactlyAtChance) {
  const SampleSet fours = crossed_senses(60, {.use = Use::test});
  const int words = static_cast<int>(sense_lexicon().words.size());
  for (const bool positions : {false, true}) {
    Architecture a = reader(Architecture::none, Architecture::asked);
    a.position = positions;  // both sentences have it at the same place
    const std::vector<double> margin = margins(a, fours, words, 5);
    for (std::size_t k = 0; k < margin.size(); k += 2) {
      EXPECT_EQ(margin[k], margin[k + 1]);
      EXPECT_NE(fours.label[k], fours.label[k + 1]);
    }
  }
  for (const auto interaction :
       {Architecture::attraction, Architecture::uniform, Architecture::attention})
    EXPECT_GT(apart(margins(reader(interaction, Architecture::asked), fours, words, 5)), 1e-3);
}

// Without a feed-forward, messages to all are votes: additive in the words, so the four cancel.
TEST(Senses, UniformMessagesWithoutFeedForwardAreVotes) {
  const SampleSet fours = crossed_senses(60, {.use = Use::test});
  const int words = static_cast<int>(sense_lexicon().words.size());
  for (const auto interaction : {Architecture::uniform, Architecture::attention}) {
    Architecture a = reader(interaction, Architecture::asked);
    a.hidden = 0;
    const std::vector<double> margin = margins(a, fours, words, 7);
    double worst = 0;
    for (std::size_t k = 0; k < margin.size(); k += 4) {
      const double size = std::fabs(margin[k]) + std::fabs(margin[k + 1]) +
                          std::fabs(margin[k + 2]) + std::fabs(margin[k + 3]);
      worst = std::max(worst,
                       std::fabs(margin[k] - margin[k + 1] - margin[k + 2] + margin[k + 3]) / size);
    }
    if (interaction == Architecture::uniform)
      EXPECT_LT(worst, 1e-12);
    else
      EXPECT_GT(worst, 1e-3);
  }
}

//   <R_i q, R_j k> = <q, R_(j - i) k>: only the difference of the numbers counts
TEST(Rotary, ScoresKnowDifferencesOfPlacesAlone) {
  const int k = 5, tokens = 12;
  const Rotation<double> rotation(tokens, k);
  const std::vector<double> query = {0.3, -1.2, 0.7, 2.1, -0.4}, key = {1.1, 0.2, -0.9, 0.5, 0.8};
  const auto at = [&](const std::vector<double>& row, int place) {
    std::vector<double> rows;
    for (int i = 0; i <= place; ++i) rows.insert(rows.end(), row.begin(), row.end());
    rotation.apply(rows.data(), place + 1, 1, false);
    return std::vector<double>(rows.end() - k, rows.end());
  };
  const auto score = [&](int i, int j) {
    const std::vector<double> q = at(query, i), r = at(key, j);
    return std::inner_product(q.begin(), q.end(), r.begin(), 0.0);
  };
  for (int i = 0; i < tokens; ++i)
    for (int j = 0; j < tokens; ++j) {
      const int low = std::min(i, j);
      EXPECT_NEAR(score(i, j), score(i - low, j - low), 1e-13);
    }
  EXPECT_GT(std::fabs(score(0, 1) - score(1, 0)), 1e-3);
}

}  // namespace
}  // namespace murmur
