// stage.cpp: checks a request, lays out a picture, and draws its title, caption, clock and chart.
#include "picture/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "murmur/error.h"
#include "picture/labels.h"

namespace murmur::picture {

namespace {

constexpr int kMostTrails = 2000;  // particles that leave trails; more would hide each other

void check(const RunReader& run, const SceneSettings& settings) {
  check_size(settings.style);
  if (run.frames() == 0)
    throw Error(Fault::input, "the run holds no whole frame yet", run.directory().string(),
                "wait for the first frame, or resume the run");
  if (run.shape().n < 1 || run.shape().d < 1)
    throw Error(Fault::input, "the frames of the run hold no particles", run.directory().string(),
                "draw a run of at least one particle");
  const auto n = static_cast<std::size_t>(run.shape().n);
  if (!settings.label.empty() && settings.label.size() != n)
    throw Error(Fault::input,
                fmt::format("there are {} labels for {} particles", settings.label.size(), n),
                "parameter label", "give one label for each particle, or none");
  for (const NamedParticle& named : settings.names)
    if (named.particle < 0 || named.particle >= run.shape().n)
      throw Error(Fault::input, fmt::format("there is no particle {} to name", named.particle),
                  "parameter names", "name particles of the run");
  if (!settings.ties.empty() && settings.ties.size() + 1 != static_cast<std::size_t>(run.frames()))
    throw Error(Fault::input, "the lines are of other frames than the run", "parameter ties",
                "give lines for every step from frame to frame, or none");
  if (settings.grid && settings.grid->frames.size() != static_cast<std::size_t>(run.frames()))
    throw Error(Fault::input, "the carried grid has other frames than the run", "parameter grid",
                "carry it along the times of the run");
}

// A scene in R^d of a wide picture takes all the room to the right of one column, which holds text
// above and the chart below.
void lay_out_in_space(Layout& at, double width, double height, const Stage& stage) {
  const double column = 0.21 * width, left = 1.35 * at.margin + column, top = 0.6 * at.margin;
  const double right = width - 0.6 * at.margin, bottom = at.bar - 0.5 * at.margin;
  at.cx = (left + right) / 2, at.cy = (top + bottom) / 2;
  at.reach = (right - left) / 2, at.tall = (bottom - top) / 2;
  at.radius = std::min(at.reach, at.tall);
  const double tall = std::min(0.24 * height, 0.75 * column);
  const double below = at.clock_size + 0.6 * at.margin;
  at.strip = {at.margin, at.bar - below - tall, column, tall};
  at.column = column;
  at.caption_lines = stage.strip ? 11 : 18;
}

// Wide pictures: text in a column left of the scene, chart in one right of it. Others: text above,
// chart below.
Layout lay_out(const Stage& stage, const std::string& title, const std::string& caption) {
  const PictureStyle& style = stage.settings.style;
  const double width = style.width, height = style.height;
  Layout at;
  at.unit = std::sqrt(width * height / (1280.0 * 720.0));
  at.margin = 36 * at.unit;
  at.title_size = std::max(13.0, 23 * at.unit);
  at.caption_size = std::max(9.5, 13.5 * at.unit);
  at.small_size = std::max(9.0, 12 * at.unit);
  at.clock_size = std::max(12.0, 19 * at.unit);
  at.bar = height - 0.62 * at.margin;
  Canvas ruler(8, 8);
  const bool wide = width >= 1.45 * height;
  if (wide && !stage.settings.sphere) {
    lay_out_in_space(at, width, height, stage);
    at.title = ruler.wrap(title, at.column, at.title_size, true, 3);
    at.caption = ruler.wrap(caption, at.column, at.caption_size, false, at.caption_lines);
    return at;
  }
  if (wide) {
    at.radius = 0.405 * height;
    at.cx = width / 2;
    at.cy = 0.485 * height;
    const double column = at.column = width / 2 - at.radius - 1.5 * at.margin;
    at.title = ruler.wrap(title, 1.4 * column, at.title_size, true, 3);
    at.caption = ruler.wrap(caption, column, at.caption_size, false, at.caption_lines);
    const double tall = std::min(0.24 * height, 0.75 * column);
    const double below = at.clock_size + 0.6 * at.margin;
    at.strip = {width - at.margin - column, at.bar - below - tall, column, tall};
    return at;
  }
  const double inner = width - 2 * at.margin;
  at.title = ruler.wrap(title, inner, at.title_size, true, 2);
  at.caption = ruler.wrap(caption, inner, at.caption_size, false, 4);
  const double top = at.margin + 1.25 * at.title_size * static_cast<double>(at.title.size()) +
                     1.5 * at.caption_size * static_cast<double>(at.caption.size() + 1);
  const double foot = stage.strip ? 0.15 * height : 1.6 * at.clock_size;
  const double bottom = at.bar - 0.5 * at.margin - foot;
  at.strip = {at.margin + 0.5 * inner, bottom + 0.25 * at.margin, 0.5 * inner, foot};
  at.radius = 0.96 * std::min(inner, bottom - top) / 2;
  at.reach = inner / 2;
  at.tall = (bottom - top) / 2;
  at.cx = width / 2;
  at.cy = (top + bottom) / 2;
  return at;
}

}  // namespace

void check_size(const PictureStyle& style) {
  const auto fits = [](int pixels) { return pixels >= 320 && pixels <= 8192 && pixels % 2 == 0; };
  if (!fits(style.width) || !fits(style.height))
    throw Error(
        Fault::input,
        fmt::format("a picture of {} x {} pixels cannot be drawn", style.width, style.height),
        "parameter size", "choose even numbers from 320 to 8192, such as 1280 x 720");
}

Layout lay_out_scene(const Stage& stage, const std::string& title, const std::string& caption) {
  return lay_out(stage, title, caption);
}

std::vector<std::vector<int>> choose_samples(const Stage& stage) {
  std::map<int, std::vector<int>> by_label;
  const int stride = (stage.shape.n + kMostTrails - 1) / kMostTrails;
  for (int i = 0; i < stage.shape.n; i += stride) by_label[stage.label(i)].push_back(i);
  std::vector<std::vector<int>> samples;
  for (auto& [label, members] : by_label) samples.push_back(std::move(members));
  return samples;
}

Stage set_stage(const RunReader& run, const SceneSettings& settings, const std::string& strip) {
  check(run, settings);
  Stage stage;
  stage.settings = settings;
  stage.theme = &theme_of(settings.style.dark);
  stage.shape = run.shape();
  stage.projection = choose_projection(run, settings);
  stage.times = run.times();
  stage.clock.emplace(stage.times, settings.log_time);
  if (!strip.empty()) {
    stage.strip = read_series(run, strip);
    stage.strip_name = strip;
  }
  const int n = stage.shape.n;
  const std::vector<double> mass = run.frame(0).mass;
  stage.size.assign(static_cast<std::size_t>(n), 1.0);
  for (int i = 0; i < n && static_cast<int>(mass.size()) == n; ++i)
    stage.size[i] = std::clamp(std::cbrt(mass[i] * n), 0.5, 3.0);
  stage.samples = choose_samples(stage);
  if (settings.map) stage.start = stage.projection.project(run.frame(0));
  if (settings.grid && !settings.grid->frames.empty())
    stage.first_grid = stage.projection.project(settings.grid->frames.front());

  std::string caption = clean_text(settings.caption);
  const std::string note =
      settings.axes_note.empty()
          ? projection_sentence(stage.projection, stage.shape, settings.sphere)
          : fmt::format("{}{}", settings.axes_note, ball_sentence(stage.projection));
  if (!note.empty())
    caption += fmt::format("{}{}", caption.empty() ? "" : caption.back() == '.' ? " " : ". ", note);
  stage.layout = lay_out(stage, clean_text(settings.title), caption);
  const double share = 0.056 * std::pow(5.0 / std::max(n, 5), 0.27);
  stage.dot = std::max(1.0, (settings.map ? 0.6 : 1.0) * share * stage.layout.radius);
  return stage;
}

double Stage::frame_at(double t) const {
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  if (after == times.begin()) return 0;
  const auto k = after - times.begin() - 1;
  if (after == times.end()) return static_cast<double>(k);
  return static_cast<double>(k) +
         (t - times[static_cast<std::size_t>(k)]) / (*after - times[static_cast<std::size_t>(k)]);
}

void draw_stage(Canvas& canvas, const Stage& stage, const Past& past, double azimuth) {
  const Layout& at = stage.layout;
  canvas.layer(kGround, [&] {
    canvas.backdrop(at.cx, at.cy, *stage.theme);
    if (stage.projection.view == View::circle)
      draw_disc(canvas, stage);
    else if (stage.settings.sphere)
      draw_body(canvas, stage);
  });
  switch (stage.projection.view) {
    case View::sphere:
    case View::ball:
      draw_sphere(canvas, stage, past, azimuth);
      break;
    case View::circle:
      draw_circle(canvas, stage, past);
      break;
    case View::plane:
      draw_plane(canvas, stage, past);
      break;
    case View::box:
      draw_box(canvas, stage, past, azimuth);
      break;
  }
  draw_text(canvas, stage, *past.back());
}

Ticks nice_ticks(double low, double high, int wanted) {
  Ticks ticks;
  const double raw = (high - low) / std::max(1, wanted);
  if (!(raw > 0) || !std::isfinite(raw)) return ticks;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double lead = raw / power;
  ticks.step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
  const double first = std::ceil(low / ticks.step - 1e-9);
  for (double k = first; k * ticks.step <= high + 1e-9 * ticks.step; ++k)
    ticks.at.push_back(k == 0 ? 0.0 : k * ticks.step);
  return ticks;
}

std::string Ticks::text(double value) const {
  const double magnitude =
      std::max(std::abs(at.empty() ? 0 : at.front()), std::abs(at.empty() ? 0 : at.back()));
  if (magnitude >= 1e5 || step < 1e-4) return fmt::format("{:.3g}", value);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  std::string text = fmt::format("{:.{}f}", value, decimals);
  return value < 0 ? fmt::format("−{}", text.substr(1)) : text;
}

namespace {

void draw_heading(Canvas& canvas, const Stage& stage) {
  const Layout& at = stage.layout;
  double baseline = at.margin + 0.8 * at.title_size;
  for (const std::string& line : at.title) {
    canvas.text(at.margin, baseline, line,
                {.size = at.title_size, .colour = stage.theme->ink, .bold = true});
    baseline += 1.25 * at.title_size;
  }
  if (!at.title.empty())
    baseline += 1.2 * at.caption_size - 0.75 * at.title_size + 0.25 * at.margin;
  for (const std::string& line : at.caption) {
    canvas.text(at.margin, baseline, line, {.size = at.caption_size, .colour = stage.theme->quiet});
    baseline += 1.45 * at.caption_size;
  }
}

void draw_clock(Canvas& canvas, const Stage& stage, const Snapshot& now) {
  const Layout& at = stage.layout;
  const double left = at.margin, right = canvas.width() - at.margin;
  canvas.text(left, at.bar - 0.55 * at.clock_size, stage.clock->readout(now.t),
              {.size = at.clock_size, .colour = stage.theme->ink});
  cairo_set_line_width(canvas.cr(), std::max(1.5, 2.4 * at.unit));
  canvas.line(left, at.bar, right, at.bar);
  canvas.ink(stage.theme->line, 0.22);
  cairo_stroke(canvas.cr());
  const double below = canvas.height() - at.bar, letters = 0.85 * at.small_size;
  const std::vector<int> decades = stage.clock->decades();
  const std::size_t stride = 1 + decades.size() / 13;
  for (std::size_t k = 0; k < decades.size() && below > 1.5 * letters; k += stride) {
    const double x = left + stage.clock->progress(std::pow(10.0, decades[k])) * (right - left);
    canvas.line(x, at.bar - 0.25 * letters, x, at.bar + 0.4 * letters);
    canvas.ink(stage.theme->line, 0.5);
    cairo_stroke(canvas.cr());
    const std::string power = decades[k] == 0   ? "1"
                              : decades[k] == 1 ? "10"
                                                : "10" + superscript(decades[k]);
    const double half = canvas.text_width(power, letters) / 2;
    canvas.text(std::clamp(x, left + half, right - half), at.bar + 1.35 * letters, power,
                {.size = letters, .colour = stage.theme->quiet, .align = Align::centre});
  }
  cairo_set_line_width(canvas.cr(), std::max(1.5, 2.4 * at.unit));
  canvas.line(left, at.bar, left + now.progress * (right - left), at.bar);
  canvas.ink(mix(stage.theme->line, stage.theme->ink, 0.5), 0.85);
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
    const Colour accent = class_colour(1, stage_.theme->dark);
    cairo_set_line_width(cr, std::max(1.1, 1.8 * stage_.layout.unit));
    trace();
    canvas_.ink(stage_.theme->quiet, 0.42);
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
    canvas_.ink(stage_.theme->centre, 0.9);
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
    const Theme& theme = *stage_.theme;
    const Frame& whole = stage_.layout.strip;
    const Series& series = *stage_.strip;
    const std::string value = short_number(series.at(t));
    const double right = plot_.x + plot_.width, head = whole.y + small_;
    canvas_.text(right, head, value,
                 {.size = small_, .colour = theme.ink, .bold = true, .align = Align::right});
    const double room = plot_.width - canvas_.text_width(value, small_, true) - small_;
    const auto name = canvas_.wrap(label_of(stage_.strip_name).words, room, small_, false, 1);
    if (!name.empty())
      canvas_.text(plot_.x, head, name.front(), {.size = small_, .colour = theme.quiet});
    cairo_set_line_width(canvas_.cr(), std::max(0.7, stage_.layout.unit));
    for (double level : {series.low, series.high}) {
      canvas_.line(plot_.x, y(level), right, y(level));
      canvas_.ink(theme.line, level == series.low ? 0.45 : 0.18);
      cairo_stroke(canvas_.cr());
      canvas_.text(plot_.x - 0.6 * small_, y(level) + 0.36 * small_, short_number(level),
                   {.size = small_, .colour = theme.quiet, .align = Align::right});
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
