// learn_rnn_test.cpp: the one-rnn model: its size, gradient, threads and forgetting.
#include <gtest/gtest.h>

#include "learn/recurrent.h"
#include "learn_samples.h"
#include "murmur/error.h"

namespace murmur::testing {
namespace {

std::vector<double> parameters_of(const Rnn& m) {
  const std::vector<float> start = initial_parameters(m, 3);
  return {start.begin(), start.end()};
}

TEST(Rnn, IsAsLargeAsTheSwarm) {
  EXPECT_EQ(rnn_near(3635, {.classes = 2}).hidden, 58);
  EXPECT_EQ(parameter_count(Rnn{58, 2}), 3656u);
  for (const std::size_t wanted : {10u, 100u, 3635u, 36350u}) {
    const Rnn m = rnn_near(wanted, {.classes = 10});
    const auto miss = [&](int hidden) {
      return std::abs(static_cast<double>(parameter_count(Rnn{hidden, 10})) -
                      static_cast<double>(wanted));
    };
    for (int hidden = 1; hidden < 400; ++hidden) EXPECT_LE(miss(m.hidden), miss(hidden));
  }
}

TEST(Rnn, GradientAgreesWithCentralDifferences) {
  for (const int classes : {2, 4}) {
    const Rnn m{6, classes};
    const Samples samples({4, 1, 9}, classes, 10);
    const Batch batch = samples.batch();
    const std::vector<double> parameters = parameters_of(m);
    std::vector<double> gradient(parameters.size()), unused(parameters.size());
    const Objective objective{.smoothing = 0.1};
    reference_backward(m, parameters, batch, objective, gradient);
    expect_central_differences(layout(m), parameters, gradient, [&](const auto& moved) {
      return reference_backward(m, moved, batch, objective, unused).loss;
    });
  }
}

// Words start at rows of a table; the asked one is read a second time.
TEST(Rnn, TheTableOfWordsIsLearnedToo) {
  const Rnn m{.hidden = 6, .vocabulary = Samples::kWords, .width = 3};
  const Samples samples({4, 1, 9}, 2);
  Batch batch = samples.batch({.vocabulary = Samples::kWords});
  const std::vector<double> parameters = parameters_of(m);
  std::vector<double> gradient(parameters.size()), other(parameters.size());
  const double loss = reference_backward(m, parameters, batch, {}, gradient).loss;
  EXPECT_EQ(layout(m).back().name, "words");
  expect_central_differences(layout(m), parameters, gradient, [&](const auto& moved) {
    return reference_backward(m, moved, batch, {}, other).loss;
  });
  std::vector<float> single(parameters.begin(), parameters.end()), fast(parameters.size());
  EXPECT_NEAR(make_adjoint(m, 2)->backward(single, batch, {}, fast).loss, loss, 1e-5 * loss);
  const std::vector<int> elsewhere(samples.label.size(), 0);
  batch.asked = elsewhere;
  EXPECT_NE(reference_backward(m, parameters, batch, {}, other).loss, loss);
  EXPECT_EQ(rnn_near(parameter_count(m), {.vocabulary = m.vocabulary, .width = 3}).hidden, 6);
}

TEST(Rnn, SinglePrecisionAgreesAndThreadsDoNotShow) {
  const Rnn m{};
  std::vector<int> sizes;
  for (int k = 0; k < 37; ++k) sizes.push_back(1 + 13 * k % 90);
  const Samples samples(sizes, 2, 10);
  const Batch batch = samples.batch();
  const std::vector<float> parameters = initial_parameters(m, 3);
  std::vector<double> wanted(parameters.size());
  const BatchResult truth = reference_backward(m, parameters_of(m), batch, {}, wanted);
  std::vector<float> one(parameters.size()), many(parameters.size());
  std::vector<float> logits(2 * sizes.size()), again(2 * sizes.size());
  const BatchResult result = make_adjoint(m, 1)->backward(parameters, batch, {}, one);
  make_adjoint(m, 1)->forward(parameters, batch, logits);
  EXPECT_NEAR(result.loss, truth.loss, 1e-5 * truth.loss);
  EXPECT_EQ(result.correct, truth.correct);
  for (const TensorPlace& place : layout(m)) {
    std::vector<double> apart(place.size());
    for (std::size_t e = 0; e < apart.size(); ++e)
      apart[e] = one[place.offset + e] - wanted[place.offset + e];
    EXPECT_LE(norm(apart, 0, apart.size()), 1e-5 * norm(wanted, place.offset, place.size()))
        << place.name;
  }
  for (const int threads : {2, 3, 7}) {
    EXPECT_EQ(make_adjoint(m, threads)->backward(parameters, batch, {}, many).loss, result.loss);
    make_adjoint(m, threads)->forward(parameters, batch, again);
    EXPECT_EQ(many, one);
    EXPECT_EQ(again, logits);
  }
}

// With small memory the tokens visited first are forgotten; the last is remembered best.
TEST(Rnn, ForgetsTheFirstBoids) {
  const Rnn m{4, 2};
  std::vector<double> parameters = parameters_of(m);
  for (const TensorPlace& place : layout(m))
    if (place.name == "memory")
      for (std::size_t e = 0; e < place.size(); ++e) parameters[place.offset + e] *= 0.3;
  const Samples samples({30}, 2, 10);
  const std::vector<double> reach = influence(m, parameters, samples.batch());
  ASSERT_EQ(reach.size(), 30u);
  EXPECT_GT(reach[29], 0);
  EXPECT_LT(reach[0], 1e-6 * reach[29]);
}

// No memory at all: logits = W_o tanh(W_x p / 10 + b) + b_o of the last token alone.
TEST(Rnn, InfluenceInClosedForm) {
  const Rnn m{1, 2};
  const std::vector<double> parameters{0.5, -1, 0, 0.25, 2, -3, 0, 0};
  const std::vector<float> x{1, 4}, y{2, -3};
  const std::vector<std::size_t> first{0, 2}, chosen{0};
  const Batch one{.x = x, .y = y, .first = first, .chosen = chosen};
  const std::vector<double> reach = influence(m, parameters, one);
  const double h = std::tanh(0.5 * 0.4 + 0.3 + 0.25);
  EXPECT_EQ(reach[0], 0);
  EXPECT_NEAR(reach[1], (1 - h * h) * std::sqrt(1.25 * 13) / 10, 1e-15);
}

TEST(Rnn, RefusesWhatItCannotDo) {
  const Rnn m{};
  const Samples samples({3});
  const std::vector<float> parameters = initial_parameters(m, 0);
  std::vector<float> gradient(parameters.size());
  EXPECT_THROW(make_adjoint(m, 1)->backward(parameters, samples.batch(),
                                            {.loss = Objective::target}, gradient),
               Error);
  EXPECT_THROW(make_adjoint(Rnn{0, 2}, 1), Error);
}

}  // namespace
}  // namespace murmur::testing
