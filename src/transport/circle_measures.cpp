// circle_measures.cpp: measures on the circle as quantile functions that start in [0, 2 pi).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "murmur/error.h"
#include "murmur/transport.h"
#include "transport/quantiles.h"

namespace murmur {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// In [0, 2 pi); what is there already keeps its bits.
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

}  // namespace murmur
