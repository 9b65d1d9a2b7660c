// parts.h: the parts of a transformer's block on rows of single precision: maps, norms, rotations,
// attention, activations; by fast kernels and, in namespace reference, by plain loops.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "model/transformer.h"

namespace murmur {

// y (n, out) = x (n, in) W^T + b by OpenBLAS, in parts whose sizes do not depend on the threads.
std::vector<float> map_rows(const std::vector<float>& x, const Linear& f, int threads);

// Normalises every `width` consecutive numbers, with gain and bias (width).
void normalise_rows(std::vector<float>& x, const Norm& norm, const NormWeights& weights,
                    std::size_t width);

// x (n, heads, width): rotates row p by its place p.
void rotate_rows(std::vector<float>& x, int n, int heads, int width, const Rotary& rotary,
                 double theta);

// The keys [begin, end) that query i of n sees.
struct VisibleKeys {
  int begin = 0, end = 0;
};
VisibleKeys visible_keys(int i, int n, bool causal, int window);

struct AttentionShape {
  int n = 0, heads = 0, key_heads = 0, width = 0;  // key head h' serves heads / key_heads heads
  bool causal = false;
  int window = 0;  // i sees j if |i - j| < window; 0: all
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

// row_i <- e^(row_i - m) / sum_j e^(row_j - m), m the largest. (n), n > 0
void softmax_row(float* row, int n);

// row_i <- activation(row_i), within 3e-7 of |row_i|.
//   gelu: z Phi(z)     gelu_tanh: z s(2 sqrt(2/pi) (z + 0.044715 z^3))     silu: z s(z)
// with s(y) = 1 / (1 + e^-y).
void activate_row(float* row, std::size_t size, FeedForwardActivation activation);

// The same functions by plain loops, which define the right result. Rows are of single precision,
// as the weights are; every sum is in double, in the order of its index, and rounded once; exp,
// tanh, erf, sin, cos and pow are those of core/elementary.h. So every compiler and the web page
// give the same bits.
namespace reference {

std::vector<float> map_rows(const std::vector<float>& x, const Linear& f);

void normalise_rows(std::vector<float>& x, const Norm& norm, const NormWeights& weights,
                    std::size_t width);

void rotate_rows(std::vector<float>& x, int n, int heads, int width, const Rotary& rotary,
                 double theta);

std::vector<float> attention_rows(const AttentionShape& shape, const std::vector<float>& q,
                                  const std::vector<float>& k, const std::vector<float>& v,
                                  std::vector<float>& weights);

void activate(std::vector<float>& x, FeedForwardActivation activation);

float capped(float s, double cap);

}  // namespace reference

}  // namespace murmur
