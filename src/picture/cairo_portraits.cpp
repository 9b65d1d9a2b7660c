// cairo_portraits.cpp: measures on the circle and on S^2, with titles and one key, by Cairo.
#include <fmt/format.h>

#include <algorithm>

#include "murmur/error.h"
#include "picture/cairo.h"
#include "picture/figure_file.h"
#include "picture/portrait_pen.h"

namespace murmur::picture {

namespace {

void check(const Figure& figure) {
  const auto refuse = [](const char* what) {
    throw Error(Fault::input, what, "a portrait", "give atoms, masses, units of one d, 2 or 3");
  };
  if (figure.panels.empty()) refuse("there is nothing to draw");
  const int d = figure.panels.front().portrait.atoms.cols;
  if (d != 2 && d != 3) refuse("only the circle and S^2 have portraits");
  for (const Panel& panel : figure.panels) {
    const Portrait& p = panel.portrait;
    const bool fits = p.atoms.cols == d && p.atoms.rows > 0 && p.value &&
                      p.mass.size() == static_cast<std::size_t>(p.atoms.rows) &&
                      p.omega.size() == static_cast<std::size_t>(p.units.rows) &&
                      (p.units.empty() || p.units.cols == d) &&
                      std::all_of(p.extrema.begin(), p.extrema.end(), [&](const Vector& x) {
                        return x.size() == static_cast<std::size_t>(d);
                      });
    if (!fits) refuse("the parts of a portrait do not fit each other");
  }
}

// Entries for what is drawn, and for nothing else.
std::vector<KeyEntry> key_of(const Figure& figure, double spokes) {
  bool plus = false, minus = false, extrema = false;
  for (const Panel& panel : figure.panels) {
    const Portrait& p = panel.portrait;
    for (const double omega : p.omega) (omega > 0 ? plus : minus) = true;
    extrema = extrema || !p.extrema.empty();
  }
  const bool circle = figure.panels.front().portrait.atoms.cols == 2;
  std::vector<KeyEntry> key{{circle ? KeyEntry::function : KeyEntry::colours, figure.value_name}};
  if (circle && spokes == 1)
    key.push_back({KeyEntry::spoke, "atom; its spoke is as long as its mass"});
  else if (circle)
    key.push_back({KeyEntry::spoke, fmt::format("atom; its spoke is {:g} times its mass", spokes)});
  else
    key.push_back({KeyEntry::ball, "atom; its area is its mass"});
  if (extrema) key.push_back({KeyEntry::extremum, figure.extrema_name});
  const char* const unit = circle ? "where a unit is active" : "edge of a unit, its axis marked";
  if (plus) key.push_back({KeyEntry::plus, fmt::format("{}, ω > 0", unit)});
  if (minus) key.push_back({KeyEntry::minus, fmt::format("{}, ω < 0", unit)});
  return key;
}

// Where everything goes, in points.
struct PortraitLayout {
  double width = 0, height = 0;
  std::vector<Frame> cells{};                                // below the titles
  std::vector<std::vector<std::pair<int, double>>> lines{};  // of the key: entry, left edge
  double key_top = 0;
};

constexpr double kWordGap = 0.6, kKeyGap = 2.2, kKeyRow = 1.8;  // em

PortraitLayout lay_out(const PortraitPen& pen, const Figure& figure,
                       const std::vector<KeyEntry>& key) {
  const PortraitStyle& style = pen.style();
  const bool circle = figure.panels.front().portrait.atoms.cols == 2;
  const int count = static_cast<int>(figure.panels.size());
  const int columns = circle && count == 3 ? 3 : std::min(count, 2);
  const double em = style.type, margin = 1.2 * em, title = 3.4 * em;
  const double between = circle ? margin : 3.5 * em;  // pairs of discs stand apart
  const double wide = circle ? style.cell : 1.4 * style.cell;
  const double high = circle ? style.cell : 0.7 * style.cell + 2.6 * em;
  PortraitLayout l;
  l.width = std::max(columns * (wide + between) - between + 2 * margin, 1.9 * style.cell);
  const double left = (l.width - columns * (wide + between) + between) / 2;
  for (int k = 0; k < count; ++k)
    l.cells.push_back({left + k % columns * (wide + between),
                       margin + title + k / columns * (high + title + margin), wide, high});
  l.key_top = l.cells.back().y + high + 1.2 * em;
  const double right = l.width - margin;
  double x = right;
  const auto length = [&](const KeyEntry& entry) {
    return (entry.width() + kWordGap) * em + pen.text_width(entry.words, em);
  };
  for (int k = 0; k < static_cast<int>(key.size()); ++k) {
    if (k == 0 || x + length(key[k]) > right) {
      l.lines.emplace_back();
      x = margin;
    }
    l.lines.back().emplace_back(k, x);
    x += length(key[k]) + kKeyGap * em;
  }
  for (auto& line : l.lines) {  // each line is centred
    const auto [last, at] = line.back();
    const double shift = (right - at - length(key[last])) / 2;
    for (auto& [entry, left_edge] : line) left_edge += shift;
  }
  l.height = l.key_top + kKeyRow * em * static_cast<double>(l.lines.size()) + 0.6 * em;
  return l;
}

void paint(const PortraitPen& pen, const Figure& figure, const PortraitLayout& l,
           const std::vector<KeyEntry>& key) {
  const PortraitStyle& style = pen.style();
  const int d = figure.panels.front().portrait.atoms.cols;
  const double em = style.type, spokes = spoke_scale(figure);
  pen.ink(style.ground);
  cairo_paint(pen.cr());
  for (std::size_t k = 0; k < figure.panels.size(); ++k) {
    const Panel& panel = figure.panels[k];
    const Frame& cell = l.cells[k];
    const double middle = cell.x + cell.width / 2;
    pen.text(middle, cell.y - 2.2 * em, panel.title,
             {.size = 1.1 * em, .colour = style.ink, .bold = true, .align = Align::centre});
    pen.text(middle, cell.y - 0.8 * em, panel.subtitle,
             {.size = em, .colour = style.quiet, .align = Align::centre});
    if (d == 2)
      draw_circle(pen, panel.portrait, cell, spokes);
    else
      draw_discs(pen, panel.portrait, cell);
  }
  for (std::size_t line = 0; line < l.lines.size(); ++line)
    for (const auto& [k, x] : l.lines[line]) {
      const double y = l.key_top + kKeyRow * em * (static_cast<double>(line) + 0.5);
      draw_sample(pen, key[k], {x, y - em / 2, key[k].width() * em, em}, d);
      pen.text(x + (key[k].width() + kWordGap) * em, y + 0.36 * em, key[k].words,
               {.size = em, .colour = style.ink});
    }
}

}  // namespace

void draw_portraits(const Figure& figure, const std::filesystem::path& path) {
  check(figure);
  check_ending(path);
  const PortraitStyle style = portrait_style(figure.style);
  const std::vector<KeyEntry> key = key_of(figure, spoke_scale(figure));
  const Surface ruler(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  const Context measuring(cairo_create(ruler.get()));
  const PortraitLayout l = lay_out(PortraitPen(measuring.get(), style), figure, key);
  write_figure(path, {l.width, l.height},
               [&](cairo_t* context) { paint(PortraitPen(context, style), figure, l, key); });
}

}  // namespace murmur::picture
