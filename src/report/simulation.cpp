// simulation.cpp: the pictures and the page of a simulated swarm, with the predictions of theory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/digits.h"
#include "report/figures.h"
#include "report/readings.h"
#include "run/file.h"
#include "run/formats.h"
#include "run/shell.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

// Numbers of the first and the last frame.
TextTable observable_table(const RunReader& reader) {
  const auto text = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string("-");
  };
  TextTable table{{"observable", "start", "end"}};
  for (const std::string& name : reader.columns()) {
    const std::vector<double> column = reader.column(name);
    table.push_back({name, text(column.front()), text(column.back())});
  }
  return table;
}

// Adds one figure of many panels: measurements of the swarm, and the predictions of theory.
void add_predictions(RunReport& report, const RunReader& reader, const Experiment& e) {
  const Reproduction done = predictions_of(reader, e);
  draw_predictions(done, report.style());
  for (const ColumnTable& table : done.tables)
    write_file_atomically(done.folder / fmt::format("laboratory-{}.csv", table.name),
                          csv_of(table));
  std::string words = "Dashes are what theory predicts.";
  for (const Check& check : done.checks) {
    const CheckText numbers = numbers_of(check);
    words +=
        fmt::format(" Predicted {}: {}, measured {}.", check.what, numbers.published, numbers.ours);
  }
  words += fmt::format(" Made by: murmur report {} --style {}", shell_path(report.run().filename()),
                       report.request.style);
  report.page.sections.push_back({.heading = "Compared with theory",
                                  .text = words,
                                  .picture = done.folder / "laboratory.svg"});
  for (const char* ending : {".svg", ".png"})
    report.made.push_back((done.folder / ("laboratory" + std::string(ending))).string());
}

bool chained(const RunReader& run, const Experiment& e) {
  return run.frames() > 0 && run.shape().n <= ClusterCounts::kMostUnasked &&
         count_clusters(run.frame(run.frames() - 1), e.dynamics, e.observe.cluster_tol).chained;
}

void add_facts(RunReport& report, const RunReader& reader, const Experiment& e) {
  auto& facts = report.page.facts;
  facts.emplace_back(fmt::format("{}", reader.shape().n), "particles");
  facts.emplace_back(fmt::format("{}", reader.frames()), "frames");
  const std::vector<double> clusters = reader.column("clusters");
  if (!clusters.empty() && std::isfinite(clusters.back()))
    facts.emplace_back(fmt::format("{:g}", clusters.back()),
                       chained(reader, e) ? "clusters at the end, by chaining: measure show=counts"
                                          : "clusters at the end");
}

}  // namespace

std::vector<std::string> plotted(const RunReader& run, const RenderSettings& render) {
  if (!render.plot.empty()) return render.plot;
  std::vector<std::string> names;
  for (const char* name :
       {"energy_scaled", "clusters", "order", "mean_cos", "attention_entropy", "effective_rank"})
    if (std::find(run.columns().begin(), run.columns().end(), name) != run.columns().end())
      names.emplace_back(name);
  return names;
}

FilmSettings film_of(const SceneSettings& scene, const RenderSettings& render) {
  FilmSettings film;
  film.scene = scene;
  film.fps = render.fps;
  film.seconds = render.seconds;
  film.strip = render.strip;
  film.stop = render.stop;
  return film;
}

DigitFilm film_of(const RenderSettings& render) {
  return {.style = render.style, .fps = render.fps, .seconds = render.seconds, .stop = render.stop};
}

std::vector<fs::path> draw_simulation(const RunReader& run, const SceneSettings& scene,
                                      const RenderSettings& render,
                                      const DigitTrajectory* trained) {
  const fs::path figures = run.directory() / "figures", video = run.directory() / "video";
  make_folder_of_run(figures);
  make_folder_of_run(video);
  std::vector<fs::path> made{figures / "start.png", figures / "end.png"};
  const std::int64_t last = run.frames() - 1;
  if (trained != nullptr) {
    draw_digit_frame(*trained, 0, scene.style, made[0]);
    draw_digit_frame(*trained, static_cast<int>(last), scene.style, made[1]);
    made.push_back(figures / "flight.png");
    draw_digit_trajectories({*trained}, scene.style, made.back());
  } else {
    draw_scene(run, 0, scene, made[0]);
    draw_scene(run, last, scene, made[1]);
  }
  for (const char* ending : {"svg", "png", "pdf"}) {
    made.push_back(figures / fmt::format("observables.{}", ending));
    plot_observables(run, plotted(run, render), scene.log_time, made.back());
  }
  const fs::path mp4 = video / "flight.mp4";
  if (render.film && (trained != nullptr ? film_digits({*trained}, film_of(render), mp4)
                                         : film_trajectory(run, film_of(scene, render), mp4)))
    made.push_back(mp4);
  return made;
}

void report_simulation(RunReport& report) {
  const RunView view = view_of(report);
  const RunReader& reader = view.swarm_frames();
  const RenderSettings render{.film = report.request.film, .stop = report.request.stop};
  const Experiment& e = view.experiment();
  SceneSettings scene = scene_of(reader, view.settings(), e, render.style);
  scene.log_time = is_in_log_time(reader, TimeScale::chosen);
  const std::optional<DigitTrajectory> trained =
      moves_trained_swarm(reader)
          ? trajectory_of_run(reader, report.request.data, report.request.find_data)
          : std::nullopt;
  const std::vector<fs::path> drawn =
      draw_simulation(reader, scene, render, trained ? &*trained : nullptr);
  if (report.stopped()) return;
  report.page.title = report.run().filename().string();
  report.page.lead = fmt::format("{} particles in {} coordinates, from t = 0 to t = {:g}.",
                                 reader.shape().n, reader.shape().d, reader.times().back());
  add_facts(report, reader, e);
  const auto captions =
      std::vector<std::pair<std::string, std::string>>{{"flight.mp4", "The trajectory"},
                                                       {"flight.png", "The trajectory in steps"},
                                                       {"start.png", "The start"},
                                                       {"end.png", "The end"},
                                                       {"observables.svg", "Observables"}};
  for (const auto& [name, heading] : captions)
    for (const fs::path& path : drawn)
      if (path.filename() == name)
        report.page.sections.push_back({.heading = heading, .picture = path});
  for (const fs::path& path : drawn) report.made.push_back(path.string());
  add_sections(report, view);
  if (report.stopped()) return;
  add_predictions(report, reader, e);
  report.add_table("Numbers", "", observable_table(reader));
}

}  // namespace murmur
