// mistakes.cpp: draws the digits that were read wrong, the surest mistakes first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "picture/digit_pictures.h"
#include "picture/pixels.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

void check(const std::vector<Mistake>& mistakes, int height, int width) {
  if (height < 1 || width < 1)
    throw Error(Fault::input, fmt::format("pictures of {} x {} pixels hold nothing", height, width),
                "parameters height, width", "give the size of the pictures");
  const std::size_t size = static_cast<std::size_t>(height) * width;
  for (const Mistake& m : mistakes)
    if (m.ink.size() != size || !std::isfinite(m.chance))
      throw Error(Fault::input,
                  fmt::format("mistake {} has {} pixels where {} x {} are needed, or no chance",
                              m.index, m.ink.size(), height, width),
                  "parameter mistakes", "give pictures of one size, each with its chance");
}

struct Gallery {
  double margin = 36, title = 25, text = 14;
  int columns = 1, rows = 1;
  double x = 0, y = 0, tile = 100, caption = 40, gap = 14;  // tile: side of a picture

  int most() const { return columns * rows; }
};

// The largest tiles that show all, but none so small that the ink cannot be read.
Gallery lay_out(const Canvas& canvas, std::size_t count) {
  Gallery g;
  const double unit = std::sqrt(canvas.width() * canvas.height() / (1280.0 * 720.0));
  g.margin = std::max(14.0, 36 * unit);
  g.title = std::max(13.0, 25 * unit);
  g.text = std::max(9.0, 13 * unit);
  g.gap = std::max(6.0, 16 * unit);
  g.caption = 3.3 * g.text;
  const double top = 0.75 * g.margin + 1.15 * g.title + 2.4 * g.text + 0.5 * g.margin;
  const double width = canvas.width() - 2 * g.margin;
  const double height = canvas.height() - top - 0.6 * g.margin;
  const double min = 6.6 * g.text, largest = 15 * g.text;
  g.tile = 0;
  for (int columns = 1; columns <= 64; ++columns) {
    const double by_width = (width + g.gap) / columns - g.gap;
    if (by_width < min && columns > 1) break;
    const int rows_needed = static_cast<int>((count + columns - 1) / columns);
    const double by_height = (height + g.gap) / std::max(1, rows_needed) - g.gap - g.caption;
    const double side = std::min({by_width, std::max(by_height, min), largest});
    const int rows = std::min(
        std::max(1, rows_needed),
        std::max(1, static_cast<int>((height + g.gap) / (side + g.caption + g.gap) + 1e-9)));
    const bool more = columns * rows > g.most() && g.most() < static_cast<int>(count);
    if (more || (columns * rows >= static_cast<int>(count) && side > g.tile))
      g.columns = columns, g.rows = rows, g.tile = side;
  }
  const int shown = std::min(static_cast<int>(count), g.most());
  const int used = std::min(g.columns, std::max(1, shown));
  const double pitch = std::min((width + g.gap) / used, 1.6 * (g.tile + g.gap));
  g.gap = pitch - g.tile;
  g.x = g.margin;
  g.y = top;
  return g;
}

void draw_captions(Canvas& canvas, const Theme& look, const Mistake& m, const Frame& f,
                   double text) {
  const double y = f.y + f.height + 1.3 * text;
  std::string read = fmt::format("{} read as {}", clean_text(m.truth), clean_text(m.verdict));
  if (canvas.text_width(read, 0.8 * text, true) > f.width) read = "is " + clean_text(m.truth);
  const double size = std::min(text, text * f.width / canvas.text_width(read, text, true));
  canvas.text(f.x, y, canvas.shorten(read, f.width + 2, std::max(0.8 * text, size), true),
              {.size = std::max(0.8 * text, size), .colour = look.ink, .bold = true});
  const std::string number = fmt::format("#{}", m.index);
  const double small = 0.88 * text;
  canvas.text(f.x, y + 1.3 * text, fmt::format("{:.0f} %", 100 * m.chance),
              {.size = small, .colour = class_colour(4, look.dark), .bold = true});
  canvas.text(f.x + f.width, y + 1.3 * text, number,
              {.size = small, .colour = look.quiet, .align = Align::right});
}

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

void draw_mistakes(const std::vector<Mistake>& mistakes, int height, int width,
                   const PictureStyle& style, const std::filesystem::path& png) {
  check_size(style);
  picture::check(mistakes, height, width);
  const Theme& look = theme(style.dark);
  Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, look);
  const Gallery g = lay_out(canvas, mistakes.size());
  if (mistakes.empty()) {
    const double middle = style.width / 2.0, y = style.height / 2.0;
    canvas.text(middle, y, "No mistakes",
                {.size = 1.6 * g.title, .colour = look.ink, .bold = true, .align = Align::centre});
    canvas.text(middle, y + 1.6 * g.title, "Every picture of the test set was read right.",
                {.size = 1.2 * g.text, .colour = look.quiet, .align = Align::centre});
    canvas.save(png);
    return;
  }
  const double baseline = 0.75 * g.margin + 0.8 * g.title;
  const std::size_t shown = std::min(mistakes.size(), static_cast<std::size_t>(g.most()));
  const std::string title =
      fmt::format("{} mistake{}", mistakes.size(), mistakes.size() == 1 ? "" : "s");
  canvas.text(g.margin, baseline, title, {.size = g.title, .colour = look.ink, .bold = true});
  const std::string told = fmt::format(
      "{} Below each: the chance given to the wrong verdict, and the number in the test set.",
      shown < mistakes.size() ? fmt::format("The {} surest are shown.", shown)
                              : "The surest come first.");
  canvas.text(g.margin, baseline + 0.35 * g.title + 1.45 * g.text,
              canvas.shorten(told, canvas.width() - 2 * g.margin, g.text),
              {.size = g.text, .colour = look.quiet});
  std::vector<const Mistake*> surest;
  for (const Mistake& m : mistakes) surest.push_back(&m);
  std::stable_sort(surest.begin(), surest.end(),
                   [](const Mistake* a, const Mistake* b) { return a->chance > b->chance; });
  for (std::size_t k = 0; k < shown; ++k) {
    const auto column = static_cast<double>(k % g.columns),
               row = static_cast<double>(k / g.columns);
    const double down = g.tile + g.caption + std::min(g.gap, 1.6 * g.text);
    const Frame f{g.x + column * (g.tile + g.gap), g.y + row * down, g.tile, g.tile};
    draw_pixels(canvas, {surest[k]->ink, height, width}, f, look);
    draw_captions(canvas, look, *surest[k], f, g.text);
  }
  canvas.save(png);
}

}  // namespace murmur
