// normalisation_test.cpp: normalisation and gains on every engine, and what an engine refuses.
#include "contenders.h"
#include "murmur/error.h"

namespace murmur::testing {
namespace {

HostSwarm velocity_at(Engine& engine, const Dynamics& dynamics, const HostSwarm& x, double t) {
  const auto field = engine.prepare(dynamics, x.shape());
  const auto at = engine.place(x), v = engine.place(x);
  field->velocity(t, *at, *v);
  return engine.fetch(*v);
}

std::vector<Dynamics> family() {
  std::vector<Dynamics> all;
  for (int n = 0; n <= static_cast<int>(LayerNorm::sqrt); ++n) {
    Dynamics dynamics = dynamics_of(Attention{.beta = 2, .value = random_matrix(3, 3, 1)});
    dynamics.normalisation = static_cast<LayerNorm>(n);
    dynamics.mix_until = 1;
    dynamics.speed = 2;
    if (moves_norms(dynamics)) dynamics.manifold = Manifold::space;
    all.push_back(dynamics);
  }
  Dynamics ellipsoid = sa(2);
  ellipsoid.gain = {1, 2, 0.5};
  ellipsoid.gain_end = {2, 1, 1};
  ellipsoid.gain_until = 3;
  all.push_back(ellipsoid);
  return all;
}

TEST(NormalisedPull, AgreesWithTheReference) {
  HostSwarm x = random_sphere({40, 3}, 2);
  const auto reference = make_reference_engine();
  for (const Dynamics& dynamics : family()) {
    if (dynamics.manifold == Manifold::space)
      for (int i = 0; i < x.n(); ++i)
        for (int k = 0; k < 3; ++k) x.at(i, k) *= 1 + 0.1 * (i % 7);
    for (const double t : {0.5, 2.0}) {
      const HostSwarm wanted = velocity_at(*reference, dynamics, x, t);
      for (const Contender& contender : contenders()) {
        const OnTarget on(contender.target);
        const auto engine = contender.engine(2);
        EXPECT_LT(largest_difference(velocity_at(*engine, dynamics, x, t), wanted),
                  contender.precision == Precision::f64 ? 1e-13 : 3e-5)
            << contender.name() << " " << static_cast<int>(dynamics.normalisation);
      }
    }
    x = random_sphere({40, 3}, 2);
  }
}

TEST(SimdEngine, RefusesWhatItHasNoKernelFor) {
  const auto engine = make_simd_engine(Precision::f64, 1);
  const struct {
    Attention head;
    const char* name;  // of the force, in the reason
  } unknown[] = {
      {{.weighting = Attention::hard}, "hardmax"},
      {{.weighting = Attention::sinkhorn}, "sinkhorn"},
      {{.mask = Attention::causal, .alibi = 1}, "alibi"},
      {{.relative = true, .rescaled = true}, "rescaled"},
  };
  for (const auto& [head, name] : unknown) {
    Dynamics dynamics = dynamics_of(head, Manifold::space);
    dynamics.sublayers.insert(dynamics.sublayers.begin(), sa(1).sublayers[0]);  // that one is known
    const auto reason = make_simd_engine(Precision::f64, 1)->unsupported_reason(dynamics, {4, 3});
    ASSERT_TRUE(reason.has_value());
    EXPECT_NE(reason->what.find(name), std::string::npos) << reason->what;
    EXPECT_THROW(engine->prepare(dynamics, {4, 3}), Error);
    EXPECT_THROW(resolve_engine({.name = "simd"}, {4, 3}, dynamics), Error);
    EXPECT_THROW(resolve_engine({.precision = Precision::f32}, {4, 3}, dynamics), Error);
    EXPECT_EQ(resolve_engine({}, {4000, 3}, dynamics), "reference");
  }
  EXPECT_FALSE(make_simd_engine(Precision::f64, 1)->unsupported_reason(sa(1), {4, 3}).has_value());
  EXPECT_EQ(resolve_engine({}, {4000, 3}, sa(1)), "simd");
}

}  // namespace
}  // namespace murmur::testing
