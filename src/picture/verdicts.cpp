// verdicts.cpp: draws how a trained swarm did in its test: how often each class was taken for each
// other, the mistakes, and the attention of the asked word.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "picture/canvas.h"
#include "picture/digit_pictures.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

void check(const Matrix& counts, std::size_t classes) {
  const auto wanted = static_cast<int>(classes);
  bool good = wanted > 0 && counts.rows == wanted && counts.cols == wanted &&
              counts.data.size() == classes * classes;
  for (double count : counts.data) good = good && std::isfinite(count) && count >= 0;
  if (!good)
    throw Error(
        Fault::input,
        fmt::format("counts ({}, {}) do not fit {} classes, or hold a value that is not a count",
                    counts.rows, counts.cols, classes),
        "parameter counts", "give one row and one column for each class, of numbers from 0 up");
}

std::string with_thousands_spaced(double count) {  // 1 234 567
  std::string digits = fmt::format("{:.0f}", count);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(digits.begin() + at, ' ');
  return digits;
}

class ConfusionTable {
 public:
  ConfusionTable(Canvas& canvas, const Matrix& counts, const std::vector<std::string>& classes,
                 const Theme& theme)
      : canvas_(canvas), counts_(counts), theme_(theme) {
    const double unit = std::sqrt(canvas.width() * canvas.height() / (1280.0 * 720.0));
    margin_ = std::max(14.0, 36 * unit);
    title_ = std::max(13.0, 25 * unit);
    text_ = std::max(9.5, 14.5 * unit);
    for (const std::string& name : classes) {
      const double room = 0.16 * canvas.width();
      names_.push_back(canvas.shorten(clean_text(name), room, name_size(), true));
      widest_ = std::max(widest_, canvas.text_width(names_.back(), name_size(), true));
    }
    slanted_ = widest_ > 0.6 * (canvas.height() - 2 * margin_) / counts.rows;
    head_ = slanted_ ? 0.64 * widest_ + 0.9 * name_size() : name_size();
    const double top = 0.75 * margin_ + 1.15 * title_ + 4.8 * text_ + head_;
    const double left = margin_ + 2.2 * text_ + widest_;
    const double side =
        std::min(canvas.width() - left - 2 * margin_, canvas.height() - top - 0.8 * margin_);
    cell_ = side / counts.rows;
    const double slack = canvas.width() - margin_ - left - side;
    x_ = left + std::max(0.0, slack / 2 - 0.25 * left);
    y_ = top;
  }

  void draw() {
    draw_heading();
    const int n = counts_.rows;
    for (int i = 0; i < n; ++i) {
      double total = 0;
      for (int j = 0; j < n; ++j) total += counts_(i, j);
      for (int j = 0; j < n; ++j) draw_cell(i, j, total > 0 ? counts_(i, j) / total : 0);
      canvas_.text(
          x_ - 0.8 * text_, y_ + (i + 0.5) * cell_ + 0.36 * name_size(), names_[i],
          {.size = name_size(), .colour = theme_.ink, .bold = true, .align = Align::right});
      draw_column_name(i);
    }
    const TextStyle quiet{.size = text_, .colour = theme_.quiet, .align = Align::centre};
    canvas_.text(x_ + n * cell_ / 2, y_ - 1.3 * text_ - head_, "verdict", quiet);
    cairo_save(canvas_.cr());
    cairo_translate(canvas_.cr(), x_ - widest_ - 1.9 * text_, y_ + n * cell_ / 2);
    cairo_rotate(canvas_.cr(), -1.5707963267948966);
    canvas_.text(0, 0, "truth", quiet);
    cairo_restore(canvas_.cr());
  }

 private:
  void draw_column_name(int j) {
    const double x = x_ + (j + 0.5) * cell_, y = y_ - 0.6 * text_;
    const TextStyle style{.size = name_size(), .colour = theme_.ink, .bold = true};
    cairo_save(canvas_.cr());
    cairo_translate(canvas_.cr(), x, y);
    if (slanted_) cairo_rotate(canvas_.cr(), -0.7);
    const double back = slanted_ ? 0 : canvas_.text_width(names_[j], style.size, true) / 2;
    canvas_.text(-back, 0, names_[j], style);
    cairo_restore(canvas_.cr());
  }

  double name_size() const { return counts_.rows > 4 ? 1.2 * text_ : 1.6 * text_; }

  void draw_heading() {
    double all = 0, right = 0;
    for (double count : counts_.data) all += count;
    for (int i = 0; i < counts_.rows; ++i) right += counts_(i, i);
    const double inner = canvas_.width() - 2 * margin_;
    const std::string title =
        all > 0 ? fmt::format("{:.2f} % read right", 100 * right / all) : "Nothing read yet";
    double y = 0.75 * margin_ + 0.8 * title_;
    canvas_.text(margin_, y, title, {.size = title_, .colour = theme_.ink, .bold = true});
    const std::string summary =
        fmt::format("{} of {} pictures; {} taken for another class.", with_thousands_spaced(right),
                    with_thousands_spaced(all), with_thousands_spaced(all - right));
    y += 0.35 * title_;
    for (const std::string& line : canvas_.wrap(summary, inner, text_, false, 2))
      canvas_.text(margin_, y += 1.45 * text_, line, {.size = text_, .colour = theme_.quiet});
  }

  // Right ones blue, wrong ones vermilion; shares of a row from 0.1 % up can be distinguished.
  void draw_cell(int i, int j, double share) {
    cairo_t* cr = canvas_.cr();
    const double gap = std::max(0.5, 0.018 * cell_);
    cairo_rectangle(cr, x_ + j * cell_ + gap, y_ + i * cell_ + gap, cell_ - 2 * gap,
                    cell_ - 2 * gap);
    const Colour ground =
        theme_.dark ? mix(theme_.edge, theme_.lit, 0.22) : mix(theme_.centre, theme_.body, 0.75);
    const double depth = i == j ? 0.12 + 0.68 * share
                                : std::min(0.85, share > 0 ? 0.10 + 0.9 * std::sqrt(share) : 0.0);
    const Colour fill = mix(ground, class_colour(i == j ? 0 : 4, theme_.dark), depth);
    canvas_.ink(fill);
    cairo_fill(cr);
    const double light = 0.3 * fill.red + 0.59 * fill.green + 0.11 * fill.blue;
    const Colour words = light > 0.45 ? rgb(0x10151f) : rgb(0xf6f8fc);
    const double middle = x_ + (j + 0.5) * cell_, y = y_ + (i + 0.5) * cell_;
    const bool none = counts_(i, j) == 0;
    const std::string number = with_thousands_spaced(counts_(i, j));
    const double cap = counts_.rows > 4 ? 1.35 * text_ : 2.4 * text_;
    const double size =
        std::min({cap, 0.30 * cell_, 0.84 * cell_ * cap / canvas_.text_width(number, cap, true)});
    const double small = std::min(0.66 * size, text_ * 1.2);
    canvas_.text(middle, y + (none ? 0.36 : 0.05) * size, number,
                 {.size = size,
                  .colour = words,
                  .bold = !none,
                  .align = Align::centre,
                  .alpha = none ? 0.45 : 1});
    if (!none)
      canvas_.text(middle, y + 0.25 * size + 1.1 * small, percent(share),
                   {.size = small, .colour = words, .align = Align::centre, .alpha = 0.9});
  }

  static std::string percent(double share) {
    if (share >= 1) return "100 %";
    if (share > 0.9995) return "99.9 %";
    return fmt::format("{:.1f} %", 100 * share);
  }

  Canvas& canvas_;
  const Matrix& counts_;
  const Theme& theme_;
  std::vector<std::string> names_{};
  double margin_ = 36, title_ = 25, text_ = 14;
  double widest_ = 0;     // of the names
  bool slanted_ = false;  // names too wide for their columns
  double head_ = 0;       // height of the names above the columns
  double cell_ = 10, x_ = 0, y_ = 0;
};

}  // namespace

}  // namespace murmur::picture

namespace murmur {

void draw_confusion(const Matrix& counts, const std::vector<std::string>& classes,
                    const PictureStyle& style, const std::filesystem::path& png) {
  picture::check_size(style);
  picture::check(counts, classes.size());
  const picture::Theme& theme = picture::theme_of(style.dark);
  picture::Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, theme);
  picture::ConfusionTable(canvas, counts, classes, theme).draw();
  canvas.save(png);
}

}  // namespace murmur

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

void draw_captions(Canvas& canvas, const Theme& theme, const Mistake& m, const Frame& f,
                   double text) {
  const double y = f.y + f.height + 1.3 * text;
  std::string read = fmt::format("{} read as {}", clean_text(m.truth), clean_text(m.verdict));
  if (canvas.text_width(read, 0.8 * text, true) > f.width) read = "is " + clean_text(m.truth);
  const double size = std::min(text, text * f.width / canvas.text_width(read, text, true));
  canvas.text(f.x, y, canvas.shorten(read, f.width + 2, std::max(0.8 * text, size), true),
              {.size = std::max(0.8 * text, size), .colour = theme.ink, .bold = true});
  const std::string number = fmt::format("#{}", m.index);
  const double small = 0.88 * text;
  canvas.text(f.x, y + 1.3 * text, fmt::format("{:.0f} %", 100 * m.chance),
              {.size = small, .colour = class_colour(4, theme.dark), .bold = true});
  canvas.text(f.x + f.width, y + 1.3 * text, number,
              {.size = small, .colour = theme.quiet, .align = Align::right});
}

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

void draw_mistakes(const std::vector<Mistake>& mistakes, int height, int width,
                   const PictureStyle& style, const std::filesystem::path& png) {
  check_size(style);
  picture::check(mistakes, height, width);
  const Theme& theme = theme_of(style.dark);
  Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, theme);
  const Gallery g = lay_out(canvas, mistakes.size());
  if (mistakes.empty()) {
    const double middle = style.width / 2.0, y = style.height / 2.0;
    canvas.text(middle, y, "No mistakes",
                {.size = 1.6 * g.title, .colour = theme.ink, .bold = true, .align = Align::centre});
    canvas.text(middle, y + 1.6 * g.title, "Every picture of the test set was read right.",
                {.size = 1.2 * g.text, .colour = theme.quiet, .align = Align::centre});
    canvas.save(png);
    return;
  }
  const double baseline = 0.75 * g.margin + 0.8 * g.title;
  const std::size_t shown = std::min(mistakes.size(), static_cast<std::size_t>(g.most()));
  const std::string title =
      fmt::format("{} mistake{}", mistakes.size(), mistakes.size() == 1 ? "" : "s");
  canvas.text(g.margin, baseline, title, {.size = g.title, .colour = theme.ink, .bold = true});
  const std::string summary = fmt::format(
      "{} Below each: the chance given to the wrong verdict, and the number in the test set.",
      shown < mistakes.size() ? fmt::format("The {} surest are shown.", shown)
                              : "The surest come first.");
  canvas.text(g.margin, baseline + 0.35 * g.title + 1.45 * g.text,
              canvas.shorten(summary, canvas.width() - 2 * g.margin, g.text),
              {.size = g.text, .colour = theme.quiet});
  std::vector<const Mistake*> surest;
  for (const Mistake& m : mistakes) surest.push_back(&m);
  std::stable_sort(surest.begin(), surest.end(),
                   [](const Mistake* a, const Mistake* b) { return a->chance > b->chance; });
  for (std::size_t k = 0; k < shown; ++k) {
    const auto column = static_cast<double>(k % g.columns),
               row = static_cast<double>(k / g.columns);
    const double down = g.tile + g.caption + std::min(g.gap, 1.6 * g.text);
    const Frame f{g.x + column * (g.tile + g.gap), g.y + row * down, g.tile, g.tile};
    draw_pixels(canvas, {surest[k]->ink, height, width}, f, theme);
    draw_captions(canvas, theme, *surest[k], f, g.text);
  }
  canvas.save(png);
}

}  // namespace murmur

namespace murmur::picture {

namespace {

void check(const SentencePicture& s) {
  const int n = static_cast<int>(s.words.size());
  bool good = n > 0 && s.asked >= 0 && s.asked < n && s.weights.rows > 0 && s.weights.cols == n &&
              static_cast<int>(s.chance.size()) == s.weights.rows + 1;
  for (const double weight : s.weights.data) good = good && weight >= 0 && weight <= 1 + 1e-9;
  for (const double chance : s.chance) good = good && chance >= 0 && chance <= 1;
  if (!good)
    throw Error(Fault::input, "the parts of a sentence's picture do not fit each other",
                "parameter sentence", "give a weight for every block and word, from 0 to 1");
}

class SentenceTable {
 public:
  SentenceTable(Canvas& canvas, const SentencePicture& sentence, const Theme& theme)
      : canvas_(canvas), s_(sentence), theme_(theme) {
    const double unit = canvas.width() / 1280.0;
    margin_ = 36 * unit;
    title_ = 25 * unit;
    text_ = 15 * unit;
    bar_ = 190 * unit;
    double widest = 0;
    for (const std::string& word : s_.words)
      widest = std::max(widest, canvas.text_width(word, 1.15 * text_, true));
    x_ = margin_ + 5.2 * text_;
    y_ = 0.75 * margin_ + 1.3 * title_ + 3.6 * text_ + 0.72 * widest + text_;
    cell_ = (canvas.width() - x_ - 2.2 * margin_ - bar_) / static_cast<double>(s_.words.size());
    row_ = (canvas.height() - y_ - margin_ - 1.6 * text_) / s_.weights.rows;
  }

  void draw() {
    canvas_.text(margin_, 0.75 * margin_ + 0.8 * title_, s_.title,
                 {.size = title_, .colour = theme_.ink, .bold = true});
    canvas_.text(margin_, 0.75 * margin_ + 0.8 * title_ + 1.9 * text_,
                 fmt::format("What \u201c{}\u201d attends to: the weights of its attention, and "
                             "what it says after each block.",
                             s_.words[s_.asked]),
                 {.size = text_, .colour = theme_.quiet});
    for (int j = 0; j < static_cast<int>(s_.words.size()); ++j) draw_word(j);
    for (int b = 0; b < s_.weights.rows; ++b) draw_block(b);
    draw_verdict();
  }

 private:
  void draw_word(int j) {
    cairo_save(canvas_.cr());
    cairo_translate(canvas_.cr(), x_ + (j + 0.45) * cell_, y_ - 0.6 * text_);
    cairo_rotate(canvas_.cr(), -0.72);
    const bool asked = j == s_.asked;
    canvas_.text(0, 0, clean_text(s_.words[j]),
                 {.size = 1.15 * text_,
                  .colour = asked ? class_colour(4, theme_.dark) : theme_.ink,
                  .bold = asked});
    cairo_restore(canvas_.cr());
  }

  void draw_block(int b) {
    const double y = y_ + b * row_;
    canvas_.text(x_ - 0.7 * text_, y + 0.5 * row_ + 0.36 * text_, fmt::format("block {}", b + 1),
                 {.size = text_, .colour = theme_.quiet, .align = Align::right});
    const Colour ground =
        theme_.dark ? mix(theme_.edge, theme_.lit, 0.22) : mix(theme_.centre, theme_.body, 0.75);
    for (int j = 0; j < static_cast<int>(s_.words.size()); ++j) {
      const double weight = s_.weights(b, j), gap = 0.03 * cell_;
      const Colour fill = mix(ground, class_colour(0, theme_.dark), std::min(1.0, weight));
      cairo_rectangle(canvas_.cr(), x_ + j * cell_ + gap, y + gap, cell_ - 2 * gap, row_ - 2 * gap);
      canvas_.ink(fill);
      cairo_fill(canvas_.cr());
      if (weight < 0.05) continue;
      const double light = 0.3 * fill.red + 0.59 * fill.green + 0.11 * fill.blue;
      canvas_.text(x_ + (j + 0.5) * cell_, y + 0.5 * row_ + 0.36 * text_,
                   fmt::format("{:.0f} %", 100 * weight),
                   {.size = std::min(text_, 0.3 * cell_),
                    .colour = light > 0.45 ? rgb(0x10151f) : rgb(0xf6f8fc),
                    .align = Align::centre});
    }
  }

  // The chance of the first class, before and after every block, between both names.
  void draw_verdict() {
    const double left = canvas_.width() - margin_ - bar_, right = left + bar_;
    const auto x = [&](double chance) { return right - chance * bar_; };
    const double bottom = y_ + s_.weights.rows * row_;
    cairo_t* cr = canvas_.cr();
    cairo_set_line_width(cr, 1);
    canvas_.ink(theme_.quiet, 0.5);
    for (const double at : {left, (left + right) / 2, right}) canvas_.line(at, y_, at, bottom);
    const bool first = s_.chance.back() >= 0.5;
    canvas_.text(left, y_ - 0.7 * text_, s_.classes[0],
                 {.size = 1.15 * text_, .colour = theme_.ink, .bold = first});
    canvas_.text(
        right, y_ - 0.7 * text_, s_.classes[1],
        {.size = 1.15 * text_, .colour = theme_.ink, .bold = !first, .align = Align::right});
    canvas_.ink(class_colour(4, theme_.dark));
    cairo_set_line_width(cr, 0.16 * text_);
    for (std::size_t b = 0; b < s_.chance.size(); ++b) {
      const double at = x(s_.chance[b]), y = y_ + static_cast<double>(b) * row_;
      if (b == 0)
        cairo_move_to(cr, at, y);
      else
        cairo_line_to(cr, at, y);
    }
    cairo_stroke(cr);
    for (std::size_t b = 0; b < s_.chance.size(); ++b) {
      cairo_arc(cr, x(s_.chance[b]), y_ + static_cast<double>(b) * row_, 0.32 * text_, 0, 6.2832);
      cairo_fill(cr);
    }
    canvas_.text((left + right) / 2, bottom + 1.7 * text_, "chance of the verdict",
                 {.size = text_, .colour = theme_.quiet, .align = Align::centre});
  }

  Canvas& canvas_;
  const SentencePicture& s_;
  const Theme& theme_;
  double margin_ = 36, title_ = 25, text_ = 15, bar_ = 190;
  double x_ = 0, y_ = 0, cell_ = 10, row_ = 10;
};

}  // namespace

}  // namespace murmur::picture

namespace murmur {

void draw_sentence(const SentencePicture& sentence, const PictureStyle& style,
                   const std::filesystem::path& png) {
  picture::check_size(style);
  picture::check(sentence);
  const picture::Theme& theme = picture::theme_of(style.dark);
  picture::Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, theme);
  picture::SentenceTable(canvas, sentence, theme).draw();
  canvas.save(png);
}

}  // namespace murmur
