// recurrent.h: a recurrent network that reads the tokens of a sample in order, then classifies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "murmur/learn.h"

namespace murmur {

// Elman's recurrent network, for comparison with a swarm of as many parameters:
//   h <- tanh(W_x p_i / 10 + W_h h + b)    for each token i in turn, p_i = (x, y), h = 0 at first
//   logits = W_o h + b_o                   after the last
// If tokens are words, their rows of a learned table (vocabulary, width) replace p_i / 10, and the
// word that the sample asks about is read again at the end.
struct Rnn {
  int hidden = 58;
  int classes = 2;
  int vocabulary = 0;  // 0: tokens are points of the plane
  int width = 2;       // coordinates of a token
};

// `rnn` with the width for which its number of parameters is nearest to `parameters`.
Rnn rnn_near(std::size_t parameters, Rnn rnn);

// Tensors in order: in (hidden, width), memory (hidden, hidden), bias (hidden), out (classes,
// hidden), out_bias (classes), words (vocabulary, width).
std::vector<TensorPlace> layout(const Rnn& rnn);
std::size_t parameter_count(const Rnn& rnn);
// Uniform within 1 / sqrt(hidden); words within sqrt 3, as in a swarm.
std::vector<float> initial_parameters(const Rnn& rnn, std::uint64_t seed);

// Back-propagation through time in single precision, with the same bits for any number of threads.
// The objective must be cross_entropy without dropout; `forward` writes the logits (batch,
// classes).
std::unique_ptr<Adjoint> make_adjoint(const Rnn& rnn, int threads);
// One sample after the other, in double. Tests compare the adjoint with it.
BatchResult reference_backward(const Rnn& rnn, std::span<const double> parameters,
                               const Batch& batch, const Objective& objective,
                               std::span<double> gradient);

// The Frobenius norm of d logits / d p_i, (n) over the tokens of one sample of points.
std::vector<double> influence(const Rnn& rnn, std::span<const double> parameters, const Batch& one);

}  // namespace murmur
