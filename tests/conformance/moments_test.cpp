// moments_test.cpp: the moments engine is right within its own bound, particle by particle.
#include "engine/moments/moments.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "contenders.h"
#include "core/elementary.h"
#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur::testing {
namespace {

// Tokens on the circle: spread evenly at random, or in a cluster with every 50th far away.
HostSwarm scattered(int n, double spread) {
  HostSwarm x({n, 2});
  for (int i = 0; i < n; ++i) {
    const Draw draw{.seed = 5, .particle = static_cast<std::uint32_t>(i)};
    const bool far = spread < 3 && i % 50 == 7;
    const double theta = far ? 3.0 + 0.1 * draw.uniform(1) : spread * (2 * draw.uniform(0) - 1);
    x.at(i, 0) = elementary::cos(theta);
    x.at(i, 1) = elementary::sin(theta);
  }
  return x;
}

Dynamics of(const Attention& head, Clock clock = Clock::u1) {
  return {.sublayers = {{{head}}}, .clock = clock};
}

// A_i pair by pair in long double, for V = I in clock u1.
std::array<long double, 2> exact_drift(const Attention& head, const HostSwarm& x, int i) {
  long double weight = 0, n0 = 0, n1 = 0;
  for (int j = 0; j < x.n(); ++j) {
    const long double along = static_cast<long double>(x.at(i, 0)) * x.at(j, 0) +
                              static_cast<long double>(x.at(i, 1)) * x.at(j, 1);
    const long double w = x.mass[j] * std::exp(head.beta * (along - 1));
    weight += w;
    n0 += w * x.at(j, 0);
    n1 += w * x.at(j, 1);
  }
  const long double scale =
      head.weighting == Attention::softmax ? 1 / weight : std::exp((long double)head.beta);
  return {scale * n0, scale * n1};
}

// The largest error as a share of what the bound allows.
double worst_share(const Attention& head, const HostSwarm& x, double tolerance) {
  const auto engine = make_moments_engine({.tolerance = tolerance, .threads = 2});
  const auto field = engine->prepare(of(head), x.shape());
  const auto at = engine->place(x), a = engine->place(x);
  field->drift(0, 0, *at, *a);
  const HostSwarm got = engine->fetch(*a);
  const ErrorBound& known = *field->error_bound();
  double worst = 0;
  for (int i = 0; i < x.n(); i += 1 + x.n() / 40) {
    const auto wanted = exact_drift(head, x, i);
    const auto error =
        static_cast<double>(std::hypot(got.at(i, 0) - wanted[0], got.at(i, 1) - wanted[1]));
    worst = std::fmax(worst, error / known.bound[i]);
  }
  return worst;
}

TEST(Moments, AreWithinTheirBounds) {
  for (const std::int64_t target : compiled_targets()) {
    const OnTarget on(target);
    for (const double spread : {3.14159, 0.3, 0.01}) {
      const HostSwarm x = scattered(2100, spread);
      for (const double beta : {0.0, 0.5, 1.0, 4.0, 9.0, 25.0, 100.0})
        for (const double tolerance : {1e-6, 1e-12})
          for (const auto weighting : {Attention::softmax, Attention::unnormalised}) {
            const double share = worst_share({.beta = beta, .weighting = weighting}, x, tolerance);
            EXPECT_LE(share, 1) << "spread " << spread << " beta " << beta << " tolerance "
                                << tolerance
                                << (weighting == Attention::unnormalised ? " USA" : " SA");
          }
    }
  }
}

// Against the reference, whose own sums of n terms round too.
TEST(Moments, AgreeWithTheReferenceOverValuesAndClocks) {
  const HostSwarm x = scattered(200, 2);
  Matrix skew = scaled_identity(2, 0.3);
  skew(0, 1) = -1.2;
  skew(1, 0) = 0.7;
  const std::vector<Matrix> values = {scaled_identity(2, -1), skew};
  const auto reference = make_reference_engine();
  for (const Matrix& value : values)
    for (const auto weighting : {Attention::softmax, Attention::unnormalised})
      for (const Clock clock : {Clock::u1, Clock::u2, Clock::u3}) {
        if (weighting == Attention::softmax && clock != Clock::u1) continue;
        Attention head{.beta = 3, .weighting = weighting};
        head.value = value;
        const auto engine = make_moments_engine();
        const auto field = engine->prepare(of(head, clock), x.shape());
        const auto at = engine->place(x), a = engine->place(x);
        field->drift(0, 0, *at, *a);
        const HostSwarm got = engine->fetch(*a), wanted = drift(*reference, of(head, clock), x);
        const std::vector<double> size = message_sizes(of(head, clock), x);
        for (int i = 0; i < x.n(); ++i)
          EXPECT_LE(std::hypot(got.at(i, 0) - wanted.at(i, 0), got.at(i, 1) - wanted.at(i, 1)),
                    field->error_bound()->bound[i] + 1e-15 * 8 * size[i]);
      }
}

HostSwarm velocity(Engine& engine, const Dynamics& dynamics, const HostSwarm& x) {
  const auto field = engine.prepare(dynamics, x.shape());
  const auto at = engine.place(x), v = engine.place(x);
  field->velocity(0, *at, *v);
  return engine.fetch(*v);
}

TEST(Moments, AddPerceptronsAndProject) {
  const HostSwarm x = scattered(300, 3);
  Dynamics dynamics = of({.beta = 4});
  Perceptron perceptron{.activation = Perceptron::gelu};
  perceptron.in = {2, 2, {1, 0.4, -0.3, 2}};
  perceptron.in_bias = {0.1, -0.2};
  perceptron.out = {2, 2, {0.5, -1, 0.25, 1}};
  Sublayer own;
  own.forces.emplace_back(perceptron);
  dynamics.sublayers.push_back(own);
  const auto reference = make_reference_engine();
  const auto engine = make_moments_engine();
  const HostSwarm got = velocity(*engine, dynamics, x), wanted = velocity(*reference, dynamics, x);
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(got.at(i, k), wanted.at(i, k), 1e-12);
}

// A series of the width of e^{beta} cannot show a weight of e^{-2 beta}: pairs must.
TEST(Moments, LonelyParticlesAreSummedByPairs) {
  HostSwarm x = scattered(100, 0.01);
  for (int i = 7; i < 100; i += 50) x.at(i, 0) = 1, x.at(i, 1) = 0;
  x.at(3, 0) = -1;
  x.at(3, 1) = 0;
  x.mass.assign(100, 1.0 / 99);
  x.mass[3] = 1e-45;
  const auto engine = make_moments_engine();
  const auto field = engine->prepare(of({.beta = 40}), x.shape());
  const auto at = engine->place(x), v = engine->place(x);
  field->velocity(0, *at, *v);
  EXPECT_EQ(field->error_bound()->direct, 1);
  const auto reference = make_reference_engine();
  const HostSwarm wanted = velocity(*reference, of({.beta = 40}), x), got = engine->fetch(*v);
  EXPECT_NEAR(got.at(3, 1), wanted.at(3, 1), 1e-9);
  EXPECT_GT(std::fabs(wanted.at(3, 1)), 1e-6);
}

// Whoever the series does not know well enough is summed by pairs, and then is well known.
TEST(Moments, HoldEveryParticleToAGivenBound) {
  const HostSwarm x = scattered(2100, 0.01);
  constexpr double kLimit = 1e-13;
  const MomentsChoice strict{.pairs_above = kLimit}, loose{};
  for (const MomentsChoice& choice : {strict, loose}) {
    const auto engine = make_moments_engine(choice);
    const auto field = engine->prepare(of({.beta = 9}), x.shape());
    const auto at = engine->place(x), a = engine->place(x);
    field->drift(0, 0, *at, *a);
    const ErrorBound& known = *field->error_bound();
    EXPECT_EQ(known.worst <= kLimit, choice.pairs_above == kLimit) << known.worst;
    EXPECT_EQ(known.direct, choice.pairs_above == kLimit ? 42 : 0);
    const HostSwarm got = engine->fetch(*a);
    for (int i = 7; i < x.n(); i += 50) {
      const auto wanted = exact_drift({.beta = 9}, x, i);
      EXPECT_LE(std::hypot(got.at(i, 0) - wanted[0], got.at(i, 1) - wanted[1]), known.bound[i]);
    }
  }
}

// Weights that are drawn anew: the first phase is over before the second begins.
TEST(Moments, CertifyOneEvaluationWhateverPhasesAct) {
  const HostSwarm x = scattered(100, 3);
  Dynamics dynamics = of({.beta = 4});
  dynamics.sublayers.push_back(dynamics.sublayers[0]);
  dynamics.sublayers[0].until = 1;
  dynamics.sublayers[1].from = 1;
  const auto engine = make_moments_engine();
  const auto field = engine->prepare(dynamics, x.shape());
  const auto at = engine->place(x), v = engine->place(x);
  field->velocity(1.5, *at, *v);
  const std::vector<double> once = field->error_bound()->bound;
  ASSERT_EQ(once.size(), 100U);
  EXPECT_GT(once[0], 0);
  for (const double t : {0.25, 0.5, 1.0, 1.0, 2.0}) {
    field->velocity(t, *at, *v);
    EXPECT_EQ(field->error_bound()->bound, once) << t;
  }
  EXPECT_EQ(field->error_bound()->worst_ever, field->error_bound()->worst);
}

// The flight that make_engine's moments make of what the reference flew to `wanted`.
double drift(const Dynamics& dynamics, const FlowSettings& settings, const Simulated& wanted) {
  const HostSwarm& x = wanted.frames.front();
  const auto engine = make_engine({.name = "moments"}, x.shape(), dynamics);
  const auto field = engine->prepare(dynamics, x.shape());
  FlowState state = start(x);
  std::size_t frames = 0;
  double most = 0;
  const auto compare = [&](double, const HostSwarm& frame) {
    most = std::fmax(most, largest_difference(frame, wanted.frames[frames++]));
  };
  const Outcome outcome =
      advance({*engine, *field, settings}, {.T = wanted.times.back(), .every = wanted.times[1]},
              state, {.frame = compare});
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(frames, wanted.frames.size());
  EXPECT_LE(field->error_bound()->worst_ever, kMomentsPromise);
  return most;
}

// As docs/engines.md says. Adaptive steps depend on the last digits of the error norm, so that two
// engines differ by a little of what the steps themselves neglect: a hundredth of rtol.
TEST(Moments, FlightsStayWithTheReference) {
  for (const double beta : {1.0, 4.0, 9.0, 25.0})
    for (const Method method : {Method::rk4, Method::dopri5}) {
      const FlowSettings settings{.method = method, .dt = 0.05};
      const double most = method == Method::rk4 ? 1e-11 : settings.tolerance.rtol / 100;
      const Dynamics dynamics = of({.beta = beta});
      const Simulated wanted =
          simulated(dynamics, scattered(151, 3.14159), settings, {.T = 10, .every = 1});
      EXPECT_GT(largest_difference(wanted.frames.front(), wanted.last()), 0.1);
      EXPECT_LE(drift(dynamics, settings, wanted), most) << "beta " << beta;
    }
}

TEST(Moments, AreChosenForCrowds) {
  EXPECT_EQ(resolve_engine({}, {4096, 2}, sa(4)), "moments");
  EXPECT_EQ(resolve_engine({}, {4095, 2}, sa(4)), "simd");
  EXPECT_EQ(resolve_engine({}, {4096, 3}, sa(4)), "moments");
  EXPECT_EQ(resolve_engine({}, {4095, 3}, sa(4)), "simd");
  EXPECT_EQ(resolve_engine({}, {4096, 5}, sa(9)), "simd");  // pairs cost less
  EXPECT_EQ(resolve_engine({}, {1 << 20, 5}, sa(4)), "moments");
  EXPECT_EQ(resolve_engine({}, {1 << 20, 3}, usa(50)), "moments");
  EXPECT_EQ(resolve_engine({}, {4096, 2}, sa(101)), "simd");
  EXPECT_EQ(resolve_engine({}, {4096, 2}, usa(4)), "moments");
  EXPECT_EQ(resolve_engine({}, {4095, 2}, usa(4)), "simd");
  EXPECT_EQ(resolve_engine({}, {4096, 2}, usa(-1)), "simd");
  EXPECT_EQ(resolve_engine({}, {4096, 2}, {}), "simd");
  EXPECT_EQ(resolve_engine({.precision = Precision::f32}, {4096, 2}, sa(4)), "simd");
  EXPECT_EQ(resolve_engine({.name = "simd"}, {4096, 2}, sa(4)), "simd");
  EXPECT_EQ(resolve_engine({.name = "moments"}, {5, 2}, usa(400)), "moments");
  EXPECT_THROW(resolve_engine({.name = "moments"}, {4096, 6}, sa(4)), Error);
  EXPECT_THROW(resolve_engine({"moments", Precision::f32}, {4096, 2}, sa(4)), Error);
  EXPECT_EQ(make_engine({}, {4096, 2}, sa(4))->name().rfind("moments ", 0), 0U);
}

// auto takes moments of USA where the bound is known beforehand, and the bound agrees.
TEST(Moments, AreChosenForPlainHeadsThatTheyBound) {
  const HostSwarm x = scattered(4096, 3.14159);
  for (const Clock clock : {Clock::u1, Clock::u2, Clock::u3, Clock::u4})
    for (const double beta : {0.5, 2.0, 7.0, 12.0}) {
      Dynamics dynamics = of({.beta = beta, .weighting = Attention::unnormalised}, clock);
      if (clock == Clock::u4 && beta <= 1) continue;
      const double bound = moments_bound(dynamics, x.n());
      const bool bounded = beta <= (clock == Clock::u3 ? 6 : 8);
      const bool chosen = bounded && clock != Clock::u4;
      EXPECT_EQ(resolve_engine({}, x.shape(), dynamics), chosen ? "moments" : "simd") << beta;
      EXPECT_EQ(bound <= kMomentsPromise, bounded) << bound;
      const auto engine = make_moments_engine();
      const auto field = engine->prepare(dynamics, x.shape());
      const auto at = engine->place(x), v = engine->place(x);
      field->velocity(0, *at, *v);
      EXPECT_LE(field->error_bound()->worst, bound * (1 + 1e-12));
      EXPECT_TRUE(clock != Clock::u1 || field->error_bound()->worst >= bound * (1 - 1e-12));
      // Two heads err twice, at one time; a head that has left, or is yet to come, not at all.
      dynamics.sublayers.push_back(dynamics.sublayers[0]);
      EXPECT_GE(moments_bound(dynamics, x.n()), 2 * bound);
      EXPECT_LE(moments_bound(dynamics, x.n()), 2.02 * bound);  // and one addition more each
      dynamics.sublayers[0].until = dynamics.sublayers[1].from = 1;
      EXPECT_DOUBLE_EQ(moments_bound(dynamics, x.n()), bound);
    }
}

TEST(Moments, SayWhichForceTheyDoNotKnow) {
  const auto engine = make_moments_engine();
  const auto reason = [&](const Attention& head) {
    Dynamics dynamics = of({.beta = 1});
    dynamics.sublayers.push_back(of(head).sublayers[0]);
    return engine->unsupported_reason(dynamics, {4, 2}).value_or(Unsupported{}).what;
  };
  const struct {
    Attention head;
    const char* name;
  } unknown[] = {{{.weighting = Attention::hard}, "hardmax"},
                 {{.weighting = Attention::sinkhorn}, "sinkhorn"},
                 {{.mask = Attention::causal}, "past"},
                 {{.self = false}, "j = i"},
                 {{.mask = Attention::causal, .alibi = 1}, "past"},
                 {{.relative = true, .rescaled = true}, "rescaled"}};
  for (const auto& [head, name] : unknown)
    EXPECT_NE(reason(head).find(name), std::string::npos) << reason(head);
  EXPECT_EQ(reason({.beta = 2}), "");
  EXPECT_NE(engine->unsupported_reason(sa(1), {4, 6})->what.find("coordinates"), std::string::npos);
}

TEST(Moments, GiveTheSameBitsForAnyThreadCount) {
  const HostSwarm x = scattered(10'000, 3);
  const auto one = make_moments_engine({.threads = 1}), many = make_moments_engine({.threads = 5});
  const HostSwarm a = velocity(*one, of({.beta = 9}), x), b = velocity(*many, of({.beta = 9}), x);
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < 2; ++k) ASSERT_EQ(a.at(i, k), b.at(i, k));
  EXPECT_EQ(circle_moments(x, 20, 1), circle_moments(x, 20, 5));
}

TEST(Moments, DegreeIsEnoughAndNotTooMuch) {
  const auto orders = [](double beta, double tolerance) {
    const HostSwarm x = scattered(10, 3);
    const auto engine = make_moments_engine({.tolerance = tolerance});
    const auto field = engine->prepare(of({.beta = beta}), x.shape());
    return field->error_bound()->orders;
  };
  EXPECT_LE(orders(25, 1e-12), 52);
  EXPECT_GE(orders(25, 1e-12), 42);
  EXPECT_LT(orders(25, 1e-6), orders(25, 1e-12));
  EXPECT_EQ(orders(0, 1e-12), 1);
}

TEST(Moments, RefuseWhatTheyDoNotKnow) {
  EXPECT_FALSE(make_moments_engine()->unsupported_reason(of({.beta = 3}), {8, 2}).has_value());
  EXPECT_FALSE(make_moments_engine()->unsupported_reason(of({.beta = -3}), {8, 5}).has_value());
  EXPECT_TRUE(make_moments_engine()->unsupported_reason(of({.beta = 3}), {8, 6}).has_value());
  EXPECT_TRUE(make_moments_engine()
                  ->unsupported_reason(of({.mask = Attention::causal}), {8, 2})
                  .has_value());
  const auto engine = make_moments_engine();
  EXPECT_THROW(engine->prepare(of({.self = false}), {8, 2}), Error);
  const auto reference = make_reference_engine();
  const auto field = reference->prepare(of({.beta = 1}), {8, 2});
  EXPECT_EQ(field->error_bound(), nullptr);
}

}  // namespace
}  // namespace murmur::testing
