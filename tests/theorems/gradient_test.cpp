// gradient_test.cpp: what gradients of flows must do: be linear in the loss, turn with the swarm,
// see what a flow keeps, and follow one another like the flows they belong to.
#include <gtest/gtest.h>

#include "gradient_support.h"

namespace murmur::testing {
namespace {

struct Flown {  // an engine, a field and a flow that stay together
  std::unique_ptr<Engine> engine = make_reference_engine();
  std::unique_ptr<Field> field{};
  std::unique_ptr<RecordedFlow> flow{};

  Flown(const Dynamics& dynamics, const HostSwarm& x, const FlowSettings& settings,
        const Schedule& schedule) {
    field = engine->prepare(dynamics, x.shape());
    flow = std::make_unique<RecordedFlow>(Flow{*engine, *field, settings}, schedule, x);
  }
};

HostSwarm drawn_cotangent(Shape shape, std::uint64_t seed) {
  const Matrix rows = random_matrix(shape.n, shape.d, seed);
  return from_rows(shape, rows.data.data());
}

const FlowSettings kRk4{.method = Method::rk4, .dt = 0.1};

double largest(const FlowGradient& g) {
  double most = 0;
  Dynamics dynamics = g.dynamics;
  for (const ParameterSpan& p : parameter_spans(dynamics, g.start.d()))
    for (const double value : p.values) most = std::max(most, std::fabs(value));
  for (const double value : to_rows(g.start)) most = std::max(most, std::fabs(value));
  return most;
}

TEST(GradientTheorems, IsLinearInTheCotangent) {
  const HostSwarm x = random_sphere({9, 3}, 1);
  Attention head{.beta = 2};
  head.value = random_matrix(3, 3, 2);
  const Flown flown(dynamics_of(head), x, {.method = Method::dopri5}, {.T = 1});
  const HostSwarm first = drawn_cotangent(x.shape(), 5), second = drawn_cotangent(x.shape(), 6);
  HostSwarm both = first;
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < 3; ++k) both.at(i, k) = 2 * first.at(i, k) - 3 * second.at(i, k);
  const auto back = [&](const HostSwarm& w) { return flown.flow->backward({&w, 1}); };
  FlowGradient a = back(first), b = back(second), c = back(both);
  const auto of_a = parameter_spans(a.dynamics, 3), of_b = parameter_spans(b.dynamics, 3),
             of_c = parameter_spans(c.dynamics, 3);
  const double scale = largest(c);
  for (std::size_t p = 0; p < of_a.size(); ++p)
    for (std::size_t e = 0; e < of_a[p].values.size(); ++e)
      EXPECT_NEAR(2 * of_a[p].values[e] - 3 * of_b[p].values[e], of_c[p].values[e], 1e-12 * scale)
          << of_a[p].name;
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(2 * a.start.at(i, k) - 3 * b.start.at(i, k), c.start.at(i, k), 1e-12 * scale);
}

// With symmetric scores plain attention towards each other keeps sum_i m_i x_i in R^d, and so does
// every Runge-Kutta step: the gradient of <c, mean> is m_i c at the start, and 0 in beta and in V.
TEST(GradientTheorems, OfWhatIsKeptIsWhereItCameFrom) {
  HostSwarm x = random_sphere({7, 2}, 3);
  for (int i = 0; i < x.n(); ++i) x.mass[i] = (i + 1) / 28.0;
  Attention head{.beta = 0.7, .relative = true, .weighting = Attention::unnormalised};
  head.value = random_matrix(2, 2, 4);
  for (const auto method : {Method::rk4, Method::dopri5, Method::dop853}) {
    const Flown flown(dynamics_of(head, Manifold::space), x, {.method = method, .dt = 0.05},
                      {.T = 1});
    const double c[] = {0.6, -1.1};
    HostSwarm w(x.shape());
    for (int i = 0; i < x.n(); ++i)
      for (int k = 0; k < 2; ++k) w.at(i, k) = x.mass[i] * c[k];
    const FlowGradient g = flown.flow->backward({&w, 1});
    for (int i = 0; i < x.n(); ++i)
      for (int k = 0; k < 2; ++k) EXPECT_NEAR(g.start.at(i, k), x.mass[i] * c[k], 1e-13);
    const Attention& found = std::get<Attention>(g.dynamics.sublayers[0].forces[0]);
    EXPECT_NEAR(found.beta, 0, 1e-13);
    for (const double value : found.value.data) EXPECT_NEAR(value, 0, 1e-13);
    EXPECT_GT(std::fabs(found.query(0, 1)), 1e-4);  // which spoils the symmetry
  }
}

Matrix turn_of(double angle) {
  Matrix r = scaled_identity(3, 1);
  r(0, 0) = r(1, 1) = std::cos(angle);
  r(0, 1) = -(r(1, 0) = std::sin(angle));
  return r;
}
HostSwarm turned(const Matrix& r, const HostSwarm& x) {
  HostSwarm y = x;
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < x.d(); ++k) {
      y.at(i, k) = 0;
      for (int c = 0; c < x.d(); ++c) y.at(i, k) += r(k, c) * x.at(i, c);
    }
  return y;
}

// A swarm and a cotangent that are both turned have the turned gradient; that in V is R dV R^T.
TEST(GradientTheorems, TurnsWithTheSwarm) {
  const HostSwarm x = random_sphere({8, 3}, 7), w = drawn_cotangent(x.shape(), 8);
  const Matrix r = turn_of(0.7);
  for (const auto weighting : {Attention::softmax, Attention::unnormalised}) {
    const Dynamics dynamics = dynamics_of(Attention{.beta = 1.5, .weighting = weighting});
    const Flown straight(dynamics, x, kRk4, {.T = 1});
    const Flown rotated(dynamics, turned(r, x), kRk4, {.T = 1});
    const HostSwarm turned_w = turned(r, w);
    const FlowGradient a = straight.flow->backward({&w, 1});
    const FlowGradient b = rotated.flow->backward({&turned_w, 1});
    EXPECT_LE(largest_difference(turned(r, a.start), b.start), 1e-12);
    const Attention& first = std::get<Attention>(a.dynamics.sublayers[0].forces[0]);
    const Attention& second = std::get<Attention>(b.dynamics.sublayers[0].forces[0]);
    EXPECT_NEAR(first.beta, second.beta, 1e-12 * std::max(1.0, std::fabs(first.beta)));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double sum = 0;
        for (int p = 0; p < 3; ++p)
          for (int q = 0; q < 3; ++q) sum += r(i, p) * first.value(p, q) * r(j, q);
        EXPECT_NEAR(sum, second.value(i, j), 1e-11 * largest(a));
      }
  }
}

// A loss that no rotation changes has a gradient without torque: sum_i g_i x_i^T is symmetric.
TEST(GradientTheorems, HasNoTorqueWhereTheLossHasNone) {
  const HostSwarm x = random_sphere({6, 3}, 9);
  const Flown flown(sa(2), x, {.method = Method::tsit5}, {.T = 2});
  const LossGradient g = gradient(*flown.flow, [](auto frames, auto cotangents) {
    const HostSwarm& y = frames[0];  // the sum of c_ij <y_i, y_j>
    double loss = 0;
    for (int i = 0; i < y.n(); ++i)
      for (int j = 0; j < y.n(); ++j) {
        const double c = std::sin(1.0 + i + 3 * j);
        loss += c * dot(y, i, j);
        for (int k = 0; k < y.d(); ++k) {
          cotangents[0].at(i, k) += c * y.at(j, k);
          cotangents[0].at(j, k) += c * y.at(i, k);
        }
      }
    return loss;
  });
  double size = 0;
  for (int p = 0; p < 3; ++p)
    for (int q = 0; q < 3; ++q) {
      double torque = 0;
      for (int i = 0; i < x.n(); ++i) {
        torque += g.gradient.start.at(i, p) * x.at(i, q) - g.gradient.start.at(i, q) * x.at(i, p);
        size = std::max(size, std::fabs(g.gradient.start.at(i, p) * x.at(i, q)));
      }
      EXPECT_NEAR(torque, 0, 1e-12);
    }
  EXPECT_GT(size, 1e-2);
}

// Exchanging particles exchanges their gradients.
TEST(GradientTheorems, KnowsNoOrderOfParticlesWithoutAMask) {
  const HostSwarm x = random_sphere({5, 3}, 11), w = drawn_cotangent(x.shape(), 12);
  HostSwarm other = x, other_w = w;
  const int place[] = {3, 0, 4, 1, 2};
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 3; ++k)
      other.at(i, k) = x.at(place[i], k), other_w.at(i, k) = w.at(place[i], k);
  const Flown first(sa(3), x, kRk4, {.T = 1}), second(sa(3), other, kRk4, {.T = 1});
  const FlowGradient a = first.flow->backward({&w, 1}), b = second.flow->backward({&other_w, 1});
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(b.start.at(i, k), a.start.at(place[i], k), 1e-13);
}

// The gradient of a long flow is that of its second half, handed back through the first.
TEST(GradientTheorems, FollowsTheFlow) {
  const HostSwarm x = random_sphere({6, 3}, 13), w = drawn_cotangent(x.shape(), 14);
  const Dynamics dynamics = usa(1);
  const Flown all(dynamics, x, kRk4, {.T = 1}), first(dynamics, x, kRk4, {.T = 0.4});
  const Flown second(dynamics, first.flow->frames()[0], kRk4, {.T = 0.6});
  const FlowGradient late = second.flow->backward({&w, 1});
  const FlowGradient early = first.flow->backward({&late.start, 1});
  const FlowGradient whole = all.flow->backward({&w, 1});
  EXPECT_LE(largest_difference(early.start, whole.start), 1e-13);
  const auto beta = [](const FlowGradient& g) {
    return std::get<Attention>(g.dynamics.sublayers[0].forces[0]).beta;
  };
  EXPECT_NEAR(beta(early) + beta(late), beta(whole), 1e-13);
}

}  // namespace
}  // namespace murmur::testing
