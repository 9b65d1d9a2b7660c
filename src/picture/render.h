// render.h: turns a figure into a file: one function for each way to draw it, and the file itself.
#pragma once

#include <cairo.h>

#include <filesystem>
#include <functional>

#include "picture/figure.h"

namespace murmur::picture {

void render_by_gnuplot(const Figure& figure, const std::filesystem::path& path);  // grid, stack
void draw_maps(const Figure& figure, const std::filesystem::path& path);          // by Cairo
void draw_portraits(const Figure& figure, const std::filesystem::path& path);     // by Cairo

// Error(input) unless the name ends in .svg, .png or .pdf.
void check_ending(const std::filesystem::path& figure);

struct FigureSize {
  double width = 0, height = 0;  // points
};
// Lets `paint` draw, in points, and puts the whole file into place; Error(runtime) leaves none.
void write_figure(const std::filesystem::path& figure, FigureSize size,
                  const std::function<void(cairo_t*)>& paint);

}  // namespace murmur::picture
