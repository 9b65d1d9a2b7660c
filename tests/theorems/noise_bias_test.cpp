// noise_bias_test.cpp: how far steps with noise are off in the long run, as docs/simulate.md says.
#include <gtest/gtest.h>

#include <array>
#include <numbers>
#include <utility>

#include "engine/moments/moments.h"
#include "murmur/theory.h"
#include "support.h"

namespace murmur::testing {
namespace {

constexpr double kBeta = 1, kKappa = 2.2, kStep = 0.02;

// The stationary law of infinitely many tokens of USA on the circle under single steps
//   theta <- theta + atan( (dt v + sqrt(2 dt / kappa) xi) / s ),   s = 1 (euler), 1 + dt a (layers)
// with A = a x + v x' the drift of the law itself: cosine coefficients on 64 angles, where all but
// the first twenty vanish, and the normal xi by the trapezoidal rule.
double order_of_steps(Method method) {
  constexpr int n = 64, parts = 25;
  const double deviation = std::sqrt(2 * kStep / kKappa);
  std::array<double, n> p{}, cosine{}, sine{}, kernel{};  // masses of angles, and e^{beta cos}
  std::array<double, parts> xi{}, weight{};
  double total = 0, weights = 0;
  for (int i = 0; i < n; ++i) {
    cosine[i] = std::cos(2 * std::numbers::pi * i / n);
    sine[i] = std::sin(2 * std::numbers::pi * i / n);
    kernel[i] = std::exp(kBeta * cosine[i]);
    total += p[i] = kernel[i] * kernel[i];
  }
  for (double& mass : p) mass /= total;
  for (int e = 0; e < parts; ++e) {
    xi[e] = 0.5 * (e - parts / 2);
    weights += weight[e] = std::exp(-xi[e] * xi[e] / 2);
  }
  std::array<double, n / 2> moment{};
  for (int step = 0; step < 1500; ++step) {
    moment.fill(0);
    for (int i = 0; i < n; ++i) {
      double along = 0, across = 0;
      for (int j = 0; j < n; ++j) {
        const int apart = (j - i + n) % n;
        along += p[j] * kernel[apart] * cosine[apart];
        across += p[j] * kernel[apart] * sine[apart];
      }
      const double s = method == Method::layers ? 1 + kStep * along : 1;
      for (int e = 0; e < parts; ++e) {
        const double turn = std::atan((kStep * across + deviation * xi[e]) / s);
        const double to = std::cos(2 * std::numbers::pi * i / n + turn);
        double before = to, now = 1;  // cos (k - 1) theta, cos k theta
        for (double& m : moment) {
          m += p[i] * weight[e] / weights * now;
          before = std::exchange(now, 2 * to * now - before);
        }
      }
    }
    for (int i = 0; i < n; ++i) {
      p[i] = moment[0] / n;
      for (int k = 1; k < n / 2; ++k) p[i] += 2 * moment[k] * cosine[k * i % n] / n;
    }
  }
  return moment[1];
}

double order_of_tokens(Method method) {
  constexpr int n = 4000;
  std::vector<double> angles;
  for (int i = 0; i < n; ++i) angles.push_back(2.0 * i / n - 1);
  const HostSwarm x = circle(angles);
  Dynamics dynamics = usa(kBeta);
  dynamics.noise = 1 / kKappa;
  const auto engine = make_moments_engine();
  const auto field = engine->prepare(dynamics, x.shape());
  FlowState state = start(x);
  double sum = 0;
  int frames = 0;
  const auto add = [&](double t, const HostSwarm& frame) {
    if (t < 20) return;
    double mean[] = {0, 0};
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 2; ++k) mean[k] += frame.at(i, k) / n;
    sum += std::hypot(mean[0], mean[1]);
    ++frames;
  };
  EXPECT_TRUE(advance({*engine, *field, {.method = method, .dt = kStep}, {.seed = 3}},
                      {.T = 50, .every = 1}, state, {.frame = add})
                  .ok());
  return sum / frames;
}

TEST(NoiseBias, OfEulerAndOfLayers) {
  const double right = theory::stationary_order(kKappa, kBeta);
  EXPECT_NEAR(right, 0.67656, 5e-6);
  const struct {
    Method method;
    double bias;  // of the order, as a share
  } cases[] = {{Method::euler, 0.0153}, {Method::layers, 0.0704}};
  for (const auto& c : cases) {
    EXPECT_NEAR(order_of_steps(c.method) / right - 1, c.bias, 1e-4) << row_of(c.method).name;
    EXPECT_NEAR(order_of_tokens(c.method) / right - 1, c.bias, 0.02) << row_of(c.method).name;
  }
}

}  // namespace
}  // namespace murmur::testing
