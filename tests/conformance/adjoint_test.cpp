// adjoint_test.cpp: the fast flight and hindsight agree with the plain ones, for any threads.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "murmur/learn.h"
#include "murmur/random.h"

namespace murmur {
namespace {

struct Flocks {
  std::vector<float> x, y, shift;
  std::vector<std::size_t> first{0}, chosen;
  std::vector<int> label;

  Batch batch() const { return {x, y, first, label, chosen, shift, 5, 11}; }
};

// Flocks of every size that a kernel's tiles treat apart, in a scrambled order.
Flocks some_flocks(int classes) {
  Flocks f;
  const int sizes[] = {1, 7, 16, 17, 98, 33, 64, 2, 49, 80, 120, 5};
  std::uint32_t number = 0;
  for (const int size : sizes) {
    for (int i = 0; i < size; ++i, ++number) {
      const Draw draw{3, Stream::position, number};
      f.x.push_back(static_cast<float>(20 * draw.uniform(0) - 10));
      f.y.push_back(static_cast<float>(20 * draw.uniform(1) - 10));
    }
    f.first.push_back(f.x.size());
    f.label.push_back(static_cast<int>(f.label.size()) % classes);
  }
  for (std::size_t k = 0; k < std::size(sizes); ++k) {
    f.chosen.push_back(k * 5 % std::size(sizes));
    f.shift.push_back(0.25f * static_cast<float>(k % 3));
    f.shift.push_back(-0.5f * static_cast<float>(k % 2));
  }
  return f;
}

struct Case {
  std::string name;
  Architecture architecture;
  Objective objective{};
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

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
    add("ten_classes" + in, {.d = d, .blocks = 3, .hidden = 40}, {.smoothing = 0.1}, 10);
  }
  return all;
}

class Adjoints : public testing::TestWithParam<Case> {};

double length(std::span<const double> a) {
  double square = 0;
  for (const double v : a) square += v * v;
  return std::sqrt(square);
}

double gap(std::span<const float> a, std::span<const double> b) {
  std::vector<double> difference(b.size());
  for (std::size_t k = 0; k < b.size(); ++k) difference[k] = a[k] - b[k];
  return length(difference);
}

TEST_P(Adjoints, LossGradientAndReadoutAgreeWithThePlainLoops) {
  const auto& [name, a, objective] = GetParam();
  const std::vector<float> parameters = initial_parameters(a, 1);
  const std::vector<double> doubles(parameters.begin(), parameters.end());
  const Flocks flocks = some_flocks(a.targets.rows);
  std::vector<double> expected(parameters.size()), places(flocks.chosen.size() * a.d);
  std::vector<float> gradient(parameters.size()), readout(places.size());
  const Lesson plain = reference_learn(a, doubles, flocks.batch(), objective, expected);
  const auto adjoint = make_adjoint(a, 2);
  const Lesson fast = adjoint->learn(parameters, flocks.batch(), objective, gradient);
  EXPECT_NEAR(fast.loss, plain.loss, 2e-6 * std::fabs(plain.loss));
  EXPECT_EQ(fast.correct, plain.correct);
  double before = 0;  // length of the tensor before: of the key, at its bias
  for (const TensorPlace& t : layout(a)) {
    const std::span<const double> e(expected.data() + t.offset, t.size());
    const std::span<const float> g(gradient.data() + t.offset, t.size());
    // b_K adds <q_i, b_K> to every score of row i, which the softmax does not see.
    const bool unseen = t.name.ends_with("key_bias");
    if (unseen) {
      EXPECT_LT(length(e), 1e-12 * before);
    }
    EXPECT_LT(gap(g, e), 5e-5 * (unseen ? before : length(e))) << t.name;
    before = length(e);
  }
  reference_fly(a, doubles, flocks.batch(), places);
  adjoint->fly(parameters, flocks.batch(), readout);
  EXPECT_LT(gap(readout, places), 1e-6 * length(places));
}

TEST_P(Adjoints, ThreadsNeverShow) {
  const auto& [name, a, objective] = GetParam();
  const std::vector<float> parameters = initial_parameters(a, 2);
  const Flocks flocks = some_flocks(a.targets.rows);
  std::vector<float> one(parameters.size()), many(parameters.size());
  const Lesson alone = make_adjoint(a, 1)->learn(parameters, flocks.batch(), objective, one);
  for (const int threads : {2, 3, 7}) {
    const auto adjoint = make_adjoint(a, threads);
    for (int again = 0; again < 2; ++again) {
      const Lesson lesson = adjoint->learn(parameters, flocks.batch(), objective, many);
      EXPECT_EQ(lesson.loss, alone.loss);
      EXPECT_EQ(many, one) << threads;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Adjoints, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace murmur
