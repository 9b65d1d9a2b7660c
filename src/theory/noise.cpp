// noise.cpp: when noise keeps a swarm uniform, and how ordered it stands otherwise.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "murmur/error.h"
#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {
namespace {

// p(theta) ~ exp(sum_k c_k q_k cos k theta), q_k = int cos(k theta) dp, c_k = 2 kappa
// I_k(beta)/beta: the Fourier form of p ~ exp((kappa/beta) W * p).
class Stationary {
 public:
  Stationary(double kappa, double beta) {
    c_.push_back(0);
    // beta -> 0: W * p = 1 + beta q_1 cos theta, so that c_1 = kappa
    if (beta == 0) c_.push_back(kappa);
    for (int k = 1; beta > 0; ++k) {
      c_.push_back(2 * kappa * std::exp(log_bessel(k, beta)) / beta);
      if (c_[k] < 1e-18 * c_[1]) break;
    }
    // A peak is no narrower than (kappa e^beta)^{-1/2}; the trapezium rule is spectral beyond that.
    const double peak = std::sqrt(kappa * std::exp(beta));
    demand(peak < 1e5, "the density is too sharp for a grid", "kappa, beta", "lower either");
    points_ = 4 * static_cast<int>(std::ceil(std::fmax(64, 4 * peak)));
    for (int i = 0; i <= points_ / 2; ++i)  // p is even: half the circle does
      cos_.push_back(std::cos(2 * std::numbers::pi * i / points_));
  }

  int modes() const { return static_cast<int>(c_.size()); }

  std::vector<double> next(const std::vector<double>& q) const {
    std::vector<double> height(cos_.size());
    for (std::size_t i = 0; i < cos_.size(); ++i) {
      double before = 1, now = cos_[i];  // cos k theta by recurrence
      for (int k = 1; k < modes(); ++k) {
        height[i] += c_[k] * q[k] * now;
        before = std::exchange(now, 2 * cos_[i] * now - before);
      }
    }
    const double top = *std::max_element(height.begin(), height.end());
    std::vector<double> moments(q.size());
    for (std::size_t i = 0; i < cos_.size(); ++i) {
      const double ends = i == 0 || i + 1 == cos_.size() ? 0.5 : 1;
      const double p = ends * std::exp(height[i] - top);
      double before = 1, now = cos_[i];
      moments[0] += p;
      for (int k = 1; k < modes(); ++k) {
        moments[k] += p * now;
        before = std::exchange(now, 2 * cos_[i] * now - before);
      }
    }
    for (int k = modes() - 1; k >= 0; --k) moments[k] /= moments[0];
    return moments;
  }

 private:
  std::vector<double> c_, cos_;
  int points_ = 0;
};

}  // namespace

double noise_threshold(int d, double beta, int k) {
  if (beta == 0 && k == 1) return d;  // lambda_1 / beta -> 1/d
  return std::exp(std::log(beta) - log_eigenvalue(d, beta, k));
}

double continuous_until(int d) {
  demand(d >= 2, "there is no sphere of so few coordinates", "d", "give d of at least 2");
  return root([d](double beta) { return bessel_ratio(d / 2.0, beta) - 1.0 / d; }, 0, 8);
}

double kuramoto_order(double kappa) {
  if (kappa <= 2) return 0;
  // I_1/I_0 is concave: r = 0 and one more root, below which the ratio is above r.
  const auto excess = [kappa](double r) { return bessel_ratio(0, kappa * r) - r; };
  const double low = std::sqrt((kappa - 2) / kappa) / 4;
  return root(excess, low, 1);
}

double stationary_order(double kappa, double beta, double start) {
  demand(kappa > 0 && beta >= 0, "there is no such noise", "kappa, beta",
         "give kappa > 0 and beta >= 0");
  demand(start > 0 && start <= 1, "an order parameter is off", "start", "give one in (0, 1]");
  const Stationary law(kappa, beta);
  std::vector<double> q(static_cast<std::size_t>(law.modes()));
  for (int k = 0; k < law.modes(); ++k) q[k] = std::pow(start, k);
  for (int round = 0; round < 200'000; ++round) {
    std::vector<double> next = law.next(q);
    double change = 0;
    for (int k = 0; k < law.modes(); ++k) change = std::fmax(change, std::fabs(next[k] - q[k]));
    q = std::move(next);
    if (change < 1e-14) return q[1];
  }
  throw Error(Fault::numerical, "the stationary density does not settle", "kappa, beta",
              "move kappa away from its threshold");
}

}  // namespace murmur::theory
