// cairo.h: the layouts that Cairo draws, one function each.
#pragma once

#include <filesystem>

#include "picture/figure.h"

namespace murmur::picture {

void draw_maps(const Figure& figure, const std::filesystem::path& path);
void draw_portraits(const Figure& figure, const std::filesystem::path& path);

}  // namespace murmur::picture
