// names.cpp: finds the quietest place of each name over a whole film, one name after the other.
#include "picture/names.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace murmur::picture {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kDirections = 16;
constexpr double kGaps[] = {0.25, 1.1, 2.3, 3.8, 5.5};  // between dot and name, in letters
constexpr int kSlots = kDirections * static_cast<int>(std::size(kGaps));
constexpr int kHidden = kSlots;

// What a place costs an instant.
constexpr double kFarther = 0.8;  // a gap wider
constexpr double kAskew = 0.15;   // at most, where it is not right or left of its dot
constexpr double kCovered = 0.9;  // another dot lies under it
constexpr double kAbsent = 9;     // it does not show
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

  std::vector<std::vector<PlacedName>> planned() {
    for (int name = 0; name < static_cast<int>(plan_.widths.size()); ++name) {
      const std::vector<int> slots = quietest(name);
      show(name, slots);
    }
    return placed_;
  }

 private:
  // The middle of a name in a slot beside its dot.
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
    if (!dot.seen) return kNever;
    const Frame box = box_of(plan_, in_slot(name, slot, dot));
    if (!holds(plan_.area, box)) return kNever;
    for (const Frame& kept : plan_.kept_free)
      if (meet(box, kept)) return kNever;
    for (const Frame& other : taken_[instant])
      if (meet(box, other)) return kNever;
    const double turned = std::abs(std::sin(2 * std::numbers::pi * slot / kDirections));
    double sum = kFarther * (slot / kDirections) + kAskew * turned;
    for (const NamedDot& other : dots_[instant])
      sum += other.seen && covers(box, other) ? kCovered : 0;
    return sum;
  }

  // (instants) the slots of least cost over all time, moves counted: Viterbi's algorithm, in which
  // a move from any slot costs the same.
  std::vector<int> quietest(int name) const {
    const std::size_t instants = dots_.size();
    std::vector<std::vector<int>> came(instants, std::vector<int>(kSlots + 1, kHidden));
    std::vector<double> so_far(kSlots + 1, 0.0);
    for (std::size_t t = 0; t < instants; ++t) {
      const auto least = std::min_element(so_far.begin(), so_far.end());
      const int best = static_cast<int>(least - so_far.begin());
      const double moved = t == 0 ? 0 : *least + kMove;
      std::vector<double> next(kSlots + 1, kNever);
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

  // Takes the room; a name that comes or goes in mid-film does so by and by.
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
  return NamePlanner(plan, dots).planned();
}

}  // namespace murmur::picture
