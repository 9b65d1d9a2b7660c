// picture.h: draws what a run directory holds: figures, scenes, film.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "murmur/run.h"

namespace murmur {

struct PictureStyle {
  bool dark = true;
  int width = 1280, height = 720;  // pixels; both even, 320 to 8192
};

// What a scene shows. On the sphere: d = 2 is the unit circle with the past sinking towards its
// centre, d = 3 the unit sphere, d > 3 the unit ball seen along three axes. In R^d: the plane, or
// a box around the whole trajectory.
struct SceneSettings {
  PictureStyle style{};
  bool sphere = true;          // the manifold is S^(d-1); false: R^d
  std::vector<int> label{};    // (n) colour class of each particle, negative: grey; empty: all one
  std::vector<double> axes{};  // (3, d) projection; empty: coordinates, or principal axes for d > 3
  double azimuth = 0.6, elevation = 0.35;  // radians, of the camera
  double turn = 0.35;                      // radians the camera travels over a film
  int trail = 24;  // frames of trail behind each particle: stored ones in a scene, the film's in a
                   // film; on the circle any positive number shows the whole past
  std::string title{}, caption{};
};

// One frame as PNG. Error(input) for a frame that is not there.
void draw_scene(const RunReader& run, std::int64_t frame, const SceneSettings& settings,
                const std::filesystem::path& png);

struct FilmSettings {
  SceneSettings scene{};
  int fps = 30;
  double seconds = 8;            // length of the film: round(fps * seconds) frames
  bool log_time = false;         // the film's clock runs in log t
  std::string strip{};           // observable drawn against time in a corner; empty: none
  int threads = 0;               // that draw; 0: all cores; the film is the same for any number
  std::function<bool()> stop{};  // asked between frames; true: leave, and keep nothing
};

// The trajectory as MP4 (H.264, yuv420p); false when stopped. Error(tool) where ffmpeg is missing.
bool film_trajectory(const RunReader& run, const FilmSettings& settings,
                     const std::filesystem::path& mp4);

// What observables are drawn over.
struct TimeAxis {
  bool log = false;
  const char* label = "time  {/:Italic t}";  // as gnuplot reads it
  TimeAxis(bool log_scale, const char* text = "time  {/:Italic t}") : log(log_scale), label(text) {}
};

// Observables against time, one panel a name, as SVG, PNG or PDF by the path's ending, with a CSV
// of the same stem beside. Error(tool) where gnuplot is missing.
void plot_observables(const RunReader& run, const std::vector<std::string>& names,
                      const TimeAxis& axis, const std::filesystem::path& figure);

}  // namespace murmur
