// reference_parts.h: the parts of a transformer's block by plain loops: the definition of right.
#pragma once

#include <vector>

#include "model/parts.h"

// The same functions as in parts.h. Rows are of single precision, as the weights are; every sum is
// in double, in the order of its index, and rounded once; exp, tanh, erf, sin, cos and pow are
// those of core/elementary.h. So every compiler and the web page give the same bits.
namespace murmur::reference {

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

}  // namespace murmur::reference
