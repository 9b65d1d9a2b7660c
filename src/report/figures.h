// figures.h: the figures of a run, kind by kind, made from its files.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "murmur/landscape.h"
#include "murmur/meanfield.h"
#include "picture/figure.h"
#include "picture/picture.h"
#include "reproduce/reproduce.h"
#include "sweep/sweep.h"

namespace murmur {

struct DigitFilm;
struct DigitTrajectory;

// The pictures of a simulation, and how they are drawn.
struct RenderSettings {
  PictureStyle style{};
  std::vector<std::string> plot{};  // observables; empty: the usual ones that the run kept
  std::string strip = "clusters";   // observable in the corner of the film
  double seconds = 8;               // length of the film
  int fps = 30;
  bool film = true;
  std::function<bool()> stop{};  // called between frames of the film; true: stop and do not keep it
};
void require_frames(const RunReader& run);  // Error(input) where it has none yet

// The time axis of scenes, films and plots. Where it is not given, log t if frames were kept in
// log times, or if more than half of the change of the scaled energy or of the number of clusters
// happens in the first tenth of the time, and four frames or more lie there.
enum class TimeScale { chosen, linear, log };
bool is_in_log_time(const RunReader& run, TimeScale asked);

// Whether a scene shows a trajectory, or the map that tokens without attention follow one by one.
enum class FlightView { chosen, flight, map };
bool is_map(const Experiment& e);  // no head at any time
// Points of the sphere of R^3 or of the plane, carried along the frames of a run; null for other
// spaces, under noise, and where the grid does not stay finite.
std::shared_ptr<const CarriedGrid> carried_grid(const RunReader& run, const Experiment& e);

// The law, sizes, heads, the origin of Q, K and V, feed-forward, method and seed.
std::string caption_of(const Settings& settings, const Experiment& e);
// The same for the frames of a run; for a traced transformer its family and its texts.
std::string caption_of(const RunReader& run, const Settings& settings, const Experiment& e);

// The scene of a simulation: its manifold, its name, particles coloured by the cluster they end in;
// of tokens without attention a map. Error(input) where a map is asked for and there is none.
SceneSettings scene_of(const RunReader& run, const Settings& settings, const Experiment& e,
                       const PictureStyle& style, FlightView asked = FlightView::chosen);
// Densities on the sphere of R^3: of the tokens of a simulation by a kernel, of a mean field as it
// is. Error(input) for other spheres.
SphereDensity density_of_swarm(const RunReader& run, const Experiment& e);
SphereDensity density_of_meanfield(const RunReader& run);
SceneSettings density_scene_of_meanfield(const RunReader& run, const PictureStyle& style);
std::string density_caption(int n);  // added to the caption of a scene

FilmSettings film_of(const SceneSettings& scene, const RenderSettings& render);
DigitFilm film_of(const RenderSettings& render);  // of a trained swarm
std::vector<std::string> plotted(const RunReader& run, const RenderSettings& render);
// Start, end, plots and film into the run's figures/ and video/; the paths of what was made. Of the
// trajectory of a trained swarm the film and the frames are those of digits and sentences.
std::vector<std::filesystem::path> draw_simulation(const RunReader& run, const SceneSettings& scene,
                                                   const RenderSettings& render,
                                                   const DigitTrajectory* trained = nullptr);

// A run of the mean field read back and drawn as figures/meanfield.svg and .png: the density over
// angle and time, or on the sphere at three times; amplitudes and their predicted growth; energy
// and order with the phases marked. Error(tool) without gnuplot.
std::vector<std::filesystem::path> draw_meanfield(const std::filesystem::path& directory,
                                                  FigureStyle style);
// Order over kappa, swept up and down, and where theory expects the onset.
Figure bifurcation_figure(const Bifurcation& bifurcation, double predicted_onset);

// The best points as figures/landscape.svg and .png: on the circle F around it and atoms as spokes,
// on S^2 F on two discs, in more dimensions energy against index, spectra and masses. Error(tool)
// where gnuplot is missing and d > 3.
std::vector<std::filesystem::path> draw_landscape(const Landscape& landscape, const Search& search,
                                                  const std::filesystem::path& directory,
                                                  FigureStyle style);
// figures/scan.svg and .png: panels against beta. Error(tool) without gnuplot.
std::vector<std::filesystem::path> draw_scan(std::span<const ScanPoint> scan,
                                             const std::filesystem::path& directory,
                                             FigureStyle style);

// The observable over time and the first numeric axis, and over the first two numeric axes at the
// last time, one panel for each setting of the others; the paths of what was drawn.
std::vector<std::filesystem::path> draw_sweep(const Sweep& sweep, const SweepOutcome& outcome,
                                              const std::filesystem::path& directory);
// Whether figures/ holds something, or there is nothing to draw.
bool is_drawn(const Sweep& sweep, const std::filesystem::path& directory);

// Draws the panels of each figure into the folder as NAME.svg, .pdf and .png in one style, and in
// dark as NAME-dark.* (in light as NAME-light.* where the style is dark itself). NAME.txt describes
// the figure; the numbers are in the CSV files of the tables. Error(tool) where gnuplot is missing.
void draw_reproduction(const Reproduction& done, FigureStyle style);
// The figures of a report: only NAME.svg and .png.
void draw_predictions(const Reproduction& done, FigureStyle style);

}  // namespace murmur
