// adjoint_test.cpp: fast forward and backward passes agree with the plain ones, for any threads.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "conformance/learning_samples.h"
#include "murmur/learn.h"

namespace murmur {
namespace {

using testing::expect_as_defined;
using testing::Samples;
using Case = testing::AdjointCase;
using testing::some_samples;

std::vector<Case> cases() {
  using A = Architecture;
  std::vector<Case> all;
  const auto add = [&](std::string name, A a, Objective o = {}, int classes = 2) {
    a.targets = spread_targets(classes, a.d);
    all.push_back({std::move(name), std::move(a), o});
  };
  add("d3", {.d = 3, .blocks = 3, .hidden = 40});
  add("d3_ten_blocks", {.d = 3, .blocks = 10, .hidden = 512});
  add("d2", {.d = 2, .blocks = 3, .hidden = 17});
  add("d4", {.d = 4, .blocks = 3, .hidden = 33});
  add("d5", {.d = 5, .blocks = 3, .hidden = 33});
  add("d100", {.d = 100, .blocks = 2, .hidden = 64});
  add("free", {.d = 3, .blocks = 4, .shared = false, .hidden = 40});
  add("heads3", {.d = 3, .blocks = 3, .hidden = 40, .heads = 3});
  add("heads2_free", {.d = 6, .blocks = 2, .shared = false, .hidden = 20, .heads = 2});
  // Every width of the fused kernels, and wider heads in few dimensions and in many.
  for (const int d : {2, 3, 4})
    for (const int wide : {1, 2, 3, 4, 5})
      add("d" + std::to_string(d) + "_2heads_of_" + std::to_string(wide),
          {.d = d, .blocks = 2, .hidden = 20, .heads = 2, .head_width = wide});
  add("d3_2heads", {.d = 3, .blocks = 10, .hidden = 40, .heads = 2});
  add("d3_5heads_free_cls", {.d = 3,
                             .blocks = 3,
                             .shared = false,
                             .hidden = 40,
                             .heads = 5,
                             .head_width = 3,
                             .readout = A::cls});
  add("d3_2heads_dropout", {.d = 3, .blocks = 3, .hidden = 40, .heads = 2}, {.dropout = 0.1});
  add("d6_4heads_of_5", {.d = 6, .blocks = 2, .hidden = 20, .heads = 4, .head_width = 5});
  add("d6_4heads_of_5_dropout", {.d = 6, .blocks = 2, .hidden = 20, .heads = 4, .head_width = 5},
      {.dropout = 0.1});
  add("d96_8heads", {.d = 96, .blocks = 2, .hidden = 64, .heads = 8});
  for (const int d : {3, 6})
    add("uniform_heads_d" + std::to_string(d), {.d = d,
                                                .blocks = 3,
                                                .hidden = 40,
                                                .heads = 2,
                                                .head_width = 4,
                                                .interaction = A::uniform});
  add("cls", {.d = 3, .blocks = 3, .hidden = 40, .readout = A::cls});
  add("cls_wide", {.d = 7, .blocks = 2, .hidden = 40, .readout = A::cls});
  add("position", {.d = 3, .blocks = 3, .hidden = 40, .position = true});
  for (const int d : {3, 6}) {
    const std::string in = d == 3 ? "" : "_wide";
    add("none" + in, {.d = d, .blocks = 3, .hidden = 40, .interaction = A::none});
    add("attraction" + in, {.d = d, .blocks = 3, .hidden = 40, .interaction = A::attraction});
    add("uniform" + in, {.d = d, .blocks = 3, .hidden = 40, .interaction = A::uniform});
    add("dropout" + in, {.d = d, .blocks = 3, .hidden = 40}, {.dropout = 0.1});
    add("target" + in, {.d = d, .blocks = 3, .hidden = 40}, {.loss = Objective::target});
    add("padded" + in, {.d = d, .blocks = 3, .hidden = 40},
        {.loss = Objective::target, .padded = true});
    add("no_feed_forward" + in, {.d = d, .blocks = 3, .hidden = 0});
    add("no_feed_forward_uniform" + in,
        {.d = d, .blocks = 3, .hidden = 0, .interaction = A::uniform});
    add("words" + in,
        {.d = d, .blocks = 3, .hidden = 40, .position = true, .vocabulary = testing::kWords});
    add("words_places" + in, {.d = d,
                              .blocks = 3,
                              .hidden = 40,
                              .readout = A::asked,
                              .vocabulary = testing::kWords,
                              .places = 120});
    add("words_rotary" + in, {.d = d,
                              .blocks = 3,
                              .hidden = 40,
                              .heads = 2,
                              .head_width = 5,
                              .readout = A::asked,
                              .vocabulary = testing::kWords,
                              .rotary = true});
    add("rotary_cls" + in, {.d = d, .blocks = 2, .hidden = 20, .readout = A::cls, .rotary = true},
        {.dropout = 0.1});
    add("words_asked" + in,
        {.d = d, .blocks = 3, .hidden = 40, .readout = A::asked, .vocabulary = testing::kWords});
    add("words_cls" + in,
        {.d = d, .blocks = 3, .hidden = 40, .readout = A::cls, .vocabulary = testing::kWords});
    add("asked_target" + in, {.d = d, .blocks = 3, .hidden = 40, .readout = A::asked},
        {.loss = Objective::target});
    for (const bool shared : {true, false})
      add((shared ? "settle_shared" : "settle_free") + in,
          {.d = d, .blocks = 5, .shared = shared, .hidden = 40}, {.settle = 0.7}, 3);
    add("settle_cls_target" + in, {.d = d, .blocks = 4, .hidden = 40, .readout = A::cls},
        {.loss = Objective::target, .settle = 2, .settle_from = 2});
    add("settle_uniform" + in, {.d = d, .blocks = 3, .hidden = 40, .interaction = A::uniform},
        {.settle = 2});
    add("ten_classes" + in, {.d = d, .blocks = 3, .hidden = 40}, {.smoothing = 0.1}, 10);
  }
  return all;
}

class Adjoints : public ::testing::TestWithParam<Case> {};

TEST_P(Adjoints, LossGradientAndReadoutAgreeWithThePlainLoops) {
  const auto& [name, a, objective] = GetParam();
  const auto adjoint = make_adjoint(a, 2);
  expect_as_defined(*adjoint, a, objective, some_samples(a.targets.rows), 5e-5);
}

TEST_P(Adjoints, ThreadsNeverShow) {
  const auto& [name, a, objective] = GetParam();
  const std::vector<float> parameters = initial_parameters(a, 2);
  const Samples samples = some_samples(a.targets.rows);
  std::vector<float> one(parameters.size()), many(parameters.size());
  const BatchResult alone =
      make_adjoint(a, 1)->backward(parameters, samples.batch(a), objective, one);
  for (const int threads : {2, 3, 7}) {
    const auto adjoint = make_adjoint(a, threads);
    for (int again = 0; again < 2; ++again) {
      const BatchResult result = adjoint->backward(parameters, samples.batch(a), objective, many);
      EXPECT_EQ(result.loss, alone.loss);
      EXPECT_EQ(many, one) << threads;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Adjoints, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace murmur
