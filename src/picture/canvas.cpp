// canvas.cpp: the two themes and their colours, text, balls and small pictures on Cairo.
#include "picture/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "murmur/error.h"
#include "picture/recipe.h"
#include "run/formats.h"

namespace murmur::picture {

namespace {

constexpr Theme kDark{.dark = true,
                      .centre = rgb(0x1b2438),
                      .edge = rgb(0x0a0e18),
                      .ink = rgb(0xf1f4fa),
                      .quiet = rgb(0x9fabc2),
                      .line = rgb(0xa3b7de),
                      .lit = rgb(0x42547a),
                      .body = rgb(0x202c47),
                      .limb = rgb(0x161f35),
                      .shade = rgb(0x5d7fc4),
                      .line_front = 0.22,
                      .line_back = 0.09,
                      .veil = 0.30};

// White to the edge, so that a printed figure has no frame.
constexpr Theme kLight{.dark = false,
                       .centre = rgb(0xffffff),
                       .edge = rgb(0xffffff),
                       .ink = rgb(0x1a2130),
                       .quiet = rgb(0x5d6779),
                       .line = rgb(0x43536f),
                       .lit = rgb(0xfdfdff),
                       .body = rgb(0xebeff6),
                       .limb = rgb(0xcfd7e5),
                       .shade = rgb(0x2a3550),
                       .line_front = 0.24,
                       .line_back = 0.11,
                       .veil = 0.42};

// blue, orange, green, pink, vermilion, violet, yellow, slate: hues after Okabe and Ito.
constexpr std::array<Colour, 8> kOnDark{rgb(0x56b4f5), rgb(0xf9a83a), rgb(0x35cfa0), rgb(0xee8fc8),
                                        rgb(0xf56a48), rgb(0x9a93ff), rgb(0xf3e36b), rgb(0xc3ccda)};
constexpr std::array<Colour, 8> kOnLight{rgb(0x1b76bd), rgb(0xea8c00), rgb(0x00936c),
                                         rgb(0xc9579f), rgb(0xc93f14), rgb(0x5f55c9),
                                         rgb(0xcfae00), rgb(0x56606f)};

}  // namespace

const Theme& theme_of(bool dark) { return dark ? kDark : kLight; }

Colour class_colour(int label, bool dark) {
  if (label < 0) return dark ? rgb(0x7d879a) : rgb(0x9aa2ae);
  const auto& hues = dark ? kOnDark : kOnLight;
  const int count = static_cast<int>(hues.size());
  const Colour hue = hues[static_cast<std::size_t>(label % count)];
  switch (label / count % 3) {  // away from the ground
    case 1:
      return dark ? mix(hue, rgb(0xffffff), 0.42) : mix(hue, rgb(0x000000), 0.36);
    case 2:
      return mix(hue, rgb(0x000000), dark ? 0.36 : 0.62);
    default:
      return hue;
  }
}

Colour heat_colour(double share) {
  static constexpr std::array<Colour, 10> anchors{
      rgb(0x440154), rgb(0x482878), rgb(0x3e4989), rgb(0x31688e), rgb(0x26828e),
      rgb(0x1f9e89), rgb(0x35b779), rgb(0x6ece58), rgb(0xb5de2b), rgb(0xfde725)};
  const double at = std::clamp(share, 0.0, 1.0) * (anchors.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
  return mix(anchors[low], anchors[low + 1], at - static_cast<double>(low));
}

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

void require(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(Fault::runtime, fmt::format("drawing failed: {}", cairo_status_to_string(status)),
                "Cairo", "ask for a smaller picture, or free some memory");
}

Surface make_surface(int width, int height) {
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
  require(cairo_surface_status(surface.get()));
  return surface;
}

Context make_context(cairo_surface_t* surface) {
  Context context(cairo_create(surface));
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(context.get(), options);
  cairo_font_options_destroy(options);
  cairo_set_line_cap(context.get(), CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(context.get(), CAIRO_LINE_JOIN_ROUND);
  return context;
}

// The centre of a sprite is the middle of its square.
int sprite_side(double reach) { return 2 * static_cast<int>(std::ceil(reach)) + 2; }

void draw_ball(cairo_t* cr, double middle, double radius, Colour colour, const Theme& theme) {
  const Colour white = rgb(0xffffff), black = rgb(0x000000);
  const double fine = std::clamp((radius - 1.2) / 3.5, 0.0, 1.0);  // specks need no shading
  cairo_arc(cr, middle, middle, radius + std::min(1.0, 0.18 * radius), 0, kTurn);
  const Colour ring = theme.dark ? mix(theme.edge, colour, 0.15) : theme.centre;
  cairo_set_source_rgba(cr, ring.red, ring.green, ring.blue, 0.75 * fine);
  cairo_fill(cr);
  Pattern body = Canvas::radial(middle - 0.36 * radius, middle - 0.42 * radius, 0.05 * radius,
                                middle, middle, radius);
  Canvas::stop(body, 0, mix(colour, white, theme.dark ? 0.62 : 0.55));
  Canvas::stop(body, 0.32, mix(colour, white, 0.16));
  Canvas::stop(body, 0.68, colour);
  Canvas::stop(body, 1, mix(colour, black, (theme.dark ? 0.42 : 0.26) * (0.3 + 0.7 * fine)));
  cairo_set_source(cr, body.get());
  cairo_arc(cr, middle, middle, radius, 0, kTurn);
  cairo_fill(cr);
}

}  // namespace

Canvas::Canvas(int width, int height)
    : width_(width),
      height_(height),
      surface_(make_surface(width, height)),
      context_(make_context(surface_.get())) {}

void Canvas::ink(Colour c, double alpha) {
  cairo_set_source_rgba(cr(), c.red, c.green, c.blue, alpha);
}

void Canvas::line(double x0, double y0, double x1, double y1) {
  cairo_move_to(cr(), x0, y0);
  cairo_line_to(cr(), x1, y1);
}

Pattern Canvas::radial(double x0, double y0, double r0, double x1, double y1, double r1) {
  return Pattern(cairo_pattern_create_radial(x0, y0, r0, x1, y1, r1));
}

void Canvas::stop(const Pattern& pattern, double offset, Colour c, double alpha) {
  cairo_pattern_add_color_stop_rgba(pattern.get(), offset, c.red, c.green, c.blue, alpha);
}

void Canvas::layer(int key, const std::function<void()>& draw) {
  Surface& kept = layers_[key];
  if (!kept) {
    kept = make_surface(width_, height_);
    Context aside = make_context(kept.get());
    context_.swap(aside);
    draw();
    context_.swap(aside);
  }
  cairo_set_source_surface(cr(), kept.get(), 0, 0);
  cairo_paint(cr());
}

// Adds half a level of noise, because a slow gradient would show bands on a projector.
void Canvas::backdrop(double x, double y, const Theme& theme) {
  cairo_surface_t* target = cairo_get_target(cr());
  cairo_surface_flush(target);
  unsigned char* bytes = cairo_image_surface_get_data(target);
  const int stride = cairo_image_surface_get_stride(target);
  const double reach = std::hypot(width_, height_) / 2;
  std::uint32_t noise = 1;
  for (int row = 0; row < height_; ++row) {
    for (int column = 0; column < width_; ++column) {
      const double s = std::min(1.0, std::hypot(column - x, row - y) / reach);
      const Colour c = mix(theme.centre, theme.edge, s * (1.6 - 0.6 * s));
      noise = noise * 1664525u + 1013904223u;
      const double jitter = (noise >> 8) / 16777216.0;  // 0 to 1
      unsigned char* pixel = bytes + static_cast<std::ptrdiff_t>(row) * stride + 4 * column;
      pixel[0] = static_cast<unsigned char>(std::min(255.0, 255 * c.blue + jitter));
      pixel[1] = static_cast<unsigned char>(std::min(255.0, 255 * c.green + jitter));
      pixel[2] = static_cast<unsigned char>(std::min(255.0, 255 * c.red + jitter));
      pixel[3] = 255;
    }
  }
  cairo_surface_mark_dirty(target);
}

void Canvas::blit(cairo_surface_t* sprite, double x, double y, double alpha) {
  const double half = cairo_image_surface_get_width(sprite) / 2.0;
  cairo_set_source_surface(cr(), sprite, x - half, y - half);
  cairo_pattern_set_filter(cairo_get_source(cr()), CAIRO_FILTER_BILINEAR);
  if (alpha < 1)
    cairo_paint_with_alpha(cr(), alpha);
  else
    cairo_paint(cr());
}

void Canvas::ball(double x, double y, double radius, int label, double fog, const Theme& theme) {
  constexpr double kSizes = 3, kFogs = 16;  // sizes per pixel, steps of fog: too fine to be seen
  const auto size = static_cast<std::uint64_t>(std::max(1.0, std::round(radius * kSizes)));
  const auto haze = static_cast<std::uint64_t>(std::round(std::clamp(fog, 0.0, 1.0) * kFogs));
  const auto kind = static_cast<std::uint64_t>(static_cast<std::uint32_t>(label));
  Surface& sprite = sprites_[kind << 32 | size << 8 | haze];
  if (!sprite) {
    const double r = static_cast<double>(size) / kSizes;
    const int side = sprite_side(r + 1.5);
    sprite = make_surface(side, side);
    Context context(cairo_create(sprite.get()));
    const Colour colour = class_colour(label, theme.dark);
    draw_ball(context.get(), side / 2.0, r,
              mix(colour, theme.body, static_cast<double>(haze) / kFogs), theme);
  }
  blit(sprite.get(), x, y, 1);
}

void Canvas::haze(double x, double y, double radius, Colour colour, double alpha) {
  const auto byte = [](double v) { return static_cast<std::uint64_t>(std::lround(v * 255)); };
  const auto size = static_cast<std::uint64_t>(std::max(1.0, std::round(radius)));
  const std::uint64_t kind = std::uint64_t{1} << 63 | byte(colour.red) << 48 |
                             byte(colour.green) << 40 | byte(colour.blue) << 32;
  Surface& sprite = sprites_[kind | size];
  if (!sprite) {
    const auto r = static_cast<double>(size);
    const int side = sprite_side(r);
    const double middle = side / 2.0;
    sprite = make_surface(side, side);
    Context context(cairo_create(sprite.get()));
    Pattern glow = radial(middle, middle, 0, middle, middle, r);
    for (int k = 0; k <= 8; ++k) {  // (1 - s^2)^2: smooth at both ends
      const double s = k / 8.0;
      stop(glow, s, colour, (1 - s * s) * (1 - s * s));
    }
    cairo_set_source(context.get(), glow.get());
    cairo_paint(context.get());
  }
  blit(sprite.get(), x, y, alpha);
}

void Canvas::set_font(double size, bool bold) {
  cairo_select_font_face(cr(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr(), size);
}

double Canvas::text_width(const std::string& text, double size, bool bold) {
  set_font(size, bold);
  cairo_text_extents_t extents;
  cairo_text_extents(cr(), text.c_str(), &extents);
  return extents.x_advance;
}

void Canvas::text(double x, double baseline, const std::string& text, const TextStyle& style) {
  double left = x;
  if (style.align != Align::left) {
    const double width = text_width(text, style.size, style.bold);
    left -= style.align == Align::centre ? width / 2 : width;
  }
  set_font(style.size, style.bold);
  ink(style.colour, style.alpha);
  cairo_move_to(cr(), left, baseline);
  cairo_show_text(cr(), text.c_str());
  cairo_new_path(cr());
}

void Canvas::outlined_text(double x, double baseline, const std::string& text,
                           const TextStyle& style, Colour outline) {
  double left = x;
  if (style.align != Align::left) {
    const double width = text_width(text, style.size, style.bold);
    left -= style.align == Align::centre ? width / 2 : width;
  }
  set_font(style.size, style.bold);
  cairo_move_to(cr(), left, baseline);
  cairo_text_path(cr(), text.c_str());
  cairo_set_line_width(cr(), 0.28 * style.size);
  ink(outline, 0.8 * style.alpha);
  cairo_stroke(cr());
  Canvas::text(
      left, baseline, text,
      {.size = style.size, .colour = style.colour, .bold = style.bold, .alpha = style.alpha});
}

std::string Canvas::shorten(const std::string& text, double width, double size, bool bold) {
  if (text_width(text, size, bold) <= width) return text;
  std::string kept = text;
  while (!kept.empty()) {
    while (kept.size() > 1 && (kept.back() & 0xC0) == 0x80) kept.pop_back();
    kept.pop_back();
    while (!kept.empty() && kept.back() == ' ') kept.pop_back();
    if (text_width(kept + "…", size, bold) <= width) break;
  }
  return kept + "…";
}

std::vector<std::string> Canvas::wrap(const std::string& text, double width, double size, bool bold,
                                      int most) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t next = end + 1;
    if (!word.empty()) {
      const std::string longer = line.empty() ? word : line + " " + word;
      if (line.empty() || text_width(longer, size, bold) <= width) {
        line = longer;
      } else if (static_cast<int>(lines.size()) + 1 == most) {
        line.append(" ").append(text, at);
        break;
      } else {
        lines.push_back(shorten(line, width, size, bold));
        line = word;
      }
    }
    at = next;
  }
  if (!line.empty()) lines.push_back(shorten(line, width, size, bold));
  return lines;
}

const unsigned char* Canvas::pixels() {
  require(cairo_status(cr()));
  cairo_surface_flush(surface_.get());
  return cairo_image_surface_get_data(surface_.get());
}

std::string Canvas::png() {
  require(cairo_status(cr()));
  std::string bytes;
  const auto append = [](void* to, const unsigned char* data, unsigned size) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
    return CAIRO_STATUS_SUCCESS;
  };
  require(cairo_surface_write_to_png_stream(surface_.get(), append, &bytes));
  return bytes;
}

void Canvas::save(const std::filesystem::path& file) {
  if (!file.parent_path().empty()) std::filesystem::create_directories(file.parent_path());
  write_file_atomically(file, with_recipe(png(), file.extension().string(), recipe_for(file)));
}

std::string clean_text(const std::string& text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
    bool good = size > 0 && i + size <= text.size();
    for (std::size_t k = 1; good && k < size; ++k)
      good = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
    if (good && size >= 3) {  // no overlong forms, surrogates or values past U+10FFFF
      const auto second = static_cast<unsigned char>(text[i + 1]);
      good = !(lead == 0xE0 && second < 0xA0) && !(lead == 0xED && second > 0x9F) &&
             !(lead == 0xF0 && second < 0x90) && !(lead == 0xF4 && second > 0x8F);
    }
    if (!good) {
      clean += '?';
      ++i;
      continue;
    }
    if (lead < 0x20 || lead == 0x7F)
      clean += ' ';
    else
      clean.append(text, i, size);
    i += size;
  }
  return clean;
}

void Pen::ink(Colour c, double alpha) const {
  cairo_set_source_rgba(cr_, c.red, c.green, c.blue, alpha);
}

double Pen::text_width(const std::string& text, double size, bool bold) const {
  cairo_select_font_face(cr_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr_, size);
  cairo_text_extents_t extents;
  cairo_text_extents(cr_, clean_text(text).c_str(), &extents);
  return extents.x_advance;
}

void Pen::text(double x, double baseline, const std::string& text, const TextStyle& style) const {
  const double width = text_width(text, style.size, style.bold);
  const double share = style.align == Align::left ? 0 : style.align == Align::centre ? 0.5 : 1;
  ink(style.colour, style.alpha);
  cairo_move_to(cr_, x - share * width, baseline);
  cairo_show_text(cr_, clean_text(text).c_str());
  cairo_new_path(cr_);
}

void Pen::turned_text(double x, double y, const std::string& words, const TextStyle& style) const {
  cairo_save(cr_);
  cairo_translate(cr_, x, y);
  cairo_rotate(cr_, -std::numbers::pi / 2);
  text(0, 0, words, style);
  cairo_restore(cr_);
}

void trace_round(Canvas& canvas, const Frame& f, double radius) {
  constexpr double kQuarter = std::numbers::pi / 2;
  const double r = std::min({radius, f.width / 2, f.height / 2});
  cairo_t* cr = canvas.cr();
  cairo_new_sub_path(cr);
  cairo_arc(cr, f.x + f.width - r, f.y + r, r, -kQuarter, 0);
  cairo_arc(cr, f.x + f.width - r, f.y + f.height - r, r, 0, kQuarter);
  cairo_arc(cr, f.x + r, f.y + f.height - r, r, kQuarter, 2 * kQuarter);
  cairo_arc(cr, f.x + r, f.y + r, r, 2 * kQuarter, 3 * kQuarter);
  cairo_close_path(cr);
}

void draw_pixels(Canvas& canvas, const Pixels& picture, const Frame& frame, const Theme& theme) {
  const auto& [ink, height, width] = picture;
  cairo_t* cr = canvas.cr();
  const double cell = std::min(frame.width / width, frame.height / height);
  const double x0 = frame.x + (frame.width - cell * width) / 2;
  const double y0 = frame.y + (frame.height - cell * height) / 2;
  const Colour paper = theme.dark ? mix(theme.edge, rgb(0), 0.35) : theme.centre;
  trace_round(canvas, frame, 0.03 * frame.width);
  canvas.ink(paper);
  cairo_fill(cr);
  cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      const int level = ink[static_cast<std::size_t>(row) * width + column];
      if (level == 0) continue;
      const double x = std::round(x0 + cell * column), y = std::round(y0 + cell * row);
      cairo_rectangle(cr, x, y, std::round(x0 + cell * (column + 1)) - x,
                      std::round(y0 + cell * (row + 1)) - y);
      canvas.ink(mix(paper, theme.ink, level / 255.0));
      cairo_fill(cr);
    }
  cairo_set_antialias(cr, CAIRO_ANTIALIAS_DEFAULT);
  trace_round(canvas, frame, 0.03 * frame.width);
  canvas.ink(theme.line, 0.4);
  cairo_set_line_width(cr, 1);
  cairo_stroke(cr);
}

}  // namespace murmur::picture
