// noise_test.cpp: Brownian motion on spheres and in R^d, the orders of its methods, and the order
// that noise leaves to a swarm.
#include "core/noise.h"

#include <gtest/gtest.h>

#include <functional>

#include "support.h"

namespace murmur::testing {
namespace {

const Dynamics kFree{.manifold = Manifold::sphere, .sublayers = {{}}};

// n walkers at the north pole.
HostSwarm at_pole(Shape shape) {
  HostSwarm x(shape);
  for (int i = 0; i < shape.n; ++i) x.at(i, 0) = 1;
  return x;
}

double mean_first(const HostSwarm& x) {
  double sum = 0;
  for (int i = 0; i < x.n(); ++i) sum += x.at(i, 0);
  return sum / x.n();
}

double order_parameter(const HostSwarm& x) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    double sum = 0;
    for (int i = 0; i < x.n(); ++i) sum += x.at(i, k);
    square += sum * sum;
  }
  return std::sqrt(square) / x.n();
}

Dynamics with_noise(Dynamics dynamics, double noise) {
  dynamics.noise = noise;
  return dynamics;
}

// Free motion under noise D.
HostSwarm walked(double noise, Shape shape, const Carried& carried, double T) {
  return simulated_by(with_noise(kFree, noise), at_pole(shape), carried, {.T = T}).last();
}

// The first harmonic has eigenvalue d - 1: E <x_0, x_t> = e^{-(d-1) D t}. Five deviations of the
// mean of so many cosines.
TEST(Noise, FreeMotionForgetsAtItsRate) {
  const int walkers = 100'000;
  const double five_deviations = 5 / std::sqrt(walkers);
  for (const int d : {2, 3, 5}) {
    const double exact = std::exp(-(d - 1) * 0.25 * 1.0);
    const HostSwarm x =
        walked(0.25, {walkers, d}, {{.method = Method::strang, .dt = 0.25}, {.seed = 5}}, 1);
    EXPECT_NEAR(mean_first(x), exact, five_deviations) << "d = " << d;
    for (int i = 0; i < 100; ++i) EXPECT_NEAR(dot(x, i, i), 1, 1e-14);
  }
}

TEST(Noise, InSpaceTheVarianceGrowsLinearly) {
  const Dynamics free{.manifold = Manifold::space, .sublayers = {{}}, .noise = 0.3};
  for (const Method method : {Method::strang, Method::euler, Method::layers}) {
    const Carried carried{{.method = method, .dt = 0.5}, {.seed = 2}};
    const HostSwarm x = simulated_by(free, HostSwarm({50'000, 2}), carried, {.T = 2}).last();
    double square = 0;
    for (int i = 0; i < x.n(); ++i) square += x.at(i, 0) * x.at(i, 0);
    EXPECT_NEAR(square / x.n(), 2 * 0.3 * 2, 5 * 1.2 * std::sqrt(2. / x.n()));
  }
}

// The bias of one noise_step of duration h, E <x, X_h> - e^{-(d-1) D h}, without chance: the length
// r of the normal vector of R^{d-1} has density ~ r^{d-2} e^{-r^2/2}, integrated by Simpson's rule.
double one_step_bias(int d, double h, const std::function<double(double r)>& cosine) {
  double weight = 0, sum = 0;
  constexpr int kParts = 4000;
  for (int part = 0; part <= kParts; ++part) {
    const double r = 14. * part / kParts;
    const double simpson = part == 0 || part == kParts ? 1 : part % 2 == 1 ? 4 : 2;
    const double density = simpson * std::pow(r, d - 2) * std::exp(-r * r / 2);
    weight += density;
    sum += density * cosine(r);
  }
  return sum / weight - std::exp(-(d - 1) * h);
}

// What `blow` and Euler-Maruyama do to a walker, read off single walkers: the cosine of their turn
// as a function of the length of their normal vector.
TEST(Noise, LocalBiasIsOfThirdAndSecondOrder) {
  for (const int d : {3, 5, 8}) {
    const auto geodesic = [d](double h) {
      const double deviation = std::sqrt(2 * h / (1 + (d - 2) * h / 3));
      return one_step_bias(d, h, [&](double r) { return std::cos(deviation * r); });
    };
    const auto retracted = [d](double h) {
      return one_step_bias(d, h, [&](double r) { return 1 / std::sqrt(1 + 2 * h * r * r); });
    };
    EXPECT_NEAR(std::log2(geodesic(0.01) / geodesic(0.005)), 3, 0.1) << d;
    EXPECT_NEAR(std::log2(retracted(0.002) / retracted(0.001)), 2, 0.1) << d;
    for (const double h : {0.3, 0.01}) {  // and these formulas are those of the code
      HostSwarm x = at_pole({1, d});
      const NoiseStep step{1, h, {7, 0}, 3};
      const HostSwarm term = noise_increment(step, Manifold::sphere, x);
      const double length = std::sqrt(dot(term, 0, 0) / (2 * h));
      EXPECT_NEAR(term.at(0, 0), 0, 1e-15);
      brownian_step(step, Manifold::sphere, x);
      EXPECT_NEAR(x.at(0, 0), std::cos(std::sqrt(2 * h / (1 + (d - 2) * h / 3)) * length), 1e-14);
      EXPECT_NEAR(dot(x, 0, 0), 1, 1e-15);
    }
  }
}

// Independent walkers on the circle in a constant wind w: their stationary law is ~ e^{w cos / D},
// with mean cosine I_1(w/D) / I_0(w/D) = 0.697775 for w = 1, D = 1/2.
TEST(Noise, WeakOrderWithDrift) {
  const int walkers = 100'000;
  const double deviation = 0.4 / std::sqrt(walkers);
  const Dynamics wind = with_noise(
      dynamics_of(Perceptron{.in = zeros(1, 2), .out = zeros(2, 1), .out_bias = {1, 0}}), 0.5);
  const auto bias = [&](Method method, double dt) {
    const Carried carried{{.method = method, .dt = dt}, {.seed = 11}};
    return mean_first(simulated_by(wind, at_pole({walkers, 2}), carried, {.T = 8}).last()) -
           0.697775;
  };
  const double euler = bias(Method::euler, 0.25), euler_finer = bias(Method::euler, 0.125);
  const double strang = bias(Method::strang, 1), strang_finer = bias(Method::strang, 0.5);
  RecordProperty("euler", std::to_string(euler) + " " + std::to_string(euler_finer));
  RecordProperty("strang", std::to_string(strang) + " " + std::to_string(strang_finer));
  EXPECT_GT(std::fabs(euler_finer), 8 * deviation);
  EXPECT_NEAR(euler / euler_finer, 2, 0.5);
  EXPECT_GT(std::fabs(strang_finer), 5 * deviation);
  EXPECT_NEAR(strang / strang_finer, 4, 1.2);
}

// Without noise strang is the midpoint rule.
TEST(Noise, StrangWithoutNoiseIsOfSecondOrder) {
  const HostSwarm x = random_sphere({32, 3}, 21);
  const HostSwarm exact = simulated(sa(9), x, {.tolerance = {1e-13, 1e-13}}, {.T = 4}).last();
  const auto error = [&](double dt) {
    return largest_difference(
        simulated(sa(9), x, {.method = Method::strang, .dt = dt}, {.T = 4}).last(), exact);
  };
  EXPECT_NEAR(std::log2(error(1. / 64) / error(1. / 128)), 2, 0.15);
}

// The order parameter of the stationary law, a mean over frames after the start is forgotten.
double stationary_order(double beta, double kappa, int n, double T) {
  HostSwarm x = at_pole({n, 2});
  const FlowSettings settings{.method = Method::strang, .dt = 0.2};
  const auto engine = make_engine({}, x.shape(), usa(beta));
  const auto field = engine->prepare(with_noise(usa(beta), 1 / kappa), x.shape());
  FlowState state = start(x);
  double sum = 0;
  int frames = 0;
  FlowWatch watch;
  watch.frame = [&](double t, const HostSwarm& frame) {
    if (t < T / 2) return;
    sum += order_parameter(frame);
    ++frames;
  };
  const Flow flow{*engine, *field, settings, {.seed = 3}};
  const Outcome outcome = advance(flow, {.T = T, .every = 1}, state, watch);
  EXPECT_TRUE(outcome.ok());
  return sum / frames;
}

// beta = 0 on the circle is Kuramoto's model with noise: r = I_1(kappa r) / I_0(kappa r).
TEST(Noise, KuramotoOrder) {
  EXPECT_NEAR(stationary_order(0, 2.5, 3000, 20), 0.589708, 0.03);
  EXPECT_NEAR(stationary_order(0, 4, 3000, 12), 0.831462, 0.01);
}

// The self-consistent law p ~ exp((kappa/beta) W * p) of USA on the circle, beta = 1; below
// kappa_c = 1.76941 only the order of finitely many particles is left.
TEST(Noise, OrderOfUnnormalisedAttention) {
  EXPECT_NEAR(stationary_order(1, 3.0, 2000, 12), 0.8640, 0.02);
  EXPECT_NEAR(stationary_order(1, 2.2, 2000, 20), 0.6766, 0.03);
  EXPECT_LT(stationary_order(1, 1.4, 2000, 20), 0.12);
}

TEST(Noise, SameBitsOnAnyNumberOfThreads) {
  const HostSwarm x = random_sphere({400, 3}, 4);
  const auto with = [&](Method method, int threads) {
    const auto engine = make_simd_engine(Precision::f64, threads);
    const auto field = engine->prepare(with_noise(sa(4), 0.1), x.shape());
    FlowState state = start(x);
    const FlowSettings settings{.method = method, .dt = 0.1};
    advance({*engine, *field, settings, {.seed = 8}}, {.T = 2}, state, {});
    return to_rows(state.x);
  };
  for (const Method method : {Method::layers, Method::euler, Method::strang})
    EXPECT_EQ(with(method, 1), with(method, 2));
}

TEST(Noise, StoppedAndContinuedGivesTheSameBits) {
  const HostSwarm x = random_sphere({20, 3}, 4);
  for (const Method method : {Method::layers, Method::euler, Method::strang}) {
    const Carried carried{{.method = method, .dt = 0.1}, {.seed = 8}};
    const Dynamics dynamics = with_noise(sa(4), 0.1);
    const Simulated whole = simulated_by(dynamics, x, carried, {.T = 4, .every = 0.5});
    const auto engine = make_reference_engine();
    const auto field = engine->prepare(dynamics, x.shape());
    FlowState state = start(x);
    const Flow flow{*engine, *field, carried.settings, carried.random};
    advance(flow, {.T = 2, .every = 0.5}, state, {});
    FlowState copy = state;
    advance(flow, {.T = 4, .every = 0.5}, copy, {});
    EXPECT_EQ(to_rows(copy.x), to_rows(whole.state.x));
  }
}

TEST(Noise, SeedAndReplicaChangeIt) {
  const Carried carried{{.method = Method::strang, .dt = 0.1}, {.seed = 8}};
  Carried other = carried, replica = carried;
  other.random.seed = 9;
  replica.random.replica = 1;
  const HostSwarm x = walked(0.1, {4, 3}, carried, 1);
  EXPECT_GT(largest_difference(x, walked(0.1, {4, 3}, other, 1)), 0.01);
  EXPECT_GT(largest_difference(x, walked(0.1, {4, 3}, replica, 1)), 0.01);
  EXPECT_EQ(to_rows(x), to_rows(walked(0.1, {4, 3}, carried, 1)));
}

}  // namespace
}  // namespace murmur::testing
