// deform_test.cpp: random deformations of samples have the size that is asked, and stay themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "experiment/training_loop.h"

namespace murmur {
namespace {

struct Points {
  std::vector<float> x{}, y{};
};

// A grid over the plane of pictures.
Points grid() {
  Points points;
  for (int row = 0; row <= 8; ++row)
    for (int column = 0; column <= 8; ++column) {
      points.x.push_back(-10 + 2.5F * static_cast<float>(column));
      points.y.push_back(-10 + 2.5F * static_cast<float>(row));
    }
  return points;
}

Points deformed(const Deformation& deformation, std::uint32_t sample, std::uint32_t epoch = 0) {
  Points points = grid();
  deform(deformation, {3, Stream::deform, sample, epoch}, points.x, points.y);
  return points;
}

TEST(Deform, NothingIsMovedByNothing) {
  EXPECT_FALSE(Deformation{}.any());
  EXPECT_EQ(deformed({}, 5).x, grid().x);
  EXPECT_EQ(deformed({}, 5).y, grid().y);
}

TEST(Deform, IsAFunctionOfSampleAndEpoch) {
  const Deformation both{.affine = 0.1, .warp = 1};
  EXPECT_EQ(deformed(both, 5, 2).x, deformed(both, 5, 2).x);
  EXPECT_NE(deformed(both, 5, 2).x, deformed(both, 6, 2).x);
  EXPECT_NE(deformed(both, 5, 2).x, deformed(both, 5, 3).x);
}

// p -> (I + A) p: the origin stays, and A is what both unit vectors say for every other point.
TEST(Deform, ALinearMapIsLinearAndAsLargeAsAsked) {
  constexpr int kSamples = 4000;
  const double asked = 0.2;
  double square = 0, mean = 0;
  for (std::uint32_t s = 0; s < kSamples; ++s) {
    std::vector<float> x{0, 1, 0, 3}, y{0, 0, 1, -2};
    deform({.affine = asked}, {3, Stream::deform, s, 0}, x, y);
    EXPECT_EQ(x[0], 0);
    EXPECT_EQ(y[0], 0);
    EXPECT_NEAR(x[3], 3 * x[1] - 2 * x[2], 1e-5);
    EXPECT_NEAR(y[3], 3 * y[1] - 2 * y[2], 1e-5);
    for (const double entry : {x[1] - 1.0, x[2] - 0.0, y[1] - 0.0, y[2] - 1.0}) {
      square += entry * entry / (4 * kSamples);
      mean += entry / (4 * kSamples);
    }
  }
  EXPECT_NEAR(std::sqrt(square), asked, 0.01 * asked * 5 / std::sqrt(2 * 1.6));
  EXPECT_NEAR(mean, 0, 5 * asked / std::sqrt(4.0 * kSamples));
}

// Root mean square over the plane and over samples; a pixel's width further it is nearly the same.
TEST(Deform, ABendingIsSmoothAndAsLargeAsAsked) {
  constexpr int kSamples = 2000;
  double square = 0, gap = 0, points = 0;
  for (std::uint32_t s = 0; s < kSamples; ++s) {
    const double u = Draw{.seed = 9, .particle = s}.uniform(0),
                 v = Draw{.seed = 9, .particle = s}.uniform(1);
    const auto at = static_cast<float>(20 * u - 10), up = static_cast<float>(20 * v - 10);
    std::vector<float> x{at, at + (at < 0 ? 0.74F : -0.74F)}, y{up, up};
    const std::vector<float> from = x;
    deform({.warp = 1.5}, {3, Stream::deform, s, 0}, x, y);
    square += std::pow(x[0] - from[0], 2) + std::pow(y[0] - up, 2);
    gap += std::pow(x[1] - from[1] - (x[0] - from[0]), 2) + std::pow(y[1] - y[0], 2);
    points += 2;
  }
  EXPECT_NEAR(std::sqrt(square / points), 1.5, 0.1);
  EXPECT_LT(std::sqrt(gap / points), 0.3);
}

}  // namespace
}  // namespace murmur
