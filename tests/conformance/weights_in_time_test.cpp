// weights_in_time_test.cpp: matrices that change in a line, on every engine.
#include "contenders.h"
#include "engine/moments/moments.h"

namespace murmur::testing {
namespace {

// Two heads, one narrow, and a perceptron; every matrix changes until t = 2.
Dynamics changing(Manifold manifold, Attention::Weighting weighting) {
  const auto heads = [&](std::uint64_t seed) {
    return std::vector<Force>{Attention{.beta = 0.7,
                                        .query = random_matrix(3, 3, seed),
                                        .key = random_matrix(3, 3, seed + 1),
                                        .value = random_matrix(3, 3, seed + 2),
                                        .weighting = weighting},
                              Attention{.beta = 1,
                                        .query = random_matrix(2, 3, seed + 3),
                                        .key = random_matrix(2, 3, seed + 4),
                                        .weighting = weighting}};
  };
  const auto units = [](std::uint64_t seed) {
    return std::vector<Force>{Perceptron{.in = random_matrix(4, 3, seed),
                                         .in_bias = random_matrix(1, 4, seed + 1).data,
                                         .out = random_matrix(3, 4, seed + 2)}};
  };
  Dynamics dynamics{.manifold = manifold};
  dynamics.sublayers = {{heads(1), 0, 2, heads(11)}, {units(21), 0, 2, units(31)}};
  return dynamics;
}

TEST(ChangingMatrices, AreThoseOfTheReference) {
  for (const Manifold manifold : {Manifold::sphere, Manifold::space})
    for (const auto weighting : {Attention::softmax, Attention::unnormalised}) {
      const Dynamics dynamics = changing(manifold, weighting);
      const HostSwarm x = random_sphere({37, 3}, 4);
      const auto reference = make_reference_engine();
      for (const double t : {0.0, 0.6, 1.7}) {
        Dynamics still = dynamics;  // the forces at t, for all times
        for (Sublayer& sublayer : still.sublayers) sublayer = {forces_at(sublayer, t)};
        const HostSwarm told = velocity(*reference, still, x);
        const auto at = [&](Engine& engine) {
          const auto field = engine.prepare(dynamics, x.shape());
          const auto place = engine.place(x), v = engine.place(x);
          field->velocity(1.1, *place, *v);  // an earlier time leaves nothing behind
          field->velocity(t, *place, *v);
          return engine.fetch(*v);
        };
        EXPECT_EQ(largest_difference(at(*reference), told), 0) << t;
        for (const Contender& contender : contenders()) {
          const OnTarget on(contender.target);
          const double slack = contender.precision == Precision::f32 ? 2e-4 : 1e-12;
          EXPECT_LT(largest_difference(at(*contender.engine(2)), told), slack)
              << contender.target << " " << t;
        }
      }
    }
}

TEST(ChangingMatrices, AreRefusedByMoments) {
  Dynamics dynamics = dynamics_of(Attention{.beta = 1});
  dynamics.sublayers[0] = {{Attention{}}, 0, 1, {Attention{.value = scaled_identity(2, 2)}}};
  const auto moments = make_moments_engine({});
  ASSERT_TRUE(moments->unsupported_reason(dynamics, {10, 2}));
  EXPECT_NE(moments->unsupported_reason(dynamics, {10, 2})->what.find("in a line"),
            std::string::npos);
  const Dynamics limit = dynamics_of(ManyHeads{});
  EXPECT_NE(moments->unsupported_reason(limit, {10, 2})->what.find("limit of many heads"),
            std::string::npos);
  EXPECT_NE(make_simd_engine(Precision::f64, 1)
                ->unsupported_reason(limit, {10, 2})
                ->what.find("limit of many"),
            std::string::npos);
}

}  // namespace
}  // namespace murmur::testing
