// rnn.cpp: a recurrent network: size, parameters, gradients of batches, influence of tokens.
#include "learn/rnn.h"

#include <fmt/format.h>

#include <cassert>

#include "core/parallel.h"
#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur {

namespace {

constexpr std::size_t kGroup = 8;  // samples whose gradients are summed together, in order

void check(const Rnn& m) {
  if (m.hidden < 1 || m.hidden > 4096 || m.classes < 2 || m.width < 1)
    throw Error(Fault::input,
                fmt::format("a messenger with hidden={} and classes={} cannot be built", m.hidden,
                            m.classes),
                "in the architecture", "use hidden from 1 to 4096 and two classes or more");
}

void check(const Objective& objective) {
  if (objective.loss != Objective::cross_entropy || objective.dropout != 0)
    throw Error(Fault::input, "a messenger has no boids to bring home and no attention to drop",
                "in the objective", "use the cross-entropy, without dropout");
}

// The words of a sample, the one that is asked about once more at the end.
std::vector<int> words_of(const Rnn& m, const Batch& batch, std::size_t place) {
  const std::size_t sample = batch.chosen[place];
  const auto all =
      batch.word.subspan(batch.first[sample], batch.first[sample + 1] - batch.first[sample]);
  const int asked = sample < batch.asked.size() ? batch.asked[sample] : -1;
  std::vector<int> words(all.begin(), all.end());
  if (asked >= 0 && static_cast<std::size_t>(asked) < words.size()) words.push_back(words[asked]);
  for (const int word : words)
    if (word < 0 || word >= m.vocabulary)
      throw Error(Fault::input, "a token is no word of the table", fmt::format("word {}", word),
                  fmt::format("the table has {} words", m.vocabulary));
  return words;
}

// (n, width) what is read of a sample, token by token.
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

//   d table[w] += d row of every token that is word w
template <class T>
void add_to_words(const Rnn& m, const std::vector<int>& words, const std::vector<T>& rows,
                  T* table) {
  for (std::size_t i = 0; i < words.size(); ++i)
    for (int k = 0; k < m.width; ++k)
      table[static_cast<std::ptrdiff_t>(words[i]) * m.width + k] += rows[i * m.width + k];
}

template <class T>
struct Verdict {
  double loss = 0;
  bool right = false;
  std::vector<T> push{};  // (classes) d loss / d logit = p - y
};

//   p = softmax(logits),  loss = -sum_c y_c ln p_c,  y as in the swarm's cross-entropy
template <class T>
Verdict<T> judge(const std::vector<T>& logits, int label, double smoothing) {
  const int classes = static_cast<int>(logits.size());
  if (label < 0 || label >= classes)
    throw Error(Fault::input, "a flock to learn from has no label of a known class",
                fmt::format("label {}", label), "give every flock its class");
  const auto largest = std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const T logit : logits) sum += elementary::exp(static_cast<double>(logit - *largest));
  Verdict<T> verdict{0, largest - logits.begin() == label, std::vector<T>(logits.size())};
  for (int c = 0; c < classes; ++c) {
    const double wanted = (c == label ? 1 - smoothing : 0) + smoothing / classes;
    const auto below = static_cast<double>(logits[c] - *largest);
    verdict.loss -= wanted * (below - elementary::log(sum));
    verdict.push[c] = static_cast<T>(elementary::exp(below) / sum - wanted);
  }
  return verdict;
}

struct Pass {
  const Rnn& rnn;
  const Batch& batch;
  const Objective& objective;
  int threads;
};

// Groups of samples have gradients of their own, added in order, whatever the number of threads.
template <class T>
BatchResult learn_in_groups(const Pass& pass, std::span<const T> parameters,
                            std::span<T> gradient) {
  const Rnn& m = pass.rnn;
  const Batch& batch = pass.batch;
  check(pass.objective);
  assert(parameters.size() == parameter_count(m) && gradient.size() == parameters.size());
  const Journey<T> journey(m, parameters);
  const std::size_t samples = batch.chosen.size(), groups = (samples + kGroup - 1) / kGroup;
  std::vector<T> gradients(groups * gradient.size());  // (groups, parameters)
  std::vector<BatchResult> results(groups);
  for_blocks(static_cast<int>(groups), pass.threads, [&](int group) {
    const auto into =
        rnn_tensors(m, gradients.data() + static_cast<std::size_t>(group) * gradient.size());
    std::vector<T> states;
    const std::size_t first = static_cast<std::size_t>(group) * kGroup;
    for (std::size_t place = first; place < std::min(samples, first + kGroup); ++place) {
      const std::vector<T> points = inputs_of(m, parameters, batch, place);
      const std::vector<T> logits = journey.out(points, states);
      Verdict<T> verdict =
          judge(logits, batch.label[batch.chosen[place]], pass.objective.smoothing);
      results[group].loss += verdict.loss;
      results[group].correct += verdict.right ? 1 : 0;
      for (T& push : verdict.push) push /= static_cast<T>(samples);
      std::vector<T> d_points(m.vocabulary > 0 ? points.size() : 0);
      journey.back(points, states, {verdict.push, into, m.vocabulary > 0 ? &d_points : nullptr});
      if (m.vocabulary > 0) add_to_words(m, words_of(m, batch, place), d_points, into.words);
    }
  });
  BatchResult result;
  std::vector<double> sum(gradient.size());
  for (std::size_t group = 0; group < groups; ++group) {
    result.loss += results[group].loss / static_cast<double>(samples);
    result.correct += results[group].correct;
    for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += gradients[group * sum.size() + e];
  }
  for (std::size_t e = 0; e < sum.size(); ++e) gradient[e] = static_cast<T>(sum[e]);
  return result;
}

class RnnAdjoint final : public Adjoint {
 public:
  RnnAdjoint(const Rnn& rnn, int threads) : rnn_(rnn), threads_(threads) { check(rnn); }

  BatchResult backward(std::span<const float> parameters, const Batch& batch,
                       const Objective& objective, std::span<float> gradient) override {
    return learn_in_groups(Pass{rnn_, batch, objective, threads_}, parameters, gradient);
  }

  void forward(std::span<const float> parameters, const Batch& batch,
               std::span<float> readout) override {
    const Journey<float> journey(rnn_, parameters);
    const auto classes = static_cast<std::size_t>(rnn_.classes);
    assert(readout.size() == batch.chosen.size() * classes);
    for_blocks(static_cast<int>(batch.chosen.size()), threads_, [&](int place) {
      std::vector<float> states;
      const std::vector<float> logits =
          journey.out(inputs_of(rnn_, parameters, batch, place), states);
      std::copy(logits.begin(), logits.end(),
                readout.data() + static_cast<std::size_t>(place) * classes);
    });
  }

 private:
  Rnn rnn_;
  int threads_;
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
    const Draw who{.seed = seed,
                   .stream = Stream::parameters,
                   .particle = static_cast<std::uint32_t>(e),
                   .replica = kRnnDraws};
    parameters[e] = static_cast<float>(bound * (2 * who.uniform(0) - 1));
  }
  return parameters;
}

std::unique_ptr<Adjoint> make_adjoint(const Rnn& rnn, int threads) {
  return std::make_unique<RnnAdjoint>(rnn, threads);
}

BatchResult reference_backward(const Rnn& rnn, std::span<const double> parameters,
                               const Batch& batch, const Objective& objective,
                               std::span<double> gradient) {
  check(rnn);
  return learn_in_groups(Pass{rnn, batch, objective, 1}, parameters, gradient);
}

// One backward pass for each logit gives one row of every Jacobian.
std::vector<double> influence(const Rnn& m, std::span<const double> parameters, const Batch& one) {
  assert(one.chosen.size() == 1);
  const Journey<double> journey(m, parameters);
  const std::vector<double> points = points_of<double>(one, 0);
  std::vector<double> states, square(points.size() / 2), unused(parameters.size());
  journey.out(points, states);
  for (int c = 0; c < m.classes; ++c) {
    std::vector<double> push(m.classes), d_points(points.size());
    push[c] = 1;
    journey.back(points, states, {push, rnn_tensors(m, unused.data()), &d_points});
    for (std::size_t e = 0; e < points.size(); ++e) square[e / 2] += d_points[e] * d_points[e];
  }
  for (double& s : square) s = std::sqrt(s) / kRnnUnit;
  return square;
}

}  // namespace murmur
