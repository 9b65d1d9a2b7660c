// dynamics.cpp: a trained swarm as a Dynamics: sublayers of forces in R^d.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "learn/block_tensors.h"
#include "murmur/error.h"
#include "murmur/learn.h"

namespace murmur {

namespace {

using Block = BlockTensors<const double>;

Matrix matrix_of(const double* from, int rows, int cols) {
  Matrix m = zeros(rows, cols);
  std::copy_n(from, m.data.size(), m.data.begin());
  return m;
}

Vector vector_of(const double* from, int size) { return {from, from + size}; }

// Some heads' rows of value, and these columns of mix (d, all):
//   value = M_h V_h (d, d),  value_bias = M_h b_h + b_M wide / all
struct Share {
  int first, wide, all;
};
void fold_mix(const Block& block, int d, Share share, Attention& head) {
  head.value = zeros(d, d);
  head.value_bias.assign(d, 0.0);
  for (int r = 0; r < d; ++r) {
    const double* mix = block.mix + static_cast<std::ptrdiff_t>(r) * share.all;  // (all)
    head.value_bias[r] = block.mix_bias[r] * share.wide / share.all;
    for (int k = share.first; k < share.first + share.wide; ++k) {
      head.value_bias[r] += mix[k] * block.value_bias[k];
      for (int c = 0; c < d; ++c) head.value(r, c) += mix[k] * block.value[k * d + c];
    }
  }
}

std::vector<Force> messages(const Architecture& a, const Block& block) {
  const int wide = width_of_head(a), all_wide = width_of_heads(a);
  if (a.interaction == Architecture::attraction) return {Attention{.beta = 0, .relative = true}};
  if (a.interaction == Architecture::uniform) {
    Attention all{.beta = 0};
    fold_mix(block, a.d, {0, all_wide, all_wide}, all);
    return {all};
  }
  std::vector<Force> heads;
  for (int first = 0; first < all_wide; first += wide) {
    Attention head{.beta = 1 / std::sqrt(static_cast<double>(wide))};
    head.query = matrix_of(block.query + first * a.d, wide, a.d);
    head.key = matrix_of(block.key + first * a.d, wide, a.d);
    head.query_bias = vector_of(block.query_bias + first, wide);
    head.key_bias = vector_of(block.key_bias + first, wide);
    fold_mix(block, a.d, {first, wide, all_wide}, head);
    heads.push_back(std::move(head));
  }
  return heads;
}

Perceptron feed_forward(const Architecture& a, const Block& block) {
  return {.in = matrix_of(block.in, a.hidden, a.d),
          .in_bias = vector_of(block.in_bias, a.hidden),
          .out = matrix_of(block.out, a.d, a.hidden),
          .out_bias = vector_of(block.out_bias, a.d),
          .activation = Perceptron::relu};
}

}  // namespace

// Block b acts at t = b residual. Its interval extends half a residual to either side, so that
// rounding of t never matters; the interval of the last block has no end.
Dynamics dynamics_of(const Architecture& a, std::span<const double> parameters) {
  check(a);
  if (a.rotary && a.interaction == Architecture::attention)
    throw Error(Fault::input, "rotary positions give every token a query map of its own",
                "in the architecture",
                "fly a swarm of positions=none, learned or sinusoidal; classify knows every one");
  assert(parameters.size() == parameter_count(a));
  Dynamics dynamics{.manifold = Manifold::space};
  const int stored = stored_blocks(a);
  for (int b = 0; b < stored; ++b) {
    const Block block = block_tensors(a, parameters.data(), b);
    Sublayer window;
    if (b > 0) window.from = (b - 0.5) * a.residual;
    if (b + 1 < stored) window.until = (b + 0.5) * a.residual;
    if (a.interaction != Architecture::none) {
      dynamics.sublayers.push_back(window);
      dynamics.sublayers.back().forces = messages(a, block);
    }
    if (a.hidden == 0) continue;
    dynamics.sublayers.push_back(window);
    dynamics.sublayers.back().forces = {feed_forward(a, block)};
  }
  return dynamics;
}

}  // namespace murmur
