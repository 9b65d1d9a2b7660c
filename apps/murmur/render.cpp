// render.cpp: murmur render: scenes, film and plots of a run.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "next_word.h"
#include "recipe.h"
#include "render_dome.h"
#include "render_figure.h"
#include "report/digits.h"
#include "report/figures.h"
#include "report/trace.h"
#include "run_kind.h"
#include "show.h"
#include "style.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

struct RenderOptions {
  std::int64_t frame = -1;  // negative: from the end
  std::vector<std::string> plot{};
  std::string size = "1280x720", strip{}, style{};
  bool light = false, log_time = false;
  double seconds = 8;
  int fps = 30;
  Option frame_asked{}, seconds_asked{}, size_asked{};
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
  RenderSettings render{.style = style_of(), .plot = options.plot};
  if (!options.strip.empty()) render.strip = options.strip;
  render.seconds = options.seconds;
  render.fps = options.fps;
  render.stop = [] { return caught_signal != 0; };
  return render;
}

// `trained`: of the run of a trained swarm.
void render_one(const Flags& flags, const RunReader& run, const SceneSettings& scene,
                const RenderSettings& render, const DigitTrajectory* trained) {
  const fs::path path = output_file(flags);
  const std::string ending = path.extension().string();
  if (ending == ".mp4" || ending == ".gif") {
    if (trained != nullptr)
      film_digits({*trained}, film_of(render), path);
    else
      film_trajectory(run, film_of(scene, render), path);
    return;
  }
  if (ending == ".svg" || ending == ".pdf" || (ending == ".png" && !options.plot.empty())) {
    Flags beside = flags;  // the figure's data is an output too
    beside.out = fs::path(path).replace_extension(".csv").string();
    output_file(beside);
    return plot_observables(run, plotted(run, render), scene.log_time, path);
  }
  if (ending == ".png" && trained != nullptr)
    return draw_digit_frame(*trained, static_cast<int>(frame_of(run)), render.style, path);
  if (ending == ".png") return draw_scene(run, frame_of(run), scene, path);
  usage(fmt::format("there is no picture of the kind '{}'", ending),
        "use .png (scene), .mp4 or .gif (film), .svg or .pdf (plots)");
}

// Whether -o names a scene or a film; other endings are of plots.
bool is_scene(const std::string& out) {
  const std::string ending = fs::path(out).extension().string();
  return ending == ".mp4" || ending == ".gif" || (ending == ".png" && options.plot.empty());
}

// Figures are dark, as scenes are, unless another style is asked for.
FigureStyle figure_style() {
  if (!options.style.empty()) return murmur::style_of(options.style);
  return options.light ? FigureStyle::paper : FigureStyle::dark;
}

DomeFlags dome_flags() {
  const PictureStyle size = style_of();
  DomeFlags asked;
  asked.style = {figure_style(), size.width, size.height};
  if (options.frame_asked.given()) asked.frame = options.frame;
  if (options.seconds_asked.given()) asked.seconds = options.seconds;
  asked.fps = options.fps;
  return asked;
}

constexpr ParameterValue kFigures[] = {
    {"dome",
     "the move of one token in parts: query, keys, message and feed-forward; .mp4: a film "
     "through the blocks"},
    {"next-word", "a swarm among words and what it says over time; .mp4: a film"},
    {"attention", "which token attends to which, at four times or at t=TIME"},
    {"heads", "entropy, sinks and signs of all heads of a traced transformer",
     "murmur render runs/trace-0-1 figure=heads"},
    {"layers", "the layers of a traced transformer next to the ideal flow",
     "murmur render runs/trace-0-1 figure=layers"},
    {"phase", "the layers of a traced transformer on its phase diagram",
     "murmur render runs/trace-0-1 figure=phase"},
    {"spectrum", "eigenvalues of O V of a traced transformer",
     "murmur render runs/trace-0-1 figure=spectrum"},
    {"parts", "what leaving a part out does (of murmur trace --parts)",
     "murmur render runs/trace-0-1 figure=parts"},
    {"fields", "query, key, value and feed-forward of a trained swarm as arrows",
     "murmur render runs/digits-0-1 figure=fields"},
    {"cosines", "the cosines of pairs over time, and the prediction of theory"},
    {"histograms", "the density of cosines of pairs in each layer of a traced transformer",
     "murmur render runs/trace-0-1 figure=histograms"},
    {"distances", "histograms of the distances of pairs at five times, and a map over all of them"},
    {"metastability",
     "tokens and clusters over log t, with the time in which clusters gather and the time at which "
     "one is left"},
    {"density", "the density on the sphere of R^3 as a globe; .mp4: a film"},
    {"map", "tokens without attention, as a map; the default for them"},
    {"flight", "tokens without attention, as moving points"}};

const std::string& figure_names() {
  static const std::string names = [] {
    std::string text;
    for (const ParameterValue& figure : kFigures)
      text += (text.empty() ? "" : ", ") + std::string(figure.name);
    return text;
  }();
  return names;
}

std::vector<Parameter> render_parameters() {
  using P = Parameter;
  std::vector<Parameter> all = {
      {P::word, "figure", "none", figure_names().c_str(),
       "which figure is drawn; unless given, scenes, a film and plots", "", "", kFigures},
      {P::word, "time", "auto", "log, linear",
       "whether time runs in log t or in t; unless given, by where things happen; for scenes, "
       "films, plots and figure=attention, cosines, distances, density, map, flight"},
      {P::whole, "block", "none", "0 or more",
       "figure=dome, fields, and attention of a trace: the block that is shown"},
      {P::number, "t", "none", "0 or above",
       "figure=dome, distances, and attention except of a trace: the time that is shown", "",
       "time t of the flow; one layer is dt"},
      {P::word, "head", "all", "all, or 0 or more", "which attention head is drawn"},
      {P::whole, "text", "0", "0 or more", "figure=attention: which text of a traced transformer"},
      {P::whole, "picture", "0", "0 or more",
       "figure=dome, attention: which test picture, pair or sentence a trained swarm reads"},
      {P::word, "order", "clusters", "clusters, index",
       "figure=attention: the order of the tokens"},
      {P::number, "z", "0", "a number", "figure=fields: the height of the plane that is drawn"},
      {P::word, "view", "plane", "plane, space", "figure=fields: a plane, or arrows in space"},
      {P::word, "layers", "all", "numbers such as 0,1,23,24",
       "figure=histograms: the layers that are drawn"},
      {P::whole, "bins", "40", "1 to 1000", "figure=distances: the number of bins"},
      kDataParameter};
  for (const Parameter& p : next_word_parameters()) all.push_back(p);
  return all;
}

// Whether what is drawn has a time axis: not where one time is shown, and not where frames are
// blocks or layers of a network.
bool has_time_axis(const std::string& figure, const RunReader& run, const Words& words) {
  constexpr const char* with[] = {"",        "attention", "cosines", "distances",
                                  "density", "map",       "flight"};
  if (std::find(std::begin(with), std::end(with), figure) == std::end(with)) return false;
  const bool one_time = std::any_of(words.assignments.begin(), words.assignments.end(),
                                    [](const std::string& a) { return a.rfind("t=", 0) == 0; });
  const bool of_network = run.command() == "trace" || run.command() == "train";
  return !one_time && !(figure == "attention" && of_network);
}

[[noreturn]] void refuse_time(const std::string& what) {
  throw Error(Fault::input, what + " has no time axis",
              "command line: time=", "leave out time= and --log-time");
}

// The values of figure= and time=.
struct Asked {
  std::string figure{};
  TimeScale time = TimeScale::chosen;
};

// Takes time= out of the words; figure= stays.
Asked asked_of(Words& words, const RunReader& run) {
  Asked asked{.time = options.log_time ? TimeScale::log : TimeScale::chosen};
  for (const std::string& assignment : words.assignments) {
    const std::size_t equals = assignment.find('=');
    const std::string key = assignment.substr(0, equals), value = assignment.substr(equals + 1);
    if (key == "figure") {
      if (std::none_of(std::begin(kFigures), std::end(kFigures),
                       [&](const ParameterValue& figure) { return value == figure.name; }))
        throw Error(Fault::input, "there is no such figure", "command line: " + assignment,
                    fmt::format("use figure={}, or leave it out for scenes, films and plots",
                                figure_names()));
      asked.figure = value;
    }
    if (key != "time") continue;
    if (value != "log" && value != "linear")
      throw Error(Fault::input, fmt::format("time cannot run in '{}'", value),
                  "command line: " + assignment, "use time=log or time=linear");
    asked.time = value == "log" ? TimeScale::log : TimeScale::linear;
  }
  if (asked.time != TimeScale::chosen && !has_time_axis(asked.figure, run, words))
    refuse_time(fmt::format("figure={} as it is asked for", asked.figure));
  std::erase_if(words.assignments,
                [](const std::string& word) { return word.rfind("time=", 0) == 0; });
  return asked;
}

int draw_figure(const Flags& flags, const RunReader& run, const Words& words, const Asked& asked) {
  if (asked.figure == "dome") return render_dome(flags, run, words, dome_flags());
  if (asked.figure == "next-word")
    return render_next_word(flags, run, words, dome_flags(), options.size_asked.given());
  const PictureStyle size = style_of();
  return render_figure(flags, run, words,
                       {.style = figure_style(),
                        .width = options.size_asked.given() ? size.width : 0,
                        .height = options.size_asked.given() ? size.height : 0,
                        .render = render_settings(),
                        .frame = options.frame,
                        .time = asked.time});
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
  ReportRequest request{.data = data_asked};
  if (!options.style.empty()) request.style = options.style;
  return report_run(flags, words.plain[0], request, false);
}

// The trajectory of a trained swarm, drawn with its gates and its verdict; nothing for other runs,
// and where clusters or a map are asked for.
std::optional<DigitTrajectory> trained_trajectory(const RunReader& run, Words& words,
                                                  const Asked& asked) {
  if (asked.figure == "map" || !moves_trained_swarm(run)) return std::nullopt;
  std::string data_asked;
  std::erase_if(words.assignments, [&](const std::string& assignment) {
    if (assignment.rfind("data=", 0) != 0) return false;
    data_asked = assignment.substr(5);
    return true;
  });
  if (!words.assignments.empty()) return std::nullopt;
  return trajectory_of_run(run, data_asked, data_folder);
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  Words sorted = sort_words(words);
  if (sorted.plain.size() != 1) usage("render takes one run", "murmur render RUN -o flight.mp4");
  const RunReader reader = read_run(flags, sorted.plain[0]);
  const RunKind& kind = kind_of(reader);
  const Asked asked = asked_of(sorted, reader);
  const bool scene_asked = asked.figure == "map" || asked.figure == "flight";
  if (!asked.figure.empty() && !scene_asked) return draw_figure(flags, reader, sorted, asked);
  if (kind.report != nullptr && !(kind.no_swarm.what.empty() && kind.no_frames.what.empty())) {
    if (asked.time != TimeScale::chosen) refuse_time("a run that is drawn as its report");
    return draw_as_reported(flags, sorted);
  }
  require_kind_with_frames(reader);
  require_frames(reader);
  if (!options.style.empty())
    usage("--style is the look of figure=dome, other figures by name and reported ones",
          "use --light for scenes and films on a light ground");
  std::erase_if(sorted.assignments,
                [](const std::string& word) { return word.rfind("figure=", 0) == 0; });
  TraceSceneRequest tokens;
  if (reader.command() == "trace")
    tokens = {take_number(sorted, "token"), take_number(sorted, "head")};
  const auto trained = trained_trajectory(reader, sorted, asked);
  const DigitTrajectory* const flown = trained ? &*trained : nullptr;
  if (flown != nullptr && asked.time != TimeScale::chosen && is_scene(flags.out))
    refuse_time("a trained swarm, drawn block by block,");
  const Settings settings = settings_of_run(reader.directory(), sorted.assignments);
  const RenderSettings render = render_settings();
  SceneSettings scene = scene_of(reader, settings, render.style,
                                 asked.figure == "map"      ? FlightView::map
                                 : asked.figure == "flight" ? FlightView::flight
                                                            : FlightView::chosen);
  if (reader.command() == "trace") show_tokens(reader, tokens, scene);
  scene.log_time = is_in_log_time(reader, asked.time);
  const SignalWatch watch;
  const picture::Signature signature(recipe_of(ingredients_of(reader, sorted.plain[0])));
  std::vector<std::string> made{flags.out};
  if (flags.out.empty()) {
    made.clear();
    for (const fs::path& path : draw_simulation(reader, scene, render, flown))
      made.push_back(path.string());
  } else {
    render_one(flags, reader, scene, render, flown);
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
  return {"render",
          "Draw a run: scenes, the film of the flight, plots of observables, a token's dome, next "
          "words.",
          "  murmur render runs/flock-0-1\n"
          "  murmur render runs/flock-0-1 -o flight.mp4 --seconds 12\n"
          "  murmur render runs/flock-0-1 --plot energy,clusters -o figure.pdf\n"
          "  murmur render runs/digits-0-1 figure=dome token=12 block=3 -o dome.svg\n"
          "  murmur render runs/flock-0-1 figure=attention -o attention.svg\n"
          "  murmur render runs/flock-0-1 figure=density -o density.mp4\n"
          "  murmur render runs/digits-0-1 figure=fields -o fields.svg",
          [](Options& sub, Flags&) {
            options.frame_asked =
                sub.add_option("--frame", options.frame, "frame of a scene; -1 is the last");
            sub.add_option("--plot", options.plot, "observables to plot").delimiter(',');
            sub.add_option("--strip", options.strip, "observable in the corner of a film");
            options.size_asked =
                sub.add_option("--size", options.size, "width x height in pixels").type_name("WxH");
            options.seconds_asked =
                sub.add_option("--seconds", options.seconds, "length of the film");
            options.seconds_asked.range(0.1, 3600.0);
            sub.add_option("--fps", options.fps, "frames a second").range(1, 240);
            sub.add_flag("--light", options.light, "on a light ground");
            sub.add_flag("--log-time", options.log_time, "time runs in log t, as time=log says");
            add_style(sub, options.style);
          },
          run,
          false,
          render_parameters};
}

}  // namespace murmur::app
