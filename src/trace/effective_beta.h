// effective_beta.h: the inverse temperature at which the attention of the ideal flow is most like
// that of a real head.
#pragma once

#include <span>
#include <vector>

#include "trace/traced.h"

namespace murmur {

//   F(beta) = mean over i of KL( a_i | softmax_j(beta <x_i, x_j>) ),   x on the sphere,
// where j are the tokens that i sees. F is convex; its minimum is the effective beta, and its value
// there the misfit in nats. At most kMostRows rows per head count, chosen evenly.
inline constexpr double kMostBeta = 1000;  // the search is limited to |beta| below this
inline constexpr int kMostRows = 256;

struct EffectiveBeta {
  double beta = 0;
  double misfit = 0;   // F(beta), nats
  double uniform = 0;  // F(0): the misfit of uniform attention
};

// The fits of a text (layers, heads): by block, then by head.
std::vector<std::vector<EffectiveBeta>> effective_betas(const TracedText& text,
                                                        const Description& of, int threads);

// One beta for all heads of all texts: for each block that is run, and for all blocks together. 1
// if no token sees another.
struct CommonBeta {
  double all = 1;
  std::vector<double> by_block{};
};
CommonBeta common_beta(std::span<const TracedText> texts, const Description& of);

}  // namespace murmur
