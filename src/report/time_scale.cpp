// time_scale.cpp: whether the pictures of a run are drawn over t or over log t.
#include <algorithm>
#include <cmath>

#include "report/figures.h"

namespace murmur {

namespace {

// Positive times in a constant ratio, the last one apart: T is always kept.
bool kept_in_log_times(const std::vector<double>& times) {
  std::vector<double> positive;
  for (const double t : times)
    if (t > 0) positive.push_back(t);
  if (positive.size() < 5) return false;
  positive.pop_back();
  const double ratio = positive[1] / positive[0];
  if (!(ratio > 1)) return false;
  for (std::size_t k = 1; k < positive.size(); ++k)
    if (std::abs(positive[k] / positive[k - 1] - ratio) > 1e-3 * ratio) return false;
  return true;
}

// The share of all that a column changes, up and down, that it changes by a time.
double share_changed(const RunReader& run, const std::string& name, double by) {
  const std::vector<std::string>& known = run.columns();
  if (std::find(known.begin(), known.end(), name) == known.end()) return 0;
  const std::vector<double>&times = run.times(), values = run.column(name);
  double early = 0, all = 0, before = std::nan("");
  for (std::size_t k = 0; k < std::min(times.size(), values.size()); ++k) {
    if (!std::isfinite(values[k])) continue;
    const double change = std::isfinite(before) ? std::abs(values[k] - before) : 0;
    all += change;
    early += times[k] <= by ? change : 0;
    before = values[k];
  }
  return all > 0 ? early / all : 0;
}

}  // namespace

bool is_in_log_time(const RunReader& run, TimeScale asked) {
  if (asked != TimeScale::chosen) return asked == TimeScale::log;
  const std::vector<double>& times = run.times();
  if (times.empty() || times.front() < 0) return false;
  if (kept_in_log_times(times)) return true;
  const double tenth = times.front() + 0.1 * (times.back() - times.front());
  const auto early =
      std::count_if(times.begin(), times.end(), [&](double t) { return t > 0 && t <= tenth; });
  return early >= 4 && std::max(share_changed(run, "energy_scaled", tenth),
                                share_changed(run, "clusters", tenth)) > 0.5;
}

}  // namespace murmur
