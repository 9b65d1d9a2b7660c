// special_functions_test.cpp: special functions that are our own against Boost.Math's.
#include <gtest/gtest.h>

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gegenbauer.hpp>
#include <boost/math/special_functions/spherical_harmonic.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/elementary.h"
#include "meanfield/harmonics.h"
#include "murmur/observe.h"
#include "murmur/theory.h"

namespace murmur {
namespace {

using Long = long double;  // reaches e^10000 where double ends at e^709

Long bessel(double order, double x) {
  return boost::math::cyl_bessel_i(static_cast<Long>(order), static_cast<Long>(x));
}

TEST(SpecialFunctions, BesselOfSmallAndLargeOrdersAndArguments) {
  int compared = 0;
  for (const double order : {0.0, 0.5, 1.0, 1.5, 2.0, 7.0, 31.5, 100.0, 400.5, 1000.0})
    for (const double x : {1e-3, 0.1, 1.0, 2.5, 5.0, 30.0, 200.0, 1000.0, 10'000.0}) {
      const Long exact = bessel(order, x);
      // Below the range of long double there is nothing to compare with.
      if (!(exact > std::numeric_limits<Long>::min())) continue;
      ++compared;
      const Long log = std::log(exact);
      EXPECT_NEAR(theory::log_bessel(order, x), static_cast<double>(log),
                  1e-13 * std::fmax(1, std::fabs(static_cast<double>(log))))
          << order << " " << x;
      const double next = static_cast<double>(bessel(order + 1, x) / exact);
      if (next > 1e-300) {
        EXPECT_NEAR(theory::bessel_ratio(order, x) / next, 1, 1e-13) << order << " " << x;
      }
      const auto scaled = static_cast<double>(std::exp(log - x));
      if (scaled > 1e-300) {
        EXPECT_NEAR(theory::scaled_bessel(order, x) / scaled, 1, 1e-13) << order << " " << x;
      }
    }
  EXPECT_GT(compared, 85);  // of 90
}

TEST(SpecialFunctions, BesselSeriesOfTheKernel) {
  for (const double beta : {0.01, 1.0, 9.0, 100.0, 700.0}) {
    const BesselSeries s = bessel_series(beta, 60);
    for (const int k : {0, 1, 2, 10, 59}) {
      const auto exact = static_cast<double>(bessel(k, beta) * std::exp(-static_cast<Long>(beta)));
      EXPECT_NEAR(s.a[k] / exact, 1, 1e-13) << beta << " " << k;
    }
  }
}

TEST(SpecialFunctions, SphericalHarmonics) {
  // Ours have int Y^2 = 1 under the uniform probability, and cos or sin in place of e^{i m phi};
  // Boost's signs are Condon and Shortley's.
  constexpr int degree = 40;
  for (const double theta : {0.1, 0.9, 2.0, 3.0}) {
    const double phi = 0.7, s = std::sin(theta);
    const double x[] = {s * std::cos(phi), s * std::sin(phi), std::cos(theta)};
    const std::vector<double> y = meanfield::harmonics_at(degree, x);
    for (int l = 0; l <= degree; ++l)
      for (int m = 0; m <= l; ++m) {
        const double size = std::sqrt(4 * std::numbers::pi * (m > 0 ? 2 : 1)) * (m % 2 ? -1 : 1);
        const auto exact = boost::math::spherical_harmonic(l, m, theta, phi) * size;
        EXPECT_NEAR(y[meanfield::harmonic_index(l, m)], exact.real(), 2e-12) << l << " " << m;
        if (m > 0) {
          EXPECT_NEAR(y[meanfield::harmonic_index(l, -m)], exact.imag(), 2e-12) << l << " " << m;
        }
      }
  }
}

TEST(SpecialFunctions, PowersOfModesAreGegenbauers) {
  for (const int d : {3, 5, 8}) {
    HostSwarm pair({2, d});
    const double cosine = -0.37;
    pair.at(0, 0) = 1;
    pair.at(1, 0) = cosine;
    pair.at(1, 1) = std::sqrt(1 - cosine * cosine);
    const std::vector<double> power = mode_powers(pair, 12);
    for (unsigned k = 1; k <= 12; ++k) {
      const double index = 0.5 * d - 1;
      const double c =
          boost::math::gegenbauer(k, index, cosine) / boost::math::gegenbauer(k, index, 1.0);
      EXPECT_NEAR(power[k], 0.5 + 0.5 * c, 1e-13) << d << " " << k;
    }
  }
}

TEST(SpecialFunctions, ErrorFunction) {
  for (double x = -6; x <= 6; x += 1.0 / 64)
    EXPECT_NEAR(elementary::erf(x), boost::math::erf(x), 3e-16) << x;
}

}  // namespace
}  // namespace murmur
