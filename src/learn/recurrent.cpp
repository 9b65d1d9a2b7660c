// recurrent.cpp: a recurrent network: parameters, reference gradients in double, influence of
// tokens, and the fast adjoint with many samples as rows of matrices.
#include "learn/recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "core/elementary.h"
#include "core/parallel.h"
#include "learn/objective.h"
#include "learn/products.h"
#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur {

namespace {

constexpr double kRnnUnit = 10;  // coordinates of points are divided by it

template <class T>
struct RnnTensors {
  T* in;        // (hidden, width)
  T* memory;    // (hidden, hidden)
  T* bias;      // (hidden)
  T* out;       // (classes, hidden)
  T* out_bias;  // (classes)
  T* words;     // (vocabulary, width)
};

template <class T>
RnnTensors<T> rnn_tensors(const Rnn& m, T* at) {
  const auto h = static_cast<std::size_t>(m.hidden);
  T* memory = at + static_cast<std::size_t>(m.width) * h;
  T* bias = memory + h * h;
  T* out = bias + h;
  T* out_bias = out + static_cast<std::size_t>(m.classes) * h;
  return {at, memory, bias, out, out_bias, out_bias + m.classes};
}

void check(const Rnn& m) {
  if (m.hidden < 1 || m.hidden > 4096 || m.classes < 2 || m.width < 1)
    throw Error(Fault::input,
                fmt::format("a recurrent network with hidden={} and classes={} cannot be built",
                            m.hidden, m.classes),
                "in the architecture", "use hidden from 1 to 4096 and two classes or more");
}

void check_objective(const Objective& objective) {
  if (objective.loss != Objective::cross_entropy || objective.dropout != 0)
    throw Error(Fault::input, "a recurrent network has neither the target loss nor dropout",
                "in the objective", "use the cross-entropy, without dropout");
}

// The words of a sample; the one that the sample asks about follows again at the end.
std::vector<int> words_of(const Rnn& m, const Batch& batch, std::size_t place) {
  const std::size_t sample = batch.chosen[place];
  const auto all =
      batch.word.subspan(batch.first[sample], batch.first[sample + 1] - batch.first[sample]);
  const int asked = sample < batch.asked.size() ? batch.asked[sample] : -1;
  std::vector<int> words(all.begin(), all.end());
  if (asked >= 0 && static_cast<std::size_t>(asked) < words.size()) words.push_back(words[asked]);
  for (const int word : words)
    if (word < 0 || word >= m.vocabulary)
      throw Error(Fault::input, "a token is not a word of the table", fmt::format("word {}", word),
                  fmt::format("the table has {} words", m.vocabulary));
  return words;
}

// (n, 2) the positions of a sample's tokens.
template <class T>
std::vector<T> points_of(const Batch& batch, std::size_t place) {
  const std::size_t from = batch.first[batch.chosen[place]];
  const std::size_t to = batch.first[batch.chosen[place] + 1];
  const T right = batch.shift.empty() ? T{} : static_cast<T>(batch.shift[2 * place]);
  const T up = batch.shift.empty() ? T{} : static_cast<T>(batch.shift[2 * place + 1]);
  std::vector<T> points;  // (n, 2)
  points.reserve(2 * (to - from));
  for (std::size_t i = from; i < to; ++i) {
    points.push_back((batch.x[i] + right) / static_cast<T>(kRnnUnit));
    points.push_back((batch.y[i] + up) / static_cast<T>(kRnnUnit));
  }
  return points;
}

// (n, width) the inputs of a sample, token by token.
template <class T>
std::vector<T> inputs_of(const Rnn& m, std::span<const T> parameters, const Batch& batch,
                         std::size_t place) {
  if (m.vocabulary == 0) return points_of<T>(batch, place);
  const T* table = rnn_tensors(m, parameters.data()).words;
  std::vector<T> rows;
  for (const int word : words_of(m, batch, place))
    rows.insert(rows.end(), table + static_cast<std::ptrdiff_t>(word) * m.width,
                table + static_cast<std::ptrdiff_t>(word + 1) * m.width);
  return rows;
}

int label_of(const Rnn& m, const Batch& batch, std::size_t place) {
  const int label = batch.label[batch.chosen[place]];
  if (label < 0 || label >= m.classes)
    throw Error(Fault::input, "a training sample has no label of a known class",
                fmt::format("label {}", label), "give every sample its class");
  return label;
}

// Input and output of the backward pass of one sample.
struct BackwardPass {
  const std::vector<double>& d_logit;       // (classes) d loss / d logit
  RnnTensors<double> gradient;              // added to
  std::vector<double>* d_points = nullptr;  // (n, width) added to, where wanted
};

// A recurrent network with its parameters; loops run along rows of h numbers.
class RecurrentPass {
 public:
  RecurrentPass(const Rnn& rnn, std::span<const double> parameters)
      : classes_(rnn.classes),
        h_(rnn.hidden),
        width_(rnn.width),
        at_(rnn_tensors(rnn, parameters.data())),
        memory_t_(h_ * h_) {
    for (std::size_t r = 0; r < h_; ++r)
      for (std::size_t c = 0; c < h_; ++c) memory_t_[c * h_ + r] = at_.memory[r * h_ + c];
  }

  // Forward pass over (n, width) tokens; stores the states (n + 1, hidden), the first of them zero,
  // and returns the logits (classes).
  std::vector<double> out(const std::vector<double>& points, std::vector<double>& states) const {
    const std::size_t n = points.size() / width_;
    states.assign((n + 1) * h_, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double* past = states.data() + i * h_;
      double* z = states.data() + (i + 1) * h_;
      for (std::size_t r = 0; r < h_; ++r) {
        z[r] = at_.bias[r];
        for (std::size_t k = 0; k < width_; ++k)
          z[r] += at_.in[width_ * r + k] * points[width_ * i + k];
      }
      for (std::size_t c = 0; c < h_; ++c)
        for (std::size_t r = 0; r < h_; ++r) z[r] += memory_t_[c * h_ + r] * past[c];
      for (std::size_t r = 0; r < h_; ++r) z[r] = elementary::tanh(z[r]);
    }
    std::vector<double> logits(at_.out_bias, at_.out_bias + classes_);
    for (int c = 0; c < classes_; ++c)
      for (std::size_t r = 0; r < h_; ++r) logits[c] += at_.out[c * h_ + r] * states[n * h_ + r];
    return logits;
  }

  //   dz = dh (1 - h^2),  dW_x += dz p^T,  dW_h += dz h_past^T,  db += dz,  dh_past =
  //   W_h^T dz
  void back(const std::vector<double>& points, const std::vector<double>& states,
            const BackwardPass& backward) const {
    const RnnTensors<double>& gradient = backward.gradient;
    const std::vector<double>& d_logit = backward.d_logit;
    const std::size_t n = points.size() / width_;
    std::vector<double> dh(h_), dz(h_);
    for (int c = 0; c < classes_; ++c) {
      gradient.out_bias[c] += d_logit[c];
      for (std::size_t r = 0; r < h_; ++r) {
        gradient.out[c * h_ + r] += d_logit[c] * states[n * h_ + r];
        dh[r] += d_logit[c] * at_.out[c * h_ + r];
      }
    }
    for (std::size_t i = n; i-- > 0;) {
      const double* past = states.data() + i * h_;
      const double* now = past + h_;
      for (std::size_t r = 0; r < h_; ++r) dz[r] = dh[r] * (1 - now[r] * now[r]);
      std::fill(dh.begin(), dh.end(), 0.0);
      for (std::size_t r = 0; r < h_; ++r) {
        gradient.bias[r] += dz[r];
        for (std::size_t k = 0; k < width_; ++k) {
          gradient.in[width_ * r + k] += dz[r] * points[width_ * i + k];
          if (backward.d_points)
            (*backward.d_points)[width_ * i + k] += dz[r] * at_.in[width_ * r + k];
        }
        for (std::size_t c = 0; c < h_; ++c) {
          gradient.memory[r * h_ + c] += dz[r] * past[c];
          dh[c] += dz[r] * at_.memory[r * h_ + c];
        }
      }
    }
  }

 private:
  const int classes_;
  const std::size_t h_, width_;
  const RnnTensors<const double> at_;
  std::vector<double> memory_t_;  // (hidden, hidden), the transpose
};

}  // namespace

Rnn rnn_near(std::size_t parameters, Rnn rnn) {
  const auto miss = [&](int hidden) {
    rnn.hidden = hidden;
    const std::size_t count = parameter_count(rnn);
    return count > parameters ? count - parameters : parameters - count;
  };
  int hidden = 1;
  while (miss(hidden + 1) < miss(hidden)) ++hidden;
  rnn.hidden = hidden;
  check(rnn);
  return rnn;
}

std::vector<TensorPlace> layout(const Rnn& m) {
  const auto h = static_cast<std::size_t>(m.hidden), c = static_cast<std::size_t>(m.classes);
  const auto width = static_cast<std::size_t>(m.width);
  std::vector<TensorPlace> places = {{"in", {h, width}, 0},
                                     {"memory", {h, h}, 0},
                                     {"bias", {h}, 0},
                                     {"out", {c, h}, 0},
                                     {"out_bias", {c}, 0}};
  if (m.vocabulary > 0)
    places.push_back({"words", {static_cast<std::size_t>(m.vocabulary), width}, 0});
  for (std::size_t k = 1; k < places.size(); ++k)
    places[k].offset = places[k - 1].offset + places[k - 1].size();
  return places;
}

std::size_t parameter_count(const Rnn& m) {
  const std::vector<TensorPlace> places = layout(m);
  return places.back().offset + places.back().size();
}

std::vector<float> initial_parameters(const Rnn& m, std::uint64_t seed) {
  check(m);
  constexpr std::uint32_t kRnnDraws = 256;  // beyond the tensors of swarms
  std::vector<float> parameters(parameter_count(m));
  const std::size_t words = parameters.size() - static_cast<std::size_t>(m.vocabulary) * m.width;
  for (std::size_t e = 0; e < parameters.size(); ++e) {
    const double bound = e < words ? 1 / std::sqrt(static_cast<double>(m.hidden)) : std::sqrt(3.0);
    const Draw draw{.seed = seed,
                    .stream = Stream::parameters,
                    .particle = static_cast<std::uint32_t>(e),
                    .replica = kRnnDraws};
    parameters[e] = static_cast<float>(bound * (2 * draw.uniform(0) - 1));
  }
  return parameters;
}

BatchResult reference_backward(const Rnn& m, std::span<const double> parameters, const Batch& batch,
                               const Objective& objective, std::span<double> gradient) {
  check(m);
  check_objective(objective);
  assert(parameters.size() == parameter_count(m) && gradient.size() == parameters.size());
  const RecurrentPass pass(m, parameters);
  const auto samples = static_cast<double>(batch.chosen.size());
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const RnnTensors<double> into = rnn_tensors(m, gradient.data());
  BatchResult result;
  std::vector<double> states;
  for (std::size_t place = 0; place < batch.chosen.size(); ++place) {
    const std::vector<double> points = inputs_of(m, parameters, batch, place);
    const std::vector<double> logits = pass.out(points, states);
    CrossEntropy<double> entropy =
        reference_cross_entropy<double>(logits, label_of(m, batch, place), objective.smoothing);
    result.loss += entropy.loss / samples;
    result.correct += entropy.correct ? 1 : 0;
    for (double& d_logit : entropy.gradient) d_logit /= samples;
    std::vector<double> d_points(m.vocabulary > 0 ? points.size() : 0);
    pass.back(points, states, {entropy.gradient, into, m.vocabulary > 0 ? &d_points : nullptr});
    if (m.vocabulary == 0) continue;
    const std::vector<int> words = words_of(m, batch, place);
    for (std::size_t i = 0; i < words.size(); ++i)
      for (int k = 0; k < m.width; ++k)
        into.words[static_cast<std::ptrdiff_t>(words[i]) * m.width + k] +=
            d_points[i * m.width + k];
  }
  return result;
}

// One backward pass for each logit gives one row of every Jacobian.
std::vector<double> influence(const Rnn& m, std::span<const double> parameters, const Batch& one) {
  assert(one.chosen.size() == 1);
  const RecurrentPass pass(m, parameters);
  const std::vector<double> points = inputs_of(m, parameters, one, 0);
  std::vector<double> states, square(points.size() / 2), unused(parameters.size());
  pass.out(points, states);
  for (int c = 0; c < m.classes; ++c) {
    std::vector<double> d_logit(m.classes), d_points(points.size());
    d_logit[c] = 1;
    pass.back(points, states, {d_logit, rnn_tensors(m, unused.data()), &d_points});
    for (std::size_t e = 0; e < points.size(); ++e) square[e / 2] += d_points[e] * d_points[e];
  }
  for (double& s : square) s = std::sqrt(s) / kRnnUnit;
  return square;
}

namespace {

constexpr std::size_t kGroup = 64;  // samples whose gradients are summed together

View matrix(const float* at, std::size_t rows, std::size_t cols) {
  return {const_cast<float*>(at), static_cast<int>(rows), static_cast<int>(cols),
          static_cast<int>(cols)};  // products only read their factors
}

// Samples of a batch, the longest first. Step i has a row for each sample with a token i: the
// states before it are the first rows of step i - 1.
struct Rows {
  std::vector<std::size_t> place;   // (samples) in the batch
  std::vector<std::size_t> length;  // (samples) tokens
  std::vector<std::size_t> start;   // (steps + 1) first row of a step
  std::vector<float> inputs;        // (rows, width)

  std::size_t count() const { return start.back(); }
  std::size_t steps() const { return start.size() - 1; }
  std::size_t in_step(std::size_t i) const { return start[i + 1] - start[i]; }
  std::size_t row(std::size_t i, std::size_t sample) const { return start[i] + sample; }
};

Rows rows_of(const Rnn& m, std::span<const float> parameters, const Batch& batch,
             std::size_t group) {
  const std::size_t first = group * kGroup, last = std::min(batch.chosen.size(), first + kGroup);
  const auto width = static_cast<std::size_t>(m.width);
  std::vector<std::vector<float>> of_place;
  for (std::size_t place = first; place < last; ++place)
    of_place.push_back(inputs_of(m, parameters, batch, place));
  Rows rows;
  rows.place.resize(last - first);
  std::iota(rows.place.begin(), rows.place.end(), first);
  std::stable_sort(rows.place.begin(), rows.place.end(), [&](std::size_t a, std::size_t b) {
    return of_place[a - first].size() > of_place[b - first].size();
  });
  for (const std::size_t place : rows.place)
    rows.length.push_back(of_place[place - first].size() / width);
  rows.start = {0};
  for (std::size_t i = 0, still = rows.length.size(); i < rows.length.front(); ++i) {
    while (rows.length[still - 1] <= i) --still;
    for (std::size_t s = 0; s < still; ++s) {
      const float* token = of_place[rows.place[s] - first].data() + i * width;
      rows.inputs.insert(rows.inputs.end(), token, token + width);
    }
    rows.start.push_back(rows.start.back() + still);
  }
  return rows;
}

class RnnAdjoint final : public Adjoint {
 public:
  RnnAdjoint(const Rnn& rnn, int threads)
      : rnn_(rnn),
        threads_(threads),
        h_(static_cast<std::size_t>(rnn.hidden)),
        width_(static_cast<std::size_t>(rnn.width)),
        classes_(static_cast<std::size_t>(rnn.classes)) {
    check(rnn);
    require_products();
  }

  BatchResult backward(std::span<const float> parameters, const Batch& batch,
                       const Objective& objective, std::span<float> gradient) override;
  void forward(std::span<const float> parameters, const Batch& batch,
               std::span<float> readout) override;

 private:
  std::vector<float> states_of(const RnnTensors<const float>& at, const Rows& rows) const;
  std::vector<float> logits_of(const RnnTensors<const float>& at, const Rows& rows,
                               const std::vector<float>& states, std::size_t sample) const;
  void back_through_time(const RnnTensors<const float>& at, const Rows& rows,
                         const std::vector<float>& states, std::vector<float>& d_states,
                         const RnnTensors<float>& into) const;
  BatchResult learn_group(std::span<const float> parameters, const Batch& batch,
                          const Objective& objective, std::size_t group, float* gradient) const;

  Rnn rnn_;
  int threads_;
  std::size_t h_, width_, classes_;
};

// (rows, hidden) states after each token: h_i = tanh(W_x p_i + W_h h_(i-1) + b).
std::vector<float> RnnAdjoint::states_of(const RnnTensors<const float>& at,
                                         const Rows& rows) const {
  std::vector<float> states(rows.count() * h_);
  if (states.empty()) return states;
  for (std::size_t r = 0; r < rows.count(); ++r) std::copy_n(at.bias, h_, states.data() + r * h_);
  const View all = matrix(states.data(), rows.count(), h_);
  multiply(matrix(rows.inputs.data(), rows.count(), width_), matrix(at.in, h_, width_),
           Transposed::right, all, 1, 1);
  for (std::size_t i = 0; i < rows.steps(); ++i) {
    float* z = states.data() + rows.start[i] * h_;
    const std::size_t m = rows.in_step(i);
    if (i > 0)
      multiply(matrix(states.data() + rows.start[i - 1] * h_, m, h_), matrix(at.memory, h_, h_),
               Transposed::right, matrix(z, m, h_), 1, 1);
    for (std::size_t e = 0; e < m * h_; ++e)
      z[e] = static_cast<float>(elementary::tanh(static_cast<double>(z[e])));
  }
  return states;
}

std::vector<float> RnnAdjoint::logits_of(const RnnTensors<const float>& at, const Rows& rows,
                                         const std::vector<float>& states,
                                         std::size_t sample) const {
  std::vector<float> logits(at.out_bias, at.out_bias + classes_);
  if (rows.length[sample] == 0) return logits;
  const float* last = states.data() + rows.row(rows.length[sample] - 1, sample) * h_;
  for (std::size_t c = 0; c < classes_; ++c)
    for (std::size_t r = 0; r < h_; ++r) logits[c] += at.out[c * h_ + r] * last[r];
  return logits;
}

//   dz = dh (1 - h^2),  dW_h += dz^T h_past,  dh_past += dz W_h,  and at the end
//   dW_x = dz^T p,  db = sum dz;  d_states becomes dz
void RnnAdjoint::back_through_time(const RnnTensors<const float>& at, const Rows& rows,
                                   const std::vector<float>& states, std::vector<float>& d_states,
                                   const RnnTensors<float>& into) const {
  for (std::size_t i = rows.steps(); i-- > 0;) {
    const std::size_t m = rows.in_step(i);
    float* dz = d_states.data() + rows.start[i] * h_;
    const float* now = states.data() + rows.start[i] * h_;
    for (std::size_t e = 0; e < m * h_; ++e) dz[e] *= 1 - now[e] * now[e];
    if (i == 0) break;
    const std::size_t before = rows.start[i - 1] * h_;
    multiply(matrix(dz, m, h_), matrix(states.data() + before, m, h_), Transposed::left,
             matrix(into.memory, h_, h_), 1, 1);
    multiply(matrix(dz, m, h_), matrix(at.memory, h_, h_), Transposed::none,
             matrix(d_states.data() + before, m, h_), 1, 1);
  }
  multiply(matrix(d_states.data(), rows.count(), h_),
           matrix(rows.inputs.data(), rows.count(), width_), Transposed::left,
           matrix(into.in, h_, width_), 1, 1);
  for (std::size_t r = 0; r < rows.count(); ++r)
    for (std::size_t k = 0; k < h_; ++k) into.bias[k] += d_states[r * h_ + k];
}

BatchResult RnnAdjoint::learn_group(std::span<const float> parameters, const Batch& batch,
                                    const Objective& objective, std::size_t group,
                                    float* gradient) const {
  const auto at = rnn_tensors(rnn_, parameters.data());
  const auto into = rnn_tensors(rnn_, gradient);
  const Rows rows = rows_of(rnn_, parameters, batch, group);
  const std::vector<float> states = states_of(at, rows);
  std::vector<float> d_states(states.size());
  BatchResult result;
  for (std::size_t s = 0; s < rows.place.size(); ++s) {
    const std::vector<float> logits = logits_of(at, rows, states, s);
    const int label = label_of(rnn_, batch, rows.place[s]);
    const CrossEntropy<float> entropy =
        reference_cross_entropy<float>(logits, label, objective.smoothing);
    result.loss += entropy.loss;
    result.correct += entropy.correct ? 1 : 0;
    const std::size_t last = rows.length[s] > 0 ? rows.row(rows.length[s] - 1, s) : 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      const float d_logit = entropy.gradient[c] / static_cast<float>(batch.chosen.size());
      into.out_bias[c] += d_logit;
      for (std::size_t r = 0; rows.length[s] > 0 && r < h_; ++r) {
        into.out[c * h_ + r] += d_logit * states[last * h_ + r];
        d_states[last * h_ + r] += d_logit * at.out[c * h_ + r];
      }
    }
  }
  if (states.empty()) return result;
  back_through_time(at, rows, states, d_states, into);
  if (rnn_.vocabulary == 0) return result;
  std::vector<float> d_inputs(rows.inputs.size());  // (rows, width)
  multiply(matrix(d_states.data(), rows.count(), h_), matrix(at.in, h_, width_), Transposed::none,
           matrix(d_inputs.data(), rows.count(), width_));
  for (std::size_t s = 0; s < rows.place.size(); ++s) {
    const std::vector<int> words = words_of(rnn_, batch, rows.place[s]);
    for (std::size_t i = 0; i < words.size(); ++i)
      for (std::size_t k = 0; k < width_; ++k)
        into.words[static_cast<std::size_t>(words[i]) * width_ + k] +=
            d_inputs[rows.row(i, s) * width_ + k];
  }
  return result;
}

// Each group has its own gradient. They are added in order for any number of threads.
BatchResult RnnAdjoint::backward(std::span<const float> parameters, const Batch& batch,
                                 const Objective& objective, std::span<float> gradient) {
  check_objective(objective);
  assert(parameters.size() == parameter_count(rnn_) && gradient.size() == parameters.size());
  const std::size_t samples = batch.chosen.size(), groups = (samples + kGroup - 1) / kGroup;
  std::vector<float> gradients(groups * gradient.size());  // (groups, parameters)
  std::vector<BatchResult> results(groups);
  for_blocks(static_cast<int>(groups), threads_, [&](int group) {
    const auto g = static_cast<std::size_t>(group);
    results[g] =
        learn_group(parameters, batch, objective, g, gradients.data() + g * gradient.size());
  });
  BatchResult result;
  std::vector<double> sum(gradient.size());
  for (std::size_t group = 0; group < groups; ++group) {
    result.loss += results[group].loss / static_cast<double>(samples);
    result.correct += results[group].correct;
    for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += gradients[group * sum.size() + e];
  }
  for (std::size_t e = 0; e < sum.size(); ++e) gradient[e] = static_cast<float>(sum[e]);
  return result;
}

void RnnAdjoint::forward(std::span<const float> parameters, const Batch& batch,
                         std::span<float> readout) {
  assert(readout.size() == batch.chosen.size() * classes_);
  const auto at = rnn_tensors(rnn_, parameters.data());
  const std::size_t groups = (batch.chosen.size() + kGroup - 1) / kGroup;
  for_blocks(static_cast<int>(groups), threads_, [&](int group) {
    const Rows rows = rows_of(rnn_, parameters, batch, static_cast<std::size_t>(group));
    const std::vector<float> states = states_of(at, rows);
    for (std::size_t s = 0; s < rows.place.size(); ++s) {
      const std::vector<float> logits = logits_of(at, rows, states, s);
      std::copy(logits.begin(), logits.end(), readout.data() + rows.place[s] * classes_);
    }
  });
}

}  // namespace

std::unique_ptr<Adjoint> make_adjoint(const Rnn& rnn, int threads) {
  return std::make_unique<RnnAdjoint>(rnn, threads);
}

}  // namespace murmur
