// portrait.h: draws measures on the circle and on S^2 over a function there, with units beside.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "murmur/curves.h"
#include "murmur/matrix.h"

namespace murmur {

// One measure sum_i mass_i delta_{x_i} on S^{d-1}, d = 2 or 3. On the circle the function is drawn
// around it, atoms are spokes as long as their masses, and units arcs where they are active,
// a_m . x > 0. On S^2 two discs show both halves as colours, the heaviest atom in front, atoms as
// discs whose area is their mass, and units as great circles a_m . x = 0.
struct Portrait {
  std::string title{}, subtitle{};
  Matrix atoms{};                                  // (count, d)
  Vector mass{};                                   // (count)
  std::function<Vector(const Matrix& x)> value{};  // (points) at the rows of x (points, d)
  Matrix units{};                                  // (h, d) a_m; empty: none
  Vector omega{};                                  // (h)
  std::vector<Vector> extrema{};                   // of the potential alone
};

struct PortraitSheet {
  std::string value_name{}, extrema_name{};  // in the key: what is drawn, and what the ticks mark
  std::vector<Portrait> portraits{};         // all of one d
};

// The portraits row by row with one key below, as SVG, PNG or PDF by the path's ending.
// Error(input) for another d, or shapes that do not fit.
void draw_portraits(const PortraitSheet& sheet, FigureStyle style,
                    const std::filesystem::path& figure);

}  // namespace murmur
