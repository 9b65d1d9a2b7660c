// causal.cpp: waves over the uniform law under causal attention of infinitely many tokens.
#include <cmath>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {
namespace {

// s_k t without noise. Hardy's operator (1/s) int_0^s has the eigenfunctions s^p; in y = -ln s it
// is a convolution with e^{-y}, whose n-th power is y^{n-1} e^{-y} / (n-1)!, so that its
// exponential has the kernel psi_c(y) e^{-y}. Volterra's int_0^s has psi_c(s - r) likewise.
double exponent(Growth growth, int k, double t) {
  demand(!growth.descent, "these are waves that grow", "value", "use value=identity");
  demand(t >= 0 && std::isfinite(t), "there is no such time", "t", "give t of 0 or more");
  growth.noise = 0;
  return growth_rate(growth, k) * t;
}

double bessel_zero(double x) { return std::exp(log_bessel(0, x)); }

}  // namespace

double causal_amplitude(const Growth& growth, int k, const CausalWave& wave) {
  const auto [share, s, t] = wave;
  demand(share > 0 && share <= 1 && s >= 0 && s <= 1, "there is no such label", "share, s",
         "give both from 0 to 1");
  const double c = exponent(growth, k, t);
  const double decay = std::exp(-growth.noise * k * (k + growth.d - 2.0) * t);
  const bool divided = growth.law == Law::sa;
  if (s <= share) return decay * (divided ? std::exp(c) : bessel_zero(2 * std::sqrt(c * s)));
  const auto psi = [c](double y) { return retrieval_series(c, y); };
  if (!divided) return decay * quadrature(psi, s - share, s);
  // e^{-y} psi_c(y) is about e^{-(sqrt y - sqrt c)^2 + c}
  const double from = std::log(s / share), past = std::sqrt(std::fmax(from, c)) + 7;
  return decay * quadrature([&](double y) { return std::exp(-y) * psi(y); }, from, past * past);
}

double causal_variance(const Growth& growth, int k, double t) {
  demand(growth.noise == 0, "noise adds to the spread", "noise", "use noise=0");
  const double c = exponent(growth, k, t);
  if (growth.law == Law::sa) return std::exp(2 * c + log_bessel(0, 2 * c));
  return quadrature([c](double y) { return std::pow(bessel_zero(2 * std::sqrt(c * y)), 2); }, 0, 1);
}

}  // namespace murmur::theory
