// order_test.cpp: every method converges at its declared order; so do the interpolants.
#include <gtest/gtest.h>

#include <numeric>

#include "flow/flow_stepper.h"
#include "flow/runge_kutta.h"
#include "support.h"

namespace murmur::testing {
namespace {

const HostSwarm& start_point() {
  static const HostSwarm x = random_sphere({32, 3}, 21);
  return x;
}

const HostSwarm& exact() {
  static const HostSwarm y =
      simulated(sa(9), start_point(), {.tolerance = {1e-14, 1e-14}}, {.T = 4}).last();
  return y;
}

double measured_order(const std::function<HostSwarm(double dt)>& simulate_with, double dt) {
  const double coarse = largest_difference(simulate_with(dt), exact());
  const double fine = largest_difference(simulate_with(dt / 2), exact());
  return std::log2(coarse / fine);
}

TEST(Order, FixedSteps) {
  const auto with = [](Method method) {
    return [method](double dt) {
      return simulated(sa(9), start_point(), {.method = method, .dt = dt}, {.T = 4}).last();
    };
  };
  EXPECT_NEAR(measured_order(with(Method::euler), 1. / 128), 1, 0.15);
  EXPECT_NEAR(measured_order(with(Method::rk4), 1. / 16), 4, 0.15);
  // layers is Euler of another equation: it converges at first order to the same flow.
  EXPECT_NEAR(measured_order(with(Method::layers), 1. / 256), 1, 0.15);
}

// Constant steps by the Runge-Kutta driver, as adaptive methods would take them if every step were
// good enough. `between`: the last step is twice as long, and its middle is read off the
// interpolant.
HostSwarm fixed_steps(Method method, double h, bool between) {
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(sa(9), start_point().shape());
  auto x = engine->place(start_point());
  SwarmSystem system(*field, {}, *x);
  std::int64_t evaluations = 0;
  RungeKutta<SwarmSystem> driver(system, *tableau_of(method), evaluations);
  const int steps = static_cast<int>(std::lround(4 / h));
  for (int step = 0; step + 1 < steps; ++step) {
    driver.attempt(0, x, h);
    driver.commit(x);
  }
  driver.attempt(0, x, between ? 2 * h : h);
  if (!between) return engine->fetch(*driver.end());
  driver.interpolate({}, x, 2 * h, 0.5);
  return engine->fetch(*driver.between());
}

TEST(Order, AdaptivePairs) {
  const auto with = [](Method method) {
    return [method](double h) { return fixed_steps(method, h, false); };
  };
  EXPECT_NEAR(measured_order(with(Method::dopri5), 1. / 8), 5, 0.15);
  // Its leading error term is small beside the next, so the order is approached from above.
  EXPECT_NEAR(measured_order(with(Method::tsit5), 1. / 16), 5, 0.3);
}

// y' = cos(t) y, y = e^{sin t}: a field that changes with time, so that the nodes count too, smooth
// enough for order 8 to show before rounding does.
struct Scalar {
  using State = double;
  double scratch() const { return 0; }
  void velocity(double t, double y, double& v) const { v = std::cos(t) * y; }
  void combine(double x, StepPoint, std::span<const StageTerm<double>> terms, double& y) const {
    y = x;
    for (const auto& term : terms) y += term.scale * *term.along;
  }
  double error(const StepEstimate<double>&) const { return 0; }
  bool finite(double) const { return true; }
};
double scalar_error(Method method, double h) {
  Scalar system;
  std::int64_t evaluations = 0;
  RungeKutta<Scalar> driver(system, *tableau_of(method), evaluations);
  double y = 1;
  for (int step = 0; step * h < 4; ++step) {
    driver.attempt(step * h, y, h);
    driver.commit(y);
  }
  return std::fabs(y - std::exp(std::sin(4.0)));
}

TEST(Order, Dop853) {
  for (const double h : {1. / 2, 1. / 4})
    EXPECT_NEAR(std::log2(scalar_error(Method::dop853, h) / scalar_error(Method::dop853, h / 2)), 8,
                0.4)
        << h;
}

// The local error of an interpolant of order q is of order q + 1.
TEST(Order, Interpolants) {
  for (const MethodRow& row : methods()) {
    if (row.stepping != Stepping::runge_kutta || row.dense_order == 0) continue;
    const auto error = [&](double h) {
      return largest_difference(fixed_steps(row.method, h, true), exact());
    };
    const double h = row.dense_order > 4 ? 1. / 2 : 1. / 16;
    EXPECT_GT(std::log2(error(h) / error(h / 2)), row.dense_order + 0.7) << row.name;
  }
}

// Row sums, and weights that sum to one: what every consistent tableau has, digits mistyped or not.
TEST(Order, TableauxAreConsistent) {
  for (const MethodRow& row : methods()) {
    const Tableau* tableau = tableau_of(row.method);
    if (tableau == nullptr) continue;
    const auto sum = [](const StageWeights& w) { return std::accumulate(w.begin(), w.end(), 0.0); };
    EXPECT_EQ(tableau->order, row.order) << row.name;
    EXPECT_NEAR(sum(tableau->b), 1, 1e-14) << row.name;
    for (int i = 0; i < kMaxStages; ++i)
      EXPECT_NEAR(sum(tableau->a[i]), tableau->c[i], 2e-14) << row.name << " stage " << i;
    for (int e = 0; e < tableau->estimates; ++e)
      EXPECT_NEAR(sum(tableau->embedded[e]), 1, 1e-14) << row.name;
    if (tableau->dense == nullptr) continue;
    for (const double theta : {0.0, 0.3, 1.0})
      EXPECT_NEAR(sum(tableau->dense(theta)), theta, 1e-12) << row.name << " at " << theta;
  }
}

}  // namespace
}  // namespace murmur::testing
