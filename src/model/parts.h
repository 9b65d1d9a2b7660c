// parts.h: the parts of a transformer's block on rows of single precision: maps, norms, rotations,
// attention, activations.
#pragma once

#include <cmath>
#include <vector>

#include "model/transformer.h"

namespace murmur {

// y (n, out) = x (n, in) W^T + b, by OpenBLAS, in parts whose sizes do not depend on threads.
std::vector<float> map_rows(const std::vector<float>& x, const Linear& f, int threads);

// Every stretch of `width` neighbours, with gain and bias (width).
void normalise_rows(std::vector<float>& x, const Norm& norm, const NormWeights& weights,
                    std::size_t width);

// x (n, heads, width): row p turned by its place p.
void rotate_rows(std::vector<float>& x, int n, int heads, int width, const Rotary& rotary,
                 double theta);

// The keys [begin, end) that query i of n sees.
struct Sight {
  int begin = 0, end = 0;
};
Sight sight_of(int i, int n, bool causal, int window);

struct AttentionShape {
  int n = 0, heads = 0, key_heads = 0, width = 0;  // key head h' serves heads / key_heads heads
  bool causal = false;
  int window = 0;  // |i - j| < window is seen; 0: all
  double scale = 1, cap = 0;
  int threads = 1;
};

//   weights (heads, n, n) = softmax over the j that i sees of cap(scale <q_i, k_j>), 0 elsewhere;
//   must come as zeros
//   returns (n, heads, width): sum_j weights_ij v_j
std::vector<float> attention_rows(const AttentionShape& shape, const std::vector<float>& q,
                                  const std::vector<float>& k, const std::vector<float>& v,
                                  std::vector<float>& weights);

void activate(std::vector<float>& x, FeedForwardActivation activation);

inline float capped(float s, double cap) {
  return static_cast<float>(cap * std::tanh(static_cast<double>(s) / cap));
}

}  // namespace murmur
