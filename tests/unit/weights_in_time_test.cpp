// weights_in_time_test.cpp: files of weights with an axis of layers, and those that are refused.
#include <gtest/gtest.h>

#include "murmur/experiment.h"
#include "refused.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur {
namespace {

Array counted(std::vector<std::size_t> shape) {
  Array array;
  array.shape = std::move(shape);
  std::vector<double> numbers(array.size());
  for (std::size_t e = 0; e < numbers.size(); ++e) numbers[e] = static_cast<double>(e);
  array.values = std::move(numbers);
  return array;
}

class WeightsInTime : public ::testing::Test {
 protected:
  std::string file(const std::string& name, std::vector<std::size_t> shape) {
    write_npy(folder_ / name, counted(std::move(shape)));
    return (folder_ / name).string();
  }
  static Experiment made(std::vector<std::string> words) {
    words.insert(words.begin(), {"n=4", "d=2", "T=6"});
    return make_experiment(gather({.assignments = words}));
  }
  static const Attention& head(const Sublayer& sublayer, int h = 0) {
    return *head_of(sublayer.forces.at(h));
  }
  test::TemporaryDirectory folder_{};
};

TEST_F(WeightsInTime, LayersActInTurn) {
  const Experiment e = made({"value=" + file("v.npy", {3, 2, 2}), "weights_in_time=piecewise"});
  ASSERT_EQ(e.dynamics.sublayers.size(), 3u);
  EXPECT_EQ(e.dynamics.jump_times, (std::vector<double>{2, 4}));
  for (int l = 0; l < 3; ++l) {
    const Sublayer& sublayer = e.dynamics.sublayers[l];
    EXPECT_EQ(head(sublayer).value.data, (Vector{4. * l, 4. * l + 1, 4. * l + 2, 4. * l + 3}));
    EXPECT_TRUE(sublayer.active(2 * l) && sublayer.active(2 * l + 1.99));
    EXPECT_EQ(sublayer.active(2 * l - 0.01), false || l == 0);
  }
  EXPECT_TRUE(e.dynamics.sublayers[2].active(100));
  EXPECT_EQ(e.inputs.at("value").shape, (std::vector<std::size_t>{3, 2, 2}));
  EXPECT_NE(e.config.find("value = \"inputs/value.npy\""), std::string::npos);
  EXPECT_NE(e.config.find("weights_until = \"6\""), std::string::npos) << e.config;
}

TEST_F(WeightsInTime, LayersHaveHeads) {
  const Experiment e =
      made({"query=" + file("q.npy", {3, 2, 1, 2}), "key=" + file("k.npy", {3, 1, 2}),
            "weights_in_time=piecewise", "weights_until=3"});
  ASSERT_EQ(e.dynamics.sublayers.size(), 3u);
  EXPECT_EQ(e.dynamics.sublayers[1].from, 1);
  EXPECT_EQ(head(e.dynamics.sublayers[2], 1).query.data, (Vector{10, 11}));
  EXPECT_EQ(head(e.dynamics.sublayers[2], 1).key.data, (Vector{4, 5}));  // serves every head
  EXPECT_NE(e.config.find("heads = 2"), std::string::npos);
}

TEST_F(WeightsInTime, LinesGoFromLayerToLayer) {
  const Experiment e =
      made({"value=" + file("v.npy", {3, 2, 2}), "weights_in_time=linear", "direction=descent"});
  ASSERT_EQ(e.dynamics.sublayers.size(), 3u);
  EXPECT_TRUE(e.dynamics.jump_times.empty());
  const auto first = [&](double t) {
    for (const Sublayer& sublayer : e.dynamics.sublayers)
      if (sublayer.active(t)) return head_of(forces_at(sublayer, t)[0])->value(0, 0);
    return 1e9;
  };
  for (const double t : {0.0, 1.5, 3.0, 4.5, 6.0, 7.0})
    EXPECT_DOUBLE_EQ(first(t), -4 * std::min(t, 6.0) / 3) << t;
  const Experiment one = made({"value=" + file("one.npy", {1, 2, 2}), "weights_in_time=linear"});
  EXPECT_EQ(one.dynamics.sublayers.size(), 1u);
  EXPECT_FALSE(one.dynamics.sublayers[0].limited());
}

TEST_F(WeightsInTime, PerceptronsAndSafetensorsHaveLayersToo) {
  Safetensors all;
  all.tensors = {{"in", counted({2, 3, 2})},
                 {"out", counted({2, 2, 3})},
                 {"in_bias", counted({2, 3})},
                 {"query", counted({2, 2, 2})}};
  const std::string path = (folder_ / "all.safetensors").string();
  write_safetensors(path, all);
  const Experiment e = made({"query=" + path, "perceptron=" + path, "weights_in_time=piecewise"});
  ASSERT_EQ(e.dynamics.sublayers.size(), 4u);
  const ForcesByKind forces = by_kind(e.dynamics);
  EXPECT_EQ(forces.heads[1]->query.data, (Vector{4, 5, 6, 7}));
  EXPECT_EQ(forces.perceptrons[1]->in(0, 0), 6);
  EXPECT_EQ(forces.perceptrons[1]->in_bias, (Vector{3, 4, 5}));
  EXPECT_TRUE(forces.perceptrons[1]->out_bias.empty());
  EXPECT_EQ(e.inputs.at("perceptron_out").shape[0], 2u);
  std::string text;
  fault_of([&] { made({"key=" + path}); }, &text);
  EXPECT_NE(text.find("no array named key"), std::string::npos);
}

TEST_F(WeightsInTime, WhatDoesNotFitIsRefused) {
  const std::string two = file("two.npy", {2, 2, 2}), three = file("three.npy", {3, 2, 2}),
                    four = file("four.npy", {2, 3, 2, 2}), five = file("five.npy", {1, 1, 1, 2, 2}),
                    none = file("none.npy", {0, 2, 2}), flat = file("flat.npy", {2, 2});
  Array broken = counted({2, 2, 2});
  std::get<std::vector<double>>(broken.values)[5] = std::nan("");
  write_npy(folder_ / "nan.npy", broken);
  const std::string in_turn = "weights_in_time=piecewise", line = "weights_in_time=linear";
  const auto make = [](std::vector<std::string> words) { return [words] { made(words); }; };
  expect_refused({
      {"use weights_in_time=piecewise or linear", make({"value=" + four})},
      {"has 3 layers, and another file has 2", make({"query=" + two, "key=" + three, in_turn})},
      {"fits none of", make({"value=" + five, in_turn})},
      {"has 0 layers", make({"value=" + none, in_turn})},
      {"finds no file", make({"value=" + flat, in_turn})},
      {"finds no file", make({"value=gaussian", line})},
      {"fits none of", make({"value=" + four, "heads=2", in_turn})},
      {"not finite", make({"value=" + (folder_ / "nan.npy").string(), in_turn})},
      {"not both", make({"value=" + two, "query=gaussian", "redraw=1", in_turn})},
      {"there are no layers that could end then", make({"weights_until=2"})},
      {"weights_until", make({"value=" + two, in_turn, "weights_until=-1"})},
      {"weights_until", make({"value=" + two, in_turn, "weights_until=soon"})},
      {"does not divide", make({"value=" + two, in_turn, "method=layers", "dt=2", "T=6"})},
      {"bdf takes long steps", make({"value=" + two, in_turn, "method=bdf"})},
      {"is not linear in time", make({"query=" + two, "value=query-key", line})},
      {"one V in e^{tV}", make({"value=" + two, in_turn, "dynamics=rescaled"})},
  });
  EXPECT_NO_THROW(made({"query=" + two, "value=query-key", in_turn}));
}

TEST(ManyHeadsWords, AreRefusedWhereThereIsNoLimit) {
  const auto make = [](std::vector<std::string> words) {
    words.emplace_back("head_scale=limit");
    return [words] { make_experiment(gather({.assignments = words})); };
  };
  expect_refused({
      {"only unnormalised attention", make({"query=goe"})},
      {"not known in closed form", make({"dynamics=USA"})},
      {"not known in closed form", make({"dynamics=USA", "query=wigner"})},
      {"not known in closed form", make({"dynamics=USA", "query=goe", "key=psd"})},
      {"the mean 0", make({"dynamics=USA", "query=goe", "value=gaussian"})},
      {"no part along the sphere", make({"dynamics=USA", "query=gaussian", "value=query-key"})},
      {"infinitely many", make({"dynamics=USA", "query=goe", "heads=4"})},
      {"has no random weights", make({"dynamics=USA", "query=goe", "redraw=1"})},
      {"only if all attend to all", make({"dynamics=USA", "query=goe", "reach=past"})},
      {"infinite from beta = d/2", make({"dynamics=USA", "query=psd", "beta=2", "d=4"})},
      {"infinite from beta = d on",
       make({"dynamics=USA", "query=gaussian", "key=gaussian", "beta=4", "d=4"})},
      {"between unit vectors", make({"dynamics=USA", "query=goe", "habitat=space"})},
      {"round sphere", make({"dynamics=USA", "query=goe", "gains=1,2,3"})},
      {"no kernel for the limit", make({"dynamics=USA", "query=goe", "engine=simd"})},
  });
  const Experiment e =
      make_experiment(gather({.assignments = {"dynamics=USA", "query=goe", "head_scale=limit"}}));
  EXPECT_NE(
      equation_text(e, gather({.assignments = {"dynamics=USA", "query=goe", "head_scale=limit"}}))
          .find("e^(b^2 (1 + c^2) / 2d)"),
      std::string::npos);
}

}  // namespace
}  // namespace murmur
