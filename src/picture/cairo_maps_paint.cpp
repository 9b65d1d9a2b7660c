// cairo_maps_paint.cpp: paints colour maps, their axes, colour bars and curves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "picture/cairo_maps.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

// An axis from the lower edge of its first value to the upper edge of its last.
struct Scale {
  std::vector<double> edges{};
  bool log = false;
  std::vector<double> values{};  // of a logarithmic axis: a few are named one by one

  double to(double value) const { return log ? std::log10(value) : value; }
  double low() const { return edges.front(); }
  double high() const { return edges.back(); }
  double share(double value) const { return (to(value) - low()) / (high() - low()); }
  int index(double share) const {  // of the value that holds there
    const double at = low() + share * (high() - low());
    const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, at);
    return static_cast<int>(above - edges.begin()) - 1;
  }
};

Scale scale_of(const std::vector<double>& values, bool log) {
  Scale scale{.log = log, .values = values};
  const std::size_t n = values.size();
  const auto at = [&](std::size_t k) { return scale.to(values[k]); };
  const double first = n > 1 ? at(1) - at(0) : 1, last = n > 1 ? at(n - 1) - at(n - 2) : 1;
  scale.edges.push_back(at(0) - first / 2);
  for (std::size_t k = 1; k < n; ++k) scale.edges.push_back((at(k - 1) + at(k)) / 2);
  scale.edges.push_back(at(n - 1) + last / 2);
  return scale;
}

struct Mark {
  double share;
  std::string text;
};

std::vector<Mark> marks_of(const Scale& scale, int wanted) {
  std::vector<Mark> marks;
  const bool few_cells = !scale.values.empty() && scale.values.size() <= 3;
  if (!scale.log && !few_cells) {
    const Ticks ticks = nice_ticks(scale.low(), scale.high(), wanted);
    for (const double at : ticks.at) marks.push_back({scale.share(at), ticks.text(at)});
    return marks;
  }
  if (scale.values.size() <= 8) {
    for (const double value : scale.values)
      marks.push_back({scale.share(value), fmt::format("{:g}", value)});
    return marks;
  }
  const bool few = scale.high() - scale.low() < 1.6;
  for (double power = std::floor(scale.low()); power <= scale.high(); ++power)
    for (const double lead : few ? std::vector<double>{1, 2, 5} : std::vector<double>{1}) {
      const double value = lead * std::pow(10, power);
      const double share = scale.share(value);
      if (share >= 0 && share <= 1) marks.push_back({share, fmt::format("{:g}", value)});
    }
  return marks;
}

using Colouring = std::function<Colour(double)>;

class MapsPainter : private Pen {
 public:
  MapsPainter(cairo_t* cr, const Figure& figure, const MapsLayout& layout)
      : Pen(cr), figure_(figure), l_(layout) {}

  void paint() {
    ink(l_.ground);
    cairo_paint(cr());
    paint_legend();
    const auto count = static_cast<int>(figure_.panels.size());
    for (int k = 0; k < count; ++k) {
      paint_block(k);
      if (k % l_.columns == l_.columns - 1 || k + 1 == count) paint_bars(l_.blocks[k]);
    }
    for (std::size_t k = 0; k < l_.note_lines.size(); ++k)
      text(l_.left, l_.note + 1.4 * l_.type * static_cast<double>(k), l_.note_lines[k],
           {.size = l_.type, .colour = l_.quiet});
  }

 private:
  // The values as a small image, one lookup a pixel, laid unsmoothed into the frame.
  void paint_map(const Frame& frame, const std::function<Colour(double, double)>& colour) {
    constexpr double kPixels = 3;  // a point
    const int width = static_cast<int>(kPixels * frame.width);
    const int height = static_cast<int>(kPixels * frame.height);
    const Surface image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
    unsigned char* data = cairo_image_surface_get_data(image.get());
    const int stride = cairo_image_surface_get_stride(image.get());
    for (int row = 0; row < height; ++row) {
      auto* line =
          reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(row) * stride);
      for (int col = 0; col < width; ++col) {
        const Colour c = colour((col + 0.5) / width, 1 - (row + 0.5) / height);
        const auto byte = [](double v) { return static_cast<std::uint32_t>(std::lround(255 * v)); };
        line[col] = byte(c.red) << 16 | byte(c.green) << 8 | byte(c.blue);
      }
    }
    cairo_surface_mark_dirty(image.get());
    cairo_save(cr());
    cairo_translate(cr(), frame.x, frame.y);
    cairo_scale(cr(), frame.width / width, frame.height / height);
    cairo_set_source_surface(cr(), image.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr()), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr(), 0, 0, width, height);
    cairo_fill(cr());
    cairo_restore(cr());
  }

  void outline(const Frame& f) {
    cairo_rectangle(cr(), f.x, f.y, f.width, f.height);
    ink(l_.quiet);
    cairo_set_line_width(cr(), 0.06 * l_.type);
    cairo_stroke(cr());
  }

  void tick(double x0, double y0, double x1, double y1) {
    ink(l_.quiet);
    cairo_set_line_width(cr(), 0.07 * l_.type);
    cairo_move_to(cr(), x0, y0);
    cairo_line_to(cr(), x1, y1);
    cairo_stroke(cr());
  }

  void paint_block(int k) {
    const Panel& panel = figure_.panels[static_cast<std::size_t>(k)];
    const MapsBlock& block = l_.blocks[static_cast<std::size_t>(k)];
    const ColourMap& map = panel.map;
    const Scale x = scale_of(map.x, first().x.log), y = scale_of(map.y, first().y.log);
    const auto look_up = [&](const std::vector<double>& values, const Colouring& colouring) {
      return [&, colouring](double sx, double sy) {
        const double value = values[y.index(turned(sy)) * map.x.size() + x.index(sx)];
        const bool below = value < first().map.low;  // -infinity has the lowest colour
        return std::isfinite(value) || below ? colouring(value) : l_.missing;
      };
    };
    paint_map(block.value, look_up(map.value, [&](double v) {
                return heat_colour((v - first().map.low) / (first().map.high - first().map.low));
              }));
    paint_curves(panel, block.value, x, y);
    const bool errors = l_.most_error > 0;
    if (errors && !map.error.empty())
      paint_map(block.error,
                look_up(map.error, [&](double v) { return error_colour(v / l_.most_error, l_); }));
    text(block.value.x, block.value.y - 0.8 * l_.type, panel.title,
         {.size = 1.08 * l_.type, .colour = l_.ink, .bold = true});
    const bool names_y = k % l_.columns == 0 || l_.y_on_all;
    paint_y_axis(block.value, y, {5, names_y, k % l_.columns == 0});
    if (errors) paint_y_axis(block.error, y, {2, names_y, false});
    paint_x_axis(block.value, x, !errors);
    if (errors) paint_x_axis(block.error, x, true);
  }

  struct AxisWords {
    int ticks;
    bool numbers, label;
  };

  void paint_y_axis(const Frame& f, const Scale& scale, const AxisWords& words) {
    outline(f);
    const double em = l_.type;
    for (const Mark& mark : marks_of(scale, words.ticks)) {
      const double y = f.y + f.height * (1 - turned(mark.share));
      tick(f.x - 0.4 * em, y, f.x, y);
      if (words.numbers)
        text(f.x - 0.7 * em, y + 0.35 * em, mark.text,
             {.size = em, .colour = l_.quiet, .align = Align::right});
    }
    if (words.label)
      turned_text(l_.left + 0.8 * em, f.y + f.height / 2, first().y.label,
                  {.size = 1.05 * em, .colour = l_.ink, .align = Align::centre});
  }

  void paint_x_axis(const Frame& f, const Scale& scale, bool words) {
    const double em = l_.type, bottom = f.y + f.height;
    for (const Mark& mark : marks_of(scale, 5)) {
      const double x = f.x + f.width * mark.share;
      tick(x, bottom, x, bottom + 0.4 * em);
      if (words)
        text(x, bottom + 1.45 * em, mark.text,
             {.size = em, .colour = l_.quiet, .align = Align::centre});
    }
    if (words)
      text(f.x + f.width / 2, bottom + 2.9 * em, first().x.label,
           {.size = 1.05 * em, .colour = l_.ink, .align = Align::centre});
  }

  // The names of all curves in the order in which they first appear; a name's place is its style.
  std::vector<std::string> curve_names() const { return names_of_curves(figure_); }

  // Strokes the current path so that it shows on every colour of the map.
  void stroke(std::size_t style) {
    const double em = l_.type;
    cairo_set_line_join(cr(), CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr(), CAIRO_LINE_CAP_BUTT);
    cairo_set_line_width(cr(), (style % 3 == 0 ? 0.34 : 0.26) * em);
    ink(rgb(0x10151f));
    cairo_stroke_preserve(cr());
    static constexpr Colour inks[] = {rgb(0xffffff), rgb(0xff8a5c), rgb(0x7fd7ff)};
    ink(inks[style % 3]);
    cairo_set_line_width(cr(), (style % 3 == 0 ? 0.18 : 0.16) * em);
    const double dash[] = {0.7 * em, 0.4 * em};
    cairo_set_dash(cr(), dash, style % 3 == 0 ? 0 : 2, 0);
    cairo_stroke(cr());
    cairo_set_dash(cr(), nullptr, 0, 0);
  }

  void paint_curves(const Panel& panel, const Frame& f, const Scale& x, const Scale& y) {
    const std::vector<std::string> names = curve_names();
    cairo_save(cr());
    cairo_rectangle(cr(), f.x, f.y, f.width, f.height);
    cairo_clip(cr());
    for (const Curve& curve : panel.curves) {
      bool pen = false;
      cairo_new_path(cr());
      for (std::size_t k = 0; k < curve.x.size(); ++k) {
        const double sx = x.share(curve.x[k]), sy = y.share(curve.y[k]);
        if (!std::isfinite(sx) || !std::isfinite(sy)) {
          pen = false;
          continue;
        }
        const double px = f.x + f.width * std::clamp(sx, -4.0, 5.0);
        const double py = f.y + f.height * (1 - turned(std::clamp(sy, -4.0, 5.0)));
        (pen ? cairo_line_to : cairo_move_to)(cr(), px, py);
        pen = true;
      }
      stroke(static_cast<std::size_t>(std::find(names.begin(), names.end(), curve.name) -
                                      names.begin()));
    }
    cairo_restore(cr());
  }

  void paint_legend() {
    if (l_.legend == 0) return;
    const double em = l_.type;
    double x = l_.blocks.front().value.x;
    const std::vector<std::string> names = curve_names();
    for (std::size_t k = 0; k < names.size(); ++k) {
      const bool stacked = l_.columns == 1;  // one panel is not wide enough for a row of names
      const double y = l_.legend + (stacked ? kLegendRow * em * static_cast<double>(k) : 0);
      cairo_move_to(cr(), x, y - 0.35 * em);
      cairo_line_to(cr(), x + 2.6 * em, y - 0.35 * em);
      stroke(k);
      text(x + 3.2 * em, y, names[k], {.size = em, .colour = l_.ink});
      if (!stacked) x += 5.2 * em + text_width(clean_text(names[k]), em);
    }
  }

  void paint_bar(const Frame& map, const Scale& scale, const Colouring& colouring,
                 const std::string& label) {
    const double em = l_.type;
    const Frame bar{map.x + map.width + 1.3 * em, map.y, 0.95 * em, map.height};
    paint_map(bar, [&](double, double share) {
      return colouring(scale.low() + share * (scale.high() - scale.low()));
    });
    outline(bar);
    const double right = bar.x + bar.width;
    double widest = 0;
    for (const Mark& mark : marks_of(scale, map.height > 8 * em ? 5 : 2)) {
      const double y = bar.y + bar.height * (1 - mark.share);
      tick(right, y, right + 0.35 * em, y);
      text(right + 0.6 * em, y + 0.35 * em, mark.text, {.size = em, .colour = l_.quiet});
      widest = std::max(widest, text_width(mark.text, em));
    }
    turned_text(right + 1.7 * em + widest, bar.y + bar.height / 2, label,
                {.size = em, .colour = l_.ink, .align = Align::centre});
  }

  void paint_bars(const MapsBlock& block) {
    paint_bar(
        block.value, {.edges = {first().map.low, first().map.high}},
        [&](double v) {
          return heat_colour((v - first().map.low) / (first().map.high - first().map.low));
        },
        first().map.label);
    if (l_.most_error > 0)
      paint_bar(
          block.error, {.edges = {0, l_.most_error}},
          [&](double v) { return error_colour(v / l_.most_error, l_); }, "std. error");
  }

  const Panel& first() const { return figure_.panels.front(); }
  double turned(double share) const { return first().y.down ? 1 - share : share; }

  const Figure& figure_;
  const MapsLayout& l_;
};

}  // namespace

void paint_maps(cairo_t* cr, const Figure& figure, const MapsLayout& layout) {
  MapsPainter(cr, figure, layout).paint();
}

}  // namespace murmur::picture
