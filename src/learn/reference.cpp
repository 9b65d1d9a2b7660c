// reference.cpp: forward and backward pass in plain double loops: each formula of a block with its
// adjoint below it, then samples, batches and the influence of tokens.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "core/elementary.h"
#include "core/force_adjoint.h"
#include "learn/block_tensors.h"
#include "learn/objective.h"
#include "murmur/error.h"
#include "murmur/learn.h"

namespace murmur {

namespace {

// The values that backward needs from the forward pass of one sample through one block.
struct BlockTape {
  std::vector<float> mask{};                    // (heads, n, n); empty: no dropout
  std::vector<double> start{};                  // (n, d) x before the block
  std::vector<double> query{}, key{}, value{};  // (n, heads k); the first two turned
  std::vector<double> weights{};                // (heads, n, n) a_ij before the mask
  std::vector<double> output{};                 // (n, heads k) o_i
  std::vector<double> middle{};                 // (n, d) x before the feed-forward
  std::vector<double> inner{};                  // (n, hidden) W_in x_i + b_in
};

// The adjoint of a block changes `cotangent` (n, d) from d loss / d x after the block to that
// before it, and adds the gradient of the parameters to `gradient`.
struct Backward {
  BlockTensors<double> gradient{};
  std::vector<double>& cotangent;
};

struct Heads {  // of n tokens: `count` heads of k coordinates each
  int n, k, count;
  double beta() const { return 1 / std::sqrt(static_cast<double>(k)); }
  std::size_t pair(int h, int i, int j) const {
    return (static_cast<std::size_t>(h) * n + i) * n + j;
  }
  std::size_t own(int h, int i) const { return (static_cast<std::size_t>(i) * count + h) * k; }
};

Heads heads_of(const Architecture& a, const std::vector<double>& x) {
  return {static_cast<int>(x.size()) / a.d, width_of_head(a), a.heads};
}

double dot(const double* a, const double* b, int size) {
  double sum = 0;
  for (int k = 0; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

//   a_ij = e^{s_ij} / sum_k e^{s_ik},  s_ij = <q_i, k_j> / sqrt(k)      for each head
std::vector<double> softmax_weights(const Heads& at, const BlockTape& tape) {
  std::vector<double> weights(at.pair(at.count, 0, 0));
  for (int h = 0; h < at.count; ++h)
    for (int i = 0; i < at.n; ++i) {
      double* row = &weights[at.pair(h, i, 0)];  // (n)
      double largest = -HUGE_VAL, sum = 0;
      for (int j = 0; j < at.n; ++j) {
        row[j] = at.beta() * dot(&tape.query[at.own(h, i)], &tape.key[at.own(h, j)], at.k);
        largest = std::max(largest, row[j]);
      }
      for (int j = 0; j < at.n; ++j) sum += row[j] = elementary::exp(row[j] - largest);
      for (int j = 0; j < at.n; ++j) row[j] /= sum;
    }
  return weights;
}

//   ds_ij = a_ij (da_ij - sum_k a_ik da_ik);  dq_i += ds_ij k_j,  dk_j += ds_ij q_i, both times
//   beta
// `d_weights` (heads, n, n) is da.
struct QueryKeyGradient {
  std::vector<double> d_query{}, d_key{};  // (n, heads k)
};
QueryKeyGradient query_key_backward(const Heads& at, const BlockTape& tape,
                                    const std::vector<double>& d_weights) {
  QueryKeyGradient gradients{std::vector<double>(tape.query.size()),
                             std::vector<double>(tape.key.size())};
  std::vector<double> ds(at.n);
  for (int h = 0; h < at.count; ++h)
    for (int i = 0; i < at.n; ++i) {
      const std::size_t row = at.pair(h, i, 0);
      softmax_adjoint(at.n, at.beta(), &tape.weights[row], &d_weights[row], ds.data());
      for (int j = 0; j < at.n; ++j)
        for (int k = 0; k < at.k; ++k) {
          gradients.d_query[at.own(h, i) + k] += ds[j] * tape.key[at.own(h, j) + k];
          gradients.d_key[at.own(h, j) + k] += ds[j] * tape.query[at.own(h, i) + k];
        }
    }
  return gradients;
}

double dropout_factor(const BlockTape& tape, std::size_t pair) {
  return tape.mask.empty() ? 1.0 : static_cast<double>(tape.mask[pair]);
}

//   o_i = sum_j a_ij mask_ij v_j      for each head
std::vector<double> attention_output(const Heads& at, const BlockTape& tape) {
  std::vector<double> o(tape.value.size());
  for (int h = 0; h < at.count; ++h)
    for (int i = 0; i < at.n; ++i)
      for (int j = 0; j < at.n; ++j) {
        const double weight =
            tape.weights[at.pair(h, i, j)] * dropout_factor(tape, at.pair(h, i, j));
        for (int k = 0; k < at.k; ++k) o[at.own(h, i) + k] += weight * tape.value[at.own(h, j) + k];
      }
  return o;
}

//   da_ij = mask_ij <do_i, v_j>,  dv_j += a_ij mask_ij do_i;      returns da (heads, n, n)
std::vector<double> attention_output_backward(const Heads& at, const BlockTape& tape,
                                              const std::vector<double>& d_output,
                                              std::vector<double>& d_value) {
  std::vector<double> da(tape.weights.size());
  for (int h = 0; h < at.count; ++h)
    for (int i = 0; i < at.n; ++i)
      for (int j = 0; j < at.n; ++j) {
        const std::size_t pair = at.pair(h, i, j);
        const double mask = dropout_factor(tape, pair);
        da[pair] = mask * dot(&d_output[at.own(h, i)], &tape.value[at.own(h, j)], at.k);
        for (int k = 0; k < at.k; ++k)
          d_value[at.own(h, j) + k] += tape.weights[pair] * mask * d_output[at.own(h, i) + k];
      }
  return da;
}

//   m = mean_j x_j,  x_i <- x_i + r (m - x_i)
// The map is linear and symmetric, so it is its own adjoint.
void attract_to_mean(const Architecture& a, std::vector<double>& x) {
  const std::size_t n = x.size() / a.d;
  for (int k = 0; k < a.d; ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += x[i * a.d + k];
    mean /= static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) x[i * a.d + k] += a.residual * (mean - x[i * a.d + k]);
  }
}

// Rotates every row of n tokens by its number, or back.
void rotate_rows(const Heads& at, std::initializer_list<std::vector<double>*> rows, bool back) {
  const Rotation<double> rotation(at.n, at.k);
  for (std::vector<double>* row : rows) rotation.apply(row->data(), at.n, at.count, back);
}

//   x_i += r (M o_i + b_M)
void forward_interaction(const Architecture& a, const BlockTensors<const double>& block,
                         BlockTape& tape, std::vector<double>& x) {
  const Heads at = heads_of(a, x);
  const int wide = width_of_heads(a);
  if (a.interaction == Architecture::attention) {
    tape.query = applied({block.query, block.query_bias, wide, a.d}, x);
    tape.key = applied({block.key, block.key_bias, wide, a.d}, x);
    if (a.rotary) rotate_rows(at, {&tape.query, &tape.key}, false);
    tape.weights = softmax_weights(at, tape);
  } else {
    tape.weights.assign(at.pair(at.count, 0, 0), 1.0 / at.n);
  }
  tape.value = applied({block.value, block.value_bias, wide, a.d}, x);
  tape.output = attention_output(at, tape);
  const std::vector<double> mixed = applied({block.mix, block.mix_bias, a.d, wide}, tape.output);
  for (std::size_t e = 0; e < x.size(); ++e) x[e] += a.residual * mixed[e];
}

void backward_interaction(const Architecture& a, const BlockTensors<const double>& block,
                          const BlockTape& tape, const Backward& backward) {
  const Heads at = heads_of(a, tape.start);
  const int wide = width_of_heads(a);
  const BlockTensors<double>& gradient = backward.gradient;
  std::vector<double> d_mixed(backward.cotangent);
  for (double& entry : d_mixed) entry *= a.residual;
  std::vector<double> d_output(tape.output.size()), d_value(tape.output.size());
  add_adjoint({block.mix, block.mix_bias, a.d, wide}, {gradient.mix, gradient.mix_bias},
              tape.output, {d_mixed, d_output});
  const std::vector<double> d_weights = attention_output_backward(at, tape, d_output, d_value);
  add_adjoint({block.value, block.value_bias, wide, a.d}, {gradient.value, gradient.value_bias},
              tape.start, {d_value, backward.cotangent});
  if (a.interaction != Architecture::attention) return;
  QueryKeyGradient gradients = query_key_backward(at, tape, d_weights);
  if (a.rotary) rotate_rows(at, {&gradients.d_query, &gradients.d_key}, true);
  add_adjoint({block.query, block.query_bias, wide, a.d}, {gradient.query, gradient.query_bias},
              tape.start, {gradients.d_query, backward.cotangent});
  add_adjoint({block.key, block.key_bias, wide, a.d}, {gradient.key, gradient.key_bias}, tape.start,
              {gradients.d_key, backward.cotangent});
}

std::vector<double> rectified(const std::vector<double>& z) {
  std::vector<double> u(z.size());
  for (std::size_t e = 0; e < z.size(); ++e) u[e] = std::max(z[e], 0.0);
  return u;
}

//   x_i += r (W_out relu(W_in x_i + b_in) + b_out)
void forward_feed_forward(const Architecture& a, const BlockTensors<const double>& block,
                          BlockTape& tape, std::vector<double>& x) {
  tape.inner = applied({block.in, block.in_bias, a.hidden, a.d}, x);
  const std::vector<double> feed_forward =
      applied({block.out, block.out_bias, a.d, a.hidden}, rectified(tape.inner));
  for (std::size_t e = 0; e < x.size(); ++e) x[e] += a.residual * feed_forward[e];
}

//   relu'(z) = 1 for z > 0, else 0
void backward_feed_forward(const Architecture& a, const BlockTensors<const double>& block,
                           const BlockTape& tape, const Backward& backward) {
  const BlockTensors<double>& gradient = backward.gradient;
  std::vector<double> d_perceptron(backward.cotangent), d_inner(tape.inner.size());
  for (double& entry : d_perceptron) entry *= a.residual;
  add_adjoint({block.out, block.out_bias, a.d, a.hidden}, {gradient.out, gradient.out_bias},
              rectified(tape.inner), {d_perceptron, d_inner});
  for (std::size_t e = 0; e < d_inner.size(); ++e)
    if (!(tape.inner[e] > 0)) d_inner[e] = 0;
  add_adjoint({block.in, block.in_bias, a.hidden, a.d}, {gradient.in, gradient.in_bias},
              tape.middle, {d_inner, backward.cotangent});
}

void forward_block(const Architecture& a, const BlockTensors<const double>& block, BlockTape& tape,
                   std::vector<double>& x) {
  tape.start = x;
  if (a.interaction == Architecture::attraction) attract_to_mean(a, x);
  if (a.interaction >= Architecture::uniform) forward_interaction(a, block, tape, x);
  tape.middle = x;
  if (a.hidden > 0) forward_feed_forward(a, block, tape, x);
}

void backward_block(const Architecture& a, const BlockTensors<const double>& block,
                    const BlockTape& tape, const Backward& backward) {
  if (a.hidden > 0) backward_feed_forward(a, block, tape, backward);
  if (a.interaction == Architecture::attraction) attract_to_mean(a, backward.cotangent);
  if (a.interaction >= Architecture::uniform) backward_interaction(a, block, tape, backward);
}

struct PassInput {  // the inputs that all samples of a pass share
  const Architecture& architecture;
  std::span<const double> parameters;
  const Batch& batch;
  double dropout = 0;

  std::size_t size_of(std::size_t sample) const {  // tokens, CLS included; sample of the set
    return batch.first[sample + 1] - batch.first[sample] +
           (architecture.readout == Architecture::cls ? 1 : 0);
  }
  int label_of(std::size_t place) const {
    const int label = batch.label[batch.chosen[place]];
    if (label < 0 || label >= architecture.targets.rows)
      throw Error(Fault::input, "a training sample has no label of a known class",
                  "sample " + std::to_string(batch.chosen[place]), "give every sample its class");
    return label;
  }
};

// The tokens of the readout, with equal shares: all of them, or the one that the sample asks about,
// or the CLS token, which is the last.
struct ReadoutTokens {
  std::size_t first, last;
  double share() const { return 1.0 / static_cast<double>(last - first); }
};

struct ForwardResult {
  std::vector<double> x{};         // (n, d) at the end
  std::vector<BlockTape> tapes{};  // (blocks)
  ReadoutTokens read{0, 0};
};

ReadoutTokens readout_tokens(const PassInput& all, std::size_t place) {
  const std::size_t sample = all.batch.chosen[place], n = all.size_of(sample);
  const Architecture::Readout readout = all.architecture.readout;
  if (readout == Architecture::mean) return {0, n};
  if (readout == Architecture::cls) return {n - 1, n};
  const int asked = sample < all.batch.asked.size() ? all.batch.asked[sample] : -1;
  if (asked < 0 || static_cast<std::size_t>(asked) >= n)
    throw Error(Fault::input, "a sample does not say which of its tokens is read",
                "sample " + std::to_string(sample), "give one token per sample");
  return {static_cast<std::size_t>(asked), static_cast<std::size_t>(asked) + 1};
}

// Runs sample number `place` of the batch from its shifted start through all blocks.
ForwardResult forward_sample(const PassInput& all, std::size_t place) {
  const Architecture& a = all.architecture;
  const Batch& batch = all.batch;
  const std::size_t from = batch.first[batch.chosen[place]];
  const std::size_t count = batch.first[batch.chosen[place] + 1] - from;
  const bool words = a.vocabulary > 0;
  Sample sample = words ? start_sample(a, all.parameters, batch.word.subspan(from, count))
                        : start_sample(a, all.parameters, batch.x.subspan(from, count),
                                       batch.y.subspan(from, count));
  if (!batch.shift.empty())
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < 2; ++k) sample.rows[i * a.d + k] += batch.shift[2 * place + k];
  ForwardResult forward{std::move(sample.rows), std::vector<BlockTape>(a.blocks),
                        readout_tokens(all, place)};
  const bool masked = all.dropout > 0 && a.interaction == Architecture::attention;
  const std::size_t pairs = static_cast<std::size_t>(sample.n) * sample.n;
  for (int block = 0; block < a.blocks; ++block) {
    BlockTape& tape = forward.tapes[block];
    if (masked) tape.mask.resize(a.heads * pairs);
    for (int head = 0; masked && head < a.heads; ++head)
      dropout_mask({batch.seed, batch.update, static_cast<std::uint32_t>(place), block, head},
                   sample.n, all.dropout, tape.mask.data() + head * pairs);
    forward_block(a, block_tensors(a, all.parameters.data(), block), tape, forward.x);
  }
  return forward;
}

// The squared distances to the target that Objective::settle adds to the loss; weight 0: none.
struct Settling {
  double weight = 0;  // of one token behind one block
  int label = 0;
  int blocks = 0;  // the number of blocks at the end that count
};

//   weight sum_i |x_i - t|^2 of the tokens behind `block`;  cotangent += 2 weight (x_i - t)
double settle_loss_behind(const Architecture& a, const ForwardResult& forward, int block,
                          const Settling& settling, std::vector<double>& cotangent) {
  if (settling.weight == 0 || block < a.blocks - settling.blocks) return 0;
  const std::vector<double>& x = block + 1 < a.blocks ? forward.tapes[block + 1].start : forward.x;
  double square = 0;
  for (std::size_t e = 0; e < x.size(); ++e) {
    const double gap = x[e] - a.targets(settling.label, static_cast<int>(e % a.d));
    square += gap * gap;
    cotangent[e] += 2 * settling.weight * gap;
  }
  return settling.weight * square;
}

// Adds the gradient of sample `place` of the batch to `gradient` (parameters). `cotangent` (n, d)
// is d loss / d x, at the output on entry and at the input on return. Returns the part of
// `settling` in the loss.
double backward_sample(const PassInput& all, std::size_t place, const ForwardResult& forward,
                       std::vector<double>& cotangent, std::span<double> gradient,
                       const Settling& settling = {}) {
  const Architecture& a = all.architecture;
  double loss = 0;
  for (int block = a.blocks - 1; block >= 0; --block) {
    loss += settle_loss_behind(a, forward, block, settling, cotangent);
    backward_block(a, block_tensors(a, all.parameters.data(), block), forward.tapes[block],
                   {block_tensors(a, gradient.data(), block), cotangent});
  }
  const int n = static_cast<int>(cotangent.size()) / a.d;
  const TokenRows<double> starts{cotangent.data(), n, a.d, static_cast<std::size_t>(a.d), 1};
  add_starts_gradient(a, all.batch, place, starts, gradient.data());
  return loss;
}

std::vector<double> readout_of(const Architecture& a, const ForwardResult& forward) {
  const ReadoutTokens read = forward.read;
  std::vector<double> readout(a.d);
  for (std::size_t i = read.first; i < read.last; ++i)
    for (int k = 0; k < a.d; ++k) readout[k] += forward.x[i * a.d + k];
  for (double& m : readout) m *= read.share();
  return readout;
}

// (n, d) d loss / d x of a loss whose gradient with respect to the readout is d_readout (d).
std::vector<double> readout_backward(const Architecture& a, const ForwardResult& forward,
                                     const std::vector<double>& d_readout) {
  const ReadoutTokens read = forward.read;
  std::vector<double> cotangent(forward.x.size());
  for (std::size_t i = read.first; i < read.last; ++i)
    for (int k = 0; k < a.d; ++k) cotangent[i * a.d + k] = read.share() * d_readout[k];
  return cotangent;
}

struct SampleGradient {
  double loss = 0;                  // of one sample
  std::vector<double> cotangent{};  // (n, d) d loss / d x at the end
};

//   p = softmax(score),  y_c = (1 - smoothing) [c = label] + smoothing / classes
//   loss = -sum_c y_c ln p_c,  d loss / d score_c = p_c - y_c,  d score_c / d m = t_c / 10
SampleGradient cross_entropy_of(const Architecture& a, const Objective& objective,
                                const ForwardResult& forward, int label) {
  const std::vector<double> score = scores(a, readout_of(a, forward));
  const CrossEntropy<double> entropy =
      reference_cross_entropy<double>(score, label, objective.smoothing);
  SampleGradient own{entropy.loss, {}};
  std::vector<double> d_readout(a.d);
  for (int c = 0; c < a.targets.rows; ++c)
    for (int k = 0; k < a.d; ++k) d_readout[k] += entropy.gradient[c] * a.targets(c, k) / 10;
  own.cotangent = readout_backward(a, forward, d_readout);
  return own;
}

//   loss = share sum_i |x_i - t|,  d loss / d x_i = share (x_i - t) / |x_i - t|, 0 at the target
SampleGradient distance_of(const Architecture& a, const ForwardResult& forward, int label,
                           double share) {
  const ReadoutTokens read = forward.read;
  const std::vector<double>& x = forward.x;
  SampleGradient own{0, std::vector<double>(x.size())};
  for (std::size_t i = read.first; i < read.last; ++i) {
    double square = 0;
    for (int k = 0; k < a.d; ++k) {
      const double gap = x[i * a.d + k] - a.targets(label, k);
      own.cotangent[i * a.d + k] = gap;
      square += gap * gap;
    }
    const double distance = std::sqrt(square);
    own.loss += share * distance;
    for (int k = 0; k < a.d; ++k) own.cotangent[i * a.d + k] *= distance > 0 ? share / distance : 0;
  }
  return own;
}

// The number of tokens by which the mean of the objective `target` divides. With a readout of one
// token nothing is padded.
double target_tokens(const PassInput& all, const Objective& objective,
                     const ForwardResult& forward) {
  const ReadoutTokens read = forward.read;
  if (!objective.padded || all.architecture.readout != Architecture::mean)
    return static_cast<double>(read.last - read.first);
  std::size_t longest = 0;
  for (const std::size_t sample : all.batch.chosen)
    longest = std::max(longest, all.size_of(sample));
  return static_cast<double>(longest);
}

bool is_correct(const Architecture& a, const ForwardResult& forward, int label) {
  const std::vector<double> score = scores(a, readout_of(a, forward));
  return std::max_element(score.begin(), score.end()) - score.begin() == label;
}

}  // namespace

BatchResult reference_backward(const Architecture& a, std::span<const double> parameters,
                               const Batch& batch, const Objective& objective,
                               std::span<double> gradient) {
  assert(parameters.size() == parameter_count(a) && gradient.size() == parameters.size());
  const PassInput all{a, parameters, batch, objective.dropout};
  const double samples = static_cast<double>(batch.chosen.size());
  std::fill(gradient.begin(), gradient.end(), 0.0);
  BatchResult result;
  for (std::size_t place = 0; place < batch.chosen.size(); ++place) {
    const int label = all.label_of(place);
    const ForwardResult forward = forward_sample(all, place);
    SampleGradient own =
        objective.loss == Objective::cross_entropy
            ? cross_entropy_of(a, objective, forward, label)
            : distance_of(a, forward, label, 1 / target_tokens(all, objective, forward));
    result.loss += own.loss / samples;
    result.correct += is_correct(a, forward, label) ? 1 : 0;
    for (double& entry : own.cotangent) entry /= samples;
    const double tokens = static_cast<double>(forward.x.size()) / a.d;
    const int settled = settled_blocks(a.blocks, objective.settle_from);
    const double settle = objective.settle / (100 * settled * samples * tokens);
    result.loss +=
        backward_sample(all, place, forward, own.cotangent, gradient, {settle, label, settled});
  }
  return result;
}

void reference_forward(const Architecture& a, std::span<const double> parameters,
                       const Batch& batch, std::span<double> readout) {
  assert(readout.size() == batch.chosen.size() * a.d);
  for (std::size_t place = 0; place < batch.chosen.size(); ++place) {
    const ForwardResult forward = forward_sample({a, parameters, batch}, place);
    const std::vector<double> m = readout_of(a, forward);
    std::copy(m.begin(), m.end(), readout.begin() + static_cast<std::ptrdiff_t>(place * a.d));
  }
}

// One backward pass per coordinate of the readout gives one row of every Jacobian.
std::vector<double> reference_influence(const Architecture& a, std::span<const double> parameters,
                                        const Batch& one) {
  assert(one.chosen.size() == 1);
  const PassInput all{a, parameters, one};
  const ForwardResult forward = forward_sample(all, 0);
  std::vector<double> square(one.first[one.chosen[0] + 1] - one.first[one.chosen[0]]);
  std::vector<double> unused(parameters.size());
  for (int row = 0; row < a.d; ++row) {
    std::vector<double> d_readout(a.d);
    d_readout[row] = 1;
    std::vector<double> cotangent = readout_backward(a, forward, d_readout);
    backward_sample(all, 0, forward, cotangent, unused);
    for (std::size_t i = 0; i < square.size(); ++i)
      for (int k = 0; k < a.d; ++k) square[i] += cotangent[i * a.d + k] * cotangent[i * a.d + k];
  }
  for (double& s : square) s = std::sqrt(s);
  return square;
}

}  // namespace murmur
