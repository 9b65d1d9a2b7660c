// valleys.cpp: local minima of sign F over the sphere.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "landscape/decompose.h"
#include "landscape/system.h"
#include "murmur/random.h"
#include "murmur/stop.h"

namespace murmur::landscape {

namespace {

constexpr int kArcs = 1440, kSpiral = 2000, kStarts = 200;
constexpr double kApart = 1e-6;  // chord between distinct minima

// Whether no point within three spacings is lower: a start for a descent.
std::vector<int> lowest_among_neighbours(const MatrixXd& x, const VectorXd& f) {
  const bool circle = x.rows() == 2;
  const double near = circle ? std::cos(7 * std::numbers::pi / kArcs) : 1 - 9 * 2.0 / kSpiral;
  std::vector<int> chosen;
  for (int i = 0; i < x.cols(); ++i) {
    bool lowest = true;
    for (int step = -3; step <= 3 && circle && lowest; ++step)
      lowest = f[i] <= f[(i + step + kArcs) % kArcs];
    for (int j = 0; j < x.cols() && !circle && lowest; ++j)
      lowest = f[j] >= f[i] || x.col(j).dot(x.col(i)) < near;
    if (lowest) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace

MatrixXd spread_points(int d) {
  MatrixXd x(d, d == 2 ? kArcs : d == 3 ? kSpiral : kStarts);
  for (int i = 0; i < x.cols(); ++i) {
    const double golden = std::numbers::pi * (3 - std::sqrt(5.0)), z = 1 - (2 * i + 1.0) / kSpiral;
    const double angle = d == 2 ? 2 * std::numbers::pi * i / kArcs : golden * i;
    if (d == 2) x.col(i) << std::cos(angle), std::sin(angle);
    if (d == 3)
      x.col(i) << std::sqrt(1 - z * z) * std::cos(angle), std::sqrt(1 - z * z) * std::sin(angle), z;
    const Draw draw{.stream = Stream::landscape, .particle = static_cast<std::uint32_t>(i)};
    for (int k = 0; k < d && d > 3; ++k) x(k, i) = draw.normal(static_cast<std::uint16_t>(k));
    x.col(i).normalize();
  }
  return x;
}

VectorXd descended(const Terrain& terrain, const Cloud& mu, VectorXd x) {
  for (int k = 0; k < 100; ++k) {
    stop_point();
    const Local here = terrain.local(mu, x);
    const MatrixXd t = frame(x);
    const VectorXd g = terrain.sign() * t.transpose() * here.gradient;
    if (g.norm() <= 1e-15 * terrain.scale()) break;
    const Spectrum spectrum = spectrum_of(terrain.sign() * here.second);
    VectorXd along = spectrum.vectors.transpose() * g;
    for (int e = 0; e < along.size(); ++e)
      along[e] /= -std::max(std::fabs(spectrum.values[e]), 1e-9 * terrain.scale());
    VectorXd step = spectrum.vectors * along;
    if (step.norm() > 0.3) step *= 0.3 / step.norm();
    double share = 1;
    VectorXd next = moved(x, t * step);
    while (share > 1e-9 &&
           terrain.sign() * (terrain.value(mu, next) - here.value) > 1e-4 * share * g.dot(step)) {
      share /= 2;
      next = moved(x, t * (share * step));
    }
    if (share <= 1e-9) {  // values are equal to rounding: gradients are not
      const Local there = terrain.local(mu, moved(x, t * step));
      const VectorXd y = moved(x, t * step);
      if (step.norm() > 1e-3 || !((frame(y).transpose() * there.gradient).norm() < 0.5 * g.norm()))
        break;
      next = y;
    }
    x = next;
  }
  return x;
}

std::vector<VectorXd> valleys(const Terrain& terrain, const Cloud& mu) {
  const MatrixXd x = spread_points(terrain.d());
  std::vector<VectorXd> starts, found;
  if (terrain.d() <= 3) {
    VectorXd f(x.cols());
    for (int i = 0; i < x.cols(); ++i) {
      stop_point();
      f[i] = terrain.sign() * terrain.value(mu, x.col(i));
    }
    for (const int i : lowest_among_neighbours(x, f)) starts.emplace_back(x.col(i));
  } else {
    for (int i = 0; i < x.cols(); ++i) starts.emplace_back(x.col(i));
  }
  for (int i = 0; i < mu.count(); ++i) starts.emplace_back(mu.x.col(i));
  std::vector<std::pair<double, VectorXd>> ends;
  for (const VectorXd& start : starts) {
    const VectorXd end = descended(terrain, mu, start);
    ends.emplace_back(terrain.sign() * terrain.value(mu, end), end);
  }
  std::stable_sort(ends.begin(), ends.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [value, end] : ends)
    if (std::none_of(found.begin(), found.end(),
                     [&, e = &end](const VectorXd& y) { return (y - *e).norm() < kApart; }))
      found.push_back(end);
  return found;
}

}  // namespace murmur::landscape
