// laboratory_dynamics_test.cpp: what is known in closed form of hard, doubly stochastic, rescaled
// and faded attention, of normalisation, gains, and perceptrons in gradient form.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "core/forces.h"
#include "murmur/observe.h"
#include "support.h"

namespace murmur::testing {
namespace {

constexpr FlowSettings kExact{.tolerance = {1e-12, 1e-13}};

HostSwarm scaled(HostSwarm x, double factor) {
  for (int k = 0; k < x.d(); ++k)
    for (int i = 0; i < x.n(); ++i) x.at(i, k) *= factor;
  return x;
}

double cosine(const HostSwarm& x, int i, int j) {
  return dot(x, i, j) / std::sqrt(dot(x, i, i) * dot(x, j, j));
}

std::vector<double> scores_of(const HostSwarm& x, double scale) {
  std::vector<double> scores;
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j < x.n(); ++j) scores.push_back(scale * dot(x, i, j));
  return scores;
}

double row_error(const std::vector<double>& weight, int n) {
  double most = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += weight[i * n + j];
    most = std::max(most, std::fabs(sum - 1));
  }
  return most;
}

TEST(Sinkhorn, WeightsAreDoublyStochasticAndSymmetric) {
  const HostSwarm x = random_sphere({20, 3}, 1);
  const std::vector<double> scores = scores_of(x, 2);
  const std::vector<double> weight = sinkhorn_weights(scores, x.mass);
  EXPECT_LT(row_error(weight, 20), 1e-12);
  for (int j = 0; j < 20; ++j) {
    double column = 0;
    for (int i = 0; i < 20; ++i) column += weight[i * 20 + j];
    EXPECT_NEAR(column, 1, 2e-15);
    for (int i = 0; i < j; ++i) EXPECT_NEAR(weight[i * 20 + j], weight[j * 20 + i], 1e-13);
  }
  // The rows come right geometrically.
  const double one = row_error(sinkhorn_weights(scores, x.mass, 1), 20);
  const double five = row_error(sinkhorn_weights(scores, x.mass, 5), 20);
  const double many = row_error(sinkhorn_weights(scores, x.mass, 21), 20);
  EXPECT_GT(one, 1e-3);
  EXPECT_LT(five, 0.1 * one);
  EXPECT_LT(many, 1e-3 * five);
}

TEST(Sinkhorn, WeighsByMass) {
  HostSwarm x = random_sphere({9, 3}, 2);
  double total = 0;
  for (int i = 0; i < 9; ++i) total += x.mass[i] = 1 + i % 4;
  for (double& m : x.mass) m /= total;
  const std::vector<double> weight = sinkhorn_weights(scores_of(x, 3), x.mass);
  EXPECT_LT(row_error(weight, 9), 1e-12);
  for (int j = 0; j < 9; ++j) {
    double column = 0;
    for (int i = 0; i < 9; ++i) column += x.mass[i] * weight[i * 9 + j];
    EXPECT_NEAR(column, x.mass[j], 1e-15);
  }
}

// Doubly stochastic weights keep the mean: x' = K x - x has mean 0, and x' = V K x moves it as
// m' = V m.
TEST(Sinkhorn, KeepsTheMean) {
  const HostSwarm x = random_sphere({20, 3}, 3);
  const auto engine = make_reference_engine();
  const Attention head{.beta = 2, .relative = true, .weighting = Attention::sinkhorn};
  const HostSwarm v = velocity(*engine, dynamics_of(head, Manifold::space), x);
  for (int k = 0; k < 3; ++k) {
    double mean = 0, size = 0;
    for (int i = 0; i < 20; ++i) mean += v.at(i, k) / 20, size += std::fabs(v.at(i, k));
    EXPECT_GT(size, 0.1);
    EXPECT_NEAR(mean, 0, 1e-15);
  }
  const Matrix value{3, 3, {0.2, -0.5, 0.1, 0.3, 0.1, 0, -0.2, 0.4, -0.3}};
  const Attention turning{.beta = 2, .value = value, .weighting = Attention::sinkhorn};
  const Simulated f = simulated(dynamics_of(turning, Manifold::space), x, kExact, {.T = 1.5});
  const Matrix grown = matrix_exponential(value, 1.5);
  for (int k = 0; k < 3; ++k) {
    double mean = 0, wanted = 0;
    for (int i = 0; i < 20; ++i) {
      mean += f.last().at(i, k) / 20;
      for (int c = 0; c < 3; ++c) wanted += grown(k, c) * x.at(i, c) / 20;
    }
    EXPECT_NEAR(mean, wanted, 1e-11);
  }
}

// z <- (z + alpha mean)/(1 + alpha) is `layers` with dt = g = alpha/(1 + alpha), and from vertices
// of equal norm x^t = (1-g)^t x^0 + (1 - (1-g)^t) v (2407.01602, 2508.09628).
TEST(Hardmax, GoesStraightToItsVertex) {
  std::vector<double> angles;
  for (int v = 0; v < 7; ++v) angles.push_back(0.3 + 2 * std::numbers::pi * v / 7 + 0.05 * (v % 3));
  HostSwarm vertices = circle(angles);
  HostSwarm x({7 + 12, 2});
  for (int i = 0; i < 7; ++i)
    for (int k = 0; k < 2; ++k) x.at(i, k) = vertices.at(i, k);
  const HostSwarm inner = scaled(random_sphere({12, 2}, 4), 0.5);
  for (int i = 0; i < 12; ++i)
    for (int k = 0; k < 2; ++k) x.at(7 + i, k) = inner.at(i, k);

  std::vector<int> vertex(19);
  for (int i = 0; i < 19; ++i)
    for (int v = 1; v < 7; ++v)
      if (dot(x, i, v) > dot(x, i, vertex[i])) vertex[i] = v;
  const Dynamics hard =
      dynamics_of(Attention{.relative = true, .weighting = Attention::hard}, Manifold::space);
  const double g = 0.5 / 1.5;
  const Simulated layers =
      simulated(hard, x, {.method = Method::layers, .dt = g}, {.T = 20 * g, .every = g});
  const Simulated flow = simulated(hard, x, kExact, {.T = 3});
  for (const int step : {1, 5, 20}) {
    const double left = std::pow(1 - g, step);
    for (int i = 0; i < 19; ++i)
      for (int k = 0; k < 2; ++k)
        EXPECT_NEAR(layers.frames.at(step).at(i, k),
                    left * x.at(i, k) + (1 - left) * x.at(vertex[i], k), 1e-12);
  }
  for (int i = 0; i < 19; ++i)
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(flow.last().at(i, k),
                  std::exp(-3) * x.at(i, k) + (1 - std::exp(-3)) * x.at(vertex[i], k), 1e-10);
}

// Those of exactly equal scores count by their masses; beta = 0 makes all equal.
TEST(Hardmax, TiesCountByMass) {
  HostSwarm x({3, 2});
  x.at(0, 0) = 1;
  x.at(1, 0) = 2, x.at(1, 1) = 1;
  x.at(2, 0) = 2, x.at(2, 1) = -1;
  x.mass = {0.5, 0.125, 0.375};
  const auto engine = make_reference_engine();
  const HostSwarm v =
      velocity(*engine, dynamics_of(Attention{.weighting = Attention::hard}, Manifold::space), x);
  EXPECT_EQ(v.at(0, 0), 2);
  EXPECT_EQ(v.at(0, 1), (0.125 - 0.375) / 0.5);
  EXPECT_EQ(v.at(1, 1), 1);
  const HostSwarm all = velocity(
      *engine, dynamics_of(Attention{.beta = 0, .weighting = Attention::hard}, Manifold::space), x);
  EXPECT_EQ(all.at(2, 0), 0.5 + 2 * 0.5);
}

// Two independent ways: x' = sum_j P_ij V x_j, then z = e^{-tV} x; and z' = sum_j P_ij V (z_j -
// z_i) with scores of e^{tV} z (2305.05465).
TEST(Rescaled, IsTheEuclideanFlowSeenFromWithin) {
  const Matrix value{2, 2, {0.64709742, 0.81911926, 0.61210449, 0.63263484}};
  const Matrix query = random_matrix(2, 2, 5), key = random_matrix(2, 2, 6);
  const HostSwarm x = scaled(random_sphere({12, 2}, 7), 0.7);
  const double T = 1.2;
  Attention head{.beta = 1, .query = query, .key = key, .value = value};
  const Simulated outer = simulated(dynamics_of(head, Manifold::space), x, kExact, {.T = T});
  head.relative = head.rescaled = true;
  const Simulated inner = simulated(dynamics_of(head, Manifold::space), x, kExact, {.T = T});
  const Matrix back = matrix_exponential(value, -T);
  double moved = 0;
  for (int i = 0; i < 12; ++i)
    for (int k = 0; k < 2; ++k) {
      double z = 0;
      for (int c = 0; c < 2; ++c) z += back(k, c) * outer.last().at(i, c);
      EXPECT_NEAR(inner.last().at(i, k), z, 1e-9);
      moved = std::max(moved, std::fabs(z - x.at(i, k)));
    }
  EXPECT_GT(moved, 0.1);
}

TEST(MatrixExponential, ClosedForms) {
  const Matrix turn = matrix_exponential({2, 2, {0, -1, 1, 0}}, 10);
  EXPECT_NEAR(turn(0, 0), std::cos(10), 1e-13);
  EXPECT_NEAR(turn(1, 0), std::sin(10), 1e-13);
  const Matrix shear = matrix_exponential({2, 2, {1, 1, 0, 1}}, 3);
  EXPECT_NEAR(shear(0, 1), 3 * std::exp(3), 1e-13 * std::exp(3) * 3);
  EXPECT_EQ(shear(1, 0), 0);
  const Matrix m = random_matrix(4, 4, 8);
  const Matrix one = product(matrix_exponential(m, 1.3), matrix_exponential(m, -1.3));
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(one(i, j), i == j, 1e-12);
}

// Good triple: the leading eigenvector's coordinate keeps its extremes, and at most three values
// remain (2305.05465); here two.
TEST(Rescaled, EndsOnParallelLines) {
  const Matrix value{2, 2, {0.64709742, 0.81911926, 0.61210449, 0.63263484}};
  HostSwarm x({20, 2});
  for (int i = 0; i < 20; ++i)
    for (int k = 0; k < 2; ++k)
      x.at(i, k) = 10 * Draw{.seed = 9, .particle = static_cast<std::uint32_t>(i)}.uniform(
                            static_cast<std::uint16_t>(k)) -
                   5;
  const Attention head{.value = value, .relative = true, .rescaled = true};
  const Simulated f = simulated(dynamics_of(head, Manifold::space), x, {.tolerance = {1e-9, 1e-10}},
                                {.T = 8, .every = 1});
  // The left eigenvector of the leading eigenvalue 1.34799.
  const double leading = 1.34799, a = value(1, 0), b = leading - value(0, 0);
  const auto height = [&](const HostSwarm& z, int i) { return a * z.at(i, 0) + b * z.at(i, 1); };
  double most = 1e300, min = -1e300;
  for (const HostSwarm& z : f.frames) {
    double top = -1e300, bottom = 1e300;
    for (int i = 0; i < 20; ++i) {
      top = std::max(top, height(z, i));
      bottom = std::min(bottom, height(z, i));
    }
    EXPECT_LE(top, most + 1e-5);
    EXPECT_GE(bottom, min - 1e-5);
    most = top, min = bottom;
  }
  for (int i = 0; i < 20; ++i) {
    const double h = height(f.last(), i);
    EXPECT_LT(std::min({std::fabs(h - most), std::fabs(h - min), std::fabs(h)}), 1e-2 * most);
  }
}

// th_j' = -beta sum_{k<j} w_jk sin(th_j - th_k) e^{beta cos(th_j - th_k)},
// w_jk = e^{-a (j - k)} / sum_{k'<j} e^{-a (j - k')}: clock U3 without j = k (2605.09213).
TEST(Alibi, VelocityInAngles) {
  const std::vector<double> angles{0.3, 2.1, -1.4, 0.9, 3.0, -0.2, 1.7};
  const double beta = 1.3, slope = 0.25;
  Dynamics dynamics = dynamics_of(Attention{.beta = beta,
                                            .self = false,
                                            .mask = Attention::causal,
                                            .weighting = Attention::unnormalised,
                                            .alibi = slope});
  dynamics.clock = Clock::u3;
  const auto engine = make_reference_engine();
  const HostSwarm v = velocity(*engine, dynamics, circle(angles));
  for (int j = 0; j < 7; ++j) {
    double sum = 0, total = 0;
    for (int k = 0; k < j; ++k) total += std::exp(-slope * (j - k));
    for (int k = 0; k < j; ++k) {
      const double off = angles[j] - angles[k];
      sum -= beta * std::exp(-slope * (j - k)) / total * std::sin(off) *
             std::exp(beta * std::cos(off));
    }
    const double turn = -std::sin(angles[j]) * v.at(j, 0) + std::cos(angles[j]) * v.at(j, 1);
    EXPECT_NEAR(turn, sum, 1e-14);
  }
}

TEST(Alibi, SoftmaxScoresFallWithDistance) {
  HostSwarm x({3, 2});
  x.at(0, 0) = 1, x.at(1, 1) = 1, x.at(2, 0) = -1;
  const Attention head{.beta = 0, .mask = Attention::causal, .alibi = 2};
  const auto engine = make_reference_engine();
  const HostSwarm v = velocity(*engine, dynamics_of(head, Manifold::space), x);
  const double total = 1 + std::exp(-2) + std::exp(-4);
  EXPECT_NEAR(v.at(2, 0), (std::exp(-4) - 1) / total, 1e-15);
  EXPECT_NEAR(v.at(2, 1), std::exp(-2) / total, 1e-15);
}

struct Scheme {
  LayerNorm normalisation;
  double rho, radius;  // at t = 6
};

// From an orthonormal start, n = 16, beta = 1, r(0) = 1 (2510.22026, 2512.01868).
TEST(NormalisationFamily, OrthonormalStart) {
  const Scheme schemes[] = {{LayerNorm::post, 0.99987094, 1},
                            {LayerNorm::pre, 0.94893540, 5.062301},
                            {LayerNorm::peri, 0.96737295, 6.337020},
                            {LayerNorm::ngpt, 0.99998157, 1},
                            {LayerNorm::sqrt, 0.97175293, 1}};
  for (const Scheme& scheme : schemes) {
    Dynamics dynamics = sa(1);
    dynamics.normalisation = scheme.normalisation;
    if (moves_norms(dynamics)) dynamics.manifold = Manifold::space;
    const Simulated f = simulated(dynamics, orthonormal(16), kExact, {.T = 6});
    ASSERT_TRUE(f.outcome.ok());
    EXPECT_NEAR(cosine(f.last(), 0, 5), scheme.rho, 1e-8) << int(scheme.normalisation);
    EXPECT_NEAR(cosine(f.last(), 14, 3), scheme.rho, 1e-8) << int(scheme.normalisation);
    EXPECT_NEAR(std::sqrt(dot(f.last(), 2, 2)), scheme.radius, 1e-6) << int(scheme.normalisation);
  }
}

TEST(NormalisationFamily, MixIsPostThenPre) {
  Dynamics mix = dynamics_of(Attention{.beta = 1}, Manifold::space);
  mix.normalisation = LayerNorm::mix;
  mix.mix_until = 2;
  const Simulated f = simulated(mix, orthonormal(16), kExact, {.T = 6, .every = 1});
  const Simulated post = simulated(sa(1), orthonormal(16), kExact, {.T = 2});
  EXPECT_NEAR(cosine(f.frames[2], 0, 5), cosine(post.last(), 0, 5), 1e-9);
  EXPECT_NEAR(std::sqrt(dot(f.frames[2], 7, 7)), 1, 1e-9);
  EXPECT_NEAR(cosine(f.last(), 0, 5), 0.98749, 5e-6);
  EXPECT_GT(std::sqrt(dot(f.last(), 7, 7)), 2);
}

// rho'(0) = 2/(e^beta + n - 1), or 2/sqrt(e^{2 beta} + n - 1) where |A| is divided by.
TEST(NormalisationFamily, FirstRates) {
  const auto rate = [](LayerNorm normalisation, double speed) {
    Dynamics dynamics = sa(1);
    dynamics.normalisation = normalisation;
    dynamics.speed = speed;
    if (moves_norms(dynamics)) dynamics.manifold = Manifold::space;
    const auto engine = make_reference_engine();
    const HostSwarm v = velocity(*engine, dynamics, orthonormal(16));
    return v.at(0, 1) + v.at(1, 0);
  };
  EXPECT_NEAR(rate(LayerNorm::pre, 1), 2 / (std::exp(1) + 15), 1e-14);
  EXPECT_NEAR(rate(LayerNorm::sqrt, 1), 2 / (std::exp(1) + 15), 1e-14);
  EXPECT_NEAR(rate(LayerNorm::peri, 1), 2 / std::sqrt(std::exp(2) + 15), 1e-14);
  EXPECT_NEAR(rate(LayerNorm::ngpt, 3), 6 / std::sqrt(std::exp(2) + 15), 1e-14);
}

TEST(Ellipsoid, OfEqualAxesIsTheSphere) {
  const HostSwarm x = random_sphere({10, 3}, 11);
  Dynamics round = sa(3);
  round.gain = {1, 1, 1};
  for (const Method method : {Method::dopri5, Method::layers}) {
    const FlowSettings settings{.method = method};
    const Simulated a = simulated(sa(3), x, settings, {.T = 2}),
                    b = simulated(round, x, settings, {.T = 2});
    EXPECT_EQ(to_rows(a.last()), to_rows(b.last()));
  }
}

// y = g o u moves by y' = A(y) less its part along the normal of u: u' = P_u g^{-1} o A(g o u).
TEST(Ellipsoid, VelocityByHand) {
  const HostSwarm x = random_sphere({6, 3}, 12);
  const Vector gain{0.5, 1, 2}, end{1, 3, 2};
  Dynamics dynamics = sa(2);
  dynamics.gain = gain;
  dynamics.gain_end = end;
  dynamics.gain_until = 4;
  const double t = 1;
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(dynamics, x.shape());
  const auto at = engine->place(x), out = engine->place(x);
  field->velocity(t, *at, *out);
  const HostSwarm v = engine->fetch(*out);
  Vector g(3);
  HostSwarm y = x;
  for (int k = 0; k < 3; ++k) {
    g[k] = gain[k] + (end[k] - gain[k]) * t / 4;
    for (int i = 0; i < 6; ++i) y.at(i, k) *= g[k];
  }
  for (int i = 0; i < 6; ++i) {
    double total = 0, drift[3] = {}, along = 0;
    for (int j = 0; j < 6; ++j) {
      const double weight = std::exp(2 * dot(y, i, j));
      total += weight;
      for (int k = 0; k < 3; ++k) drift[k] += weight * y.at(j, k);
    }
    for (int k = 0; k < 3; ++k) drift[k] /= total * g[k], along += drift[k] * x.at(i, k);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(v.at(i, k), drift[k] - along * x.at(i, k), 1e-14);
  }
  const Simulated f = simulated(dynamics, x, kExact, {.T = 5});
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(dot(f.last(), i, i), 1, 1e-15);
}

Perceptron gradient_form(int h, int d, Perceptron::Activation activation, double sign) {
  Perceptron p{.in = random_matrix(h, d, 13), .out = zeros(d, h), .activation = activation};
  const Matrix omega = random_matrix(h, 1, 14, 2);
  for (int m = 0; m < h; ++m)
    for (int k = 0; k < d; ++k) p.out(k, m) = sign * omega(m, 0) * p.in(m, k);
  return p;
}

double energy(const Dynamics& dynamics, const HostSwarm& x) {
  const std::vector<std::string> names = observable_names(dynamics);
  const auto found = std::find(names.begin(), names.end(), "energy");
  EXPECT_NE(found, names.end());
  return observe(x, dynamics, {})[found - names.begin()];
}

// dE/dt = +-sum_i m_i |x_i'|^2 along the flow (2601.21366), by central differences.
TEST(GradientForm, EnergyIdentity) {
  const HostSwarm x = random_sphere({20, 3}, 15);
  const auto engine = make_reference_engine();
  for (const auto activation : {Perceptron::relu, Perceptron::gelu, Perceptron::tanh})
    for (const Clock clock : {Clock::u1, Clock::u2, Clock::u3})
      for (const double sign : {1.0, -1.0}) {
        Attention head{
            .beta = 3, .value = scaled_identity(3, sign), .weighting = Attention::unnormalised};
        Dynamics dynamics{.sublayers = {{{head}}, {{gradient_form(5, 3, activation, sign)}}},
                          .clock = clock};
        const HostSwarm v = velocity(*engine, dynamics, x);
        const double h = 1e-5;
        double wanted = 0;
        HostSwarm ahead = x, back = x;
        for (int i = 0; i < 20; ++i) {
          wanted += sign * x.mass[i] * dot(v, i, i);
          for (int k = 0; k < 3; ++k)
            ahead.at(i, k) += h * v.at(i, k), back.at(i, k) -= h * v.at(i, k);
          const double a = std::sqrt(dot(ahead, i, i)), b = std::sqrt(dot(back, i, i));
          for (int k = 0; k < 3; ++k) ahead.at(i, k) /= a, back.at(i, k) /= b;
        }
        const double rate = (energy(dynamics, ahead) - energy(dynamics, back)) / (2 * h);
        EXPECT_NEAR(rate, wanted, 1e-6 * std::fabs(wanted)) << activation << int(clock) << sign;
      }
}

// USA with scores <x, D y> and values D y climbs E_D (2501.03096): at its end, for D > 0, all sit
// at a top eigenvector.
TEST(DMatrix, EndsAtATopEigenvector) {
  const Matrix d{3, 3, {2, 0, 0, 0, 1, 0, 0, 0, 0.5}};
  const Attention head{.beta = 1, .key = d, .value = d, .weighting = Attention::unnormalised};
  const Simulated f =
      simulated(dynamics_of(head), random_sphere({16, 3}, 16), kExact, {.T = 12, .every = 1});
  double before = -1;
  for (const HostSwarm& x : f.frames) {
    const double now = energy(dynamics_of(head), x);
    EXPECT_GE(now, before - 1e-12);
    before = now;
  }
  for (int i = 0; i < 16; ++i) EXPECT_NEAR(std::fabs(f.last().at(i, 0)), 1, 1e-6);
}

double observed(const char* name, const HostSwarm& x, const Dynamics& dynamics, double t = 0) {
  const std::vector<std::string> names = observable_names(dynamics);
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? NAN : observe(x, dynamics, {.t = t})[found - names.begin()];
}

// Where norms move, all but the radius is read off directions.
TEST(Observed, DirectionsWhereNormsMove) {
  HostSwarm x({3, 2});
  x.at(0, 0) = 2, x.at(1, 0) = 6, x.at(2, 1) = 4;
  Dynamics pre = dynamics_of(Attention{.beta = 1}, Manifold::space);
  EXPECT_EQ(observed("clusters", x, pre), 3);
  pre.normalisation = LayerNorm::pre;
  EXPECT_EQ(observed("clusters", x, pre), 2);
  EXPECT_NEAR(observed("radius", x, pre), 4, 1e-15);
  EXPECT_NEAR(observed("order", x, pre), std::sqrt(5.0) / 3, 1e-15);
  EXPECT_NEAR(observed("effective_rank", x, pre),
              observed("effective_rank", circle({0, 0, std::numbers::pi / 2}), sa(1)), 1e-15);
}

double entropy_of(std::initializer_list<double> weights) {
  double total = 0, entropy = 0;
  for (const double w : weights) total += w;
  for (const double w : weights) entropy -= w / total * std::log(w / total);
  return entropy;
}

TEST(Observed, EntropyOfOtherWeights) {
  HostSwarm x({3, 2});
  x.at(0, 0) = 1;
  x.at(1, 0) = 2, x.at(1, 1) = 1;
  x.at(2, 0) = 2, x.at(2, 1) = -1;
  x.mass = {0.5, 0.125, 0.375};  // the first sees the other two at equal scores, they themselves
  EXPECT_NEAR(
      observed("attention_entropy", x, dynamics_of(Attention{.weighting = Attention::hard})),
      entropy_of({0.125, 0.375}) / 3, 1e-15);
  const Attention faded{.beta = 0, .mask = Attention::causal, .alibi = 2};
  EXPECT_NEAR(observed("attention_entropy", x, dynamics_of(faded)),
              (entropy_of({0.5 * std::exp(-2), 0.125}) +
               entropy_of({0.5 * std::exp(-4), 0.125 * std::exp(-2), 0.375})) /
                  3,
              1e-15);
  const Attention even{.beta = 0, .weighting = Attention::sinkhorn};
  EXPECT_NEAR(observed("attention_entropy", x, dynamics_of(even)), entropy_of({0.5, 0.125, 0.375}),
              1e-14);
  // Of forces that come and go, those of the time.
  Dynamics handed{
      .sublayers = {{{Attention{.beta = 0}}}, {{Attention{.weighting = Attention::hard}}}}};
  handed.sublayers[0].until = handed.sublayers[1].from = 1;
  EXPECT_NEAR(observed("attention_entropy", x, handed, 0), entropy_of({0.5, 0.125, 0.375}), 1e-15);
  EXPECT_NEAR(observed("attention_entropy", x, handed, 1), entropy_of({0.125, 0.375}) / 3, 1e-15);
}

TEST(Energy, DoesNotExistWhereTheFlowIsNoGradient) {
  const auto has = [](const Dynamics& dynamics) {
    const std::vector<std::string> names = observable_names(dynamics);
    return std::find(names.begin(), names.end(), "energy") != names.end();
  };
  EXPECT_TRUE(has(usa(2)));
  EXPECT_FALSE(has(dynamics_of(Attention{.weighting = Attention::hard})));
  EXPECT_FALSE(has(dynamics_of(Attention{.weighting = Attention::sinkhorn})));
  EXPECT_FALSE(has(dynamics_of(Attention{.mask = Attention::causal, .alibi = 1})));
  Dynamics other = usa(2);
  other.normalisation = LayerNorm::ngpt;
  EXPECT_FALSE(has(other));
  other = usa(2);
  other.gain = {1, 2};
  EXPECT_FALSE(has(other));
  const Perceptron gradient = gradient_form(4, 3, Perceptron::relu, 1);
  const Attention plain{.beta = 2, .weighting = Attention::unnormalised};
  EXPECT_TRUE(has({.sublayers = {{{plain}}, {{gradient}}}}));
  EXPECT_FALSE(
      has({.sublayers = {{{Attention{.beta = 2}}}, {{gradient}}}}));  // softmax has its own Z_i
  Perceptron general = gradient;
  general.out(0, 0) += 1e-6;
  EXPECT_FALSE(has({.sublayers = {{{plain}}, {{general}}}}));
}

}  // namespace
}  // namespace murmur::testing
