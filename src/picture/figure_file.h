// figure_file.h: one vector drawing as a file: .svg and .pdf as they are, .png in pixels.
#pragma once

#include <cairo.h>

#include <filesystem>
#include <functional>

namespace murmur::picture {

// Error(input) unless the name ends in .svg, .png or .pdf.
void check_ending(const std::filesystem::path& figure);

struct FigureSize {
  double width = 0, height = 0;  // points
};
// Lets `paint` draw, in points, and puts the whole file into place; Error(runtime) leaves none.
void write_figure(const std::filesystem::path& figure, FigureSize size,
                  const std::function<void(cairo_t*)>& paint);

}  // namespace murmur::picture
