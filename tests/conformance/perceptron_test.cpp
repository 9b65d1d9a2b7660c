// perceptron_test.cpp: the feed-forward force on every engine against the reference.
#include "contenders.h"

namespace murmur::testing {
namespace {

TEST(Perceptron, EveryActivation) {
  for (const auto activation : {Perceptron::relu, Perceptron::gelu, Perceptron::tanh})
    for (const int d : {1, 2, 3, 17, 64})
      for (const int h : {1, 5, 8, 100})
        for (const int n : {1, 9, 130})
          for (const double size : {0.01, 1.0, 30.0}) {
            Perceptron p{.in = random_matrix(h, d, 1, size),
                         .out = random_matrix(d, h, 2),
                         .activation = activation};
            if (h > 1) p.in_bias = random_matrix(1, h, 3, size).data;
            if (d > 1) p.out_bias = random_matrix(1, d, 4).data;
            const HostSwarm x = random_sphere({n, d}, 5);
            const auto reference = make_reference_engine();
            const HostSwarm wanted = drift(*reference, dynamics_of(p), x);
            const double most = size_of(p.out, d) * (size_of(p.in, d) + size * std::sqrt(h)) + 1;
            for (const std::int64_t target : compiled_targets()) {
              const OnTarget on(target);
              const auto engine = make_simd_engine(Precision::f32, 2);  // perceptrons are double
              EXPECT_LT(largest_difference(drift(*engine, dynamics_of(p), x), wanted), 4e-15 * most)
                  << hwy::TargetName(target) << ", activation " << activation << ", n = " << n
                  << ", d = " << d << ", h = " << h << ", size " << size;
            }
          }
}

// One unit with weight 1 is the activation itself; near 0 it must keep its relative digits.
TEST(Perceptron, ActivationsKeepTheirDigits) {
  constexpr int n = 4001;
  for (const auto activation : {Perceptron::gelu, Perceptron::tanh}) {
    HostSwarm x({n, 1});
    for (int i = 0; i < n; ++i) x.at(i, 0) = (i - n / 2) * (i % 2 ? 5e-3 : 1e-9);
    const Dynamics unit = dynamics_of(
        Perceptron{
            .in = scaled_identity(1, 1), .out = scaled_identity(1, 1), .activation = activation},
        Manifold::space);
    const auto reference = make_reference_engine();
    const HostSwarm wanted = drift(*reference, unit, x);
    for (const std::int64_t target : compiled_targets()) {
      const OnTarget on(target);
      const auto engine = make_simd_engine(Precision::f64, 1);
      const HostSwarm got = drift(*engine, unit, x);
      for (int i = 0; i < n; ++i) {
        // The reference's gelu loses the digits of its left tail in 1 + erf.
        const double size =
            activation == Perceptron::gelu ? std::abs(x.at(i, 0)) : std::abs(wanted.at(i, 0));
        ASSERT_NEAR(got.at(i, 0), wanted.at(i, 0), 4e-15 * size)
            << hwy::TargetName(target) << " at " << x.at(i, 0);
      }
    }
  }
}

}  // namespace
}  // namespace murmur::testing
