// staircase.cpp: order and times of the mergers of far-apart clusters, and bounds of metastability.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/theory.h"
#include "theory/numeric.h"

namespace murmur::theory {
namespace {

struct Group {
  double angle, count;
};

std::vector<Group> sorted_groups(std::span<const double> angles, std::span<const double> counts) {
  demand(!angles.empty(), "there are no tokens", "angles", "give at least one angle");
  demand(counts.empty() || counts.size() == angles.size(), "angles and counts differ in number",
         "counts", "give one count an angle, or none");
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

// The angle from group q to the next one round the circle.
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

double first_level(std::span<const double> counts) {
  std::vector<Group> groups;
  for (const double count : counts) groups.push_back({0, count});
  demand(!groups.empty(), "there are no tokens", "counts", "give at least one count");
  return level_of(groups);
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
