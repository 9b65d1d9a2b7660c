// track.cpp: clocks, interpolation in time, and columns as series.
#include "picture/track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "murmur/error.h"
#include "picture/labels.h"
#include "picture/stage.h"

namespace murmur::picture {

Timeline::Timeline(const std::vector<double>& times, bool log_time)
    : first_(times.front()), last_(times.back()) {
  const auto positive = std::find_if(times.begin(), times.end(), [](double t) { return t > 0; });
  if (!log_time || positive == times.end() || *positive >= last_) return;
  log_ = true;
  start_ = *positive;
  lead_ = start_ > first_ ? 0.04 : 0;
}

double Timeline::time(double progress) const {
  const double s = std::clamp(progress, 0.0, 1.0);
  if (s >= 1) return last_;
  if (!log_) return first_ + s * (last_ - first_);
  if (s < lead_) return first_ + s / lead_ * (start_ - first_);
  return start_ * std::pow(last_ / start_, (s - lead_) / (1 - lead_));
}

double Timeline::progress(double t) const {
  if (!(last_ > first_)) return 1;
  if (!log_) return std::clamp((t - first_) / (last_ - first_), 0.0, 1.0);
  if (t < start_) return lead_ * std::clamp((t - first_) / (start_ - first_), 0.0, 1.0);
  return std::min(1.0, lead_ + (1 - lead_) * std::log(t / start_) / std::log(last_ / start_));
}

std::vector<int> Timeline::decades() const {
  std::vector<int> powers;
  if (!log_) return powers;
  const int first = static_cast<int>(std::ceil(std::log10(start_) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(last_) + 1e-9));
  for (int power = first; power <= last; ++power) powers.push_back(power);
  return powers;
}

std::string Timeline::readout(double t) const {
  const double span = std::max(std::abs(last_), std::abs(first_));
  if (log_ || span >= 1e6 || (span > 0 && span < 1e-4)) return "t = " + time_number(t);
  if (!(span > 0)) return "t = 0";
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(span))), 0, 7);
  return fmt::format("t = {:.{}f}", t, decimals);
}

Track::Track(const RunReader& run, const Projection& projection)
    : Track(
          run.times(),
          [&run, &projection](std::int64_t index) { return projection.project(run.frame(index)); },
          projection.on_sphere()) {}

Track::Track(std::vector<double> times, Source source, bool on_sphere)
    : times_(std::move(times)), source_(std::move(source)), on_sphere_(on_sphere) {}

Track track_of_grid(const RunReader& run, const Stage& stage) {
  return Track(
      run.times(),
      [&stage](std::int64_t index) {
        return stage.projection.project(
            stage.settings.grid->frames[static_cast<std::size_t>(index)]);
      },
      stage.projection.on_sphere());
}

const std::vector<Point>& Track::stored(std::int64_t index) {
  const auto found = kept_.find(index);
  if (found != kept_.end()) return found->second;
  return kept_.emplace(index, source_(index)).first->second;
}

namespace {

struct Slope {
  float x, y, z;
};

Slope secant(const Point& a, const Point& b, double dt) {
  const float rate = static_cast<float>(1 / dt);
  return {(b.x - a.x) * rate, (b.y - a.y) * rate, (b.z - a.z) * rate};
}

float length(const Slope& s) { return std::sqrt(s.x * s.x + s.y * s.y + s.z * s.z); }

// Slope at a frame from the secants before and after it, over intervals of length h0 and h1.
Slope joint(const Slope& before, const Slope& after, double h0, double h1) {
  const float w0 = static_cast<float>(h1 / (h0 + h1)), w1 = 1 - w0;
  Slope m{w0 * before.x + w1 * after.x, w0 * before.y + w1 * after.y, w0 * before.z + w1 * after.z};
  const float bound = 3 * std::min(length(before), length(after)), size = length(m);
  const float shrink = size > bound ? bound / size : 1;
  return {m.x * shrink, m.y * shrink, m.z * shrink};
}

Point hermite(const Point& a, const Point& b, const Slope& ma, const Slope& mb, double h,
              double u) {
  const float s = static_cast<float>(u), c = 1 - s, dt = static_cast<float>(h);
  const float pa = (1 + 2 * s) * c * c, pb = s * s * (3 - 2 * s);
  const float qa = s * c * c * dt, qb = -s * s * c * dt;
  return {pa * a.x + pb * b.x + qa * ma.x + qb * mb.x, pa * a.y + pb * b.y + qa * ma.y + qb * mb.y,
          pa * a.z + pb * b.z + qa * ma.z + qb * mb.z};
}

void retract(std::vector<Point>& points) {
  for (Point& p : points) {
    const float size = std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    if (size > 0) p = {p.x / size, p.y / size, p.z / size};
  }
}

}  // namespace

std::vector<Point> Track::at(double t) {
  const std::vector<double>& times = times_;
  const auto last = static_cast<std::int64_t>(times.size()) - 1;
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  const std::int64_t k = std::clamp<std::int64_t>(after - times.begin() - 1, 0, last);
  kept_.erase(kept_.begin(), kept_.lower_bound(k - 1));
  if (k == last || t <= times[k]) return stored(k);

  const double h = times[k + 1] - times[k];
  const std::vector<Point>&a = stored(k), &b = stored(k + 1);
  const std::vector<Point>& before = k > 0 && times[k] > times[k - 1] ? stored(k - 1) : a;
  const std::vector<Point>& beyond =
      k + 2 <= last && times[k + 2] > times[k + 1] ? stored(k + 2) : b;
  std::vector<Point> points(a.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Slope middle = secant(a[i], b[i], h);
    Slope ma = middle, mb = middle;
    if (&before != &a) {
      const double h0 = times[k] - times[k - 1];
      ma = joint(secant(before[i], a[i], h0), middle, h0, h);
    }
    if (&beyond != &b) {
      const double h1 = times[k + 2] - times[k + 1];
      mb = joint(middle, secant(b[i], beyond[i], h1), h, h1);
    }
    points[i] = hermite(a[i], b[i], ma, mb, h, (t - times[k]) / h);
  }
  if (on_sphere_) retract(points);
  return points;
}

double Series::at(double time) const {
  const auto after = std::upper_bound(t.begin(), t.end(), time);
  if (after == t.begin()) return value.front();
  const auto k = static_cast<std::size_t>(after - t.begin() - 1);
  if (whole || k + 1 == t.size()) return value[k];
  const double u = (time - t[k]) / (t[k + 1] - t[k]);
  return value[k] + u * (value[k + 1] - value[k]);
}

Series read_series(const RunReader& run, const std::string& name) {
  const std::vector<std::string>& known = run.columns();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    std::string list;
    for (const std::string& column : known) list.append(list.empty() ? "" : ", ").append(column);
    throw Error(Fault::input, fmt::format("the run has no observable named \"{}\"", name),
                (run.directory() / "observables.csv").string(),
                fmt::format("choose among: {}", list.empty() ? "none, for none were kept" : list));
  }
  Series series{.t = run.times(), .value = run.column(name)};
  series.value.resize(series.t.size(), std::numeric_limits<double>::quiet_NaN());
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool whole = true;
  for (double v : series.value) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
    whole = whole && v == std::floor(v);
  }
  series.whole = whole && low <= high;
  if (low > high) low = 0, high = 1;
  const double magnitude = std::max(std::abs(low), std::abs(high));
  if (high - low <= 1e-9 * magnitude || high == low) {  // constant, but for rounding
    const double room = magnitude > 0 ? 0.5 * magnitude : 1;
    low -= room, high += room;
  }
  if (series.whole && low > 0 && low < 0.4 * high) low = 0;
  series.low = low, series.high = high;
  return series;
}

}  // namespace murmur::picture
