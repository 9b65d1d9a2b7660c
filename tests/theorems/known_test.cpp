// known_test.cpp: what `explain` tells of rates and gradients, held to particles.
#include <gtest/gtest.h>

#include "support.h"

namespace murmur::testing {
namespace {

constexpr FlowSettings kExact{.tolerance = {1e-12, 1e-13}};

double cosine(const HostSwarm& x) { return dot(x, 0, 1) / std::sqrt(dot(x, 0, 0) * dot(x, 1, 1)); }

// -d ln(1 - cos) between two frames.
double fall(const Dynamics& dynamics, int n, double from, double to) {
  const Simulated f = simulated(dynamics, orthonormal(n), kExact, {.T = to, .every = from});
  return std::log((1 - cosine(f.frames[1])) / (1 - cosine(f.last())));
}

// x_i' = n / (n - 1) (mean - x_i) near one cluster, where nobody attends to himself.
TEST(LateRates, WithoutTheSelfTerm) {
  for (const int n : {2, 3, 8}) {
    const double hurry = n / (n - 1.0);
    for (const double beta : {0.0, 1.0, 4.0})
      EXPECT_NEAR(fall(dynamics_of(Attention{.beta = beta, .self = false}), n, 4, 5), 2 * hurry,
                  1e-2)
          << n << " " << beta;
    const Attention usa{.beta = 1, .self = false, .weighting = Attention::unnormalised};
    EXPECT_NEAR(fall(dynamics_of(usa), n, 3, 3.5), std::exp(1), 1e-2) << n;

    Dynamics dynamics = dynamics_of(Attention{.beta = 1, .self = false});
    dynamics.normalisation = LayerNorm::sqrt;
    EXPECT_NEAR(fall(dynamics, n, 8, 15), 4 * hurry, 1e-2) << n;  // sqrt(t + 1) from 3 to 4
    dynamics.normalisation = LayerNorm::ngpt;
    dynamics.speed = 2;
    EXPECT_NEAR(fall(dynamics, n, 2, 2.5), 2 * hurry, 1e-2) << n;
    dynamics.manifold = Manifold::space;
    for (const LayerNorm norm : {LayerNorm::pre, LayerNorm::peri}) {
      dynamics.normalisation = norm;
      EXPECT_NEAR(fall(dynamics, n, 200, 400) / std::log(2), 2 * hurry, 5e-2) << n;
    }
  }
}

// d v_ik / d x_jl, of which a gradient has as much as of d v_jl / d x_ik.
double asymmetry(const Dynamics& dynamics, const HostSwarm& x) {
  const auto engine = make_reference_engine();
  constexpr double h = 1e-5;
  const int size = x.n() * x.d();
  std::vector<double> jacobian(static_cast<std::size_t>(size) * size);
  for (int c = 0; c < size; ++c) {
    HostSwarm up = x, down = x;
    up.at(c / x.d(), c % x.d()) += h;
    down.at(c / x.d(), c % x.d()) -= h;
    const HostSwarm v = velocity(*engine, dynamics, up), w = velocity(*engine, dynamics, down);
    for (int r = 0; r < size; ++r)
      jacobian[static_cast<std::size_t>(r) * size + c] =
          (v.at(r / x.d(), r % x.d()) - w.at(r / x.d(), r % x.d())) / (2 * h);
  }
  double most = 0;
  for (int r = 0; r < size; ++r)
    for (int c = 0; c < r; ++c)
      most = std::max(most, std::fabs(jacobian[static_cast<std::size_t>(r) * size + c] -
                                      jacobian[static_cast<std::size_t>(c) * size + r]));
  return most;
}

TEST(SinkhornFlow, IsAGradientOnlyWhereTheValueIsTheScore) {
  Matrix score = random_matrix(2, 2, 5);
  score(1, 0) = score(0, 1);
  Matrix minus = score;
  for (double& entry : minus.data) entry = -entry;
  const HostSwarm x = random_sphere({5, 2}, 6);
  const auto of = [&](const Matrix& value, bool relative = false) {
    return asymmetry(dynamics_of(Attention{.beta = 1.5,
                                           .query = score,
                                           .value = value,
                                           .relative = relative,
                                           .weighting = Attention::sinkhorn},
                                 Manifold::space),
                     x);
  };
  EXPECT_LT(of(score), 1e-6);
  EXPECT_LT(of(minus), 1e-6);
  EXPECT_LT(of(score, true), 1e-6);
  EXPECT_GT(of({}), 1e-2);
  EXPECT_GT(of(random_matrix(2, 2, 7)), 1e-2);
}

}  // namespace
}  // namespace murmur::testing
