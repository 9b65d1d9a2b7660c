// dome_paint.h: the unit sphere of a vector figure (Globe), and the move of a token drawn on it.
#pragma once

#include <array>
#include <string>

#include "picture/canvas.h"
#include "picture/dome.h"
#include "picture/projection.h"

namespace murmur::picture {

// The ground of figures that Cairo draws.
void paint_ground(cairo_t* cr, const Theme& theme);

class Globe {
 public:
  // Fills the square; `line` is the width of a line in its units.
  Globe(const Pen& pen, const Theme& theme, const Camera& camera, const Frame& square, double line);

  struct Spot {
    double x, y, depth;
  };
  Spot at(const std::array<double, 3>& place) const;
  static bool front(const Spot& s) { return s.depth > Camera::horizon(); }

  double x() const { return x_; }
  double y() const { return y_; }
  double radius() const { return radius_; }

  void disc(double x, double y, double r) const;  // traced
  void body() const;
  void outline() const;
  void graticule(bool near) const;  // every thirty degrees, on one side
  // The part of a cap on one side, filled: all points of the sphere within `angle` of its middle.
  void cap(const std::array<double, 3>& middle, double angle, bool near) const;
  void cap_edge(const std::array<double, 3>& middle, double angle, bool near) const;  // traced
  // Letters with a rim in the colour of the ground: points may lie below them.
  void rimmed(const std::string& text, double x, double baseline, const TextStyle& style) const;

 private:
  // A closed curve of points of the sphere: those on one side, traced.
  template <class At>
  void curve(const At& point, bool near) const;

  const Pen& pen_;
  cairo_t* cr_;
  const Theme& theme_;
  const Camera camera_;
  double x_, y_, radius_, line_;
};

struct DomeLook {
  const Theme* theme = nullptr;
  Colour query{}, key{}, value{}, feed_forward{}, move{};
  double em = 14;   // size of letters, pixels
  double line = 1;  // pixels
};
DomeLook dome_look(const DomeStyle& style);

// The share of each part that is drawn, 0 to 1; all 1 in a figure.
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
