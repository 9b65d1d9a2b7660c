// confusion.cpp: draws how often each class was taken for each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
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
    throw Error(Fault::input,
                fmt::format("counts ({}, {}) do not fit {} classes, or hold what is no count",
                            counts.rows, counts.cols, classes),
                "parameter counts", "give one row and one column a class, of numbers from 0 up");
}

std::string grouped(double count) {  // 1 234 567
  std::string digits = fmt::format("{:.0f}", count);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(digits.begin() + at, ' ');
  return digits;
}

class ConfusionTable {
 public:
  ConfusionTable(Canvas& canvas, const Matrix& counts, const std::vector<std::string>& classes,
                 const Theme& look)
      : canvas_(canvas), counts_(counts), look_(look) {
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
      canvas_.text(x_ - 0.8 * text_, y_ + (i + 0.5) * cell_ + 0.36 * name_size(), names_[i],
                   {.size = name_size(), .colour = look_.ink, .bold = true, .align = Align::right});
      draw_column_name(i);
    }
    const TextStyle quiet{.size = text_, .colour = look_.quiet, .align = Align::centre};
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
    const TextStyle style{.size = name_size(), .colour = look_.ink, .bold = true};
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
    canvas_.text(margin_, y, title, {.size = title_, .colour = look_.ink, .bold = true});
    const std::string told = fmt::format("{} of {} pictures; {} taken for another class.",
                                         grouped(right), grouped(all), grouped(all - right));
    y += 0.35 * title_;
    for (const std::string& line : canvas_.wrap(told, inner, text_, false, 2))
      canvas_.text(margin_, y += 1.45 * text_, line, {.size = text_, .colour = look_.quiet});
  }

  // Right ones blue, wrong ones vermilion; shares of a row from 0.1 % up can be told apart.
  void draw_cell(int i, int j, double share) {
    cairo_t* cr = canvas_.cr();
    const double gap = std::max(0.5, 0.018 * cell_);
    cairo_rectangle(cr, x_ + j * cell_ + gap, y_ + i * cell_ + gap, cell_ - 2 * gap,
                    cell_ - 2 * gap);
    const Colour ground =
        look_.dark ? mix(look_.edge, look_.lit, 0.22) : mix(look_.centre, look_.body, 0.75);
    const double depth = i == j ? 0.12 + 0.68 * share
                                : std::min(0.85, share > 0 ? 0.10 + 0.9 * std::sqrt(share) : 0.0);
    const Colour fill = mix(ground, class_colour(i == j ? 0 : 4, look_.dark), depth);
    canvas_.ink(fill);
    cairo_fill(cr);
    const double light = 0.3 * fill.red + 0.59 * fill.green + 0.11 * fill.blue;
    const Colour words = light > 0.45 ? rgb(0x10151f) : rgb(0xf6f8fc);
    const double middle = x_ + (j + 0.5) * cell_, y = y_ + (i + 0.5) * cell_;
    const bool none = counts_(i, j) == 0;
    const std::string number = grouped(counts_(i, j));
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
  const Theme& look_;
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
  const picture::Theme& look = picture::theme(style.dark);
  picture::Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, look);
  picture::ConfusionTable(canvas, counts, classes, look).draw();
  canvas.save(png);
}

}  // namespace murmur
