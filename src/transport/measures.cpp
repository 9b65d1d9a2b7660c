// measures.cpp: ground costs between particles, and the cost between two quantile functions.
#include "transport/measures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/parallel.h"
#include "murmur/error.h"

namespace murmur::transport {

namespace {

void check_swarm(const HostSwarm& x, Ground ground) {
  if (x.n() < 1)
    throw Error(Fault::input, "a swarm without particles is no measure", "n = 0",
                "give at least one particle");
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
    if (!std::isfinite(square))
      throw Error(Fault::input, "a coordinate is not finite", "particle " + std::to_string(i),
                  "measure an earlier frame");
    if (ground == Ground::arc && square == 0)
      throw Error(Fault::input, "a particle at 0 has no direction", "particle " + std::to_string(i),
                  "measure chords instead");
  }
}

double norm(const HostSwarm& x, int i) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
  return std::sqrt(square);
}

double chord(const HostSwarm& x, int i, const HostSwarm& y, int j) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    const double apart = x.at(i, k) - y.at(j, k);
    square += apart * apart;
  }
  return std::sqrt(square);
}

// 2 atan(|u - v| / |u + v|), u and v the directions: exact near 0 and near pi.
double arc(const HostSwarm& x, int i, const HostSwarm& y, int j) {
  const double a = norm(x, i), b = norm(y, j);
  double apart = 0, together = 0;
  for (int k = 0; k < x.d(); ++k) {
    const double u = x.at(i, k) / a, v = y.at(j, k) / b;
    apart += (u - v) * (u - v);
    together += (u + v) * (u + v);
  }
  return 2 * std::atan2(std::sqrt(apart), std::sqrt(together));
}

}  // namespace

void check_pair(const HostSwarm& x, const HostSwarm& y, Ground ground) {
  check_swarm(x, ground);
  check_swarm(y, ground);
  if (x.d() != y.d())
    throw Error(Fault::input, "the swarms live in different dimensions",
                "d = " + std::to_string(x.d()) + " and " + std::to_string(y.d()),
                "compare swarms of the same d");
}

Costs costs_of(const HostSwarm& x, const HostSwarm& y, const CostRequest& request) {
  check_pair(x, y, request.ground);
  constexpr int kRows = 16;  // a block
  Costs costs{x.n(), y.n(), std::vector<double>(static_cast<std::size_t>(x.n()) * y.n())};
  for_blocks((x.n() + kRows - 1) / kRows, request.threads, [&](int block) {
    for (int i = block * kRows; i < std::min(x.n(), (block + 1) * kRows); ++i)
      for (int j = 0; j < y.n(); ++j) {
        const double far = request.ground == Ground::arc ? arc(x, i, y, j) : chord(x, i, y, j);
        costs.at[static_cast<std::size_t>(i) * y.n() + j] = request.p == 2 ? far * far : far;
      }
  });
  return costs;
}

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
