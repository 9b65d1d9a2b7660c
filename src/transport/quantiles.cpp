// quantiles.cpp: integrates the difference of two quantile functions, piece by piece.
#include "transport/quantiles.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "murmur/error.h"

namespace murmur::transport {

namespace {

double power(double x, int p) { return p == 2 ? x * x : std::fabs(x); }

// int |e|^p over an interval of length h on which e is linear from e0 to e1.
double stretch_cost(double e0, double e1, double h, int p) {
  if (p == 2) return h * (e0 * e0 + e0 * e1 + e1 * e1) / 3;
  if (e0 * e1 >= 0) return h * std::fabs(e0 + e1) / 2;
  return h * (e0 * e0 + e1 * e1) / (2 * std::fabs(e1 - e0));
}

// int d|e|^p/de over the same interval.
double stretch_slope(double e0, double e1, double h, int p) {
  if (p == 2) return h * (e0 + e1);
  if (e0 * e1 >= 0) return e0 + e1 > 0 ? h : e0 + e1 < 0 ? -h : 0;
  return h * (e0 + e1) / std::fabs(e1 - e0);
}

// One function traversed from left to right; `rank` is the current position minus the shift.
class Reader {
 public:
  Reader(const Quantiles& q, Shifted shifted) : q_(q), turn_(shifted.turn) {
    const double whole = std::floor(shifted.by);
    offset_ = whole - shifted.by;
    height_ = whole * turn_;
    const auto past = std::upper_bound(q.end.begin(), q.end.end(), shifted.by - whole + kSameMass);
    k_ = static_cast<std::size_t>(past - q.end.begin());
    if (k_ == q.size()) wrap();
  }

  double next() const { return q_.end[k_] + offset_; }  // rank at which this piece ends
  double at(double rank) const {
    if (q_.from[k_] == q_.to[k_]) return q_.from[k_] + height_;
    const double begin = k_ == 0 ? 0 : q_.end[k_ - 1];
    const double share = (rank - offset_ - begin) / (q_.end[k_] - begin);
    return q_.from[k_] + std::clamp(share, 0.0, 1.0) * (q_.to[k_] - q_.from[k_]) + height_;
  }
  double slope() const {
    return (q_.to[k_] - q_.from[k_]) / (q_.end[k_] - (k_ == 0 ? 0 : q_.end[k_ - 1]));
  }
  bool flat() const { return q_.from[k_] == q_.to[k_]; }
  double last() const { return q_.to[k_] + height_; }  // of this piece
  double first() const { return q_.from[k_] + height_; }
  void advance() {
    if (++k_ == q_.size()) wrap();
  }

 private:
  void wrap() {
    k_ = 0;
    offset_ += 1;
    height_ += turn_;
  }

  const Quantiles& q_;
  double turn_;
  double offset_ = 0, height_ = 0;
  std::size_t k_ = 0;
};

}  // namespace

void check_power(int p) {
  if (p != 1 && p != 2)
    throw Error(Fault::input, "distances are known for p = 1 and 2", "p = " + std::to_string(p),
                "use p = 1 or p = 2");
}

std::vector<double> ranks(std::span<const double> mass) {
  std::vector<double> end(mass.size());
  double sum = 0, lost = 0;  // Neumaier's sum
  for (std::size_t k = 0; k < mass.size(); ++k) {
    const double next = sum + mass[k];
    lost += std::fabs(sum) >= std::fabs(mass[k]) ? (sum - next) + mass[k] : (mass[k] - next) + sum;
    sum = next;
    end[k] = sum + lost;
  }
  const double total = end.back();
  for (double& e : end) e /= total;
  return end;
}

Quantiles sorted_atoms(std::span<const double> place, std::span<const double> mass) {
  const std::size_t n = place.size();
  Quantiles q;
  q.from.resize(n);
  if (mass.empty()) {
    q.from.assign(place.begin(), place.end());
    std::sort(q.from.begin(), q.from.end());
    q.end.resize(n);
    for (std::size_t k = 0; k < n; ++k)
      q.end[k] = static_cast<double>(k + 1) / static_cast<double>(n);
  } else {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return place[i] != place[j] ? place[i] < place[j] : i < j;
    });
    std::vector<double> sorted(n);
    for (std::size_t k = 0; k < n; ++k) {
      q.from[k] = place[order[k]];
      sorted[k] = mass[order[k]];
    }
    q.end = ranks(sorted);
  }
  q.to = q.from;
  return q;
}

// As a grows by da, g jumps from g- to g+ on an interval of length da before each of its jumps:
//   C' = sum over jumps of |f - g+|^p - |f - g-|^p  -  int d|e|^p/de g' ds,   e = f - g.
CostAt cost_at(const Quantiles& f, const Quantiles& g, Shifted shifted, int p) {
  Reader left(f, {}), right(g, shifted);
  CostAt at;
  double s = 0;
  while (true) {
    const double f_end = left.next(), g_end = right.next();
    const double to = std::min({f_end, g_end, 1.0});
    const double h = to - s;
    if (h > 0) {
      const double e0 = left.at(s) - right.at(s), e1 = left.at(to) - right.at(to);
      at.cost += left.flat() && right.flat() ? h * power(e0, p) : stretch_cost(e0, e1, h, p);
      if (!right.flat()) at.slope -= right.slope() * stretch_slope(e0, e1, h, p);
    }
    s = to;
    const bool done = s >= 1 - kSameMass;
    if (g_end <= s + kSameMass) {
      const double here = left.at(s), before = right.last();
      right.advance();
      at.slope += power(here - right.first(), p) - power(here - before, p);
    }
    if (done) return at;
    if (f_end <= s + kSameMass) left.advance();
  }
}

}  // namespace murmur::transport
