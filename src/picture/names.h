// names.h: places names next to moving dots so that no name covers another.
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

// A name at one instant: the middle of its box and how visible it is.
struct PlacedName {
  int name = 0;
  double x = 0, y = 0;  // pixels, middle
  double alpha = 1;
  bool far = false;  // away from its dot, with a line to it
};

struct NamePlan {
  std::vector<double> widths{};    // (names) pixels, in order of preference
  double size = 14;                // of the letters
  Frame area{};                    // within which names stay
  std::vector<Frame> kept_free{};  // by other texts
  int fade = 8;                    // instants over which a name fades in or out
};

// (instants) what is shown of every name. A name keeps its place next to its dot as long as that is
// free; otherwise it fades out and appears at another place, and never slides. The boxes of names
// that are visible at one instant do not overlap; a name covers a dot only where every other place
// is worse. dots: (instants, names).
std::vector<std::vector<PlacedName>> plan_names(const NamePlan& plan,
                                                const std::vector<std::vector<NamedDot>>& dots);

// The box of a name around its middle.
Frame box_of(const NamePlan& plan, const PlacedName& at);

}  // namespace murmur::picture
