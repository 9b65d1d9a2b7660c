// rnn.cpp: a recurrent network: size, parameters, reference gradients, influence of tokens.
#include "learn/rnn.h"

#include <cassert>

#include "murmur/random.h"

namespace murmur {

void check(const Rnn& m) {
  if (m.hidden < 1 || m.hidden > 4096 || m.classes < 2 || m.width < 1)
    throw Error(Fault::input,
                fmt::format("a messenger with hidden={} and classes={} cannot be built", m.hidden,
                            m.classes),
                "in the architecture", "use hidden from 1 to 4096 and two classes or more");
}

void check_messenger(const Objective& objective) {
  if (objective.loss != Objective::cross_entropy || objective.dropout != 0)
    throw Error(Fault::input, "a messenger has no boids to bring home and no attention to drop",
                "in the objective", "use the cross-entropy, without dropout");
}

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

BatchResult reference_backward(const Rnn& m, std::span<const double> parameters, const Batch& batch,
                               const Objective& objective, std::span<double> gradient) {
  check(m);
  check_messenger(objective);
  assert(parameters.size() == parameter_count(m) && gradient.size() == parameters.size());
  const Journey journey(m, parameters);
  const auto samples = static_cast<double>(batch.chosen.size());
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const RnnTensors<double> into = rnn_tensors(m, gradient.data());
  BatchResult result;
  std::vector<double> states;
  for (std::size_t place = 0; place < batch.chosen.size(); ++place) {
    const std::vector<double> points = inputs_of(m, parameters, batch, place);
    const std::vector<double> logits = journey.out(points, states);
    Verdict<double> verdict =
        judge<double>(logits, batch.label[batch.chosen[place]], objective.smoothing);
    result.loss += verdict.loss / samples;
    result.correct += verdict.right ? 1 : 0;
    for (double& push : verdict.push) push /= samples;
    std::vector<double> d_points(m.vocabulary > 0 ? points.size() : 0);
    journey.back(points, states, {verdict.push, into, m.vocabulary > 0 ? &d_points : nullptr});
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
  const Journey journey(m, parameters);
  const std::vector<double> points = inputs_of(m, parameters, one, 0);
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
