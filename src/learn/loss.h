// loss.h: the loss of one sample's outputs, and its gradient with respect to each of them.
#pragma once

#include <cstddef>

#include "murmur/learn.h"

namespace murmur {

// n tokens of d coordinates in single precision: coordinate k of token i is at[i * token + k *
// axis].
struct Tokens {
  float* at = nullptr;
  int n = 0, d = 0;
  std::size_t token = 0, axis = 0;
  float& operator()(int i, int k) const {
    return at[static_cast<std::size_t>(i) * token + static_cast<std::size_t>(k) * axis];
  }
};

// m: the mean token where `read` is negative, else token number `read`; (d).
void read_out(const Architecture& architecture, const Tokens& x, int read, float* readout);

struct SampleLoss {
  double loss = 0;  // this sample's share of the batch's mean
  bool correct = false;
};
struct LossQuestion {
  int label = 0;
  std::size_t batch = 1;    // samples in the batch
  std::size_t longest = 1;  // tokens of its longest sample
  int read = -1;            // the token that is read; negative: the mean of all
};
// dx: the gradient of the loss at every token, overwritten.
SampleLoss sample_loss(const Architecture& architecture, const Objective& objective,
                       const LossQuestion& question, const Tokens& x, const Tokens& dx);
// Whether `settle` speaks of the tokens behind block number `block`.
inline bool settles(const Architecture& architecture, const Objective& objective, int block) {
  return objective.settle > 0 &&
         block >= architecture.blocks - settled_blocks(architecture.blocks, objective.settle_from);
}
// What a squared distance of one of n tokens, behind one block, adds to a batch's loss.
double settle_weight(const Architecture& architecture, const Objective& objective,
                     std::size_t batch, int n);
// The part of `settle` in the loss behind one block; its gradient is added to dx.
double settle_loss(const Architecture& architecture, const Objective& objective,
                   const LossQuestion& question, const Tokens& x, const Tokens& dx);

}  // namespace murmur
