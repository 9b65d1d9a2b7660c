// moments_test.cpp: the moments engine is right within its own certificate, particle by particle.
#include "murmur/moments.h"

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
  return {.phases = {{{head}}}, .clock = clock};
}

// A_i pair by pair in long double, for V = I in clock u1.
std::array<long double, 2> exact_pull(const Attention& head, const HostSwarm& x, int i) {
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
      head.scale == Attention::softmax ? 1 / weight : std::exp((long double)head.beta);
  return {scale * n0, scale * n1};
}

// The largest error as a share of what the certificate allows.
double worst_share(const Attention& head, const HostSwarm& x, double tolerance) {
  const auto engine = make_moments_engine({.tolerance = tolerance, .threads = 2});
  const auto field = engine->prepare(of(head), x.shape());
  const auto at = engine->place(x), a = engine->place(x);
  field->pull(0, 0, *at, *a);
  const HostSwarm got = engine->fetch(*a);
  const MomentsCertificate& certificate = certificate_of(*field);
  double worst = 0;
  for (int i = 0; i < x.n(); i += 1 + x.n() / 40) {
    const auto wanted = exact_pull(head, x, i);
    const auto error =
        static_cast<double>(std::hypot(got.at(i, 0) - wanted[0], got.at(i, 1) - wanted[1]));
    worst = std::fmax(worst, error / certificate.bound[i]);
  }
  return worst;
}

TEST(Moments, AreWithinTheirCertificates) {
  for (const std::int64_t target : compiled_targets()) {
    const OnTarget on(target);
    for (const double spread : {3.14159, 0.3, 0.01}) {
      const HostSwarm x = scattered(2100, spread);
      for (const double beta : {0.0, 0.5, 1.0, 4.0, 9.0, 25.0, 100.0})
        for (const double tolerance : {1e-6, 1e-12})
          for (const auto scale : {Attention::softmax, Attention::plain}) {
            const double share = worst_share({.beta = beta, .scale = scale}, x, tolerance);
            EXPECT_LE(share, 1) << "spread " << spread << " beta " << beta << " tolerance "
                                << tolerance << (scale == Attention::plain ? " USA" : " SA");
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
    for (const auto scale : {Attention::softmax, Attention::plain})
      for (const Clock clock : {Clock::u1, Clock::u2, Clock::u3}) {
        if (scale == Attention::softmax && clock != Clock::u1) continue;
        Attention head{.beta = 3, .scale = scale};
        head.value = value;
        const auto engine = make_moments_engine();
        const auto field = engine->prepare(of(head, clock), x.shape());
        const auto at = engine->place(x), a = engine->place(x);
        field->pull(0, 0, *at, *a);
        const HostSwarm got = engine->fetch(*a), wanted = pull(*reference, of(head, clock), x);
        const std::vector<double> size = message_sizes(of(head, clock), x);
        for (int i = 0; i < x.n(); ++i)
          EXPECT_LE(std::hypot(got.at(i, 0) - wanted.at(i, 0), got.at(i, 1) - wanted.at(i, 1)),
                    certificate_of(*field).bound[i] + 1e-15 * 8 * size[i]);
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
  Perceptron will{.activation = Perceptron::gelu};
  will.in = {2, 2, {1, 0.4, -0.3, 2}};
  will.in_bias = {0.1, -0.2};
  will.out = {2, 2, {0.5, -1, 0.25, 1}};
  Phase own;
  own.forces.emplace_back(will);
  dynamics.phases.push_back(own);
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
  EXPECT_EQ(certificate_of(*field).direct, 1);
  const auto reference = make_reference_engine();
  const HostSwarm wanted = velocity(*reference, of({.beta = 40}), x), got = engine->fetch(*v);
  EXPECT_NEAR(got.at(3, 1), wanted.at(3, 1), 1e-9);
  EXPECT_GT(std::fabs(wanted.at(3, 1)), 1e-6);
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
    return certificate_of(*field).orders;
  };
  EXPECT_LE(orders(25, 1e-12), 52);
  EXPECT_GE(orders(25, 1e-12), 42);
  EXPECT_LT(orders(25, 1e-6), orders(25, 1e-12));
  EXPECT_EQ(orders(0, 1e-12), 1);
}

TEST(Moments, RefuseWhatTheyDoNotKnow) {
  EXPECT_TRUE(moments_know(of({.beta = 3}), 2));
  EXPECT_FALSE(moments_know(of({.beta = 3}), 3));
  EXPECT_FALSE(moments_know(of({.beta = -1}), 2));
  EXPECT_FALSE(moments_know(of({.reach = Attention::past}), 2));
  Attention skew{};
  skew.key = {2, 2, {1, 1, 0, 1}};
  EXPECT_FALSE(moments_know(of(skew), 2));
  const auto engine = make_moments_engine();
  EXPECT_THROW(engine->prepare(of({.beta = -1}), {8, 2}), Error);
  const auto reference = make_reference_engine();
  const auto field = reference->prepare(of({.beta = 1}), {8, 2});
  EXPECT_THROW(certificate_of(*field), Error);
}

}  // namespace
}  // namespace murmur::testing
