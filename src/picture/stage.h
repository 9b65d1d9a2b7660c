// stage.h: the parts of a scene that stay the same over a film: view, sizes, colours, places of
// text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "picture/canvas.h"
#include "picture/projection.h"
#include "picture/track.h"

namespace murmur::picture {

// Sizes and places, in pixels.
struct Layout {
  double unit = 1;  // 1 at 1280 x 720; lengths and letters grow with it
  double margin = 36;
  double cx = 0, cy = 0;  // middle of the scene
  double radius = 0;      // of the unit ball there
  double reach = 0;       // half the width and half the height free for a scene in R^d
  double tall = 0;
  double bar = 0;  // height of the progress bar
  double title_size = 0, caption_size = 0, small_size = 0, clock_size = 0;
  double column = 0;                            // width of the text
  int caption_lines = 14;                       // at most
  std::vector<std::string> title{}, caption{};  // lines
  Frame strip{};                                // of the chart in the corner
};

struct Stage {
  SceneSettings settings{};
  const Theme* theme = nullptr;
  Shape shape{};
  Projection projection{};
  std::vector<double> size{};  // (n) radius of each particle relative to `dot`, by its mass
  std::vector<std::vector<int>> samples{};  // particles that leave trails, by colour class
  double dot = 8;                           // pixels: radius of a particle of mean mass
  std::vector<Point> start{};       // (n) of a map: the places of the particles at the start
  std::vector<Point> first_grid{};  // the carried grid there
  std::optional<Series> strip{};
  std::string strip_name{};
  std::optional<Timeline> clock{};
  std::vector<double> times{};  // (frames of the run)
  Layout layout{};

  double frame_at(double t) const;  // between frame k and k + 1 a number between k and k + 1
  int label(int i) const { return settings.label.empty() ? 0 : settings.label[i]; }
};

// While it exists, nothing is drawn outside of a frame.
class SceneClip {
 public:
  SceneClip(Canvas& canvas, const Frame& frame) : cr_(canvas.cr()) {
    cairo_save(cr_);
    cairo_rectangle(cr_, frame.x, frame.y, frame.width, frame.height);
    cairo_clip(cr_);
  }
  ~SceneClip() { cairo_restore(cr_); }
  SceneClip(const SceneClip&) = delete;
  SceneClip& operator=(const SceneClip&) = delete;

 private:
  cairo_t* cr_;
};

// Error(input) unless both sizes are even and within 320 to 8192.
void check_size(const PictureStyle& style);

// The particles that leave trails, by colour class; a part of them where there are too many.
std::vector<std::vector<int>> choose_samples(const Stage& stage);

// Error(input) where settings and run do not fit, or the run has no frames.
Stage set_stage(const RunReader& run, const SceneSettings& settings, const std::string& strip);

// Sizes and places of a picture whose style, view and chart are set.
Layout lay_out_scene(const Stage& stage, const std::string& title, const std::string& caption);

// One picture: the stage with the swarm as it is at the end of `past`.
void draw_stage(Canvas& canvas, const Stage& stage, const Past& past, double azimuth);

inline constexpr double kCircle = 0.93;  // of the unit circle's rim, in radii of the layout

// The layers that never change in a film, drawn once for each canvas.
enum StillLayer { kGround, kVeil };

// The parts of draw_stage.
void draw_disc(Canvas& canvas, const Stage& stage);
void draw_body(Canvas& canvas, const Stage& stage);
void draw_sphere(Canvas& canvas, const Stage& stage, const Past& past, double azimuth);
void draw_circle(Canvas& canvas, const Stage& stage, const Past& past);
void draw_plane(Canvas& canvas, const Stage& stage, const Past& past);
void draw_box(Canvas& canvas, const Stage& stage, const Past& past, double azimuth);
void draw_text(Canvas& canvas, const Stage& stage, const Snapshot& now);

// Ticks at whole multiples of 1, 2 or 5 times a power of ten within [low, high], about `wanted`.
struct Ticks {
  double step = 1;
  std::vector<double> at{};
  std::string text(double value) const;  // with the decimals the step needs
};
Ticks nice_ticks(double low, double high, int wanted);

}  // namespace murmur::picture
