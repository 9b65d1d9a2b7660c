// window_test.cpp: phases that are active for a while only, on every engine.
#include "contenders.h"

namespace murmur::testing {
namespace {

// Two phases, of which the first ends where the second begins.
Dynamics handed_over(Manifold manifold) {
  Dynamics dynamics = dynamics_of(Attention{.beta = 2, .value = random_matrix(3, 3, 1)}, manifold);
  dynamics.sublayers[0].until = 1;
  Sublayer second{{Perceptron{.in = random_matrix(4, 3, 2), .out = random_matrix(3, 4, 3)}}};
  second.from = 1;
  dynamics.sublayers.push_back(second);
  return dynamics;
}

HostSwarm velocity_at(Engine& engine, const Dynamics& dynamics, const HostSwarm& x, double t) {
  const auto field = engine.prepare(dynamics, x.shape());
  const auto at = engine.place(x), v = engine.place(x);
  field->velocity(t, *at, *v);
  return engine.fetch(*v);
}

HostSwarm drift_at(Engine& engine, const Dynamics& dynamics, const HostSwarm& x, double t,
                   int sublayer) {
  const auto field = engine.prepare(dynamics, x.shape());
  const auto at = engine.place(x), a = engine.place(x);
  field->drift(t, sublayer, *at, *a);
  return engine.fetch(*a);
}

void expect_windows(Engine& engine) {
  for (const Manifold manifold : {Manifold::sphere, Manifold::space}) {
    const Dynamics both = handed_over(manifold);
    const HostSwarm x = random_sphere({20, 3}, 4), still({20, 3});
    for (int sublayer = 0; sublayer < 2; ++sublayer) {
      Dynamics alone = both;
      alone.sublayers = {{both.sublayers[sublayer].forces}};
      const double inside = sublayer == 0 ? std::nextafter(1, 0) : 1;
      const double outside = sublayer == 0 ? 1 : std::nextafter(1, 0);
      EXPECT_EQ(largest_difference(velocity_at(engine, both, x, inside),
                                   velocity_at(engine, alone, x, 0)),
                0)
          << engine.name();
      EXPECT_EQ(largest_difference(drift_at(engine, both, x, inside, sublayer),
                                   drift_at(engine, alone, x, 0, 0)),
                0)
          << engine.name();
      EXPECT_EQ(largest_difference(drift_at(engine, both, x, outside, sublayer), still), 0)
          << engine.name();
    }
  }
}

TEST(Window, OnlyActivePhasesPull) {
  expect_windows(*make_reference_engine());
  for (const Contender& contender : contenders()) {
    const OnTarget on(contender.target);
    expect_windows(*contender.engine(2));
  }
}

}  // namespace
}  // namespace murmur::testing
