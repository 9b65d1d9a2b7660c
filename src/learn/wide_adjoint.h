// wide_adjoint.h: forward and backward pass of blocks of any width by matrix products, written once
// for the processor (wide_adjoint.cpp) and the GPU (cuda/cuda_adjoint.cpp).
#pragma once

#include "learn/block_tensors.h"
#include "learn/grouped_adjoint.h"
#include "learn/products.h"

namespace murmur {

// Arrays of one pass over a group, whose samples lie one below the other. All pointers are to the
// memory of the processor, or all are to that of the GPU.
struct WideArrays {
  int tokens = 0;                        // of all samples
  float* places = nullptr;               // (2 blocks + 1, tokens, d): x before each half of a block
  float* o = nullptr;                    // (blocks, tokens, heads k): output of attention
  float* dout = nullptr;                 // (tokens, heads k): gradient at o
  float *v = nullptr, *dv = nullptr;     // (tokens, heads k) each; v may be dout
  float *dx = nullptr, *mean = nullptr;  // (tokens, d) each
  float *h = nullptr, *dh = nullptr;     // (tokens, hidden); h of each block if it keeps them
};

// Arrays is WideArrays with the arrays that attention needs.
template <class Arrays>
class WideAdjoint : public GroupedAdjoint {
 protected:
  // keeps_hidden: backward reads the hidden units of the forward pass instead of computing them
  // again.
  WideAdjoint(const Architecture& architecture, int threads, std::size_t samples_per_group,
              bool keeps_hidden)
      : GroupedAdjoint(architecture, threads, samples_per_group),
        d_(architecture.d),
        k_(width_of_head(architecture)),
        wide_(width_of_heads(architecture)),
        keeps_hidden_(keeps_hidden) {}

  //   c <- scale op(a) op(b) + keep c
  virtual void product(const View& a, const View& b, Transposed turn, const View& c,
                       float scale = 1, float keep = 0) = 0;
  virtual void add_bias(const View& x, const float* bias, float scale) = 0;  // x_i += scale bias
  virtual void add_bias_relu(const View& x, const float* bias) = 0;  // x_i <- relu(x_i + bias)
  virtual void relu_backward(const View& h, float* dh) = 0;          // dh <- 0 where h is 0
  // sums (cols) += scale times the sum of all rows
  virtual void add_columns(const Arrays& f, const View& x, float scale, float* sums) = 0;
  // Every row of `cols` numbers becomes the mean of the rows of its sample.
  virtual void take_means(const Arrays& f, const float* from, float* to, int cols) = 0;
  virtual void add_gap(const View& y, const float* mean, const float* x, float step) = 0;
  virtual void copy(const float* from, std::size_t size, float* to) = 0;
  virtual const float* parameters() = 0;
  // Attention of a block: o from the places; and from dout the gradients of query, key and value,
  // added to `gradient` and to dx.
  virtual void attend(const Group& group, const Arrays& f, int block) = 0;
  virtual void attend_backward(const Group& group, const Arrays& f, int block, float* gradient) = 0;

  void forward_blocks(const Group& group, const Arrays& f);
  // From dx behind the block to dx before it; adds to `gradient`.
  void backward_block(const Group& group, const Arrays& f, int block, float* gradient);
  // y = w x + bias for all tokens; x is the places before a block.
  void map(const Arrays& f, int block, const float* w, const float* bias, float* y);
  // From dy, the gradient at w x + bias: adds to those of w, bias and x.
  void map_backward(const Arrays& f, int block, const float* w, float* dy, float* dw, float* dbias);

  static View whole(const float* at, int rows, int cols) {
    return {const_cast<float*>(at), rows, cols, cols};  // products only read their factors
  }
  View states(const Arrays& f, const float* at) const { return whole(at, f.tokens, d_); }
  View maps(const Arrays& f, const float* at) const { return whole(at, f.tokens, wide_); }
  View units(const Arrays& f, const float* at) const {
    return whole(at, f.tokens, architecture_.hidden);
  }
  float* place(const Arrays& f, int half) const {
    return f.places + static_cast<std::size_t>(half) * f.tokens * d_;
  }
  float* output(const Arrays& f, int block) const {
    return f.o + static_cast<std::size_t>(block) * f.tokens * wide_;
  }
  float residual() const { return static_cast<float>(architecture_.residual); }
  bool attends() const { return architecture_.interaction == Architecture::attention; }
  BlockTensors<const float> tensors(int block) {
    return block_tensors(architecture_, parameters(), block);
  }

  const int d_, k_, wide_;  // k: coordinates of a head; wide: heads k

 private:
  void interact(const Group& group, const Arrays& f, int block, float* y);
  void interact_backward(const Group& group, const Arrays& f, int block, float* gradient);
  View hidden_units(const Arrays& f, int block);
  void compute_hidden_units(const Arrays& f, int block);
  void feed_forward_backward(const Arrays& f, int block, float* gradient);

  const bool keeps_hidden_;
};

template <class Arrays>
void WideAdjoint<Arrays>::map(const Arrays& f, int b, const float* w, const float* bias, float* y) {
  product(states(f, place(f, 2 * b)), whole(w, wide_, d_), Transposed::right, maps(f, y));
  add_bias(maps(f, y), bias, 1);
}

template <class Arrays>
void WideAdjoint<Arrays>::map_backward(const Arrays& f, int b, const float* w, float* dy, float* dw,
                                       float* dbias) {
  product(maps(f, dy), states(f, place(f, 2 * b)), Transposed::left, whole(dw, wide_, d_), 1, 1);
  add_columns(f, maps(f, dy), 1, dbias);
  product(maps(f, dy), whole(w, wide_, d_), Transposed::none, states(f, f.dx), 1, 1);
}

//   y = x + residual (M o + b_M), or x + residual (mean - x), or x
// Uniform attention: o is the mean of the values.
template <class Arrays>
void WideAdjoint<Arrays>::interact(const Group& group, const Arrays& f, int b, float* y) {
  const float* x = place(f, 2 * b);
  copy(x, static_cast<std::size_t>(f.tokens) * d_, y);
  if (architecture_.interaction == Architecture::none) return;
  if (architecture_.interaction == Architecture::attraction) {
    take_means(f, x, f.mean, d_);
    return add_gap(states(f, y), f.mean, x, residual());
  }
  const auto t = tensors(b);
  if (attends()) {
    attend(group, f, b);
  } else {
    map(f, b, t.value, t.value_bias, f.v);
    take_means(f, f.v, output(f, b), wide_);
  }
  product(maps(f, output(f, b)), whole(t.mix, d_, wide_), Transposed::right, states(f, y),
          residual(), 1);
  add_bias(states(f, y), t.mix_bias, residual());
}

template <class Arrays>
void WideAdjoint<Arrays>::interact_backward(const Group& group, const Arrays& f, int b,
                                            float* gradient) {
  if (architecture_.interaction == Architecture::none) return;
  const View dx = states(f, f.dx);
  if (architecture_.interaction == Architecture::attraction) {
    take_means(f, f.dx, f.mean, d_);
    return add_gap(dx, f.mean, f.dx, residual());
  }
  const auto t = tensors(b);
  const auto g = block_tensors(architecture_, gradient, b);
  product(dx, maps(f, output(f, b)), Transposed::left, whole(g.mix, d_, wide_), residual(), 1);
  add_columns(f, dx, residual(), g.mix_bias);
  product(dx, whole(t.mix, d_, wide_), Transposed::none, maps(f, f.dout), residual());
  if (attends()) return attend_backward(group, f, b, gradient);
  take_means(f, f.dout, f.dv, wide_);
  map_backward(f, b, t.value, f.dv, g.value, g.value_bias);
}

template <class Arrays>
View WideAdjoint<Arrays>::hidden_units(const Arrays& f, int b) {
  const std::size_t size = static_cast<std::size_t>(f.tokens) * architecture_.hidden;
  return units(f, f.h + (keeps_hidden_ ? static_cast<std::size_t>(b) * size : 0));
}

//   h = relu(W_in y + b_in)
template <class Arrays>
void WideAdjoint<Arrays>::compute_hidden_units(const Arrays& f, int b) {
  const auto t = tensors(b);
  const View h = hidden_units(f, b);
  product(states(f, place(f, 2 * b + 1)), whole(t.in, architecture_.hidden, d_), Transposed::right,
          h);
  add_bias_relu(h, t.in_bias);
}

template <class Arrays>
void WideAdjoint<Arrays>::feed_forward_backward(const Arrays& f, int b, float* gradient) {
  const int hidden = architecture_.hidden;
  const auto t = tensors(b);
  const auto g = block_tensors(architecture_, gradient, b);
  if (!keeps_hidden_) compute_hidden_units(f, b);
  const View h = hidden_units(f, b), dh = units(f, f.dh), dx = states(f, f.dx);
  product(dx, h, Transposed::left, whole(g.out, d_, hidden), residual(), 1);
  add_columns(f, dx, residual(), g.out_bias);
  product(dx, whole(t.out, d_, hidden), Transposed::none, dh, residual());
  relu_backward(h, f.dh);
  product(dh, states(f, place(f, 2 * b + 1)), Transposed::left, whole(g.in, hidden, d_), 1, 1);
  add_columns(f, dh, 1, g.in_bias);
  product(dh, whole(t.in, hidden, d_), Transposed::none, dx, 1, 1);
}

//   z = y + residual (W_out h + b_out)
template <class Arrays>
void WideAdjoint<Arrays>::forward_blocks(const Group& group, const Arrays& f) {
  const int hidden = architecture_.hidden;
  for (int b = 0; b < architecture_.blocks; ++b) {
    float *y = place(f, 2 * b + 1), *z = place(f, 2 * b + 2);
    interact(group, f, b, y);
    copy(y, static_cast<std::size_t>(f.tokens) * d_, z);
    if (hidden == 0) continue;
    compute_hidden_units(f, b);
    product(hidden_units(f, b), whole(tensors(b).out, d_, hidden), Transposed::right, states(f, z),
            residual(), 1);
    add_bias(states(f, z), tensors(b).out_bias, residual());
  }
}

template <class Arrays>
void WideAdjoint<Arrays>::backward_block(const Group& group, const Arrays& f, int b,
                                         float* gradient) {
  if (architecture_.hidden > 0) feed_forward_backward(f, b, gradient);
  interact_backward(group, f, b, gradient);
}

}  // namespace murmur
