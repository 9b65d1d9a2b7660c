// weights_in_time_test.cpp: weights that change with time, held to closed forms by every method.
#include <gtest/gtest.h>

#include <cmath>

#include "core/forces.h"
#include "flow/stiff.h"
#include "support.h"

namespace murmur::testing {
namespace {

// One token in R^2 attends to itself: x' = V(t) x.
Attention to_itself(Matrix value) { return {.value = std::move(value)}; }
HostSwarm one_token() { return from_rows({1, 2}, std::vector<double>{1, 0.5}.data()); }

const std::vector<Matrix>& matrices() {
  static const std::vector<Matrix> all = {
      {2, 2, {-0.5, -2, 2, -0.5}}, {2, 2, {1, 0.5, 0, -1}}, {2, 2, {-1, 0.3, 0.7, 0.2}}};
  return all;
}

// V_0, V_1, V_2 for a third of the time each.
constexpr double kT = 1.5;
Dynamics one_after_another() {
  Dynamics dynamics{.manifold = Manifold::space};
  for (int l = 0; l < 3; ++l) {
    Sublayer sublayer{{to_itself(matrices()[l])}};
    if (l > 0) sublayer.from = l * 0.5;
    if (l < 2) sublayer.until = (l + 1) * 0.5;
    dynamics.sublayers.push_back(sublayer);
  }
  dynamics.jump_times = {0.5, 1};
  return dynamics;
}

// e^{V_2/2} e^{V_1/2} e^{V_0/2} x
HostSwarm carried_exactly() {
  std::vector<double> x = to_rows(one_token());
  for (const Matrix& v : matrices()) {
    const Matrix e = matrix_exponential(v, 0.5);
    x = {e(0, 0) * x[0] + e(0, 1) * x[1], e(1, 0) * x[0] + e(1, 1) * x[1]};
  }
  return from_rows({1, 2}, x.data());
}

double error_with(Method method, double dt, const Dynamics& dynamics = one_after_another()) {
  return largest_difference(
      simulated(dynamics, one_token(), {.method = method, .dt = dt}, {.T = kT}).last(),
      carried_exactly());
}

// A stage at the end of a step still has the weights of its beginning, else rk4 is of order 1.
TEST(Jumps, LeaveEveryMethodItsOrder) {
  const auto order = [](Method method, double dt) {
    return std::log2(error_with(method, dt) / error_with(method, dt / 2));
  };
  EXPECT_NEAR(order(Method::euler, 1. / 64), 1, 0.1);
  EXPECT_NEAR(order(Method::layers, 1. / 64), 1, 0.1);
  EXPECT_NEAR(order(Method::strang, 1. / 32), 2, 0.1);
  EXPECT_NEAR(order(Method::rk4, 1. / 16), 4, 0.1);
  Dynamics careless = one_after_another();
  careless.jump_times.clear();
  EXPECT_GT(error_with(Method::rk4, 1. / 32, careless), 1e3 * error_with(Method::rk4, 1. / 32));
}

// The rounding of t = k dt does not decide whose weights act.
TEST(Jumps, AreMetByStepsOfTenths) {
  HostSwarm x = one_token();
  for (const Matrix& v : matrices())
    x = simulated(dynamics_of(to_itself(v), Manifold::space), x,
                  {.method = Method::layers, .dt = 0.1}, {.T = 0.5})
            .last();
  EXPECT_EQ(to_rows(simulated(one_after_another(), one_token(),
                              {.method = Method::layers, .dt = 0.1}, {.T = kT})
                        .last()),
            to_rows(x));
}

TEST(Jumps, AdaptiveStepsEndThere) {
  for (const Method method : {Method::dopri5, Method::tsit5, Method::dop853}) {
    const FlowSettings settings{.method = method, .tolerance = {1e-10, 1e-12}};
    const Simulated by =
        simulated(one_after_another(), one_token(), settings, {.T = kT, .every = 0.1});
    EXPECT_LT(largest_difference(by.last(), carried_exactly()), 1e-9) << row_of(method).name;
    Dynamics careless = one_after_another();
    careless.jump_times.clear();
    const Simulated across = simulated(careless, one_token(), settings, {.T = kT, .every = 0.1});
    EXPECT_LT(by.state.rejected + 4, across.state.rejected) << row_of(method).name;
    // A frame in the second piece is that of the flow there.
    const Matrix first = matrix_exponential(matrices()[0], 0.5),
                 second = matrix_exponential(matrices()[1], 0.2);
    const std::vector<double> x = to_rows(one_token());
    const double a = first(0, 0) * x[0] + first(0, 1) * x[1],
                 b = first(1, 0) * x[0] + first(1, 1) * x[1];
    EXPECT_NEAR(by.frames.at(7).at(0, 0), second(0, 0) * a + second(0, 1) * b, 1e-8);
  }
}

// x' = a(t) x with a from a_0 to a_1 in a line, then constant: ln x is the integral.
Dynamics line_of(double a0, double a1, double until) {
  Dynamics dynamics{.manifold = Manifold::space};
  Sublayer changing{{to_itself({2, 2, {a0, 0, 0, 0}})}};
  changing.from = 0;
  changing.until = until;
  changing.forces_end = {to_itself({2, 2, {a1, 0, 0, 0}})};
  Sublayer after{changing.forces_end};
  after.from = until;
  dynamics.sublayers = {changing, after};
  return dynamics;
}

TEST(Lines, AreIntegrated) {
  const double told = std::exp(1 * (-1 + 0.5) / 2 + 0.5 * 0.5);  // until t = 1, then 0.5 for 0.5
  for (const Method method : {Method::dopri5, Method::dop853, Method::bdf}) {
    if (method == Method::bdf && !has_stiff()) continue;
    const FlowSettings settings{.method = method, .tolerance = {1e-10, 1e-12}};
    EXPECT_NEAR(simulated(line_of(-1, 0.5, 1), one_token(), settings, {.T = kT}).last().at(0, 0),
                told, 1e-8)
        << row_of(method).name;
  }
  // Layers: the product of 1 + h a(t_l).
  double x = 1;
  for (int l = 0; l < 12; ++l) x *= 1 + 0.125 * (l < 8 ? -1 + 1.5 * l * 0.125 : 0.5);
  EXPECT_NEAR(simulated(line_of(-1, 0.5, 1), one_token(), {.method = Method::layers, .dt = 0.125},
                        {.T = kT})
                  .last()
                  .at(0, 0),
              x, 1e-15);
}

TEST(Lines, AreBetweenTheirEnds) {
  const Sublayer sublayer = line_of(-1, 0.5, 2).sublayers[0];
  for (const double t : {0.0, 0.5, 2.0, 3.0}) {
    const std::vector<Force> now = forces_at(sublayer, t);
    EXPECT_DOUBLE_EQ(head_of(now[0])->value(0, 0), -1 + 1.5 * std::min(t / 2, 1.0));
  }
  Sublayer from_identity{{Attention{}}, 0, 1};  // an empty matrix is the identity
  from_identity.forces_end = {Attention{.query = {2, 2, {3, 0, 0, 3}}}};
  const std::vector<Force> half = forces_at(from_identity, 0.5);
  EXPECT_DOUBLE_EQ(head_of(half[0])->query(1, 1), 2);
  EXPECT_TRUE(head_of(half[0])->key.empty());
}

// A continuation from any checkpoint has the bits of a flow that was never stopped.
TEST(Jumps, ContinueExactly) {
  const auto engine = make_reference_engine();
  const Dynamics dynamics = one_after_another();
  const auto field = engine->prepare(dynamics, {1, 2});
  const Schedule schedule{.T = kT, .every = 0.05};
  const auto frames_with = [&](int stops) {
    std::vector<double> all;
    FlowState state = start(one_token());
    FlowWatch watch;
    watch.frame = [&](double, const HostSwarm& x) { all.push_back(x.at(0, 0)); };
    int seen = 0;
    watch.pause = [&](const FlowState&, const auto&) { return stops > 0 && ++seen % stops == 0; };
    const FlowSettings settings{.tolerance = {1e-7, 1e-9}};
    while (!advance({*engine, *field, settings}, schedule, state, watch).ok()) {
    }
    return all;
  };
  const std::vector<double> whole = frames_with(0);
  EXPECT_EQ(whole.size(), 31u);
  for (const int stops : {1, 2, 5}) EXPECT_EQ(frames_with(stops), whole) << stops;
}

}  // namespace
}  // namespace murmur::testing
