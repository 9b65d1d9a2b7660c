// sentence.cpp: draws whom a word of a sentence listens to, block by block.
#include "picture/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "picture/stage.h"

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
  SentenceTable(Canvas& canvas, const SentencePicture& sentence, const Theme& look)
      : canvas_(canvas), s_(sentence), look_(look) {
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
                 {.size = title_, .colour = look_.ink, .bold = true});
    canvas_.text(margin_, 0.75 * margin_ + 0.8 * title_ + 1.9 * text_,
                 fmt::format("Whom \u201c{}\u201d listens to: the weights of its attention, and "
                             "what it says after each block.",
                             s_.words[s_.asked]),
                 {.size = text_, .colour = look_.quiet});
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
                  .colour = asked ? class_colour(4, look_.dark) : look_.ink,
                  .bold = asked});
    cairo_restore(canvas_.cr());
  }

  void draw_block(int b) {
    const double y = y_ + b * row_;
    canvas_.text(x_ - 0.7 * text_, y + 0.5 * row_ + 0.36 * text_, fmt::format("block {}", b + 1),
                 {.size = text_, .colour = look_.quiet, .align = Align::right});
    const Colour ground =
        look_.dark ? mix(look_.edge, look_.lit, 0.22) : mix(look_.centre, look_.body, 0.75);
    for (int j = 0; j < static_cast<int>(s_.words.size()); ++j) {
      const double weight = s_.weights(b, j), gap = 0.03 * cell_;
      const Colour fill = mix(ground, class_colour(0, look_.dark), std::min(1.0, weight));
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
    canvas_.ink(look_.quiet, 0.5);
    for (const double at : {left, (left + right) / 2, right}) canvas_.line(at, y_, at, bottom);
    const bool first = s_.chance.back() >= 0.5;
    canvas_.text(left, y_ - 0.7 * text_, s_.classes[0],
                 {.size = 1.15 * text_, .colour = look_.ink, .bold = first});
    canvas_.text(
        right, y_ - 0.7 * text_, s_.classes[1],
        {.size = 1.15 * text_, .colour = look_.ink, .bold = !first, .align = Align::right});
    canvas_.ink(class_colour(4, look_.dark));
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
                 {.size = text_, .colour = look_.quiet, .align = Align::centre});
  }

  Canvas& canvas_;
  const SentencePicture& s_;
  const Theme& look_;
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
  const picture::Theme& look = picture::theme(style.dark);
  picture::Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, look);
  picture::SentenceTable(canvas, sentence, look).draw();
  canvas.save(png);
}

}  // namespace murmur
