// pairs_test.cpp: two pictures side by side: where their ink lies, and how pairs are drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "murmur/error.h"
#include "murmur/images.h"

namespace murmur {
namespace {

// Pictures of four pixels in the corners, of three classes; none of class 1 among the last ten.
SampleSet corners(std::size_t count, int classes) {
  SampleSet set;
  set.first = {0};
  for (std::size_t k = 0; k < count; ++k) {
    for (const float x : {-10.F, 10.F})
      for (const float y : {-10.F, 10.F}) set.x.push_back(x), set.y.push_back(y);
    set.first.push_back(set.x.size());
    set.label.push_back(static_cast<int>(k) % classes);
  }
  return set;
}

std::vector<std::size_t> all_of(const SampleSet& set) {
  std::vector<std::size_t> all(set.samples());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

TEST(Pairs, LieInSquaresOfSideTenBesideEachOther) {
  const SampleSet pictures = corners(2, 2);
  SampleSet pairs;
  add_pair(pictures, {0, 1}, other_class, pairs);
  ASSERT_EQ(pairs.samples(), 1u);
  ASSERT_EQ(pairs.size_of(0), 8);
  EXPECT_EQ(pairs.label, std::vector<int>{other_class});
  for (int i = 0; i < 8; ++i) {
    const double centre = i < 4 ? -5.5 : 5.5;
    EXPECT_EQ(std::fabs(pairs.x[i] - centre), 5);
    EXPECT_EQ(std::fabs(pairs.y[i]), 5);
  }
}

TEST(Pairs, OfPicturesAreThoseOfTheirSamples) {
  Images images{
      3, 3, {255, 0, 255, 0, 255, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 0, 0, 0}, {}, "two"};
  const Tokenisation how{.every = 2};
  SampleSet singles, from_samples, from_pictures;
  for (const std::size_t k : {0, 1}) add_sample(images, k, 0, how, singles);
  EXPECT_EQ(singles.first, (std::vector<std::size_t>{0, 2, 4}));  // 1st and 3rd of three pixels
  EXPECT_EQ(singles.x, (std::vector<float>{-10, 0, -10, 10}));
  add_pair(singles, {1, 0}, 0, from_samples);
  add_pair(images, {1, 0}, 0, how, from_pictures);
  EXPECT_EQ(from_samples.x, from_pictures.x);
  EXPECT_EQ(from_samples.y, from_pictures.y);
}

TEST(Pairs, AreDrawnWithAFairCoinAndEqualChances) {
  const SampleSet pictures = corners(30, 3);
  const std::size_t count = 30'000;
  const std::vector<PicturePair> pairs =
      draw_pairs(pictures, all_of(pictures), count, {.seed = 4, .step = 2});
  ASSERT_EQ(pairs.size(), count);
  std::size_t same = 0;
  std::map<std::pair<int, int>, double> cells;
  std::map<std::size_t, double> left;
  for (const PicturePair& pair : pairs) {
    EXPECT_EQ(pair.same, pictures.label[pair.left] == pictures.label[pair.right]);
    same += pair.same ? 1 : 0;
    cells[{pictures.label[pair.left], pictures.label[pair.right]}] += 1;
    left[pair.left] += 1;
  }
  const auto expect_share = [&](double found, double share) {
    EXPECT_NEAR(found, share * count, 5 * std::sqrt(share * (1 - share) * count));
  };
  expect_share(static_cast<double>(same), 0.5);
  ASSERT_EQ(cells.size(), 9u);
  for (const auto& [cell, found] : cells)
    expect_share(found, cell.first == cell.second ? 1.0 / 6 : 1.0 / 12);
  ASSERT_EQ(left.size(), 30u);
  for (const auto& [sample, found] : left) expect_share(found, 1.0 / 30);
}

bool equal(const std::vector<PicturePair>& a, const std::vector<PicturePair>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& p, const auto& q) {
    return p.left == q.left && p.right == q.right && p.same == q.same;
  });
}

TEST(Pairs, DependOnSeedStepUseAndNumberAlone) {
  const SampleSet pictures = corners(40, 2);
  const std::vector<std::size_t> all = all_of(pictures);
  const PairDraw draw{.seed = 1, .step = 3, .use = PairDraw::train};
  const auto some = draw_pairs(pictures, all, 50, draw);
  auto more = draw_pairs(pictures, all, 80, draw);
  more.resize(50);
  EXPECT_TRUE(equal(some, more));  // a longer draw begins with the shorter one
  for (const PairDraw& other :
       {PairDraw{2, 3, PairDraw::train}, {1, 4, PairDraw::train}, {1, 3, PairDraw::test}})
    EXPECT_FALSE(equal(some, draw_pairs(pictures, all, 50, other)));
}

TEST(Pairs, AreOfTheGivenSamplesAlone) {
  const SampleSet pictures = corners(40, 2);
  const std::vector<std::size_t> from = {3, 8, 9, 20, 31};
  const std::set<std::size_t> allowed(from.begin(), from.end());
  for (const auto& pairs :
       {draw_pairs(pictures, from, 500, {}), crossed_pairs(pictures, from, 125, {})})
    for (const PicturePair& pair : pairs) {
      EXPECT_TRUE(allowed.count(pair.left) == 1 && allowed.count(pair.right) == 1);
      EXPECT_EQ(pair.same, pictures.label[pair.left] == pictures.label[pair.right]);
    }
  const std::vector<std::size_t> one_class = {0, 2, 4};
  EXPECT_THROW(draw_pairs(pictures, one_class, 5, {}), Error);
}

// In a four every picture stands in as many pairs that are same as in pairs that are different.
TEST(Pairs, CrossedFoursAreBalancedPictureByPicture) {
  const SampleSet pictures = corners(60, 3);
  const std::vector<PicturePair> pairs = crossed_pairs(pictures, all_of(pictures), 300, {});
  ASSERT_EQ(pairs.size(), 1200u);
  for (std::size_t four = 0; four < pairs.size(); four += 4) {
    std::map<std::pair<bool, std::size_t>, int> balance;
    for (std::size_t k = four; k < four + 4; ++k) {
      balance[{false, pairs[k].left}] += pairs[k].same ? 1 : -1;
      balance[{true, pairs[k].right}] += pairs[k].same ? 1 : -1;
    }
    EXPECT_EQ(balance.size(), 4u);
    for (const auto& [picture, sum] : balance) EXPECT_EQ(sum, 0);
  }
}

}  // namespace
}  // namespace murmur
