// named_stage.cpp: sees named particles frame by frame, and paints names and lines of attention.
#include "picture/named_stage.h"

#include <algorithm>
#include <cmath>

namespace murmur::picture {

namespace {

double letters_of(const Stage& stage) {
  const auto names = static_cast<double>(stage.settings.names.size());
  const double most = 15.5 * stage.layout.unit;
  return std::max(9.5, most * std::pow(24.0 / std::max(24.0, names), 0.25));
}

double apparent_radius(const Stage& stage, const Point& p, int i, double azimuth) {
  const double radius = stage.dot * stage.size[static_cast<std::size_t>(i)];
  if (stage.projection.view == View::circle) return radius;
  return radius * Camera(azimuth, stage.settings.elevation).project(p).scale;
}

// Title and caption, chart and clock.
std::vector<Frame> texts_of(const Stage& stage, double width) {
  const Layout& at = stage.layout;
  const double lines = 1.25 * at.title_size * static_cast<double>(at.title.size()) +
                       1.45 * at.caption_size * static_cast<double>(at.caption.size() + 2);
  const double column = at.column > 0 ? 1.4 * at.column : width;
  const double wide = at.column > 0 ? at.column : width;
  std::vector<Frame> texts{
      {0, 0, at.margin + column, at.margin + 1.5 * at.title_size},
      {0, 0, at.margin + wide + 0.3 * at.margin, at.margin + lines},
      {0, at.bar - 1.7 * at.clock_size, width, 1.7 * at.clock_size + at.margin}};
  if (stage.strip) texts.push_back(at.strip);
  return texts;
}

}  // namespace

NameStage::NameStage(const Stage& stage, int width, int height) : stage_(stage) {
  if (!any()) return;
  plan_.size = letters_of(stage);
  const double edge = 0.3 * stage.layout.margin;
  plan_.area = {edge, edge, width - 2 * edge, height - 2 * edge};
  plan_.kept_free = texts_of(stage, width);
  Canvas ruler(8, 8);
  for (const NamedParticle& named : stage.settings.names)
    plan_.widths.push_back(ruler.text_width(clean_text(named.name), plan_.size, named.strong));
}

void NameStage::see(const std::vector<Point>& points, double azimuth) {
  std::vector<NamedDot>& seen = dots_.emplace_back();
  for (const NamedParticle& named : stage_.settings.names) {
    const Point& p = points[static_cast<std::size_t>(named.particle)];
    if (!is_finite(p)) {
      seen.push_back({.seen = false});
      continue;
    }
    const Mark at = place_on_stage(stage_, p, azimuth);
    seen.push_back({at.x, at.y, apparent_radius(stage_, p, named.particle, azimuth), true});
  }
}

std::vector<std::vector<PlacedName>> NameStage::planned(int fade) const {
  NamePlan plan = plan_;
  plan.fade = std::max(1, fade);
  return plan_names(plan, dots_);
}

Mark place_on_stage(const Stage& stage, const Point& p, double azimuth) {
  const Layout& at = stage.layout;
  if (stage.projection.view == View::circle) {
    const double size = std::hypot(p.x, p.y), r = size > 0 ? kCircle * at.radius / size : 0;
    return {at.cx + r * p.x, at.cy - r * p.y, 0};
  }
  const Sight seen = Camera(azimuth, stage.settings.elevation).project(p);
  return {at.cx + at.radius * seen.x, at.cy - at.radius * seen.y, 0};
}

void paint_ties(Canvas& canvas, const Stage& stage, const Snapshot& now, const Place& place) {
  const auto& ties = stage.settings.ties;
  if (ties.empty()) return;
  const auto paint = [&](std::size_t frame, double strength) {
    for (const Tie& tie : ties[frame]) {
      const Mark from = place(now.points[static_cast<std::size_t>(tie.from)]);
      const Mark to = place(now.points[static_cast<std::size_t>(tie.to)]);
      const double dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
      if (!(length > 1)) continue;
      const double half = (0.6 + 4.5 * std::sqrt(tie.share)) * stage.layout.unit / 2;
      const double nx = -dy / length * half, ny = dx / length * half;
      cairo_move_to(canvas.cr(), from.x + nx, from.y + ny);
      cairo_line_to(canvas.cr(), to.x + 0.15 * nx, to.y + 0.15 * ny);
      cairo_line_to(canvas.cr(), to.x - 0.15 * nx, to.y - 0.15 * ny);
      cairo_line_to(canvas.cr(), from.x - nx, from.y - ny);
      cairo_close_path(canvas.cr());
      canvas.ink(mix(class_colour(stage.label(tie.from), stage.look->dark), stage.look->ink, 0.55),
                 strength * (0.18 + 0.5 * std::sqrt(tie.share)));
      cairo_fill(canvas.cr());
    }
  };
  const double last = static_cast<double>(ties.size());
  const double t = std::clamp(stage.frame_at(now.t), 0.0, last);
  // At frame k what acted last, block k - 1; at the first frame what acts next.
  const auto block = static_cast<std::size_t>(std::max(0.0, std::min(std::ceil(t), last) - 1));
  const double in = std::min(1.0, 3 * (t - static_cast<double>(block)));
  if (block > 0 && in < 1) paint(block - 1, 1 - in);
  paint(block, block == 0 ? 1 : in);
}

void paint_names(Canvas& canvas, const Stage& stage, const Snapshot& now, const Place& place) {
  if (now.names.empty()) return;
  const double size = letters_of(stage);
  const Theme& look = *stage.look;
  for (const PlacedName& at : now.names) {
    const NamedParticle& named = stage.settings.names[static_cast<std::size_t>(at.name)];
    const std::string text = clean_text(named.name);
    if (at.far) {
      const Mark dot = place(now.points[static_cast<std::size_t>(named.particle)]);
      const double wide = canvas.text_width(text, size, named.strong) / 2 + 0.15 * size;
      cairo_set_line_width(canvas.cr(), std::max(0.7, 0.9 * stage.layout.unit));
      canvas.line(dot.x, dot.y, std::clamp(dot.x, at.x - wide, at.x + wide),
                  std::clamp(dot.y, at.y - 0.55 * size, at.y + 0.55 * size));
      canvas.ink(look.quiet, 0.55 * at.alpha);
      cairo_stroke(canvas.cr());
    }
    canvas.outlined_text(at.x, at.y + 0.36 * size, text,
                         {.size = size,
                          .colour = named.quiet ? look.quiet : look.ink,
                          .bold = named.strong,
                          .align = Align::centre,
                          .alpha = at.alpha},
                         look.dark ? look.edge : look.centre);
  }
}

}  // namespace murmur::picture
