// stationary.cpp: follows the branch of ordered stationary laws of noisy attention by their order.
#include "theory/stationary.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "murmur/error.h"
#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {
namespace {

constexpr int kNodes = 400;

// Returns the dimension of the space of harmonics of degree k in d coordinates
double harmonics_of(int d, int k) {
  if (d == 2) return 2;
  return (2.0 * k + d - 2) / k *
         std::exp(std::lgamma(k + d - 2.0) - std::lgamma(k) - std::lgamma(d - 1.0));
}

// Weight of Fejer's first rule at cos phi_i, phi_i = (i + 1/2) pi / kNodes.
double fejer_weight(double phi) {
  double sum = 0;
  for (int j = 1; j <= kNodes / 2; ++j) sum += std::cos(2 * j * phi) / (4.0 * j * j - 1);
  return 2.0 / kNodes * (1 - 2 * sum);
}

// kappa is nearly a straight line in y = r^2 / (1 - r), at both ends of the branch.
double line_of(double r) { return r * r / (1 - r); }
double order_of(double y) { return 2 * y / (y + std::sqrt(y * (y + 4))); }

constexpr double kLongest = 1e6;     // y beyond which the law is a Gaussian in a small cap
constexpr double kLeastDip = 1e-10;  // relative distance of kappa below the onset; less is rounding

}  // namespace

StationaryBranch::StationaryBranch(int d, double beta) : d_(d), beta_(beta) {
  demand(d >= 2 && beta >= 0 && beta <= 100, "there is no such noisy law", "d, beta",
         "give d of 2 or more and beta from 0 to 100");
  // beta -> 0: only x_0 r of W * mu / beta is left
  if (beta == 0) height_ = {1};
  for (int k = 1; beta > 0 && k < 2000; ++k) {
    height_.push_back(std::exp(log_eigenvalue(d, beta, k)) / beta * harmonics_of(d, k));
    if (k > 2 && height_[k - 1] < 1e-17 * height_[0]) break;
  }
  modes_ = static_cast<int>(height_.size());
  // theta = (pi / 2)(1 - cos phi) makes the nodes dense where the law is sharp
  for (int i = 0; i < kNodes; ++i) {
    const double phi = (i + 0.5) * std::numbers::pi / kNodes;
    const double theta = 0.5 * std::numbers::pi * (1 - std::cos(phi));
    place_.push_back(std::cos(theta));
    log_weight_.push_back(std::log(fejer_weight(phi)) + (d - 2) * std::log(std::sin(theta)));
    append_polynomials(place_[i]);
  }
  // kappa = onset (1 + c r^2 + ...)
  onset_ = (4 * kappa(1e-3) - kappa(2e-3)) / 3;
  find_fold();
}

// (modes) c_k = C_k(x) / C_k(1) of index d/2 - 1 from k = 1, appended:
//   (k + d - 2) c_{k+1} = (2k + d - 2) x c_k - k c_{k-1}
void StationaryBranch::append_polynomials(double x) {
  double below = 1, now = x;
  for (int k = 1; k <= modes_; ++k) {
    wave_.push_back(now);
    below = std::exchange(now, ((2 * k + d_ - 2) * x * now - k * below) / (k + d_ - 2));
  }
}

// p ~ weight e^{kappa level}, scaled to the maximum 1.
void StationaryBranch::compute_density(const std::vector<double>& level, double kappa,
                                       std::vector<double>& p) const {
  p.resize(kNodes);
  for (int i = 0; i < kNodes; ++i) p[i] = log_weight_[i] + kappa * level[i];
  const double top = *std::max_element(p.begin(), p.end());
  for (double& value : p) value = std::exp(value - top);
}

// kappa with int x_0 dp = r, p ~ e^{kappa level}: the left side increases with kappa, as the level
// does with x_0. Newton's method, bisection where a step leaves the bracket.
double StationaryBranch::find_kappa(const std::vector<double>& level, double r,
                                    double guess) const {
  std::vector<double> p;
  double low = 0, high = HUGE_VAL, kappa = guess;
  for (int round = 0; round < 200; ++round) {
    compute_density(level, kappa, p);
    double mass = 0, mean = 0, height = 0, product = 0;
    for (int i = 0; i < kNodes; ++i) {
      mass += p[i];
      mean += p[i] * place_[i];
      height += p[i] * (level[i] - level[0]);
      product += p[i] * place_[i] * (level[i] - level[0]);
    }
    mean /= mass;
    const double slope = product / mass - mean * height / mass;
    (mean < r ? low : high) = kappa;
    double next = kappa + (r - mean) / slope;
    if (!(next > low && next < high)) next = std::isinf(high) ? 2 * kappa : 0.5 * (low + high);
    if (std::fabs(next - kappa) <= 1e-15 * kappa || next == low || next == high) return next;
    kappa = next;
  }
  return kappa;
}

// q_k = int c_k dp, p ~ e^{kappa level}.
void StationaryBranch::compute_modes(const std::vector<double>& level, double kappa,
                                     std::vector<double>& q) const {
  std::vector<double> p;
  compute_density(level, kappa, p);
  double mass = 0;
  q.assign(modes_, 0);
  for (int i = 0; i < kNodes; ++i) {
    const double* wave = wave_.data() + static_cast<std::size_t>(i) * modes_;
    mass += p[i];
    for (int k = 0; k < modes_; ++k) q[k] += p[i] * wave[k];
  }
  for (double& moment : q) moment /= mass;
}

//   level = sum_k height_k q_k c_k,   q_k = int c_k dp,   p ~ e^{kappa level}
// by fixed-point iteration from the von Mises-Fisher law of order r, with kappa chosen in every
// iteration such that the order stays r. Unlike the iteration at a given kappa, this does not slow
// down near the onset or the fold.
StationaryBranch::Law StationaryBranch::law(double r) const {
  demand(r > 0 && r < 1, "the order parameter is out of range", "order",
         "give one between 0 and 1");
  std::vector<double> level = place_, q, before(modes_);
  double kappa = find_kappa(level, r, d_ * r);
  compute_modes(level, kappa, q);
  for (int round = 0; round < 20'000; ++round) {
    for (int i = 0; i < kNodes; ++i) {
      const double* wave = wave_.data() + static_cast<std::size_t>(i) * modes_;
      level[i] = 0;
      for (int k = 0; k < modes_; ++k) level[i] += height_[k] * q[k] * wave[k];
    }
    kappa = find_kappa(level, r, round == 0 ? 1 : kappa);
    std::swap(before, q);
    compute_modes(level, kappa, q);
    const double min = 1e-12 * std::fabs(level.front());  // next to the pole
    bool still = true;
    for (int k = 0; k < modes_ && still; ++k) {
      const double change = std::fabs(q[k] - before[k]);
      still = height_[k] * change <= min || change <= 1e-15;
    }
    if (still) return {kappa, std::move(level), std::move(q)};
  }
  throw Error(Fault::numerical, "the stationary law does not settle", "beta, order",
              "lower beta, or ask for another order");
}

// The order in (low, high) at a kappa between theirs, by TOMS 748 in y.
double StationaryBranch::order_between(double wanted, double low, double high) const {
  const double a = line_of(low), b = line_of(high);
  const auto excess = [&](double y) {
    const double at = kappa(order_of(y)) - wanted;
    return std::fabs(at) <= 1e-13 * wanted ? 0 : at;  // its rounding
  };
  const double at_a = (low > 0 ? kappa(low) : onset_) - wanted, at_b = excess(b);
  if ((at_a > 0) == (at_b > 0) || at_a == 0)  // next to the fold, or to the onset
    return std::fabs(at_a) < std::fabs(at_b) ? low : high;
  const auto close = [](double x, double y) { return std::fabs(y - x) <= 1e-13 * std::fabs(y); };
  std::uintmax_t rounds = 200;
  const auto [left, right] =
      boost::math::tools::toms748_solve(excess, a, b, at_a, at_b, close, rounds);
  return order_of(0.5 * (left + right));
}

// The least kappa over doubled y, then by Brent's method.
void StationaryBranch::find_fold() {
  fold_ = onset_;
  constexpr double first = 1e-4;
  double min = onset_, best = 0;
  for (double y = first; y < 1e4; y *= 2) {
    const double here = kappa(order_of(y));
    if (here > 2 * min) break;
    if (here < min) min = here, best = y;
  }
  if (!(min < (1 - kLeastDip) * onset_)) return;
  constexpr int bits = 22;  // of ln y: at a minimum kappa changes by the square of that
  const auto at = [&](double z) { return kappa(order_of(std::exp(z))); };
  const auto [z, lowest] =
      boost::math::tools::brent_find_minima(at, std::log(best / 2), std::log(best * 2), bits);
  fold_order_ = order_of(std::exp(z));
  fold_ = lowest;
}

//   int log(density) dmu / kappa = int level dmu - log Z / kappa,   Z = int e^{kappa level} dsigma,
//   (1 / 2 beta) int int W dmu dmu = int level dmu / 2 + lambda_0 / (2 beta)
double StationaryBranch::free_energy(double r) const {
  const Law at = law(r);
  double energy = 0;  // int level dmu = sum_k height_k q_k^2
  for (int k = 0; k < modes_; ++k) energy += height_[k] * at.q[k] * at.q[k];
  const double top = *std::max_element(at.level.begin(), at.level.end());
  double sum = 0, all = 0;
  for (int i = 0; i < kNodes; ++i) {
    sum += std::exp(log_weight_[i] + at.kappa * (at.level[i] - top));
    all += std::exp(log_weight_[i]);
  }
  return top + std::log(sum / all) / at.kappa - energy / 2;
}

double StationaryBranch::transition() const {
  if (!(fold_ < onset_)) return onset_;
  const auto excess = [this](double y) { return free_energy(order_of(y)); };
  const double low = line_of(fold_order_), high = line_of(order(onset_));
  const auto close = [](double x, double y) { return std::fabs(y - x) <= 1e-12 * std::fabs(y); };
  std::uintmax_t rounds = 100;
  const auto [left, right] = boost::math::tools::toms748_solve(excess, low, high, close, rounds);
  return kappa(order_of(0.5 * (left + right)));
}

double StationaryBranch::order(double wanted) const {
  demand(wanted > 0 && std::isfinite(wanted), "there is no such noise", "kappa",
         "give kappa above 0");
  if (wanted <= fold_) return 0;
  double high = std::fmax(1, 2 * line_of(fold_order_));
  while (high < kLongest && kappa(order_of(high)) < wanted) high *= 4;
  // kappa e^{beta cos theta} / beta ~ const - kappa e^beta theta^2 / 2
  if (high >= kLongest) return 1 - (d_ - 1) / (2 * wanted * std::exp(beta_));
  return order_between(wanted, fold_order_, order_of(high));
}

double StationaryBranch::order_from(double wanted, double start) const {
  demand(start > 0 && start <= 1, "the order parameter is out of range", "start",
         "give one in (0, 1]");
  const bool both = wanted > fold_ && wanted < onset_;
  if (both && start < fold_order_ && start < order_between(wanted, 0, fold_order_)) return 0;
  return order(wanted);
}

double stationary_order(double kappa, double beta, double start) {
  return StationaryBranch(2, beta).order_from(kappa, start);
}

}  // namespace murmur::theory
