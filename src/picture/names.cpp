// names.cpp: finds the best place of each name over a whole film, and paints names and lines of
// attention on a scene.
#include "picture/names.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "picture/swarm_paint.h"

namespace murmur::picture {

namespace {

constexpr double kForbidden = std::numeric_limits<double>::infinity();
constexpr int kDirections = 16;
constexpr double kGaps[] = {0.25, 1.1, 2.3, 3.8, 5.5};  // between dot and name, in letters
constexpr int kSlots = kDirections * static_cast<int>(std::size(kGaps));
constexpr int kHidden = kSlots;

// The cost of a place for one instant.
constexpr double kFarther = 0.8;  // a gap wider
constexpr double kAskew = 0.15;   // at most, where it is not right or left of its dot
constexpr double kCovered = 0.9;  // another dot lies under it
constexpr double kAbsent = 9;     // the name is not shown
constexpr double kMove = 45;      // to take another place, once

bool meet(const Frame& a, const Frame& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

bool holds(const Frame& outer, const Frame& inner) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

bool covers(const Frame& box, const NamedDot& dot) {
  const double dx = dot.x - std::clamp(dot.x, box.x, box.x + box.width);
  const double dy = dot.y - std::clamp(dot.y, box.y, box.y + box.height);
  return dx * dx + dy * dy < dot.radius * dot.radius;
}

Frame box_around(double x, double y, double width, double size) {
  const double high = 1.3 * size, wide = width + 0.5 * size;
  return {x - wide / 2, y - high / 2, wide, high};
}

class NamePlanner {
 public:
  NamePlanner(const NamePlan& plan, const std::vector<std::vector<NamedDot>>& dots)
      : plan_(plan), dots_(dots), taken_(dots.size()), placed_(dots.size()) {}

  std::vector<std::vector<PlacedName>> plan() {
    for (int name = 0; name < static_cast<int>(plan_.widths.size()); ++name) {
      const std::vector<int> slots = cheapest_slots(name);
      show(name, slots);
    }
    return placed_;
  }

 private:
  // The middle of a name in a slot next to its dot.
  PlacedName in_slot(int name, int slot, const NamedDot& dot) const {
    const double angle = 2 * std::numbers::pi * (slot % kDirections) / kDirections;
    const double gap = dot.radius + kGaps[slot / kDirections] * plan_.size;
    const double c = std::cos(angle), s = std::sin(angle);
    const Frame box = box_around(0, 0, plan_.widths[static_cast<std::size_t>(name)], plan_.size);
    return {.name = name,
            .x = dot.x + gap * c + 0.5 * box.width * std::clamp(1.6 * c, -1.0, 1.0),
            .y = dot.y + gap * s + 0.5 * box.height * std::clamp(1.6 * s, -1.0, 1.0),
            .far = slot >= kDirections};
  }

  double cost(int name, int slot, std::size_t instant) const {
    const NamedDot& dot = dots_[instant][static_cast<std::size_t>(name)];
    if (!dot.seen) return kForbidden;
    const Frame box = box_of(plan_, in_slot(name, slot, dot));
    if (!holds(plan_.area, box)) return kForbidden;
    for (const Frame& kept : plan_.kept_free)
      if (meet(box, kept)) return kForbidden;
    for (const Frame& other : taken_[instant])
      if (meet(box, other)) return kForbidden;
    const double turned = std::abs(std::sin(2 * std::numbers::pi * slot / kDirections));
    double sum = kFarther * (slot / kDirections) + kAskew * turned;
    for (const NamedDot& other : dots_[instant])
      sum += other.seen && covers(box, other) ? kCovered : 0;
    return sum;
  }

  // (instants) the slots of least cost over all time, moves counted: Viterbi's algorithm, in which
  // a move from any slot costs the same.
  std::vector<int> cheapest_slots(int name) const {
    const std::size_t instants = dots_.size();
    std::vector<std::vector<int>> came(instants, std::vector<int>(kSlots + 1, kHidden));
    std::vector<double> so_far(kSlots + 1, 0.0);
    for (std::size_t t = 0; t < instants; ++t) {
      const auto least = std::min_element(so_far.begin(), so_far.end());
      const int best = static_cast<int>(least - so_far.begin());
      const double moved = t == 0 ? 0 : *least + kMove;
      std::vector<double> next(kSlots + 1, kForbidden);
      for (int slot = 0; slot <= kSlots; ++slot) {
        const double here = slot == kHidden ? kAbsent : cost(name, slot, t);
        const bool stays = so_far[static_cast<std::size_t>(slot)] <= moved;
        came[t][static_cast<std::size_t>(slot)] = stays ? slot : best;
        next[static_cast<std::size_t>(slot)] = (t == 0  ? 0
                                                : stays ? so_far[static_cast<std::size_t>(slot)]
                                                        : moved) +
                                               here;
      }
      so_far = std::move(next);
    }
    std::vector<int> slots(instants);
    int slot = static_cast<int>(std::min_element(so_far.begin(), so_far.end()) - so_far.begin());
    for (std::size_t t = instants; t-- > 0;) {
      slots[t] = slot;
      slot = came[t][static_cast<std::size_t>(slot)];
    }
    return slots;
  }

  // Reserves the room of a name; a name that appears or disappears during the film fades.
  void show(int name, const std::vector<int>& slots) {
    for (std::size_t from = 0; from < slots.size();) {
      std::size_t to = from;
      while (to < slots.size() && slots[to] == slots[from]) ++to;
      for (std::size_t t = from; t < to && slots[from] != kHidden; ++t) {
        PlacedName at = in_slot(name, slots[t], dots_[t][static_cast<std::size_t>(name)]);
        taken_[t].push_back(box_of(plan_, at));
        const double came = from == 0 ? 1 : static_cast<double>(t - from + 1) / plan_.fade;
        const double goes = to == slots.size() ? 1 : static_cast<double>(to - t) / plan_.fade;
        at.alpha = std::min({1.0, came, goes});
        placed_[t].push_back(at);
      }
      from = to;
    }
  }

  const NamePlan& plan_;
  const std::vector<std::vector<NamedDot>>& dots_;
  std::vector<std::vector<Frame>> taken_;
  std::vector<std::vector<PlacedName>> placed_;
};

}  // namespace

Frame box_of(const NamePlan& plan, const PlacedName& at) {
  return box_around(at.x, at.y, plan.widths[static_cast<std::size_t>(at.name)], plan.size);
}

std::vector<std::vector<PlacedName>> plan_names(const NamePlan& plan,
                                                const std::vector<std::vector<NamedDot>>& dots) {
  return NamePlanner(plan, dots).plan();
}

namespace {

double name_size(const Stage& stage) {
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

NameTracker::NameTracker(const Stage& stage, int width, int height) : stage_(stage) {
  if (!any()) return;
  plan_.size = name_size(stage);
  const double edge = 0.3 * stage.layout.margin;
  plan_.area = {edge, edge, width - 2 * edge, height - 2 * edge};
  plan_.kept_free = texts_of(stage, width);
  Canvas ruler(8, 8);
  for (const NamedParticle& named : stage.settings.names)
    plan_.widths.push_back(ruler.text_width(clean_text(named.name), plan_.size, named.strong));
}

void NameTracker::add_frame(const std::vector<Point>& points, double azimuth) {
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

std::vector<std::vector<PlacedName>> NameTracker::plan(int fade) const {
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
      canvas.ink(
          mix(class_colour(stage.label(tie.from), stage.theme->dark), stage.theme->ink, 0.55),
          strength * (0.18 + 0.5 * std::sqrt(tie.share)));
      cairo_fill(canvas.cr());
    }
  };
  const double last = static_cast<double>(ties.size());
  const double t = std::clamp(stage.frame_at(now.t), 0.0, last);
  // At frame k the block that acted last, k - 1; at the first frame the block that acts next.
  const auto block = static_cast<std::size_t>(std::max(0.0, std::min(std::ceil(t), last) - 1));
  const double in = std::min(1.0, 3 * (t - static_cast<double>(block)));
  if (block > 0 && in < 1) paint(block - 1, 1 - in);
  paint(block, block == 0 ? 1 : in);
}

void paint_names(Canvas& canvas, const Stage& stage, const Snapshot& now, const Place& place) {
  if (now.names.empty()) return;
  const double size = name_size(stage);
  const Theme& theme = *stage.theme;
  for (const PlacedName& at : now.names) {
    const NamedParticle& named = stage.settings.names[static_cast<std::size_t>(at.name)];
    const std::string text = clean_text(named.name);
    if (at.far) {
      const Mark dot = place(now.points[static_cast<std::size_t>(named.particle)]);
      const double wide = canvas.text_width(text, size, named.strong) / 2 + 0.15 * size;
      cairo_set_line_width(canvas.cr(), std::max(0.7, 0.9 * stage.layout.unit));
      canvas.line(dot.x, dot.y, std::clamp(dot.x, at.x - wide, at.x + wide),
                  std::clamp(dot.y, at.y - 0.55 * size, at.y + 0.55 * size));
      canvas.ink(theme.quiet, 0.55 * at.alpha);
      cairo_stroke(canvas.cr());
    }
    canvas.outlined_text(at.x, at.y + 0.36 * size, text,
                         {.size = size,
                          .colour = named.quiet ? theme.quiet : theme.ink,
                          .bold = named.strong,
                          .align = Align::centre,
                          .alpha = at.alpha},
                         theme.dark ? theme.edge : theme.centre);
  }
}

}  // namespace murmur::picture
