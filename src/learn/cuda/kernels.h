// kernels.h: the operations of a block on a GPU that are not matrix products; each function
// launches kernels.
#pragma once

#include <cstddef>

namespace murmur::cuda {

// Samples one below the other: rows first[b] .. first[b + 1] of (tokens, d) are sample b. Padded
// for batched products they lie as (samples, heads, longest, k), with zeros where a sample has no
// token; the weights of one sample and head lie as (longest, longest) in the same way. Every
// pointer in this header is to the memory of the GPU.
struct SampleTable {
  int samples = 0, tokens = 0, d = 0, heads = 1, k = 0, longest = 0;
  const int* first = nullptr;   // (samples + 1)
  const int* sample = nullptr;  // (tokens) the sample of each row
};

// Rows of a whole matrix.
struct Rows {
  float* at = nullptr;
  int rows = 0, cols = 0;
};

void add_bias(const Rows& x, const float* bias, float scale);  // x_i += scale bias
void add_bias_relu(const Rows& x, const float* bias);          // x_i <- relu(x_i + bias)
void relu_backward(const Rows& h, float* dh);                  // dh <- 0 where h is 0

// x (tokens, heads k).
void pad(const SampleTable& t, const float* x, float* padded);
void unpad(const SampleTable& t, const float* padded, float* x);

//   s_ij <- exp(scale s_ij) / sum_j exp(scale s_ij) inside the sample, 0 outside it
void softmax(const SampleTable& t, float scale, float* s);
//   dp_ij <- p_ij (dp_ij - sum_j p_ij dp_ij)
void softmax_backward(const SampleTable& t, const float* p, float* dp);

// Every row of `cols` numbers becomes the mean of the rows of its sample.
void take_means(const SampleTable& t, const float* from, float* to, int cols);
void add_gap(const Rows& y, const float* mean, const float* x,
             float step);  // y += step(mean - x)

// The readout of every sample, (samples, d): the mean token, or the last one. Backward distributes
// its gradient to the tokens.
void read_out(const SampleTable& t, bool last, const float* x, float* readout);
void read_out_backward(const SampleTable& t, bool last, const float* dreadout, float* dx);

// Adds every token's squared distance to the target of its sample, times weight / tokens of the
// sample, to loss (tokens), and its gradient to dx (tokens, d).
struct Distances {
  const int* label = nullptr;       // (samples)
  const double* targets = nullptr;  // (classes, d)
  double weight = 0;
  double* loss = nullptr;
};
void add_distances(const SampleTable& t, const Distances& to, const float* x, float* dx);

// sums (cols) += scale times the sum of all rows, in fixed order; `scratch` has
// column_scratch(rows, cols) numbers.
std::size_t column_scratch(int rows, int cols);
void add_columns(const Rows& x, float scale, float* scratch, float* sums);
// sums (d) += the rows of the samples' last tokens.
void add_last_tokens(const SampleTable& t, const float* x, float* sums);

}  // namespace murmur::cuda
