// density_globe.cpp: a density on the sphere drawn as the colours of a globe, still and film.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/labels.h"
#include "picture/process.h"
#include "picture/stage.h"

namespace murmur {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kRows = SphereDensity::kRows, kColumns = SphereDensity::kColumns;

double latitude_of(int row) { return kPi * ((row + 0.5) / kRows - 0.5); }
double longitude_of(int column) { return 2 * kPi * ((column + 0.5) / kColumns - 0.5); }

}  // namespace

double density_width(int n) {
  return std::clamp(0.6 * std::pow(static_cast<double>(std::max(1, n)), -1.0 / 6), 0.08, 0.3);
}

//   rho(y) = sum_i m_i kappa / sinh(kappa) e^{kappa x_i . y},  kappa = 1 / h^2,
// relative to the uniform density; where a kernel is below e^{-9} of its peak it is left out.
std::vector<double> kernel_density(const HostSwarm& x, double h) {
  const double kappa = 1 / (h * h), peak = 2 * kappa / (1 - std::exp(-2 * kappa));
  const double least = std::max(-1.0, 1 - 9 / kappa), reach = std::acos(least);
  std::vector<double> cosine(kColumns), sine(kColumns);
  for (int c = 0; c < kColumns; ++c)
    cosine[c] = std::cos(longitude_of(c)), sine[c] = std::sin(longitude_of(c));
  std::vector<double> value(static_cast<std::size_t>(kRows) * kColumns);
  for (int i = 0; i < x.n(); ++i) {
    const double p[] = {x.at(i, 0), x.at(i, 1), x.at(i, 2)};
    if (!std::isfinite(p[0] + p[1] + p[2])) continue;
    const double latitude = std::asin(std::clamp(p[2], -1.0, 1.0));
    const double mass = static_cast<int>(x.mass.size()) == x.n() ? x.mass[i] : 1.0 / x.n();
    for (int r = 0; r < kRows; ++r) {
      const double at = latitude_of(r);
      if (std::abs(at - latitude) > reach) continue;
      const double flat = std::cos(at), high = std::sin(at) * p[2];
      for (int c = 0; c < kColumns; ++c) {
        const double along = flat * (cosine[c] * p[0] + sine[c] * p[1]) + high;
        if (along > least)
          value[static_cast<std::size_t>(r) * kColumns + c] +=
              mass * peak * std::exp(kappa * (along - 1));
      }
    }
  }
  return value;
}

}  // namespace murmur

namespace murmur::picture {

namespace {

// Colours of densities, the same at all times: plain up to three times the uniform density,
// logarithmic where it gathers more.
struct Scale {
  bool log = false;
  double low = 0, high = 1;
  double share(double density) const {
    if (!log) return (density - low) / (high - low);
    return std::log(std::max(density, low) / low) / std::log(high / low);
  }
};

Scale scale_of(const SphereDensity& density) {
  constexpr std::size_t kLooks = 16;
  const std::size_t last = density.times.size() - 1, looks = std::min(last, kLooks - 1);
  double most = 0;
  for (std::size_t k = 0; k <= looks; ++k) {
    const std::size_t frame = looks > 0 ? k * last / looks : 0;
    const std::vector<double> value = density.frame(static_cast<std::int64_t>(frame));
    most = std::max(most, *std::max_element(value.begin(), value.end()));
  }
  if (most <= 3) return {false, 0, std::max(most, 1.2)};
  return {true, 0.1, most};
}

// Between the four cells around a direction.
double value_at(const std::vector<double>& value, const Point& p) {
  const double latitude = std::asin(std::clamp<double>(p.z, -1, 1));
  const double longitude = std::atan2(p.y, p.x);
  const double row =
      std::clamp((latitude / kPi + 0.5) * kRows - 0.5, 0.0, static_cast<double>(kRows - 1));
  const double column = (longitude / (2 * kPi) + 0.5) * kColumns - 0.5 + kColumns;
  const int r = std::min(static_cast<int>(row), kRows - 2), c = static_cast<int>(column);
  const double v = row - r, u = column - c;
  const auto at = [&](int a, int b) {
    return value[static_cast<std::size_t>(a) * kColumns + b % kColumns];
  };
  return (1 - v) * ((1 - u) * at(r, c) + u * at(r, c + 1)) +
         v * ((1 - u) * at(r + 1, c) + u * at(r + 1, c + 1));
}

// The content of one picture.
struct GlobeMoment {
  double t = 0, progress = 0;
  std::vector<double> value{};
  std::vector<Point> tokens{};
};

struct Disc {
  double x, y, radius;
};

class GlobePainter {
 public:
  GlobePainter(Canvas& canvas, const Stage& stage, const Scale& scale)
      : canvas_(canvas), stage_(stage), theme_(*stage.theme), scale_(scale) {}

  void paint(const Disc& disc, const Camera& camera, const GlobeMoment& now) {
    paint_colours(disc, camera, now.value);
    paint_graticule(disc, camera);
    cairo_t* cr = canvas_.cr();
    const double speck = std::max(0.9, 0.0042 * disc.radius);
    for (const Point& p : now.tokens) {
      const Camera::Facing at = camera.from_afar(p);
      if (at.z <= 0) continue;
      cairo_new_sub_path(cr);
      cairo_arc(cr, disc.x + disc.radius * at.x, disc.y - disc.radius * at.y, speck, 0, 2 * kPi);
    }
    canvas_.ink(rgb(0xffffff), 0.75);
    cairo_fill(cr);
    cairo_arc(cr, disc.x, disc.y, disc.radius, 0, 2 * kPi);
    canvas_.ink(theme_.line, theme_.dark ? 0.5 : 0.6);
    cairo_set_line_width(cr, std::max(0.8, 1.3 * stage_.layout.unit));
    cairo_stroke(cr);
  }

  // Along the foot of the left column.
  void paint_bar(const Frame& frame) {
    cairo_t* cr = canvas_.cr();
    const double em = stage_.layout.small_size;
    constexpr int kStops = 9;  // heat_colour is straight between its anchors
    const Pattern colours(cairo_pattern_create_linear(frame.x, 0, frame.x + frame.width, 0));
    for (int k = 0; k <= kStops; ++k)
      Canvas::stop(colours, static_cast<double>(k) / kStops,
                   heat_colour(static_cast<double>(k) / kStops));
    cairo_set_source(cr, colours.get());
    cairo_rectangle(cr, frame.x, frame.y, frame.width, frame.height);
    cairo_fill(cr);
    std::vector<double> marks;
    if (scale_.log)
      for (double mark = 0.1; mark <= scale_.high; mark *= 10) marks.push_back(mark);
    else
      marks = nice_ticks(scale_.low, scale_.high, 4).at;
    for (const double mark : marks) {
      const double x = frame.x + frame.width * scale_.share(mark);
      const bool first = mark == marks.front();
      canvas_.text(
          x, frame.y + frame.height + 1.35 * em, scale_.log && first ? "≤ 0.1" : short_number(mark),
          {.size = em, .colour = theme_.quiet, .align = first ? Align::left : Align::centre});
    }
    canvas_.text(frame.x, frame.y - 0.6 * em, "density / uniform",
                 {.size = em, .colour = theme_.quiet});
  }

 private:
  void paint_colours(const Disc& disc, const Camera& camera, const std::vector<double>& value) {
    const int side = std::max(8, static_cast<int>(std::ceil(2 * disc.radius)));
    const Surface image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, side, side));
    unsigned char* data = cairo_image_surface_get_data(image.get());
    const int stride = cairo_image_surface_get_stride(image.get());
    const auto byte = [](double v) { return static_cast<std::uint32_t>(std::lround(255 * v)); };
    for (int row = 0; row < side; ++row) {
      auto* line =
          reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(row) * stride);
      for (int col = 0; col < side; ++col) {
        double x = 2 * (col + 0.5) / side - 1, y = 1 - 2 * (row + 0.5) / side;
        const double far = std::hypot(x, y);
        if (far > 1.02) continue;
        if (far > 1) x /= far, y /= far;  // the rim is cut by the disc below
        const double z = std::sqrt(std::max(0.0, 1 - x * x - y * y));
        const Colour hue = heat_colour(scale_.share(value_at(value, camera.on_sphere({x, y, z}))));
        const Colour c = mix(rgb(0), hue, 0.74 + 0.26 * z);  // darker towards the rim: it is round
        line[col] = byte(c.red) << 16 | byte(c.green) << 8 | byte(c.blue);
      }
    }
    cairo_surface_mark_dirty(image.get());
    cairo_t* cr = canvas_.cr();
    cairo_save(cr);
    cairo_arc(cr, disc.x, disc.y, disc.radius, 0, 2 * kPi);
    cairo_clip(cr);
    cairo_translate(cr, disc.x - disc.radius, disc.y - disc.radius);
    cairo_scale(cr, 2 * disc.radius / side, 2 * disc.radius / side);
    cairo_set_source_surface(cr, image.get(), 0, 0);
    cairo_paint(cr);
    cairo_restore(cr);
  }

  void paint_graticule(const Disc& disc, const Camera& camera) {
    constexpr int kPieces = 120;
    cairo_t* cr = canvas_.cr();
    const auto curve = [&](const auto& point) {
      bool drawing = false;
      for (int k = 0; k <= kPieces; ++k) {
        const Camera::Facing at = camera.from_afar(point(2 * kPi * k / kPieces));
        const double x = disc.x + disc.radius * at.x, y = disc.y - disc.radius * at.y;
        const bool here = at.z > 0;
        if (here && drawing) cairo_line_to(cr, x, y);
        if (here && !drawing) cairo_move_to(cr, x, y);
        drawing = here;
      }
    };
    const auto place = [](double v, double u) {
      return Point{static_cast<float>(std::cos(v) * std::cos(u)),
                   static_cast<float>(std::cos(v) * std::sin(u)), static_cast<float>(std::sin(v))};
    };
    for (int step = -2; step <= 2; ++step)
      curve([&](double s) { return place(step * kPi / 6, s); });
    for (int step = 0; step < 6; ++step) curve([&](double s) { return place(s, step * kPi / 6); });
    canvas_.ink(rgb(0xffffff), 0.14);
    cairo_set_line_width(cr, std::max(0.6, 0.9 * stage_.layout.unit));
    cairo_stroke(cr);
  }

  Canvas& canvas_;
  const Stage& stage_;
  const Theme& theme_;
  const Scale& scale_;
};

Stage set_globe(const SphereDensity& density, const SceneSettings& settings) {
  check_size(settings.style);
  if (density.times.empty() || !density.frame)
    throw Error(Fault::input, "there is no density to draw", "parameter times",
                "give at least one frame");
  Stage stage;
  stage.settings = settings;
  stage.settings.sphere = true;
  stage.theme = &theme_of(settings.style.dark);
  stage.shape = {1, 3};
  stage.projection.view = View::sphere;
  stage.clock.emplace(density.times, settings.log_time);
  stage.layout = lay_out_scene(stage, clean_text(settings.title), clean_text(settings.caption));
  return stage;
}

std::vector<Point> points_of(const SphereDensity& density, std::int64_t frame) {
  constexpr int kMostSpecks = 600;
  std::vector<Point> points;
  if (!density.tokens) return points;
  const HostSwarm x = density.tokens(frame);
  for (int i = 0; i < x.n() && x.n() <= kMostSpecks; ++i)
    points.push_back({static_cast<float>(x.at(i, 0)), static_cast<float>(x.at(i, 1)),
                      static_cast<float>(x.at(i, 2))});
  return points;
}

void draw_globe(Canvas& canvas, const Stage& stage, const Scale& scale, const GlobeMoment& now) {
  const Layout& at = stage.layout;
  const SceneSettings& settings = stage.settings;
  canvas.layer(kGround, [&] { canvas.backdrop(at.cx, at.cy, *stage.theme); });
  const double azimuth = settings.azimuth + settings.turn * now.progress;
  GlobePainter painter(canvas, stage, scale);
  painter.paint({at.cx, at.cy, at.radius}, Camera(azimuth, settings.elevation), now);
  const bool wide = canvas.width() >= 1.45 * canvas.height();
  const double em = at.small_size;
  if (wide) {
    const double radius = 0.46 * at.column, x = canvas.width() - at.margin - at.column / 2;
    const double y = at.bar - 2.4 * at.clock_size - radius;
    painter.paint({x, y, radius}, Camera(azimuth + kPi, -settings.elevation), now);
    canvas.text(x, y - radius - 0.9 * em, "the far side",
                {.size = em, .colour = stage.theme->quiet, .align = Align::centre});
    painter.paint_bar({at.margin, at.bar - 5.2 * at.clock_size, 0.9 * at.column, 0.9 * em});
  } else {
    const double width = 0.42 * (canvas.width() - 2 * at.margin);
    painter.paint_bar({canvas.width() - at.margin - width, at.bar - 3.4 * em, width, 0.8 * em});
  }
  draw_text(canvas, stage, {.t = now.t, .progress = now.progress});
}

// Between stored frames densities and tokens are interpolated linearly.
class GlobeFrames {
 public:
  GlobeFrames(const SphereDensity& density, const Stage& stage, int frames)
      : density_(density), stage_(stage), frames_(frames) {}

  GlobeMoment at(int frame) {
    GlobeMoment now;
    now.progress = frames_ > 1 ? static_cast<double>(frame) / (frames_ - 1) : 1;
    now.t = stage_.clock->time(now.progress);
    const std::vector<double>& times = density_.times;
    const auto after = std::upper_bound(times.begin(), times.end(), now.t) - times.begin();
    const auto last = static_cast<std::int64_t>(times.size()) - 1;
    const std::int64_t k = std::clamp<std::int64_t>(after - 1, 0, last);
    read(k);
    now.value = value_, now.tokens = tokens_;
    if (k == last || now.t <= times[k]) return now;
    const double share = (now.t - times[k]) / (times[k + 1] - times[k]);
    for (std::size_t c = 0; c < now.value.size(); ++c)
      now.value[c] += share * (next_value_[c] - now.value[c]);
    for (std::size_t i = 0; i < now.tokens.size(); ++i) {
      const auto part = static_cast<float>(share);
      Point& p = now.tokens[i];
      const Point& q = next_tokens_[i];
      p = {p.x + part * (q.x - p.x), p.y + part * (q.y - p.y), p.z + part * (q.z - p.z)};
    }
    return now;
  }

 private:
  void read(std::int64_t k) {
    if (k == frame_) return;
    const bool follows = k == frame_ + 1 && frame_ >= 0;
    value_ = follows ? std::move(next_value_) : density_.frame(k);
    tokens_ = follows ? std::move(next_tokens_) : points_of(density_, k);
    if (k + 1 < static_cast<std::int64_t>(density_.times.size())) {
      next_value_ = density_.frame(k + 1);
      next_tokens_ = points_of(density_, k + 1);
    }
    frame_ = k;
  }

  const SphereDensity& density_;
  const Stage& stage_;
  int frames_;
  std::int64_t frame_ = -1;
  std::vector<double> value_{}, next_value_{};
  std::vector<Point> tokens_{}, next_tokens_{};
};

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

void draw_density(const SphereDensity& density, std::int64_t frame, const SceneSettings& settings,
                  const std::filesystem::path& png) {
  const Stage stage = set_globe(density, settings);
  if (frame < 0 || frame >= static_cast<std::int64_t>(density.times.size()))
    throw Error(Fault::input, fmt::format("there is no frame {}", frame), "parameter frame",
                fmt::format("choose a frame from 0 to {}", density.times.size() - 1));
  const double t = density.times[static_cast<std::size_t>(frame)];
  Canvas canvas(settings.style.width, settings.style.height);
  draw_globe(canvas, stage, scale_of(density),
             {t, stage.clock->progress(t), density.frame(frame), points_of(density, frame)});
  canvas.save(png);
}

bool film_density(const SphereDensity& density, const FilmSettings& settings,
                  const std::filesystem::path& mp4) {
  const int frames = count_frames(settings.fps, settings.seconds);
  const Stage stage = set_globe(density, settings.scene);
  const Scale scale = scale_of(density);
  GlobeFrames globe_frames(density, stage, frames);
  std::vector<GlobeMoment> moments(static_cast<std::size_t>(frames));
  const FrameSource source{.prepare = [&](int frame) { moments[frame] = globe_frames.at(frame); },
                           .draw =
                               [&](Canvas& canvas, int frame) {
                                 draw_globe(canvas, stage, scale, moments[frame]);
                                 moments[frame] = {};
                               }};
  return encode({.style = settings.scene.style,
                 .fps = settings.fps,
                 .seconds = settings.seconds,
                 .threads = settings.threads,
                 .stop = settings.stop},
                source, mp4);
}

}  // namespace murmur
