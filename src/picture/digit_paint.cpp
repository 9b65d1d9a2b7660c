// digit_paint.cpp: paints the parts of a picture of a digit or a sentence: the scene with floor,
// ink, gates and tokens, the words next to their tokens, the picture and the bars in the corner.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "picture/canvas.h"
#include "picture/digit_stage.h"

namespace murmur::picture {

namespace {

struct Middle {
  double x = 0, y = 0;
};

std::vector<PlacedWord> words_of(Canvas& canvas, const DigitStage& stage, const CameraView& shot,
                                 const std::vector<Mark>& marks) {
  const DigitTrajectory& trajectory = *stage.trajectory;
  const Theme& theme = stage.theme();
  const double size = std::clamp(17 * shot.unit, 0.9 * stage.layout.small_size, 40.0);
  std::vector<PlacedWord> words;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!std::isfinite(marks[i].x)) continue;
    PlacedWord word{.text = clean_text(trajectory.words[i]), .token = marks[i]};
    word.asked = static_cast<int>(i) == trajectory.asked;
    word.style = {.size = word.asked ? 1.3 * size : size,
                  .colour = word.asked ? theme.ink : mix(theme.quiet, theme.ink, 0.35),
                  .bold = word.asked,
                  .align = Align::centre};
    word.width = canvas.text_width(word.text, word.style.size, word.asked);
    words.push_back(std::move(word));
  }
  return words;
}

// Outwards of its token, seen from the middle of all; the asked word above its own.
void place_next_to_tokens(std::vector<PlacedWord>& words, const Middle& middle, double unit) {
  for (PlacedWord& word : words) {
    const double dx = word.token.x - middle.x, dy = word.token.y - middle.y;
    const double far = std::max(1.0, std::hypot(dx, dy)), size = word.style.size;
    word.x = word.token.x + (word.asked ? 0 : dx / far * (1.2 * size + 0.5 * word.width));
    word.y = word.token.y + (word.asked ? -2.2 * std::max(4.5, 12 * unit) : 1.5 * size * dy / far);
  }
}

// Words that cover a token move away from the middle; the asked word only a little, up or down.
void move_off_tokens(std::vector<PlacedWord>& words, const Middle& middle, double dot) {
  for (PlacedWord& word : words)
    for (const PlacedWord& other : words) {
      if (word.asked && std::abs(word.y - word.token.y) > 2.6 * word.style.size) break;
      if (std::abs(word.x - other.token.x) > word.width / 2 + dot ||
          std::abs(word.y - other.token.y) > 0.6 * word.style.size + dot)
        continue;
      const double far = std::max(1.0, std::hypot(word.x - middle.x, word.y - middle.y));
      if (!word.asked) word.x += 0.12 * word.style.size * (word.x - middle.x) / far;
      word.y += 0.12 * word.style.size * (word.y < middle.y ? -1 : 1);
    }
}

// Two that cover each other move along the axis on which they cover each other less; the asked word
// stays.
void part(PlacedWord& a, PlacedWord& b) {
  const double wide = (a.width + b.width) / 2 + 0.4 * a.style.size;
  const double tall = 0.62 * (a.style.size + b.style.size);
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double over_x = wide - std::abs(dx), over_y = tall - std::abs(dy);
  if (over_x <= 0 || over_y <= 0) return;
  const double share = a.asked ? 0 : b.asked ? 1 : 0.5;
  if (over_y / tall <= over_x / wide) {
    const double way = 0.5 * over_y * (dy < 0 ? -1 : 1);
    a.y -= share * way, b.y += (1 - share) * way;
  } else {
    const double way = 0.5 * over_x * (dx < 0 ? -1 : 1);
    a.x -= share * way, b.x += (1 - share) * way;
  }
}

void keep_inside(std::vector<PlacedWord>& words, const Frame& w) {
  for (PlacedWord& word : words) {
    const double half = std::min(word.width, w.width) / 2,
                 size = std::min(word.style.size, w.height);
    word.x = std::clamp(word.x, w.x + half, w.x + w.width - half);
    word.y = std::clamp(word.y, w.y + size / 2, w.y + w.height - size / 2);
  }
}

}  // namespace

void push_apart(std::vector<PlacedWord>& words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    for (std::size_t j = i + 1; j < words.size(); ++j) part(words[i], words[j]);
}

std::vector<PlacedWord> place_words(Canvas& canvas, const DigitStage& stage, const CameraView& shot,
                                    const std::vector<Mark>& marks, double dot) {
  constexpr int kRounds = 160;
  std::vector<PlacedWord> words = words_of(canvas, stage, shot, marks);
  if (words.empty()) return words;
  Middle middle;  // of all but the asked word, which may be at the rim
  double count = 0;
  for (const PlacedWord& word : words) {
    if (word.asked && words.size() > 1) continue;
    middle.x += word.token.x, middle.y += word.token.y;
    ++count;
  }
  middle.x /= count, middle.y /= count;
  place_next_to_tokens(words, middle, shot.unit);
  for (int round = 0; round < kRounds; ++round) {
    move_off_tokens(words, middle, dot);
    push_apart(words);
  }
  keep_inside(words, shot.window);
  return words;
}

namespace {

std::string percent(double chance) {
  const double part = std::min(chance, 1 - chance);  // near 0 and 1 with one decimal
  return fmt::format("{:.{}f} %", 100 * chance, part < 0.01 && part >= 0.0005 ? 1 : 0);
}

// Two classes: one bar from gate to gate, cut where the token that is read (or the mean) is between
// them, with the chances of both above it.
void draw_two_class_bar(Canvas& canvas, const DigitStage& stage, const Frame& f, double t) {
  const DigitLayout& at = stage.layout;
  const Theme& theme = stage.theme();
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
  canvas.ink(class_colour(left, theme.dark));
  cairo_rectangle(cr, f.x, y, cut - f.x, thick);
  cairo_fill(cr);
  canvas.ink(class_colour(right, theme.dark));
  cairo_rectangle(cr, cut, y, f.x + f.width - cut, thick);
  cairo_fill(cr);
  if (std::min(cut - f.x, f.x + f.width - cut) > 2) {
    canvas.ink(theme.dark ? theme.edge : theme.centre);
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
    const Colour colour = class_colour(c, theme.dark);
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
                {.size = at.text_size, .colour = theme.ink, .align = align});
  }
}

// Several: a bar each, as long as its share of the way to that gate.
void draw_class_bars(Canvas& canvas, const DigitStage& stage, const Frame& f, double t) {
  const DigitLayout& at = stage.layout;
  const Theme& theme = stage.theme();
  const std::vector<double> chance = stage.chances(t), way = stage.progress_to_gates(t);
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
    const Colour colour = class_colour(c, theme.dark);
    const double size = std::min(at.text_size, 0.95 * row);
    canvas.text(f.x + names, middle + 0.36 * size, name[c],
                {.size = size, .colour = colour, .bold = true, .align = Align::right});
    trace_round(canvas, {x, middle - thick / 2, length, thick}, thick / 2);
    canvas.ink(theme.line, 0.14);
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
                 .colour = c == best ? theme.ink : theme.quiet,
                 .bold = c == best,
                 .align = Align::right});
  }
}

// The sentence in lines, its asked word bold.
void draw_sentence_lines(Canvas& canvas, const DigitStage& stage, const Frame& f) {
  const DigitTrajectory& trajectory = *stage.trajectory;
  const double size = sentence_size(stage.layout);
  const std::vector<WordInLine> words = words_in_lines(canvas, trajectory, f.width, size);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const WordInLine& word = words[i];
    const bool asked = static_cast<int>(i) == trajectory.asked;
    const double x = f.x + word.x, y = f.y + size * (1 + kSentenceLine * word.line);
    canvas.text(
        x, y, word.text,
        {.size = size, .colour = asked ? stage.theme().ink : stage.theme().quiet, .bold = asked});
    if (!asked) continue;
    canvas.line(x, y + 0.22 * size, x + word.width, y + 0.22 * size);
    canvas.ink(stage.theme().ink, 0.8);
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
  if (!trajectory.words.empty()) return draw_sentence_lines(canvas, stage, frame);
  draw_pixels(canvas, {trajectory.ink, trajectory.height, trajectory.width}, frame, stage.theme());
}

void draw_chances(Canvas& canvas, const DigitStage& stage, const Frame& frame, double t) {
  if (stage.classes() == 2)
    draw_two_class_bar(canvas, stage, frame, t);
  else
    draw_class_bars(canvas, stage, frame, t);
}

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

class ManifoldPainter {
 public:
  ManifoldPainter(Canvas& canvas, const DigitStage& stage, const CameraView& shot,
                  const Moment& now)
      : canvas_(canvas),
        cr_(canvas.cr()),
        stage_(stage),
        theme_(stage.theme()),
        shot_(shot),
        now_(now),
        unit_(shot.unit) {}

  void paint_floor() {
    cairo_save(cr_);
    const Frame& w = shot_.window;
    cairo_rectangle(cr_, w.x, w.y, w.width, w.height);
    cairo_clip(cr_);
    trace({stage_.place(-10, -10, 0), stage_.place(10, -10, 0), stage_.place(10, 10, 0),
           stage_.place(-10, 10, 0)});
    cairo_close_path(cr_);
    canvas_.ink(theme_.dark ? theme_.lit : theme_.body, theme_.dark ? 0.20 : 0.62);
    cairo_fill_preserve(cr_);
    canvas_.ink(theme_.line, theme_.dark ? 0.34 : 0.40);
    cairo_set_line_width(cr_, std::max(0.7, 1.1 * unit_));
    cairo_stroke(cr_);
    for (int k = -5; k <= 5; k += 5) {
      trace({stage_.place(k, -10, 0), stage_.place(k, 10, 0)});
      trace({stage_.place(-10, k, 0), stage_.place(10, k, 0)});
    }
    canvas_.ink(theme_.line, theme_.dark ? 0.13 : 0.20);
    cairo_set_line_width(cr_, std::max(0.6, 0.8 * unit_));
    cairo_stroke(cr_);
    cairo_restore(cr_);
  }

  // The ink as tiles on the floor, fainter once the tokens have left.
  void paint_print() {
    const DigitTrajectory& trajectory = *stage_.trajectory;
    const double share = 0.16 + 0.5 * (1 - smooth(now_.t / 0.8));
    if (trajectory.ink.empty()) return;
    const PixelPlaces at = pixel_places(trajectory);
    const double dx = at.width, dy = at.height;
    for (int row = 0; row < trajectory.height; ++row) {
      for (int column = 0; column < trajectory.width; ++column) {
        const int ink = trajectory.ink[static_cast<std::size_t>(row) * trajectory.width + column];
        if (ink < 16) continue;
        const double x = at.column[column], y = at.row[row], a = 0.44 * dx, b = 0.44 * dy;
        trace({stage_.place(x - a, y - b, 0), stage_.place(x + a, y - b, 0),
               stage_.place(x + a, y + b, 0), stage_.place(x - a, y + b, 0)});
        cairo_close_path(cr_);
        canvas_.ink(theme_.dark ? theme_.line : theme_.shade, share * ink / 255);
        cairo_fill(cr_);
      }
    }
  }

  void paint_shadows(const std::vector<Point>& points) {
    if (stage_.flat || points.size() > 4000) return;
    const Point low = stage_.place(-10, -10, 0), high = stage_.place(10, 10, 0);
    const double strength = (theme_.dark ? 0.30 : 0.13) * smooth(now_.t / 0.5);
    for (const Point& p : points) {
      const bool above = p.x > low.x && p.x < high.x && p.y > low.y && p.y < high.y && p.z > low.z;
      const Point below{p.x, p.y, low.z};
      const Mark m = token_mark(below);
      if (above && std::isfinite(m.x))
        canvas_.haze(m.x, m.y, 1.5 * radius(below, 1), theme_.dark ? rgb(0) : theme_.shade,
                     strength);
    }
  }

  // A ring that faces the eye, turned a little to the middle, on a post from the floor; the far
  // half is behind the tokens.
  void paint_gates(bool near) {
    const std::vector<double> chance = stage_.chances(now_.t);
    for (int c = 0; c < stage_.classes(); ++c) {
      const Colour colour = class_colour(c, theme_.dark);
      const double winning = now_.verdict_shown * (c == stage_.verdict ? 1 : 0);
      const double power = std::min(1.0, 0.5 + 0.4 * chance[c] + 0.3 * winning);
      if (!near) paint_post(c, colour, chance[c], winning);
      const double width = std::max(1.6, (3.0 + 1.2 * winning) * unit_);
      for (const auto& [spread, alpha] : {std::pair{3.6, 0.10}, {2.0, 0.16}, {1.0, 1.0}}) {
        trace_ring(c, near);
        cairo_set_line_width(cr_, spread * width);
        canvas_.ink(colour, alpha * power);
        cairo_stroke(cr_);
      }
    }
  }

  void paint_gate_names() {
    const double size = std::clamp((stage_.classes() > 4 ? 20 : 30) * unit_,
                                   std::min(16.0, 1.1 * stage_.layout.text_size), 60.0);
    std::vector<PlacedWord> names;
    for (int c = 0; c < stage_.classes(); ++c) {
      double top = canvas_.height();
      const Mark middle = shot_.mark(stage_.gate[c]);
      if (!std::isfinite(middle.x)) continue;
      for (const Point& p : ring_points(c)) {
        const Mark m = shot_.mark(p);
        if (std::isfinite(m.y)) top = std::min(top, m.y);
      }
      const std::string name =
          canvas_.shorten(clean_text(stage_.trajectory->classes[c]), 8 * size, size, true);
      names.push_back({.text = name,
                       .style = {.size = size,
                                 .colour = class_colour(c, theme_.dark),
                                 .bold = true,
                                 .align = Align::centre},
                       .x = middle.x,
                       .y = top - 0.71 * size,
                       .width = canvas_.text_width(name, size, true)});
    }
    for (int round = 0; round < 20; ++round) push_apart(names);
    for (const PlacedWord& name : names)
      halo_text(name.x, name.y + 0.36 * size, name.text, name.style);
  }

  void paint_trails_of(const Past& past) {
    const double dot = radius({0, 0, 0}, 1);
    paint_trails(canvas_, stage_.swarm,
                 place_marks(stage_.swarm, past, [&](const Point& p) { return token_mark(p); }),
                 {.width = std::max(0.8, 0.62 * dot),
                  .alpha = 0.5 * std::pow(100.0 / std::max(stage_.swarm.shape.n, 100), 0.22),
                  .pale = 0.6 * (1 - now_.boldness)});
  }

  void paint_tokens(const Past& past) {
    const std::vector<Point>&here = past.back()->points, &before = past[past.size() - 2]->points;
    const double dt = past.back()->t - past[past.size() - 2]->t;
    std::vector<Dart> darts;
    for (int i = 0; i < stage_.swarm.shape.n; ++i) {
      const Dart dart = dart_of(i, here[i], before[i], dt);
      if (std::isfinite(dart.x)) darts.push_back(dart);
    }
    std::stable_sort(darts.begin(), darts.end(),
                     [](const Dart& a, const Dart& b) { return a.depth < b.depth; });
    for (const Dart& dart : darts) {
      const double clear = 1 - 0.5 * dart.fog;
      if (theme_.dark)
        canvas_.haze(dart.x, dart.y, 2.9 * dart.radius, dart.colour, 0.17 * clear);
      else
        canvas_.haze(dart.x + 0.15 * dart.radius, dart.y + 0.35 * dart.radius, 1.6 * dart.radius,
                     theme_.shade, 0.22 * clear);
    }
    for (const Dart& dart : darts) paint_dart(dart);
  }

  // The place of what is read, the one token or the mean of all; outside of the window at its rim.
  Mark readout_mark(const std::vector<Point>& points) const {
    Point p{};
    if (const int read = stage_.trajectory->read(); read >= 0) {
      p = points[static_cast<std::size_t>(read)];
    } else {
      for (const Point& q : points) p = {p.x + q.x, p.y + q.y, p.z + q.z};
      const auto n = static_cast<float>(points.size());
      p = {p.x / n, p.y / n, p.z / n};
    }
    Mark m = shot_.mark(p);
    if (!std::isfinite(m.x)) return m;
    const double r = readout_radius();
    const Frame& w = shot_.window;
    m.x = std::clamp(m.x, w.x + 1.5 * r, w.x + w.width - 1.5 * r);
    m.y = std::clamp(m.y, w.y + 1.5 * r, w.y + w.height - 1.5 * r);
    return m;
  }

  // A ring around what is read.
  void paint_readout(const std::vector<Point>& points) {
    const Mark m = readout_mark(points);
    if (!std::isfinite(m.x)) return;
    const double r = readout_radius();
    for (const auto& [width, colour, alpha] :
         {std::tuple{4.2, theme_.edge, 0.7}, {1.9, theme_.ink, 1.0}}) {
      cairo_new_sub_path(cr_);
      cairo_arc(cr_, m.x, m.y, r, 0, kTurn);
      for (const auto& [x, y] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}})
        canvas_.line(m.x + x * r, m.y + y * r, m.x + 1.45 * x * r, m.y + 1.45 * y * r);
      canvas_.ink(colour, alpha);
      cairo_set_line_width(cr_, std::max(0.5 * width, width * unit_));
      cairo_stroke(cr_);
    }
  }

  // Labels next to their tokens, pushed apart where they would cover each other, with lines to
  // tokens that are not close.
  void paint_words(const std::vector<Point>& points) {
    if (stage_.trajectory->words.empty()) return;
    std::vector<Mark> marks;
    for (const Point& p : points) marks.push_back(token_mark(p));
    marks[static_cast<std::size_t>(stage_.trajectory->asked)] = readout_mark(points);
    const std::vector<PlacedWord> placed =
        place_words(canvas_, stage_, shot_, marks, 1.2 * radius({0, 0, 0}, 1));
    for (const PlacedWord& word : placed) {
      const double low = word.y + word.style.size / 2;
      if (std::hypot(word.x - word.token.x, low - word.token.y) < 2.2 * word.style.size) continue;
      const double end = word.y > word.token.y ? word.y - 0.5 * word.style.size : low;
      canvas_.line(word.token.x, word.token.y, word.x, end);
      canvas_.ink(theme_.quiet, 0.35);
      cairo_set_line_width(cr_, std::max(0.7, 0.9 * unit_));
      cairo_stroke(cr_);
    }
    for (const PlacedWord& word : placed)
      halo_text(word.x, word.y + 0.36 * word.style.size, word.text, word.style);
  }

  // Tokens that are not inside of the window.
  int outside(const std::vector<Point>& points) const {
    return static_cast<int>(std::count_if(points.begin(), points.end(), [&](const Point& p) {
      return !std::isfinite(token_mark(p).x);
    }));
  }

 private:
  struct Dart {
    double x = 0, y = 0, depth = 0;
    double along = 1, across = 0;  // heading on the canvas, of length 1
    double length = 0;             // 0: a disc, 1: a dart seen from the side
    double radius = 1, fog = 0;
    Colour colour{};
  };

  Mark token_mark(const Point& p) const {
    const Mark m = shot_.mark(p);
    const Frame& w = shot_.window;
    const bool inside = m.x > w.x && m.x < w.x + w.width && m.y > w.y && m.y < w.y + w.height;
    constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
    return inside ? m : Mark{kNowhere, kNowhere, 0};
  }

  double readout_radius() const { return std::max(4.5, 12 * unit_); }

  double radius(const Point& p, double size) const {
    const int n = stage_.swarm.shape.n;
    const double world = 0.32 * std::pow(110.0 / std::max(n, 110), 0.4);
    return size * std::max(1.4 + 0.9 * unit_, world * stage_.unit() * shot_.size(p));
  }

  Dart dart_of(int i, const Point& here, const Point& before, double dt) const {
    const Mark m = token_mark(here), from = shot_.mark(before);
    const bool cls = stage_.trajectory->cls && i + 1 == stage_.swarm.shape.n;
    Dart dart{.x = m.x, .y = m.y, .depth = shot_.camera.project(here).depth};
    dart.radius = radius(here, cls ? 1.5 : 1);
    dart.fog = shot_.fog(here);
    const int label = stage_.swarm.label(i);
    const double pale = std::round(16 * (1 - now_.boldness)) / 16;  // few colours, few sprites
    dart.colour = cls ? theme_.ink : mix(class_colour(label, theme_.dark), theme_.ink, pale);
    const double way = std::hypot(here.x - before.x, here.y - before.y, here.z - before.z);
    const double seen = std::hypot(m.x - from.x, m.y - from.y);
    if (!(dt > 0) || !(seen > 1e-6) || !(way > 0)) return dart;
    dart.along = (m.x - from.x) / seen, dart.across = (m.y - from.y) / seen;
    const double speed = way / dt / stage_.unit();  // lengths a block
    const double side_on = std::min(1.0, seen / (way * shot_.size(here)));
    dart.length = smooth(speed / 0.25) * (0.35 + 0.65 * side_on);
    return dart;
  }

  // Outline from a disc to a dart with a notched tail, in halves lit from one side.
  void paint_dart(const Dart& dart) {
    static constexpr double kOutline[7][2] = {{1.95, 0},     {0.9, 0.36},   {-0.25, 0.74},
                                              {-1.25, 0.98}, {-1.08, 0.62}, {-0.86, 0.3},
                                              {-0.72, 0}};
    const auto point = [&](int k, double side) {
      const double angle = std::numbers::pi * k / 6;
      const double disc = 0.86, s = dart.length;
      const double x = dart.radius * ((1 - s) * disc * std::cos(angle) + s * kOutline[k][0]);
      const double y = dart.radius * ((1 - s) * disc * std::sin(angle) + s * kOutline[k][1]) * side;
      cairo_line_to(cr_, dart.x + dart.along * x - dart.across * y,
                    dart.y + dart.across * x + dart.along * y);
    };
    for (int k = 0; k < 7; ++k) point(k, 1);
    for (int k = 5; k > 0; --k) point(k, -1);
    cairo_close_path(cr_);
    const Colour base =
        mix(dart.colour, theme_.dark ? theme_.body : theme_.centre, 0.42 * dart.fog);
    canvas_.ink(theme_.dark ? theme_.edge : theme_.centre, 0.6);
    cairo_set_line_width(cr_, std::min(0.4 * dart.radius, 2.0));
    cairo_stroke_preserve(cr_);
    canvas_.ink(mix(base, rgb(0), 0.30 * dart.length));
    cairo_fill(cr_);
    const double lit = dart.along > 0 ? -1 : 1;  // the upper half is lit
    for (int k = 0; k < 7; ++k) point(k, lit);
    cairo_close_path(cr_);
    canvas_.ink(mix(base, rgb(0xffffff), 0.22 * dart.length));
    cairo_fill(cr_);
  }

  void trace(const std::vector<Point>& points) {
    bool drawing = false;
    for (const Point& p : points) {
      const Mark m = shot_.mark(p);
      if (!std::isfinite(m.x)) continue;
      drawing ? cairo_line_to(cr_, m.x, m.y) : cairo_move_to(cr_, m.x, m.y);
      drawing = true;
    }
  }

  std::vector<Point> ring_points(int c) const {
    constexpr int kPoints = 72;
    const Point g = stage_.gate[c], o = stage_.place(0, 0, 0);
    double u[3] = {1, 0, 0}, w[3] = {0, 1, 0};
    const Point eye = shot_.camera.eye();
    const double turned = 0.7 / std::max(1e-9F, std::hypot(g.x - o.x, g.y - o.y, g.z - o.z));
    const double nx = eye.x + turned * (g.x - o.x), ny = eye.y + turned * (g.y - o.y);
    const double nz = eye.z + turned * (g.z - o.z);
    const double flat = std::hypot(nx, ny), whole = std::hypot(flat, nz);
    if (!stage_.flat && flat > 1e-6) {
      u[0] = -ny / flat, u[1] = nx / flat;
      w[0] = -nx * nz / (flat * whole), w[1] = -ny * nz / (flat * whole), w[2] = flat / whole;
    }
    std::vector<Point> points;
    for (int k = 0; k <= kPoints; ++k) {
      const double a = stage_.ring * std::cos(kTurn * k / kPoints);
      const double b = stage_.ring * std::sin(kTurn * k / kPoints);
      points.push_back({static_cast<float>(g.x + a * u[0] + b * w[0]),
                        static_cast<float>(g.y + a * u[1] + b * w[1]),
                        static_cast<float>(g.z + a * u[2] + b * w[2])});
    }
    return points;
  }

  void trace_ring(int c, bool near) {
    const double middle = shot_.camera.project(stage_.gate[c]).depth;
    std::vector<Point> piece;
    cairo_new_path(cr_);
    for (const Point& p : ring_points(c)) {
      const double depth = shot_.camera.project(p).depth;
      const bool front = stage_.flat || depth > middle - 1e-6;
      if (front == near) {
        piece.push_back(p);
      } else {
        trace(piece);
        piece.clear();
      }
    }
    trace(piece);
  }

  void paint_post(int c, Colour colour, double chance, double winning) {
    const Point g = stage_.gate[c];
    const Mark m = shot_.mark(g);
    if (!std::isfinite(m.x)) return;
    canvas_.haze(m.x, m.y, 2.1 * stage_.ring * shot_.size(g), colour,
                 (theme_.dark ? 0.15 : 0.10) + 0.16 * chance + 0.2 * winning);
    trace(ring_points(c));
    canvas_.ink(colour, 0.06 + 0.10 * chance);
    cairo_fill(cr_);
    const double floor = stage_.place(0, 0, 0).z;
    const double foot = g.z - std::copysign(stage_.ring, g.z - floor);
    if (stage_.flat || std::abs(g.z - floor) < 1.2 * stage_.ring) return;
    trace({{g.x, g.y, static_cast<float>(foot)}, {g.x, g.y, static_cast<float>(floor)}});
    canvas_.ink(colour, 0.34);
    cairo_set_line_width(cr_, std::max(0.8, 1.2 * unit_));
    cairo_stroke(cr_);
  }

  void halo_text(double x, double y, const std::string& text, const TextStyle& style) {
    const double width = canvas_.text_width(text, style.size, style.bold);
    cairo_move_to(cr_, x - width / 2, y);
    cairo_text_path(cr_, text.c_str());
    canvas_.ink(theme_.dark ? theme_.edge : theme_.centre, 0.8 * style.alpha);
    cairo_set_line_width(cr_, 0.22 * style.size);
    cairo_stroke(cr_);
    canvas_.text(x, y, text, style);
  }

  Canvas& canvas_;
  cairo_t* cr_;
  const DigitStage& stage_;
  const Theme& theme_;
  const CameraView& shot_;
  const Moment& now_;
  double unit_;
};

}  // namespace

int draw_manifold(Canvas& canvas, const DigitStage& stage, const CameraView& shot,
                  const Moment& now) {
  const Past past = stage.past(now.t);
  ManifoldPainter manifold(canvas, stage, shot, now);
  manifold.paint_floor();
  manifold.paint_print();
  manifold.paint_shadows(past.back()->points);
  manifold.paint_gates(false);
  manifold.paint_trails_of(past);
  manifold.paint_tokens(past);
  manifold.paint_gates(true);
  manifold.paint_readout(past.back()->points);
  manifold.paint_words(past.back()->points);
  manifold.paint_gate_names();
  return manifold.outside(past.back()->points);
}

}  // namespace murmur::picture
