// phases.cpp: reads a course: the linear phase and its rates, the plateau, the last clustering.
#include <algorithm>
#include <cmath>

#include "meanfield/continuum.h"
#include "murmur/error.h"
#include "murmur/history.h"
#include "murmur/meanfield.h"

namespace murmur {

namespace {

constexpr double kLinear = 0.1;

int leader_of(const MeanFieldReading& r) {
  return static_cast<int>(std::max_element(r.amplitude.begin() + 1, r.amplitude.end()) -
                          r.amplitude.begin());
}

std::optional<ModeGrowth> fit(const Series& series, Window window, int k) {
  try {
    const Growth g = growth_rate(series, window);
    return ModeGrowth{k, g.rate, g.error, g.from, g.to};
  } catch (const Error&) {
    return std::nullopt;  // too few steps to tell a slope
  }
}

// ln a_k is a straight line while products of others stay below a ten-thousandth of a_k.
std::optional<ModeGrowth> growth_of(const std::vector<MeanFieldReading>& steps, int k) {
  if (steps.front().amplitude[k] < 1e-13) return std::nullopt;
  // On the sphere a degree meets itself in its own square, on the circle only in its cube.
  const double own = steps.front().mean.size() == 2 ? 0.01 : 0.001;
  Series series;
  for (const MeanFieldReading& r : steps) {
    const int leader = leader_of(r);
    double product = 0;
    for (int j = 1; j <= kModesRead; ++j)
      if (j != k) product = std::fmax(product, r.amplitude[j]);
    const double most = r.amplitude[leader];
    if (product * most > 1e-4 * r.amplitude[k] || most > own) break;
    series.t.push_back(r.t);
    series.value.push_back(r.amplitude[k]);
  }
  return fit(series, {.low = 1e-14, .high = 1}, k);
}

// The longest stretch of ln t in which the energy rises by less than a twentieth of all its rise,
// for each factor e of time; at least half a unit of ln t long.
void find_plateau(const std::vector<MeanFieldReading>& steps, MeanFieldPhases& phases) {
  Series energy;
  for (const MeanFieldReading& r : steps)
    if (r.t >= phases.linear_until && r.t > 0) {
      energy.t.push_back(r.t);
      energy.value.push_back(r.energy);
    }
  if (energy.t.size() < 3) return;
  double longest = 0.5;
  for (const Plateau& p : plateaus(energy, {.log_time = true, .slope = 0.05})) {
    // ln t makes the first steps long, whatever they do
    if (p.start <= energy.t.front() || std::log(p.end / p.start) <= longest) continue;
    longest = std::log(p.end / p.start);
    phases.metastable = {p.start, p.end};
    phases.plateau = p.level;
  }
}

}  // namespace

MeanFieldPhases phases_of(const MeanFieldCourse& course) {
  const auto& steps = course.steps;
  MeanFieldPhases phases;
  const auto ends = std::find_if(steps.begin(), steps.end(), [](const MeanFieldReading& r) {
    const int k = leader_of(r);
    const int d = static_cast<int>(r.mean.size());
    return 0.5 * meanfield::harmonics(d, k) * r.amplitude[k] >= kLinear;
  });
  const auto last = ends == steps.end() ? ends - 1 : ends;
  phases.linear_until = last->t;
  phases.leader = leader_of(*last);
  for (int k = 1; k <= kModesRead; ++k)
    if (const auto growth = growth_of(steps, k)) phases.growth.push_back(*growth);
  if (ends == steps.end()) return phases;
  find_plateau(steps, phases);
  Series apart;
  for (const MeanFieldReading& r : steps) {
    apart.t.push_back(r.t);
    apart.value.push_back(1 - r.order);
  }
  phases.clustering = fit(apart, {.low = 1e-10, .high = 0.1}, 1);
  return phases;
}

}  // namespace murmur
