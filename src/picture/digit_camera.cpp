// digit_camera.cpp: the camera's path along a digit's trajectory, and the film's time axis.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "picture/digit_stage.h"

namespace murmur::picture {

namespace {

constexpr double kNearest = 3.6;      // depths beyond are too close to the eye to be drawn
constexpr double kFloor = 10;         // half the width of the floor
constexpr double kLeastFloor = 0.72;  // of a wide picture's height, with the names of the gates
constexpr double kFacing = -std::numbers::pi / 2;  // x to the right

Camera camera_at(const DigitStage& stage, double progress) {
  if (stage.flat) return Camera(kFacing, std::numbers::pi / 2);
  const double sunk = smooth(progress / 0.6);
  return Camera(kFacing - 0.12 + 0.40 * smooth(progress), 1.28 + sunk * (0.86 - 1.28));
}

// A point that has to be in the picture, as the camera sees it, with the pixels to keep free on its
// sides and above it.
struct Item {
  double x, y;
  double beside = 0, above = 0;
};

struct Fit {
  double zoom = 1;              // pixels per unit of the camera's plane
  double aim_x = 0, aim_y = 0;  // the point that goes to the room's middle
};

// Pixels along one axis that the items take at a zoom, from the first to the last.
struct Span {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  double length() const { return high - low; }
};
Span horizontal_span(const std::vector<Item>& items, double zoom) {
  Span span;
  for (const Item& item : items) {
    span.low = std::min(span.low, zoom * item.x - item.beside);
    span.high = std::max(span.high, zoom * item.x + item.beside);
  }
  return span;
}
Span vertical_span(const std::vector<Item>& items, double zoom) {
  Span span;
  for (const Item& item : items) {
    span.low = std::min(span.low, zoom * item.y - item.beside);
    span.high = std::max(span.high, zoom * item.y + item.above);
  }
  return span;
}

// The largest zoom for which `fits` holds: it holds below some zoom and not above it.
template <typename Fits>
double largest_zoom(const Fits& fits) {
  double low = 1e-3, high = 1e7;
  for (int k = 0; k < 50; ++k) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

// The largest zoom at which all items fit into the room, and where the camera aims then.
Fit fit(const std::vector<Item>& items, const Frame& room) {
  Fit best;
  best.zoom = largest_zoom([&](double zoom) {
    return horizontal_span(items, zoom).length() <= room.width &&
           vertical_span(items, zoom).length() <= room.height;
  });
  const Span x = horizontal_span(items, best.zoom), y = vertical_span(items, best.zoom);
  best.aim_x = (x.low + x.high) / 2 / best.zoom;
  best.aim_y = (y.low + y.high) / 2 / best.zoom;
  return best;
}

// Tokens and the far ends of their trails; outliers beyond the bounds are left out.
void add_tokens(const DigitStage& stage, const Camera& camera, double t, std::vector<Item>& items) {
  const auto& half = stage.swarm.projection.half;
  const double scale = 1.0001 * stage.unit(), pad = 9 * stage.layout.unit;
  const Past past = stage.past(t);
  for (const auto& snapshot : {past.front(), past.back()})
    for (const Point& p : snapshot->points) {
      if (std::abs(p.x) > scale * half[0] || std::abs(p.y) > scale * half[1] ||
          std::abs(p.z) > scale * half[2])
        continue;
      const Sight seen = camera.project(p);
      items.push_back({seen.x, seen.y, pad, pad});
    }
}

// The floor and the gates with their names.
std::vector<Item> scenery_of(const DigitStage& stage, const Camera& camera, const Frame& room) {
  const double title = stage.layout.title_size;
  const double label = 1.9 * title * std::min(1.0, room.width / (22 * title));
  std::vector<Item> items;
  const auto add = [&](const Point& p, double beside, double above) {
    const Sight seen = camera.project(p);
    items.push_back({seen.x, seen.y, beside, above});
  };
  for (double x : {-kFloor, kFloor})
    for (double y : {-kFloor, kFloor}) add(stage.place(x, y, 0), 0, 0);
  const auto ring = static_cast<float>(stage.ring);
  for (const Point& g : stage.gate)
    for (float s : {-1.F, 1.F}) {
      add({g.x + s * ring, g.y, g.z}, 0.3 * label, label);
      add({g.x, g.y + s * ring, g.z}, 0.3 * label, label);
      add({g.x, g.y, g.z + s * ring}, 0.3 * label, label);
    }
  return items;
}

// The aim nearest to `aim` at which what spans [low, high] pixels from it is inside of the room.
double clamp_aim(double aim, const Span& span, double zoom, double room) {
  const double least = (span.high - room / 2) / zoom, most = (span.low + room / 2) / zoom;
  return least <= most ? std::clamp(aim, least, most) : (least + most) / 2;
}

// The camera moves back for the tokens as long as floor and gates take kLeastFloor of the height
// that they can take; farther tokens leave the picture, floor and gates never do.
Fit fit_moment(const DigitStage& stage, const Camera& camera, const Frame& room,
               const std::vector<Item>& tokens) {
  const std::vector<Item> scenery = scenery_of(stage, camera, room);
  std::vector<Item> all = scenery;
  all.insert(all.end(), tokens.begin(), tokens.end());
  const Fit near = fit(scenery, room);
  const double tall = vertical_span(scenery, near.zoom).length();
  const double least = near.zoom * std::min(1.0, kLeastFloor * stage.layout.height / tall *
                                                     room.height / stage.layout.scene.height);
  Fit best = fit(all, room);
  best.zoom = std::max(best.zoom, least);
  best.aim_x = clamp_aim(best.aim_x, horizontal_span(scenery, best.zoom), best.zoom, room.width);
  best.aim_y = clamp_aim(best.aim_y, vertical_span(scenery, best.zoom), best.zoom, room.height);
  return best;
}

// Tokens may leave the room by `pad` pixels.
CameraView view_of(const Frame& room, const Camera& camera, const Fit& at, double pad) {
  return {camera,
          at.zoom,
          room.x + room.width / 2 - at.zoom * at.aim_x,
          room.y + room.height / 2 + at.zoom * at.aim_y,
          std::sqrt(room.width / 900 * room.height / 620),
          {room.x - pad, room.y - pad, room.width + 2 * pad, room.height + 2 * pad}};
}

constexpr int kSamples = 97;  // over the film
constexpr int kNear = 9;      // samples on each side that it is smoothed over

template <typename Combine>
std::vector<double> over_neighbours(const std::vector<double>& values, const Combine& combine) {
  std::vector<double> result(values.size());
  for (int k = 0; k < kSamples; ++k) {
    double value = values[k];
    for (int j = k - kNear; j <= k + kNear; ++j)
      if (j != k) value = combine(value, values[std::clamp(j, 0, kSamples - 1)]);
    result[k] = value;
  }
  return result;
}

std::vector<double> running_mean(const std::vector<double>& values) {
  std::vector<double> mean = over_neighbours(values, [](double a, double b) { return a + b; });
  for (double& value : mean) value /= 2 * kNear + 1;
  return mean;
}

}  // namespace

Mark CameraView::mark(const Point& p) const {
  const Sight seen = camera.project(p);
  if (!(seen.depth < kNearest)) {
    constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
    return {kNowhere, kNowhere, 0};
  }
  return {cx + zoom * seen.x, cy - zoom * seen.y, 0};
}

double CameraView::size(const Point& p) const {
  const Sight seen = camera.project(p);
  return seen.depth < kNearest ? zoom * seen.scale : 0;
}

double CameraView::fog(const Point& p) const {
  return std::clamp((1 - camera.project(p).depth) / 2, 0.0, 1.0);
}

// Aims are running means of the best aim at each sample, limited so that floor and gates are inside
// of the room. A zoom is the mean, over the samples around it, of the smallest zoom that these
// need: smooth, and never above the best zoom there.
CameraPath::CameraPath(const DigitStage& stage, const Frame& room, const FilmClock& clock)
    : stage_(stage), room_(room) {
  std::vector<std::vector<Item>> scenery(kSamples);
  for (int k = 0; k < kSamples; ++k) {
    const double progress = static_cast<double>(k) / (kSamples - 1);
    const Camera camera = camera_at(stage, progress);
    std::vector<Item> tokens;
    add_tokens(stage, camera, clock.at(progress), tokens);
    const Fit best = fit_moment(stage, camera, room, tokens);
    scenery[k] = scenery_of(stage, camera, room);
    zoom_.push_back(best.zoom);
    aim_x_.push_back(best.aim_x);
    aim_y_.push_back(best.aim_y);
  }
  zoom_ = running_mean(over_neighbours(zoom_, [](double a, double b) { return std::min(a, b); }));
  aim_x_ = running_mean(aim_x_);
  aim_y_ = running_mean(aim_y_);
  for (int k = 0; k < kSamples; ++k) {
    aim_x_[k] = clamp_aim(aim_x_[k], horizontal_span(scenery[k], zoom_[k]), zoom_[k], room.width);
    aim_y_[k] = clamp_aim(aim_y_[k], vertical_span(scenery[k], zoom_[k]), zoom_[k], room.height);
  }
}

CameraView CameraPath::at(double progress) const {
  const double along = std::clamp(progress, 0.0, 1.0) * (kSamples - 1);
  const int k = std::min(static_cast<int>(along), kSamples - 2);
  const auto between = [&](const std::vector<double>& values) {
    return values[k] + (along - k) * (values[k + 1] - values[k]);
  };
  return view_of(room_, camera_at(stage_, progress),
                 {between(zoom_), between(aim_x_), between(aim_y_)}, 0.6 * stage_.layout.margin);
}

CameraView CameraPath::still(const DigitStage& stage, const Frame& room) {
  const Camera steady = stage.flat ? camera_at(stage, 0) : Camera(kFacing + 0.1, 0.86);
  std::vector<Item> tokens;
  for (int f = 0; f <= stage.blocks(); ++f) add_tokens(stage, steady, f, tokens);
  return view_of(room, steady, fit_moment(stage, steady, room, tokens), 0);
}

double FilmClock::at(double progress) const {
  const double s = std::clamp((progress - lead) / (1 - lead - hold), 0.0, 1.0);
  constexpr double kRamp = 0.14;  // share of the trajectory spent gathering and losing speed
  const double top = 1 / (1 - kRamp);
  if (s < kRamp) return blocks * top * s * s / (2 * kRamp);
  if (s > 1 - kRamp) return blocks * (1 - top * (1 - s) * (1 - s) / (2 * kRamp));
  return blocks * top * (s - kRamp / 2);
}

}  // namespace murmur::picture
