// real_models_test.cpp: inputs for trained transformers, what is read off a pass, and what is said
// where no model is there.
#include "reproduce/real_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/variation.h"
#include "reproduce/reproduce.h"
#include "temporary.h"

namespace murmur::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kFamilies = fs::path(__FILE__).parent_path().parent_path() / "fixtures/families";

TEST(RealInputs, SentencesAreDrawnEachByItself) {
  std::set<std::string> all;
  for (int k = 0; k < 126; ++k) {
    const std::string sentence = own_sentence(k);
    EXPECT_EQ(sentence.substr(0, 4), "One ") << sentence;
    EXPECT_EQ(sentence.back(), '.') << sentence;
    EXPECT_TRUE(all.insert(sentence).second) << sentence;
    EXPECT_EQ(sentence, own_sentence(k));
  }
}

TEST(RealInputs, ListsAreFollowedByThemselvesInOrder) {
  std::set<std::vector<std::int64_t>> all;
  for (int k = 0; k < 126; ++k) {
    const std::vector<std::int64_t> ids = list_to_sort(k);
    ASSERT_EQ(ids.size(), 11u);
    std::vector<std::int64_t> sorted(ids.begin(), ids.begin() + 6);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_TRUE(std::equal(ids.begin() + 6, ids.end(), sorted.begin()));
    EXPECT_TRUE(std::all_of(ids.begin(), ids.end(), [](auto id) { return id >= 0 && id < 3; }));
    all.insert(ids);
  }
  EXPECT_GT(all.size(), 100u);
}

TEST(RealInputs, WordsAreSpokenEarlierLaterAndFaster) {
  const Spoken shape{5, 2};
  std::vector<float> spectrum;
  for (int f = 0; f < shape.frames; ++f)
    for (int k = 0; k < shape.features; ++k) spectrum.push_back(static_cast<float>(10 * f + k));
  EXPECT_EQ(spoken_otherwise(spectrum, shape, 0, 1), spectrum);
  const std::vector<float> later = spoken_otherwise(spectrum, shape, 1, 1);
  EXPECT_EQ(later, (std::vector<float>{0, 1, 0, 1, 10, 11, 20, 21, 30, 31}));
  const std::vector<float> slower = spoken_otherwise(spectrum, shape, 0, 0.5);
  EXPECT_EQ(slower, (std::vector<float>{10, 11, 15, 16, 20, 21, 25, 26, 30, 31}));
}

RealReading read_with(const Variation& variation, const RealReadingOptions& options) {
  Variation swapped = variation;
  swapped.swapped = {{0, 2}};
  const Model model = varied(read_model(kFamilies / "llama"), variation);
  const Model other = varied(read_model(kFamilies / "llama"), swapped);
  std::vector<Prompt> prompts(3);
  for (std::int64_t k = 0; k < 3; ++k)
    prompts[static_cast<std::size_t>(k)].ids = {5 + k, 17, 3 + k, 42, 8, 5 + k};
  return read_inputs(*model, *other, prompts, options);
}

// Read backwards what was gained is lost, and nothing else changes.
TEST(RealReadings, BackwardsLayersRunTheOtherWay) {
  const RealReading right = read_with({}, {}), wrong = read_with({}, {.backwards = true});
  ASSERT_EQ(right.inputs.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    const InputReading &a = right.inputs[k], &b = wrong.inputs[k];
    ASSERT_EQ(a.layers.size(), 4u);
    ASSERT_EQ(a.leader.size(), 3u);
    EXPECT_EQ(a.n, 6);
    EXPECT_EQ(a.layers.front().mean_cos, b.layers.back().mean_cos);
    EXPECT_EQ(a.leader.front(), b.leader.back());
    EXPECT_NE(a.alignment, b.alignment);
    EXPECT_NEAR(a.even_first, (1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5 + 1.0 / 6) / 5, 1e-15);
    EXPECT_GT(a.reordered, 0);
  }
}

TEST(RealReadings, KeptFeedForwardLeavesTheRank) {
  for (const InputReading& r : read_with({}, {.whole_blocks = true}).inputs)
    EXPECT_EQ(r.rank_attention_only, r.layers.back().effective_rank);
  for (const InputReading& r : read_with({}, {}).inputs)
    EXPECT_NE(r.rank_attention_only, r.layers.back().effective_rank);
}

TEST(RealReadings, DoNotDependOnThreads) {
  const RealReading one = read_with({.random_weights = 3}, {.threads = 1}),
                    four = read_with({.random_weights = 3}, {.threads = 4});
  EXPECT_EQ(one.beta, four.beta);
  for (std::size_t k = 0; k < one.inputs.size(); ++k) {
    EXPECT_EQ(one.inputs[k].alignment, four.inputs[k].alignment);
    EXPECT_EQ(one.inputs[k].reordered, four.inputs[k].reordered);
  }
}

// On a machine without models every answer is open, is said to be so, and is the expected one.
TEST(RealModels, AreOpenWhereTheyAreNot) {
  const test::TemporaryDirectory folder;
  const Reproduction done =
      reproduce("real-models", {.quick = true, .runs = folder.path(), .models = {folder.path()}})
          .value();
  EXPECT_EQ(done.verdict(), Answer::open);
  EXPECT_TRUE(done.as_expected());
  ASSERT_EQ(done.checks.size(), 52u);
  for (const std::string& line : disagreements_of(done))
    EXPECT_NE(line.find("the model is not here"), std::string::npos) << line;
  const Reproduction again =
      reproduce("real-models",
                {.quick = true, .runs = folder.path(), .models = {folder.path()}, .resume = true})
          .value();
  EXPECT_EQ(json_of(again), json_of(done));
}

}  // namespace
}  // namespace murmur::testing
