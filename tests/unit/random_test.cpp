// random_test.cpp: Philox against its published vectors, and the laws and the names of the draws.
#include "murmur/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <set>

namespace murmur {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Known answers of Random123 for philox4x32-10.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Draw, CounterIsParticleStepReplicaPurposeAndKeyIsSeed) {
  const Draw who{0x0123456789abcdef, Stream::value, 3, 5, 7};
  EXPECT_EQ(who.bits(11), philox({3, 5, 7, 4u << 16 | 11}, {0x89abcdef, 0x01234567}));
}

TEST(Draw, EveryPartOfTheNameMatters) {
  const Draw base{1, Stream::position, 1, 1, 1};
  std::set<Words> seen{base.bits(0), base.bits(1)};
  for (const Draw other :
       {Draw{2, Stream::position, 1, 1, 1}, Draw{1, Stream::query, 1, 1, 1},
        Draw{1, Stream::position, 2, 1, 1}, Draw{1, Stream::position, 1, 2, 1},
        Draw{1, Stream::position, 1, 1, 2}, Draw{1 + (1ull << 32), Stream::position, 1, 1, 1}}) {
    seen.insert(other.bits(0));
  }
  EXPECT_EQ(seen.size(), 8u);
}

TEST(Draw, OrderOfCallsDoesNotMatter) {
  constexpr int particles = 100;
  std::array<double, particles> forward, backward;
  for (int i = 0; i < particles; ++i) {
    forward[i] = Draw{.seed = 9, .particle = static_cast<std::uint32_t>(i)}.normal(2);
  }
  for (int i = particles - 1; i >= 0; --i) {
    const Draw who{.seed = 9, .particle = static_cast<std::uint32_t>(i)};
    who.uniform(0);
    backward[i] = who.normal(2);
  }
  EXPECT_EQ(forward, backward);
}

constexpr std::uint32_t samples = 400'000;

// Moments 1 to 4 of the samples, and the mean product of each with its neighbour.
template <class Sample>
std::array<double, 5> moments(Sample sample) {
  std::array<double, 5> m{};
  double before = sample(samples);
  for (std::uint32_t i = 0; i < samples; ++i) {
    const double x = sample(i);
    m[0] += x, m[1] += x * x, m[2] += x * x * x, m[3] += x * x * x * x, m[4] += x * before;
    before = x;
  }
  for (double& value : m) value /= samples;
  return m;
}

// Tolerances are five standard deviations of the mean of that many samples.
const double five_sigma = 5 / std::sqrt(static_cast<double>(samples));

TEST(Draw, UniformHasTheMomentsOfTheUnitInterval) {
  const auto m = moments([](std::uint32_t i) { return Draw{.seed = 4, .particle = i}.uniform(0); });
  EXPECT_NEAR(m[0], 1.0 / 2, five_sigma * std::sqrt(1.0 / 12));
  EXPECT_NEAR(m[1], 1.0 / 3, five_sigma * std::sqrt(4.0 / 45));
  EXPECT_NEAR(m[2], 1.0 / 4, five_sigma * std::sqrt(9.0 / 112));
  EXPECT_NEAR(m[3], 1.0 / 5, five_sigma * std::sqrt(16.0 / 225));
  EXPECT_NEAR(m[4], 1.0 / 4, five_sigma * 0.32);
}

TEST(Draw, UniformUsesAll53BitsAndStaysInside) {
  std::uint64_t seen = 0;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const double u = Draw{.seed = 5, .step = i}.uniform(1);
    ASSERT_TRUE(u > 0 && u < 1);
    const double k = u * 0x1p53;
    ASSERT_EQ(k, std::floor(k));
    seen |= static_cast<std::uint64_t>(k);
  }
  EXPECT_EQ(seen, (1ull << 53) - 1);
}

TEST(Draw, NormalHasTheMomentsOfTheGaussian) {
  const auto m = moments([](std::uint32_t i) { return Draw{.seed = 6, .step = i}.normal(3); });
  EXPECT_NEAR(m[0], 0, five_sigma);
  EXPECT_NEAR(m[1], 1, five_sigma * std::sqrt(2.0));
  EXPECT_NEAR(m[2], 0, five_sigma * std::sqrt(15.0));
  EXPECT_NEAR(m[3], 3, five_sigma * std::sqrt(96.0));
  EXPECT_NEAR(m[4], 0, five_sigma);
}

// Share of the samples below each point against Phi(point) = (1 + erf(point / sqrt 2)) / 2.
TEST(Draw, NormalFollowsTheGaussianDistribution) {
  for (const double point : {-2.5, -1.0, -0.3, 0.0, 0.6, 1.4, 3.0}) {
    int below = 0;
    for (std::uint32_t i = 0; i < samples / 4; ++i) {
      below += Draw{.seed = 8, .particle = i, .replica = 1}.normal(0) < point;
    }
    const double share = (1 + std::erf(point / std::sqrt(2.0))) / 2;
    EXPECT_NEAR(below / (samples / 4.0), share, 2 * five_sigma * std::sqrt(share * (1 - share)));
  }
}

// FNV-1a over 10,000 normal draws: the same swarm begins every experiment on every machine.
TEST(Draw, NormalBitsAreTheSameOnEveryCompiler) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const double x = Draw{.seed = 42, .particle = i}.normal(0);
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ (bits >> 8 * byte & 255)) * 0x100000001b3;
    }
  }
  EXPECT_EQ(hash, 0xc212507d7fdaa0afu);
}

}  // namespace
}  // namespace murmur
