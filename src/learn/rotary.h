// rotary.h: queries and keys turned by the number of their token, and back.
#pragma once

#include <cstddef>
#include <vector>

#include "core/elementary.h"

namespace murmur {

// cos and sin of the angle i / 100^(2m/k) of token i and pair m of coordinates.
template <class T>
class Turns {
 public:
  Turns(int tokens, int k) : k_(k), pairs_(k / 2) {
    for (int i = 0; i < tokens; ++i)
      for (int m = 0; m < pairs_; ++m) {
        const double angle = i / elementary::pow(100, 2.0 * m / k);
        cosine_.push_back(static_cast<T>(elementary::cos(angle)));
        sine_.push_back(static_cast<T>(elementary::sin(angle)));
      }
  }

  // rows (n, heads k): row i becomes R_i row, or R_i^T row, which is its adjoint and its inverse:
  //   (a, b) <- (a cos - b sin, a sin + b cos)
  void turn(T* rows, int n, int heads, bool back) const {
    for (int i = 0; i < n; ++i)
      for (int h = 0; h < heads; ++h, rows += k_)
        for (int m = 0; m < pairs_; ++m) {
          const std::size_t at = static_cast<std::size_t>(i) * pairs_ + m;
          const T c = cosine_[at], s = back ? -sine_[at] : sine_[at];
          const T a = rows[2 * m], b = rows[2 * m + 1];
          rows[2 * m] = a * c - b * s;
          rows[2 * m + 1] = a * s + b * c;
        }
  }

 private:
  int k_, pairs_;
  std::vector<T> cosine_{}, sine_{};  // (tokens, pairs)
};

}  // namespace murmur
