// block_tensors.h: the parts of an architecture that all adjoints share: where tensors lie in a
// flat vector of parameters or gradients, learned starts, and the rotation of queries and keys.
#pragma once

#include <cstddef>
#include <vector>

#include "core/elementary.h"
#include "murmur/learn.h"

namespace murmur {

// Null where the block has no such tensor. T is float or double, const or not.
template <class T>
struct BlockTensors {
  T *query = nullptr, *query_bias = nullptr;  // (heads k, d), (heads k)
  T *key = nullptr, *key_bias = nullptr;      // (heads k, d), (heads k)
  T *value = nullptr, *value_bias = nullptr;  // (heads k, d), (heads k)
  T *mix = nullptr, *mix_bias = nullptr;      // (d, heads k), (d)
  T *in = nullptr, *in_bias = nullptr;        // (hidden, d), (hidden)
  T *out = nullptr, *out_bias = nullptr;      // (d, hidden), (d)
};

// heads k: coordinates of all heads together.
inline int width_of_heads(const Architecture& a) { return a.heads * width_of_head(a); }

// Numbers in one block. The starts of the CLS token and of words come after all stored blocks.
inline std::size_t block_size(const Architecture& a) {
  const auto d = static_cast<std::size_t>(a.d), h = static_cast<std::size_t>(a.hidden);
  const auto w = static_cast<std::size_t>(width_of_heads(a));
  const std::size_t maps = a.interaction == Architecture::attention ? 3
                           : a.interaction == Architecture::uniform ? 1
                                                                    : 0;
  const std::size_t mix = maps > 0 ? d * w + d : 0;
  return maps * (w * d + w) + mix + (h > 0 ? h * d + h + d * h + d : 0);
}
inline int stored_blocks(const Architecture& a) { return a.shared ? 1 : a.blocks; }

template <class T>
BlockTensors<T> block_tensors(const Architecture& a, T* parameters, int block) {
  const auto d = static_cast<std::size_t>(a.d), h = static_cast<std::size_t>(a.hidden);
  const auto w = static_cast<std::size_t>(width_of_heads(a));
  T* at = parameters + (a.shared ? 0 : static_cast<std::size_t>(block) * block_size(a));
  const auto take = [&at](std::size_t size) {
    T* here = at;
    at += size;
    return here;
  };
  BlockTensors<T> t;
  if (a.interaction == Architecture::attention) {
    t.query = take(w * d), t.query_bias = take(w);
    t.key = take(w * d), t.key_bias = take(w);
  }
  if (a.interaction >= Architecture::uniform) {
    t.value = take(w * d), t.value_bias = take(w);
    t.mix = take(d * w), t.mix_bias = take(d);
  }
  if (h == 0) return t;
  t.in = take(h * d), t.in_bias = take(h);
  t.out = take(d * h), t.out_bias = take(d);
  return t;
}

// (d) the start of the CLS token; null if there is none.
template <class T>
T* cls_start(const Architecture& a, T* parameters) {
  return a.readout == Architecture::cls
             ? parameters + static_cast<std::size_t>(stored_blocks(a)) * block_size(a)
             : nullptr;
}

// (vocabulary, d) the starts of words; null if tokens are not words.
template <class T>
T* word_starts(const Architecture& a, T* parameters) {
  const std::size_t before = static_cast<std::size_t>(stored_blocks(a)) * block_size(a) +
                             (a.readout == Architecture::cls ? static_cast<std::size_t>(a.d) : 0);
  return a.vocabulary > 0 ? parameters + before : nullptr;
}

// (places, d) the learned codes of places, which come last; null if there are none.
template <class T>
T* place_codes(const Architecture& a, T* parameters) {
  return a.places > 0 ? parameters + parameter_count(a) - static_cast<std::size_t>(a.places) * a.d
                      : nullptr;
}

// n tokens of d coordinates: coordinate k of token i is at[i * token + k * axis].
template <class T>
struct TokenRows {
  T* at = nullptr;
  int n = 0, d = 0;
  std::size_t token = 0, axis = 0;
  T& operator()(int i, int k) const {
    return at[static_cast<std::size_t>(i) * token + static_cast<std::size_t>(k) * axis];
  }
};
using Tokens = TokenRows<float>;

// Adds dx (n, d), the gradient at the start of sample number `at` of a batch, to that of the
// learned starts:
//   d cls += dx_last,  d table[w] += dx_i for every token i that is word w,  d places[i] += dx_i
template <class T>
void add_starts_gradient(const Architecture& a, const Batch& batch, std::size_t at,
                         const TokenRows<T>& dx, T* gradient) {
  if (T* cls = cls_start(a, gradient))
    for (int k = 0; k < a.d; ++k) cls[k] += dx(dx.n - 1, k);
  const std::size_t first = batch.first[batch.chosen[at]];
  const int tokens = dx.n - (a.readout == Architecture::cls ? 1 : 0);
  if (T* table = word_starts(a, gradient))
    for (int i = 0; i < tokens; ++i)
      for (int k = 0; k < a.d; ++k)
        table[static_cast<std::size_t>(batch.word[first + i]) * a.d + k] += dx(i, k);
  if (T* codes = place_codes(a, gradient))
    for (int i = 0; i < tokens; ++i)
      for (int k = 0; k < a.d; ++k) codes[static_cast<std::size_t>(i) * a.d + k] += dx(i, k);
}

// cos and sin of the angle i / 100^(2m/k) of token i and pair m of coordinates.
template <class T>
class Rotation {
 public:
  Rotation(int tokens, int k) : k_(k), pairs_(k / 2) {
    for (int i = 0; i < tokens; ++i)
      for (int m = 0; m < pairs_; ++m) {
        const double angle = i / elementary::pow(100, 2.0 * m / k);
        cosine_.push_back(static_cast<T>(elementary::cos(angle)));
        sine_.push_back(static_cast<T>(elementary::sin(angle)));
      }
  }

  // rows (n, heads k): row i becomes R_i row, or R_i^T row, which is its adjoint and its inverse:
  //   (a, b) <- (a cos - b sin, a sin + b cos)
  void apply(T* rows, int n, int heads, bool back) const {
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
