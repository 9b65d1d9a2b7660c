// density.cpp: local maxima of kernel density estimates on the line and circle (2412.09080).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/sums.h"
#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur {
namespace {

constexpr double pi = std::numbers::pi;
constexpr int nodes_per_width = 8;
constexpr int halvings = 12;

// The kernel h, h(0) = 1, its slope at an offset, and a bound of its third derivative.
//   line:    h = e^{-v}, v = beta y^2 / 2          circle:  h = e^{-v}, v = beta (1 - cos y)
struct Kernel {
  double beta;
  bool circle;

  // Returns the offset at which v = u^2 / 2: u widths on the line, at most pi on the circle.
  double offset(double u) const {
    if (!circle) return u / std::sqrt(beta);
    const double cosine = 1 - u * u / (2 * beta);
    return cosine > -1 ? std::acos(cosine) : pi;
  }
  // -h' and h at y.
  std::pair<double, double> fall(double y) const {
    const double h =
        std::exp(circle ? -2 * beta * std::pow(std::sin(y / 2), 2) : -beta * y * y / 2);
    return {beta * (circle ? std::sin(y) : y) * h, h};
  }
  // A bound on |h'''| where v >= u^2 / 2. On the circle |sin y| <= sqrt(2 v / beta), so
  //   |h'''| <= (beta |s| + 3 beta^2 |s| + beta^3 |s|^3) e^{-v}
  //          <= ((beta^{1/2} + 3 beta^{3/2}) w + beta^{3/2} w^3) e^{-w^2/2},   w = sqrt(2 v);
  // w e^{-w^2/2} is greatest at w = 1, w^3 e^{-w^2/2} at w = sqrt(3). On the line it is smaller.
  double third(double u) const {
    const double one = std::max(u, 1.0), three = std::max(u, std::sqrt(3.0));
    const double root = std::sqrt(beta);
    return (root + 3 * root * beta) * one * std::exp(-one * one / 2) +
           root * beta * three * three * three * std::exp(-three * three / 2);
  }
};

struct Slope {
  double value = 0;  // f'
  int sign = 0;      // 0 if it is below rounding
};
struct Node {
  double y = 0;
  Slope slope{};
};

// f(y) = sum_i m_i h(y - y_i) with the points in order.
class Density {
 public:
  Density(Kernel kernel, std::vector<std::pair<double, double>> points)
      : kernel_(kernel), reach_(kernel.offset(8.6)) {  // e^{-37}: below rounding
    std::sort(points.begin(), points.end());
    before_.push_back(0);
    for (const auto& [y, mass] : points) {
      at_.push_back(y);
      mass_.push_back(mass);
      before_.push_back(before_.back() + mass);
    }
  }

  Node node(double y) const {
    const auto [first, last] = within(y, y, reach_);
    Node node{y};
    double height = 0;
    for (std::size_t i = first; i < last; ++i) {
      const auto [fall, h] = kernel_.fall(y - at_[i]);
      node.slope.value -= mass_[i] * fall;
      height += mass_[i] * h;
    }
    const double noise = 1e-14 * std::sqrt(kernel_.beta) * height;
    node.slope.sign = node.slope.value > noise ? 1 : node.slope.value < -noise ? -1 : 0;
    return node;
  }

  // Returns nodes between a and b, in order, so close that no two zeros of f' lie between
  // neighbours. With |f'''| <= M in a cell, f' has no zero between ends of one sign if
  //   min(|f'(a)|, |f'(b)|) > M (b - a)^2 / 8
  void refine(const Node& a, const Node& b, int depth, std::vector<Node>& nodes) const {
    if (depth == halvings || (a.slope.sign == 0 && b.slope.sign == 0)) return;
    const bool same = a.slope.sign == b.slope.sign;
    const double width = b.y - a.y;
    const double min = std::min(std::abs(a.slope.value), std::abs(b.slope.value));
    if (same && min > max_third(a.y, b.y) * width * width / 8) return;
    if (a.slope.sign * b.slope.sign < 0 && depth == halvings / 2) return;
    const Node middle = node((a.y + b.y) / 2);
    refine(a, middle, depth + 1, nodes);
    nodes.push_back(middle);
    refine(middle, b, depth + 1, nodes);
  }

  // The zero of f' between a rising and a falling node.
  double peak(Node rising, Node falling) const {
    while (true) {
      const double y = (rising.y + falling.y) / 2;
      if (!(y > rising.y && y < falling.y)) return y;
      const Node middle = node(y);
      if (middle.slope.sign == 0) return y;
      (middle.slope.sign > 0 ? rising : falling) = middle;
    }
  }

  const std::vector<double>& at() const { return at_; }
  double reach() const { return reach_; }

 private:
  // Indices [first, last) of the points no farther than `distance` from [a, b].
  std::pair<std::size_t, std::size_t> within(double a, double b, double distance) const {
    const auto first = std::lower_bound(at_.begin(), at_.end(), a - distance);
    const auto last = std::upper_bound(first, at_.end(), b + distance);
    return {first - at_.begin(), last - at_.begin()};
  }
  double max_third(double a, double b) const {
    double bound = 0, inside = 0, from = 0;
    for (const double u : {3.0, 5.0, 8.6}) {
      const auto [first, last] = within(a, b, kernel_.offset(u));
      const double mass = before_[last] - before_[first];
      bound += kernel_.third(from) * (mass - inside);
      inside = mass;
      from = u;
    }
    return bound;
  }

  Kernel kernel_;
  double reach_;
  std::vector<double> at_, mass_, before_;  // (points), (points), (points + 1)
};

struct Grid {
  double from = 0, to = 0;
  int cells = 0;
};

void add_nodes(const Density& density, const Grid& grid, std::vector<Node>& nodes) {
  const auto [from, to, cells] = grid;
  Node last = density.node(from);
  nodes.push_back(last);
  for (int c = 1; c <= cells; ++c) {
    const Node next = density.node(from + (to - from) * c / cells);
    density.refine(last, next, 0, nodes);
    nodes.push_back(next);
    last = next;
  }
}

// Where f' changes from + to -, with zeros in between.
std::vector<double> peaks(const Density& density, const std::vector<Node>& nodes) {
  std::vector<double> found;
  const Node* last = nullptr;
  for (const Node& node : nodes) {
    if (node.slope.sign == 0) continue;
    if (last != nullptr && last->slope.sign > 0 && node.slope.sign < 0)
      found.push_back(density.peak(*last, node));
    last = &node;
  }
  return found;
}

// Points farther apart than twice the reach do not interact: each group of points has its own grid.
std::vector<double> line_modes(const HostSwarm& x, const DensityRequest& request) {
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < x.n(); ++i) points.emplace_back(x.at(i, request.axis), x.mass[i]);
  const Density density({request.beta, false}, std::move(points));
  const std::vector<double>& at = density.at();
  const double step = 1 / (nodes_per_width * std::sqrt(request.beta));
  std::vector<Node> nodes;
  for (std::size_t begin = 0, end = 0; begin < at.size(); begin = end) {
    for (end = begin + 1; end < at.size() && at[end] - at[end - 1] <= 2 * density.reach();) ++end;
    const double from = at[begin] - step, to = at[end - 1] + step;
    add_nodes(density, {from, to, static_cast<int>(std::ceil((to - from) / step))}, nodes);
  }
  return peaks(density, nodes);
}

std::vector<double> circle_modes(const HostSwarm& x, double beta) {
  const double turn = 2 * pi;
  std::vector<std::pair<double, double>> points;  // with copies, for a little more than one turn
  for (int i = 0; i < x.n(); ++i) {
    const double theta = std::atan2(x.at(i, 1), x.at(i, 0));
    for (const double copy : {theta, theta + turn, theta + 2 * turn})
      if (copy >= -pi && copy <= turn + pi + 1) points.emplace_back(copy, x.mass[i]);
  }
  const Density density({beta, true}, std::move(points));
  const double cells = std::max(64.0, std::ceil(turn * nodes_per_width * std::sqrt(beta)));
  std::vector<Node> nodes;
  add_nodes(density, {0, turn, static_cast<int>(cells)}, nodes);
  const std::size_t once = nodes.size();
  for (std::size_t k = 1; k < once && nodes.back().slope.sign == 0; ++k) {  // across the seam
    const Node again{nodes[k].y + turn, nodes[k].slope};
    nodes.push_back(again);
  }
  std::vector<double> found = peaks(density, nodes);
  for (double& y : found) y = y >= turn ? y - turn : y;
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<double> density_modes(const HostSwarm& x, Manifold manifold,
                                  const DensityRequest& request) {
  if (!(request.beta > 0 && request.beta < 1e12))
    throw Error(Fault::input, "a density needs a beta above 0, and below 1e12",
                "beta = " + std::to_string(request.beta), "give the inverse square of its width");
  require_measurable(x);
  if (manifold == Manifold::sphere && x.d() != 2)
    throw Error(Fault::input, "modes of a density are counted on the circle and on a line",
                "sphere, d = " + std::to_string(x.d()),
                "use d=2, or habitat=space and one of its axes");
  if (manifold == Manifold::sphere) return circle_modes(x, request.beta);
  if (request.axis < 0 || request.axis >= x.d())
    throw Error(Fault::input, "there is no such axis", "axis = " + std::to_string(request.axis),
                "the swarm has axes 0 to " + std::to_string(x.d() - 1));
  return line_modes(x, request);
}

}  // namespace murmur
