// render.cpp: murmur render: scenes, film and plots of a run.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "murmur/picture.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

struct RenderOptions {
  std::int64_t frame = -1;  // negative: from the end
  std::vector<std::string> plot{};
  std::string size = "1280x720", strip{};
  bool light = false, log_time = false;
  double seconds = 8;
  int fps = 30;
} options;

PictureStyle style_of() {
  PictureStyle style;
  style.dark = !options.light;
  const std::size_t cross = options.size.find('x');
  char* end = nullptr;
  if (cross != std::string::npos) {
    style.width = static_cast<int>(std::strtol(options.size.c_str(), &end, 10));
    style.height = static_cast<int>(std::strtol(options.size.c_str() + cross + 1, &end, 10));
  }
  const bool good = cross != std::string::npos && *end == '\0' && style.width % 2 == 0 &&
                    style.height % 2 == 0 && style.width >= 320 && style.height >= 320 &&
                    style.width <= 8192 && style.height <= 8192;
  if (!good)
    usage(fmt::format("--size {} is not a picture's size", options.size),
          "write --size 1280x720: even numbers from 320 to 8192");
  return style;
}

// Colours by the cluster each particle ends in; particles that end alone are grey.
std::vector<int> labels_of(const RunReader& run, const Experiment& e) {
  const Clusters end = clusters(run.frame(run.frames() - 1), e.dynamics, e.observe.cluster_tol);
  std::vector<int> order(end.count), rank(end.count, -1), labels(end.label.size());
  for (int c = 0; c < end.count; ++c) order[c] = c;
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return end.size[a] > end.size[b]; });
  for (int r = 0; r < end.count; ++r)
    if (end.size[order[r]] > 1) rank[order[r]] = r;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = rank[end.label[i]];
  return labels;
}

std::string caption_of(const Settings& s) {
  const auto text = [&](const char* key) { return s.at(key).text; };
  // Non-breaking spaces: a long caption breaks between items, never inside one.
  if (text("model") != "none")
    return fmt::format("trained swarm, n\u00a0=\u00a0{}, d\u00a0=\u00a0{}, {}", text("n"),
                       text("d"), text("method"));
  return fmt::format("{}, β\u00a0=\u00a0{}, n\u00a0=\u00a0{}, d\u00a0=\u00a0{}, {}, seed\u00a0{}",
                     text("dynamics"), text("beta"), text("n"), text("d"), text("method"),
                     text("seed"));
}

SceneSettings scene_of(const RunReader& run, const Settings& settings, const Experiment& e) {
  SceneSettings scene;
  scene.style = style_of();
  scene.sphere = e.dynamics.manifold == Manifold::sphere;
  scene.label = labels_of(run, e);
  scene.title = e.name;
  scene.caption = caption_of(settings);
  return scene;
}

std::vector<std::string> plotted(const RunReader& run) {
  if (!options.plot.empty()) return options.plot;
  std::vector<std::string> names;
  for (const char* name :
       {"energy_scaled", "clusters", "order", "mean_cos", "attention_entropy", "effective_rank"})
    if (std::find(run.columns().begin(), run.columns().end(), name) != run.columns().end())
      names.emplace_back(name);
  return names;
}

std::int64_t frame_of(const RunReader& run) {
  const std::int64_t frame = options.frame < 0 ? run.frames() + options.frame : options.frame;
  if (frame < 0 || frame >= run.frames())
    throw Error(Fault::input, fmt::format("there is no frame {}", options.frame),
                run.directory().string(),
                fmt::format("the run has frames 0 to {}", run.frames() - 1));
  return frame;
}

FilmSettings film_of(const SceneSettings& scene) {
  FilmSettings film;
  film.scene = scene;
  film.fps = options.fps;
  film.seconds = options.seconds;
  film.log_time = options.log_time;
  film.strip = options.strip.empty() ? "clusters" : options.strip;
  film.stop = [] { return caught_signal != 0; };
  return film;
}

// Everything, into the run's own figures/ and video/.
std::vector<fs::path> render_all(const RunReader& run, const SceneSettings& scene, bool film) {
  const fs::path figures = run.directory() / "figures", video = run.directory() / "video";
  fs::create_directories(figures);
  fs::create_directories(video);
  std::vector<fs::path> made{figures / "start.png", figures / "end.png"};
  draw_scene(run, 0, scene, made[0]);
  draw_scene(run, run.frames() - 1, scene, made[1]);
  for (const char* ending : {"svg", "png", "pdf"}) {
    made.push_back(figures / fmt::format("observables.{}", ending));
    plot_observables(run, plotted(run), options.log_time, made.back());
  }
  if (film && film_trajectory(run, film_of(scene), video / "flight.mp4"))
    made.push_back(video / "flight.mp4");
  return made;
}

void render_one(const Flags& flags, const RunReader& run, const SceneSettings& scene) {
  const fs::path path = output_file(flags);
  const std::string ending = path.extension().string();
  if (ending == ".mp4") {
    film_trajectory(run, film_of(scene), path);
    return;
  }
  if (ending == ".svg" || ending == ".pdf" || (ending == ".png" && !options.plot.empty())) {
    Flags beside = flags;  // the figure's data is an output too
    beside.out = fs::path(path).replace_extension(".csv").string();
    output_file(beside);
    return plot_observables(run, plotted(run), options.log_time, path);
  }
  if (ending == ".png") return draw_scene(run, frame_of(run), scene, path);
  usage(fmt::format("there is no picture of the kind '{}'", ending),
        "use .png (scene), .mp4 (film), .svg or .pdf (plots)");
}

void check_frames(const RunReader& run) {
  require_frames(run);
  if (run.frames() == 0)
    throw Error(Fault::input, "the run has no frames yet", run.directory().string(),
                "let it fly first: murmur simulate --resume RUN");
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (sorted.plain.size() != 1) usage("render takes one run", "murmur render RUN -o flight.mp4");
  const RunReader reader(find_run(flags, sorted.plain[0]));
  check_frames(reader);
  const Settings settings = settings_of_run(reader.directory(), sorted.assignments);
  const Experiment e = make_experiment(settings);
  const SceneSettings scene = scene_of(reader, settings, e);
  const SignalWatch watch;
  std::vector<std::string> made{flags.out};
  if (flags.out.empty()) {
    made.clear();
    for (const fs::path& path : render_all(reader, scene, true)) made.push_back(path.string());
  } else {
    render_one(flags, reader, scene);
  }
  if (caught_signal != 0) {
    say(flags, "stopped; the film was not kept");
    return 128 + caught_signal;
  }
  if (flags.json)
    data(nlohmann::json(made).dump(2) + "\n");
  else
    for (const std::string& path : made) data(path + "\n");
  return 0;
}

}  // namespace

std::vector<fs::path> draw_run(const fs::path& directory, bool film) {
  const RunReader reader(directory);
  check_frames(reader);
  const Settings settings = settings_of_run(directory);
  return render_all(reader, scene_of(reader, settings, make_experiment(settings)), film);
}

Command render_command() {
  return {"render", "Draw a run: scenes, the film of the flight, plots of observables.",
          "  murmur render runs/flock-0-1\n"
          "  murmur render runs/flock-0-1 -o flight.mp4 --seconds 12\n"
          "  murmur render runs/flock-0-1 --plot energy,clusters -o figure.pdf",
          [](Options& sub, Flags&) {
            sub.add_option("--frame", options.frame, "frame of a scene; -1 is the last");
            sub.add_option("--plot", options.plot, "observables to plot").delimiter(',');
            sub.add_option("--strip", options.strip, "observable in the corner of a film");
            sub.add_option("--size", options.size, "width x height in pixels").type_name("WxH");
            sub.add_option("--seconds", options.seconds, "length of the film").range(0.1, 3600.0);
            sub.add_option("--fps", options.fps, "frames a second").range(1, 240);
            sub.add_flag("--light", options.light, "on a light ground");
            sub.add_flag("--log-time", options.log_time, "time runs in log t");
          },
          run};
}

}  // namespace murmur::app
