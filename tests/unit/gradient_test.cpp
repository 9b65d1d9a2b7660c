// gradient_test.cpp: gradients of flows against central differences, for every number of a dynamics
// and every explicit method; what has no gradient is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "gradient_support.h"
#include "refused.h"

namespace murmur::testing {
namespace {

constexpr double kWithin = 1e-7;

HostSwarm start_of(Manifold manifold, Shape shape = {5, 3}) {
  HostSwarm x = random_sphere(shape, 4);
  for (int i = 0; i < shape.n; ++i) {
    x.mass[i] = (1.0 + 0.3 * i) / 8;
    for (int k = 0; k < shape.d && manifold == Manifold::space; ++k) x.at(i, k) *= 0.7 + 0.2 * i;
  }
  return x;
}

Attention lively_head(std::uint64_t seed, int d = 3, int k = 2) {
  Attention a{.beta = 1.3};
  a.query = random_matrix(k, d, seed, 0.7);
  a.key = random_matrix(k, d, seed + 1, 0.7);
  a.value = random_matrix(d, d, seed + 2, 0.7);
  a.query_bias = random_matrix(k, 1, seed + 3, 0.3).data;
  a.key_bias = random_matrix(k, 1, seed + 4, 0.3).data;
  a.value_bias = random_matrix(d, 1, seed + 5, 0.3).data;
  return a;
}

Perceptron lively_perceptron(Perceptron::Activation kind, std::uint64_t seed, int d = 3) {
  return {.in = random_matrix(4, d, seed, 0.8),
          .in_bias = random_matrix(4, 1, seed + 1, 0.3).data,
          .out = random_matrix(d, 4, seed + 2, 0.5),
          .out_bias = random_matrix(d, 1, seed + 3, 0.3).data,
          .activation = kind};
}

GradientCase case_of(std::string name, Dynamics dynamics, Method method = Method::rk4) {
  GradientCase c{std::move(name), std::move(dynamics)};
  c.x = start_of(c.dynamics.manifold);
  c.settings = {.method = method, .dt = 0.1, .tolerance = {1e-6, 1e-8}};
  c.schedule = {.T = 0.6, .every = 0.2};
  return c;
}

void expect_gradient(const GradientCase& c) {
  SCOPED_TRACE(c.name);
  const auto engine = make_reference_engine();
  const Mismatch off = against_differences(c, *engine);
  EXPECT_LE(off.worst, kWithin) << off.where;
  EXPECT_GT(off.numbers, c.x.n() * c.x.d());  // starts, and more
  if (std::getenv("MURMUR_SHOW") != nullptr)
    fmt::print("{}: {} numbers, off by {:.1e} at {}\n", c.name, off.numbers, off.worst, off.where);
}

TEST(FlowGradient, WeightingsMasksAndClocks) {
  for (const auto manifold : {Manifold::sphere, Manifold::space})
    for (const auto weighting : {Attention::softmax, Attention::unnormalised, Attention::sinkhorn})
      for (const bool relative : {false, true}) {
        Attention head = lively_head(11);
        head.weighting = weighting;
        head.relative = relative;
        GradientCase c =
            case_of(fmt::format("weighting {} relative {} space {}", static_cast<int>(weighting),
                                relative, manifold == Manifold::space),
                    dynamics_of(head, manifold));
        c.schedule.T = 0.3;  // in R^d plain attention runs away soon after
        expect_gradient(c);
      }
  for (const bool self : {true, false})
    for (const auto mask : {Attention::none, Attention::causal})
      for (const auto weighting : {Attention::softmax, Attention::unnormalised})
        for (const double alibi : {0.0, 0.4}) {
          if (alibi > 0 && mask == Attention::none) continue;
          Attention head = lively_head(21);
          head.self = self, head.mask = mask, head.weighting = weighting, head.alibi = alibi;
          expect_gradient(
              case_of(fmt::format("self {} mask {} weighting {} alibi {}", self,
                                  static_cast<int>(mask), static_cast<int>(weighting), alibi),
                      dynamics_of(head)));
        }
  for (const auto clock : {Clock::u1, Clock::u2, Clock::u3, Clock::u4}) {
    Attention head = lively_head(31);
    head.weighting = Attention::unnormalised;
    Dynamics dynamics = dynamics_of(head);
    dynamics.clock = clock;
    expect_gradient(case_of(fmt::format("clock U{}", static_cast<int>(clock) + 1), dynamics));
    expect_gradient(case_of(fmt::format("clock U{} by layers", static_cast<int>(clock) + 1),
                            dynamics, Method::layers));
  }
}

// Matrices that are left out are the identity, and have the derivative there.
TEST(FlowGradient, PlainHeadsHaveTheDerivativeAtTheIdentity) {
  for (const auto weighting : {Attention::softmax, Attention::unnormalised, Attention::sinkhorn})
    for (const auto method : {Method::rk4, Method::layers}) {
      const GradientCase c =
          case_of(fmt::format("plain weighting {}", static_cast<int>(weighting)),
                  dynamics_of(Attention{.beta = 2, .weighting = weighting}), method);
      expect_gradient(c);
    }
}

TEST(FlowGradient, HeadsPerceptronsAndLimits) {
  for (const auto kind : {Perceptron::relu, Perceptron::gelu, Perceptron::tanh})
    for (const auto manifold : {Manifold::sphere, Manifold::space}) {
      Dynamics dynamics{.manifold = manifold,
                        .sublayers = {{{lively_head(41), lively_head(51, 3, 1)}},
                                      {{lively_perceptron(kind, 61)}}}};
      for (const auto method : {Method::layers, Method::euler, Method::rk4}) {
        GradientCase c = case_of(fmt::format("two heads and a perceptron {}, method {}",
                                             static_cast<int>(kind), row_of(method).name),
                                 dynamics, method);
        if (kind == Perceptron::relu) c.nudge = 3e-5;  // a difference across a kink is none
        expect_gradient(c);
      }
    }
  for (const auto law : {ManyHeads::gaussian, ManyHeads::product, ManyHeads::goe, ManyHeads::psd})
    for (const bool gradient : {false, true})
      for (const auto clock : {Clock::u1, Clock::u2, Clock::u3}) {
        Dynamics dynamics =
            dynamics_of(ManyHeads{.beta = 0.8, .law = law, .value = 0.9, .gradient = gradient});
        dynamics.clock = clock;
        expect_gradient(case_of(fmt::format("law {} gradient {} clock {}", static_cast<int>(law),
                                            gradient, static_cast<int>(clock)),
                                dynamics));
      }
}

TEST(FlowGradient, LayerNormsAndGains) {
  for (const LayerNormRow& row : layer_norms())
    for (const auto method : {Method::layers, Method::euler, Method::rk4}) {
      Dynamics dynamics{
          .manifold = row.moves_norms ? Manifold::space : Manifold::sphere,
          .sublayers = {{{lively_head(71)}}, {{lively_perceptron(Perceptron::tanh, 81)}}},
          .normalisation = row.norm,
          .mix_until = 0.25,
          .speed = 1.4};
      expect_gradient(
          case_of(fmt::format("{} by {}", row.name, row_of(method).name), dynamics, method));
    }
  Dynamics ellipsoid{.sublayers = {{{lively_head(91)}}}, .gain = {1.2, 0.8, 1.1}};
  expect_gradient(case_of("gains", ellipsoid));
  ellipsoid.gain_end = {0.7, 1.3, 1.0}, ellipsoid.gain_until = 0.5;
  expect_gradient(case_of("gains that change", ellipsoid));
  ellipsoid.gain.clear();
  expect_gradient(case_of("gains that change from ones", ellipsoid));
}

// Rescaled by e^{tV}: V is in the scores too.
TEST(FlowGradient, RescaledHeads) {
  Attention head{.beta = 1.1, .relative = true, .rescaled = true};
  head.value = random_matrix(3, 3, 15, 0.6);
  expect_gradient(case_of("rescaled", dynamics_of(head, Manifold::space)));
  head.query = random_matrix(2, 3, 16, 0.6), head.key = random_matrix(2, 3, 17, 0.6);
  head.query_bias = {0.2, -0.1}, head.key_bias = {0.1, 0.3}, head.value_bias = {0.1, 0.2, -0.2};
  expect_gradient(case_of("rescaled with Q and K", dynamics_of(head, Manifold::space)));
}

Dynamics in_time(Manifold manifold = Manifold::sphere) {
  Dynamics dynamics{.manifold = manifold};
  for (int b = 0; b < 3; ++b) {
    Sublayer heads{{lively_head(100 + 10 * b), lively_perceptron(Perceptron::gelu, 150 + 10 * b)}};
    heads.from = 0.2 * b, heads.until = 0.2 * (b + 1);
    if (b == 1) {
      heads.forces_end = {lively_head(200), lively_perceptron(Perceptron::gelu, 210)};
    }
    dynamics.sublayers.push_back(heads);
  }
  return dynamics;
}

TEST(FlowGradient, ForcesThatChangeInTime) {
  for (const auto method : {Method::layers, Method::euler, Method::rk4, Method::strang})
    expect_gradient(case_of(fmt::format("windows by {}", row_of(method).name), in_time(), method));
  Dynamics jumping = in_time();
  jumping.jump_times = {0.2, 0.4};
  for (const auto method : {Method::layers, Method::rk4, Method::dopri5, Method::dop853})
    expect_gradient(case_of(fmt::format("jumps by {}", row_of(method).name), jumping, method));
}

TEST(FlowGradient, EveryMethodAndSchedule) {
  for (const MethodRow& row : methods()) {
    if (row.stepping == Stepping::cvode) continue;
    for (const auto manifold : {Manifold::sphere, Manifold::space})
      for (const double every : {0.0, 0.1}) {
        GradientCase c = case_of(
            fmt::format("{} every {}", row.name, every),
            {.manifold = manifold,
             .sublayers = {{{lively_head(301)}}, {{lively_perceptron(Perceptron::tanh, 311)}}}},
            row.method);
        c.schedule = {.T = 0.7, .every = every};
        expect_gradient(c);
      }
  }
}

// The path of the noise is given: what it adds depends on where, and on its strength.
TEST(FlowGradient, AlongAGivenPathOfNoise) {
  for (const int d : {2, 3, 4})
    for (const auto manifold : {Manifold::sphere, Manifold::space})
      for (const auto method : {Method::layers, Method::euler, Method::strang}) {
        Dynamics dynamics{
            .manifold = manifold,
            .sublayers = {{{lively_head(701, d)}}, {{lively_perceptron(Perceptron::tanh, 711, d)}}},
            .noise = 0.2};
        GradientCase c =
            case_of(fmt::format("noise by {} d {}", row_of(method).name, d), dynamics, method);
        c.x = start_of(manifold, {4, d});
        expect_gradient(c);
        if (manifold == Manifold::sphere) continue;
        c.dynamics.normalisation = LayerNorm::mix, c.dynamics.mix_until = 0.3;
        expect_gradient(c);
      }
}

// Who has no mass is not seen; the derivative in its mass is the one from above.
TEST(FlowGradient, ParticlesWithoutMass) {
  GradientCase c = case_of("no mass", dynamics_of(lively_head(401)));
  c.x.mass[2] = 0;
  expect_gradient(c);
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(c.dynamics, c.x.shape());
  const RecordedFlow recorded({*engine, *field, c.settings}, c.schedule, c.x);
  const double found = gradient(recorded, drawn_loss).gradient.mass[2];
  const double h = 1e-6, here = drawn_loss(recorded.frames(), {});
  HostSwarm heavier = c.x;
  heavier.mass[2] = h;
  const double once = (drawn_loss(recorded.frames_from(heavier, *field), {}) - here) / h;
  heavier.mass[2] = 2 * h;
  const double twice = (drawn_loss(recorded.frames_from(heavier, *field), {}) - here) / (2 * h);
  EXPECT_NEAR(found, 2 * once - twice, 1e-7 * std::max(1.0, std::fabs(found)));
}

// The check finds a gradient that is a millionth off, the gradient of another method, one whose
// projection was forgotten, and one that takes V for its transpose.
TEST(FlowGradient, WrongAdjointsAreRejected) {
  const auto engine = make_reference_engine();
  const GradientCase c = case_of("right", dynamics_of(lively_head(501)));
  EXPECT_LE(against_differences(c, *engine).worst, kWithin);
  const auto rejected = [&](const std::function<void(FlowGradient&)>& perturb) {
    return against_differences(c, *engine, perturb).worst > kWithin;
  };
  EXPECT_TRUE(rejected([](FlowGradient& g) {
    for (double& value : std::get<Attention>(g.dynamics.sublayers[0].forces[0]).query.data)
      value *= 1 + 1e-6;
  }));
  EXPECT_TRUE(rejected([&](FlowGradient& g) {
    GradientCase other = c;
    other.settings.method = Method::strang;
    const auto field = engine->prepare(c.dynamics, c.x.shape());
    const RecordedFlow recorded({*engine, *field, other.settings}, c.schedule, c.x);
    g = gradient(recorded, drawn_loss).gradient;
  }));
  EXPECT_TRUE(rejected([&](FlowGradient& g) {
    for (int i = 0; i < c.x.n(); ++i)
      for (int k = 0; k < c.x.d(); ++k) g.start.at(i, k) += 1e-5 * c.x.at(i, k);
  }));
  EXPECT_TRUE(rejected([&](FlowGradient& g) {
    Dynamics turned = c.dynamics;
    Matrix& value = std::get<Attention>(turned.sublayers[0].forces[0]).value;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) std::swap(value(i, j), value(j, i));
    const auto field = engine->prepare(turned, c.x.shape());
    const RecordedFlow recorded({*engine, *field, c.settings}, c.schedule, c.x);
    g = gradient(recorded, drawn_loss).gradient;
  }));
}

bool same(const FlowGradient& a, const FlowGradient& b, int d) {
  Dynamics first = a.dynamics, second = b.dynamics;
  const auto left = parameter_spans(first, d), right = parameter_spans(second, d);
  bool all = a.mass == b.mass && to_rows(a.start) == to_rows(b.start);
  for (std::size_t p = 0; p < left.size(); ++p)
    all = all && std::equal(left[p].values.begin(), left[p].values.end(), right[p].values.begin());
  return all;
}

// However few states are kept, the stretches between are the same to the bit.
TEST(FlowGradient, CheckpointsChangeNoBit) {
  for (const auto method : {Method::layers, Method::rk4, Method::dopri5}) {
    GradientCase c = case_of("", in_time(), method);
    c.settings.dt = 0.01;
    c.settings.tolerance = {1e-11, 1e-12};
    const auto engine = make_reference_engine();
    const auto field = engine->prepare(c.dynamics, c.x.shape());
    const auto with = [&](int states) {
      const RecordedFlow recorded({*engine, *field, c.settings}, c.schedule, c.x,
                                  {.states = states});
      EXPECT_GT(recorded.steps(), 40);
      return gradient(recorded, drawn_loss).gradient;
    };
    const FlowGradient all = with(1000);
    for (const int states : {2, 3, 7, 16, 59, 60, 61})
      EXPECT_TRUE(same(all, with(states), 3)) << states;
  }
}

// A flow of no time hands the cotangent back, along the sphere.
TEST(FlowGradient, OfNoTimeIsTheLosss) {
  GradientCase c = case_of("no time", sa(2));
  c.schedule = {.T = 0};
  expect_gradient(c);
}

// The frames of a recorded flow are those of `advance`, and so are those of its repeated steps.
TEST(FlowGradient, FramesAreThoseOfTheFlow) {
  for (const MethodRow& row : methods()) {
    if (row.stepping == Stepping::cvode) continue;
    GradientCase c = case_of("", in_time(), row.method);
    if (row.takes_noise) c.dynamics.noise = 0.1;
    const Simulated plain = simulated(c.dynamics, c.x, c.settings, c.schedule);
    const auto engine = make_reference_engine();
    const auto field = engine->prepare(c.dynamics, c.x.shape());
    const RecordedFlow recorded({*engine, *field, c.settings}, c.schedule, c.x);
    ASSERT_EQ(recorded.frames().size(), plain.frames.size());
    const auto again = recorded.frames_from(c.x, *field);
    ASSERT_EQ(again.size(), plain.frames.size());
    for (std::size_t f = 0; f < plain.frames.size(); ++f) {
      EXPECT_EQ(recorded.times()[f], plain.times[f]);
      EXPECT_EQ(to_rows(recorded.frames()[f]), to_rows(plain.frames[f])) << row.name;
      EXPECT_EQ(to_rows(again[f]), to_rows(plain.frames[f])) << row.name << " frame " << f;
    }
  }
}

// With tight tolerances the frozen steps matter no more: differences of whole adaptive flows.
TEST(FlowGradient, FrozenStepsAreTheFlowsGradientInTheLimit) {
  GradientCase c = case_of("", dynamics_of(lively_head(601)), Method::dopri5);
  c.settings.tolerance = {1e-13, 1e-13};
  c.schedule = {.T = 1};
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(c.dynamics, c.x.shape());
  const RecordedFlow recorded({*engine, *field, c.settings}, c.schedule, c.x);
  const double found =
      std::get<Attention>(gradient(recorded, drawn_loss).gradient.dynamics.sublayers[0].forces[0])
          .beta;
  const double wanted = derivative(1e-2, [&](double h) {
    Dynamics other = c.dynamics;
    std::get<Attention>(other.sublayers[0].forces[0]).beta += h;
    return drawn_loss(simulated(other, c.x, c.settings, c.schedule).frames, {});
  });
  EXPECT_NEAR(found, wanted, 1e-7 * std::fabs(wanted));
}

TEST(FlowGradient, RefusesWhatHasNone) {
  const auto reference = make_reference_engine();
  const auto record = [&](const Dynamics& dynamics, const FlowSettings& settings) {
    return [&reference, dynamics, settings] {
      const HostSwarm x = start_of(dynamics.manifold);
      const auto field = reference->prepare(dynamics, x.shape());
      RecordedFlow({*reference, *field, settings}, {.T = 1}, x);
    };
  };
  expect_refused(
      {{"hard attention jumps", record(dynamics_of(Attention{.weighting = Attention::hard}), {})},
       {"merge", record(sa(1), {.merge = 1e-3})},
       {"bdf's are implicit", record(sa(1), {.method = Method::bdf})}});
}

TEST(FlowGradient, RefusesCotangentsThatDoNotFit) {
  const GradientCase c = case_of("", sa(1));
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(c.dynamics, c.x.shape());
  const RecordedFlow recorded({*engine, *field, c.settings}, c.schedule, c.x);
  const std::vector<HostSwarm> few(1, c.x), small(recorded.frames().size(), HostSwarm({2, 3}));
  expect_refused({{"1 cotangents for 4 frames", [&] { recorded.backward(few); }},
                  {"the shape of its frame", [&] { recorded.backward(small); }}});
  const RecordedFlow stopped({*engine, *field, c.settings}, c.schedule, c.x,
                             {.stop = [] { return true; }});
  EXPECT_EQ(stopped.outcome().ending, Ending::interrupted);
  EXPECT_EQ(fault_of([&] { gradient(stopped, drawn_loss); }), Fault::numerical);
}

}  // namespace
}  // namespace murmur::testing
