// closed_forms.h: closed forms that only tests compare with; the others are in murmur/theory.h.
#pragma once

#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <vector>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {

// lambda_0 / (2 beta), E at the uniform law
inline double uniform_energy(int d, double beta) {
  demand(beta > 0, "the energy is divided by beta", "beta", "give beta above 0");
  return eigenvalue(d, beta, 0) / (2 * beta);
}

// (arg m_k + 2 pi j) / k, m_k = mean of e^{i k theta}: predicted angles of k clusters, in [0, 2pi).
inline std::vector<double> cluster_angles(std::span<const double> angles, int k) {
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

// Returns the beta whose clustering time is t (swarm.beta is not used). Throws Error(input) if
// there is none in [0, 700].
inline double clustering_beta(const Equiangular& swarm, double delta, double t) {
  const auto excess = [&](double beta) {
    Equiangular at = swarm;
    at.beta = beta;
    return clustering_time(at, delta) - t;
  };
  double high = 1;
  while (high < 700 && (excess(high) < 0) == (excess(0) < 0)) high = std::fmin(2 * high, 700);
  demand((excess(high) < 0) != (excess(0) < 0), "no beta clusters at this time", "t",
         "give a time between those of beta = 0 and beta = 700");
  return root(excess, 0, high);
}

struct Escape {
  double rate;
  int mode;  // m, of 1 .. k/2
};
inline Escape fastest_escape(const Polygon& polygon) {
  Escape best{escape_rate(polygon, 1), 1};
  for (int m = 2; 2 * m <= polygon.k; ++m)
    if (const double rate = escape_rate(polygon, m); rate > best.rate) best = {rate, m};
  return best;
}

// Kuramoto form (2312.10794), divided by sum_j m_j e^{beta cos(theta_i - theta_j)} for SA:
//   theta_i' = -sum_j m_j e^{beta cos(theta_i - theta_j)} sin(theta_i - theta_j)
// Without masses they are equal.
struct Angles {
  std::span<const double> theta;
  std::span<const double> mass = {};
};
inline std::vector<double> kuramoto_velocity(Law law, double beta, const Angles& angles) {
  const auto& [theta, mass] = angles;
  demand(mass.empty() || mass.size() == theta.size(), "angles and masses differ in number", "mass",
         "give one mass per angle, or none");
  std::vector<double> velocity;
  for (const double here : theta) {
    double sum = 0, total = 0;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      const double m = mass.empty() ? 1.0 / static_cast<double>(theta.size()) : mass[j];
      // Softmax does not change with e^{beta(cos - 1)}, which never overflows.
      const double half = std::sin((here - theta[j]) / 2);
      const double kernel = m * std::exp(-2 * beta * half * half);
      sum -= kernel * std::sin(here - theta[j]);
      total += kernel;
    }
    velocity.push_back(law == Law::sa ? sum / total : sum * std::exp(beta));
  }
  return velocity;
}

// sum_q m_q^2 before any merge
inline double first_level(std::span<const double> counts) {
  demand(!counts.empty(), "there are no tokens", "counts", "give at least one count");
  double total = 0, squares = 0;
  for (const double count : counts) {
    total += count;
    squares += count * count;
  }
  return squares / (total * total);
}

// tau: where e^{beta(cos x - 1)} sin x is greatest, cos tau = (-1 + sqrt(4 beta^2 + 1)) / (2 beta).
inline double kernel_peak(double beta) {
  demand(beta >= 0, "beta is negative", "beta", "give beta of at least 0");
  // 1 - cos tau = (1 + s - 2 beta)/(1 + s), s = sqrt(4 beta^2 + 1), free of cancellation.
  const double s = std::hypot(2 * beta, 1.0);
  return 2 * std::asin(std::sqrt((1 + 1 / (s + 2 * beta)) / (1 + s) / 2));
}

// Probability that n iid uniform points of S^{d-1} lie in a hemisphere, 2^{1-n} sum_{k<d} C(n-1, k)
// (Wendel, Math. Scand. 11, 1962).
inline double hemisphere_probability(int n, int d) {
  demand(n >= 1 && d >= 1, "there is no such swarm", "n, d", "give n >= 1 and d >= 1");
  // 2^{1-n} sum_{k<d} C(n - 1, k) (Wendel 1962): fewer than d heads in n - 1 throws of a coin.
  return d >= n ? 1 : boost::math::ibeta(n - d, d, 0.5);
}

// beta = 0, d = 2: r = I_1(kappa r)/I_0(kappa r)
inline double kuramoto_order(double kappa) {
  if (kappa <= 2) return 0;
  // I_1/I_0 is concave: apart from r = 0 there is one root, and between them the ratio is above r.
  const auto excess = [kappa](double r) { return bessel_ratio(0, kappa * r) - r; };
  const double low = std::sqrt((kappa - 2) / kappa) / 4;
  return root(excess, low, 1);
}

// 1, 4 rho/(1 + 3 rho), rho: gamma <,=,> 1/(1-rho)
inline double context_limit(double rho, double gamma) {
  const double critical = 1 / (1 - rho);
  if (gamma == critical) return 4 * rho / (1 + 3 * rho);
  return gamma < critical ? 1 : rho;
}

// x' = vertex - x
inline double hardmax_flow(const Towards& towards, double t) {
  return std::exp(-t) * towards.x - std::expm1(-t) * towards.vertex;
}

}  // namespace murmur::theory
