// theory_clusters_test.cpp: clusters, stairs, noise and contexts in closed form, to printed digits.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "closed_forms.h"
#include "murmur/error.h"
#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(TwoClusters, Lifetimes) {
  EXPECT_NEAR(lifetime({.beta = 4}, kPi / 2, .1), 10.0219, 5.01e-5);
  EXPECT_NEAR(lifetime({.beta = 4, .law = Law::usa}, kPi / 2, .1), .312261, 5.01e-7);
  EXPECT_NEAR(lifetime({.beta = 9}, kPi / 2, .1), 465.896, 5.01e-4);
  EXPECT_NEAR(lifetime({.beta = 9, .law = Law::usa}, kPi / 2, .1), .114623, 5.01e-7);
  EXPECT_NEAR(lifetime({.beta = 4}, 2 * kPi / 3, .1), 60.5123, 5.01e-5);
  EXPECT_NEAR(lifetime({.beta = 9}, 2 * kPi / 3, .1), 48744, .501);
  EXPECT_NEAR(lifetime({.beta = 9, .law = Law::usa}, 2 * kPi / 3, .1), 12.0305, 5.01e-5);
  EXPECT_NEAR(lifetime({.beta = 6, .mass = .25}, 1.5, .1), 17.3207, 5.01e-5);
  EXPECT_NEAR(lifetime({.beta = 6, .mass = .75}, 1.5, .1),
              lifetime({.beta = 6, .mass = .25}, 1.5, .1), 1e-12);
  // beta = 0: tan(theta/2) = tan(theta_0/2) e^{-t}
  EXPECT_NEAR(lifetime({.beta = 0}, 2, .5), std::log(std::tan(1.0) / std::tan(.25)), 1e-12);
}

TEST(TwoClusters, AsymptoticsAndSlope) {
  for (const double mass : {.5, .2})
    EXPECT_NEAR(lifetime({.beta = 200, .mass = mass}, 1.5, .5) /
                    asymptotic_lifetime({.beta = 200, .mass = mass}, 1.5),
                1, .01);
  EXPECT_NEAR(lifetime({.beta = 200, .law = Law::usa}, 2, 1) /
                  asymptotic_lifetime({.beta = 200, .law = Law::usa}, 2),
              1, .01);
  const auto log_time = [](double beta) {
    return std::log(beta * lifetime({.beta = beta}, kPi / 2, .1));
  };
  EXPECT_NEAR((log_time(25) - log_time(16)) / 9, 1, 1e-3);
}

TEST(Polygons, EscapeRates) {
  const double beta[] = {4, 5, 7, 9, 16};
  const double printed[5][6] = {{6.71e-4, .0259, .2826, .671, 1.06, 1.07},
                                {9.08e-5, .00704, .133, .453, .916, 1.08},
                                {1.66e-6, 4.75e-4, .0255, .170, .541, .872},
                                {3.05e-8, 2.98e-5, .00444, .0562, .272, .587},
                                {2.53e-14, 1.42e-9, 7.20e-6, 8.09e-4, .0154, .0838}};
  for (int row = 0; row < 5; ++row)
    for (int k = 2; k <= 7; ++k) {
      const double expected = printed[row][k - 2];
      const int digits = row == 0 && k == 4 ? 4 : 3;
      const double unit = std::pow(10, std::floor(std::log10(expected)) - digits + 1);
      EXPECT_NEAR(fastest_escape({.k = k, .beta = beta[row]}).rate, expected, .501 * unit)
          << beta[row] << " " << k;
    }
  for (const double b : {0.5, 4.0})
    EXPECT_NEAR(fastest_escape({.k = 2, .beta = b}).rate, 1 - std::tanh(b), 1e-14);
}

// The rate is an eigenvalue of the linearised Kuramoto form: differences of its velocity find it.
TEST(Polygons, EscapeRateIsTheJacobians) {
  for (const Law law : {Law::sa, Law::usa})
    for (const int k : {3, 4, 6}) {
      const Escape escape = fastest_escape({.k = k, .beta = 3, .law = law});
      const double small = 1e-5;
      std::vector<double> up(k), down(k), shape(k);
      for (int j = 0; j < k; ++j) {
        shape[j] = std::cos(2 * kPi * escape.mode * j / k);
        up[j] = 2 * kPi * j / k + small * shape[j];
        down[j] = 2 * kPi * j / k - small * shape[j];
      }
      const auto a = kuramoto_velocity(law, 3, {up}), b = kuramoto_velocity(law, 3, {down});
      for (int j = 0; j < k; ++j)
        EXPECT_NEAR((a[j] - b[j]) / (2 * small), escape.rate * shape[j], 1e-7 * std::exp(3));
    }
}

TEST(Kuramoto, TwoClustersAndMasses) {
  const double angles[] = {.2, 1.7}, mass[] = {.25, .75};
  for (const Law law : {Law::sa, Law::usa}) {
    const auto v = kuramoto_velocity(law, 6, {angles, mass});
    EXPECT_NEAR(v[1] - v[0], angle_velocity({.beta = 6, .law = law, .mass = .25}, 1.5), 1e-13);
  }
}

TEST(Staircase, LevelsAndTimes) {
  std::vector<double> angles;
  for (const double a : {0., .5, 2., 4., 7.})
    angles.push_back(.5 * a * std::log(2000) / std::sqrt(2000));
  const double given[] = {0, .0424903, .1699613, .3399227, .5948647};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(angles[i], given[i], 5.01e-8);
  const double levels[] = {.28, .44, .52, 1}, full[] = {.00395, .01993, .04365, .10080};
  const double half_2000[] = {.00150, .01710, .04120, .09701},
               half_4000[] = {.00204, .01643, .03841, .08992};
  const auto at_2000 = staircase(angles, {}, 2000), at_4000 = staircase(angles, {}, 4000);
  ASSERT_EQ(at_2000.size(), 4u);
  const double ones[] = {1, 1, 1, 1, 1};
  EXPECT_NEAR(first_level(ones), .2, 1e-15);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(at_2000[k].level, levels[k], 1e-15);
    EXPECT_NEAR(at_2000[k].full, full[k], 5.01e-6) << k;
    EXPECT_NEAR(at_2000[k].half, half_2000[k], 5.01e-6) << k;
    EXPECT_NEAR(at_4000[k].half, half_4000[k], 5.01e-6) << k;
  }
  EXPECT_NEAR(at_2000[3].left_mass, .6, 1e-15);
}

TEST(Staircase, GoesRoundTheCircle) {
  const double angles[] = {.1, 2, 6.2}, turned[] = {1.1, 3, 7.2 - 2 * kPi}, counts[] = {1, 1, 2};
  const auto a = staircase(angles, counts, 100), b = staircase(turned, counts, 100);
  ASSERT_EQ(a.size(), 2u);
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(a[k].full, b[k].full, 1e-13);
  EXPECT_NEAR(a[0].full, (.1 + 2 * kPi - 6.2) * std::sqrt(2. / 3) / std::log(100), 1e-14);
}

TEST(Metastability, OrthogonalCapsNeedBetaAbove15_6) {
  const double alpha = cap_alpha(kPi / 2, .005);
  const auto gap = [&](double beta) {
    return metastability({.n = 10, .beta = beta, .eps = .005, .alpha = alpha}).gap;
  };
  EXPECT_NEAR(root(gap, 2, 100), 15.6, .05);
  const Metastable m = metastability({.n = 10, .beta = 100, .eps = .005, .alpha = alpha});
  EXPECT_NEAR(m.begins, 20 * std::exp(4) + std::numbers::e * 1e5 / 99, 1e-9);
  EXPECT_NEAR(std::log(m.ends), std::log(.0005) + 100 * (1 - alpha), 1e-12);
  EXPECT_LT(m.begins, m.ends);
}

TEST(KernelPeak, Printed) {
  const double beta[] = {1, 5, 9, 25, 64}, tau[] = {.90456, .43945, .33017, .19933, .12484};
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(kernel_peak(beta[k]), tau[k], 5.01e-6);
    EXPECT_GT(kernel_peak(beta[k]), 1 / std::sqrt(beta[k] + .5));
    EXPECT_LT(kernel_peak(beta[k]), 1 / std::sqrt(beta[k]));
  }
  EXPECT_NEAR(kernel_peak(0), kPi / 2, 1e-15);
  EXPECT_NEAR(kernel_peak(1e12) * 1e6, 1, 1e-11);
}

TEST(Centres, Counts) {
  EXPECT_NEAR(strong_centres(2, .5, 200), 6.283, 5.01e-4);
  EXPECT_NEAR(strong_centres(2, .25, 400), 12.57, 5.01e-3);
  EXPECT_NEAR(strong_centres(3, .5, 1e9), 16.34, 5.01e-3);
  EXPECT_NEAR(strong_centres(3, .5, 1), 1, 1e-12);
  EXPECT_NEAR(renyi_centres(.5), 9.39, 5.01e-3);
  EXPECT_NEAR(renyi_centres(.25), 18.8, .0501);
  // Of finitely many tokens: the first is one, and many are near the constant from below.
  EXPECT_NEAR(parked_centres(.5, 1), 1, .01);
  EXPECT_NEAR(parked_centres(.5, 200), 9.147, 1e-3);
  EXPECT_NEAR(parked_centres(.25, 400), 18.293, 1e-3);
  EXPECT_NEAR(parked_centres(.5, 1'000'000), renyi_centres(.5), 1e-3);
  EXPECT_NEAR(cap_measure(3, .7), std::pow(std::sin(.35), 2), 1e-14);
  // Renyi's constant: int_0^inf exp(-2 int_0^t (1 - e^{-u})/u du) dt; the tail beyond T is
  // e^{-2 gamma}/T up to e^{-T}.
  const auto inner = [](double t) {
    return quadrature([](double u) { return u == 0 ? 1 : -std::expm1(-u) / u; }, 0, t);
  };
  const double T = 40;
  EXPECT_NEAR(quadrature([&](double t) { return std::exp(-2 * inner(t)); }, 0, T) +
                  std::exp(-2 * std::numbers::egamma) / T,
              renyi_constant, 1e-12);
}

TEST(Hemisphere, Wendel) {
  EXPECT_NEAR(hemisphere_probability(32, 8), .00166, 5.01e-6);
  EXPECT_NEAR(hemisphere_probability(32, 16), .5, 1e-12);
  EXPECT_NEAR(hemisphere_probability(32, 32), 1, 1e-12);
  EXPECT_NEAR(hemisphere_probability(3, 2), .75, 1e-14);
}

TEST(Noise, Thresholds) {
  EXPECT_NEAR(noise_threshold(2, 1), 1.76941, 5.01e-6);
  EXPECT_NEAR(noise_threshold(2, 2), 1.25736, 5.01e-6);
  EXPECT_NEAR(noise_threshold(3, 1), std::numbers::e, 1e-13);
  for (const int d : {2, 3, 8}) EXPECT_NEAR(noise_threshold(d, 1e-6), noise_threshold(d, 0), 1e-5);
  const int d[] = {2, 3, 4, 8, 64};
  const double until[] = {2.446918, 1.816155, 1.575257, 1.266553, 1.031494};
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(continuous_until(d[k]), until[k], 5.01e-7) << d[k];
  EXPECT_NEAR(continuous_until(3), switch_point(3, 1), 1e-12);
  for (const int k : {1, 3}) {  // growth vanishes at the mode's threshold
    const double kappa = noise_threshold(3, 5, k);
    EXPECT_NEAR(growth_rate({.law = Law::usa, .d = 3, .beta = 5, .noise = 1 / kappa}, k), 0, 1e-12);
  }
}

TEST(Noise, StationaryOrder) {
  EXPECT_NEAR(kuramoto_order(2.5), .589708, 5.01e-7);
  EXPECT_NEAR(kuramoto_order(4), .831462, 5.01e-7);
  EXPECT_EQ(kuramoto_order(1.9), 0);
  for (const double kappa : {2.5, 4.0})
    EXPECT_NEAR(stationary_order(kappa, 0), kuramoto_order(kappa), 1e-11);
  EXPECT_NEAR(stationary_order(1.4, 1), 0, 1e-10);
  EXPECT_NEAR(stationary_order(2.2, 1), .6766, 5.01e-5);
  EXPECT_NEAR(stationary_order(3.0, 1), .8640, 5.01e-5);
  // beyond beta_* both branches live just below kappa_c; before it only disorder
  const double below = .98 * noise_threshold(2, 4);
  EXPECT_GT(stationary_order(below, 4, 1), .5);
  EXPECT_LT(stationary_order(below, 4, 1e-3), 1e-9);
  EXPECT_LT(stationary_order(.98 * noise_threshold(2, 1), 1, 1), 1e-9);
}

struct NormRow {
  LayerNorm scheme;
  double rho, digits, r;
};

TEST(Normalised, CosinesAndRadii) {
  const NormRow rows[] = {{LayerNorm::post, .99987094, 5.01e-9, 1},
                          {LayerNorm::pre, .94893540, 5.01e-9, 5.062301},
                          {LayerNorm::peri, .96737295, 5.01e-9, 6.337020},
                          {LayerNorm::ngpt, .99998157, 5.01e-9, 1},
                          {LayerNorm::sqrt, .97175293, 5.01e-9, 1}};
  for (const NormRow& row : rows) {
    const Shells end = normalised({.scheme = row.scheme}, 6);
    EXPECT_NEAR(end.rho, row.rho, row.digits) << static_cast<int>(row.scheme);
    EXPECT_NEAR(end.r, row.r, 5.01e-7) << static_cast<int>(row.scheme);
    const bool unit = row.scheme == LayerNorm::peri || row.scheme == LayerNorm::ngpt;
    EXPECT_NEAR(normalised_velocity({.scheme = row.scheme}, {0, 1}, 0).rho,
                unit ? .422680 : .112878, 5.01e-7);
  }
  EXPECT_NEAR(normalised({.scheme = LayerNorm::mix, .mix_until = 2}, 6).rho, .98749, 5.01e-6);
}

TEST(Normalised, LateDecay) {
  const auto slope = [](const Normalised& swarm, double a, double b) {
    return std::log((1 - normalised(swarm, b).rho) / (1 - normalised(swarm, a).rho));
  };
  for (const auto scheme : {LayerNorm::pre, LayerNorm::peri, LayerNorm::mix})
    EXPECT_NEAR(slope({.scheme = scheme, .mix_until = 2}, 2000, 4000) / std::log(2), -2, .005);
  EXPECT_NEAR(slope({.scheme = LayerNorm::sqrt}, 24, 35), -4, .01);  // sqrt(t+1): 5 to 6
  EXPECT_NEAR(slope({.scheme = LayerNorm::post}, 8, 9), -2, 1e-3);
  EXPECT_NEAR(slope({.scheme = LayerNorm::ngpt, .speed = 1.5}, 4, 5), -3, 1e-3);
}

TEST(LongContext, ThreeBranches) {
  const double rho = .3, critical = 1 / (1 - rho);
  EXPECT_NEAR(context_limit(rho, critical), .631579, 5.01e-7);
  EXPECT_EQ(context_limit(rho, .8 * critical), 1);
  EXPECT_EQ(context_limit(rho, 1.2 * critical), rho);
  const double factor[] = {1, .8, 1.2};
  const double thousand[] = {.63222, .91471, .40175}, million[] = {.63158, .99185, .32631};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(context_cosine(rho, factor[k] * critical, 1e3), thousand[k], 5.01e-6) << k;
    EXPECT_NEAR(context_cosine(rho, factor[k] * critical, 1e6), million[k], 5.01e-6) << k;
    EXPECT_NEAR(context_cosine(rho, factor[k] * critical, 1e300),
                context_limit(rho, factor[k] * critical), 1e-12);
  }
  EXPECT_EQ(context_cosine(rho, 1e4, 1e6), rho);
}

TEST(LostInTheMiddle, CriticalTimes) {
  const double beta[] = {.1, .5, 1, 2, 3};
  const double time[] = {27.0930, 5.9116, 2.457489, .600716, .174018};
  const double unit[] = {5.01e-5, 5.01e-5, 5.01e-7, 5.01e-7, 5.01e-7};
  for (int k = 0; k < 5; ++k)
    EXPECT_NEAR(retrieval_critical_time({.beta = beta[k]}), time[k], unit[k]) << beta[k];
  EXPECT_NEAR(retrieval_certain_until({}), 2.2370, 5.01e-5);
  EXPECT_NEAR(retrieval_rate(1, 1), .565159, 5.01e-7);
  // psi_c(y) = sqrt(c/y) I_1(2 sqrt(c y))
  EXPECT_NEAR(retrieval_series(1.3, 2.1),
              std::sqrt(1.3 / 2.1) * std::exp(log_bessel(1, 2 * std::sqrt(1.3 * 2.1))), 1e-13);
}

TEST(LostInTheMiddle, EndSlopeChangesSignAtTheCriticalTime) {
  const Retrieval retrieval;
  const auto slope = [&](double t) {
    const double h = 1e-4;
    return (3 * retrieval_profile(retrieval, t, 1) - 4 * retrieval_profile(retrieval, t, 1 - h) +
            retrieval_profile(retrieval, t, 1 - 2 * h)) /
           (2 * h);
  };
  EXPECT_NEAR(root(slope, 1, 5), 2.457489, 1e-5);
  // before it the profile falls, then rises; after it it only falls
  const auto at = [&](double t, double s) { return retrieval_profile(retrieval, t, s); };
  EXPECT_GT(at(1, .01), at(1, .5));
  EXPECT_GT(at(1, 1), at(1, .7));
  EXPECT_GT(at(4, .9), at(4, 1));
}

TEST(Hardmax, StepsAndFlow) {
  double x = .3;
  for (int step = 0; step < 20; ++step) x = (x + .5 * -2) / 1.5;
  EXPECT_NEAR(hardmax({.3, -2}, .5, 20), x, 1e-14);
  EXPECT_EQ(hardmax_flow({.3, -2}, 0), .3);
  EXPECT_NEAR(hardmax_flow({.3, -2}, 1), -2 + 2.3 * std::exp(-1), 1e-15);
}

TEST(Modes, ScaleOfTheKernelDensity) {
  EXPECT_NEAR(40.2 / mode_scale(1e3), .483, 1e-3);
  EXPECT_NEAR(133.5 / mode_scale(1e4), .440, 1e-3);
}

}  // namespace
}  // namespace murmur::theory
