// dome_paint.h: one sphere of query, keys and arrows, drawn as far as a film has come.
#pragma once

#include "picture/camera.h"
#include "picture/dome.h"
#include "picture/pen.h"

namespace murmur::picture {

struct DomeLook {
  const Theme* theme = nullptr;
  Colour query{}, key{}, value{}, feed_forward{}, move{};
  double em = 14;   // size of letters, pixels
  double line = 1;  // pixels
};
DomeLook dome_look(const DomeStyle& style);

// How much of each part is drawn, 0 to 1; all 1 in a figure.
struct DomeParts {
  double query = 1, keys = 1, weights = 1, messages = 1, feed_forward = 1, move = 1;
};
inline constexpr int kDomeParts = 6;
// Of a picture that is `share` through its six parts; each is drawn in the first half of its time.
DomeParts dome_parts(double share);

// A camera from which queries and heavy keys are in front and arrows are not seen end on.
Camera dome_camera(const std::vector<DomePicture>& pictures);
// Radii of the sphere that one unit of the arrows is long.
double arrow_scale(const std::vector<DomePicture>& pictures);

// Length of the longest key of a head; 0 where lengths are not drawn.
double longest_key(const std::vector<DomePicture>& pictures, std::size_t head);

struct DomeView {
  Camera camera;
  double scale = 1;    // of arrows
  double longest = 0;  // key of this head
  DomeParts parts{};
};
// Within the square; `head` of the picture.
void paint_dome(const Pen& pen, const DomeLook& look, const DomePicture& picture, std::size_t head,
                const DomeView& view, const Frame& square);

// A page of this style as .png, .svg or .pdf, painted in the pixels of the .png.
void draw_page(const DomeStyle& style, const std::filesystem::path& path,
               const std::function<void(cairo_t*)>& paint);
bool film_page(const DomeFilm& film, double seconds, const std::function<void(Canvas&, int)>& draw,
               const std::filesystem::path& mp4);

// Samples of the key.
void paint_arrow(const Pen& pen, std::array<double, 4> way, Colour colour, double width,
                 double alpha = 1);
void trace_diamond(cairo_t* cr, double x, double y, double r);
Colour weight_colour(const DomeLook& look, double share);
inline constexpr double kVision = 0.03;  // opacity of each of ten caps of the field of vision

}  // namespace murmur::picture
