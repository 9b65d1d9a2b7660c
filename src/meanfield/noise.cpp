// noise.cpp: stationary laws of the noisy mean field, and where they branch off the uniform one.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "meanfield/continuum.h"
#include "meanfield/fourier.h"
#include "murmur/error.h"
#include "murmur/theory.h"

namespace murmur {

namespace {

using namespace meanfield;

// Axially symmetric laws p(x_0) on S^{d-1} by their moments q_k = int C_k(x_0) / C_k(1) dp:
//   mu ~ exp(sum_k h_k q_k C_k / C_k(1)),   h_k = (kappa / beta) lambda_k harmonics_k
// on Gauss's nodes of theta in (0, pi), with weights sin^{d-2} theta.
class StationaryLaw {
 public:
  explicit StationaryLaw(const NoisyLaw& law) : law_(law) {
    if (law.d < 2 || !(law.beta >= 0 && law.beta <= 100))
      throw Error(Fault::input, "there is no such noisy law", "d, beta",
                  "give d of 2 or more and beta from 0 to 100");
    double least = 1;
    for (int k = 1; k < 2000 && (k < 3 || least > 1e-17); ++k) {
      // lambda_k / beta times how many harmonics of degree k there are
      const double slope = law.beta > 0
                               ? std::exp(theory::log_eigenvalue(law.d, law.beta, k)) / law.beta
                               : (k == 1 ? 1.0 / law.d : 0);
      height_.push_back(slope * count(k));
      least = law.beta > 0 ? height_.back() / height_.front() : 0;
    }
    const Gauss gauss = gauss_legendre(kNodes);
    for (int i = 0; i < kNodes; ++i) {
      const double theta = 0.5 * std::numbers::pi * (1 - gauss.node[i]);
      tabulate(std::cos(theta));
      weight_.push_back(gauss.weight[i] * std::pow(std::sin(theta), law.d - 2));
    }
  }

  int modes() const { return static_cast<int>(height_.size()); }

  // From moments q_1, q_2, ... to those of exp(kappa ...); the result is in q.
  double next(double kappa, std::vector<double>& q) const {
    std::vector<double> level(kNodes), moments(modes());
    for (int i = 0; i < kNodes; ++i)
      for (int k = 0; k < modes(); ++k) level[i] += kappa * height_[k] * q[k] * function(i)[k];
    const double top = *std::max_element(level.begin(), level.end());
    double mass = 0;
    for (int i = 0; i < kNodes; ++i) {
      const double p = weight_[i] * std::exp(level[i] - top);
      mass += p;
      for (int k = 0; k < modes(); ++k) moments[k] += p * function(i)[k];
    }
    double change = 0;
    for (int k = 0; k < modes(); ++k) {
      moments[k] /= mass;
      change = std::fmax(change, std::fabs(moments[k] - q[k]));
    }
    q = moments;
    return change;
  }

  // q_k = start^k, or as they stand, until the map moves them no more; then q_1.
  double settle(double kappa, std::vector<double>& q) const {
    for (int round = 0; round < 5000; ++round) {
      const std::vector<double> before = q;
      const double change = next(kappa, q);
      if (change < 1e-11) break;
      if (round % 8 == 7) leap(kappa, before, q);
    }
    return std::fmax(q[0], 0);
  }

  std::vector<double> sharp(double start) const {
    std::vector<double> q(modes());
    for (int k = 0; k < modes(); ++k) q[k] = std::pow(start, k + 1);
    return q;
  }

 private:
  static constexpr int kNodes = 400;

  // dim of harmonics of degree k in d coordinates
  double count(int k) const {
    const double d = law_.d;
    if (law_.d == 2) return 2;
    return (2 * k + d - 2) / k *
           std::exp(std::lgamma(k + d - 2) - std::lgamma(k) - std::lgamma(d - 1));
  }

  // (modes) c_k = C_k(x) / C_k(1) of index d/2 - 1 at node i, from k = 1:
  //   (k + d - 2) c_{k+1} = (2k + d - 2) x c_k - k c_{k-1}
  void tabulate(double x) {
    double below = 1, now = x;
    for (int k = 1; k <= modes(); ++k) {
      function_.push_back(now);
      below = std::exchange(now, ((2 * k + law_.d - 2) * x * now - k * below) / (k + law_.d - 2));
    }
  }
  const double* function(int i) const {
    return function_.data() + static_cast<std::size_t>(i) * modes();
  }

  // Aitken's step on q_1 alone, taken when the map's last two moves are nearly in line: it only
  // shortens the way, the map itself decides where it ends.
  void leap(double kappa, const std::vector<double>& before, std::vector<double>& q) const {
    std::vector<double> after = q;
    next(kappa, after);
    const double first = q[0] - before[0], second = after[0] - q[0];
    const double ratio = second / first;
    if (!(ratio > 0.5 && ratio < 0.9999)) return;
    const double factor = std::fmin(ratio / (1 - ratio), 50);
    for (int k = 0; k < modes(); ++k) {
      const double leapt = after[k] + factor * (after[k] - q[k]);
      q[k] = std::clamp(leapt, 0.0, 1.0);
    }
  }

  NoisyLaw law_;
  std::vector<double> height_, weight_;
  std::vector<double> function_;  // (nodes, modes)
};

constexpr double kNoOrder = 1e-3;

// Whether a small order grows: the map's first effect on it, after the shape has settled.
bool grows(const StationaryLaw& law, double kappa) {
  std::vector<double> q = law.sharp(1e-4);
  for (int round = 0; round < 5; ++round) law.next(kappa, q);
  const double before = q[0];
  law.next(kappa, q);
  return q[0] > before;
}

template <class Holds>
double bisect(double low, double high, const Holds& holds) {  // holds(high), not holds(low)
  for (int halving = 0; halving < 40 && high - low > 1e-6 * high; ++halving) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

double stationary_order(const NoisyLaw& law, double kappa, double start) {
  if (!(kappa > 0) || !(start > 0 && start <= 1))
    throw Error(Fault::input, "there is no such start", "kappa, start",
                "give kappa above 0 and a start in (0, 1]");
  const StationaryLaw stationary(law);
  std::vector<double> q = stationary.sharp(start);
  const double order = stationary.settle(kappa, q);
  return order < 1e-6 ? 0 : order;
}

Bifurcation bifurcation(const NoisyLaw& law, const BifurcationSweep& sweep) {
  if (!(sweep.from > 0 && sweep.to > sweep.from && sweep.points >= 2))
    throw Error(Fault::input, "the sweep is empty", "kappa", "write kappa=FROM:TO:POINTS");
  const StationaryLaw stationary(law);
  Bifurcation b;
  for (int i = 0; i < sweep.points; ++i)
    b.kappa.push_back(sweep.from + (sweep.to - sweep.from) * i / (sweep.points - 1));
  // Each sweep goes on from where it is; the uniform law needs a push to be left.
  std::vector<double> q = stationary.sharp(kNoOrder);
  for (const double kappa : b.kappa) {
    if (q[0] < kNoOrder) q = stationary.sharp(kNoOrder);
    b.up.push_back(stationary.settle(kappa, q));
  }
  b.down.resize(b.kappa.size());
  for (std::size_t i = b.kappa.size(); i-- > 0;) b.down[i] = stationary.settle(b.kappa[i], q);
  const double high = sweep.to;
  if (!grows(stationary, high) || grows(stationary, sweep.from))
    throw Error(Fault::input, "the uniform law does not change its stability in this sweep",
                "kappa", "let the sweep begin below and end above beta / lambda_1");
  b.onset = bisect(sweep.from, high, [&](double kappa) { return grows(stationary, kappa); });
  std::vector<double> top = stationary.sharp(1);
  b.jump = stationary.settle(1.0001 * b.onset, top);
  const double least = 0.5 * b.jump;
  b.fold = bisect(sweep.from, 1.0001 * b.onset, [&](double kappa) {
    std::vector<double> from = top;
    return stationary.settle(kappa, from) > std::fmax(least, 0.05);
  });
  b.hysteretic = b.jump > 0.1 && b.fold < 0.999 * b.onset;
  if (!b.hysteretic) b.fold = b.onset;
  return b;
}

}  // namespace murmur
