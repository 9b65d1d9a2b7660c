// canvas.h: a Cairo image with what every picture needs: colours, text in lines, round sprites.
#pragma once

#include <cairo.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "picture/colour.h"

namespace murmur::picture {

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

  // Draws once, keeps the result and lays it over the canvas at every later call with this key.
  void layer(int key, const std::function<void()>& draw);
  // Fills the canvas from the theme's centre colour at (x, y) to its edge colour in the corners.
  void backdrop(double x, double y, const Theme& theme);
  // A lit ball of the class, blitted from a sprite made once a (label, radius, fog).
  void ball(double x, double y, double radius, int label, double fog, const Theme& theme);
  // A soft disc that fades to nothing at `radius`.
  void haze(double x, double y, double radius, Colour colour, double alpha);

  double text_width(const std::string& text, double size, bool bold = false);
  void text(double x, double baseline, const std::string& text, const TextStyle& style);
  // The same on an outline of its own, so that it is read over lines and dots.
  void outlined_text(double x, double baseline, const std::string& text, const TextStyle& style,
                     Colour outline);
  // Words in lines no wider than `width`; the last of `most` lines ends in an ellipsis if need be.
  std::vector<std::string> wrap(const std::string& text, double width, double size, bool bold,
                                int most);
  // The text, or as much of its beginning as fits with an ellipsis.
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

// Text that Cairo takes: bytes that are no UTF-8 and control characters become '?' and spaces.
std::string clean_text(const std::string& text);

}  // namespace murmur::picture
