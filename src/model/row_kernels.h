// row_kernels.h: softmax and activations of rows of single precision, on vectors of all widths.
#pragma once

#include <cstddef>

#include "model/transformer.h"

namespace murmur {

// row_i <- e^(row_i - m) / sum_j e^(row_j - m), m the largest. (n), n > 0
void softmax_row(float* row, int n);

// row_i <- activation(row_i), within 3e-7 of |row_i|.
//   gelu: z Phi(z)     gelu_tanh: z s(2 sqrt(2/pi) (z + 0.044715 z^3))     silu: z s(z)
// with s(y) = 1 / (1 + e^-y).
void activate_row(float* row, std::size_t size, FeedForwardActivation activation);

}  // namespace murmur
