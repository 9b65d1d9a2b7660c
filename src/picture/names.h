// names.h: words beside moving dots: never one over another, each at rest beside its own.
#pragma once

#include <string>
#include <vector>

#include "picture/canvas.h"

namespace murmur::picture {

// A dot that has a name, at one instant; pixels.
struct NamedDot {
  double x = 0, y = 0, radius = 0;
  bool seen = true;  // false: off the picture, or nowhere
};

// A name at one instant: the middle of its box and how much of it shows.
struct PlacedName {
  int name = 0;
  double x = 0, y = 0;  // pixels, middle
  double alpha = 1;
  bool far = false;  // away from its dot, and tied to it by a line
};

struct NamePlan {
  std::vector<double> widths{};    // (names) pixels, in order of preference
  double size = 14;                // of the letters
  Frame area{};                    // within which names stay
  std::vector<Frame> kept_free{};  // by other texts
  int fade = 8;                    // instants in which a name comes or goes
};

// (instants) what is shown of every name. A name keeps its place beside its dot as long as that is
// free; where it must take another it goes and comes, and never slides. Boxes of names that show at
// one instant do not meet, dots are covered where there is no other way. dots: (instants, names).
std::vector<std::vector<PlacedName>> plan_names(const NamePlan& plan,
                                                const std::vector<std::vector<NamedDot>>& dots);

// The box of a name around its middle.
Frame box_of(const NamePlan& plan, const PlacedName& at);

}  // namespace murmur::picture
