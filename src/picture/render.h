// render.h: the two programs that turn a figure into a file: gnuplot and Cairo.
#pragma once

#include <filesystem>

#include "picture/figure.h"

namespace murmur::picture {

void render_by_gnuplot(const Figure& figure, const std::filesystem::path& path);  // grid, stack
void render_by_cairo(const Figure& figure, const std::filesystem::path& path);    // maps, portraits

}  // namespace murmur::picture
