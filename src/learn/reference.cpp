// reference.cpp: forward and backward pass of batches in plain double loops, and influence.
#include "learn/reference.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/elementary.h"
#include "learn/dropout.h"
#include "murmur/error.h"

namespace murmur {

namespace {

struct Swarms {  // what every sample of a pass shares
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
      throw Error(Fault::input, "a flock to learn from has no label of a known class",
                  "flock " + std::to_string(batch.chosen[place]), "give every flock its class");
    return label;
  }
};

// The tokens that are read, with equal shares: all of them, or the one that the sample asks about,
// or the CLS token, which is the last.
struct Readers {
  std::size_t first, last;
  double share() const { return 1.0 / static_cast<double>(last - first); }
};

struct Simulated {
  std::vector<double> x{};         // (n, d) at the end
  std::vector<BlockTape> tapes{};  // (blocks)
  Readers readers{0, 0};
};

Readers readers_of(const Swarms& all, std::size_t place) {
  const std::size_t sample = all.batch.chosen[place], n = all.size_of(sample);
  const Architecture::Readout readout = all.architecture.readout;
  if (readout == Architecture::mean) return {0, n};
  if (readout == Architecture::cls) return {n - 1, n};
  const int asked = sample < all.batch.asked.size() ? all.batch.asked[sample] : -1;
  if (asked < 0 || static_cast<std::size_t>(asked) >= n)
    throw Error(Fault::input, "a sample does not say which of its tokens is read",
                "sample " + std::to_string(sample), "give one token a sample");
  return {static_cast<std::size_t>(asked), static_cast<std::size_t>(asked) + 1};
}

// One sample, `place` in the batch, from its shifted start through all blocks.
Simulated simulate_sample(const Swarms& all, std::size_t place) {
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
  Simulated simulated{std::move(sample.rows), std::vector<BlockTape>(a.blocks),
                      readers_of(all, place)};
  const bool masked = all.dropout > 0 && a.interaction == Architecture::attention;
  const std::size_t pairs = static_cast<std::size_t>(sample.n) * sample.n;
  for (int block = 0; block < a.blocks; ++block) {
    BlockTape& tape = simulated.tapes[block];
    if (masked) tape.mask.resize(a.heads * pairs);
    for (int head = 0; masked && head < a.heads; ++head)
      dropout_mask({batch.seed, batch.update, static_cast<std::uint32_t>(place), block, head},
                   sample.n, all.dropout, tape.mask.data() + head * pairs);
    forward_block(a, block_tensors(a, all.parameters.data(), block), tape, simulated.x);
  }
  return simulated;
}

// The squared distances to the target that Objective::settle adds to the loss; weight 0: none.
struct Settling {
  double weight = 0;  // of one token behind one block
  int label = 0;
  int blocks = 0;  // the last so many count
};

//   weight sum_i |x_i - t|^2 of the tokens behind `block`;  cotangent += 2 weight (x_i - t)
double distance_behind(const Architecture& a, const Simulated& simulated, int block,
                       const Settling& settling, std::vector<double>& cotangent) {
  if (settling.weight == 0 || block < a.blocks - settling.blocks) return 0;
  const std::vector<double>& x =
      block + 1 < a.blocks ? simulated.tapes[block + 1].start : simulated.x;
  double square = 0;
  for (std::size_t e = 0; e < x.size(); ++e) {
    const double apart = x[e] - a.targets(settling.label, static_cast<int>(e % a.d));
    square += apart * apart;
    cotangent[e] += 2 * settling.weight * apart;
  }
  return settling.weight * square;
}

// Adds the part of sample `place` of the batch to `gradient` (parameters); `cotangent` (n, d) is
// d loss / d x, at the output on entry and at the input on return, which is the adjoint of starts:
//   d table[w] = sum over the tokens i that are word w of cotangent_i,  d places[i] = cotangent_i
// Returns the part of `settling` in the loss.
double backward_through_sample(const Swarms& all, std::size_t place, const Simulated& simulated,
                               std::vector<double>& cotangent, std::span<double> gradient,
                               const Settling& settling = {}) {
  const Architecture& a = all.architecture;
  double loss = 0;
  for (int block = a.blocks - 1; block >= 0; --block) {
    loss += distance_behind(a, simulated, block, settling, cotangent);
    backward_pass(a, block_tensors(a, all.parameters.data(), block), simulated.tapes[block],
                  {block_tensors(a, gradient.data(), block), cotangent});
  }
  if (double* cls = cls_start(a, gradient.data()))
    for (int k = 0; k < a.d; ++k) cls[k] += cotangent[cotangent.size() - a.d + k];
  if (double* table = word_starts(a, gradient.data())) {
    const std::size_t from = all.batch.first[all.batch.chosen[place]];
    const std::size_t to = all.batch.first[all.batch.chosen[place] + 1];
    for (std::size_t i = from; i < to; ++i)
      for (int k = 0; k < a.d; ++k)
        table[static_cast<std::size_t>(all.batch.word[i]) * a.d + k] +=
            cotangent[(i - from) * a.d + k];
  }
  if (double* codes = place_codes(a, gradient.data())) {
    const std::size_t tokens = cotangent.size() / a.d - (a.readout == Architecture::cls ? 1 : 0);
    for (std::size_t e = 0; e < tokens * a.d; ++e) codes[e] += cotangent[e];
  }
  return loss;
}

std::vector<double> readout_of(const Architecture& a, const Simulated& simulated) {
  const Readers who = simulated.readers;
  std::vector<double> readout(a.d);
  for (std::size_t i = who.first; i < who.last; ++i)
    for (int k = 0; k < a.d; ++k) readout[k] += simulated.x[i * a.d + k];
  for (double& m : readout) m *= who.share();
  return readout;
}

// (n, d) d loss / d x of a loss whose gradient with respect to the readout is `push` (d).
std::vector<double> spread_to_tokens(const Architecture& a, const Simulated& simulated,
                                     const std::vector<double>& push) {
  const Readers who = simulated.readers;
  std::vector<double> cotangent(simulated.x.size());
  for (std::size_t i = who.first; i < who.last; ++i)
    for (int k = 0; k < a.d; ++k) cotangent[i * a.d + k] = who.share() * push[k];
  return cotangent;
}

struct Judged {
  double loss = 0;                  // of one sample
  std::vector<double> cotangent{};  // (n, d) d loss / d x at the end
};

//   p = softmax(score),  y_c = (1 - smoothing) [c = label] + smoothing / classes
//   loss = -sum_c y_c ln p_c,  d loss / d score_c = p_c - y_c,  d score_c / d m = t_c / 10
Judged cross_entropy_of(const Architecture& a, const Objective& objective,
                        const Simulated& simulated, int label) {
  const std::vector<double> score = scores(a, readout_of(a, simulated));
  const double largest = *std::max_element(score.begin(), score.end());
  const int classes = static_cast<int>(score.size());
  double sum = 0;
  for (const double s : score) sum += elementary::exp(s - largest);
  Judged judged;
  std::vector<double> push(a.d);
  for (int c = 0; c < classes; ++c) {
    const double wanted =
        (c == label ? 1 - objective.smoothing : 0) + objective.smoothing / classes;
    const double chance = elementary::exp(score[c] - largest) / sum;
    judged.loss -= wanted * (score[c] - largest - elementary::log(sum));
    for (int k = 0; k < a.d; ++k) push[k] += (chance - wanted) * a.targets(c, k) / 10;
  }
  judged.cotangent = spread_to_tokens(a, simulated, push);
  return judged;
}

//   loss = share sum_i |x_i - t|,  d loss / d x_i = share (x_i - t) / |x_i - t|, 0 at the target
Judged distance_of(const Architecture& a, const Simulated& simulated, int label, double share) {
  const Readers who = simulated.readers;
  const std::vector<double>& x = simulated.x;
  Judged judged{0, std::vector<double>(x.size())};
  for (std::size_t i = who.first; i < who.last; ++i) {
    double square = 0;
    for (int k = 0; k < a.d; ++k) {
      const double apart = x[i * a.d + k] - a.targets(label, k);
      judged.cotangent[i * a.d + k] = apart;
      square += apart * apart;
    }
    const double distance = std::sqrt(square);
    judged.loss += share * distance;
    for (int k = 0; k < a.d; ++k)
      judged.cotangent[i * a.d + k] *= distance > 0 ? share / distance : 0;
  }
  return judged;
}

// Tokens that the mean of the objective `target` divides by, in each sample. Where one token is
// read, nothing is padded.
double divisor(const Swarms& all, const Objective& objective, const Simulated& simulated) {
  const Readers who = simulated.readers;
  if (!objective.padded || all.architecture.readout != Architecture::mean)
    return static_cast<double>(who.last - who.first);
  std::size_t longest = 0;
  for (const std::size_t sample : all.batch.chosen)
    longest = std::max(longest, all.size_of(sample));
  return static_cast<double>(longest);
}

bool right(const Architecture& a, const Simulated& simulated, int label) {
  const std::vector<double> score = scores(a, readout_of(a, simulated));
  return std::max_element(score.begin(), score.end()) - score.begin() == label;
}

}  // namespace

BatchResult reference_backward(const Architecture& a, std::span<const double> parameters,
                               const Batch& batch, const Objective& objective,
                               std::span<double> gradient) {
  assert(parameters.size() == parameter_count(a) && gradient.size() == parameters.size());
  const Swarms all{a, parameters, batch, objective.dropout};
  const double samples = static_cast<double>(batch.chosen.size());
  std::fill(gradient.begin(), gradient.end(), 0.0);
  BatchResult result;
  for (std::size_t place = 0; place < batch.chosen.size(); ++place) {
    const int label = all.label_of(place);
    const Simulated simulated = simulate_sample(all, place);
    Judged judged = objective.loss == Objective::cross_entropy
                        ? cross_entropy_of(a, objective, simulated, label)
                        : distance_of(a, simulated, label, 1 / divisor(all, objective, simulated));
    result.loss += judged.loss / samples;
    result.correct += right(a, simulated, label) ? 1 : 0;
    for (double& push : judged.cotangent) push /= samples;
    const double tokens = static_cast<double>(simulated.x.size()) / a.d;
    const int settled = settled_blocks(a.blocks, objective.settle_from);
    const double settle = objective.settle / (100 * settled * samples * tokens);
    result.loss += backward_through_sample(all, place, simulated, judged.cotangent, gradient,
                                           {settle, label, settled});
  }
  return result;
}

void reference_forward(const Architecture& a, std::span<const double> parameters,
                       const Batch& batch, std::span<double> readout) {
  assert(readout.size() == batch.chosen.size() * a.d);
  for (std::size_t place = 0; place < batch.chosen.size(); ++place) {
    const Simulated simulated = simulate_sample({a, parameters, batch}, place);
    const std::vector<double> m = readout_of(a, simulated);
    std::copy(m.begin(), m.end(), readout.begin() + static_cast<std::ptrdiff_t>(place * a.d));
  }
}

// One backward pass for each coordinate of the readout gives one row of every Jacobian.
std::vector<double> reference_influence(const Architecture& a, std::span<const double> parameters,
                                        const Batch& one) {
  assert(one.chosen.size() == 1);
  const Swarms all{a, parameters, one};
  const Simulated simulated = simulate_sample(all, 0);
  std::vector<double> square(one.first[one.chosen[0] + 1] - one.first[one.chosen[0]]);
  std::vector<double> unused(parameters.size());
  for (int row = 0; row < a.d; ++row) {
    std::vector<double> push(a.d);
    push[row] = 1;
    std::vector<double> cotangent = spread_to_tokens(a, simulated, push);
    backward_through_sample(all, 0, simulated, cotangent, unused);
    for (std::size_t i = 0; i < square.size(); ++i)
      for (int k = 0; k < a.d; ++k) square[i] += cotangent[i * a.d + k] * cotangent[i * a.d + k];
  }
  for (double& s : square) s = std::sqrt(s);
  return square;
}

}  // namespace murmur
