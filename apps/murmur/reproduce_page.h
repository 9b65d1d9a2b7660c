// reproduce_page.h: figures of reproductions, and one page that shows many of them.
#pragma once

#include <string>
#include <vector>

#include "murmur/curves.h"
#include "murmur/reproduce.h"
#include "options.h"

namespace murmur::app {

// Draws the panels of each figure into the folder as NAME.svg and NAME.png, the numbers being in
// the tables' CSV beside. Error(tool) where gnuplot is missing.
void draw_figures(const Reproduction& done, FigureStyle style);

// --style paper, slides or dark, and what the word means.
void add_style(Options& sub, std::string& style);
FigureStyle style_of(const std::string& style);

// One self-contained HTML page: verdicts and figures, in the order given.
void write_page(const std::vector<Reproduction>& all, const std::filesystem::path& html);

}  // namespace murmur::app
