// reference.h: one block of the learning swarm and its adjoint, in plain double loops.
#pragma once

#include <vector>

#include "learn/block_tensors.h"
#include "murmur/learn.h"

namespace murmur {

// What backward needs of the forward pass of one sample through one block.
struct BlockTape {
  std::vector<float> mask{};                    // (heads, n, n), or empty: nothing left out
  std::vector<double> start{};                  // (n, d) x before the block
  std::vector<double> query{}, key{}, value{};  // (n, heads k); the first two turned
  std::vector<double> weights{};                // (heads, n, n) a_ij before the mask
  std::vector<double> heard{};                  // (n, heads k) o_i
  std::vector<double> middle{};                 // (n, d) x before the feed-forward
  std::vector<double> inner{};                  // (n, hidden) W_in x_i + b_in
};

// Applies the block to x (n, d); fills the tape, whose mask is the caller's.
void forward_block(const Architecture& architecture, const BlockTensors<const double>& block,
                   BlockTape& tape, std::vector<double>& x);

// The adjoint: `cotangent` (n, d) is d loss / d x after the block and becomes that before it;
// the parameters' share is added to `gradient`.
struct Backward {
  BlockTensors<double> gradient{};
  std::vector<double>& cotangent;
};
void backward_pass(const Architecture& architecture, const BlockTensors<const double>& block,
                   const BlockTape& tape, const Backward& backward);

}  // namespace murmur
