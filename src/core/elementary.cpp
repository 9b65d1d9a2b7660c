// elementary.cpp: log, sin, cos, erf and pow by reduction to short intervals and polynomials, and
// the Bessel series.
#include "core/elementary.h"

#include <cmath>
#include <limits>
#include <utility>

namespace murmur::elementary {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// The number high + low, about twice as precise as a double.
struct Pair {
  double high, low;
};

// a + b exactly (Knuth).
Pair sum(double a, double b) {
  const double s = a + b;
  const double b_part = s - a;
  return {s, (a - (s - b_part)) + (b - b_part)};
}

// a b exactly, by halves of 26 bits (Veltkamp, Dekker); |a|, |b| < 2^995.
Pair product(double a, double b) {
  constexpr double split = 0x1p27 + 1;
  const double p = a * b;
  const double a_high = a * split - (a * split - a), a_low = a - a_high;
  const double b_high = b * split - (b * split - b), b_low = b - b_high;
  return {p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// log x for finite x > 0, to about 2^-64 of its value:
//   x = 2^k m, m in [sqrt(1/2), sqrt 2);  s = (m - 1) / (m + 1),  u = s^2,
//   log x = k ln2 + 2 s (1 + w),  w = u/3 + u^2 Q(u),  from 2 atanh(s) = log m.
Pair log_pair(double x) {
  const bool subnormal = x < 0x1p-1022;
  if (subnormal) x *= 0x1p54;
  const std::uint64_t root_half = 0x3fe6a09e667f3bcd;
  const std::int64_t power = static_cast<std::int64_t>(bits_of(x) - root_half) >> 52;
  const double m = from_bits(bits_of(x) - (static_cast<std::uint64_t>(power) << 52));
  const double k = static_cast<double>(subnormal ? power - 54 : power);

  const double f = m - 1.0;
  const Pair d = sum(m, 1.0);
  const double s = f / d.high;
  const Pair back = product(s, d.high);
  const double s_low = (((f - back.high) - back.low) - s * d.low) / d.high;

  const Pair u = product(s, s);
  const double u_low = u.low + 2.0 * s * s_low;
  const double q =
      polynomial(u.high, 0.2, 0.14285714285710763, 0.1111111111292392, 0.09090908745930788,
                 0.07692338002192, 0.06665400113652134, 0.05902246395516317, 0.05387509445704503);
  constexpr Pair third{0x1.5555555555555p-2, 0x1.5555555555555p-56};
  const Pair cubic = product(u.high, third.high);
  const double cubic_low = cubic.low + (u.high * third.low + u_low * third.high);
  const Pair w = sum(cubic.high, cubic_low + u.high * u.high * q);

  const Pair sw = product(2.0 * s, w.high);
  const double sw_low = sw.low + 2.0 * (s_low * (1.0 + w.high) + s * w.low);
  const Pair log_m = sum(2.0 * s, sw.high);
  const Pair high = sum(k * 0x1.62e42fefa3p-1, log_m.high);
  return sum(high.high, high.low + (k * 0x1.3de6af278ece6p-42 + (log_m.low + sw_low)));
}

// x = r + tail + quadrant pi/2, modulo 2 pi; |r| <= pi/4.
struct Angle {
  double r, tail;
  std::uint64_t quadrant;
};

// Subtracts k pi/2 for x >= 0, with pi/2 in four parts: k < 2^21 times one of the first three parts
// is exact. From a larger x it first subtracts multiples of 2^j pi/2, j >= 2, twenty bits per
// round.
Angle reduce(double x) {
  double high = x, low = 0.0;
  for (;;) {
    const int exponent = static_cast<int>(bits_of(high) >> 52 & 2047) - 1023;
    const double unit = exponent > 20 ? power_of_two(exponent - 19 + to_integer) : 1.0;
    const double shifted = high / unit * 0x1.45f306dc9c883p-1 + to_integer;
    const double k = (shifted - to_integer) * unit;
    const Pair a = sum(high - k * 0x1.921fb544p+0, -k * 0x1.0b4611a6p-34);
    const Pair b = sum(a.high, -k * 0x1.3198a2ep-69);
    const Pair rest = sum(b.high, ((low + a.low) + b.low) - k * 0x1.b839a252049c1p-104);
    if (unit == 1.0) return {rest.high, rest.low, bits_of(shifted) & 3};
    high = rest.high;
    low = rest.low;
  }
}

// sin(r + tail) = r + (r^3 S(r^2) + tail cos r)
double sin_near_zero(double r, double tail) {
  const double u = r * r;
  const double s = polynomial(
      u, -0.16666666666666666, 0.008333333333332252, -0.00019841269839223654, 2.755731780710785e-06,
      -2.5051664676406515e-08, 1.5994903285154014e-10, -4.14852546108499e-13);
  return r + (r * u * s + tail * (1.0 - 0.5 * u));
}

// cos(r + tail) = 1 - r^2/2 + (r^4 C(r^2) - r tail), with the rounding error of 1 - r^2/2 added
double cos_near_zero(double r, double tail) {
  const double u = r * r;
  const double c =
      polynomial(u, 0.041666666666666664, -0.0013888888888886441, 2.480158729739172e-05,
                 -2.7557316594103123e-07, 2.087601187005914e-09, -1.137340904464587e-11);
  const double half = 0.5 * u;
  const double most = 1.0 - half;
  return most + (((1.0 - most) - half) + (u * u * c - r * tail));
}

// sin of a finite x >= 0 plus a number of quarter turns
double sin_moved(double x, std::uint64_t quarters) {
  const Angle a = reduce(x);
  const std::uint64_t quadrant = a.quadrant + quarters;
  const double value = quadrant & 1 ? cos_near_zero(a.r, a.tail) : sin_near_zero(a.r, a.tail);
  return quadrant & 2 ? -value : value;
}

}  // namespace

double log(double x) {
  if (x > 0.0 && x < infinity) return log_pair(x).high;
  if (x == 0.0) return -infinity;
  return x < 0.0 ? not_a_number : x;
}

double sin(double x) {
  if (!(std::fabs(x) < infinity)) return not_a_number;
  return std::copysign(1.0, x) * sin_moved(std::fabs(x), 0);
}

double cos(double x) {
  if (!(std::fabs(x) < infinity)) return not_a_number;
  return sin_moved(std::fabs(x), 1);
}

// |x| < 1: x + x E(x^2); beyond: 1 - exp(-x^2) G(t), t = 3 / (|x| + 3), since exp(x^2) erfc(x) is
// smooth in t. The rounding error of x^2 is harmless, because erfc is small there.
double erf(double x) {
  const double a = std::fabs(x);
  if (a < 1.0) {
    const double e = polynomial(
        a * a, 0.1283791670955126, -0.3761263890318411, 0.11283791670972065, -0.026866170648281413,
        0.005223977655689907, -0.0008548328735625511, 0.00012055394343881151,
        -1.4927095188906988e-05, 1.6484735568514947e-06, -1.6598395266897225e-07,
        1.630419775747715e-08, -1.7634724400828643e-09, 1.6389738573302847e-10);
    return std::copysign(a + a * e, x);
  }
  const double g =
      polynomial(3.0 / (a + 3.0), 1.491487343377734e-06, 0.18804623010555782, 0.1880361417852585,
                 0.17927113115127494, 0.14232883667496524, 0.1966686342235304, -0.1289324373099814,
                 0.5463893634190534, -0.7367345867915377, 0.82700568522593, -0.5854577412864685,
                 0.21570917368628667, -0.03233197328830684);
  return std::copysign(1.0 - exp(-a * a) * g, x);
}

// x^y = exp(y log x), with log x and the product in twice the precision.
double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x < 0.0 || x != x || y != y) return not_a_number;
  if (x == 0.0 || x == infinity) return (x == 0.0) == (y > 0.0) ? 0.0 : infinity;
  // |log x| >= 2^-54, so that a power beyond 2^70 is already 0 or infinity.
  const double power = std::fabs(y) < 0x1p70 ? y : std::copysign(0x1p70, y);
  const Pair log_x = log_pair(x);
  const Pair p = product(power, log_x.high);
  if (std::fabs(p.high) > 1000.0) return p.high > 0.0 ? infinity : 0.0;
  return exp_with_tail(p.high, p.low + power * log_x.low);
}

}  // namespace murmur::elementary

namespace murmur {

// Miller's recurrence, downwards in ratios I_{k+1} / I_k, and e^beta = I_0 + 2 (I_1 + I_2 + ...).
BesselSeries bessel_series(double beta, int count) {
  BesselSeries s{std::vector<double>(count), std::vector<double>(count)};
  double ratio = 0, tail = 0;  // tail = (I_{k+1} + I_{k+2} + ...) / I_k
  for (int k = count + static_cast<int>(40 + std::sqrt(80 * beta)); k >= 0; --k) {
    ratio = 1 / (2 * (k + 1) / beta + ratio);
    tail = ratio * (1 + tail);
    if (k < count) {
      s.a[k] = ratio;
      s.beyond[k] = tail;
    }
  }
  double a = 1 / (1 + 2 * tail);
  for (int k = 0; k < count; ++k) {
    s.beyond[k] *= a;
    a *= std::exchange(s.a[k], a);
  }
  return s;
}

}  // namespace murmur
