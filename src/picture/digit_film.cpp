// digit_film.cpp: the film of the trajectory of a digit, and a picture of a few of its frames.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "picture/digit_stage.h"
#include "picture/encoder.h"

namespace murmur::picture {

namespace {

void draw_title(Canvas& canvas, const DigitStage& stage) {
  const DigitLayout& at = stage.layout;
  double baseline = at.margin + 0.8 * at.title_size;
  for (const std::string& line : at.title) {
    canvas.text(at.margin, baseline, line,
                {.size = at.title_size, .colour = stage.look().ink, .bold = true});
    baseline += 1.25 * at.title_size;
  }
  baseline = at.note_top;
  for (const std::string& line : at.note) {
    canvas.text(at.margin, baseline, line, {.size = at.small_size, .colour = stage.look().quiet});
    baseline += 1.45 * at.small_size;
  }
}

// What is known of the picture, beside it.
void draw_truth(Canvas& canvas, const DigitStage& stage) {
  const DigitLayout& at = stage.layout;
  const int label = stage.trajectory->label;
  const double x = at.inset.x + at.inset.width + 0.9 * at.text_size;
  const double room =
      (at.chances.x > x ? at.chances.x - at.text_size : at.chances.x + at.chances.width) - x;
  canvas.text(x, at.inset.y + at.small_size, canvas.shorten("truth", room, at.small_size),
              {.size = at.small_size, .colour = stage.look().quiet});
  const std::string name = label < 0 ? "?" : clean_text(stage.trajectory->classes[label]);
  const double most = 1.7 * at.title_size;
  const double size = std::max(
      at.small_size, std::min(most, 0.98 * most * room / canvas.text_width(name, most, true)));
  canvas.text(x, at.inset.y + 1.5 * at.small_size + size, canvas.shorten(name, room, size, true),
              {.size = size,
               .colour = label < 0 ? stage.look().quiet : class_colour(label, stage.look().dark),
               .bold = true});
}

void draw_counter(Canvas& canvas, const DigitStage& stage, double t) {
  const DigitLayout& at = stage.layout;
  const Theme& look = stage.look();
  const double left = at.margin, right = canvas.width() - at.margin;
  const int blocks = stage.blocks(), block = static_cast<int>(std::ceil(t - 1e-9));
  canvas.text(left, at.bar - 0.62 * at.clock_size, fmt::format("block {} of {}", block, blocks),
              {.size = at.clock_size, .colour = look.ink});
  cairo_t* cr = canvas.cr();
  const double thick = std::max(1.5, 2.4 * at.unit);
  cairo_set_line_width(cr, thick);
  canvas.line(left, at.bar, right, at.bar);
  canvas.ink(look.line, 0.22);
  cairo_stroke(cr);
  const double share = blocks > 0 ? t / blocks : 1;
  canvas.line(left, at.bar, left + share * (right - left), at.bar);
  canvas.ink(mix(look.line, look.ink, 0.5), 0.85);
  cairo_stroke(cr);
  if (blocks < 1 || blocks > 40) return;
  for (int k = 0; k <= blocks; ++k) {
    const double x = left + (right - left) * k / blocks;
    cairo_arc(cr, x, at.bar, 1.25 * thick, 0, 6.283185307179586);
    const bool done = k <= t + 1e-9;
    canvas.ink(done ? mix(look.line, look.ink, 0.5) : mix(look.edge, look.line, 0.45));
    cairo_fill(cr);
  }
}

// Below the bars in a wide film, beside the counter in others.
void draw_verdict(Canvas& canvas, const DigitStage& stage, double landed) {
  if (landed <= 0) return;
  const DigitLayout& at = stage.layout;
  const Theme& look = stage.look();
  const std::string reads =
      fmt::format("reads {}", clean_text(stage.trajectory->classes[stage.verdict]));
  const std::string truth = verdict_sentence(stage);
  const bool wide = at.scene.x > at.chances.x;
  const bool wrong = stage.trajectory->label >= 0 && stage.trajectory->label != stage.verdict;
  const Colour tone = wrong                         ? class_colour(4, look.dark)
                      : stage.trajectory->label < 0 ? look.quiet
                                                    : class_colour(2, look.dark);
  if (wide) {
    const double y = at.chances.y + at.chances.height + 1.75 * at.title_size, x = at.margin;
    canvas.text(x, y, canvas.shorten(reads, at.chances.width, 1.15 * at.title_size, true),
                {.size = 1.15 * at.title_size,
                 .colour = class_colour(stage.verdict, look.dark),
                 .bold = true,
                 .alpha = landed});
    canvas.text(x, y + 1.7 * at.text_size,
                canvas.shorten(truth, 1.1 * at.chances.width, 1.1 * at.text_size),
                {.size = 1.1 * at.text_size, .colour = tone, .alpha = landed});
    return;
  }
  const double y = at.bar - 0.62 * at.clock_size, right = canvas.width() - at.margin;
  const double room = 0.55 * (right - at.margin);
  canvas.text(right, y, canvas.shorten(reads + "  " + truth, room, at.clock_size, true),
              {.size = at.clock_size,
               .colour = tone,
               .bold = true,
               .align = Align::right,
               .alpha = landed});
}

// Colours of the tokens' choice come out over the first half of the trajectory.
double boldness(const DigitStage& stage, double t) {
  return stage.blocks() > 0 ? smooth(t / (0.5 * stage.blocks())) : 1;
}

struct Panel {
  int block;
  Frame whole;
};

// About six moments from first to last, in as many columns as make the panels widest.
std::vector<Panel> choose_panels(const DigitStage& stage, const Frame& room) {
  const int blocks = stage.blocks(), count = std::min(6, blocks + 1);
  int columns = 1;
  double best = 0;
  for (int c = 1; c <= count; ++c) {
    const int rows = (count + c - 1) / c;
    const double size = std::min(room.width / c, 1.25 * room.height / rows);
    const double full = rows * c == count ? 1.15 : 1;  // no empty places
    if (size * full > best) best = size * full, columns = c;
  }
  const int rows = (count + columns - 1) / columns;
  std::vector<Panel> panels;
  for (int k = 0; k < count; ++k) {
    const int block =
        count > 1 ? static_cast<int>(std::lround(static_cast<double>(k) * blocks / (count - 1)))
                  : 0;
    const double width = room.width / columns, height = room.height / rows;
    panels.push_back({block,
                      {room.x + width * (k % columns),
                       room.y + height * static_cast<double>(k / columns), width, height}});
  }
  return panels;
}

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

bool film_digit(const DigitTrajectory& trajectory, const DigitFilm& settings,
                const std::filesystem::path& mp4) {
  const int frames = count_frames(settings.fps, settings.seconds);
  const DigitStage stage = set_digit_stage(trajectory, settings.style);
  const DigitClock clock{.lead = std::min(0.7 / settings.seconds, 0.12),
                         .hold = std::min(1.3 / settings.seconds, 0.3),
                         .blocks = stage.blocks()};
  const CameraWay way(stage, stage.layout.scene, clock);
  const auto draw = [&](Canvas& canvas, int frame) {
    const double progress = frames > 1 ? static_cast<double>(frame) / (frames - 1) : 1;
    const double t = clock.at(progress);
    const double landed = smooth((progress - 1 + clock.hold) / (0.25 * clock.hold));
    const Frame& scene = stage.layout.scene;
    canvas.layer(kGround, [&] {
      canvas.backdrop(scene.x + scene.width / 2, scene.y + scene.height / 2, stage.look());
      draw_title(canvas, stage);
      draw_ink(canvas, stage, stage.layout.inset);
      draw_truth(canvas, stage);
    });
    draw_manifold(canvas, stage, way.at(progress),
                  {.t = t, .landed = landed, .boldness = boldness(stage, t)});
    draw_chances(canvas, stage, stage.layout.chances, t);
    draw_counter(canvas, stage, t);
    draw_verdict(canvas, stage, landed);
  };
  return encode({.style = settings.style,
                 .fps = settings.fps,
                 .seconds = settings.seconds,
                 .threads = settings.threads,
                 .stop = settings.stop},
                {.draw = draw}, mp4);
}

void draw_digit_trajectory(const DigitTrajectory& trajectory, const PictureStyle& style,
                           const std::filesystem::path& png) {
  const DigitStage stage = set_digit_stage(trajectory, style);
  const DigitLayout& at = stage.layout;
  const Theme& look = stage.look();
  Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, look);
  const std::string verdict = fmt::format(
      "reads {}  {}", clean_text(trajectory.classes[stage.verdict]), verdict_sentence(stage));
  const double inner = style.width - 2 * at.margin;
  const double baseline = 0.75 * at.margin + 0.8 * at.title_size;
  const double said = canvas.text_width(verdict, at.clock_size, true);
  canvas.text(
      at.margin, baseline,
      canvas.shorten(clean_text(trajectory.title), inner - said - at.margin, at.title_size, true),
      {.size = at.title_size, .colour = look.ink, .bold = true});
  canvas.text(style.width - at.margin, baseline, verdict,
              {.size = at.clock_size,
               .colour = class_colour(stage.verdict, look.dark),
               .bold = true,
               .align = Align::right});
  const double top = baseline + 0.5 * at.margin;
  const double foot = style.height - 0.5 * at.margin;
  for (const auto& [block, whole] :
       choose_panels(stage, {0.5 * at.margin, top, style.width - at.margin, foot - top})) {
    const double x = whole.x + 0.5 * at.margin, width = whole.width - at.margin;
    const double bars = stage.classes() == 2 ? 3.0 * at.text_size : 0;
    const double head = 1.6 * at.text_size;
    const Frame scene{x, whole.y + head, width, whole.height - head - bars - 0.6 * at.margin};
    draw_manifold(canvas, stage, CameraWay::still(stage, scene),
                  {.t = static_cast<double>(block),
                   .landed = block == stage.blocks() ? 1.0 : 0.0,
                   .boldness = boldness(stage, block)});
    canvas.text(x, whole.y + at.text_size, fmt::format("block {}", block),
                {.size = at.text_size, .colour = look.ink, .bold = true});
    if (stage.classes() == 2) {
      const std::size_t letters =
          std::max(trajectory.classes[0].size(), trajectory.classes[1].size());
      const double narrow = std::min(width, (letters > 4 ? 22 : 15) * at.text_size);
      draw_chances(canvas, stage, {x + (width - narrow) / 2, scene.y + scene.height, narrow, bars},
                   block);
    } else {
      const std::vector<double> chance = stage.chances(block);
      const auto best = std::max_element(chance.begin(), chance.end()) - chance.begin();
      canvas.text(
          x + width, whole.y + at.text_size,
          fmt::format("{}  {:.0f} %", clean_text(trajectory.classes[best]), 100 * chance[best]),
          {.size = at.text_size,
           .colour = class_colour(static_cast<int>(best), look.dark),
           .bold = true,
           .align = Align::right});
    }
  }
  canvas.save(png);
}

}  // namespace murmur
