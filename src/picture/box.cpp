// box.cpp: draws a swarm in R^d, d > 2, in a box with grids on the three faces behind it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "picture/stage.h"
#include "picture/swarm_paint.h"

namespace murmur::picture {

namespace {

struct Spot {
  double x, y;  // pixels
};

class Crate {
 public:
  Crate(Canvas& canvas, const Stage& stage, const Camera& camera)
      : canvas_(canvas), stage_(stage), camera_(camera), at_(stage.layout) {
    for (int k = 0; k < 3; ++k) {
      half_[k] = stage.projection.half[k] * stage.projection.scale;
      back_[k] = camera.sees_side(k, 1) ? -half_[k] : half_[k];
    }
    fit();
  }

  Spot spot(const std::array<double, 3>& p) const {
    const Sight seen = camera_.project(
        {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
    return {cx_ + zoom_ * seen.x, cy_ - zoom_ * seen.y};
  }

  void paint() {
    for (int k = 0; k < 3; ++k) paint_face(k);
    for (int k = 0; k < 3; ++k) paint_scale(k);
  }

  // Shadows straight below on the floor: they tell how high a particle is.
  void paint_shadows(const std::vector<Point>& points) {
    if (points.size() > 4000) return;
    std::unordered_set<std::uint64_t> taken;
    const Colour dark = stage_.look->dark ? rgb(0x000000) : stage_.look->shade;
    for (const Point& p : points) {
      if (!is_finite(p)) continue;
      const Spot s = spot({p.x, p.y, back_[2]});
      const auto cell =
          static_cast<std::uint64_t>(static_cast<std::uint32_t>(std::lround(s.x / stage_.dot)))
              << 32 |
          static_cast<std::uint32_t>(std::lround(s.y / stage_.dot));
      if (taken.insert(cell).second)
        canvas_.haze(s.x, s.y, 1.4 * stage_.dot, dark, stage_.look->dark ? 0.28 : 0.15);
    }
  }

 private:
  // As large as the corners allow wherever the camera travels, with room for numbers and names.
  void fit() {
    constexpr int kLooks = 9;
    double left = 0, right = 0, low = 0, high = 0;
    for (int look = 0; look < kLooks; ++look) {
      const Camera camera(stage_.settings.azimuth + stage_.settings.turn * look / (kLooks - 1),
                          stage_.settings.elevation);
      for (int corner = 0; corner < 8; ++corner) {
        const auto along = [&](int k) {
          return static_cast<float>(corner >> k & 1 ? half_[k] : -half_[k]);
        };
        const Sight seen = camera.project({along(0), along(1), along(2)});
        left = std::min(left, seen.x), right = std::max(right, seen.x);
        low = std::min(low, seen.y), high = std::max(high, seen.y);
      }
    }
    const double beside = 4.6 * at_.small_size, below = 3.4 * at_.small_size;
    const double width = 2 * at_.reach - 2 * beside, height = 2 * at_.tall - below;
    zoom_ = std::min(width / (right - left), height / (high - low));
    cx_ = at_.cx - zoom_ * (left + right) / 2;
    cy_ = at_.cy - 0.5 * below + zoom_ * (low + high) / 2;
  }

  Ticks ticks(int k) const {
    const Projection& box = stage_.projection;
    const double share = box.half[k] / *std::max_element(box.half.begin(), box.half.end());
    return nice_ticks(box.centre[k] - box.half[k], box.centre[k] + box.half[k],
                      share > 0.6 ? 5 : 3);
  }
  double scene(int k, double value) const {
    return (value - stage_.projection.centre[k]) * stage_.projection.scale;
  }

  // The face across axis k that lies behind everything, with its grid.
  void paint_face(int k) {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    cairo_t* cr = canvas_.cr();
    const auto corner = [&](int sa, int sb) {
      std::array<double, 3> p{};
      p[k] = back_[k], p[a] = sa * half_[a], p[b] = sb * half_[b];
      return spot(p);
    };
    for (const auto& [sa, sb] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
      const Spot s = corner(sa, sb);
      cairo_line_to(cr, s.x, s.y);
    }
    cairo_close_path(cr);
    const double fill = stage_.look->dark ? (k == 2 ? 0.55 : 0.3) : (k == 2 ? 0.75 : 0.4);
    canvas_.ink(stage_.look->body, fill);
    cairo_fill_preserve(cr);
    canvas_.ink(stage_.look->line, 0.3);
    cairo_set_line_width(cr, std::max(0.6, 0.9 * at_.unit));
    cairo_stroke(cr);
    for (const auto& [along, across] : {std::pair{a, b}, {b, a}}) {
      for (double tick : ticks(along).at) {
        std::array<double, 3> p{};
        p[k] = back_[k], p[along] = scene(along, tick), p[across] = -half_[across];
        const Spot from = spot(p);
        p[across] = half_[across];
        const Spot to = spot(p);
        canvas_.line(from.x, from.y, to.x, to.y);
      }
    }
    canvas_.ink(stage_.look->line, stage_.look->dark ? 0.14 : 0.17);
    cairo_stroke(cr);
  }

  // Numbers and name of axis k along the edge where they hide nothing: x and y on the near edges
  // of the floor, z on the leftmost upright edge.
  void paint_scale(int k) {
    std::array<double, 3> edge = back_;
    if (k == 0) edge[1] = -back_[1];
    if (k == 1) edge[0] = -back_[0];
    if (k == 2) {
      const Spot one = spot({-back_[0], back_[1], 0}), two = spot({back_[0], -back_[1], 0});
      edge[one.x < two.x ? 0 : 1] *= -1;
    }
    edge[k] = 0;
    const Spot middle = spot({0, 0, k == 2 ? 0 : back_[2]}), mid_edge = spot(edge);
    const double reach = std::hypot(mid_edge.x - middle.x, mid_edge.y - middle.y);
    const Spot out{(mid_edge.x - middle.x) / reach, (mid_edge.y - middle.y) / reach};
    const TextStyle small{
        .size = at_.small_size, .colour = stage_.look->quiet, .align = Align::centre};
    const Ticks marks = ticks(k);
    double widest = 0;
    for (double tick : marks.at) {
      edge[k] = scene(k, tick);
      const Spot s = spot(edge);
      const double width = canvas_.text_width(marks.text(tick), small.size);
      widest = std::max(widest, width);
      const double away = 0.9 * small.size + std::abs(out.x) * width / 2;
      canvas_.text(s.x + away * out.x, s.y + away * out.y + 0.36 * small.size, marks.text(tick),
                   small);
    }
    TextStyle name = small;
    name.size *= 1.15;
    name.colour = mix(stage_.look->quiet, stage_.look->ink, 0.6);
    const double away = 2.5 * small.size + std::abs(out.x) * widest;
    canvas_.text(mid_edge.x + away * out.x, mid_edge.y + away * out.y + 0.36 * name.size,
                 axis_name(k), name);
  }

  std::string axis_name(int k) const {
    static const char* const subscripts[] = {"₁", "₂", "₃"};
    if (stage_.projection.principal) return fmt::format("PC {}", k + 1);
    return fmt::format("{}{}", stage_.settings.axes.empty() ? "x" : "a", subscripts[k]);
  }

  Canvas& canvas_;
  const Stage& stage_;
  const Camera& camera_;
  const Layout& at_;
  std::array<double, 3> half_{}, back_{};
  double zoom_ = 1, cx_ = 0, cy_ = 0;  // pixels a sight's unit; where the middle of the box is
};

}  // namespace

void draw_box(Canvas& canvas, const Stage& stage, const Past& past, double azimuth) {
  const Camera camera(azimuth, stage.settings.elevation);
  Crate crate(canvas, stage, camera);
  const auto place = [&](const Point& p) {
    const Spot s = crate.spot({p.x, p.y, p.z});
    return Mark{s.x, s.y, 0};
  };
  crate.paint();
  const Layout& at = stage.layout;
  const SceneClip clip(canvas, {at.cx - at.reach, at.cy - at.tall, 2 * at.reach, 2 * at.tall});
  crate.paint_shadows(past.back()->points);
  paint_starts(canvas, stage, place, 0);
  paint_trails(canvas, stage, place_marks(stage, past, place), trail_style(stage));
  paint_dots(canvas, stage, deep_dots(stage, *past.back(), camera, place, 0.42));
}

}  // namespace murmur::picture
