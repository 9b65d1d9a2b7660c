// text.cpp: draws title, caption, clock, progress bar and the chart in the corner.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "picture/labels.h"
#include "picture/stage.h"

namespace murmur::picture {

namespace {

void draw_heading(Canvas& canvas, const Stage& stage) {
  const Layout& at = stage.layout;
  double baseline = at.margin + 0.8 * at.title_size;
  for (const std::string& line : at.title) {
    canvas.text(at.margin, baseline, line,
                {.size = at.title_size, .colour = stage.look->ink, .bold = true});
    baseline += 1.25 * at.title_size;
  }
  if (!at.title.empty())
    baseline += 1.2 * at.caption_size - 0.75 * at.title_size + 0.25 * at.margin;
  for (const std::string& line : at.caption) {
    canvas.text(at.margin, baseline, line, {.size = at.caption_size, .colour = stage.look->quiet});
    baseline += 1.45 * at.caption_size;
  }
}

void draw_clock(Canvas& canvas, const Stage& stage, const Snapshot& now) {
  const Layout& at = stage.layout;
  const double left = at.margin, right = canvas.width() - at.margin;
  canvas.text(left, at.bar - 0.55 * at.clock_size, stage.clock->readout(now.t),
              {.size = at.clock_size, .colour = stage.look->ink});
  cairo_set_line_width(canvas.cr(), std::max(1.5, 2.4 * at.unit));
  canvas.line(left, at.bar, right, at.bar);
  canvas.ink(stage.look->line, 0.22);
  cairo_stroke(canvas.cr());
  const double below = canvas.height() - at.bar, letters = 0.85 * at.small_size;
  const std::vector<int> decades = stage.clock->decades();
  const std::size_t stride = 1 + decades.size() / 13;
  for (std::size_t k = 0; k < decades.size() && below > 1.5 * letters; k += stride) {
    const double x = left + stage.clock->progress(std::pow(10.0, decades[k])) * (right - left);
    canvas.line(x, at.bar - 0.25 * letters, x, at.bar + 0.4 * letters);
    canvas.ink(stage.look->line, 0.5);
    cairo_stroke(canvas.cr());
    const std::string power = decades[k] == 0   ? "1"
                              : decades[k] == 1 ? "10"
                                                : "10" + superscript(decades[k]);
    const double half = canvas.text_width(power, letters) / 2;
    canvas.text(std::clamp(x, left + half, right - half), at.bar + 1.35 * letters, power,
                {.size = letters, .colour = stage.look->quiet, .align = Align::centre});
  }
  cairo_set_line_width(canvas.cr(), std::max(1.5, 2.4 * at.unit));
  canvas.line(left, at.bar, left + now.progress * (right - left), at.bar);
  canvas.ink(mix(stage.look->line, stage.look->ink, 0.5), 0.85);
  cairo_stroke(canvas.cr());
}

class StripChart {
 public:
  StripChart(Canvas& canvas, const Stage& stage) : canvas_(canvas), stage_(stage) {
    const Layout& at = stage.layout;
    const Series& series = *stage.strip;
    small_ = at.small_size;
    const double ticks = std::max(canvas.text_width(short_number(series.low), small_),
                                  canvas.text_width(short_number(series.high), small_));
    const double head = 2.0 * small_;
    plot_ = {at.strip.x + ticks + 0.6 * small_, at.strip.y + head,
             at.strip.width - ticks - 1.2 * small_, at.strip.height - head - 0.3 * small_};
  }

  void draw(const Snapshot& now) {
    draw_frame(now.t);
    cairo_t* cr = canvas_.cr();
    const Colour accent = class_colour(1, stage_.look->dark);
    cairo_set_line_width(cr, std::max(1.1, 1.8 * stage_.layout.unit));
    trace();
    canvas_.ink(stage_.look->quiet, 0.42);
    cairo_stroke(cr);
    cairo_save(cr);
    cairo_rectangle(cr, plot_.x - 4, 0, now.progress * plot_.width + 4, canvas_.height());
    cairo_clip(cr);
    trace();
    canvas_.ink(accent);
    cairo_stroke(cr);
    cairo_restore(cr);
    const double value = stage_.strip->at(now.t);
    if (!std::isfinite(value)) return;
    const double dot = std::max(2.4, 4.0 * stage_.layout.unit);
    cairo_arc(cr, x(now.progress), y(value), dot, 0, 2 * std::numbers::pi);
    canvas_.ink(accent);
    cairo_fill_preserve(cr);
    canvas_.ink(stage_.look->centre, 0.9);
    cairo_set_line_width(cr, std::max(0.8, 1.2 * stage_.layout.unit));
    cairo_stroke(cr);
  }

 private:
  double x(double progress) const { return plot_.x + progress * plot_.width; }
  double y(double value) const {
    const Series& series = *stage_.strip;
    const double share = (value - series.low) / (series.high - series.low);
    return plot_.y + plot_.height * (1 - std::clamp(share, 0.0, 1.0));
  }

  void draw_frame(double t) {
    const Theme& look = *stage_.look;
    const Frame& whole = stage_.layout.strip;
    const Series& series = *stage_.strip;
    const std::string value = short_number(series.at(t));
    const double right = plot_.x + plot_.width, head = whole.y + small_;
    canvas_.text(right, head, value,
                 {.size = small_, .colour = look.ink, .bold = true, .align = Align::right});
    const double room = plot_.width - canvas_.text_width(value, small_, true) - small_;
    const auto name = canvas_.wrap(label_of(stage_.strip_name).words, room, small_, false, 1);
    if (!name.empty())
      canvas_.text(plot_.x, head, name.front(), {.size = small_, .colour = look.quiet});
    cairo_set_line_width(canvas_.cr(), std::max(0.7, stage_.layout.unit));
    for (double level : {series.low, series.high}) {
      canvas_.line(plot_.x, y(level), right, y(level));
      canvas_.ink(look.line, level == series.low ? 0.45 : 0.18);
      cairo_stroke(canvas_.cr());
      canvas_.text(plot_.x - 0.6 * small_, y(level) + 0.36 * small_, short_number(level),
                   {.size = small_, .colour = look.quiet, .align = Align::right});
    }
  }

  // The path of the series; gaps where values are missing, steps where they are whole numbers.
  void trace() {
    const Series& series = *stage_.strip;
    cairo_t* cr = canvas_.cr();
    bool drawing = false;
    double level = 0;
    for (std::size_t k = 0; k < series.t.size(); ++k) {
      const bool here = std::isfinite(series.value[k]);
      const double px = x(stage_.clock->progress(series.t[k])), py = here ? y(series.value[k]) : 0;
      if (here && drawing && series.whole) cairo_line_to(cr, px, level);
      if (here && drawing) cairo_line_to(cr, px, py);
      if (here && !drawing) cairo_move_to(cr, px, py);
      drawing = here;
      level = py;
    }
  }

  Canvas& canvas_;
  const Stage& stage_;
  double small_ = 10;
  Frame plot_{};
};

}  // namespace

void draw_text(Canvas& canvas, const Stage& stage, const Snapshot& now) {
  draw_heading(canvas, stage);
  draw_clock(canvas, stage, now);
  if (stage.strip) StripChart(canvas, stage).draw(now);
}

}  // namespace murmur::picture
