// checked_test.cpp: products of sizes that overflow, or that a 0 makes small.
#include "core/checked.h"

#include <gtest/gtest.h>

#include <vector>

namespace murmur {
namespace {

TEST(CheckedProducts, AreExactOrNothing) {
  EXPECT_EQ(product_of({}), 1u);
  EXPECT_EQ(product_of({3, 5, 7}), 105u);
  EXPECT_EQ(product_of({65'536, 65'536}), std::uint64_t{1} << 32);
  EXPECT_EQ(product_of({3'033'169, 1'416}), 4'294'967'304u);
  EXPECT_EQ(product_of({UINT64_MAX, 1}), UINT64_MAX);
  EXPECT_EQ(product_of({UINT64_MAX, 2}), std::nullopt);
  EXPECT_EQ(product_of({std::uint64_t{1} << 32, std::uint64_t{1} << 32}), std::nullopt);
  EXPECT_EQ(product_of(std::vector<std::size_t>{UINT64_MAX, UINT64_MAX, 0}), 0u);
}

TEST(CheckedProducts, StayWithinTheirLimit) {
  EXPECT_EQ(product_of({4, 4}, 16), 16u);
  EXPECT_EQ(product_of({4, 5}, 16), std::nullopt);
  EXPECT_EQ(product_of({4, 5, 0}, 16), 0u);
}

}  // namespace
}  // namespace murmur
