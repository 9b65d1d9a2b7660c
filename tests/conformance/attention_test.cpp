// attention_test.cpp: attention on every engine against the reference, feature by feature.
#include <random>

#include "contenders.h"

namespace murmur::testing {
namespace {

const std::vector<double> kBetas = {-3, 0, 1, 4, 20, 100, 1e3, 1e4};

HostSwarm in_space(Shape shape, std::uint64_t seed) {
  HostSwarm x = random_sphere(shape, seed);
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < x.d(); ++k) x.at(i, k) *= 0.2 + 1.6 * (i % 7) / 6.0;
  return x;
}

// Particles within `spread` of `centres` points: close pairs, and with 0 duplicates.
HostSwarm clustered(Shape shape, int centres, double spread) {
  const HostSwarm about = random_sphere({centres, shape.d}, 11);
  const HostSwarm by = random_sphere(shape, 12);
  HostSwarm x(shape);
  for (int i = 0; i < x.n(); ++i) {
    for (int k = 0; k < x.d(); ++k) x.at(i, k) = about.at(i % centres, k) + spread * by.at(i, k);
    const double size = std::sqrt(dot(x, i, i));
    for (int k = 0; k < x.d(); ++k) x.at(i, k) /= size;
  }
  return x;
}

HostSwarm antipodal(Shape shape) {
  HostSwarm x = clustered(shape, 1, 1e-3);
  for (int i = 0; i < x.n(); i += 2)
    for (int k = 0; k < x.d(); ++k) x.at(i, k) = -x.at(i, k);
  return x;
}

void weigh_unevenly(HostSwarm& x) {
  double total = 0;
  for (int i = 0; i < x.n(); ++i) total += x.mass[i] = std::pow(10.0, -(i % 5));
  for (double& m : x.mass) m /= total;
}

Vector random_vector(int n, std::uint64_t seed) { return random_matrix(1, n, seed, 0.5).data; }

TEST(Attention, SizesAndDimensions) {
  for (const int d : {1, 2, 3, 4, 5, 17, 64, 100})
    for (const int n : {1, 7, 8, 9, 64, 65, 1000}) {
      SCOPED_TRACE(::testing::Message() << "n = " << n << ", d = " << d);
      const HostSwarm x = random_sphere({n, d}, 1);
      expect_agreement(sa(4), x);
      if (n < 1000) expect_agreement(usa(2), x);
    }
}

// Large swarms of few dimensions meet themselves by strips of blocks; 1,000 is no whole number.
TEST(Attention, MutualScores) {
  for (const int d : {2, 3, 4})
    for (const int n : {256, 1000, 2111})
      for (const double beta : {-5.0, 1.0, 12.0}) {
        SCOPED_TRACE(::testing::Message() << "n = " << n << ", d = " << d << ", beta = " << beta);
        expect_agreement(sa(beta), random_sphere({n, d}, 1));
      }
}

TEST(Attention, LargeDimension) { expect_agreement(sa(8), random_sphere({70, 1030}, 1)); }

TEST(Attention, Temperatures) {
  for (const double beta : kBetas)
    for (const int d : {2, 3, 4, 6})
      for (const auto weighting : {Attention::softmax, Attention::unnormalised}) {
        SCOPED_TRACE(::testing::Message()
                     << "beta = " << beta << ", d = " << d << ", " << weighting);
        Dynamics dynamics = dynamics_of(Attention{.beta = beta, .weighting = weighting});
        if (weighting == Attention::unnormalised && beta > 100) dynamics.clock = Clock::u2;
        expect_agreement(dynamics, random_sphere({150, d}, 2));
      }
}

TEST(Attention, PlacesOfParticles) {
  for (const double beta : kBetas)
    for (const int d : {2, 3, 7}) {
      SCOPED_TRACE(::testing::Message() << "beta = " << beta << ", d = " << d);
      const Shape shape{100, d};
      for (const HostSwarm& x : {clustered(shape, 3, 1e-2), clustered(shape, 1, 1e-5),
                                 clustered(shape, 4, 0), antipodal(shape)})
        expect_agreement(sa(beta), x);
      expect_agreement(dynamics_of(Attention{.beta = beta}, Manifold::space), in_space(shape, 3));
    }
}

TEST(Attention, Clocks) {
  for (const Clock clock : {Clock::u1, Clock::u2, Clock::u3})
    for (const double beta : {-3.0, 0.5, 20.0, 1e3, 1e4}) {
      SCOPED_TRACE(::testing::Message() << "u" << 1 + static_cast<int>(clock) << ", " << beta);
      Dynamics dynamics = usa(beta);
      dynamics.clock = clock;
      for (const int d : {3, 8}) expect_agreement(dynamics, random_sphere({90, d}, 4));
    }
}

// The query of a row may point where nobody is: its fixed bound is then far too high.
TEST(Attention, RowsFarBelowTheirBound) {
  for (const double beta : {100.0, 1e3, 1e4})
    for (const int d : {3, 9}) {
      SCOPED_TRACE(::testing::Message() << "beta = " << beta << ", d = " << d);
      for (const bool past : {false, true})
        for (const bool self : {false, true})
          expect_agreement(
              dynamics_of(Attention{.beta = beta,
                                    .query = scaled_identity(d, -1),
                                    .self = self,
                                    .mask = past ? Attention::causal : Attention::none}),
              clustered({80, d}, 1, 0.1));
    }
}

// Every feature in every combination that a seed draws: heads, matrices, biases, masks, masses.
TEST(Attention, Everything) {
  for (int seed = 0; seed < 120; ++seed) {
    std::mt19937 draw(seed);
    const auto pick = [&](auto... of) {
      const std::vector options{of...};
      return options[draw() % options.size()];
    };
    const int d = pick(2, 3, 4, 5, 17, 33), n = pick(1, 7, 9, 64, 130, 200);
    Dynamics dynamics;
    dynamics.manifold = pick(Manifold::sphere, Manifold::space);
    dynamics.clock = pick(Clock::u1, Clock::u2, Clock::u3);
    dynamics.sublayers.resize(1);
    for (int h = pick(1, 2, 3); h > 0; --h) {
      const int k = pick(0, 1, d, d + 3), s = 10 * seed + h;
      Attention a{.beta = pick(-3.0, 0.0, 1.0, 4.0, 20.0, 100.0)};
      if (k > 0) {
        a.query = random_matrix(k, d, s, 0.4);
        a.key = random_matrix(k, d, s + 10'000, 0.4);
      }
      const int keys = k > 0 ? k : d;
      if (draw() % 2) a.query_bias = random_vector(keys, s + 1);
      if (draw() % 2) a.key_bias = random_vector(keys, s + 2);
      if (draw() % 2) a.value = random_matrix(d, d, s + 3);
      if (draw() % 2) a.value_bias = random_vector(d, s + 4);
      a.relative = draw() % 2;
      a.self = draw() % 3;
      a.mask = pick(Attention::none, Attention::causal);
      a.weighting = pick(Attention::softmax, Attention::unnormalised);
      if (dynamics.clock != Clock::u1) a.weighting = Attention::unnormalised;
      dynamics.sublayers[0].forces.push_back(a);
    }
    HostSwarm x = dynamics.manifold == Manifold::sphere ? random_sphere({n, d}, seed)
                                                        : in_space({n, d}, seed);
    if (draw() % 2) weigh_unevenly(x);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", n = " << n << ", d = " << d);
    expect_agreement(dynamics, x);
  }
}

// A particle that is not a number spoils whoever sees it: no engine may hide it.
TEST(Attention, NotANumber) {
  for (const int d : {3, 7})
    for (const double beta : {2.0, 50.0, 1e4})
      for (const double bad : {std::nan(""), HUGE_VAL})
        for (const bool past : {false, true}) {
          HostSwarm x = random_sphere({300, d}, 5);
          x.at(99, 0) = bad;
          const Attention a{.beta = beta, .mask = past ? Attention::causal : Attention::none};
          const auto reference = make_reference_engine();
          const HostSwarm wanted = drift(*reference, dynamics_of(a), x);
          for (const Contender& contender : contenders()) {
            const OnTarget on(contender.target);
            const auto engine = contender.engine(1);
            const HostSwarm got = drift(*engine, dynamics_of(a), x);
            for (int i = 0; i < x.n(); ++i)
              ASSERT_TRUE(std::isfinite(wanted.at(i, 0)) || !std::isfinite(got.at(i, 0)))
                  << contender.name() << ", d = " << d << ", beta = " << beta << ", row " << i;
          }
        }
}

TEST(Attention, AfterMerging) {
  for (const int d : {3, 6}) {
    HostSwarm x = random_sphere({100, d}, 9);
    const auto reference = make_reference_engine(), simd = make_simd_engine(Precision::f64, 1);
    const auto field = simd->prepare(sa(4), x.shape());
    x.resize(37);
    for (double& m : x.mass) m = 1.0 / 37;
    HostSwarm a = x;
    field->drift(0, 0, x, a);
    EXPECT_LT(largest_difference(a, drift(*reference, sa(4), x)), 1e-14);
  }
}

// Float keeps the digits of a velocity that shrinks with the swarm.
TEST(Attention, FloatNearConsensus) {
  const auto reference = make_reference_engine(), simd = make_simd_engine(Precision::f32, 1);
  for (const double beta : {4.0, 200.0}) {
    const HostSwarm x = clustered({200, 3}, 1, 1e-6);
    const HostSwarm wanted = velocity(*reference, sa(beta), x);
    const double off = largest_difference(velocity(*simd, sa(beta), x), wanted);
    EXPECT_LT(off, 1e-6 * largest_difference(wanted, HostSwarm(x.shape())));
  }
}

}  // namespace
}  // namespace murmur::testing
