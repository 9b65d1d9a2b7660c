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

Pull pull_at(const ManyHeads& heads, int d, double c) {
  Pull pull{mean_kernel(heads, d, c), 0};
  if (heads.gradient) pull = gradient_at(heads, d, c);
  return {heads.value * pull.to_other, heads.value * pull.to_self};
}

}  // namespace murmur
