// order_test.cpp: every method converges at its declared order; so does dopri5's interpolant.
#include <gtest/gtest.h>

#include "flow/tableau.h"
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

// The pair's fifth-order weights with constant steps, through the tableau alone.
HostSwarm dopri5_fixed(double h, bool between) {
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(sa(9), start_point().shape());
  auto x = engine->place(start_point());
  auto y = engine->place(start_point());
  std::array<std::unique_ptr<Swarm>, 7> k;
  for (auto& stage : k) stage = engine->place(start_point());
  const auto shift = [&](const std::array<double, 7>& weights, int stages) {
    std::vector<Term> terms;
    for (int i = 0; i < stages; ++i) terms.push_back({h * weights[i], k[i].get()});
    field->retract(*x, terms, *y);
  };
  // `between`: the last step is one half too far, and its middle is read off the interpolant.
  const int steps = static_cast<int>(std::lround(4 / h));
  for (int step = 0; step < steps; ++step) {
    if (between && step + 1 == steps) h *= 2;
    for (int i = 0; i < 7; ++i) {
      shift(kDopri5.a[i], i);
      field->velocity(0, *y, *k[i]);
    }
    shift(between && step + 1 == steps ? dopri5_weights_at(0.5) : kDopri5.b, 7);
    std::swap(x, y);
  }
  return engine->fetch(*x);
}

TEST(Order, Dopri5) {
  EXPECT_NEAR(measured_order([](double h) { return dopri5_fixed(h, false); }, 1. / 8), 5, 0.15);
}

// The local error of a fourth-order interpolant is of fifth order.
TEST(Order, Dopri5Interpolant) {
  const auto error = [](double h) { return largest_difference(dopri5_fixed(h, true), exact()); };
  EXPECT_GT(std::log2(error(1. / 16) / error(1. / 32)), 4.7);
}

}  // namespace
}  // namespace murmur::testing
