// circle.cpp: measures on the circle, and the exact distance between two of them.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "murmur/error.h"
#include "murmur/transport.h"
#include "transport/measures.h"

namespace murmur {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// Returns an angle in [0, 2 pi); one that is already there keeps its bits.
double one_turn(double angle) {
  if (angle >= 0 && angle < kTurn) return angle;
  const double rest = angle - kTurn * std::floor(angle / kTurn);
  return rest >= 0 && rest < kTurn ? rest : 0;
}

[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

std::vector<double> turned(std::span<const double> angles) {
  if (angles.empty()) refuse("a measure needs an atom", "no angles", "give at least one angle");
  std::vector<double> places;
  places.reserve(angles.size());
  for (const double angle : angles) {
    if (!std::isfinite(angle))
      refuse("an angle is not finite", "angle " + std::to_string(places.size()),
             "leave it out, or measure an earlier frame");
    places.push_back(one_turn(angle));
  }
  return places;
}

void check_masses(std::span<const double> masses, std::size_t n) {
  if (!masses.empty() && masses.size() != n)
    refuse("there must be a mass for each angle", std::to_string(masses.size()) + " masses",
           "give " + std::to_string(n) + ", or none for equal ones");
  for (const double mass : masses)
    if (!(mass > 0) || !std::isfinite(mass))
      refuse("a mass is not a positive number", std::to_string(mass), "give positive masses");
}

}  // namespace

CircleMeasure circle_atoms(std::span<const double> angles, std::span<const double> masses) {
  check_masses(masses, angles.size());
  const transport::Quantiles q = transport::sorted_atoms(turned(angles), masses);
  CircleMeasure measure;
  measure.pieces.reserve(q.size());
  const double equal = 1 / static_cast<double>(q.size());
  for (std::size_t k = 0; k < q.size(); ++k)
    measure.pieces.push_back(
        {masses.empty() ? equal : q.end[k] - (k == 0 ? 0 : q.end[k - 1]), q.from[k], q.to[k]});
  return measure;
}

CircleMeasure circle_atoms(const HostSwarm& x) {
  if (x.d() != 2)
    refuse("only a swarm with two coordinates lies on a circle", "d = " + std::to_string(x.d()),
           "use assignment_distance, entropic_distance or sliced_distance");
  std::vector<double> angles(static_cast<std::size_t>(x.n()));
  bool equal = true;
  for (int i = 0; i < x.n(); ++i) {
    angles[i] = std::atan2(x.at(i, 1), x.at(i, 0));
    equal = equal && x.mass[i] == x.mass[0];
  }
  return equal ? circle_atoms(angles) : circle_atoms(angles, x.mass);
}

CircleMeasure circle_uniform() { return {{{1, 0, kTurn}}}; }

CircleMeasure circle_between(std::span<const double> angles) {
  std::vector<double> places = turned(angles);
  std::sort(places.begin(), places.end());
  places.push_back(places.front() + kTurn);
  CircleMeasure measure;
  for (std::size_t k = 0; k + 1 < places.size(); ++k)
    measure.pieces.push_back({1 / static_cast<double>(angles.size()), places[k], places[k + 1]});
  return measure;
}

CircleMeasure circle_quantiles(const std::function<double(double)>& quantile, int pieces) {
  if (pieces < 1) refuse("a quantile function needs a piece", "pieces", "give at least 1");
  CircleMeasure measure;
  const double first = quantile(0), start = one_turn(first);
  double from = start;
  for (int k = 1; k <= pieces; ++k) {
    const double to = quantile(static_cast<double>(k) / pieces) - first + start;
    if (!(to >= from))
      refuse("a quantile function does not fall",
             "rank " + std::to_string(k) + " of " + std::to_string(pieces),
             "give angles that ascend with the rank");
    measure.pieces.push_back({1.0 / pieces, from, to});
    from = to;
  }
  if (!(std::fabs(from - start - kTurn) <= 1e-9))
    refuse("a quantile function climbs by one turn", "it climbs by " + std::to_string(from - start),
           "let it end 2 pi above its start");
  return measure;
}

namespace {

using transport::CostAt;
using transport::Quantiles;

Quantiles quantiles_of(const CircleMeasure& measure) {
  if (measure.pieces.empty())
    throw Error(Fault::input, "a measure needs a piece", "measure on the circle",
                "make it with circle_atoms, circle_uniform or circle_quantiles");
  Quantiles q;
  std::vector<double> mass;
  for (const CirclePiece& piece : measure.pieces) {
    mass.push_back(piece.mass);
    q.from.push_back(piece.from);
    q.to.push_back(piece.to);
  }
  q.end = transport::ranks(mass);
  return q;
}

bool atoms_of_equal_masses(const CircleMeasure& measure) {
  return std::all_of(measure.pieces.begin(), measure.pieces.end(), [&](const CirclePiece& piece) {
    return piece.from == piece.to && piece.mass == measure.pieces.front().mass;
  });
}

double root(double cost, int p) { return p == 2 ? std::sqrt(std::max(cost, 0.0)) : cost; }

//   n C(k / n) = sum_i |x_i - y_{i+k}|^p,   y_{i+n} = y_i + 2 pi
// Convex in k, so the minimum is found by bisection on the sign of C((k + 1) / n) - C(k / n).
CircleDistance shifted_atoms(const CircleMeasure& a, const CircleMeasure& b, int p) {
  const auto n = static_cast<std::int64_t>(a.pieces.size());
  const auto cost = [&](std::int64_t k) {
    std::int64_t j = ((k % n) + n) % n;
    double turns = kTurn * static_cast<double>((k - j) / n), sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double apart = a.pieces[i].from - (b.pieces[j].from + turns);
      sum += p == 2 ? apart * apart : std::fabs(apart);
      if (++j == n) {
        j = 0;
        turns += kTurn;
      }
    }
    return sum / static_cast<double>(n);
  };
  std::int64_t low = -n, high = n;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (cost(middle) <= cost(middle + 1))
      high = middle;
    else
      low = middle + 1;
  }
  const double distance = root(cost(low), p);
  return {distance, distance, static_cast<double>(low) / static_cast<double>(n)};
}

// Returns the shift nearest to `a` at which an end of g coincides with an end of f, where C has a
// kink.
double nearest_corner(const Quantiles& f, const Quantiles& g, double a) {
  double best = a, min = 2;
  const double whole = std::floor(a), rest = a - whole;
  std::size_t l = 0;
  double turn = 0;
  for (const double end : f.end) {
    const double aim = end + rest;
    while (g.end[l] + turn < aim && turn < 3)
      if (++l == g.size()) {
        l = 0;
        turn += 1;
      }
    const double above = g.end[l] + turn;
    const double below = l > 0 ? g.end[l - 1] + turn : turn;
    for (const double corner : {above, below})
      if (std::fabs(corner - aim) < min) {
        min = std::fabs(corner - aim);
        best = corner - end + whole;
      }
  }
  return best;
}

struct Best {
  double cost, shift;
};

// Minimises a convex function between a shift where it decreases and one where it increases: the
// tangents there intersect below it, and the next shift is their intersection, or the midpoint.
class Bracket {
 public:
  Bracket(const Quantiles& f, const Quantiles& g, int p) : f_(f), g_(g), p_(p) {
    low_ = cost(-2);
    high_ = cost(2);
    best_ = low_.cost < high_.cost ? Best{low_.cost, -2} : Best{high_.cost, 2};
    try_shift(0);
  }

  CircleDistance close() {
    constexpr double kClose = 2e-15;  // of the cost: 1e-15 of the distance
    for (int turn = 0; turn < 120 && b_ - a_ > 1e-15; ++turn) {
      const double crossing = tangent_crossing();
      const double gap = best_.cost - bound(crossing);
      if (gap <= kClose * best_.cost) break;
      const bool inside = crossing > a_ && crossing < b_;
      try_shift(turn % 3 < 2 && inside ? crossing : a_ + (b_ - a_) / 2);
    }
    const double floor = std::min(bound(tangent_crossing()), best_.cost);
    const double corner = nearest_corner(f_, g_, best_.shift);
    const double there = cost(corner).cost;
    if (there <= best_.cost) best_ = {there, corner};
    return {root(best_.cost, p_), std::min(root(floor, p_), root(best_.cost, p_)), best_.shift};
  }

 private:
  CostAt cost(double shift) const { return transport::cost_at(f_, g_, {shift, kTurn}, p_); }

  void try_shift(double shift) {
    const CostAt at = cost(shift);
    if (at.cost < best_.cost) best_ = {at.cost, shift};
    if (at.slope < 0) {
      a_ = shift;
      low_ = at;
    } else {
      b_ = shift;
      high_ = at;
    }
  }

  double tangent_crossing() const {
    const double steeper = high_.slope - low_.slope;
    if (!(steeper > 0)) return a_;
    return a_ + (low_.cost - high_.cost + high_.slope * (b_ - a_)) / steeper;
  }
  double bound(double crossing) const { return low_.cost + low_.slope * (crossing - a_); }

  const Quantiles& f_;
  const Quantiles& g_;
  int p_;
  double a_ = -2, b_ = 2;
  CostAt low_{}, high_{};
  Best best_{};
};

}  // namespace

CircleDistance circle_distance(const CircleMeasure& a, const CircleMeasure& b, int p) {
  transport::check_power(p);
  if (a.pieces.size() == b.pieces.size() && !a.pieces.empty() && atoms_of_equal_masses(a) &&
      atoms_of_equal_masses(b))
    return shifted_atoms(a, b, p);
  const Quantiles f = quantiles_of(a), g = quantiles_of(b);
  return Bracket(f, g, p).close();
}

double circle_w1(const CircleMeasure& a, const CircleMeasure& b) {
  return circle_distance(a, b, 1).distance;
}

double circle_w2(const CircleMeasure& a, const CircleMeasure& b) {
  return circle_distance(a, b, 2).distance;
}

}  // namespace murmur
