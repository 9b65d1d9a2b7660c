// learn_messenger_test.cpp: the one-messenger model: its size, gradient, threads and forgetting.
#include <gtest/gtest.h>

#include "learn_flocks.h"
#include "murmur/error.h"
#include "murmur/messenger.h"

namespace murmur::testing {
namespace {

std::vector<double> parameters_of(const Messenger& m) {
  const std::vector<float> start = initial_parameters(m, 3);
  return {start.begin(), start.end()};
}

TEST(Messenger, IsAsLargeAsTheSwarm) {
  EXPECT_EQ(messenger_near(3635, 2).hidden, 58);
  EXPECT_EQ(parameter_count(Messenger{58, 2}), 3656u);
  for (const std::size_t wanted : {10u, 100u, 3635u, 36350u}) {
    const Messenger m = messenger_near(wanted, 10);
    const auto miss = [&](int hidden) {
      return std::abs(static_cast<double>(parameter_count(Messenger{hidden, 10})) -
                      static_cast<double>(wanted));
    };
    for (int hidden = 1; hidden < 400; ++hidden) EXPECT_LE(miss(m.hidden), miss(hidden));
  }
}

TEST(Messenger, GradientAgreesWithCentralDifferences) {
  for (const int classes : {2, 4}) {
    const Messenger m{6, classes};
    const Flocks flocks({4, 1, 9}, classes, 10);
    const Batch batch = flocks.batch();
    const std::vector<double> parameters = parameters_of(m);
    std::vector<double> gradient(parameters.size()), unused(parameters.size());
    const Objective objective{.smoothing = 0.1};
    reference_learn(m, parameters, batch, objective, gradient);
    expect_central_differences(layout(m), parameters, gradient, [&](const auto& moved) {
      return reference_learn(m, moved, batch, objective, unused).loss;
    });
  }
}

TEST(Messenger, SinglePrecisionAgreesAndThreadsDoNotShow) {
  const Messenger m{};
  std::vector<int> sizes;
  for (int k = 0; k < 37; ++k) sizes.push_back(1 + 13 * k % 90);
  const Flocks flocks(sizes, 2, 10);
  const Batch batch = flocks.batch();
  const std::vector<float> parameters = initial_parameters(m, 3);
  std::vector<double> wanted(parameters.size());
  const Lesson truth = reference_learn(m, parameters_of(m), batch, {}, wanted);
  std::vector<float> one(parameters.size()), many(parameters.size());
  std::vector<float> logits(2 * sizes.size()), again(2 * sizes.size());
  const Lesson lesson = make_adjoint(m, 1)->learn(parameters, batch, {}, one);
  make_adjoint(m, 1)->fly(parameters, batch, logits);
  EXPECT_NEAR(lesson.loss, truth.loss, 1e-5 * truth.loss);
  EXPECT_EQ(lesson.correct, truth.correct);
  for (const TensorPlace& place : layout(m)) {
    std::vector<double> apart(place.size());
    for (std::size_t e = 0; e < apart.size(); ++e)
      apart[e] = one[place.offset + e] - wanted[place.offset + e];
    EXPECT_LE(norm(apart, 0, apart.size()), 1e-5 * norm(wanted, place.offset, place.size()))
        << place.name;
  }
  for (const int threads : {2, 3, 7}) {
    EXPECT_EQ(make_adjoint(m, threads)->learn(parameters, batch, {}, many).loss, lesson.loss);
    make_adjoint(m, threads)->fly(parameters, batch, again);
    EXPECT_EQ(many, one);
    EXPECT_EQ(again, logits);
  }
}

// With small memory the boids visited first are forgotten; the last is remembered best.
TEST(Messenger, ForgetsTheFirstBoids) {
  const Messenger m{4, 2};
  std::vector<double> parameters = parameters_of(m);
  for (const TensorPlace& place : layout(m))
    if (place.name == "memory")
      for (std::size_t e = 0; e < place.size(); ++e) parameters[place.offset + e] *= 0.3;
  const Flocks flocks({30}, 2, 10);
  const std::vector<double> reach = influence(m, parameters, flocks.batch());
  ASSERT_EQ(reach.size(), 30u);
  EXPECT_GT(reach[29], 0);
  EXPECT_LT(reach[0], 1e-6 * reach[29]);
}

// No memory at all: logits = W_o tanh(W_x p / 10 + b) + b_o of the last boid alone.
TEST(Messenger, InfluenceInClosedForm) {
  const Messenger m{1, 2};
  const std::vector<double> parameters{0.5, -1, 0, 0.25, 2, -3, 0, 0};
  const std::vector<float> x{1, 4}, y{2, -3};
  const std::vector<std::size_t> first{0, 2}, chosen{0};
  const Batch one{.x = x, .y = y, .first = first, .chosen = chosen};
  const std::vector<double> reach = influence(m, parameters, one);
  const double h = std::tanh(0.5 * 0.4 + 0.3 + 0.25);
  EXPECT_EQ(reach[0], 0);
  EXPECT_NEAR(reach[1], (1 - h * h) * std::sqrt(1.25 * 13) / 10, 1e-15);
}

TEST(Messenger, RefusesWhatItCannotDo) {
  const Messenger m{};
  const Flocks flocks({3});
  const std::vector<float> parameters = initial_parameters(m, 0);
  std::vector<float> gradient(parameters.size());
  EXPECT_THROW(
      make_adjoint(m, 1)->learn(parameters, flocks.batch(), {.loss = Objective::target}, gradient),
      Error);
  EXPECT_THROW(make_adjoint(Messenger{0, 2}, 1), Error);
}

}  // namespace
}  // namespace murmur::testing
