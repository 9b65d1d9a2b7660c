// growth.cpp: linear stability of the uniform law: growth rates, causal waves, thresholds of noise.
#include <cmath>
#include <numbers>

#include "core/plain_forces.h"
#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {

namespace {

double laplace(int d, int k) { return static_cast<double>(k) * (k + d - 2); }  // -Lap Y = this Y

}  // namespace

Growth growth_of(const Dynamics& dynamics, int d) {
  const PlainForces forces = mean_field_forces(dynamics);
  if (forces.perceptron)
    refuse_dynamics("rates are those of attention only", "use perceptron=none");
  const bool softmax = forces.head.weighting == Attention::softmax;
  return {.law = softmax ? Law::sa : Law::usa,
          .d = d,
          .beta = forces.head.beta,
          .clock = dynamics.clock,
          .noise = dynamics.noise,
          .descent = forces.repulsive};
}

double growth_rate(const Growth& growth, int k) {
  demand(k >= 1, "a mode that grows has a positive degree", "k", "give k of at least 1");
  demand(growth.clock != Clock::u4, "arc length has no growth rates", "clock",
         "choose u1, u2 or u3");
  demand(growth.law == Law::usa || growth.clock == Clock::u1, "SA has one clock", "clock",
         "choose u1");
  const auto [law, d, beta, clock, noise, descent] = growth;
  const double level = laplace(d, k);
  double drift = k == 1 ? level / d : 0;  // beta -> 0: lambda_1 / beta -> 1/d
  if (beta > 0) {
    double log_scale = law == Law::sa ? -log_eigenvalue(d, beta, 0) : 0;
    if (kernel_of(clock).over_max) log_scale = -beta;
    if (kernel_of(clock).times_beta) log_scale = std::log(beta);
    drift = level * std::exp(log_eigenvalue(d, beta, k) - std::log(beta) + log_scale);
  } else if (kernel_of(clock).times_beta) {
    drift = 0;
  }
  return (descent ? -drift : drift) - level * noise;
}

int fastest_mode(int d, double beta) {
  demand(d >= 2 && beta >= 0, "there is no such swarm", "d, beta", "give d >= 2 and beta >= 0");
  // s_{k+1} / s_k decreases with k: this returns the first k whose successor is no faster.
  int k = 1;
  while (laplace(d, k + 1) * bessel_ratio(k + d / 2.0 - 1, beta) > laplace(d, k)) ++k;
  return k;
}

double switch_point(int d, int k) {
  demand(d >= 2 && k >= 1, "there is no such switch", "d, k", "give d >= 2 and k >= 1");
  const double ratio = laplace(d, k) / laplace(d, k + 1);
  const auto excess = [&](double beta) { return bessel_ratio(k + d / 2.0 - 1, beta) - ratio; };
  double high = 1;
  while (excess(high) < 0) high *= 2;
  return root(excess, 0, high);
}

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

double noise_threshold(int d, double beta, int k) {
  if (beta == 0 && k == 1) return d;  // lambda_1 / beta -> 1/d
  return std::exp(std::log(beta) - log_eigenvalue(d, beta, k));
}

double continuous_until(int d) {
  demand(d >= 2, "there is no sphere of so few coordinates", "d", "give d of at least 2");
  return root([d](double beta) { return bessel_ratio(d / 2.0, beta) - 1.0 / d; }, 0, 8);
}

}  // namespace murmur::theory
