// cairo.cpp: draws a figure by Cairo, each layout by its own function.
#include "picture/cairo.h"

#include "picture/render.h"

namespace murmur::picture {

void render_by_cairo(const Figure& figure, const std::filesystem::path& path) {
  if (figure.layout == Figure::portraits)
    draw_portraits(figure, path);
  else
    draw_maps(figure, path);
}

}  // namespace murmur::picture
