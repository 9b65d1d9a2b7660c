// dynamics_words_test.cpp: every word about the dynamics is heard: it changes the equation.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

#include "experiment/rows.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur {
namespace {

using Words = std::vector<std::string>;

// Everything that a dynamics says. The bindings name every field: one more does not compile here.
std::string said(const Matrix& m) { return fmt::format("({}, {}) {}", m.rows, m.cols, m.data); }

std::string said(const Attention& head) {
  const auto& [beta, query, key, value, query_bias, key_bias, value_bias, relative, self, mask,
               weighting, alibi, rescaled] = head;
  return fmt::format("attention {} {} {} {} {} {} {} {} {} {} {} {} {}\n", beta, said(query),
                     said(key), said(value), query_bias, key_bias, value_bias, relative, self,
                     static_cast<int>(mask), static_cast<int>(weighting), alibi, rescaled);
}

std::string said(const Perceptron& perceptron) {
  const auto& [in, in_bias, out, out_bias, activation] = perceptron;
  return fmt::format("perceptron {} {} {} {} {}\n", said(in), in_bias, said(out), out_bias,
                     static_cast<int>(activation));
}

std::string said(const ManyHeads& heads) {
  const auto& [beta, law, value, gradient] = heads;
  return fmt::format("many heads {} {} {} {}\n", beta, static_cast<int>(law), value, gradient);
}

std::string said(const Dynamics& dynamics) {
  const auto& [manifold, sublayers, clock, normalisation, mix_until, speed, gain, gain_end,
               gain_until, noise, jump_times] = dynamics;
  std::string text = fmt::format("{} {} {} {} {} {} {} {} {} {}\n", static_cast<int>(manifold),
                                 static_cast<int>(clock), static_cast<int>(normalisation),
                                 mix_until, speed, gain, gain_end, gain_until, noise, jump_times);
  for (const Sublayer& sublayer : sublayers) {
    const auto& [forces, from, until, forces_end] = sublayer;
    text += fmt::format("from {} until {}\n", from, until);
    for (const auto* all : {&forces, &forces_end})
      for (const Force& force : *all)
        text += std::visit([](const auto& one) { return said(one); }, force);
  }
  return text;
}

std::string read_next_word(const Words& words) {
  return said(make_experiment(gather({.assignments = words})).dynamics);
}

struct Heard {
  Words beside;      // what the word needs to mean anything
  std::string word;  // away from its default
};

const test::TemporaryDirectory kFolder;

// (2, 3, 3): two heads, or two layers.
const std::string kTwoLayers = [] {
  Array array = array_of(std::vector<double>(18));
  std::get<std::vector<double>>(array.values)[0] = 1;
  array.shape = {2, 3, 3};
  write_npy(kFolder / "value.npy", array);
  return "value=" + (kFolder / "value.npy").string();
}();

const std::map<std::string, Heard> kHeard = {
    {"beta", {{}, "beta=2"}},
    {"dynamics", {{}, "dynamics=USA"}},
    {"habitat", {{}, "habitat=space"}},
    {"query", {{}, "query=gaussian"}},
    {"key", {{}, "key=gaussian"}},
    {"value", {{}, "value=gaussian"}},
    {"weights_in_time", {{kTwoLayers, "heads=2"}, "weights_in_time=piecewise"}},
    {"weights_until", {{kTwoLayers, "weights_in_time=linear"}, "weights_until=2"}},
    {"redraw", {{"value=gaussian"}, "redraw=1"}},
    {"heads", {{}, "heads=2"}},
    {"head_scale", {{"heads=2"}, "head_scale=mean"}},
    {"reach", {{}, "reach=past"}},
    {"self", {{}, "self=false"}},
    {"relative", {{}, "relative=true"}},
    {"alibi", {{"reach=past"}, "alibi=1"}},
    {"clock", {{"dynamics=USA"}, "clock=U2"}},
    {"normalisation", {{}, "normalisation=sqrt"}},
    {"gains", {{}, "gains=1,2,3"}},
    {"gains_end", {{}, "gains_end=1,2,3"}},
    {"gains_until", {{"gains_end=1,2,3"}, "gains_until=2"}},
    {"perceptron", {{}, "perceptron=gaussian:4"}},
    {"activation", {{"perceptron=gaussian:4"}, "activation=tanh"}},
    {"direction", {{}, "direction=descent"}},
    {"noise", {{"method=euler"}, "noise=0.1"}},
};

// A parameter that nothing reads would be accepted in silence. A new one needs a row above.
TEST(DynamicsWords, AreAllHeard) {
  for (const Row<ExperimentSpec>& row : rows_of<ExperimentSpec>()) {
    if (!row.of_dynamics) continue;
    const auto found = kHeard.find(row.parameter.name);
    ASSERT_NE(found, kHeard.end()) << row.parameter.name << " is not known to change anything";
    Words words = found->second.beside;
    const std::string before = read_next_word(words);
    EXPECT_EQ(read_next_word(words), before);
    words.push_back(found->second.word);
    EXPECT_NE(read_next_word(words), before) << found->second.word;
  }
}

}  // namespace
}  // namespace murmur
