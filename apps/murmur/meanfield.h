// meanfield.h: how runs of the command meanfield are drawn.
#pragma once

#include <filesystem>
#include <vector>

#include "command.h"
#include "murmur/curves.h"
#include "murmur/meanfield.h"

namespace murmur::app {

// A run read back and drawn as figures/meanfield.svg and .png: the density over angle and time, or
// on the sphere at three times; amplitudes beside their predicted growth; energy and order with the
// phases marked. Error(tool) without gnuplot.
std::vector<std::filesystem::path> draw_meanfield(const std::filesystem::path& directory,
                                                  FigureStyle style);

// Order over kappa, swept up and down, and where theory expects the onset; .svg, .png or .pdf.
void draw_bifurcation(const Bifurcation& bifurcation, double predicted_onset,
                      const std::filesystem::path& path);

}  // namespace murmur::app
