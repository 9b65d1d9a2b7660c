// array_test.cpp: sizes and values of border arrays.
#include <gtest/gtest.h>

#include "murmur/matrix.h"

namespace murmur {
namespace {

TEST(Array, ScalarHoldsOneValue) {
  const Array array = array_of(2.5);
  EXPECT_TRUE(array.shape.empty());
  EXPECT_EQ(array.size(), 1u);
  EXPECT_EQ(array.doubles(), std::vector<double>{2.5});
}

TEST(Array, SizeIsTheProductOfTheShape) {
  EXPECT_EQ((Array{{2, 3, 4}, std::vector<double>(24)}).size(), 24u);
  EXPECT_EQ((Array{{2, 0, 4}, std::vector<double>()}).size(), 0u);
}

TEST(Array, EveryTypeReadsAsDoubles) {
  const std::vector<double> expected{1, 0, 250};
  EXPECT_EQ((Array{{3}, std::vector<float>{1, 0, 250}}).doubles(), expected);
  EXPECT_EQ((Array{{3}, std::vector<std::int32_t>{1, 0, 250}}).doubles(), expected);
  EXPECT_EQ((Array{{3}, std::vector<std::uint8_t>{1, 0, 250}}).doubles(), expected);
  EXPECT_EQ(array_of(std::vector<std::int64_t>{1, 0, 250}).doubles(), expected);
  EXPECT_EQ(array_of(std::vector<double>{1, 0, 250}).shape, std::vector<std::size_t>{3});
}

}  // namespace
}  // namespace murmur
