// library_refusals_test.cpp: what the library is given and cannot use is refused in its words.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/plain_forces.h"
#include "engine/moments/moments.h"
#include "ensemble/ensemble.h"
#include "murmur/experiment.h"
#include "murmur/landscape.h"
#include "murmur/meanfield.h"
#include "murmur/observe.h"
#include "murmur/transport.h"
#include "refused.h"

namespace murmur {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Dynamics of_heads(std::vector<Force> forces) {
  Dynamics dynamics;
  dynamics.sublayers = {{.forces = std::move(forces)}};
  return dynamics;
}

HostSwarm points(int n, int d, double value = 1) {
  return from_rows({n, d}, std::vector<double>(static_cast<std::size_t>(n) * d, value).data());
}

TEST(LibraryRefusals, Dynamics) {
  const auto with = [](const std::function<void(Dynamics&)>& change) {
    return [change] {
      Dynamics dynamics = of_heads({Attention{}});
      change(dynamics);
      check(dynamics, 2);
    };
  };
  expect_refused({
      {"no phase", with([](Dynamics& d) { d.sublayers.clear(); })},
      {"noise is not a number", with([](Dynamics& d) { d.noise = -1; })},
      {"noise is not a number", with([](Dynamics& d) { d.noise = kNaN; })},
      {"mix turns from post to pre", with([](Dynamics& d) {
         d.manifold = Manifold::space;
         d.normalisation = LayerNorm::mix;
         d.mix_until = -1;
       })},
      {"axes of an ellipsoid", with([](Dynamics& d) {
         d.manifold = Manifold::space;
         d.gain = {1, 1};
       })},
      {"a gain is not a positive number", with([](Dynamics& d) {
         d.gain = {1, 0};
       })},
      {"need a time to do it in", with([](Dynamics& d) {
         d.gain_end = {1, 2};
         d.gain_until = 0;
       })},
      {"runs at ln(beta)", with([](Dynamics& d) {
         d = of_heads({Attention{.beta = 1, .weighting = Attention::unnormalised}});
         d.clock = Clock::u4;
       })},
      {"more than one perceptron",
       [] {
         const Perceptron p{.in = {1, 2, {1, 0}}, .out = {2, 1, {1, 0}}};
         plain_forces(of_heads({Attention{}, p, p}));
       }},
  });
}

TEST(LibraryRefusals, Ensembles) {
  const auto setting = [](const std::function<void(ReplicasSetting&, ReplicasWork&)>& change) {
    return [change] {
      ReplicasSetting s;
      s.shape = {3, 2};
      ReplicasWork work{.count = 1, .times = {0.1}, .start = [](std::int64_t) {
                          return points(3, 2, std::sqrt(0.5));
                        }};
      change(s, work);
      advance_replicas(s, work);
    };
  };
  expect_refused({
      {"no particles", setting([](auto& s, auto&) {
         s.shape = {0, 2};
       })},
      {"supports SA and USA", setting([](auto& s, auto&) { s.weighting = Attention::hard; })},
      {"a step has no length", setting([](auto& s, auto&) { s.dt = 0; })},
      {"needs a tolerance above 0", setting([](auto& s, auto&) {
         s.method = Method::dopri5;
         s.tolerance = {0, 0};
       })},
      {"clusters need a tolerance", setting([](auto& s, auto&) { s.cluster_tol = 0; })},
      {"counted from 0", setting([](auto&, auto& work) { work.first = -1; })},
      {"no swarm to start from", setting([](auto&, auto& work) { work.start = {}; })},
  });
}

TEST(LibraryRefusals, MeanFields) {
  const auto field = [](const std::function<void(MeanField&)>& change) {
    return [change] {
      MeanField f;
      change(f);
      check(f);
    };
  };
  const auto measure = [](int d, const std::function<void(Measure&)>& change) {
    return [d, change] {
      Measure m;
      change(m);
      check(m, d);
    };
  };
  const auto uneven = [](Measure& m) { m.density.assign(10, 1); };
  expect_refused({
      {"has no mean field", field([](MeanField& f) { f.weighting = Attention::hard; })},
      {"this clock does not fit", field([](MeanField& f) { f.clock = Clock::u2; })},
      {"the noise is negative", field([](MeanField& f) { f.noise = -1; })},
      {"needs the circle or the sphere", measure(4, uneven)},
      {"not on a grid of this dimension", measure(3, uneven)},
      {"too few cells", measure(2, [](Measure& m) { m.density.assign(7, 1); })},
      {"too few cells", measure(3, [](Measure& m) { m.density.assign(9, 1), m.rows = 3; })},
      {"too many cells", measure(2, [](Measure& m) { m.density.assign(1'048'577, 1); })},
      {"too many cells", measure(3, [](Measure& m) { m.density.assign(4 * 2049, 1), m.rows = 4; })},
      {"a degree from 1", measure(2,
                                  [](Measure& m) {
                                    m.waves = {{0, 0.1}};
                                  })},
      {"a bump is out of range", measure(2,
                                         [](Measure& m) {
                                           m.bumps = {{-1, {1, 0}, 1}};
                                         })},
      {"an atom is out of range", measure(2,
                                          [](Measure& m) {
                                            m.atoms = {{{1, 1}, 1}};
                                          })},
      {"perturb only the uniform law", measure(2,
                                               [](Measure& m) {
                                                 m.waves = {{1, 0.1}};
                                                 m.atoms = {{{1, 0}, 1}};
                                               })},
      {"have no noise",
       [] {
         carry({.weighting = Attention::unnormalised, .noise = 1}, {},
               {.solver = MeanFieldMethod::quantiles, .particles = 100}, {.schedule = {.T = 1}});
       }},
      {"the state has other modes",
       [] {
         MeanFieldTrajectory from;
         from.state.coefficients = {1, 2};
         carry({}, {}, {.modes = 16}, {.schedule = {.T = 1}, .from = from});
       }},
      {"the sweep is empty", [] { bifurcation({}, {.from = 1, .to = 1}); }},
  });
}

TEST(LibraryRefusals, FlowsAndEngines) {
  const auto flow = [](const FlowSettings& settings, double noise) {
    return [settings, noise] {
      Dynamics dynamics = of_heads({Attention{}});
      dynamics.noise = noise;
      const HostSwarm x = points(2, 2, std::sqrt(0.5));
      const auto engine = make_engine({.name = "reference"}, x.shape(), dynamics);
      const auto field = engine->prepare(dynamics, x.shape());
      FlowState state = start(x);
      advance({*engine, *field, settings}, {.T = 1}, state, {});
    };
  };
  expect_refused({
      {"this method takes no noise", flow({.method = Method::rk4, .dt = 0.1}, 1)},
      {"met part again under noise", flow({.method = Method::euler, .dt = 0.1, .merge = 1e-3}, 1)},
      {"bdf does not merge", flow({.method = Method::bdf, .merge = 1e-3}, 0)},
      {"cannot be that accurate", [] { make_moments_engine({.tolerance = 1e-16}); }},
  });
}

TEST(LibraryRefusals, Observables) {
  const Dynamics attention = of_heads({Attention{}}), none = of_heads({});
  const HostSwarm two = points(2, 2, std::sqrt(0.5)), lost = points(2, 2, kNaN);
  const History history = history_of({0}, {two});
  expect_refused({
      {"cluster_tol", [&] { observe(two, attention, {.cluster_tol = 0}); }},
      {"max_exact", [&] { observe(two, attention, {.max_exact = -1}); }},
      {"sample_pairs", [&] { observe(two, attention, {.sample_pairs = 0}); }},
      {"another shape", [&] { distance_from(history, points(3, 2)); }},
      {"not a finite number", [&] { renyi_centres(lost, Manifold::space, 1, Centres::ordinary); }},
      {"not a finite number", [&] { density_modes(lost, Manifold::space, {}); }},
      {"not a finite number", [&] { cosine_histogram(lost, 4); }},
      {"not a finite number", [&] { mode_powers(lost, 2); }},
      {"not a finite number", [&] { attention_weights(lost, attention, 0, 0); }},
      {"counted from 1 to 10,000", [&] { mode_powers(two, 10'001); }},
      {"a tolerance between 0 and 1",
       [] {
         numerical_rank({1, 1, {1}}, 2);
       }},
      {"a time for each value",
       [] {
         crossing_time({{0, 1}, {0}}, 1);
       }},
      {"a slope above 0",
       [] {
         plateaus({{0, 1}, {0, 1}}, {.slope = 0});
       }},
      {"no attention here", [&] { attention_weights(two, none, 0, 0); }},
      {"too large", [&] { attention_weights(points(8193, 2), attention, 0, 0); }},
      {"no such particle", [&] { attention_row(two, attention, {.i = 2}); }},
      {"doubly stochastic",
       [&] {
         attention_weights(
             two, of_heads({Attention{.self = false, .weighting = Attention::sinkhorn}}), 0, 0);
       }},
  });
}

TEST(LibraryRefusals, Landscapes) {
  const Atoms one{{1, 2, {1, 0}}, {1}};
  const auto at = [one](const std::function<void(Landscape&, Atoms&)>& change) {
    return [change, one] {
      Landscape l{.d = 2};
      Atoms mu = one;
      change(l, mu);
      energy(l, mu);
    };
  };
  const double place[] = {1, 0, 0};
  expect_refused({
      {"at least two coordinates", at([](Landscape& l, Atoms&) { l.d = 1; })},
      {"divides by beta", at([](Landscape& l, Atoms&) { l.beta = 0; })},
      {"divides by beta", at([](Landscape& l, Atoms&) { l.beta = HUGE_VAL; })},
      {"rounding errors matter", at([](Landscape& l, Atoms&) {
         l.kernel = Landscape::scaled;
         l.beta = 2e6;
       })},
      {"a is not finite", at([](Landscape& l, Atoms&) {
         l.a = {1, 2, {kNaN, 0}};
         l.omega = {1};
       })},
      {"omega is not finite", at([](Landscape& l, Atoms&) {
         l.a = {1, 2, {1, 0}};
         l.omega = {kNaN};
       })},
      {"there is no atom", at([](Landscape&, Atoms& mu) { mu = {}; })},
      {"masses and atoms differ", at([](Landscape&, Atoms& mu) {
         mu.mass = {0.5, 0.5};
       })},
      {"another number of coordinates", [&] { first_variation({.d = 2}, one, place); }},
      {"the settings of the steps are out of range",
       [&] { climb({.d = 2}, one, {.tolerance = 0}); }},
      {"there are no tokens", [] { check_search({}, {.n = 0}); }},
      {"a tolerance is not above 0", [] { check_search({}, {.gradient = 0}); }},
  });
}

TEST(LibraryRefusals, Distances) {
  expect_refused({
      {"no measure", [] { sliced_distance(points(0, 2), points(1, 2)); }},
      {"too many for a slice", [] { sliced_distance(points(1, 65'536), points(1, 65'536)); }},
      {"no great circles",
       [] { sliced_distance(points(1, 1), points(1, 1), {.ground = Ground::arc}); }},
      {"needs a piece", [] { circle_quantiles([](double s) { return s; }, 0); }},
      {"does not fall", [] { circle_quantiles([](double s) { return -s; }, 4); }},
  });
}

}  // namespace
}  // namespace murmur
