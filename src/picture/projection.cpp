// projection.cpp: chooses view, axes and box of a scene from a run.
#include "picture/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/axes.h"
#include "murmur/error.h"

namespace murmur::picture {

namespace {

void use_principal_axes(const RunReader& run, bool sphere, Projection& projection) {
  const int d = run.shape().d;
  std::vector<HostSwarm> ends{run.frame(0)};
  if (run.frames() > 1) ends.push_back(run.frame(run.frames() - 1));
  const std::vector<double> moment = second_moment(ends, !sphere);
  projection.axes = leading_axes(moment, d, 3);
  projection.principal = true;
  double trace = 0, carried = 0;
  for (int k = 0; k < d; ++k) trace += moment[k * d + k];
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < d; ++k)
      for (int l = 0; l < d; ++l)
        carried += projection.axes[r * d + k] * moment[k * d + l] * projection.axes[r * d + l];
  projection.explained = trace > 0 ? std::min(1.0, carried / trace) : 1;
}

// The box of the whole trajectory, from up to 64 frames; its corners lie on the unit sphere.
void fit_box(const RunReader& run, Projection& projection) {
  constexpr std::int64_t kSampled = 64;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<double, 3> low{kInfinity, kInfinity, kInfinity},
      high{-kInfinity, -kInfinity, -kInfinity};
  const std::int64_t last = run.frames() - 1, looks = std::min(last, kSampled - 1);
  for (std::int64_t look = 0; look <= looks; ++look) {
    const std::int64_t index = looks > 0 ? look * last / looks : 0;
    for (const Point& p : projection.project(run.frame(index))) {
      if (!is_finite(p)) continue;
      const std::array<double, 3> x{p.x, p.y, p.z};
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], x[k]);
        high[k] = std::max(high[k], x[k]);
      }
    }
  }
  const bool flat = projection.view == View::plane;
  double longest = 0;
  for (int k = 0; k < 3; ++k) longest = std::max(longest, (high[k] - low[k]) / 2);
  if (!(longest > 0) || !std::isfinite(longest)) longest = 1;
  double diagonal = 0;
  for (int k = 0; k < 3; ++k) {
    if (low[k] > high[k]) low[k] = high[k] = 0;
    projection.centre[k] = (low[k] + high[k]) / 2;
    projection.half[k] = 1.06 * std::max((high[k] - low[k]) / 2, 0.35 * longest);
    if (flat && k == 2) projection.half[k] = 0;
    diagonal += projection.half[k] * projection.half[k];
  }
  projection.scale = 1 / std::sqrt(diagonal);
}

std::string superscript(int number) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (char c : std::to_string(number)) text += digits[c - '0'];
  return text;
}

}  // namespace

std::vector<Point> Projection::project(const HostSwarm& x) const {
  const int n = x.n(), d = x.d();
  std::vector<Point> points(static_cast<std::size_t>(n));
  float Point::*const member[] = {&Point::x, &Point::y, &Point::z};
  for (int r = 0; r < 3; ++r) {
    std::vector<double> sum(static_cast<std::size_t>(n), -centre[r]);
    for (int k = 0; k < d; ++k) {
      const double share = axes[r * d + k];
      if (share == 0) continue;
      const double* coordinate = x.axis(k);
      for (int i = 0; i < n; ++i) sum[i] += share * coordinate[i];
    }
    for (int i = 0; i < n; ++i) points[i].*member[r] = static_cast<float>(scale * sum[i]);
  }
  return points;
}

Projection choose_projection(const RunReader& run, const SceneSettings& settings) {
  const int d = run.shape().d;
  Projection projection;
  projection.view = settings.sphere ? (d <= 2   ? View::circle
                                       : d == 3 ? View::sphere
                                                : View::ball)
                                    : (d <= 2 ? View::plane : View::box);
  if (!settings.axes.empty()) {
    if (settings.axes.size() != static_cast<std::size_t>(3) * d)
      throw Error(Fault::input,
                  fmt::format("the projection has {} numbers where (3, {}) are needed",
                              settings.axes.size(), d),
                  "parameter axes",
                  fmt::format("give three rows of {} numbers, or none at all", d));
    projection.axes = settings.axes;
  } else if (d > 3) {
    use_principal_axes(run, settings.sphere, projection);
  } else {
    projection.axes.assign(static_cast<std::size_t>(3) * d, 0.0);
    for (int k = 0; k < d; ++k) projection.axes[k * d + k] = 1;
  }
  if (!settings.sphere) fit_box(run, projection);
  return projection;
}

std::string projection_sentence(const Projection& projection, Shape shape, bool sphere) {
  if (shape.d <= 3) return {};
  const std::string space = sphere ? fmt::format("S{}", superscript(shape.d - 1))
                                   : fmt::format("R{}", superscript(shape.d));
  if (!projection.principal) return fmt::format("{} projected to three given axes.", space);
  return fmt::format(
      "{} projected to the three leading principal axes of the first and last "
      "frames together ({:.0f} % of the second moment).",
      space, 100 * projection.explained);
}

}  // namespace murmur::picture
