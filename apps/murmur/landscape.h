// landscape.h: what the command landscape found, and how it is drawn.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/landscape.h"

namespace murmur::app {

std::span<const Parameter> landscape_parameters();

// The best points as figures/landscape.svg and .png: on the circle F around it and atoms as spokes,
// on S^2 F as a map, in more dimensions energy against index. Error(tool) without gnuplot.
std::vector<std::filesystem::path> draw_landscape(const Landscape& landscape, const Search& search,
                                                  const std::filesystem::path& directory);

}  // namespace murmur::app
