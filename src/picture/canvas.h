// canvas.h: colours, and drawing by Cairo: in the pixels of an image (Canvas) or in the points of a
// vector figure (Pen).
#pragma once

#include <cairo.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace murmur::picture {

struct Colour {
  double red = 0, green = 0, blue = 0;  // 0 to 1
};

constexpr Colour rgb(unsigned hex) {
  return {((hex >> 16) & 255) / 255.0, ((hex >> 8) & 255) / 255.0, (hex & 255) / 255.0};
}

// a at share 0, b at share 1.
constexpr Colour mix(Colour a, Colour b, double share) {
  return {a.red + share * (b.red - a.red), a.green + share * (b.green - a.green),
          a.blue + share * (b.blue - a.blue)};
}

struct Theme {
  bool dark;
  Colour centre, edge;           // backdrop, from the middle outwards
  Colour ink, quiet;             // text, and text of less importance
  Colour line;                   // graticules, grids, axes
  Colour lit, body, limb;        // the sphere: towards the light, middle, outline
  Colour shade;                  // below and around objects: shadow, or glow on a dark ground
  double line_front, line_back;  // opacity of graticules before and behind
  double veil;                   // opacity of the sphere's front surface
};

const Theme& theme_of(bool dark);

// The colour of a class: one of eight hues that readers with any colour vision can distinguish, in
// a lightness that suits the theme. Later classes repeat the hues: on a dark ground lighter and
// then darker, on a light ground darker and then darkest. A negative class is grey.
Colour class_colour(int label, bool dark);

// The colour of viridis (van der Walt and Smith 2015) at a share in [0, 1]: equal steps look
// equally large.
Colour heat_colour(double share);

struct CairoDeleter {
  void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
  void operator()(cairo_t* c) const { cairo_destroy(c); }
  void operator()(cairo_pattern_t* p) const { cairo_pattern_destroy(p); }
};
using Surface = std::unique_ptr<cairo_surface_t, CairoDeleter>;
using Context = std::unique_ptr<cairo_t, CairoDeleter>;
using Pattern = std::unique_ptr<cairo_pattern_t, CairoDeleter>;

struct Frame {  // a rectangle in pixels
  double x = 0, y = 0, width = 0, height = 0;
};

enum class Align { left, centre, right };

struct TextStyle {
  double size = 14;  // pixels
  Colour colour{};
  bool bold = false;
  Align align = Align::left;
  double alpha = 1;
};

class Canvas {
 public:
  Canvas(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  cairo_t* cr() const { return context_.get(); }

  void ink(Colour colour, double alpha = 1);
  void line(double x0, double y0, double x1, double y1);
  // Radial gradient from circle (x0, y0, r0) to (x1, y1, r1); stops are added by the caller.
  static Pattern radial(double x0, double y0, double r0, double x1, double y1, double r1);
  static void stop(const Pattern& pattern, double offset, Colour colour, double alpha = 1);

  // Draws once and keeps the result; every later call with this key paints it over the canvas
  // again.
  void layer(int key, const std::function<void()>& draw);
  // Fills the canvas from the theme's centre colour at (x, y) to its edge colour in the corners.
  void backdrop(double x, double y, const Theme& theme);
  // Draws a lit ball in the colour of the class, from a sprite that is made once for each label,
  // radius and fog.
  void ball(double x, double y, double radius, int label, double fog, const Theme& theme);
  // Draws a soft disc that fades to nothing at `radius`.
  void haze(double x, double y, double radius, Colour colour, double alpha);

  double text_width(const std::string& text, double size, bool bold = false);
  void text(double x, double baseline, const std::string& text, const TextStyle& style);
  // The same with an outline, so that it can be read over lines and dots.
  void outlined_text(double x, double baseline, const std::string& text, const TextStyle& style,
                     Colour outline);
  // Breaks a text into lines no wider than `width`; the last of `most` lines ends in an ellipsis
  // where the text is longer.
  std::vector<std::string> wrap(const std::string& text, double width, double size, bool bold,
                                int most);
  // Returns the text, or as much of its beginning as fits with an ellipsis.
  std::string shorten(const std::string& text, double width, double size, bool bold = false);

  // Rows of B, G, R, A bytes, 4 * width each.
  const unsigned char* pixels();
  std::string png();
  void save(const std::filesystem::path& file);  // as PNG, its folder made where there is none

 private:
  void blit(cairo_surface_t* sprite, double x, double y, double alpha);
  void set_font(double size, bool bold);

  int width_, height_;
  Surface surface_;
  Context context_;
  std::unordered_map<int, Surface> layers_{};
  std::unordered_map<std::uint64_t, Surface> sprites_{};
};

// Returns text that Cairo accepts: bytes that are not UTF-8 become '?', control characters become
// spaces.
std::string clean_text(const std::string& text);

class Pen {
 public:
  explicit Pen(cairo_t* cr) : cr_(cr) {}

  cairo_t* cr() const { return cr_; }
  void ink(Colour colour, double alpha = 1) const;
  double text_width(const std::string& text, double size, bool bold = false) const;
  void text(double x, double baseline, const std::string& text, const TextStyle& style) const;
  void turned_text(double x, double y, const std::string& text, const TextStyle& style) const;

 private:
  cairo_t* cr_;
};

struct Pixels {
  const std::vector<std::uint8_t>& ink;  // (height, width), 255 is ink
  int height, width;
};

// Draws the picture as large as the frame allows, in its middle, on paper with rounded corners.
void draw_pixels(Canvas& canvas, const Pixels& picture, const Frame& frame, const Theme& theme);

// Makes a rectangle with round corners the current path.
void trace_round(Canvas& canvas, const Frame& frame, double radius);

}  // namespace murmur::picture
