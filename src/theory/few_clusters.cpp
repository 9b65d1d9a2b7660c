// few_clusters.cpp: lifetimes of two clusters, polygons of clusters, and the order of their
// mergers.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {

namespace {

void check_pair(const TwoClusters& pair) {
  demand(pair.mass > 0 && pair.mass < 1, "the mass is out of range", "mass",
         "give one between 0 and 1");
  demand(pair.beta >= 0, "beta is negative", "beta", "give beta of at least 0");
}

double one_minus_cos(double x) { return 2 * std::sin(x / 2) * std::sin(x / 2); }

}  // namespace

double angle_velocity(const TwoClusters& pair, double theta) {
  check_pair(pair);
  if (pair.law == Law::usa) return -std::sin(theta) * std::exp(pair.beta * std::cos(theta));
  const double m1 = pair.mass, m2 = 1 - m1, c = std::exp(-pair.beta * one_minus_cos(theta));
  return -std::sin(theta) * (m2 * c / (m1 + m2 * c) + m1 * c / (m2 + m1 * c));
}

double lifetime(const TwoClusters& pair, double from, double to) {
  check_pair(pair);
  demand(0 < to && to <= from && from < std::numbers::pi, "the angles are not in order", "from, to",
         "give 0 < to <= from < pi");
  // In v = ln tan(theta/2), dv = dtheta / sin theta: smooth at both ends of (0, pi).
  const auto slowness = [&](double v) {
    const double theta = 2 * std::atan(std::exp(v));
    return -std::sin(theta) / angle_velocity(pair, theta);
  };
  return quadrature(slowness, std::log(std::tan(to / 2)), std::log(std::tan(from / 2)));
}

double asymptotic_lifetime(const TwoClusters& pair, double from) {
  check_pair(pair);
  const double m1 = pair.mass, m2 = 1 - m1, width = pair.beta * std::pow(std::sin(from), 2);
  if (pair.law == Law::usa) return std::exp(-pair.beta * std::cos(from)) / width;
  return std::exp(pair.beta * one_minus_cos(from)) / ((m1 / m2 + m2 / m1) * width);
}

double escape_rate(const Polygon& polygon, int mode) {
  const auto [k, beta, law] = polygon;
  demand(k >= 2 && mode >= 1 && mode < k, "a polygon has no such mode", "k, mode",
         "give k >= 2 and 1 <= mode < k");
  double sum = 0, total = 0;
  for (int j = 0; j < k; ++j) {
    const double x = 2 * std::numbers::pi * j / k, sine = std::sin(x);
    const double kernel = std::exp(-beta * one_minus_cos(x));
    sum -= (std::cos(x) - beta * sine * sine) * kernel * one_minus_cos(mode * x);
    total += kernel;
  }
  return law == Law::sa ? sum / total : sum * std::exp(beta) / k;
}

namespace {

struct Group {
  double angle, count;
};

std::vector<Group> sorted_groups(std::span<const double> angles, std::span<const double> counts) {
  demand(!angles.empty(), "there are no tokens", "angles", "give at least one angle");
  demand(counts.empty() || counts.size() == angles.size(), "angles and counts differ in number",
         "counts", "give one count per angle, or none");
  std::vector<Group> groups;
  for (std::size_t i = 0; i < angles.size(); ++i)
    groups.push_back({angles[i], counts.empty() ? 1 : counts[i]});
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.angle < b.angle; });
  return groups;
}

double level_of(const std::vector<Group>& groups) {
  double total = 0, squares = 0;
  for (const Group& g : groups) {
    total += g.count;
    squares += g.count * g.count;
  }
  return squares / (total * total);
}

// Returns the angle from group q to the next one around the circle.
double gap_after(const std::vector<Group>& groups, std::size_t q) {
  if (q + 1 < groups.size()) return groups[q + 1].angle - groups[q].angle;
  return groups.front().angle + 2 * std::numbers::pi - groups.back().angle;
}

}  // namespace

std::vector<Stair> staircase(std::span<const double> angles, std::span<const double> counts,
                             double beta) {
  demand(beta > 1, "the arc-length clock runs at ln(beta)", "beta", "give beta above 1");
  std::vector<Group> groups = sorted_groups(angles, counts);
  double total = 0, arc = 0;
  for (const Group& g : groups) total += g.count;
  std::vector<Stair> stairs;
  while (groups.size() > 1) {
    std::size_t closest = 0;
    for (std::size_t q = 1; q < groups.size(); ++q)
      if (gap_after(groups, q) < gap_after(groups, closest)) closest = q;
    const double gap = gap_after(groups, closest);
    const Group left = groups[closest], right = groups[(closest + 1) % groups.size()];
    const double count = left.count + right.count;
    const double length = std::sqrt(left.count * right.count / count);  // arc per angle
    const double half_gap = std::min(gap, std::sqrt(2 * std::numbers::ln2 / beta));
    arc += gap * length;
    groups[closest] = {left.angle + gap * right.count / count, count};
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>((closest + 1) % groups.size()));
    stairs.push_back({.half = (arc - half_gap * length) / std::log(beta),
                      .full = arc / std::log(beta),
                      .level = level_of(groups),
                      .left_mass = left.count / total,
                      .right_mass = right.count / total});
  }
  return stairs;
}

Metastable metastability(const Caps& caps) {
  const auto [n, beta, eps, alpha, rate] = caps;
  demand(n >= 1 && eps > 0 && beta > 1, "the bounds do not hold here", "n, eps, beta",
         "give n >= 1, eps > 0 and beta > 1");
  return {.gap = 1 - alpha - 8 * eps - std::log(2.0 * n * n / eps) / beta,
          .begins = 2 * n * std::exp(8 * eps * beta) +
                    std::numbers::e * n * rate * beta * beta / (beta - 1),
          .ends = eps / n * std::exp((1 - alpha) * beta),
          .spread = std::sqrt(2 * std::exp(-rate * beta))};
}

double cap_alpha(double angle, double eps) {
  const double radius = std::acos(1 - 2 * eps);  // of a cap of 2 eps
  return std::cos(std::max(angle - 2 * radius, 0.0));
}

}  // namespace murmur::theory
