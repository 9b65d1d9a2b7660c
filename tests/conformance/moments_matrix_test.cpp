// moments_matrix_test.cpp: everything that the moments engine is said to carry, beside the
// reference: forces, masses, noise and methods, on spheres and in space of two to five coordinates.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "contenders.h"
#include "engine/moments/moments.h"
#include "flow/stiff.h"

namespace murmur::testing {
namespace {

struct Case {
  Dynamics dynamics;
  HostSwarm x;
  std::string name;
};

enum Feature { one_head, two_heads, masses, perceptron, noise, everything };
constexpr const char* kNames[] = {"one head",   "two heads", "masses",
                                  "perceptron", "noise",     "everything"};

Case made(int d, Manifold manifold, Attention::Weighting weighting, Feature feature) {
  const bool all = feature == everything;
  const int n = 60;
  Attention head{.beta = 1.5, .weighting = weighting};
  Dynamics dynamics{.manifold = manifold, .sublayers = {{{head}}}};
  auto& forces = dynamics.sublayers[0].forces;
  if (all || feature == two_heads) {
    Attention second{.beta = -0.7,
                     .query = random_matrix(3, d, 1, 0.5),
                     .key = random_matrix(3, d, 2, 0.5),
                     .value = random_matrix(d, d, 3, 0.4),
                     .weighting = weighting};
    second.query_bias.assign(3, 0.2);
    forces.emplace_back(second);
  }
  if (all || feature == perceptron)
    forces.emplace_back(Perceptron{.in = random_matrix(6, d, 4, 0.4),
                                   .out = random_matrix(d, 6, 5, 0.2),
                                   .activation = Perceptron::gelu});
  if (all || feature == noise) dynamics.noise = 0.02;
  HostSwarm x = random_sphere({n, d}, 6);
  if (manifold == Manifold::space)
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < d; ++k) x.at(i, k) *= 0.3 + 0.01 * i;
  if (all || feature == masses)
    for (int i = 0; i < n; ++i) x.mass[i] = 2.0 * (i + 1) / (n * (n + 1.0));
  return {dynamics, x,
          std::string(manifold == Manifold::sphere ? "sphere" : "space") + " d " +
              std::to_string(d) + (weighting == Attention::softmax ? " SA, " : " USA, ") +
              kNames[feature]};
}

// The largest difference of the two engines at the end, and how far the swarm went.
void expect_same_flight(const Case& c, Method method) {
  const MethodRow& row = row_of(method);
  Dynamics dynamics = c.dynamics;
  if (!row.takes_noise) dynamics.noise = 0;
  const FlowSettings settings{.method = method, .dt = 0.05};
  const Schedule schedule{.T = 0.2, .every = 0.1};
  const auto fly = [&](Engine& engine, double* worst) {
    const auto field = engine.prepare(dynamics, c.x.shape());
    FlowState state = start(c.x);
    HostSwarm last = c.x;
    const Outcome outcome = advance({engine, *field, settings, {.seed = 3}}, schedule, state,
                                    {.frame = [&](double, const HostSwarm& x) { last = x; }});
    EXPECT_TRUE(outcome.ok()) << c.name << " " << row.name << " " << outcome.what;
    if (worst != nullptr) *worst = field->error_bound()->worst_ever;
    return last;
  };
  const auto reference = make_reference_engine();
  const auto moments = make_moments_engine({.pairs_above = kMomentsPromise, .threads = 2});
  ASSERT_FALSE(moments->unsupported_reason(dynamics, c.x.shape())) << c.name;
  double worst = 0;
  const HostSwarm wanted = fly(*reference, nullptr), got = fly(*moments, &worst);
  const bool adaptive = row.embedded_order > 0 || row.stepping == Stepping::cvode;
  const double allowed = adaptive ? settings.tolerance.rtol : 1e-10;
  EXPECT_LE(largest_difference(got, wanted), allowed) << c.name << " " << row.name;
  EXPECT_GT(largest_difference(wanted, c.x), 1e-3) << c.name << " " << row.name;
  EXPECT_GT(worst, 0) << c.name;
  EXPECT_LE(worst, 1e-8) << c.name;
}

void for_every_place(const std::function<void(int, Manifold, Attention::Weighting)>& visit) {
  for (const int d : {2, 3, 4, 5})
    for (const Manifold manifold : {Manifold::sphere, Manifold::space})
      for (const auto weighting : {Attention::softmax, Attention::unnormalised})
        visit(d, manifold, weighting);
}

TEST(MomentsMatrix, EveryFeatureFliesAsTheReference) {
  for_every_place([](int d, Manifold manifold, Attention::Weighting weighting) {
    for (const Feature feature : {one_head, two_heads, masses, perceptron, noise, everything})
      expect_same_flight(made(d, manifold, weighting, feature),
                         feature == noise ? Method::euler : Method::rk4);
  });
}

TEST(MomentsMatrix, EveryMethodFliesAsTheReference) {
  for_every_place([](int d, Manifold manifold, Attention::Weighting weighting) {
    if ((d == 2 || d == 5) && weighting == Attention::unnormalised) return;
    for (const MethodRow& row : methods()) {
      if (row.stepping == Stepping::cvode && !has_stiff()) continue;
      expect_same_flight(made(d, manifold, weighting, everything), row.method);
    }
  });
}

// Another temperature by a millionth is another flight.
TEST(MomentsMatrix, TellsModelsApart) {
  Case c = made(4, Manifold::sphere, Attention::softmax, everything);
  const auto moments = make_moments_engine({.pairs_above = kMomentsPromise});
  const auto reference = make_reference_engine();
  c.dynamics.noise = 0;
  const HostSwarm wanted = velocity(*reference, c.dynamics, c.x);
  EXPECT_LE(largest_difference(velocity(*moments, c.dynamics, c.x), wanted), 1e-10);
  std::get<Attention>(c.dynamics.sublayers[0].forces[0]).beta *= 1 + 1e-6;
  EXPECT_GT(largest_difference(velocity(*moments, c.dynamics, c.x), wanted), 1e-9);
}

}  // namespace
}  // namespace murmur::testing
