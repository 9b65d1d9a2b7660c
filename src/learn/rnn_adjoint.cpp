// rnn_adjoint.cpp: gradients of a recurrent network, many samples side by side as matrices.
#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/elementary.h"
#include "core/parallel.h"
#include "learn/products.h"
#include "learn/rnn.h"

namespace murmur {

namespace {

constexpr std::size_t kGroup = 64;  // samples side by side, whose gradients are summed together

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
    const int label = batch.label[batch.chosen[rows.place[s]]];
    const Verdict<float> verdict = judge<float>(logits, label, objective.smoothing);
    result.loss += verdict.loss;
    result.correct += verdict.right ? 1 : 0;
    const std::size_t last = rows.length[s] > 0 ? rows.row(rows.length[s] - 1, s) : 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      const float push = verdict.push[c] / static_cast<float>(batch.chosen.size());
      into.out_bias[c] += push;
      for (std::size_t r = 0; rows.length[s] > 0 && r < h_; ++r) {
        into.out[c * h_ + r] += push * states[last * h_ + r];
        d_states[last * h_ + r] += push * at.out[c * h_ + r];
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

// Groups have gradients of their own, added in order, whatever the number of threads.
BatchResult RnnAdjoint::backward(std::span<const float> parameters, const Batch& batch,
                                 const Objective& objective, std::span<float> gradient) {
  check_messenger(objective);
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
