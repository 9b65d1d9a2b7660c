// series.cpp: numbers over time: plateaus, crossings, growth rates, distances from a reference.
#include <algorithm>
#include <cmath>
#include <string>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "observe/visit_pairs.h"

namespace murmur {

namespace {

void check(const Series& series) {
  if (series.t.size() != series.value.size())
    throw Error(Fault::input, "a series needs a time for each value",
                std::to_string(series.t.size()) + " times, " + std::to_string(series.value.size()) +
                    " values",
                "give as many of one as of the other");
  for (std::size_t k = 1; k < series.t.size(); ++k)
    if (!(series.t[k] > series.t[k - 1]))
      throw Error(Fault::input, "the times of a series must ascend", "entry " + std::to_string(k),
                  "sort the series by time");
}

Series finite_part(const Series& series, bool positive_times) {
  check(series);
  Series kept;
  for (std::size_t k = 0; k < series.t.size(); ++k) {
    if (!std::isfinite(series.value[k]) || (positive_times && !(series.t[k] > 0))) continue;
    kept.t.push_back(series.t[k]);
    kept.value.push_back(series.value[k]);
  }
  return kept;
}

struct Stretch {
  std::size_t first, last;  // points
};

// Mean over tau by trapezoids.
double level_of(const std::vector<double>& tau, const std::vector<double>& v, Stretch s) {
  if (s.first == s.last) return v[s.first];
  double area = 0;
  for (std::size_t k = s.first; k < s.last; ++k)
    area += (tau[k + 1] - tau[k]) * (v[k] + v[k + 1]) / 2;
  return area / (tau[s.last] - tau[s.first]);
}

std::optional<double> crossing_between(const Series& s, double level, Stretch within) {
  for (std::size_t k = within.first; k < within.last; ++k) {
    const double a = s.value[k] - level, b = s.value[k + 1] - level;
    if (a == 0) return s.t[k];
    if (a * b <= 0) return s.t[k] + (s.t[k + 1] - s.t[k]) * a / (a - b);
  }
  return {};
}

}  // namespace

std::vector<Plateau> plateaus(const Series& series, const PlateauRule& rule) {
  if (!(rule.slope > 0) || !(rule.length >= 0))
    throw Error(
        Fault::input, "a plateau needs a slope above 0 and a length of 0 or more",
        "slope = " + std::to_string(rule.slope) + ", length = " + std::to_string(rule.length),
        "give such numbers, for example slope=0.1 length=0.03");
  const Series s = finite_part(series, rule.log_time);
  if (s.t.size() < 2) return {};
  std::vector<double> tau = s.t;
  if (rule.log_time)
    std::transform(tau.begin(), tau.end(), tau.begin(), [](double t) { return std::log(t); });
  const auto [low, high] = std::minmax_element(s.value.begin(), s.value.end());
  const double range = *high - *low, span = tau.back() - tau.front();
  const auto flat = [&](std::size_t k) {
    return range == 0 || std::abs(s.value[k + 1] - s.value[k]) / range <
                             rule.slope * (tau[k + 1] - tau[k]) / span;
  };

  std::vector<Stretch> found;
  for (std::size_t k = 0; k + 1 < tau.size(); ++k) {
    if (!flat(k)) continue;
    Stretch stretch{k, k + 1};
    while (stretch.last + 1 < tau.size() && flat(stretch.last)) ++stretch.last;
    k = stretch.last;
    if (tau[stretch.last] - tau[stretch.first] < rule.length * span) continue;
    if (!found.empty() && std::abs(level_of(tau, s.value, found.back()) -
                                   level_of(tau, s.value, stretch)) <= rule.slope / 10 * range)
      found.back().last = stretch.last;
    else
      found.push_back(stretch);
  }
  std::vector<Plateau> result;
  for (std::size_t p = 0; p < found.size(); ++p) {
    Plateau plateau{s.t[found[p].first], s.t[found[p].last], level_of(tau, s.value, found[p])};
    if (p > 0)
      plateau.rise = crossing_between(s, (result.back().level + plateau.level) / 2,
                                      {found[p - 1].last, found[p].first});
    result.push_back(plateau);
  }
  return result;
}

std::optional<double> crossing_time(const Series& series, double level) {
  const Series s = finite_part(series, false);
  if (s.t.empty()) return {};
  if (s.t.size() == 1) return s.value[0] == level ? std::optional(s.t[0]) : std::nullopt;
  return crossing_between(s, level, {0, s.t.size() - 1});
}

// With y = ln |value| over N points, tbar and ybar their means:
//   rate = sum (t - tbar)(y - ybar) / sum (t - tbar)^2,
//   error^2 = sum residual^2 / ((N - 2) sum (t - tbar)^2)
Growth growth_rate(const Series& series, Window window) {
  const Series s = finite_part(series, false);
  const auto inside = [&](std::size_t k) {
    return std::abs(s.value[k]) > window.low && std::abs(s.value[k]) < window.high;
  };
  std::size_t first = 0, points = 0;
  for (std::size_t k = 0, run = 0; k < s.t.size(); ++k) {
    run = inside(k) ? run + 1 : 0;
    if (run > points) {
      points = run;
      first = k + 1 - run;
    }
  }
  if (points < 3)
    throw Error(Fault::input, "too few points lie in the window to fit a rate",
                std::to_string(points) + " between " + std::to_string(window.low) + " and " +
                    std::to_string(window.high),
                "widen the window, or keep more frames");
  const double count = static_cast<double>(points);
  double mean_t = 0, mean_y = 0;
  std::vector<double> y;
  for (std::size_t k = 0; k < points; ++k) {
    y.push_back(std::log(std::abs(s.value[first + k])));
    mean_t += s.t[first + k] / count;
    mean_y += y[k] / count;
  }
  double tt = 0, ty = 0, rest = 0;
  for (std::size_t k = 0; k < points; ++k) {
    const double dt = s.t[first + k] - mean_t;
    tt += dt * dt;
    ty += dt * (y[k] - mean_y);
  }
  for (std::size_t k = 0; k < points; ++k) {
    const double residual = y[k] - mean_y - ty / tt * (s.t[first + k] - mean_t);
    rest += residual * residual;
  }
  return {ty / tt, std::sqrt(rest / (count - 2) / tt), s.t[first], s.t[first + points - 1],
          static_cast<int>(points)};
}

Series distance_from(const History& history, const HostSwarm& reference) {
  Series distance;
  for (std::int64_t f = 0; f < history.count; ++f) {
    const HostSwarm x = history.frame(f);
    if (x.shape() != reference.shape())
      throw Error(Fault::input, "the reference has another shape than the frames",
                  "frame " + std::to_string(f), "give n and d as the frames have them");
    double square = 0;
    for (int k = 0; k < x.d(); ++k) {
      for (int i = 0; i < x.n(); ++i) {
        const double gap = x.axis(k)[i] - reference.axis(k)[i];
        square += x.mass[i] * gap * gap;
      }
    }
    distance.t.push_back(history.time(f));
    distance.value.push_back(std::sqrt(square));
  }
  return distance;
}

NearClustering near_clustering(const History& history, const NearClusteringRequest& request,
                               const ObserveSettings& settings) {
  if (!(request.delta > 0 && request.delta <= 2) || !(request.share > 0 && request.share <= 1))
    throw Error(
        Fault::input, "near clustering needs 0 < delta <= 2 and a share in (0, 1]",
        "delta = " + std::to_string(request.delta) + ", share = " + std::to_string(request.share),
        "give such numbers, for example delta=1e-3 share=0.5");
  const PairRequest asked{.directions = true,
                          .threshold = 1 - request.delta,
                          .sample = sample_of(settings),
                          .threads = settings.threads};
  NearClustering found;
  double t_before = 0, min_before = 0, close_before = 0;
  for (std::int64_t f = 0; f < history.count && !(found.all && found.part); ++f) {
    const PairSums now = pair_sums(history.frame(f), asked);
    const double t = history.time(f);
    const auto passed = [&](double before, double after, double level) {
      return f == 0 || after == before
                 ? t
                 : t_before + (t - t_before) * (level - before) / (after - before);
    };
    if (!found.all && now.min > asked.threshold)
      found.all = passed(min_before, now.min, asked.threshold);
    if (!found.part && now.close >= request.share)
      found.part = passed(close_before, now.close, request.share);
    t_before = t;
    min_before = now.min;
    close_before = now.close;
  }
  return found;
}

}  // namespace murmur
