// sweep_figures.h: the heat maps of a finished sweep.
#pragma once

#include <filesystem>
#include <vector>

#include "murmur/sweep.h"

namespace murmur::app {

// The observable over time and the first numeric axis, and over the first two numeric axes at the
// last time, one panel a setting of the others; the paths of what was drawn.
std::vector<std::filesystem::path> draw_sweep(const Sweep& sweep, const SweepOutcome& outcome,
                                              const std::filesystem::path& directory);
// Whether figures/ holds something, or there is nothing to draw.
bool is_drawn(const Sweep& sweep, const std::filesystem::path& directory);

}  // namespace murmur::app
