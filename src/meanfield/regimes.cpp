// regimes.cpp: regimes of a trajectory (linear growth, plateau, clustering), and bifurcation
// diagrams of the noisy mean field.
#include <algorithm>
#include <cmath>
#include <functional>

#include "meanfield/continuum.h"
#include "meanfield/harmonics.h"
#include "murmur/error.h"
#include "murmur/meanfield.h"
#include "murmur/observe.h"
#include "murmur/stop.h"
#include "theory/stationary.h"

namespace murmur {

namespace {

constexpr double kLinear = 0.1;
constexpr double kMixed = 5e-4;     // largest share of a rate that other degrees may have
constexpr double kOnePoint = 0.99;  // order from which a measure counts as one point
constexpr double kNoWave = 1e-13, kRounding = 1e-14;  // amplitudes

int leader_of(const MeanFieldReading& r) {
  return static_cast<int>(std::max_element(r.amplitude.begin() + 1, r.amplitude.end()) -
                          r.amplitude.begin());
}

// Returns nothing for fewer than three steps.
std::optional<ModeGrowth> fit(const Series& series, int k) {
  if (series.t.size() < 3) return std::nullopt;
  const Growth g = growth_rate(series, {.low = 0, .high = HUGE_VAL});
  return ModeGrowth{k, g.rate, g.error, g.from, g.to};
}

// Bounds the contribution of products of two and three waves to degree k between two steps,
// relative to its change. A single wave of degree j changes by a_j' = rate_j a_j; its product with
// wave i changes degree k by, on the circle and for USA,
//   (k / j) a_j' a_i,   k = |i - j| or i + j,
// and on the sphere by (1/2) (1 + (k(k+1) - i(i+1)) / j(j+1)) (2i+1) w a_j' a_i, where the w, the
// squares of 3j-symbols, sum to 1 over the min(i, k) + 1 degrees j that have one: assumed equal.
// SA adds products of the same size.
double mixed_share(const MeanFieldReading& before, const MeanFieldReading& after, int k) {
  const auto& a = after.amplitude;
  const auto changed = [&](int j) { return std::fabs(a[j] - before.amplitude[j]); };
  const bool circle = after.mean.size() == 2;
  double mixed = 0, most = 0;
  for (int j = 1; j <= kModesRead; ++j) {
    most = std::fmax(most, meanfield::harmonics(circle ? 2 : 3, j) * a[j]);
    double partners = 0;
    if (circle)
      partners = k * ((j == k ? 0 : a[std::abs(k - j)]) + (k + j <= kModesRead ? a[k + j] : 0)) / j;
    for (int i = std::max(1, std::abs(k - j)); !circle && i <= std::min(k + j, kModesRead); ++i)
      if ((i + j + k) % 2 == 0)
        partners += 0.5 * std::fabs(1 + (k * (k + 1.0) - i * (i + 1.0)) / (j * (j + 1.0))) *
                    (2 * i + 1) / (std::min(i, k) + 1) * a[i];
    mixed += changed(j) * partners;
  }
  return mixed / changed(k) + most * most;
}

// The same for zonal laws beyond d = 3, y_k = sqrt(h_k) a_k: to y_k' a product adds
//   (1/2) (1 + (K_k - K_i) / K_j) int p_i p_j p_k dsigma  y_j' y_i,   K_k = k(k+d-2)
class ZonalProducts {
 public:
  explicit ZonalProducts(int d) : d_(d) {
    const meanfield::Gauss gauss = meanfield::gauss_zonal(d, 3 * kModesRead / 2 + 1);
    std::vector<std::vector<double>> p;
    for (const double s : gauss.node) p.push_back(meanfield::zonal_values(d, kModesRead, s));
    for (int k = 0; k <= kModesRead; ++k) root_.push_back(std::sqrt(meanfield::harmonics(d, k)));
    for (int k = 0; k <= kModesRead; ++k)
      for (int j = 0; j <= kModesRead; ++j)
        for (int i = 0; i <= kModesRead; ++i) {
          double sum = 0;
          for (std::size_t g = 0; g < p.size(); ++g)
            sum += gauss.weight[g] * p[g][i] * p[g][j] * p[g][k];
          product_.push_back(i + j >= k && j + k >= i && i + k >= j ? std::fabs(sum) : 0);
        }
  }

  double share(const MeanFieldReading& before, const MeanFieldReading& after, int k) const {
    const auto changed = [&](int j) {
      return root_[j] * std::fabs(after.amplitude[j] - before.amplitude[j]);
    };
    const auto level = [this](int j) { return j * (j + d_ - 2.0); };
    double mixed = 0, most = 0;
    for (int j = 1; j <= kModesRead; ++j) {
      most = std::fmax(most, root_[j] * after.amplitude[j]);
      const double* row = &product_[((kModesRead + 1) * k + j) * (kModesRead + 1)];
      for (int i = 1; i <= kModesRead; ++i)
        mixed += 0.5 * std::fabs(1 + (level(k) - level(i)) / level(j)) * row[i] * changed(j) *
                 root_[i] * after.amplitude[i];
    }
    return mixed / changed(k) + most * most;
  }

 private:
  int d_;
  std::vector<double> root_;     // (degrees) sqrt(h_k)
  std::vector<double> product_;  // (degrees, degrees, degrees)
};

using Share = std::function<double(const MeanFieldReading&, const MeanFieldReading&, int)>;

Share share_of(int d) {
  if (d <= 3) return mixed_share;
  return
      [products = ZonalProducts(d)](const MeanFieldReading& before, const MeanFieldReading& after,
                                    int k) { return products.share(before, after, k); };
}

// ln a_k is linear in t while other degrees are negligible in its rate.
std::optional<ModeGrowth> growth_of(const std::vector<MeanFieldReading>& steps, int k,
                                    const Share& mixed) {
  if (steps.front().amplitude[k] < kNoWave) return std::nullopt;
  Series series{{steps.front().t}, {steps.front().amplitude[k]}};
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const double before = steps[i - 1].amplitude[k], now = steps[i].amplitude[k];
    // Over a step of z = rate h the error of Dormand-Prince in e^z is z^6 / 3600; the controller
    // ignores it for a wave below the tolerance. It is below 3e-4 of the rate while z is below 1.
    const bool coarse = !(std::fabs(std::log(now / before)) < 1);
    if (now < kRounding || coarse || !(mixed(steps[i - 1], steps[i], k) < kMixed)) break;
    series.t.push_back(steps[i].t);
    series.value.push_back(now);
  }
  const auto growth = fit(series, k);
  return growth && growth->error < kMixed * std::fabs(growth->rate) ? growth : std::nullopt;
}

// The longest interval of ln t in which the energy rises, per unit of ln t, at less than a
// twentieth of its mean rate after the linear regime; longer than half a unit of ln t.
void find_plateau(const std::vector<MeanFieldReading>& steps, MeanFieldRegimes& regimes) {
  Series energy;
  for (const MeanFieldReading& r : steps)
    if (r.t > 0 && r.order < kOnePoint && (!regimes.linear || r.t >= *regimes.linear->until)) {
      energy.t.push_back(r.t);
      energy.value.push_back(r.energy);
    }
  if (energy.t.size() < 3) return;
  double longest = 0.5;
  for (const Plateau& p : plateaus(energy, {.log_time = true, .slope = 0.05})) {
    // in ln t the first steps are long, so a plateau that begins there means nothing
    if (p.start <= energy.t.front() || std::log(p.end / p.start) <= longest) continue;
    longest = std::log(p.end / p.start);
    regimes.metastable = {p.start, p.end};
    regimes.plateau = p.level;
  }
}

bool is_small(const MeanFieldReading& r) {
  const int k = leader_of(r), d = static_cast<int>(r.mean.size());
  return 0.5 * meanfield::harmonics(d, k) * r.amplitude[k] < kLinear;
}

// On the circle the mass near the antipode of a cluster decays like e^{-t}, while the cluster
// itself contracts twice as fast. After the last particle has left the antipode, the slope of the
// particles differs from that of the measure.
std::optional<ModeGrowth> clustering_of(const MeanFieldTrajectory& trajectory) {
  const double low = std::fmax(1e-10, 10 * trajectory.grain);
  Series apart;
  for (const MeanFieldReading& r : trajectory.steps) {
    const double rest = 1 - r.order;
    if (rest <= low) break;
    if (rest >= 0.1) {
      apart = {};
      continue;
    }
    apart.t.push_back(r.t);
    apart.value.push_back(rest);
  }
  return fit(apart, 1);
}

}  // namespace

MeanFieldRegimes regimes_of(const MeanFieldTrajectory& trajectory) {
  const auto& steps = trajectory.steps;
  MeanFieldRegimes regimes;
  const auto ends = std::find_if_not(steps.begin(), steps.end(), is_small);
  const MeanFieldReading& last = ends == steps.end() ? steps.back() : *ends;
  if (ends != steps.begin() && last.amplitude[leader_of(last)] >= kNoWave)
    regimes.linear = LinearRegime{.leader = leader_of(last)};
  if (regimes.linear && ends != steps.end()) regimes.linear->until = last.t;
  const Share mixed = share_of(static_cast<int>(steps.front().mean.size()));
  for (int k = 1; k <= kModesRead; ++k)
    if (const auto growth = growth_of(steps, k, mixed)) regimes.growth.push_back(*growth);
  if (ends == steps.end()) return regimes;
  find_plateau(steps, regimes);
  regimes.clustering = clustering_of(trajectory);
  return regimes;
}

double stationary_order(const NoisyLaw& law, double kappa, double start) {
  return theory::StationaryBranch(law.d, law.beta).order_from(kappa, start);
}

Bifurcation bifurcation(const NoisyLaw& law, const BifurcationSweep& sweep) {
  if (!(sweep.from > 0 && sweep.to > sweep.from && sweep.points >= 2))
    throw Error(Fault::input, "the sweep is empty", "kappa", "write kappa=FROM:TO:POINTS");
  const theory::StationaryBranch branch(law.d, law.beta);
  if (!(sweep.from < branch.onset() && branch.onset() < sweep.to))
    throw Error(Fault::input, "the uniform law does not change its stability in this sweep",
                "kappa", "begin the sweep below and end it above beta / lambda_1");
  Bifurcation b;
  b.onset = branch.onset();
  b.fold = branch.fold();
  b.transition = branch.transition();
  b.hysteretic = b.fold < b.onset;
  b.jump = branch.order(b.onset);
  // With increasing kappa the uniform law is left where it becomes unstable; with decreasing kappa
  // the ordered law is left where it ceases to exist.
  for (int i = 0; i < sweep.points; ++i) {
    stop_point();
    const double kappa = sweep.from + (sweep.to - sweep.from) * i / (sweep.points - 1);
    b.kappa.push_back(kappa);
    b.down.push_back(branch.order(kappa));
    b.up.push_back(kappa > b.onset ? b.down.back() : 0);
  }
  return b;
}

}  // namespace murmur
