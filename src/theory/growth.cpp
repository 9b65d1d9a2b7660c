// growth.cpp: growth rates of harmonics at the uniform law, and which is largest.
#include <cmath>
#include <complex>
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
    refuse_dynamics("rates are those of attention alone", "use perceptron=none");
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
  // s_{k+1} / s_k falls with k: the first k from which the next is no faster.
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

std::vector<double> cluster_angles(std::span<const double> angles, int k) {
  demand(k >= 1 && !angles.empty(), "there is nothing to predict from", "angles, k",
         "give at least one angle and k >= 1");
  std::complex<double> sum = 0;
  for (const double theta : angles) sum += std::polar(1.0, k * theta);
  const double turn = 2 * std::numbers::pi;
  const double phase = std::arg(sum) < 0 ? std::arg(sum) + turn : std::arg(sum);
  std::vector<double> result;
  for (int j = 0; j < k; ++j) result.push_back((phase + turn * j) / k);
  return result;
}

}  // namespace murmur::theory
