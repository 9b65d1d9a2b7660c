// many_heads.cpp: closed forms of E e^{beta <x, S y>} and its gradient for four laws of S.
//
// <x, S y> of unit vectors with cosine c is
//   gaussian  normal of variance 1/d;                goe  normal of variance (1 + c^2) / d;
//   product   s/beta times a sum of d products u v of independent standard normal numbers;
//   psd       the same sum with u, v of correlation c,
// and E e^{s u v} = ((1 - s c)^2 - s^2)^{-1/2}. Of vectors of any length, 1 becomes |x|^2 |y|^2 and
// c stays <x, y>; its gradient in x, over beta, is what `gradient` asks for.
#include "core/many_heads.h"

#include "core/elementary.h"

namespace murmur {

double mean_kernel(const ManyHeads& heads, int d, double c) {
  const double beta = heads.beta, s = beta / d;
  switch (heads.law) {
    case ManyHeads::gaussian:
      return elementary::exp(beta * s / 2);
    case ManyHeads::product:
      return elementary::pow(1 - s * s, -0.5 * d);
    case ManyHeads::goe:
      return elementary::exp(beta * s / 2 * (1 + c * c));
    case ManyHeads::psd:
      return elementary::pow((1 - s * c) * (1 - s * c) - s * s, -0.5 * d);
  }
  return 0;
}

namespace {

//   gaussian: k = e^{beta^2 |x|^2 |y|^2 / 2d}            grad / beta = s k x
//   product:  k = (1 - s^2 |x|^2 |y|^2)^{-d/2}           grad / beta = s k x / (1 - s^2)
//   goe:      k = e^{beta^2 (|x|^2 |y|^2 + c^2) / 2d}    grad / beta = s k (x + c y)
//   psd:      k = D^{-d/2}, D = (1 - s c)^2 - s^2 |x|^2 |y|^2
//                                                        grad / beta = k ((1 - s c) y + s x) / D
Pull gradient_at(const ManyHeads& heads, int d, double c) {
  const double s = heads.beta / d, k = mean_kernel(heads, d, c);
  switch (heads.law) {
    case ManyHeads::gaussian:
      return {0, s * k};
    case ManyHeads::product:
      return {0, s * k / (1 - s * s)};
    case ManyHeads::goe:
      return {s * k * c, s * k};
    case ManyHeads::psd: {
      const double over = k / ((1 - s * c) * (1 - s * c) - s * s);
      return {over * (1 - s * c), over * s};
    }
  }
  return {};
}

}  // namespace

namespace {

//   dk/dc and dk/dbeta
struct KernelSlope {
  double in_cosine = 0, in_beta = 0;
};
KernelSlope kernel_slope(const ManyHeads& heads, int d, double c) {
  const double beta = heads.beta, s = beta / d, k = mean_kernel(heads, d, c);
  switch (heads.law) {
    case ManyHeads::gaussian:
      return {0, s * k};
    case ManyHeads::product:
      return {0, s * k / (1 - s * s)};
    case ManyHeads::goe:
      return {beta * s * c * k, s * (1 + c * c) * k};
    case ManyHeads::psd: {
      const double over = k / ((1 - s * c) * (1 - s * c) - s * s);
      return {beta * (1 - s * c) * over, (c * (1 - s * c) + s) * over};
    }
  }
  return {};
}

}  // namespace

// Of `gradient`, each line is that of gradient_at differentiated.
PullSlope pull_slope(const ManyHeads& heads, int d, double c) {
  const double s = heads.beta / d, k = mean_kernel(heads, d, c);
  const KernelSlope slope = kernel_slope(heads, d, c);
  if (!heads.gradient) return {{k, 0}, {slope.in_cosine, 0}, {slope.in_beta, 0}};
  PullSlope all{.pull = gradient_at(heads, d, c)};
  switch (heads.law) {
    case ManyHeads::gaussian:
      all.in_beta = {0, k / d + s * slope.in_beta};
      break;
    case ManyHeads::product: {
      const double rest = 1 - s * s;
      all.in_beta = {0, (1 + s * s) / (rest * rest) * k / d + s / rest * slope.in_beta};
      break;
    }
    case ManyHeads::goe:
      all.in_cosine = {s * (slope.in_cosine * c + k), s * slope.in_cosine};
      all.in_beta = {(k / d + s * slope.in_beta) * c, k / d + s * slope.in_beta};
      break;
    case ManyHeads::psd: {
      const double rest = 1 - s * c, D = rest * rest - s * s, over = k / D;
      const double over_c = (slope.in_cosine + 2 * s * rest * over) / D;
      const double over_beta = (slope.in_beta + 2 * (c * rest + s) * over / d) / D;
      all.in_cosine = {over_c * rest - over * s, over_c * s};
      all.in_beta = {over_beta * rest - over * c / d, over_beta * s + over / d};
      break;
    }
  }
  return all;
}

Pull pull_at(const ManyHeads& heads, int d, double c) {
  Pull pull{mean_kernel(heads, d, c), 0};
  if (heads.gradient) pull = gradient_at(heads, d, c);
  return {heads.value * pull.to_other, heads.value * pull.to_self};
}

}  // namespace murmur
