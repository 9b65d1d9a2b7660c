// symmetry_test.cpp: what must not matter: threads, the order of particles, the axes.
#include <bit>
#include <numeric>
#include <random>

#include "contenders.h"

namespace murmur::testing {
namespace {

bool same_bits(const HostSwarm& a, const HostSwarm& b) {
  for (int k = 0; k < a.d(); ++k)
    for (int i = 0; i < a.n(); ++i)
      if (std::bit_cast<std::uint64_t>(a.at(i, k)) != std::bit_cast<std::uint64_t>(b.at(i, k)))
        return false;
  return true;
}

TEST(Symmetry, ThreadsDoNotShow) {
  for (const int d : {2, 3, 5, 64})
    for (const double beta : {4.0, 100.0, 1e3}) {
      const HostSwarm x = random_sphere({777, d}, 1);
      Attention past{.beta = beta, .self = false, .mask = Attention::causal};
      past.query = random_matrix(d, d, 2);
      past.value = random_matrix(d, d, 3);
      Perceptron own{.activation = Perceptron::gelu};
      own.in = random_matrix(9, d, 4);
      own.out = random_matrix(d, 9, 5);
      Dynamics dynamics = sa(beta);
      dynamics.sublayers.push_back({{past, own}});
      for (const Contender& contender : contenders()) {
        const OnTarget on(contender.target);
        const HostSwarm one = velocity(*contender.engine(1), dynamics, x);
        for (const int threads : {2, 3, 7})
          EXPECT_TRUE(same_bits(
              velocity(*contender.engine(threads), dynamics, x), one))
              << contender.name() << ", d = " << d << ", " << threads << " threads";
      }
    }
}

TEST(Symmetry, PermutedParticlesMovePermuted) {
  for (const int d : {2, 3, 4, 11}) {
    const HostSwarm x = random_sphere({333, d}, 6);
    std::vector<int> order(x.n());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    HostSwarm shuffled = x;
    for (int i = 0; i < x.n(); ++i)
      for (int k = 0; k < d; ++k) shuffled.at(i, k) = x.at(order[i], k);
    for (const Contender& contender : contenders()) {
      const OnTarget on(contender.target);
      const auto engine = contender.engine(2);
      const HostSwarm v = velocity(*engine, sa(5), x), w = velocity(*engine, sa(5), shuffled);
      const double close = contender.precision == Precision::f32 ? 1e-6 : 1e-14;
      for (int i = 0; i < x.n(); ++i)
        for (int k = 0; k < d; ++k)
          ASSERT_NEAR(w.at(i, k), v.at(order[i], k), close) << contender.name() << ", d = " << d;
    }
  }
}

TEST(Symmetry, TurnedParticlesMoveTurned) {
  for (const int d : {2, 3, 4, 11}) {
    const HostSwarm x = random_sphere({200, d}, 8);
    // A rotation of the plane of the first and the last axis.
    const auto turned = [](HostSwarm y) {
      const int last = y.d() - 1;
      for (int i = 0; i < y.n(); ++i) {
        const double p = y.at(i, 0), q = y.at(i, last);
        y.at(i, 0) = 0.6 * p - 0.8 * q;
        y.at(i, last) = 0.8 * p + 0.6 * q;
      }
      return y;
    };
    for (const Contender& contender : contenders()) {
      const OnTarget on(contender.target);
      const auto engine = contender.engine(2);
      const double close = contender.precision == Precision::f32 ? 2e-6 : 1e-14;
      for (const double beta : {3.0, 60.0})
        EXPECT_LT(largest_difference(velocity(*engine, sa(beta), turned(x)),
                                     turned(velocity(*engine, sa(beta), x))),
                  close)
            << contender.name() << ", d = " << d << ", beta = " << beta;
    }
  }
}

TEST(Engine, NameTellsPrecisionAndTarget) {
  for (const Contender& contender : contenders()) {
    const OnTarget on(contender.target);
    const std::string name = contender.engine(1)->name();
    const std::string engine = contender.on_gpu() ? "cuda f" : "simd " + contender.name();
    EXPECT_EQ(name.substr(0, engine.size()), engine);
  }
}

}  // namespace
}  // namespace murmur::testing
