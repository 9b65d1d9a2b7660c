// block_tensors.h: where the tensors of one block lie in a flat vector of parameters or gradients.
#pragma once

#include <cstddef>

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

// Numbers in one block, and in all that are stored; the starts of the CLS token and of words come
// after these.
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

// (d), where there is a CLS token; null otherwise.
template <class T>
T* cls_start(const Architecture& a, T* parameters) {
  return a.readout == Architecture::cls
             ? parameters + static_cast<std::size_t>(stored_blocks(a)) * block_size(a)
             : nullptr;
}

// (vocabulary, d), where tokens are words; null otherwise.
template <class T>
T* word_starts(const Architecture& a, T* parameters) {
  const std::size_t before = static_cast<std::size_t>(stored_blocks(a)) * block_size(a) +
                             (a.readout == Architecture::cls ? static_cast<std::size_t>(a.d) : 0);
  return a.vocabulary > 0 ? parameters + before : nullptr;
}

// (places, d), where places have learned codes; null otherwise. They come last.
template <class T>
T* place_codes(const Architecture& a, T* parameters) {
  return a.places > 0 ? parameters + parameter_count(a) - static_cast<std::size_t>(a.places) * a.d
                      : nullptr;
}

}  // namespace murmur
