// landscape_bound_test.cpp: nothing near a point lies below the bound that certificates stand on.
#include <gtest/gtest.h>

#include <cmath>

#include "landscape/terrain.h"
#include "landscape_support.h"

namespace murmur {
namespace {

using landscape::Cloud;
using landscape::Floor;
using landscape::MatrixXd;
using landscape::Terrain;
using landscape::VectorXd;
using testing::random_atoms;
using testing::random_landscape;

VectorXd random_tangent(const VectorXd& x, const Draw& draw) {
  VectorXd u(x.size() - 1);
  for (int k = 0; k < u.size(); ++k) u[k] = draw.normal(static_cast<std::uint16_t>(k));
  return landscape::frame(x) * u.normalized();
}

// Every fourth place lies on the edge of a relu unit, every fourth close to it.
VectorXd place(const Landscape& l, int trial) {
  VectorXd x = Eigen::Map<const VectorXd>(random_atoms(l.d, 1, 300 + trial).x.data.data(), l.d);
  const VectorXd a = Eigen::Map<const VectorXd>(l.a.data.data(), l.d);
  if (trial % 4 < 2) x -= x.dot(a) / a.squaredNorm() * a;
  if (trial % 4 == 1) x += 1e-3 * a;
  return x.normalized();
}

// Least of sign F over many places within rho, the rim most of all.
double min_near(const Terrain& terrain, const Cloud& mu, const VectorXd& x, double rho) {
  double min = HUGE_VAL;
  for (int k = 0; k < 160; ++k) {
    const Draw draw{77, Stream::position, static_cast<std::uint32_t>(k)};
    const double angle = rho * (k % 2 == 0 ? 1 : draw.uniform(9));
    const VectorXd y = landscape::exponential_map(x, angle * random_tangent(x, draw));
    min = std::min(min, terrain.sign() * terrain.value(mu, y));
  }
  return min;
}

class LandscapeBound : public ::testing::TestWithParam<Perceptron::Activation> {};

TEST_P(LandscapeBound, NothingNearLiesBelow) {
  double closest = HUGE_VAL;  // how much of what the bound allows for is there
  for (int trial = 0; trial < 160; ++trial) {
    Landscape l{.d = 2 + trial % 2, .beta = trial % 5 < 2 ? 0.3 : trial % 5 < 4 ? 4.0 : 30.0};
    l.kernel = trial % 3 == 0 ? Landscape::plain : Landscape::scaled;
    l.direction = trial % 7 < 3 ? Landscape::ascent : Landscape::descent;
    l = random_landscape(l, 3, 40 + trial);
    l.activation = GetParam();
    for (double& value : l.a.data) value *= trial % 2 == 0 ? 1 : 3;
    const Terrain terrain(l);
    const Cloud mu = landscape::cloud_of(l, random_atoms(l.d, 1 + trial % 6, 900 + trial));
    const VectorXd x = trial % 8 == 7 ? VectorXd(mu.x.col(0)) : place(l, trial);
    for (const double rho : {0.9, 0.4, 0.1, 0.02, 3e-3}) {
      const Floor floor = terrain.floor_near(mu, x, rho);
      const double min = min_near(terrain, mu, x, rho);
      EXPECT_NEAR(floor.value, terrain.sign() * terrain.value(mu, x), 1e-14 * terrain.scale());
      EXPECT_GE(min, floor.min - 1e-14 * terrain.scale())
          << "trial " << trial << ", radius " << rho;
      closest = std::min(closest, (min - floor.min) / (terrain.scale() * rho * rho * rho));
    }
  }
  EXPECT_LT(closest, 0.5);  // of third order, and no looser
}

INSTANTIATE_TEST_SUITE_P(Activations, LandscapeBound,
                         ::testing::Values(Perceptron::relu, Perceptron::gelu, Perceptron::tanh));

}  // namespace
}  // namespace murmur
