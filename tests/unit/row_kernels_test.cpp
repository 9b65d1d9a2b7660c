// row_kernels_test.cpp: softmax and activations on vectors against their formulas in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/parts.h"
#include "murmur/random.h"

namespace murmur::testing {
namespace {

std::vector<float> drawn(std::size_t size, double scale) {
  std::vector<float> row(size);
  for (std::size_t k = 0; k < size; ++k)
    row[k] = static_cast<float>(
        scale * Draw{.seed = 5, .particle = static_cast<std::uint32_t>(k)}.normal(0));
  return row;
}

double plain(double z, FeedForwardActivation activation) {
  switch (activation) {
    case FeedForwardActivation::relu:
      return std::max(z, 0.0);
    case FeedForwardActivation::gelu:
      return 0.5 * z * std::erfc(-z / std::numbers::sqrt2);
    case FeedForwardActivation::gelu_tanh:
      return 0.5 * z *
             (1 + std::tanh(std::sqrt(2 * std::numbers::inv_pi) * (z + 0.044715 * z * z * z)));
    case FeedForwardActivation::silu:
      break;
  }
  return z / (1 + std::exp(-z));
}

// Rows of all lengths around a vector's, and numbers from far below to far above.
TEST(RowKernels, ActivationsAreThoseOfTheirFormulas) {
  for (const auto activation : {FeedForwardActivation::relu, FeedForwardActivation::gelu,
                                FeedForwardActivation::gelu_tanh, FeedForwardActivation::silu}) {
    std::vector<float> row = drawn(4003, 4);
    for (const float z : {0.0f, -0.0f, 1e-20f, -60.0f, 60.0f, -1e4f, 1e4f}) row.push_back(z);
    const std::vector<float> before = row;
    activate_row(row.data(), row.size(), activation);
    for (std::size_t k = 0; k < row.size(); ++k)
      EXPECT_NEAR(row[k], plain(before[k], activation), 3e-7 * std::abs(before[k])) << before[k];
    for (std::size_t size = 1; size < 40; ++size) {
      std::vector<float> some(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(size));
      activate_row(some.data(), size, activation);
      EXPECT_TRUE(std::equal(some.begin(), some.end(), row.begin())) << size;
    }
  }
}

TEST(RowKernels, SoftmaxIsThatOfItsFormula) {
  for (int n = 1; n < 70; ++n) {
    std::vector<float> row = drawn(static_cast<std::size_t>(n), 9);
    row.push_back(1234);  // behind the row: is left alone
    const std::vector<float> before = row;
    const double top = *std::max_element(before.begin(), before.end() - 1);
    double total = 0;
    for (int j = 0; j < n; ++j) total += std::exp(before[static_cast<std::size_t>(j)] - top);
    softmax_row(row.data(), n);
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      const double right = std::exp(before[j] - top) / total;
      EXPECT_NEAR(row[j], right, 3e-6 * right + 1e-9) << n << ", " << j;
    }
    EXPECT_EQ(row.back(), 1234);
  }
}

// Of more queries than are done at a time, against plain sums: all pairs, the past, a window.
TEST(RowKernels, AttentionOfManyQueriesIsThatOfItsFormula) {
  const AttentionShape all{.n = 300, .heads = 2, .key_heads = 1, .width = 4, .scale = 0.5};
  AttentionShape past = all, near = all, both = all;
  past.causal = both.causal = true;
  near.window = both.window = 7;
  const std::vector<float> q = drawn(300 * 8, 1), k = drawn(300 * 4, 2), v = drawn(300 * 4, 3);
  for (const AttentionShape& s : {all, past, near, both}) {
    std::vector<float> weights(2 * 300 * 300);
    const std::vector<float> gathered = attention_rows(s, q, k, v, weights);
    for (int head = 0; head < 2; ++head)
      for (int i = 0; i < s.n; i += 37) {
        const VisibleKeys seen = visible_keys(i, s.n, s.causal, s.window);
        std::vector<double> a(300);
        double total = 0, sum = 0, heard = 0;
        for (int j = seen.begin; j < seen.end; ++j) {
          for (int c = 0; c < 4; ++c) a[j] += 0.5 * q[(i * 2 + head) * 4 + c] * k[j * 4 + c];
          total += std::exp(a[j]);
        }
        for (int j = 0; j < s.n; ++j) {
          const bool sees = j >= seen.begin && j < seen.end;
          const double right = sees ? std::exp(a[j]) / total : 0;
          EXPECT_NEAR(weights[(head * 300 + i) * 300 + j], right, 1e-6) << i << ", " << j;
          sum += right;
          heard += right * v[j * 4];
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        EXPECT_NEAR(gathered[(i * 2 + head) * 4], heard, 1e-5);
      }
  }
}

}  // namespace
}  // namespace murmur::testing
