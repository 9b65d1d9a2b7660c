// objective.h: what training minimises: the loss of a sample's outputs with its gradient, and the
// dropout masks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/elementary.h"
#include "learn/block_tensors.h"
#include "murmur/learn.h"

namespace murmur {

// Writes the readout (d): token number `read`, or the mean token if `read` is negative.
void read_out(const Architecture& architecture, const Tokens& x, int read, float* readout);

// The cross-entropy of one sample by the functions of core/elementary.h, which have the same bits
// on every machine:
//   p = softmax(scores),  y_c = (1 - smoothing) [c = label] + smoothing / classes
//   loss = -sum_c y_c ln p_c,  d loss / d score_c = p_c - y_c
template <class T>
struct CrossEntropy {
  double loss = 0;
  bool correct = false;
  std::vector<T> gradient{};  // (classes) d loss / d score
};
template <class T>
CrossEntropy<T> reference_cross_entropy(std::span<const T> scores, int label, double smoothing) {
  const int classes = static_cast<int>(scores.size());
  const auto largest = std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const T score : scores) sum += elementary::exp(static_cast<double>(score - *largest));
  CrossEntropy<T> entropy{0, largest - scores.begin() == label, std::vector<T>(scores.size())};
  for (int c = 0; c < classes; ++c) {
    const double wanted = (c == label ? 1 - smoothing : 0) + smoothing / classes;
    const auto below = static_cast<double>(scores[c] - *largest);
    entropy.loss -= wanted * (below - elementary::log(sum));
    entropy.gradient[c] = static_cast<T>(elementary::exp(below) / sum - wanted);
  }
  return entropy;
}

struct SampleLoss {
  double loss = 0;  // the part of this sample in the mean over the batch
  bool correct = false;
};
struct LossInput {
  int label = 0;
  std::size_t batch = 1;    // samples in the batch
  std::size_t longest = 1;  // tokens of its longest sample
  int read = -1;            // the token of the readout; negative: the mean of all
};
// Overwrites dx with the gradient of the loss at every token.
SampleLoss sample_loss(const Architecture& architecture, const Objective& objective,
                       const LossInput& input, const Tokens& x, const Tokens& dx);
// Whether `settle` counts the tokens behind block number `block`.
inline bool settles(const Architecture& architecture, const Objective& objective, int block) {
  return objective.settle > 0 &&
         block >= architecture.blocks - settled_blocks(architecture.blocks, objective.settle_from);
}
// The weight of the squared distance of one of n tokens, behind one block, in the loss of a batch.
double settle_weight(const Architecture& architecture, const Objective& objective,
                     std::size_t batch, int n);
// Returns the part of `settle` in the loss behind one block, and adds its gradient to dx.
double settle_loss(const Architecture& architecture, const Objective& objective,
                   const LossInput& input, const Tokens& x, const Tokens& dx);

struct DropoutDraw {
  std::uint64_t seed = 0;
  std::uint32_t update = 0;
  std::uint32_t sample = 0;  // its position in the batch
  int block = 0, head = 0;
};

// mask (n, n), row i, column j: 0 with probability p, else 1 / (1 - p). It multiplies the weights
// a_ij after their softmax; other interactions have no dropout. p is rounded to 1/65,536.
void dropout_mask(const DropoutDraw& draw, int n, double p, float* mask);

}  // namespace murmur
