// learn.h: the trained swarm: architecture, parameters, forward and backward pass, optimiser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "murmur/dynamics.h"
#include "murmur/matrix.h"

namespace murmur {

// One block, repeated `blocks` times with the same parameters (shared) or with separate ones
// (free):
//   o_i = sum_j a_ij (V x_j + b_V),  a_ij = softmax_j(<Q x_i + b_Q, K x_j + b_K> / sqrt(k))
// in each of `heads` heads, whose queries, keys and values have k coordinates,
//   x_i += residual (M o_i + b_M)                         M mixes the heads, one after another
//   x_i += residual (W_out relu(W_in x_i + b_in) + b_out)
// There is no layer norm. Points start at (x, y, 0, ...), words at their rows of a learned table
// (vocabulary, d), both plus a code of their position with `position` or `places`; a CLS token has
// a learned start. With `rotary`, queries and keys are rotated by the index of their token:
//   a_ij = softmax_j(<R_i q_i, R_j k_j> / sqrt(k)),  R_i: coordinates 2m, 2m + 1 of each head by
//   the angle i / 100^(2m/k), a last odd one as it is (2104.09864, with 100 in place of 10000)
struct Architecture {
  int d = 3;  // 2 or more
  int blocks = 10;
  bool shared = true;
  int hidden = 512;  // 0: no feed-forward
  int heads = 1;
  int head_width = 0;  // k; 0: d / heads if that is whole, otherwise d
  double residual = 0.1;
  enum Interaction {
    none,        // isolated tokens
    attraction,  // x_i += residual (mean_j x_j - x_i): nothing learned
    uniform,     // a_ij = 1/n: messages without selection
    attention,
  } interaction = attention;
  enum Readout {
    mean,   // of all tokens
    cls,    // an extra token, the last
    asked,  // the token that the sample's question is about
  } readout = mean;
  bool position = false;  // the code of position_code is added
  int vocabulary = 0;     // words with learned starts; 0: tokens are points of the plane
  // Number of learned codes, added to tokens 0, 1, ...; samples are not longer; 0: none
  int places = 0;
  bool rotary = false;  // of `attention`
  // (classes, d), all of the same length: the target of the samples of each class
  Matrix targets{};
};

// left, right for two classes; ten at most on the golden spiral of the sphere of radius 10 (on the
// circle when d = 2).
Matrix spread_targets(int classes, int d);
// The companion code's corners for 5 and 6, row and column -10, third axis -10 and 10: in our axes
// (-10, 10, -10) and (-10, 10, 10). d >= 3, two classes.
Matrix third_axis_targets(int d);

// Throws Error(input) unless the architecture can be built.
void check(const Architecture& architecture);

int width_of_head(const Architecture& architecture);  // k, also if head_width is 0

// The position of each named tensor in the flat vector of parameters (float32, C order).
struct TensorPlace {
  std::string name{};  // blocks.0.query, blocks.0.query_bias, ..., cls
  std::vector<std::size_t> shape{};
  std::size_t offset = 0;
  std::size_t size() const;
};
// A block's tensors, in order: query (heads k, d), query_bias (heads k), key, key_bias, value,
// value_bias, mix (d, heads k), mix_bias (d), in (hidden, d), in_bias (hidden), out (d, hidden),
// out_bias (d). Uniform attention has no query and no key, attraction and none have nothing before
// `in`; without hidden units nothing follows mix_bias. Rows h k .. of query, key and value belong
// to head h, and these columns of mix. Shared blocks are stored once, as blocks.0. Last: cls (d),
// words (vocabulary, d), places (places, d).
std::vector<TensorPlace> layout(const Architecture& architecture);
std::size_t parameter_count(const Architecture& architecture);
// Returns the width of the feed-forward for which the number of parameters is nearest to the given
// one.
int hidden_near(Architecture architecture, std::size_t parameters);

// Uniform laws as in the companion code: query, key, value within sqrt(6 / (d + 3 heads k)), mix
// within 1/sqrt(heads k), in and in_bias within 1/sqrt(d), out and out_bias within 1/sqrt(hidden);
// zero biases in attention; cls zero; words and places within sqrt 3, of variance 1. Streams are
// named: nothing depends on the order of drawing.
std::vector<float> initial_parameters(const Architecture& architecture, std::uint64_t seed);

//   p_i[2m] = sin(i / 100^(2m/d)),  p_i[2m + 1] = cos(i / 100^(2m/d))      added to token i
// (1706.03762, section 3.5, with 100 in place of 10000)
std::vector<double> position_code(int i, int d);

// One sample as input of the first block: (n, d) rows, with positional codes, and the CLS token
// last if there is one.
struct Sample {
  int n = 0;                   // tokens, including CLS
  std::vector<double> rows{};  // (n, d)
};
Sample start_sample(const Architecture& architecture, std::span<const double> parameters,
                    std::span<const float> x, std::span<const float> y);
// The same for words, each with its row of the table.
Sample start_sample(const Architecture& architecture, std::span<const double> parameters,
                    std::span<const int> words);

//   score_c = <m, t_c> / 10,  m the readout; the verdict is the largest: the nearest target.
std::vector<double> scores(const Architecture& architecture, std::span<const double> readout);

struct Objective {
  enum Loss {
    cross_entropy,  // of softmax(score) at the label
    target,         // |x_i - t_label|, averaged over tokens: as published
  } loss = cross_entropy;
  // target only: the mean is over the tensor padded to the batch's longest sample, as the companion
  // code has it: sum / (samples * longest). Otherwise over the tokens of the samples.
  bool padded = false;
  double dropout = 0;    // of attention weights; a mask per (update, sample, block, head)
  double smoothing = 0;  // of labels in the cross-entropy
  // Added to the loss: settle times the mean of |x_i(b) - t_label|^2 / 100 over all tokens i and
  // over the positions after the blocks b = settle_from, settle_from + 1, ... (counted from 1) to
  // the last; settle_from = 0 means the last half of the blocks. Tokens that are at their target
  // after each of these blocks rest there.
  double settle = 0;
  int settle_from = 0;
};
// The number of blocks at the end that `settle` counts; at least the last one.
int settled_blocks(int blocks, int settle_from = 0);

// Some samples of a set, each shifted, for one pass. Points, starts and labels are those of the
// whole SampleSet (images.h).
struct Batch {
  std::span<const float> x{}, y{};        // (points)
  std::span<const std::size_t> first{};   // (samples + 1) start of each sample
  std::span<const int> label{};           // (samples) may be empty for forward
  std::span<const std::size_t> chosen{};  // (batch) samples of the set
  std::span<const float> shift{};         // (batch, 2), or empty
  std::uint64_t seed = 0;                 // of dropout masks
  std::uint32_t update = 0;               // likewise
  std::span<const int> word{};   // (points) rows of the table, with a vocabulary; then no x, y
  std::span<const int> asked{};  // (samples) index in its sample of the token that is read
};

struct BatchResult {
  double loss = 0;          // mean over the batch, according to the objective
  std::size_t correct = 0;  // number of correct samples
};

// The reference: plain loops in double. gradient (parameters): overwritten. readout (batch, d).
BatchResult reference_backward(const Architecture& architecture, std::span<const double> parameters,
                               const Batch& batch, const Objective& objective,
                               std::span<double> gradient);
void reference_forward(const Architecture& architecture, std::span<const double> parameters,
                       const Batch& batch, std::span<double> readout);
// Returns the influence of each token of one sample on the readout: the Frobenius norm of d readout
// / d x_i, (n) over the given tokens (not the CLS token).
std::vector<double> reference_influence(const Architecture& architecture,
                                        std::span<const double> parameters, const Batch& one);

// The fast version: single precision, fused kernels for d and k <= 4, else matrix products; the
// same bits for any number of threads.
class Adjoint {
 public:
  virtual ~Adjoint() = default;
  virtual BatchResult backward(std::span<const float> parameters, const Batch& batch,
                               const Objective& objective, std::span<float> gradient) = 0;
  virtual void forward(std::span<const float> parameters, const Batch& batch,
                       std::span<float> readout) = 0;  // (batch, d)
};
std::unique_ptr<Adjoint> make_adjoint(const Architecture& architecture, int threads);
// On an NVIDIA GPU: single precision, whole batches at once, the same bits every time on one GPU;
// no dropout. Throws Error(tool) if there is no GPU or murmur was built without CUDA.
std::unique_ptr<Adjoint> make_cuda_adjoint(const Architecture& architecture);

// The forward pass as a Dynamics: attention and feed-forward as sublayers in R^d for the method
// `layers` with dt = residual; free blocks follow each other in time, and the last one continues
// past the trained depth. Error(input) for a rotary swarm: there each token has its own query.
Dynamics dynamics_of(const Architecture& architecture, std::span<const double> parameters);

// Adam with decoupled decay (AdamW, 1711.05101; decay 0 is Adam, 1412.6980), state included.
struct Optimiser {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0;
  std::vector<float> momentum{}, square{};  // (parameters)
  std::int64_t updates = 0;

  void update(std::span<float> parameters, std::span<const float> gradient);
};

// Scales a gradient longer than `most` down to it; returns its previous length. most = 0: no
// scaling.
double clip(std::span<float> gradient, double most);

//   one-cycle (1708.07120): from peak / 25 up to peak over the first `warm` of all updates, down to
//   peak / 1e5, both along half a cosine.
double one_cycle(std::int64_t update, std::int64_t updates, double peak, double warm = 0.3);

}  // namespace murmur
