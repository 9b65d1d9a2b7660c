// dropout.h: which attention weights are left out of one sample in one update of training.
#pragma once

#include <cstdint>

namespace murmur {

struct DropoutDraw {
  std::uint64_t seed = 0;
  std::uint32_t update = 0;
  std::uint32_t sample = 0;  // its position in the batch
  int block = 0, head = 0;
};

// mask (n, n), row i, column j: 0 with chance p, else 1 / (1 - p); it multiplies the weights a_ij
// after their softmax (other interactions have no dropout). p is rounded to 1/65,536.
void dropout_mask(const DropoutDraw& draw, int n, double p, float* mask);

}  // namespace murmur
