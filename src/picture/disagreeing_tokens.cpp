// disagreeing_tokens.cpp: draws which tokens of a digit end at another class than its verdict, and
// how far away.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "picture/canvas.h"
#include "picture/digit_stage.h"

namespace murmur::picture {

namespace {

// The end positions of the tokens: along the line through both gates where there are two, else the
// distance from the verdict's gate.
struct EndPositions {
  std::vector<double> at{};  // (n)
  std::string name{};
  bool between = false;  // two gates, at -1 and 1 of the line
};

double distance(const DigitTrajectory& trajectory, int i, int c) {
  double square = 0;
  for (int k = 0; k < trajectory.targets.cols; ++k) {
    const double apart = trajectory.frames.back().at(i, k) - trajectory.targets(c, k);
    square += apart * apart;
  }
  return std::sqrt(square);
}

EndPositions end_positions(const DigitStage& stage) {
  const DigitTrajectory& trajectory = *stage.trajectory;
  const HostSwarm& end = trajectory.frames.back();
  const int n = end.n() - (trajectory.cls ? 1 : 0);
  EndPositions ends;
  const Matrix& gate = trajectory.targets;
  double span = 0;
  for (int k = 0; gate.rows == 2 && k < gate.cols; ++k)
    span += (gate(1, k) - gate(0, k)) * (gate(1, k) - gate(0, k));
  ends.between = span > 0;
  ends.name = ends.between ? "where the tokens end, along the line from gate to gate"
                           : fmt::format("distance at which the tokens end from the gate {}",
                                         clean_text(trajectory.classes[stage.verdict]));
  for (int i = 0; i < n; ++i) {
    double along = 0;
    for (int k = 0; ends.between && k < gate.cols; ++k)
      along +=
          2 * (gate(1, k) - gate(0, k)) * (end.at(i, k) - (gate(0, k) + gate(1, k)) / 2) / span;
    ends.at.push_back(ends.between ? along : distance(trajectory, i, stage.verdict));
  }
  return ends;
}

// Which pixel lies at a place, as a number that may lie between two; `places` rise or fall.
double pixel_of(double place, const std::vector<double>& places) {
  std::size_t k = 0;
  const bool rises = places.back() > places.front();
  while (k + 2 < places.size() && (places[k + 1] < place) == rises) ++k;
  if (places.size() < 2) return 0;
  return static_cast<double>(k) + (place - places[k]) / (places[k + 1] - places[k]);
}

// Squares of the tokens' colours where each began, over the picture.
void draw_token_choices(Canvas& canvas, const DigitStage& stage, const Frame& f) {
  draw_ink(canvas, stage, f);
  const DigitTrajectory& trajectory = *stage.trajectory;
  const Theme& theme = stage.theme();
  cairo_t* cr = canvas.cr();
  cairo_save(cr);
  trace_round(canvas, f, 0.03 * f.width);
  cairo_clip_preserve(cr);
  canvas.ink(theme.dark ? theme.edge : theme.centre, 0.72);
  cairo_fill(cr);
  const double cell = std::min(f.width / trajectory.width, f.height / trajectory.height);
  const HostSwarm& start = trajectory.frames.front();
  const int n = start.n() - (trajectory.cls ? 1 : 0);
  const int inked = static_cast<int>(std::count_if(trajectory.ink.begin(), trajectory.ink.end(),
                                                   [](std::uint8_t v) { return v > 127; }));
  const double side = 0.84 * cell * std::min(1.0, std::sqrt(std::max(1, inked) / double(n)));
  const PixelPlaces at = pixel_places(trajectory);
  for (int i = 0; i < n; ++i) {
    const double column = pixel_of(start.at(i, 0), at.column);
    const double row = pixel_of(start.at(i, 1), at.row);
    const double x = f.x + f.width / 2 + cell * (column + 0.5 - trajectory.width / 2.0);
    const double y = f.y + f.height / 2 + cell * (row + 0.5 - trajectory.height / 2.0);
    cairo_rectangle(cr, x - side / 2, y - side / 2, side, side);
    const int label = stage.swarm.label(i);
    canvas.ink(class_colour(label, theme.dark));
    cairo_fill_preserve(cr);
    canvas.ink(theme.ink, label == stage.verdict ? 0 : 0.9);
    cairo_set_line_width(cr, std::max(0.8, 0.09 * side));
    cairo_stroke(cr);
  }
  cairo_restore(cr);
}

// One small square for each token, stacked where it ends.
class EndChart {
 public:
  EndChart(Canvas& canvas, const DigitStage& stage, const EndPositions& ends, const Frame& f)
      : canvas_(canvas), stage_(stage), ends_(ends), plot_(f) {
    std::vector<double> sorted = ends.at;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    low_ = ends.between ? std::min(-1.25, sorted[n / 50]) : 0;
    high_ = std::max(ends.between ? 1.25 : 1.0, sorted[n - 1 - n / 50]);
    const double slack = 0.03 * (high_ - low_);
    low_ -= slack, high_ += slack;
    choose_bins();
  }

  void draw() {
    const DigitLayout& at = stage_.layout;
    const Theme& theme = stage_.theme();
    std::vector<std::vector<int>> stack(static_cast<std::size_t>(bins_));
    std::vector<int> order(ends_.at.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
    for (int i : order) stack[bin(i)].push_back(stage_.swarm.label(i));
    std::size_t tallest = 1;
    for (const auto& column : stack) tallest = std::max(tallest, column.size());
    const double wide = plot_.width / bins_;
    const double tall = std::min(wide, plot_.height / static_cast<double>(tallest));
    cairo_t* cr = canvas_.cr();
    const double base = plot_.y + plot_.height;
    for (int b = 0; b < bins_; ++b)
      for (std::size_t k = 0; k < stack[b].size(); ++k) {
        const double gap_x = 0.08 * wide, gap_y = tall > 3 ? 0.08 * tall : 0;
        cairo_rectangle(cr, plot_.x + b * wide + gap_x, base - tall * (k + 1.0) + gap_y,
                        wide - 2 * gap_x, tall - 2 * gap_y);
        canvas_.ink(class_colour(stack[b][k], theme.dark));
        cairo_fill(cr);
      }
    canvas_.line(plot_.x, base, plot_.x + plot_.width, base);
    canvas_.ink(theme.line, 0.6);
    cairo_set_line_width(cr, std::max(0.8, at.unit));
    cairo_stroke(cr);
    ends_.between ? draw_gates(base) : draw_scale(base);
    canvas_.text(plot_.x, plot_.y - 1.4 * at.small_size,
                 canvas_.shorten(ends_.name, plot_.width, at.small_size),
                 {.size = at.small_size, .colour = theme.quiet});
  }

 private:
  // The largest squares whose stacks fit; flat ones where there are too many tokens.
  void choose_bins() {
    constexpr int kMost = 90;
    for (bins_ = 16; bins_ < kMost; ++bins_) {
      std::vector<int> count(static_cast<std::size_t>(bins_));
      for (std::size_t i = 0; i < ends_.at.size(); ++i) ++count[bin(static_cast<int>(i))];
      const int tallest = *std::max_element(count.begin(), count.end());
      if (tallest * plot_.width / bins_ <= plot_.height) return;
    }
  }
  int bin(int i) const {  // outliers go to the last bins
    const double share = (ends_.at[i] - low_) / (high_ - low_);
    return static_cast<int>(std::clamp(share * bins_, 0.0, bins_ - 1.0));
  }
  int rank(int i) const {  // the verdict's tokens at the bottom
    const int label = stage_.swarm.label(i);
    return label == stage_.verdict ? -1 : label;
  }
  double x(double value) const { return plot_.x + plot_.width * (value - low_) / (high_ - low_); }

  void draw_gates(double base) {
    const DigitLayout& at = stage_.layout;
    const double size = 1.5 * at.text_size;
    for (int c = 0; c < 2; ++c) {
      const Colour colour = class_colour(c, stage_.theme().dark);
      const double place = x(c == 0 ? -1 : 1);
      canvas_.line(place, base, place, base + 0.7 * at.text_size);
      canvas_.ink(colour);
      cairo_set_line_width(canvas_.cr(), std::max(1.5, 2.5 * at.unit));
      cairo_stroke(canvas_.cr());
      canvas_.text(
          place, base + 0.9 * at.text_size + size,
          canvas_.shorten(clean_text(stage_.trajectory->classes[c]), 0.4 * plot_.width, size, true),
          {.size = size, .colour = colour, .bold = true, .align = Align::centre});
    }
    canvas_.line(x(0), base, x(0), base + 0.5 * at.text_size);
    canvas_.ink(stage_.theme().line, 0.6);
    cairo_stroke(canvas_.cr());
    canvas_.text(x(0), base + 1.9 * at.small_size, "half way",
                 {.size = at.small_size, .colour = stage_.theme().quiet, .align = Align::centre});
  }

  void draw_scale(double base) {
    const DigitLayout& at = stage_.layout;
    const Ticks ticks = nice_ticks(0, high_, 6);
    for (double tick : ticks.at) {
      canvas_.line(x(tick), base, x(tick), base + 0.4 * at.small_size);
      canvas_.ink(stage_.theme().line, 0.6);
      cairo_stroke(canvas_.cr());
      canvas_.text(x(tick), base + 1.7 * at.small_size, ticks.text(tick),
                   {.size = at.small_size, .colour = stage_.theme().quiet, .align = Align::centre});
    }
  }

  Canvas& canvas_;
  const DigitStage& stage_;
  const EndPositions& ends_;
  Frame plot_;
  double low_ = -1, high_ = 1;
  int bins_ = 20;
};

std::string count_sentence(const DigitStage& stage, std::size_t n) {
  const auto with = static_cast<std::size_t>(std::count(
      stage.swarm.settings.label.begin(), stage.swarm.settings.label.end(), stage.verdict));
  const std::string name = clean_text(stage.trajectory->classes[stage.verdict]);
  if (with == n) return fmt::format("All {} tokens end nearest to the gate {}.", n, name);
  return fmt::format("{} of {} tokens end nearest to the gate {}, the verdict; {} {} (outlined).",
                     with, n, name, n - with, n - with == 1 ? "dissents" : "dissent");
}

// Names of the classes that some token ends nearest to, in their colours; returns the height used.
double draw_legend(Canvas& canvas, const DigitStage& stage, const Frame& f) {
  const DigitLayout& at = stage.layout;
  double x = f.x, y = f.y + at.text_size;
  for (int c = 0; c < stage.classes(); ++c) {
    const auto& label = stage.swarm.settings.label;
    const auto count = std::count(label.begin(), label.end(), c);
    if (count == 0) continue;
    const std::string text = fmt::format("{}: {} token{}", clean_text(stage.trajectory->classes[c]),
                                         count, count == 1 ? "" : "s");
    const double width = canvas.text_width(text, at.text_size) + 1.6 * at.text_size;
    if (x + width > f.x + f.width && x > f.x) x = f.x, y += 1.6 * at.text_size;
    cairo_rectangle(canvas.cr(), x, y - 0.8 * at.text_size, 0.85 * at.text_size,
                    0.85 * at.text_size);
    canvas.ink(class_colour(c, stage.theme().dark));
    cairo_fill(canvas.cr());
    canvas.text(x + 1.3 * at.text_size, y, text,
                {.size = at.text_size, .colour = stage.theme().ink});
    x += width + 0.9 * at.text_size;
  }
  return y - f.y;
}

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

void draw_dissent(const DigitTrajectory& trajectory, const PictureStyle& style,
                  const std::filesystem::path& png) {
  const DigitStage stage = set_digit_stage(trajectory, style);
  const DigitLayout& at = stage.layout;
  const Theme& theme = stage.theme();
  const EndPositions ends = end_positions(stage);
  Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, theme);
  const double inner = style.width - 2 * at.margin;
  double y = 0.75 * at.margin + 0.8 * at.title_size;
  canvas.text(
      at.margin, y,
      canvas.shorten(trajectory.title.empty() ? "Who dissents" : clean_text(trajectory.title),
                     inner, at.title_size, true),
      {.size = at.title_size, .colour = theme.ink, .bold = true});
  y += 0.35 * at.title_size;
  for (const std::string& line :
       canvas.wrap(count_sentence(stage, ends.at.size()), inner, at.text_size, false, 2))
    canvas.text(at.margin, y += 1.45 * at.text_size, line,
                {.size = at.text_size, .colour = theme.quiet});
  const double top = y + 0.6 * at.margin, bottom = style.height - 0.8 * at.margin;
  const bool wide = style.width >= 1.2 * style.height;
  const double tall = bottom - top;
  const double side = wide ? std::min(tall, 0.49 * inner) : std::min(0.52 * tall, inner);
  const Frame picture{wide ? at.margin : at.margin + (inner - side) / 2, top, side, side};
  Frame chart = wide ? Frame{at.margin + side + 1.2 * at.margin, top, 0, side}
                     : Frame{at.margin, top + side + 0.6 * at.margin, inner, 0};
  chart.width = style.width - at.margin - chart.x;
  chart.height = (wide ? top + side : bottom) - chart.y;
  draw_token_choices(canvas, stage, picture);
  const double head = draw_legend(canvas, stage, chart) + 4.2 * at.text_size;
  const double foot = 2.9 * at.text_size;
  EndChart(canvas, stage, ends, {chart.x, chart.y + head, chart.width, chart.height - head - foot})
      .draw();
  canvas.save(png);
}

}  // namespace murmur
