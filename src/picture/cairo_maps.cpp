// cairo_maps.cpp: draws colour maps, their standard errors and curves over them by Cairo, several
// panels to a figure.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/figure.h"
#include "picture/render.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

struct MapsBlock {         // one panel: the values above, their errors below
  Frame value{}, error{};  // an error of no height is not drawn
};

struct MapsLayout {  // in points
  double width = 0, height = 0;
  double type = 8;  // size of the letters
  int columns = 1;
  bool y_on_all = false;  // panels have different y axes
  double most_error = 0;  // top of the errors' colours; 0: none to draw
  double left = 0;        // margin of the figure
  double legend = 0;      // baseline of the names of the curves; 0: none
  double note = 0;        // baseline of the first line of the note
  std::vector<std::string> note_lines{};
  std::vector<MapsBlock> blocks{};
  Colour ground{}, ink{}, quiet{}, missing{};
};

inline constexpr double kLegendRow = 1.6;  // from one name to the next below it, in em

struct Sizes {
  double type, width, height;  // letters; one map
};

Sizes sizes_of(FigureStyle style) {
  if (style == FigureStyle::slides) return {15, 300, 210};
  if (style == FigureStyle::dark) return {11, 250, 185};
  return {8, 158, 118};
}

double largest_error(const Figure& figure) {
  double most = 0;
  for (const Panel& panel : figure.panels)
    for (const double error : panel.map.error)
      if (std::isfinite(error)) most = std::max(most, error);
  return most;
}

// The colour of a standard error, from the ground of the figure to its ink.
Colour error_colour(double share, const MapsLayout& layout) {
  const double s = std::clamp(share, 0.0, 1.0);
  const Colour hue = rgb(0xd1622b);  // from ground over vermilion towards ink
  return s < 0.6 ? mix(layout.ground, hue, s / 0.6) : mix(hue, layout.ink, (s - 0.6) / 0.4 * 0.75);
}

// The name of each curve once, in the order in which they first appear.
std::vector<std::string> names_of_curves(const Figure& figure) {
  std::vector<std::string> names;
  for (const Panel& panel : figure.panels)
    for (const Curve& curve : panel.curves)
      if (std::find(names.begin(), names.end(), curve.name) == names.end())
        names.push_back(curve.name);
  return names;
}

MapsLayout lay_out(const Figure& figure) {
  Sizes size = sizes_of(figure.style);
  if (figure.panel_width > 0) {
    const double grown = size.width / sizes_of(FigureStyle::paper).width;
    size.width = grown * figure.panel_width, size.height = grown * figure.panel_height;
  }
  MapsLayout l;
  l.type = size.type;
  const bool dark = figure.style == FigureStyle::dark;
  l.ground = dark ? rgb(0x0d1320) : rgb(0xffffff);
  l.ink = dark ? rgb(0xe9eef8) : rgb(0x1a2130);
  l.quiet = dark ? rgb(0xa3aec4) : rgb(0x4c5668);
  l.missing = dark ? rgb(0x2a3346) : rgb(0xd9dde4);
  const auto count = static_cast<int>(figure.panels.size());
  l.columns = figure.columns > 0 ? figure.columns : count <= 3 ? count : count == 4 ? 2 : 3;
  for (const Panel& panel : figure.panels)
    l.y_on_all = l.y_on_all || panel.map.y.front() != figure.panels.front().map.y.front() ||
                 panel.map.y.back() != figure.panels.front().map.y.back();
  l.most_error = largest_error(figure);
  const int rows = (count + l.columns - 1) / l.columns;
  const double em = size.type;
  const bool curves = std::any_of(figure.panels.begin(), figure.panels.end(),
                                  [](const Panel& panel) { return !panel.curves.empty(); });
  l.left = 1.2 * em;
  const double y_axis = 4.5 * em, gap = l.y_on_all ? 4.8 * em : 2.7 * em, bar = 8.2 * em;
  const double error_height = l.most_error > 0 ? 0.36 * size.height : 0;
  const double between = l.most_error > 0 ? 1.0 * em : 0;
  const bool titled = std::any_of(figure.panels.begin(), figure.panels.end(),
                                  [](const Panel& panel) { return !panel.title.empty(); });
  const double head = (titled ? 2.4 : 1.0) * em, foot = 4.2 * em;
  const double block = head + size.height + between + error_height + foot;
  double top = 0.6 * em;
  if (curves) {
    const std::size_t rows = l.columns == 1 ? names_of_curves(figure).size() : 1;
    l.legend = top + 1.5 * em;
    top += (2.2 + kLegendRow * static_cast<double>(rows - 1)) * em;
  }
  for (int k = 0; k < count; ++k) {
    const double x = l.left + y_axis + (k % l.columns) * (size.width + gap);
    const double y = top + (k / l.columns) * block + head;
    l.blocks.push_back({{x, y, size.width, size.height},
                        {x, y + size.height + between, size.width, error_height}});
  }
  l.width = l.left + y_axis + l.columns * size.width + (l.columns - 1) * gap + bar;
  l.height = top + rows * block + 0.2 * em;
  if (!figure.note.empty()) {
    Canvas ruler(8, 8);
    l.note_lines = ruler.wrap(figure.note, l.width - 2 * l.left, em, false, 6);
    l.note = l.height + 0.7 * em;
    l.height += (1.4 * static_cast<double>(l.note_lines.size()) + 0.6) * em;
  }
  return l;
}

// An axis, from the lower edge of its first value to the upper edge of its last.
struct Scale {
  std::vector<double> edges{};
  bool log = false;
  std::vector<double> values{};  // of a logarithmic axis; few values are all labelled

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
  // Paints the values as a small image, one lookup per pixel, without smoothing.
  void paint_map(const Frame& frame, const std::function<Colour(double, double)>& colour) {
    constexpr double kPixels = 3;  // per point
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

void check(const Figure& figure) {
  const auto refuse = [](const std::string& what) {
    throw Error(Fault::input, what, "a heat map",
                "give increasing axes and one value for each pair of their values");
  };
  if (figure.panels.empty()) refuse("there is no panel to draw");
  const Panel& first = figure.panels.front();
  if (!(first.map.high > first.map.low)) refuse("the colours have no range");
  for (const Panel& panel : figure.panels) {
    const ColourMap& map = panel.map;
    const std::size_t values = map.y.size() * map.x.size();
    const bool fits = values > 0 && map.value.size() == values &&
                      (map.error.empty() || map.error.size() == values);
    if (!fits) refuse("the values of a panel do not fit its axes");
    for (const std::vector<double>* axis : {&map.x, &map.y})
      for (std::size_t k = 1; k < axis->size(); ++k)
        if (!((*axis)[k] > (*axis)[k - 1])) refuse("an axis does not increase");
    if ((first.x.log && !(map.x.front() > 0)) || (first.y.log && !(map.y.front() > 0)))
      refuse("a logarithmic axis lies above 0");
    for (const Curve& curve : panel.curves)
      if (curve.x.size() != curve.y.size()) refuse("a curve has more of one coordinate");
  }
}

}  // namespace

void draw_maps(const Figure& figure, const std::filesystem::path& path) {
  check(figure);
  const MapsLayout layout = lay_out(figure);
  write_figure(path, {layout.width, layout.height},
               [&](cairo_t* context) { MapsPainter(context, figure, layout).paint(); });
}

}  // namespace murmur::picture
