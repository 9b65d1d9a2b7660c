// learn_adjoint_test.cpp: the fast adjoint against the reference, in every setting, for any
// threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learn_flocks.h"

namespace murmur::testing {
namespace {

constexpr double kClose = 1e-4;  // single precision over a whole flight and back

std::vector<float> single(const std::vector<double>& v) { return {v.begin(), v.end()}; }
std::vector<double> twofold(const std::vector<float>& v) { return {v.begin(), v.end()}; }

// Sizes around the widths of vectors, one large, one alone.
Flocks mixed_flocks(const Architecture& a) {
  return Flocks({1, 7, 16, 17, 33, 5, 120, 8, 15, 31, 2}, a.targets.rows, 6);
}

void expect_agreement(const Architecture& a, const Objective& objective) {
  SCOPED_TRACE(fmt::format(
      "d {} blocks {} shared {} heads {} hidden {} interaction {} readout {} position {} loss {} "
      "padded {} dropout {}",
      a.d, a.blocks, a.shared, a.heads, a.hidden, static_cast<int>(a.interaction),
      static_cast<int>(a.readout), a.position, static_cast<int>(objective.loss), objective.padded,
      objective.dropout));
  const Flocks flocks = mixed_flocks(a);
  const Batch batch = flocks.batch();
  const std::vector<float> parameters = single(lively_parameters(a, 6));
  std::vector<double> wanted(parameters.size()), end(flocks.chosen.size() * a.d);
  std::vector<float> got(parameters.size()), readout(end.size());
  const auto adjoint = make_adjoint(a, 2);
  const Lesson truth = reference_learn(a, twofold(parameters), batch, objective, wanted);
  const Lesson lesson = adjoint->learn(parameters, batch, objective, got);
  EXPECT_NEAR(lesson.loss, truth.loss, kClose * truth.loss);
  EXPECT_EQ(lesson.correct, truth.correct);
  const double whole = norm(wanted, 0, wanted.size());
  for (const TensorPlace& place : layout(a)) {
    std::vector<double> apart;
    for (std::size_t e = place.offset; e < place.offset + place.size(); ++e)
      apart.push_back(got[e] - wanted[e]);
    EXPECT_LE(norm(apart, 0, apart.size()),
              kClose * (norm(wanted, place.offset, place.size()) + 1e-3 * whole))
        << place.name;
  }
  reference_fly(a, twofold(parameters), batch, end);
  adjoint->fly(parameters, batch, readout);
  for (std::size_t e = 0; e < end.size(); ++e)
    EXPECT_NEAR(readout[e], end[e], kClose * std::max(1.0, std::abs(end[e])));
}

Architecture swarm(int d, int heads = 1) {
  return {.d = d, .blocks = 3, .hidden = 37, .heads = heads, .targets = spread_targets(3, d)};
}

TEST(Adjoint, EveryInteractionAndReadout) {
  for (const int d : {2, 3, 4, 5, 12})
    for (int interaction = Architecture::none; interaction <= Architecture::attention;
         ++interaction)
      for (const auto readout : {Architecture::mean, Architecture::cls})
        for (const bool shared : {true, false}) {
          Architecture a = swarm(d);
          a.interaction = static_cast<Architecture::Interaction>(interaction);
          a.readout = readout;
          a.shared = shared;
          expect_agreement(a, {});
        }
}

TEST(Adjoint, EveryObjective) {
  for (const auto& [d, heads] : {std::pair{2, 2}, {3, 1}, {3, 3}, {4, 2}, {12, 4}})
    for (const auto readout : {Architecture::mean, Architecture::cls}) {
      Architecture a = swarm(d, heads);
      a.readout = readout;
      a.position = true;
      expect_agreement(a, {.loss = Objective::target});
      expect_agreement(a, {.loss = Objective::target, .padded = true, .dropout = 0.1});
      expect_agreement(a, {.dropout = 0.4, .smoothing = 0.1});
    }
}

TEST(Adjoint, UniformMessagesAreNotDropped) {
  for (const int d : {3, 6}) {
    Architecture a = swarm(d);
    a.interaction = Architecture::uniform;
    expect_agreement(a, {.dropout = 0.5});
  }
}

TEST(Adjoint, PublishedSize) {
  expect_agreement({.targets = third_axis_targets(3)},
                   {.loss = Objective::target, .padded = true, .dropout = 0.1});
}

TEST(Adjoint, ThreadsDoNotShow) {
  for (const int d : {3, 12}) {
    const Architecture a = swarm(d);
    const Flocks flocks = mixed_flocks(a);
    const std::vector<float> parameters = single(lively_parameters(a, 6));
    const auto learned = [&](int threads) {
      std::vector<float> gradient(parameters.size());
      const Lesson lesson =
          make_adjoint(a, threads)->learn(parameters, flocks.batch(), {.dropout = 0.1}, gradient);
      gradient.push_back(static_cast<float>(lesson.loss));
      return gradient;
    };
    const std::vector<float> one = learned(1);
    for (const int threads : {2, 3, 7}) EXPECT_EQ(learned(threads), one) << threads;
  }
}

}  // namespace
}  // namespace murmur::testing
