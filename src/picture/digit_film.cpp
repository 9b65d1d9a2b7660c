// digit_film.cpp: the film of trajectories of digits or sentences: the path of the camera, the time
// axis, and pictures of single frames.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "murmur/error.h"
#include "picture/digit_stage.h"
#include "picture/process.h"

namespace murmur::picture {

namespace {

void draw_title(Canvas& canvas, const DigitStage& stage) {
  const DigitLayout& at = stage.layout;
  double baseline = at.margin + 0.8 * at.title_size;
  for (const std::string& line : at.title) {
    canvas.text(at.margin, baseline, line,
                {.size = at.title_size, .colour = stage.theme().ink, .bold = true});
    baseline += 1.25 * at.title_size;
  }
  baseline = at.note_top;
  for (const std::string& line : at.note) {
    canvas.text(at.margin, baseline, line, {.size = at.small_size, .colour = stage.theme().quiet});
    baseline += 1.45 * at.small_size;
  }
}

// The true class, next to the picture.
void draw_truth(Canvas& canvas, const DigitStage& stage) {
  const DigitLayout& at = stage.layout;
  const int label = stage.trajectory->label;
  if (!stage.trajectory->words.empty()) return;  // the verdict names it
  const double x = at.inset.x + at.inset.width + 0.9 * at.text_size;
  const double room =
      (at.chances.x > x ? at.chances.x - at.text_size : at.chances.x + at.chances.width) - x;
  canvas.text(x, at.inset.y + at.small_size, canvas.shorten("truth", room, at.small_size),
              {.size = at.small_size, .colour = stage.theme().quiet});
  const std::string name = label < 0 ? "?" : clean_text(stage.trajectory->classes[label]);
  const double most = 1.7 * at.title_size;
  const double size = std::max(
      at.small_size, std::min(most, 0.98 * most * room / canvas.text_width(name, most, true)));
  canvas.text(x, at.inset.y + 1.5 * at.small_size + size, canvas.shorten(name, room, size, true),
              {.size = size,
               .colour = label < 0 ? stage.theme().quiet : class_colour(label, stage.theme().dark),
               .bold = true});
}

// The number of the digit that is shown, and how many there are.
struct Position {
  int number = 0, count = 1;
};

// The block, the bar of progress with the depth that was learned, and how many tokens are outside
// of the picture.
void draw_counter(Canvas& canvas, const DigitStage& stage, const Position& position, double t,
                  int outside) {
  const DigitLayout& at = stage.layout;
  const Theme& theme = stage.theme();
  const double left = at.margin, right = canvas.width() - at.margin;
  const int blocks = stage.blocks(), block = static_cast<int>(std::ceil(t - 1e-9));
  std::string counter = fmt::format("block {} of {}", block, blocks);
  if (position.count > 1)
    counter = fmt::format("{} {} of {}, {}", stage.trajectory->words.empty() ? "digit" : "sentence",
                          position.number + 1, position.count, counter);
  canvas.text(left, at.bar - 0.62 * at.clock_size, counter,
              {.size = at.clock_size, .colour = theme.ink});
  if (outside > 0 && at.scene.x > at.chances.x)
    canvas.text(
        right, at.bar - 0.62 * at.clock_size,
        fmt::format("{} of {} tokens are outside the picture", outside, stage.swarm.shape.n),
        {.size = at.text_size, .colour = theme.quiet, .align = Align::right});
  cairo_t* cr = canvas.cr();
  const double thick = std::max(1.5, 2.4 * at.unit);
  cairo_set_line_width(cr, thick);
  canvas.line(left, at.bar, right, at.bar);
  canvas.ink(theme.line, 0.22);
  cairo_stroke(cr);
  const double share = blocks > 0 ? t / blocks : 1;
  canvas.line(left, at.bar, left + share * (right - left), at.bar);
  canvas.ink(mix(theme.line, theme.ink, 0.5), 0.85);
  cairo_stroke(cr);
  const int trained = stage.trajectory->trained;
  if (trained > 0 && trained < blocks) {
    const double x = left + (right - left) * trained / blocks;
    canvas.line(x, at.bar - 3 * thick, x, at.bar + 3 * thick);
    canvas.ink(mix(theme.line, theme.ink, 0.5), 0.85);
    cairo_stroke(cr);
    canvas.text(x, at.bar - 5 * thick, fmt::format("learned with {} blocks", trained),
                {.size = at.small_size, .colour = theme.quiet, .align = Align::centre});
  }
  if (blocks < 1 || blocks > 40) return;
  for (int k = 0; k <= blocks; ++k) {
    const double x = left + (right - left) * k / blocks;
    cairo_arc(cr, x, at.bar, 1.25 * thick, 0, 6.283185307179586);
    const bool done = k <= t + 1e-9;
    canvas.ink(done ? mix(theme.line, theme.ink, 0.5) : mix(theme.edge, theme.line, 0.45));
    cairo_fill(cr);
  }
}

// The number of tokens at the gate of the class with the greatest chance.
void draw_arrivals(Canvas& canvas, const DigitStage& stage, double t) {
  const DigitLayout& at = stage.layout;
  if (!stage.trajectory->words.empty() || at.scene.x <= at.chances.x) return;
  const std::vector<double> chance = stage.chances(t);
  const auto leads =
      static_cast<int>(std::max_element(chance.begin(), chance.end()) - chance.begin());
  const std::string share = fmt::format("{} of {}", stage.count_at_gate(leads, t),
                                        stage.swarm.shape.n - (stage.trajectory->cls ? 1 : 0));
  const std::string gate = "at gate " + clean_text(stage.trajectory->classes[leads]);
  std::string text = share + " tokens " + gate;
  if (canvas.text_width(text, at.text_size) > at.chances.width) text = share + " " + gate;
  canvas.text(at.margin, at.chances.y + at.chances.height + 1.8 * at.text_size,
              canvas.shorten(text, at.chances.width, at.text_size),
              {.size = at.text_size, .colour = stage.theme().ink});
}

// Below the bars in a wide film, next to the counter in others.
void draw_verdict(Canvas& canvas, const DigitStage& stage, double verdict_shown) {
  if (verdict_shown <= 0) return;
  const DigitLayout& at = stage.layout;
  const Theme& theme = stage.theme();
  const std::string reads =
      fmt::format("reads {}", clean_text(stage.trajectory->classes[stage.verdict]));
  const std::string truth = verdict_sentence(stage);
  const bool wide = at.scene.x > at.chances.x;
  const bool wrong = stage.trajectory->label >= 0 && stage.trajectory->label != stage.verdict;
  const Colour tone = wrong                         ? class_colour(4, theme.dark)
                      : stage.trajectory->label < 0 ? theme.quiet
                                                    : class_colour(2, theme.dark);
  if (wide) {
    const double y = at.chances.y + at.chances.height + 1.8 * at.text_size + 1.75 * at.title_size;
    const double x = at.margin;
    canvas.text(x, y, canvas.shorten(reads, at.chances.width, 1.15 * at.title_size, true),
                {.size = 1.15 * at.title_size,
                 .colour = class_colour(stage.verdict, theme.dark),
                 .bold = true,
                 .alpha = verdict_shown});
    canvas.text(x, y + 1.7 * at.text_size,
                canvas.shorten(truth, 1.1 * at.chances.width, 1.1 * at.text_size),
                {.size = 1.1 * at.text_size, .colour = tone, .alpha = verdict_shown});
    return;
  }
  const double y = at.bar - 0.62 * at.clock_size, right = canvas.width() - at.margin;
  const double room = 0.55 * (right - at.margin);
  canvas.text(right, y, canvas.shorten(reads + "  " + truth, room, at.clock_size, true),
              {.size = at.clock_size,
               .colour = tone,
               .bold = true,
               .align = Align::right,
               .alpha = verdict_shown});
}

// The colours of the tokens' classes appear over the first half of the trajectory.
double boldness(const DigitStage& stage, double t) {
  const int trained = stage.trajectory->trained;
  return stage.blocks() > 0 ? smooth(t / (0.5 * (trained > 0 ? trained : stage.blocks()))) : 1;
}

// A frame of a film.
struct FilmFrame {
  Position position{};
  double t = 0;              // blocks
  double verdict_shown = 0;  // how far the verdict is shown
};
void draw_film_frame(Canvas& canvas, const DigitStage& stage, const CameraView& shot,
                     const FilmFrame& page) {
  const Frame& scene = stage.layout.scene;
  canvas.layer(kGround + page.position.number, [&] {
    canvas.backdrop(scene.x + scene.width / 2, scene.y + scene.height / 2, stage.theme());
    draw_title(canvas, stage);
    draw_ink(canvas, stage, stage.layout.inset);
    draw_truth(canvas, stage);
  });
  const int outside = draw_manifold(
      canvas, stage, shot,
      {.t = page.t, .verdict_shown = page.verdict_shown, .boldness = boldness(stage, page.t)});
  draw_chances(canvas, stage, stage.layout.chances, page.t);
  draw_arrivals(canvas, stage, page.t);
  draw_counter(canvas, stage, page.position, page.t, outside);
  draw_verdict(canvas, stage, page.verdict_shown);
}

// The part of a film that shows one digit: its scene, its clock and its camera.
struct FilmPart {
  DigitStage stage;
  FilmClock clock;
  CameraPath camera;
  FilmPart(const DigitTrajectory& trajectory, const PictureStyle& style, double seconds)
      : stage(set_digit_stage(trajectory, style)),
        clock{.lead = std::min(0.7 / seconds, 0.12),
              .hold = std::min(1.3 / seconds, 0.3),
              .blocks = stage.blocks()},
        camera(stage, stage.layout.scene, clock) {}
  FilmPart(const FilmPart&) = delete;
  FilmPart& operator=(const FilmPart&) = delete;
};

struct Panel {
  int block;
  Frame whole;
};

// `count` moments from first to last; of four that go on past the depth that was learned the third
// is that depth.
std::vector<int> moments_of(const DigitStage& stage, int count) {
  const int blocks = stage.blocks(), trained = stage.trajectory->trained;
  if (count == 4 && trained > 1 && trained < blocks) return {0, (trained + 1) / 2, trained, blocks};
  std::vector<int> moments;
  for (int k = 0; k < count; ++k)
    moments.push_back(
        count > 1 ? static_cast<int>(std::lround(static_cast<double>(k) * blocks / (count - 1)))
                  : 0);
  return moments;
}

// These moments row by row in so many columns.
std::vector<Panel> panels_in(const DigitStage& stage, const Frame& room, int count, int columns) {
  const int rows = (count + columns - 1) / columns;
  const double width = room.width / columns, height = room.height / rows;
  const std::vector<int> moments = moments_of(stage, count);
  std::vector<Panel> panels;
  for (int k = 0; k < count; ++k) {
    panels.push_back({moments[static_cast<std::size_t>(k)],
                      {room.x + width * (k % columns),
                       room.y + height * static_cast<double>(k / columns), width, height}});
  }
  return panels;
}

// About six moments in as many columns as make the panels widest.
std::vector<Panel> choose_panels(const DigitStage& stage, const Frame& room) {
  const int count = std::min(6, stage.blocks() + 1);
  int columns = 1;
  double best = 0;
  for (int c = 1; c <= count; ++c) {
    const int rows = (count + c - 1) / c;
    const double size = std::min(room.width / c, 1.25 * room.height / rows);
    const double full = rows * c == count ? 1.15 : 1;  // no empty places
    if (size * full > best) best = size * full, columns = c;
  }
  return panels_in(stage, room, count, columns);
}

std::string verdict_of(const DigitStage& stage) {
  return fmt::format("reads {}  {}", clean_text(stage.trajectory->classes[stage.verdict]),
                     verdict_sentence(stage));
}

// Their titles, each once.
std::string heading_of(const std::vector<DigitStage>& stages) {
  std::vector<std::string> titles;
  for (const DigitStage& stage : stages)
    if (std::find(titles.begin(), titles.end(), stage.trajectory->title) == titles.end())
      titles.push_back(stage.trajectory->title);
  return clean_text(fmt::format("{}", fmt::join(titles, "  ")));
}

// A moment with its block and the chances below; `verdict_text` is written to the right of the
// block's number.
void draw_panel(Canvas& canvas, const DigitStage& stage, const Panel& panel,
                const std::string& verdict_text) {
  const DigitLayout& at = stage.layout;
  const Theme& theme = stage.theme();
  const DigitTrajectory& trajectory = *stage.trajectory;
  const auto& [block, whole] = panel;
  const double x = whole.x + 0.4 * at.margin, width = whole.width - 0.8 * at.margin;
  const double bars = stage.classes() == 2 ? 3.0 * at.text_size : 0;
  const double head = 1.6 * at.text_size;
  const Frame scene{x, whole.y + head, width, whole.height - head - bars - 0.6 * at.margin};
  draw_manifold(canvas, stage, CameraPath::still(stage, scene),
                {.t = static_cast<double>(block),
                 .verdict_shown = block == stage.blocks() ? 1.0 : 0.0,
                 .boldness = boldness(stage, block)});
  canvas.text(x, whole.y + at.text_size, fmt::format("block {}", block),
              {.size = at.text_size, .colour = theme.ink, .bold = true});
  if (!verdict_text.empty())
    canvas.text(x + width, whole.y + at.text_size, verdict_text,
                {.size = at.text_size,
                 .colour = class_colour(stage.verdict, theme.dark),
                 .bold = true,
                 .align = Align::right});
  if (stage.classes() == 2) {
    const std::size_t letters =
        std::max(trajectory.classes[0].size(), trajectory.classes[1].size());
    const double narrow = std::min(width, (letters > 4 ? 22 : 15) * at.text_size);
    draw_chances(canvas, stage, {x + (width - narrow) / 2, scene.y + scene.height, narrow, bars},
                 block);
  } else if (verdict_text.empty()) {
    const std::vector<double> chance = stage.chances(block);
    const auto best = std::max_element(chance.begin(), chance.end()) - chance.begin();
    canvas.text(
        x + width, whole.y + at.text_size,
        fmt::format("{}  {:.0f} %", clean_text(trajectory.classes[best]), 100 * chance[best]),
        {.size = at.text_size,
         .colour = class_colour(static_cast<int>(best), theme.dark),
         .bold = true,
         .align = Align::right});
  }
}

}  // namespace

}  // namespace murmur::picture

namespace murmur {

using namespace picture;

bool film_digits(const std::vector<DigitTrajectory>& trajectories, const DigitFilm& settings,
                 const std::filesystem::path& mp4) {
  const int frames = count_frames(settings.fps, settings.seconds);
  std::vector<std::unique_ptr<FilmPart>> parts;
  for (const DigitTrajectory& trajectory : trajectories)
    parts.push_back(std::make_unique<FilmPart>(trajectory, settings.style, settings.seconds));
  if (parts.empty())
    throw Error(Fault::input, "there is no trajectory to film", "parameter trajectories",
                "give one or more");
  const int count = static_cast<int>(parts.size());
  const auto draw = [&](Canvas& canvas, int frame) {
    const int number = std::min(frame / frames, count - 1), within = frame - number * frames;
    const FilmPart& part = *parts[static_cast<std::size_t>(number)];
    const double progress = frames > 1 ? static_cast<double>(within) / (frames - 1) : 1;
    draw_film_frame(
        canvas, part.stage, part.camera.at(progress),
        {.position = {number, count},
         .t = part.clock.at(progress),
         .verdict_shown = smooth((progress - 1 + part.clock.hold) / (0.25 * part.clock.hold))});
  };
  return encode({.style = settings.style,
                 .fps = settings.fps,
                 .seconds = static_cast<double>(count * frames) / settings.fps,
                 .threads = settings.threads,
                 .stop = settings.stop},
                {.draw = draw}, mp4);
}

void draw_digit_frame(const DigitTrajectory& trajectory, int block, const PictureStyle& style,
                      const std::filesystem::path& png) {
  const DigitStage stage = set_digit_stage(trajectory, style);
  if (block < 0 || block > stage.blocks())
    throw Error(Fault::input, fmt::format("there is no block {}", block), "parameter block",
                fmt::format("choose one from 0 to {}", stage.blocks()));
  const FilmClock clock{.blocks = stage.blocks()};
  const CameraPath camera(stage, stage.layout.scene, clock);
  Canvas canvas(style.width, style.height);
  draw_film_frame(
      canvas, stage, camera.at(stage.blocks() > 0 ? double(block) / stage.blocks() : 1),
      {.t = static_cast<double>(block), .verdict_shown = block == stage.blocks() ? 1.0 : 0.0});
  canvas.save(png);
}

void draw_digit_trajectories(const std::vector<DigitTrajectory>& trajectories,
                             const PictureStyle& style, const std::filesystem::path& png) {
  std::vector<DigitStage> stages;
  for (const DigitTrajectory& trajectory : trajectories)
    stages.push_back(set_digit_stage(trajectory, style));
  if (stages.empty())
    throw Error(Fault::input, "there is no trajectory to draw", "parameter trajectories",
                "give one or more");
  const DigitStage& first = stages.front();
  const DigitLayout& at = first.layout;
  const Theme& theme = first.theme();
  Canvas canvas(style.width, style.height);
  canvas.backdrop(style.width / 2.0, style.height / 2.0, theme);
  const bool one = stages.size() == 1;
  const std::string verdict = one ? verdict_of(first) : "";
  const double inner = style.width - 2 * at.margin;
  const double baseline = 0.75 * at.margin + 0.8 * at.title_size;
  const double verdict_width = canvas.text_width(verdict, at.clock_size, true);
  canvas.text(
      at.margin, baseline,
      canvas.shorten(heading_of(stages), inner - verdict_width - at.margin, at.title_size, true),
      {.size = at.title_size, .colour = theme.ink, .bold = true});
  canvas.text(style.width - at.margin, baseline, verdict,
              {.size = at.clock_size,
               .colour = class_colour(first.verdict, theme.dark),
               .bold = true,
               .align = Align::right});
  const double top = baseline + 0.5 * at.margin;
  const Frame room{0.5 * at.margin, top, style.width - at.margin,
                   style.height - 0.5 * at.margin - top};
  const double row = room.height / static_cast<double>(stages.size());
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const DigitStage& stage = stages[k];
    const int count = std::min(4, stage.blocks() + 1);
    const std::vector<Panel> panels =
        one ? choose_panels(stage, room)
            : panels_in(stage, {room.x, room.y + static_cast<double>(k) * row, room.width, row},
                        count, count);
    for (const Panel& panel : panels)
      draw_panel(canvas, stage, panel,
                 !one && panel.block == stage.blocks() ? verdict_of(stage) : "");
  }
  canvas.save(png);
}

}  // namespace murmur

namespace murmur::picture {

namespace {

constexpr double kNearest = 3.6;      // depths beyond are too close to the eye to be drawn
constexpr double kFloor = 10;         // half the width of the floor
constexpr double kLeastFloor = 0.72;  // of a wide picture's height, with the names of the gates
constexpr double kFacing = -std::numbers::pi / 2;  // x to the right

Camera camera_at(const DigitStage& stage, double progress) {
  if (stage.flat) return Camera(kFacing, std::numbers::pi / 2);
  const double sunk = smooth(progress / 0.6);
  return Camera(kFacing - 0.12 + 0.40 * smooth(progress), 1.28 + sunk * (0.86 - 1.28));
}

// A point that has to be in the picture, as the camera sees it, with the pixels to keep free on its
// sides and above it.
struct Item {
  double x, y;
  double beside = 0, above = 0;
};

struct Fit {
  double zoom = 1;              // pixels per unit of the camera's plane
  double aim_x = 0, aim_y = 0;  // the point that goes to the room's middle
};

// Pixels along one axis that the items take at a zoom, from the first to the last.
struct Span {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  double length() const { return high - low; }
};
Span horizontal_span(const std::vector<Item>& items, double zoom) {
  Span span;
  for (const Item& item : items) {
    span.low = std::min(span.low, zoom * item.x - item.beside);
    span.high = std::max(span.high, zoom * item.x + item.beside);
  }
  return span;
}
Span vertical_span(const std::vector<Item>& items, double zoom) {
  Span span;
  for (const Item& item : items) {
    span.low = std::min(span.low, zoom * item.y - item.beside);
    span.high = std::max(span.high, zoom * item.y + item.above);
  }
  return span;
}

// The largest zoom for which `fits` holds: it holds below some zoom and not above it.
template <typename Fits>
double largest_zoom(const Fits& fits) {
  double low = 1e-3, high = 1e7;
  for (int k = 0; k < 50; ++k) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

// The largest zoom at which all items fit into the room, and where the camera aims then.
Fit fit(const std::vector<Item>& items, const Frame& room) {
  Fit best;
  best.zoom = largest_zoom([&](double zoom) {
    return horizontal_span(items, zoom).length() <= room.width &&
           vertical_span(items, zoom).length() <= room.height;
  });
  const Span x = horizontal_span(items, best.zoom), y = vertical_span(items, best.zoom);
  best.aim_x = (x.low + x.high) / 2 / best.zoom;
  best.aim_y = (y.low + y.high) / 2 / best.zoom;
  return best;
}

// Tokens and the far ends of their trails; outliers beyond the bounds are left out.
void add_tokens(const DigitStage& stage, const Camera& camera, double t, std::vector<Item>& items) {
  const auto& half = stage.swarm.projection.half;
  const double scale = 1.0001 * stage.unit(), pad = 9 * stage.layout.unit;
  const Past past = stage.past(t);
  for (const auto& snapshot : {past.front(), past.back()})
    for (const Point& p : snapshot->points) {
      if (std::abs(p.x) > scale * half[0] || std::abs(p.y) > scale * half[1] ||
          std::abs(p.z) > scale * half[2])
        continue;
      const Sight seen = camera.project(p);
      items.push_back({seen.x, seen.y, pad, pad});
    }
}

// The floor and the gates with their names.
std::vector<Item> scenery_of(const DigitStage& stage, const Camera& camera, const Frame& room) {
  const double title = stage.layout.title_size;
  const double label = 1.9 * title * std::min(1.0, room.width / (22 * title));
  std::vector<Item> items;
  const auto add = [&](const Point& p, double beside, double above) {
    const Sight seen = camera.project(p);
    items.push_back({seen.x, seen.y, beside, above});
  };
  for (double x : {-kFloor, kFloor})
    for (double y : {-kFloor, kFloor}) add(stage.place(x, y, 0), 0, 0);
  const auto ring = static_cast<float>(stage.ring);
  for (const Point& g : stage.gate)
    for (float s : {-1.F, 1.F}) {
      add({g.x + s * ring, g.y, g.z}, 0.3 * label, label);
      add({g.x, g.y + s * ring, g.z}, 0.3 * label, label);
      add({g.x, g.y, g.z + s * ring}, 0.3 * label, label);
    }
  return items;
}

// The aim nearest to `aim` at which what spans [low, high] pixels from it is inside of the room.
double clamp_aim(double aim, const Span& span, double zoom, double room) {
  const double least = (span.high - room / 2) / zoom, most = (span.low + room / 2) / zoom;
  return least <= most ? std::clamp(aim, least, most) : (least + most) / 2;
}

// The camera moves back for the tokens as long as floor and gates take kLeastFloor of the height
// that they can take; farther tokens leave the picture, floor and gates never do.
Fit fit_moment(const DigitStage& stage, const Camera& camera, const Frame& room,
               const std::vector<Item>& tokens) {
  const std::vector<Item> scenery = scenery_of(stage, camera, room);
  std::vector<Item> all = scenery;
  all.insert(all.end(), tokens.begin(), tokens.end());
  const Fit near = fit(scenery, room);
  const double tall = vertical_span(scenery, near.zoom).length();
  const double least = near.zoom * std::min(1.0, kLeastFloor * stage.layout.height / tall *
                                                     room.height / stage.layout.scene.height);
  Fit best = fit(all, room);
  best.zoom = std::max(best.zoom, least);
  best.aim_x = clamp_aim(best.aim_x, horizontal_span(scenery, best.zoom), best.zoom, room.width);
  best.aim_y = clamp_aim(best.aim_y, vertical_span(scenery, best.zoom), best.zoom, room.height);
  return best;
}

// Tokens may leave the room by `pad` pixels.
CameraView view_of(const Frame& room, const Camera& camera, const Fit& at, double pad) {
  return {camera,
          at.zoom,
          room.x + room.width / 2 - at.zoom * at.aim_x,
          room.y + room.height / 2 + at.zoom * at.aim_y,
          std::sqrt(room.width / 900 * room.height / 620),
          {room.x - pad, room.y - pad, room.width + 2 * pad, room.height + 2 * pad}};
}

constexpr int kSamples = 97;  // over the film
constexpr int kNear = 9;      // samples on each side that it is smoothed over

template <typename Combine>
std::vector<double> over_neighbours(const std::vector<double>& values, const Combine& combine) {
  std::vector<double> result(values.size());
  for (int k = 0; k < kSamples; ++k) {
    double value = values[k];
    for (int j = k - kNear; j <= k + kNear; ++j)
      if (j != k) value = combine(value, values[std::clamp(j, 0, kSamples - 1)]);
    result[k] = value;
  }
  return result;
}

std::vector<double> running_mean(const std::vector<double>& values) {
  std::vector<double> mean = over_neighbours(values, [](double a, double b) { return a + b; });
  for (double& value : mean) value /= 2 * kNear + 1;
  return mean;
}

}  // namespace

Mark CameraView::mark(const Point& p) const {
  const Sight seen = camera.project(p);
  if (!(seen.depth < kNearest)) {
    constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
    return {kNowhere, kNowhere, 0};
  }
  return {cx + zoom * seen.x, cy - zoom * seen.y, 0};
}

double CameraView::size(const Point& p) const {
  const Sight seen = camera.project(p);
  return seen.depth < kNearest ? zoom * seen.scale : 0;
}

double CameraView::fog(const Point& p) const {
  return std::clamp((1 - camera.project(p).depth) / 2, 0.0, 1.0);
}

// Aims are running means of the best aim at each sample, limited so that floor and gates are inside
// of the room. A zoom is the mean, over the samples around it, of the smallest zoom that these
// need: smooth, and never above the best zoom there.
CameraPath::CameraPath(const DigitStage& stage, const Frame& room, const FilmClock& clock)
    : stage_(stage), room_(room) {
  std::vector<std::vector<Item>> scenery(kSamples);
  for (int k = 0; k < kSamples; ++k) {
    const double progress = static_cast<double>(k) / (kSamples - 1);
    const Camera camera = camera_at(stage, progress);
    std::vector<Item> tokens;
    add_tokens(stage, camera, clock.at(progress), tokens);
    const Fit best = fit_moment(stage, camera, room, tokens);
    scenery[k] = scenery_of(stage, camera, room);
    zoom_.push_back(best.zoom);
    aim_x_.push_back(best.aim_x);
    aim_y_.push_back(best.aim_y);
  }
  zoom_ = running_mean(over_neighbours(zoom_, [](double a, double b) { return std::min(a, b); }));
  aim_x_ = running_mean(aim_x_);
  aim_y_ = running_mean(aim_y_);
  for (int k = 0; k < kSamples; ++k) {
    aim_x_[k] = clamp_aim(aim_x_[k], horizontal_span(scenery[k], zoom_[k]), zoom_[k], room.width);
    aim_y_[k] = clamp_aim(aim_y_[k], vertical_span(scenery[k], zoom_[k]), zoom_[k], room.height);
  }
}

CameraView CameraPath::at(double progress) const {
  const double along = std::clamp(progress, 0.0, 1.0) * (kSamples - 1);
  const int k = std::min(static_cast<int>(along), kSamples - 2);
  const auto between = [&](const std::vector<double>& values) {
    return values[k] + (along - k) * (values[k + 1] - values[k]);
  };
  return view_of(room_, camera_at(stage_, progress),
                 {between(zoom_), between(aim_x_), between(aim_y_)}, 0.6 * stage_.layout.margin);
}

CameraView CameraPath::still(const DigitStage& stage, const Frame& room) {
  const Camera steady = stage.flat ? camera_at(stage, 0) : Camera(kFacing + 0.1, 0.86);
  std::vector<Item> tokens;
  for (int f = 0; f <= stage.blocks(); ++f) add_tokens(stage, steady, f, tokens);
  return view_of(room, steady, fit_moment(stage, steady, room, tokens), 0);
}

double FilmClock::at(double progress) const {
  const double s = std::clamp((progress - lead) / (1 - lead - hold), 0.0, 1.0);
  constexpr double kRamp = 0.14;  // share of the trajectory spent gathering and losing speed
  const double top = 1 / (1 - kRamp);
  if (s < kRamp) return blocks * top * s * s / (2 * kRamp);
  if (s > 1 - kRamp) return blocks * (1 - top * (1 - s) * (1 - s) / (2 * kRamp));
  return blocks * top * (s - kRamp / 2);
}

}  // namespace murmur::picture
