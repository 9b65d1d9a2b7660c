// digit_panel.cpp: draws the picture or the sentence in its corner, and how the verdict stands.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "picture/digit_stage.h"
#include "picture/pixels.h"

namespace murmur::picture {

namespace {

std::string percent(double chance) {
  const double part = std::min(chance, 1 - chance);  // near 0 and 1 a decimal tells more
  return fmt::format("{:.{}f} %", 100 * chance, part < 0.01 && part >= 0.0005 ? 1 : 0);
}

// Two classes: one bar from gate to gate, cut where the token that is read (or the mean) is between
// them, with the chances of both above it.
void draw_tug(Canvas& canvas, const DigitStage& stage, const Frame& f, double t) {
  const DigitLayout& at = stage.layout;
  const Theme& look = stage.look();
  const std::vector<double> chance = stage.chances(t);
  const bool mirrored = stage.gate[0].x > stage.gate[1].x;
  const int left = mirrored ? 1 : 0, right = 1 - left;
  const double thick = 1.15 * at.text_size, y = f.y + f.height - thick;
  cairo_t* cr = canvas.cr();
  cairo_save(cr);
  trace_round(canvas, {f.x, y, f.width, thick}, thick / 2);
  cairo_clip(cr);
  const double share = std::clamp(stage.between_gates(t), 0.0, 1.0);  // of the way to gate 1
  const double cut = f.x + f.width * (left == 0 ? 1 - share : share);
  canvas.ink(class_colour(left, look.dark));
  cairo_rectangle(cr, f.x, y, cut - f.x, thick);
  cairo_fill(cr);
  canvas.ink(class_colour(right, look.dark));
  cairo_rectangle(cr, cut, y, f.x + f.width - cut, thick);
  cairo_fill(cr);
  if (std::min(cut - f.x, f.x + f.width - cut) > 2) {
    canvas.ink(look.dark ? look.edge : look.centre);
    cairo_rectangle(cr, cut - 1, y, 2, thick);
    cairo_fill(cr);
  }
  cairo_restore(cr);
  for (int c : {left, right}) {
    const Align align = c == left ? Align::left : Align::right;
    const double x = c == left ? f.x : f.x + f.width;
    const double sign = c == left ? 1 : -1;
    const std::string whole = clean_text(stage.trajectory->classes[c]);
    const double most = 1.25 * at.text_size, beside = canvas.text_width("99.9 %", at.text_size);
    const double room = 0.5 * f.width - beside - 0.9 * at.text_size;
    const double size =
        std::clamp(most * room / canvas.text_width(whole, most, true), 0.6 * most, most);
    const double baseline = y - 0.55 * at.text_size;
    const Colour colour = class_colour(c, look.dark);
    const bool fits = whole.size() < 3 || room > canvas.text_width("mmm", size, true);
    if (!fits) {  // the chance in the colour of its gate
      canvas.text(x, baseline, percent(chance[c]),
                  {.size = at.text_size, .colour = colour, .bold = true, .align = align});
      continue;
    }
    const std::string name = canvas.shorten(whole, room, size, true);
    canvas.text(x, baseline, name, {.size = size, .colour = colour, .bold = true, .align = align});
    const double past = canvas.text_width(name, size, true) + 0.5 * at.text_size;
    canvas.text(x + sign * past, baseline, percent(chance[c]),
                {.size = at.text_size, .colour = look.ink, .align = align});
  }
}

// Several: a bar each, as long as its share of the way to that gate.
void draw_rows(Canvas& canvas, const DigitStage& stage, const Frame& f, double t) {
  const DigitLayout& at = stage.layout;
  const Theme& look = stage.look();
  const std::vector<double> chance = stage.chances(t), way = stage.way(t);
  const auto best = std::max_element(chance.begin(), chance.end()) - chance.begin();
  double names = 0;
  std::vector<std::string> name;
  for (const std::string& full : stage.trajectory->classes) {
    name.push_back(canvas.shorten(clean_text(full), 0.34 * f.width, at.text_size, true));
    names = std::max(names, canvas.text_width(name.back(), at.text_size, true));
  }
  const double numbers = canvas.text_width("99.9 %", at.small_size);
  const double x = f.x + names + 0.6 * at.text_size;
  const double length = f.x + f.width - numbers - 0.5 * at.text_size - x;
  const double row = f.height / stage.classes(), thick = std::min(0.62 * row, at.text_size);
  for (int c = 0; c < stage.classes(); ++c) {
    const double middle = f.y + (c + 0.5) * row;
    const Colour colour = class_colour(c, look.dark);
    const double size = std::min(at.text_size, 0.95 * row);
    canvas.text(f.x + names, middle + 0.36 * size, name[c],
                {.size = size, .colour = colour, .bold = true, .align = Align::right});
    trace_round(canvas, {x, middle - thick / 2, length, thick}, thick / 2);
    canvas.ink(look.line, 0.14);
    cairo_fill(canvas.cr());
    const double come = length * std::clamp(way[c], 0.0, 1.0);
    if (come > 0.5) {
      cairo_save(canvas.cr());
      trace_round(canvas, {x, middle - thick / 2, length, thick}, thick / 2);
      cairo_clip(canvas.cr());
      cairo_rectangle(canvas.cr(), x, middle - thick / 2, come, thick);
      canvas.ink(colour);
      cairo_fill(canvas.cr());
      cairo_restore(canvas.cr());
    }
    canvas.text(f.x + f.width, middle + 0.36 * size, percent(chance[c]),
                {.size = std::min(size, at.small_size),
                 .colour = c == best ? look.ink : look.quiet,
                 .bold = c == best,
                 .align = Align::right});
  }
}

// The sentence in lines, its asked word bold.
void draw_words(Canvas& canvas, const DigitStage& stage, const Frame& f) {
  const DigitTrajectory& trajectory = *stage.trajectory;
  const double size = sentence_size(stage.layout);
  const std::vector<WordInLine> words = words_in_lines(canvas, trajectory, f.width, size);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const WordInLine& word = words[i];
    const bool asked = static_cast<int>(i) == trajectory.asked;
    const double x = f.x + word.x, y = f.y + size * (1 + kSentenceLine * word.line);
    canvas.text(
        x, y, word.text,
        {.size = size, .colour = asked ? stage.look().ink : stage.look().quiet, .bold = asked});
    if (!asked) continue;
    canvas.line(x, y + 0.22 * size, x + word.width, y + 0.22 * size);
    canvas.ink(stage.look().ink, 0.8);
    cairo_set_line_width(canvas.cr(), std::max(1.0, 0.09 * size));
    cairo_stroke(canvas.cr());
  }
}

}  // namespace

double sentence_size(const DigitLayout& layout) { return 1.15 * layout.text_size; }

std::vector<WordInLine> words_in_lines(Canvas& canvas, const DigitTrajectory& trajectory,
                                       double width, double size) {
  std::vector<WordInLine> words;
  double x = 0;
  int line = 0;
  for (std::size_t i = 0; i < trajectory.words.size(); ++i) {
    const bool asked = static_cast<int>(i) == trajectory.asked;
    const std::string word = canvas.shorten(clean_text(trajectory.words[i]), width, size, asked);
    const double wide = canvas.text_width(word, size, asked);
    if (x > 0 && x + wide > width) x = 0, ++line;
    words.push_back({word, x, wide, line});
    x += wide + 0.35 * size;
  }
  return words;
}

void draw_ink(Canvas& canvas, const DigitStage& stage, const Frame& frame) {
  const DigitTrajectory& trajectory = *stage.trajectory;
  if (!trajectory.words.empty()) return draw_words(canvas, stage, frame);
  draw_pixels(canvas, {trajectory.ink, trajectory.height, trajectory.width}, frame, stage.look());
}

void draw_chances(Canvas& canvas, const DigitStage& stage, const Frame& frame, double t) {
  if (stage.classes() == 2)
    draw_tug(canvas, stage, frame, t);
  else
    draw_rows(canvas, stage, frame, t);
}

}  // namespace murmur::picture
