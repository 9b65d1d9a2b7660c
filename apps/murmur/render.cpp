// render.cpp: murmur render: scenes, film and plots of a run.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "recipe.h"
#include "report/figures.h"
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

std::int64_t frame_of(const RunReader& run) {
  const std::int64_t frame = options.frame < 0 ? run.frames() + options.frame : options.frame;
  if (frame < 0 || frame >= run.frames())
    throw Error(Fault::input, fmt::format("there is no frame {}", options.frame),
                run.directory().string(),
                fmt::format("the run has frames 0 to {}", run.frames() - 1));
  return frame;
}

RenderSettings render_settings() {
  RenderSettings render{.style = style_of(), .plot = options.plot, .log_time = options.log_time};
  if (!options.strip.empty()) render.strip = options.strip;
  render.seconds = options.seconds;
  render.fps = options.fps;
  render.stop = [] { return caught_signal != 0; };
  return render;
}

void render_one(const Flags& flags, const RunReader& run, const SceneSettings& scene,
                const RenderSettings& render) {
  const fs::path path = output_file(flags);
  const std::string ending = path.extension().string();
  if (ending == ".mp4") {
    film_trajectory(run, film_of(scene, render), path);
    return;
  }
  if (ending == ".svg" || ending == ".pdf" || (ending == ".png" && !options.plot.empty())) {
    Flags beside = flags;  // the figure's data is an output too
    beside.out = fs::path(path).replace_extension(".csv").string();
    output_file(beside);
    return plot_observables(run, plotted(run, render), render.log_time, path);
  }
  if (ending == ".png") return draw_scene(run, frame_of(run), scene, path);
  usage(fmt::format("there is no picture of the kind '{}'", ending),
        "use .png (scene), .mp4 (film), .svg or .pdf (plots)");
}

// Trainings, mean fields and landscapes: the pictures of their pages, which lie in the run.
int draw_as_reported(const Flags& flags, const Words& words) {
  std::string data_asked;
  for (const std::string& assignment : words.assignments) {
    if (assignment.rfind("data=", 0) != 0)
      throw Error(Fault::input, "a run of this kind is drawn as it is",
                  "command line: " + assignment, "leave it out; data=DIR is for the test pictures");
    data_asked = assignment.substr(5);
  }
  if (!flags.out.empty())
    usage("the pictures of such a run lie in it", "leave -o out, and copy the one you want");
  return report_run(flags, words.plain[0], {.data = data_asked}, false);
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (sorted.plain.size() != 1) usage("render takes one run", "murmur render RUN -o flight.mp4");
  const RunReader reader = read_run(flags, sorted.plain[0]);
  const RunKind& kind = kind_of(reader);
  if (kind.report != nullptr && !(kind.no_swarm.what.empty() && kind.no_frames.what.empty()))
    return draw_as_reported(flags, sorted);
  require_kind_with_frames(reader);
  require_frames(reader);
  const Settings settings = settings_of_run(reader.directory(), sorted.assignments);
  const RenderSettings render = render_settings();
  const SceneSettings scene = scene_of(reader, settings, render.style);
  const SignalWatch watch;
  const picture::Signature signature(recipe_of(ingredients_of(reader, sorted.plain[0])));
  std::vector<std::string> made{flags.out};
  if (flags.out.empty()) {
    made.clear();
    for (const fs::path& path : draw_simulation(reader, scene, render))
      made.push_back(path.string());
  } else {
    render_one(flags, reader, scene, render);
  }
  if (caught_signal != 0) {
    say(flags, "stopped; the film was not kept");
    return 128 + caught_signal;
  }
  if (flags.json)
    report(made);
  else
    for (const std::string& path : made) data(path + "\n");
  return 0;
}

}  // namespace

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
