// picture.h: draws what a run directory holds: figures, scenes, film.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "murmur/run.h"

namespace murmur {

struct PictureStyle {
  bool dark = true;
  int width = 1280, height = 720;  // pixels; both even, 320 to 8192
};

// Lines that a flow carries along, each through points that move as particles do.
struct CarriedGrid {
  std::vector<std::vector<int>> lines{};  // indices of points, in order
  std::vector<HostSwarm> frames{};        // (frames of the run) of (points, d)
};

// A particle with a name next to it.
struct NamedParticle {
  int particle = 0;
  std::string name{};
  bool strong = false, quiet = false;  // bold; in the paler colour
};
// A line between two particles, broad where it begins.
struct Tie {
  int from = 0, to = 0;
  double share = 0;  // 0 to 1: how broad
};

// The contents of a scene. On the sphere: d = 2 is the unit circle with the past drawn towards its
// centre, d = 3 the unit sphere, d > 3 the unit ball seen along three axes. In R^d: the plane, or
// a box around the whole trajectory.
struct SceneSettings {
  PictureStyle style{};
  bool sphere = true;          // the manifold is S^(d-1); false: R^d
  std::vector<int> label{};    // (n) colour class of each particle, negative: grey; empty: all one
  std::vector<double> axes{};  // (3, d) projection; empty: coordinates, or principal axes for d > 3
  std::array<double, 3> centre{};  // of given axes: the point of the space that is in the middle
  std::string axes_note{};         // how given axes were chosen, and what they show
  // Of swarms on the sphere: names in order of preference, none drawn over another, and the lines
  // that are drawn from frame k to frame k + 1, (frames - 1); either may be empty.
  std::vector<NamedParticle> names{};
  std::vector<std::vector<Tie>> ties{};
  double azimuth = 0.6, elevation = 0.35;  // radians, of the camera
  double turn = 0.35;                      // radians the camera travels over a film
  int trail = 24;  // frames of trail behind each particle: stored ones in a scene, the film's in a
                   // film; on the circle any positive number shows the whole past
  // Particles do not interact: the whole path of each is drawn from a ring where it started.
  bool map = false;
  std::shared_ptr<const CarriedGrid> grid{};  // of a map, may be empty
  bool log_time = false;  // the clock, and on the circle the radius, run in log t
  std::string title{}, caption{};
};

// One frame as PNG. Error(input) for a frame that is not there.
void draw_scene(const RunReader& run, std::int64_t frame, const SceneSettings& settings,
                const std::filesystem::path& png);

struct FilmSettings {
  SceneSettings scene{};
  int fps = 30;
  double seconds = 8;            // length of the film: round(fps * seconds) frames
  std::string strip{};           // observable drawn against time in a corner; empty: none
  int threads = 0;               // that draw; 0: all cores; the film is the same for any number
  std::function<bool()> stop{};  // called between frames; true: stop and keep nothing
};

// The trajectory as MP4 (H.264, yuv420p); false when stopped. Error(tool) where ffmpeg is missing.
bool film_trajectory(const RunReader& run, const FilmSettings& settings,
                     const std::filesystem::path& mp4);

// A density on the sphere of R^3 over time, relative to the uniform one.
struct SphereDensity {
  static constexpr int kRows = 72, kColumns = 144;  // latitudes from south to north, longitudes
  std::vector<double> times{};                      // (frames) ascending
  // (kRows, kColumns) at the middles of equal steps of latitude and longitude from -pi, at frame k.
  std::function<std::vector<double>(std::int64_t k)> frame{};
  // The tokens themselves, drawn as specks; none for a measure.
  std::function<HostSwarm(std::int64_t k)> tokens{};
};
// Tokens spread by the kernel e^{cos / h^2}, normalised, each with its mass. h = 0.6 n^{-1/6},
// within 0.08 to 0.3 radians.
double density_width(int n);
std::vector<double> kernel_density(const HostSwarm& x, double h);

// The globe at one frame as PNG, or as a film: the near side large, the far side next to it, one
// scale of colours for all times. Labels and trails of the scene's settings are ignored.
void draw_density(const SphereDensity& density, std::int64_t frame, const SceneSettings& settings,
                  const std::filesystem::path& png);
bool film_density(const SphereDensity& density, const FilmSettings& settings,
                  const std::filesystem::path& mp4);

// The time axis of observables.
struct TimeAxis {
  bool log = false;
  const char* label = "time  {/:Italic t}";  // as gnuplot reads it
  TimeAxis(bool log_scale, const char* text = "time  {/:Italic t}") : log(log_scale), label(text) {}
};

// Observables against time, one panel for each name, as SVG, PNG or PDF by the path's ending, with
// a CSV file of the same stem. Error(tool) where gnuplot is missing.
void plot_observables(const RunReader& run, const std::vector<std::string>& names,
                      const TimeAxis& axis, const std::filesystem::path& figure);

}  // namespace murmur
