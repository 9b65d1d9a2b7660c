// digit_camera.cpp: the camera's path along a digit's trajectory, and the film's time axis.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "picture/digit_stage.h"

namespace murmur::picture {

namespace {

constexpr double kNearest = 3.6;  // depths beyond are too close to the eye to be drawn

}  // namespace

Mark Shot::mark(const Point& p) const {
  const Sight seen = camera.project(p);
  if (!(seen.depth < kNearest)) {
    constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
    return {kNowhere, kNowhere, 0};
  }
  return {cx + zoom * seen.x, cy - zoom * seen.y, 0};
}

double Shot::size(const Point& p) const {
  const Sight seen = camera.project(p);
  return seen.depth < kNearest ? zoom * seen.scale : 0;
}

double Shot::fog(const Point& p) const {
  return std::clamp((1 - camera.project(p).depth) / 2, 0.0, 1.0);
}

Camera CameraWay::camera(double progress) const {
  constexpr double kFacing = -std::numbers::pi / 2;  // x to the right
  if (stage_.flat) return Camera(kFacing, std::numbers::pi / 2);
  const double sunk = smooth(progress / 0.6);
  return Camera(kFacing - 0.12 + 0.46 * smooth(progress), 1.28 + sunk * (0.47 - 1.28));
}

CameraWay::CameraWay(const DigitStage& stage, const Frame& room) : stage_(stage), room_(room) {
  label_ =
      1.9 * stage.layout.title_size * std::min(1.0, room.width / (22 * stage.layout.title_size));
  aim_ = stage.flat ? 0 : middle(camera(0.8));
  constexpr int kLooks = 48, kAhead = 9;  // looks over the trajectory; ahead at so many of them
  std::vector<double> needed(kLooks);
  for (int k = 0; k < kLooks; ++k) {
    const double t = static_cast<double>(k) / (kLooks - 1) * stage.blocks();
    needed[k] = std::numeric_limits<double>::infinity();
    // The camera may be anywhere near here at that time: holds shift the film against the
    // trajectory.
    for (double progress : {0.75 * k / kLooks, 0.75 * k / kLooks + 0.12, 0.9 * k / kLooks + 0.1})
      needed[k] = std::min(needed[k], room_for(camera(progress), t, aim(t)));
  }
  // From now on at most what the next looks need, then a running mean of that: smooth, and at no
  // time more than needed then.
  std::vector<double> bound(kLooks);
  double min = needed[0];
  for (int k = 0, j = 1; k < kLooks; ++k) {
    for (; j < kLooks && j <= k + kAhead; ++j) min = std::min(min, needed[j]);
    bound[k] = min;
  }
  zooms_.resize(kLooks);
  for (int k = 0; k < kLooks; ++k) {
    double sum = 0;
    for (int j = k - kAhead; j <= k; ++j) sum += bound[std::max(0, j)];
    zooms_[k] = sum / (kAhead + 1);
  }
}

std::vector<Point> CameraWay::seen_at(double t) const {
  const auto& half = stage_.swarm.projection.half;
  const double scale = 1.0001 * stage_.unit();
  const Past past = stage_.past(t);
  std::vector<Point> points;
  for (const auto& snapshot : {past.front(), past.back()})
    for (const Point& p : snapshot->points)  // stragglers outside the bounds are let go
      if (std::abs(p.x) <= scale * half[0] && std::abs(p.y) <= scale * half[1] &&
          std::abs(p.z) <= scale * half[2])
        points.push_back(p);
  return points;
}

double CameraWay::middle(const Camera& camera) const {
  double low = 0, high = 0;
  const auto hold = [&](const Point& p) {
    const double y = camera.project(p).y;
    low = std::min(low, y), high = std::max(high, y);
  };
  for (double x : {-10.0, 10.0})
    for (double y : {-10.0, 10.0}) hold(stage_.place(x, y, 0));
  const auto ring = static_cast<float>(stage_.ring);
  for (const Point& g : stage_.gate) {
    hold({g.x, g.y, g.z - ring});
    hold({g.x, g.y, g.z + 2 * ring});
  }
  for (int f = 0; f <= stage_.blocks(); ++f)
    for (const Point& p : seen_at(f)) hold(p);
  return (low + high) / 2;
}

double CameraWay::room_for(const Camera& camera, double t, double aim) const {
  const double half_width = room_.width / 2, half_height = room_.height / 2;
  double zoom = std::numeric_limits<double>::infinity();
  const auto hold = [&](const Point& p, double pad_x, double pad_above) {
    const Sight seen = camera.project(p);
    if (std::abs(seen.x) > 1e-9)
      zoom = std::min(zoom, std::max(half_width - pad_x, 0.3 * half_width) / std::abs(seen.x));
    const double y = seen.y - aim;
    const double high = std::max(half_height - (y > 0 ? pad_above : 0), 0.3 * half_height);
    if (std::abs(y) > 1e-9) zoom = std::min(zoom, high / std::abs(y));
  };
  for (double x : {-10.0, 10.0})
    for (double y : {-10.0, 10.0}) hold(stage_.place(x, y, 0), 0, 0);
  const auto ring = static_cast<float>(stage_.ring);
  for (const Point& g : stage_.gate)
    for (float s : {-1.F, 1.F}) {
      hold({g.x + s * ring, g.y, g.z}, 0.3 * label_, label_);
      hold({g.x, g.y + s * ring, g.z}, 0.3 * label_, label_);
      hold({g.x, g.y, g.z + s * ring}, 0.3 * label_, label_);
    }
  const double pad = 6 * stage_.layout.unit;
  for (const Point& p : seen_at(t)) hold(p, pad, pad);
  return zoom;
}

double CameraWay::aim(double t) const {
  return aim_ * (stage_.blocks() > 0 ? smooth(t / (0.5 * stage_.blocks())) : 1);
}

Shot CameraWay::at(double progress, double t) const {
  const int last = static_cast<int>(zooms_.size()) - 1;
  const double along = stage_.blocks() > 0 ? std::clamp(t / stage_.blocks(), 0.0, 1.0) * last : 0;
  const int k = std::min(static_cast<int>(along), last - 1);
  const double zoom = zooms_[k] + (along - k) * (zooms_[k + 1] - zooms_[k]);
  return shot(camera(progress), zoom, aim(t));
}

Shot CameraWay::shot(const Camera& camera, double zoom, double aim) const {
  const double pad = 0.6 * stage_.layout.margin;
  return {camera,
          zoom,
          room_.x + room_.width / 2,
          room_.y + room_.height / 2 + zoom * aim,
          std::sqrt(room_.width / 900 * room_.height / 620),
          {room_.x - pad, room_.y - pad, room_.width + 2 * pad, room_.height + 2 * pad}};
}

Shot CameraWay::still() const {
  const Camera steady = stage_.flat ? camera(0) : Camera(0.1 - std::numbers::pi / 2, 0.66);
  const double aim = middle(steady);
  double zoom = std::numeric_limits<double>::infinity();
  for (int f = 0; f <= stage_.blocks(); ++f) zoom = std::min(zoom, room_for(steady, f, aim));
  return shot(steady, zoom, aim);
}

double DigitClock::at(double progress) const {
  const double s = std::clamp((progress - lead) / (1 - lead - hold), 0.0, 1.0);
  constexpr double kRamp = 0.14;  // share of the trajectory spent gathering and losing speed
  const double top = 1 / (1 - kRamp);
  if (s < kRamp) return blocks * top * s * s / (2 * kRamp);
  if (s > 1 - kRamp) return blocks * (1 - top * (1 - s) * (1 - s) / (2 * kRamp));
  return blocks * top * (s - kRamp / 2);
}

}  // namespace murmur::picture
