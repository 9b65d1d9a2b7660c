// sample_kernels.h: forward and backward pass of one block on one sample in few dimensions.
#pragma once

#include <cstddef>

#include "learn/block_tensors.h"

namespace murmur::simd {

// Samples lie as (d, stride), where stride is a multiple of this; padding is finite.
inline constexpr int kPadding = 16;
// The fused kernels take d = 2, 3, 4 and heads of 1 to 4 coordinates.
inline constexpr int kMostSmall = 4;
// Floats per row of up to 2 d + 1 numbers.
inline constexpr int pitch(int d) { return d < 4 ? 8 : 12; }

// Memory that the kernels work in, for samples of up to `stride` tokens and heads of width k.
std::size_t scratch_size(int d, int k, std::size_t stride);

//   q_i = Q x_i + b_Q, k_j = K x_j + b_K, v_j = V x_j + b_V
//   e_ij = exp(<q_i, k_j> / sqrt(k) - peak_i),  share_i = 1 / sum_j e_ij
//   o_i = share_i sum_j e_ij w_ij v_j           head by head, k coordinates each
//   y_i = x_i + residual (M o_i + b_M)
// w is the dropout mask. Forward keeps peak, share and o, so that backward needs no second softmax.
struct AttentionPass {
  int d = 0, n = 0;
  int heads = 1, k = 0;
  std::size_t stride = 0;
  float residual = 0;
  BlockTensors<const float> parameters{};
  const float* mask = nullptr;  // (heads, n, stride): row j, column i; null: no dropout
  const float* x = nullptr;     // (d, stride)
  float* o = nullptr;           // (heads k, stride)
  float* peak = nullptr;        // (heads, stride), in powers of two
  float* share = nullptr;       // (heads, stride)
  float* y = nullptr;           // (d, stride), of the forward pass
  float* dx = nullptr;          // (d, stride), backward: the gradient at y in, at x out; 0 padded
  BlockTensors<float> gradient{};  // backward adds to these
  float* scratch = nullptr;
};
void attention_forward(const AttentionPass& pass);
void attention_backward(const AttentionPass& pass);

//   y_i = x_i + residual (W_out relu(W_in x_i + b_in) + b_out)
// Forward reads one hidden unit at a time, backward a vector of them, so that the parameters and
// their gradients stay in registers over all tokens.
struct PerceptronPass {
  int d = 0, n = 0, hidden = 0;
  std::size_t stride = 0;
  float residual = 0;
  const float* rows = nullptr;      // (hidden, pitch): W_in, b_in, W_out of one unit
  const float* lanes = nullptr;     // (2 d + 1, padded hidden): the same
  std::size_t units = 0;            // padded hidden: a multiple of kPadding
  const float* out_bias = nullptr;  // (d)
  const float* x = nullptr;         // (d, stride)
  float* y = nullptr;               // (d, stride), of the forward pass
  float* dx = nullptr;              // as above
  float* lanes_gradient = nullptr;  // (2 d + 1, padded hidden), added to
  float* out_bias_gradient = nullptr;
  float* scratch = nullptr;
};
void perceptron_forward(const PerceptronPass& pass);
void perceptron_backward(const PerceptronPass& pass);

//   s_ij <- exp(scale s_ij) / sum_j exp(scale s_ij)      rows i, columns j < n
// The padding of the columns up to the pitch, a multiple of kPadding, becomes 0.
struct SoftmaxPass {
  int rows = 0, n = 0;
  std::size_t pitch = 0;
  float scale = 1;
  float* s = nullptr;  // (rows, pitch)
};
void softmax_rows(const SoftmaxPass& pass);
//   ds_ij <- p_ij (ds_ij - sum_j p_ij ds_ij)             where p, not s, is the softmax, 0 padded
// The padding of the columns of ds becomes 0.
void softmax_rows_back(const SoftmaxPass& pass, float* ds);

}  // namespace murmur::simd
