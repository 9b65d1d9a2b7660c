// ways_test.cpp: harmonics, transforms, cells and pairs sum the same, on threads and ranks alike.
#include <gtest/gtest.h>

#include <cmath>

#include "contenders.h"
#include "engine/moments/head_sums.h"
#include "engine/moments/moments.h"
#include "murmur/error.h"

namespace murmur::testing {
namespace {

using moments::Way;

HostSwarm drift_of(const HostSwarm& x, const Attention& head, const MomentsChoice& choice,
                   double* worst = nullptr) {
  const auto engine = make_moments_engine(choice);
  const auto field = engine->prepare(dynamics_of(head), x.shape());
  const auto at = engine->place(x), a = engine->place(x);
  field->drift(0, 0, *at, *a);
  if (worst != nullptr) *worst = field->error_bound()->worst;
  return engine->fetch(*a);
}

TEST(Ways, AgreeWithinTheirBoundsOnEveryInstructionSet) {
  for (const std::int64_t target : compiled_targets()) {
    const OnTarget on(target);
    for (const int d : {2, 3, 4, 5})
      for (const double beta : {0.0, 2.0, -3.0}) {
        const HostSwarm x = random_sphere({2300, d}, 3);
        Attention head{.beta = beta};
        head.value_bias.assign(d, 0.5);  // on the circle too a head that is no Fourier series
        double bound = 0;
        const HostSwarm pairs = drift_of(x, head, {.way = Way::pairs}, &bound);
        for (const Way way : {Way::harmonics, Way::transform, Way::cells}) {
          double worst = 0;
          const HostSwarm a =
              drift_of(x, head, {.pairs_above = 1e-10, .threads = 2, .way = way}, &worst);
          EXPECT_LE(worst, 1e-9);
          EXPECT_LE(largest_difference(a, pairs), worst + bound) << d << " " << beta;
        }
      }
  }
}

TEST(Ways, GiveTheSameBitsForAnyThreadCount) {
  for (const int d : {2, 3, 4}) {
    const HostSwarm x = random_sphere({70'000, d}, 5);
    for (const Way way : {Way::harmonics, Way::transform}) {
      if (d == 4 && way == Way::transform) continue;
      const auto bits = [&](int threads) {
        return to_rows(drift_of(x, {.beta = 2}, {.threads = threads, .way = way}));
      };
      const std::vector<double> one = bits(1);
      EXPECT_EQ(one, bits(2)) << d;
      EXPECT_EQ(one, bits(5)) << d;
    }
  }
}

// Sharp heads on the circle, whose series are long: transforms beside pairs.
TEST(Ways, TransformsServeAnyBetaOnTheCircle) {
  for (const double beta : {1.0, 60.0, 900.0, 2e4, -40.0})
    for (const bool gathered : {false, true}) {
      HostSwarm x = random_sphere({3000, 2}, 11);
      for (int i = 0; gathered && i < x.n(); ++i) {
        const double angle = 0.02 * (i % 7) + 1e-4 * i;
        x.at(i, 0) = std::cos(angle), x.at(i, 1) = std::sin(angle);
      }
      const Attention head{.beta = beta};
      double bound = 0, worst = 0;
      const HostSwarm pairs = drift_of(x, head, {.pairs_above = 1e-8, .way = Way::pairs}, &bound);
      const HostSwarm a = drift_of(x, head, {.pairs_above = 1e-8, .way = Way::transform}, &worst);
      EXPECT_LE(worst, 1e-7) << beta;
      EXPECT_LE(largest_difference(a, pairs), worst + bound) << beta << " " << gathered;
      const moments::CircleTransform sums(std::fabs(beta), 1e-14);
      EXPECT_GE(sums.cells(), 4 * sums.degree());
    }
}

// What two ranks would add: the second gets what the first has left here.
class TwoRanks final : public moments::Reduction {
 public:
  void sum(std::span<moments::Fixed> parts) const override {
    kept_.resize(parts.size());
    for (std::size_t e = 0; e < parts.size(); ++e) kept_[e] = parts[e] += kept_[e];
  }
  double largest(double here) const override { return most_ = std::fmax(most_, here); }
  const HostSwarm& everybody(const HostSwarm& own, bool) const override { return own; }
  std::vector<double> gathered(std::span<const double> own, std::size_t& first) const override {
    first = 0;
    return {own.begin(), own.end()};
  }

 private:
  mutable std::vector<moments::Fixed> kept_{};
  mutable double most_ = 0;
};

HostSwarm rows_of(const HostSwarm& x, int first, int last) {
  HostSwarm part({last - first, x.d()});
  for (int i = first; i < last; ++i) {
    for (int k = 0; k < x.d(); ++k) part.at(i - first, k) = x.at(i, k);
    part.mass[i - first] = x.mass[i];
  }
  return part;
}

TEST(Ways, SumTheSameBitsWhateverRankHasWhichBlocks) {
  const HostSwarm x = random_sphere({10'000, 3}, 8);
  const moments::HarmonicSums sums(3, 12);
  const moments::HarmonicMoments whole = sums.moments_of(x, 2, nullptr);
  for (const int first : {2048, 6144}) {
    const TwoRanks ranks;
    sums.moments_of(rows_of(x, 0, first), 1, &ranks);
    const moments::HarmonicMoments both = sums.moments_of(rows_of(x, first, x.n()), 1, &ranks);
    EXPECT_EQ(both.values, whole.values);
    EXPECT_EQ(both.off, whole.off);
  }
}

TEST(Ways, AreWeighedByTheirCost) {
  const auto first = [](int n, int d, double reach, bool one_length) {
    moments::SumsSetup setup{.shape = {n, d}, .reach = reach};
    if (one_length) setup.length = reach;
    return moments::ways_of(setup).front().way;
  };
  EXPECT_EQ(first(100, 3, 9, true), Way::pairs);
  EXPECT_EQ(first(4000, 3, 9, true), Way::harmonics);
  EXPECT_EQ(first(1'000'000, 3, 100, true), Way::transform);
  EXPECT_EQ(first(1'000'000, 2, 9, true), Way::harmonics);
  EXPECT_EQ(first(1'000'000, 2, 1000, true), Way::transform);
  EXPECT_EQ(first(1'000'000, 3, 50, false), Way::harmonics);
  EXPECT_EQ(first(1'000'000, 3, 1e4, false), Way::cells);
  EXPECT_EQ(moments::ways_of({.shape = {100'000, 3}, .sphere = false}).front().way, Way::cells);
  // What transforms does not bound well enough is a series' from the start.
  moments::SumsSetup fine{.shape = {1'000'000, 3}, .reach = 9, .length = 9, .tolerance = 1e-12};
  EXPECT_EQ(moments::ways_of(fine).front().way, Way::harmonics);
  fine.tolerance = 1e-10;
  EXPECT_EQ(moments::ways_of(fine).front().way, Way::transform);
}

// All scores far below 0, where particles without mass, and those that fill a tile up, score more.
TEST(Ways, HearNothingOfWhoHasNoMass) {
  HostSwarm x({57, 2});
  for (int i = 0; i < x.n(); ++i) {
    x.at(i, 0) = std::cos(0.001 * i);
    x.at(i, 1) = std::sin(0.001 * i);
  }
  for (int k = 0; k < 2; ++k) x.at(5, k) = -x.at(0, k);
  x.mass.assign(57, 1.0 / 56);
  x.mass[5] = 0;
  for (const Way way : {Way::harmonics, Way::transform, Way::cells, Way::pairs}) {
    const HostSwarm a = drift_of(x, {.beta = -2000}, {.pairs_above = 1e-8, .way = way});
    for (int i = 0; i < x.n(); ++i) {
      const double length = std::hypot(a.at(i, 0), a.at(i, 1));
      EXPECT_NEAR(length, 1, 1e-3) << i << " way " << static_cast<int>(way);
      EXPECT_GT(a.at(i, 0), 0.9) << i;
    }
  }
}

// A swarm that has left all bounds ends a run; it does not end the program.
TEST(Ways, OfWhatIsNoNumberAreNone) {
  HostSwarm x = random_sphere({3000, 3}, 2);
  x.at(17, 1) = std::nan("");
  for (const Way way : {Way::harmonics, Way::transform, Way::cells, Way::pairs})
    EXPECT_TRUE(std::isnan(drift_of(x, {.beta = 2}, {.way = way}).at(0, 0)));
}

TEST(Ways, RefuseWhatDoubleCannotReach) {
  EXPECT_THROW(make_moments_engine({.pairs_above = 1e-14}), Error);
  const auto engine = make_moments_engine({.pairs_above = 1e-12});
  EXPECT_FALSE(engine->unsupported_reason(dynamics_of(Attention{.beta = 100}), {100, 3}));
  const auto reason = engine->unsupported_reason(dynamics_of(Attention{.beta = 1e5}), {100, 3});
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->what.find("scores"), std::string::npos) << reason->what;
}

}  // namespace
}  // namespace murmur::testing
