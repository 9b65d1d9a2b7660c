// effective_beta.h: the inverse temperature at which the ideal flow attends most like a real head.
#pragma once

#include <span>
#include <vector>

#include "trace/traced.h"

namespace murmur {

//   F(beta) = mean over i of KL( a_i | softmax_j(beta <x_i, x_j>) ),   x on the sphere,
// j over those that i sees. F is convex; its minimum is the effective beta, F there the misfit in
// nats. At most kMostRows rows a head count, evenly chosen.
inline constexpr double kMostBeta = 1000;  // |beta| is not looked for beyond it
inline constexpr int kMostRows = 256;

struct EffectiveBeta {
  double beta = 0;
  double misfit = 0;   // F(beta), nats
  double uniform = 0;  // F(0): the misfit of attention that is the same for all
};

// (layers, heads) of a text: by block, then by head.
std::vector<std::vector<EffectiveBeta>> effective_betas(const TracedText& text,
                                                        const Description& of, int threads);

// One beta for all heads of all texts: of every block that is run, and of all blocks together. 1
// where no token sees another.
struct CommonBeta {
  double all = 1;
  std::vector<double> by_block{};
};
CommonBeta common_beta(std::span<const TracedText> texts, const Description& of);

}  // namespace murmur
