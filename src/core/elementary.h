// elementary.h: exp, log, sin, cos, tanh, erf and pow with the same bits on every compiler.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

// Only + - * / in double, comparisons and bit operations, so IEEE 754 fixes every bit of the
// results. Files that include this header must be compiled with -ffp-contract=off, also for wasm: a
// fused multiply-add rounds once where the source rounds twice, and clang folds constants fused
// even for a machine without the instruction. The polynomials are minimax fits (Remez, 50 digits,
// leading coefficients rounded first). Errors are the largest measured against 64-bit-mantissa
// functions, in units of the last place (ulp); tests/unit/elementary_test.cpp checks these bounds.
namespace murmur::elementary {

// Uses memcpy because the standard library of the wasm compiler lacks std::bit_cast.
inline std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline double from_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// c_0 + x (c_1 + x (c_2 + ...))
inline double polynomial(double, double c) { return c; }
template <class... Rest>
inline double polynomial(double x, double c, Rest... rest) {
  return c + x * polynomial(x, rest...);
}

// For |v| < 2^51, v + to_integer is v rounded to nearest, kept in the low bits of the mantissa.
inline constexpr double to_integer = 0x1.8p52;

// 2^k for |k| <= 1022, where shifted = k + to_integer.
inline double power_of_two(double shifted) { return from_bits((bits_of(shifted) + 1023) << 52); }

// exp(x + tail) for |tail| <= 2^-40:
//   x = k L + h exactly, L = ln2 to 42 bits;  c = k (ln2 - L) - tail;  r = h - c, |r| <= ln2/2;
//   exp(x + tail) = 2^k (1 + h + (r^2 P(r) - c)).
// 1 + h is kept with its rounding error. 2^k is two factors, so that the result overflows to
// infinity and underflows gradually. There are no branches, so that compilers can vectorise a loop
// over it.
inline double exp_with_tail(double x, double tail) {
  x = x < -746.0 ? -746.0 : x;
  x = x > 710.0 ? 710.0 : x;
  const double k = (x * 0x1.71547652b82fep+0 + to_integer) - to_integer;
  const double h = x - k * 0x1.62e42fefa3p-1;  // 42 bits times 11: exact
  const double c = k * 0x1.3de6af278ece6p-42 - tail;
  const double r = h - c;
  const double r2 = r * r;
  const double even =
      polynomial(r2, 0.5, 0.041666666666666664, 0.0013888888888899623, 2.480158723606757e-05,
                 2.7557426088695977e-07, 2.084055456543504e-09);
  const double odd = polynomial(r2, 0.1666666666666667, 0.00833333333332597, 0.00019841269874447157,
                                2.7557256986009576e-06, 2.510425358652143e-08);
  const double sum = 1.0 + h;
  const double lost = (1.0 - sum) + h;
  const double y = sum + (lost + (r2 * (even + r * odd) - c));
  const double half = k * 0.5 + to_integer;
  const double rest = (k - (half - to_integer)) + to_integer;
  return y * power_of_two(half) * power_of_two(rest);
}

// Error at most 0.8 ulp, subnormal results included. exp(-inf) = 0; infinity above 709.78.
inline double exp(double x) { return exp_with_tail(x, 0.0); }

// |x| < 0.55: x + x^3 R(x^2); beyond: 1 - 2 / (exp(2|x|) + 1). Odd. Error at most 1.5 ulp.
inline double tanh(double x) {
  const double a = std::fabs(x);
  if (a < 0.55) {
    const double u = a * a;
    const double r = polynomial(
        u, -0.3333333333333333, 0.1333333333333196, -0.05396825396656721, 0.021869488455352266,
        -0.0088632335424633, 0.0035920994606931703, -0.0014555773132894276, 0.0005885324381176736,
        -0.0002334731777723223, 8.326680428965632e-05, -1.935805075418731e-05);
    return std::copysign(a + a * (u * r), x);
  }
  return std::copysign(1.0 - 2.0 / (exp(2.0 * a) + 1.0), x);
}

// Error at most 0.51 ulp for every positive x. log(0) = -inf; a negative x gives NaN.
double log(double x);

// Error at most 0.82 ulp for |x| <= 2^21. Beyond, the absolute error is below
// 2^-53 + |x| 2^-126, and the result stays in [-1, 1]. An infinite x gives NaN.
double sin(double x);
double cos(double x);

// Odd. Error at most 1.7 ulp.
double erf(double x);

// x^y for x >= 0, NaN for x < 0. Error at most 1.2 ulp, 0.8 for |y| <= 5.
// pow(x, 0) = pow(1, y) = 1; pow(0, y) is 0 for y > 0, infinity for y < 0.
double pow(double x, double y);

}  // namespace murmur::elementary

namespace murmur {

//   e^{beta (cos t - 1)} = a_0 + 2 sum_k a_k cos k t,   a_k = e^{-beta} I_k(beta),   beta >= 0
struct BesselSeries {
  std::vector<double> a;       // (count)
  std::vector<double> beyond;  // (count): a_{k+1} + a_{k+2} + ...
};
BesselSeries bessel_series(double beta, int count);

}  // namespace murmur
