// projection.cpp: chooses view, axes and box of a scene from a run.
#include "picture/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/axes.h"
#include "murmur/error.h"
#include "picture/labels.h"

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

constexpr std::int64_t kMostFrames = 64;  // that are read

// Calls visit(frame, projected) for up to 64 frames of the run, the first and the last among them.
template <typename Visit>
void sample_frames(const RunReader& run, const Projection& projection, const Visit& visit) {
  const std::int64_t last = run.frames() - 1, count = std::min(last, kMostFrames - 1);
  for (std::int64_t k = 0; k <= count; ++k)
    visit(projection.project(run.frame(count > 0 ? k * last / count : 0)));
}

// The box of the whole trajectory; its corners lie on the unit sphere.
void fit_box(const RunReader& run, const SceneSettings& settings, Projection& projection) {
  TrajectoryExtent extent;
  sample_frames(run, projection, [&](const std::vector<Point>& points) { extent.add(points); });
  if (settings.grid)
    for (const HostSwarm& grid : {settings.grid->frames.front(), settings.grid->frames.back()})
      extent.add(projection.project(grid));
  std::array<double, 3>&low = extent.low, &high = extent.high;
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

// Three of many coordinates are small. Where the swarm stays near the middle of the unit ball, a
// smaller ball is drawn, which holds 99 % of the particles at any time.
void fit_ball(const RunReader& run, Projection& projection) {
  double radius = 0;
  sample_frames(run, projection, [&](const std::vector<Point>& points) {
    std::vector<double> lengths;
    for (const Point& p : points)
      if (is_finite(p)) lengths.push_back(std::hypot(p.x, p.y, p.z));
    if (lengths.empty()) return;
    const auto late = lengths.end() - 1 - static_cast<std::ptrdiff_t>(lengths.size() / 100);
    std::nth_element(lengths.begin(), late, lengths.end());
    radius = std::max(radius, *late);
  });
  if (radius > 0 && 1.08 * radius < 0.8) projection.scale = 1 / (1.08 * radius);
}

}  // namespace

void TrajectoryExtent::add(const std::vector<Point>& frame) {
  constexpr float Point::*kMember[] = {&Point::x, &Point::y, &Point::z};
  for (int k = 0; k < 3; ++k) {
    std::vector<double> places;
    for (const Point& p : frame)
      if (is_finite(p)) places.push_back(p.*kMember[k]);
    if (places.empty()) return;
    std::sort(places.begin(), places.end());
    const std::size_t count = places.size();
    const double early = places[count / 100], late = places[count - 1 - count / 100];
    const double slack = 0.5 * (late - early);
    low[k] = std::min(low[k], std::max(places.front(), early - slack));
    high[k] = std::max(high[k], std::min(places.back(), late + slack));
  }
}

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
    projection.centre = settings.centre;
  } else if (d > 3) {
    use_principal_axes(run, settings.sphere, projection);
  } else {
    projection.axes.assign(static_cast<std::size_t>(3) * d, 0.0);
    for (int k = 0; k < d; ++k) projection.axes[k * d + k] = 1;
  }
  if (!settings.sphere) fit_box(run, settings, projection);
  if (projection.view == View::ball) fit_ball(run, projection);
  return projection;
}

std::string ball_sentence(const Projection& projection) {
  return projection.scale > 1
             ? fmt::format(" The ball drawn has radius {:.2g}.", 1 / projection.scale)
             : "";
}

std::string projection_sentence(const Projection& projection, Shape shape, bool sphere) {
  if (shape.d <= 3) return {};
  const std::string space = sphere ? fmt::format("S{}", superscript(shape.d - 1))
                                   : fmt::format("R{}", superscript(shape.d));
  const std::string ball = sphere ? ball_sentence(projection) : "";
  if (!projection.principal) return fmt::format("{} projected to three given axes.{}", space, ball);
  return fmt::format(
      "{} projected to the three leading principal axes of the first and last "
      "frames together ({:.0f} % of the second moment).{}",
      space, 100 * projection.explained, ball);
}

}  // namespace murmur::picture
