// elementary_test.cpp: holds the elementary functions to their error bounds and to their very bits.
#include "core/elementary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace murmur {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

using Function = double (*)(double);
using Reference = long double (*)(long double);

// |got - want| in units of the last place of a double of the size of want
double ulps(double got, long double want) {
  if (!std::isfinite(got)) return infinity;
  const int exponent = want == 0 ? -1074 : std::max(std::ilogb(want) - 52, -1074);
  return static_cast<double>(std::fabs(got - want) / std::ldexp(1.0L, exponent));
}

struct Worst {
  double error = 0, at = 0;
  void see(double e, double x) {
    if (e > error) *this = {e, x};
  }
};

// Half of the samples are even over the interval, half over its positive bit patterns if any.
Worst worst_error(Function f, Reference reference, double low, double high) {
  std::mt19937_64 words(20250);
  const std::uint64_t from = elementary::bits_of(std::max(low, smallest));
  const std::uint64_t span = elementary::bits_of(std::max(high, smallest)) - from;
  Worst worst;
  for (int i = 0; i < 200'000; ++i) {
    const double even = low + (high - low) * (static_cast<double>(words() >> 11) * 0x1p-53);
    const double x = span == 0 || i % 2 ? even : elementary::from_bits(from + words() % span);
    worst.see(ulps(f(x), reference(x)), x);
  }
  return worst;
}

struct Bound {
  const char* name;
  Function f;
  Reference reference;
  double low, high, ulps;
};

TEST(Elementary, ErrorsStayWithinTheStatedBounds) {
  namespace el = elementary;
  const Bound bounds[] = {
      {"exp, short", el::exp, std::exp, -1, 1, 0.8},
      {"exp", el::exp, std::exp, -708, 709.7, 0.8},
      {"exp, subnormal results", el::exp, std::exp, -745.1, -708, 0.8},
      {"log, short", el::log, std::log, 0.5, 2, 0.51},
      {"log", el::log, std::log, smallest, largest / 2, 0.51},
      {"log, subnormal", el::log, std::log, smallest, 0x1p-1022, 0.51},
      {"sin, no reduction", el::sin, std::sin, -0.78, 0.78, 0.82},
      {"sin", el::sin, std::sin, -100, 100, 0.82},
      {"sin, long way", el::sin, std::sin, -0x1p21, 0x1p21, 0.82},
      {"cos, no reduction", el::cos, std::cos, -0.78, 0.78, 0.82},
      {"cos", el::cos, std::cos, -100, 100, 0.82},
      {"cos, long way", el::cos, std::cos, -0x1p21, 0x1p21, 0.82},
      {"tanh, short", el::tanh, std::tanh, -0.55, 0.55, 1.5},
      {"tanh", el::tanh, std::tanh, -25, 25, 1.5},
      {"erf, short", el::erf, std::erf, -1, 1, 1.7},
      {"erf", el::erf, std::erf, -7, 7, 1.7},
      {"erf, seam", el::erf, std::erf, 0.99, 1.2, 1.7},
  };
  for (const Bound& b : bounds) {
    const Worst worst = worst_error(b.f, b.reference, b.low, b.high);
    EXPECT_LE(worst.error, b.ulps) << b.name << " at " << worst.at;
    EXPECT_GT(worst.error, 0.3) << b.name << ": the measure sees no rounding at all";
  }
}

// The doubles nearest to multiples of pi/2 lose the most digits in the reduction.
TEST(Elementary, SinAndCosSurviveNearMultiplesOfHalfPi) {
  Worst sine, cosine;
  for (int k = 1; k < 1'300'000; k += 7) {
    const double x = static_cast<double>(k * 1.57079632679489661923L);
    sine.see(ulps(elementary::sin(x), std::sin(static_cast<long double>(x))), x);
    cosine.see(ulps(elementary::cos(x), std::cos(static_cast<long double>(x))), x);
  }
  EXPECT_LE(sine.error, 0.82) << sine.at;
  EXPECT_LE(cosine.error, 0.82) << cosine.at;
}

TEST(Elementary, SinAndCosOfLargeArgumentsKeepTheirAbsoluteError) {
  for (double x = 0x1p21; x < 0x1p62; x *= 1.000123) {
    const long double exact = x;
    ASSERT_LE(std::fabs(elementary::sin(x) - std::sin(exact)), 0x1p-53L) << x;
    ASSERT_LE(std::fabs(elementary::cos(x) - std::cos(exact)), 0x1p-53L) << x;
  }
  for (double x = 0x1p62; x < largest / 2; x *= 1.7) {
    ASSERT_LE(std::fabs(elementary::sin(x)), 1.0) << x;
    ASSERT_LE(std::fabs(elementary::cos(x)), 1.0) << x;
  }
}

// Half of the powers are ordinary, half drive the result to any size a double has.
TEST(Elementary, PowStaysWithinItsBound) {
  std::mt19937_64 words(7);
  const auto unit = [&] { return static_cast<double>(words() >> 11) * 0x1p-53; };
  Worst ordinary, any;
  for (int i = 0; i < 300'000; ++i) {
    const double x = i % 3 == 0   ? 0.5 + unit()
                     : i % 3 == 1 ? elementary::from_bits(1 + words() % 0x7feffffffffffffe)
                                  : 1000 * unit();
    const double y = i % 2 ? 10 * unit() - 5 : (1450 * unit() - 745) / std::log(x);
    const long double want = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    if (want > largest) continue;
    (i % 2 ? ordinary : any).see(ulps(elementary::pow(x, y), want), x);
  }
  EXPECT_LE(ordinary.error, 0.8) << ordinary.at;
  EXPECT_LE(any.error, 1.2) << any.at;
}

TEST(Elementary, EndsOfTheRangeAreRight) {
  namespace el = elementary;
  EXPECT_EQ(el::exp(0.0), 1.0);
  EXPECT_EQ(el::exp(-infinity), 0.0);
  EXPECT_EQ(el::exp(-746.0), 0.0);
  EXPECT_EQ(el::exp(-745.13), smallest);
  EXPECT_EQ(el::exp(-largest), 0.0);
  EXPECT_TRUE(std::isfinite(el::exp(709.78271289338397)));
  EXPECT_EQ(el::exp(709.7827128933841), infinity);
  EXPECT_EQ(el::exp(infinity), infinity);
  EXPECT_EQ(el::log(1.0), 0.0);
  EXPECT_EQ(el::log(0.0), -infinity);
  EXPECT_EQ(el::log(infinity), infinity);
  EXPECT_TRUE(std::isnan(el::log(-1.0)));
  EXPECT_EQ(el::cos(0.0), 1.0);
  EXPECT_EQ(el::sin(smallest), smallest);
  EXPECT_TRUE(std::isnan(el::sin(infinity)) && std::isnan(el::cos(-infinity)));
  EXPECT_EQ(el::tanh(infinity), 1.0);
  EXPECT_EQ(el::tanh(-400.0), -1.0);
  EXPECT_EQ(el::erf(infinity), 1.0);
  EXPECT_EQ(el::erf(-6.0), -1.0);
  for (const Function f : {el::sin, el::tanh, el::erf}) {
    EXPECT_TRUE(std::signbit(f(-0.0)) && f(-0.0) == 0.0);
    EXPECT_EQ(f(-0.7), -f(0.7));
  }
  for (const Function f : {el::exp, el::log, el::sin, el::cos, el::tanh, el::erf}) {
    EXPECT_TRUE(std::isnan(f(nan)));
  }
}

TEST(Elementary, PowOfSpecialArguments) {
  using elementary::pow;
  for (const double x : {0.0, 0.3, 1.0, 7.0, infinity, nan}) EXPECT_EQ(pow(x, 0.0), 1.0) << x;
  for (const double y : {-infinity, -3.0, 1e300, infinity, nan}) EXPECT_EQ(pow(1.0, y), 1.0) << y;
  EXPECT_EQ(pow(0.0, 0.5), 0.0);
  EXPECT_EQ(pow(0.0, -0.5), infinity);
  EXPECT_EQ(pow(infinity, 2.0), infinity);
  EXPECT_EQ(pow(infinity, -2.0), 0.0);
  EXPECT_EQ(pow(2.0, infinity), infinity);
  EXPECT_EQ(pow(0.5, infinity), 0.0);
  EXPECT_EQ(pow(2.0, -1e300), 0.0);
  EXPECT_EQ(pow(1.0 + 0x1p-52, 1e300), infinity);
  EXPECT_TRUE(std::isnan(pow(-2.0, 2.0)) && std::isnan(pow(nan, 1.0)) && std::isnan(pow(2.0, nan)));
  for (int k = -1074; k < 1024; ++k) EXPECT_EQ(pow(2.0, k), std::ldexp(1.0, k)) << k;
  for (int k = 1; k < 22; ++k) EXPECT_EQ(pow(5.0, k), pow(5.0, k - 1) * 5.0) << k;
}

// FNV-1a over the bytes of the results, lowest byte first
class Hash {
 public:
  void add(double value) {
    for (int byte = 0; byte < 8; ++byte) {
      state_ = (state_ ^ (elementary::bits_of(value) >> 8 * byte & 255)) * 0x100000001b3;
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

std::uint64_t hash_over_grid(Function f, double low, double high) {
  constexpr int points = 20'000;
  Hash hash;
  for (int i = 0; i <= points; ++i) hash.add(f(low + (high - low) * i / points));
  return hash.value();
}

// Two compilers, or two sets of flags, that disagree in one bit of one result disagree here.
TEST(Elementary, BitsAreTheSameOnEveryCompiler) {
  namespace el = elementary;
  EXPECT_EQ(hash_over_grid(el::exp, -750, 711), 0x954cec1dd4467f14u);
  EXPECT_EQ(hash_over_grid(el::exp, -3, 3), 0x890f097dc9f5afc6u);
  EXPECT_EQ(hash_over_grid(el::log, 0x1p-10, 20), 0x0bbb77d1e03c755au);
  EXPECT_EQ(hash_over_grid(el::log, smallest, 0x1p-1020), 0x47898ff334f9de73u);
  EXPECT_EQ(hash_over_grid(el::sin, -50, 50), 0xcf4dfb9ea3eac12eu);
  EXPECT_EQ(hash_over_grid(el::cos, -1e6, 1e6), 0xdb2d7631109dcf60u);
  EXPECT_EQ(hash_over_grid(el::sin, 1e6, 1e18), 0x07ef196b8946f492u);
  EXPECT_EQ(hash_over_grid(el::tanh, -4, 4), 0xf6725ae035dbf49au);
  EXPECT_EQ(hash_over_grid(el::erf, -6, 6), 0x7c096311d45e1983u);
  const Function cube_root = [](double x) { return el::pow(x, 1.0 / 3.0); };
  EXPECT_EQ(hash_over_grid(cube_root, smallest, 1000), 0x8ef8a607c4e28f2fu);
  const Function tower = [](double x) { return el::pow(x, x); };
  EXPECT_EQ(hash_over_grid(tower, 0, 143), 0xdff8ed40e956b741u);
}

}  // namespace
}  // namespace murmur
