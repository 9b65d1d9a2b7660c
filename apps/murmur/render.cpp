// render.cpp: murmur render and murmur report: scenes, films, plots and the page of a run.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "recipe.h"
#include "render_figures.h"
#include "report/digits.h"
#include "report/figures.h"
#include "report/report.h"
#include "report/trace.h"
#include "run/compare.h"
#include "run_kind.h"
#include "show.h"

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
  const std::vector<std::string> sides = split_list(options.size, 'x');
  const auto width = parse_whole(sides.front(), 320, 8192);
  const auto height = parse_whole(sides.back(), 320, 8192);
  if (sides.size() != 2 || !width || !height || *width % 2 != 0 || *height % 2 != 0)
    throw_usage_error(fmt::format("--size {} is not the size of a picture", options.size),
                      "write --size 1280x720: even numbers from 320 to 8192");
  style.width = static_cast<int>(*width);
  style.height = static_cast<int>(*height);
  return style;
}

std::int64_t chosen_frame(const RunReader& run) {
  return frame_index(options.frame, run.frames(), run.directory().string());
}

RenderSettings render_settings() {
  RenderSettings render{.style = style_of(), .plot = options.plot};
  if (!options.strip.empty()) render.strip = options.strip;
  render.seconds = options.seconds;
  render.fps = options.fps;
  render.stop = [] { return caught_signal != 0; };
  return render;
}

// Draws the one picture or film that -o names; `trained`: the trajectory of a trained swarm, or
// null.
void render_one(const Flags& flags, const RunReader& run, const SceneSettings& scene,
                const RenderSettings& render, const DigitTrajectory* trained) {
  const fs::path path = output_path(flags);
  const std::string ending = path.extension().string();
  if (ending == ".mp4" || ending == ".gif") {
    if (trained != nullptr)
      film_digits({*trained}, film_of(render), path);
    else
      film_trajectory(run, film_of(scene, render), path);
    return;
  }
  if (ending == ".svg" || ending == ".pdf" || (ending == ".png" && !options.plot.empty())) {
    Flags table = flags;  // the numbers of the figure are an output too
    table.out = fs::path(path).replace_extension(".csv").string();
    output_path(table);
    return plot_observables(run, plotted(run, render), scene.log_time, path);
  }
  if (ending == ".png" && trained != nullptr)
    return draw_digit_frame(*trained, static_cast<int>(chosen_frame(run)), render.style, path);
  if (ending == ".png") return draw_scene(run, chosen_frame(run), scene, path);
  throw_usage_error(fmt::format("there is no picture of the kind '{}'", ending),
                    "use .png (scene), .mp4 or .gif (film), .svg or .pdf (plots)");
}

// Whether -o names a scene or a film, not a plot.
bool is_scene(const std::string& out) {
  const std::string ending = fs::path(out).extension().string();
  return ending == ".mp4" || ending == ".gif" || (ending == ".png" && options.plot.empty());
}

// Figures are dark like scenes, unless another style is chosen.
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
    {"next-word", "a swarm among words and the words that it says over time; .mp4: a film"},
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
       "whether time runs in log t or in t; unless given, chosen by when the run changes; for "
       "scenes, "
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

// Whether the picture has a time axis. It has none if it shows one time, or if its frames are
// blocks or layers of a network.
bool has_time_axis(const std::string& figure, const RunReader& run, const Arguments& arguments) {
  constexpr const char* with[] = {"",        "attention", "cosines", "distances",
                                  "density", "map",       "flight"};
  if (std::find(std::begin(with), std::end(with), figure) == std::end(with)) return false;
  const bool one_time = has_key(arguments, "t");
  const bool of_network = run.command() == "trace" || run.command() == "train";
  return !one_time && !(figure == "attention" && of_network);
}

[[noreturn]] void refuse_time(const std::string& what) {
  throw Error(Fault::input, what + " has no time axis",
              "command line: time=", "leave out time= and --log-time");
}

// The values of figure= and time=.
struct FigureChoice {
  std::string figure{};
  TimeScale time = TimeScale::chosen;
};

// Removes time= from the arguments; figure= stays.
FigureChoice take_figure_choice(Arguments& arguments, const RunReader& run) {
  FigureChoice asked{.time = options.log_time ? TimeScale::log : TimeScale::chosen};
  for (const std::string& assignment : arguments.assignments) {
    const auto [key, value] = split_assignment(assignment);
    if (key == "figure") {
      const auto is_it = [name = value](const ParameterValue& f) { return name == f.name; };
      if (std::none_of(std::begin(kFigures), std::end(kFigures), is_it))
        throw Error(Fault::input, "there is no such figure", "command line: " + assignment,
                    fmt::format("use figure={}, or leave it out for scenes, films and plots",
                                figure_names()));
      asked.figure = value;
    }
    if (key != "time") continue;
    if (value != "log" && value != "linear")
      throw Error(Fault::input, fmt::format("'{}' is not a time scale", value),
                  "command line: " + assignment, "use time=log or time=linear");
    asked.time = value == "log" ? TimeScale::log : TimeScale::linear;
  }
  if (asked.time != TimeScale::chosen && !has_time_axis(asked.figure, run, arguments))
    refuse_time(fmt::format("figure={} with these arguments", asked.figure));
  take_value(arguments, "time");
  return asked;
}

int draw_figure(const Flags& flags, const RunReader& run, const Arguments& arguments,
                const FigureChoice& asked) {
  if (asked.figure == "dome") return render_dome(flags, run, arguments, dome_flags());
  if (asked.figure == "next-word")
    return render_next_word(flags, run, arguments, dome_flags(), options.size_asked.given());
  const PictureStyle size = style_of();
  return render_figure(flags, run, arguments,
                       {.style = figure_style(),
                        .width = options.size_asked.given() ? size.width : 0,
                        .height = options.size_asked.given() ? size.height : 0,
                        .render = render_settings(),
                        .frame = options.frame,
                        .time = asked.time});
}

// Draws the pictures of the report, in the run: of trainings, mean fields and landscapes.
int draw_as_reported(const Flags& flags, const Arguments& arguments) {
  std::string data_asked;
  for (const std::string& text : arguments.assignments) {
    const Assignment assignment = split_assignment(text);
    if (assignment.key != "data")
      throw Error(Fault::input, "a run of this kind takes no parameters when it is drawn",
                  "command line: " + text, "leave it out; data=DIR is for the test pictures");
    data_asked = assignment.value;
  }
  if (!flags.out.empty())
    throw_usage_error("the pictures of such a run are written into it",
                      "leave -o out, and copy the one you want");
  ReportRequest request{.data = data_asked};
  if (!options.style.empty()) request.style = options.style;
  return report_run(flags, arguments.positional[0], request, false);
}

// The trajectory of a trained swarm, which is drawn with its gates and its verdict; nothing for
// other runs, for a map, and if there are parameters.
std::optional<DigitTrajectory> trained_trajectory(const RunReader& run, Arguments& arguments,
                                                  const FigureChoice& asked) {
  if (asked.figure == "map" || !moves_trained_swarm(run)) return std::nullopt;
  const std::string data_asked = take_value(arguments, "data").value_or("");
  if (!arguments.assignments.empty()) return std::nullopt;
  return trajectory_of_run(run, data_asked, data_folder);
}

int render(const Flags& flags, const std::vector<std::string>& words) {
  Arguments arguments = parse_arguments(words);
  if (arguments.positional.size() != 1)
    throw_usage_error("render takes one run", "murmur render RUN -o film.mp4");
  const RunReader reader = read_run(flags, arguments.positional[0]);
  const RunKind& kind = kind_of(reader);
  const FigureChoice asked = take_figure_choice(arguments, reader);
  const bool scene_asked = asked.figure == "map" || asked.figure == "flight";
  if (!asked.figure.empty() && !scene_asked) return draw_figure(flags, reader, arguments, asked);
  if (kind.report != nullptr && !(kind.no_swarm.what.empty() && kind.no_frames.what.empty())) {
    if (asked.time != TimeScale::chosen) refuse_time("a run that is drawn as its report");
    return draw_as_reported(flags, arguments);
  }
  require_kind_with_frames(reader);
  require_frames(reader);
  if (!options.style.empty())
    throw_usage_error("--style is only for figure=NAME and for the figures of a report",
                      "use --light for scenes and films on a light background");
  take_value(arguments, "figure");
  TraceSceneRequest tokens;
  if (reader.command() == "trace")
    tokens = {take_whole(arguments, "token"), take_whole(arguments, "head")};
  const auto trained = trained_trajectory(reader, arguments, asked);
  const DigitTrajectory* const trajectory = trained ? &*trained : nullptr;
  if (trained && asked.time != TimeScale::chosen && is_scene(flags.out))
    refuse_time("a trained swarm, drawn block by block,");
  const Settings settings = settings_of_run(reader.directory(), arguments.assignments);
  const RenderSettings render = render_settings();
  SceneSettings scene = scene_of(reader, settings, render.style,
                                 asked.figure == "map"      ? FlightView::map
                                 : asked.figure == "flight" ? FlightView::flight
                                                            : FlightView::chosen);
  if (reader.command() == "trace") show_tokens(reader, tokens, scene);
  scene.log_time = is_in_log_time(reader, asked.time);
  const SignalWatch watch;
  const picture::Signature signature(recipe_of_run(reader, arguments.positional[0]));
  std::vector<std::string> made;
  if (flags.out.empty()) {
    for (const fs::path& path : draw_simulation(reader, scene, render, trajectory))
      made.push_back(path.string());
  } else {
    render_one(flags, reader, scene, render, trajectory);
    made.push_back(flags.out);
  }
  return print_pictures(flags, made);
}

}  // namespace

Command render_command() {
  return {"render",
          "Draw a run: scenes, a film, plots of observables, figures by name.",
          "  murmur render runs/flock-0-1\n"
          "  murmur render runs/flock-0-1 -o film.mp4 --seconds 12\n"
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
            sub.add_option("--fps", options.fps, "frames per second").range(1, 240);
            sub.add_flag("--light", options.light, "on a light background");
            sub.add_flag("--log-time", options.log_time, "time runs in log t, as with time=log");
            sub.add_style(options.style);
          },
          render,
          false,
          render_parameters};
}

namespace {

bool no_film = false;
std::string report_style = "paper";

std::vector<Parameter> report_parameters() {
  std::vector<Parameter> all = {kDataParameter};
  for (const Parameter& p : next_word_parameters()) all.push_back(p);
  return all;
}

int report(const Flags& flags, const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  std::string data_asked;
  std::optional<NextWordRequest> words_asked;
  for (const std::string& assignment : arguments.assignments) {
    const auto [key, value] = split_assignment(assignment);
    NextWordRequest asked = words_asked.value_or(NextWordRequest{});
    if (key == "data") {
      data_asked = value;
    } else if (asked.set(key, value)) {
      words_asked = std::move(asked);
    } else {
      throw Error(Fault::input, fmt::format("there is no parameter {}", key),
                  "command line: " + assignment,
                  fmt::format("report takes {}", names_of(report_parameters())));
    }
  }
  if (arguments.positional.size() != 1)
    throw_usage_error("report takes one run", "murmur report RUN");
  if (!flags.out.empty())
    throw_usage_error("a report is written into its run",
                      "leave -o out: the page is RUN/report.html");
  return report_run(
      flags, arguments.positional[0],
      {.style = report_style, .film = !no_film, .data = data_asked, .next_word = words_asked},
      true);
}

}  // namespace

int report_run(const Flags& flags, const std::string& subject, ReportRequest request, bool page) {
  const RunReader run(find_run(flags, subject));
  const RunKind& kind = kind_of(run);
  if (kind.report == nullptr) refuse(run, kind.no_report);
  if (kind.check_report != nullptr) kind.check_report(run.directory());
  require_readable(run.directory(), kind.free);
  request.run = run.directory();
  request.stop = [] { return caught_signal != 0; };
  request.find_data = data_folder;
  if (request.next_word && run.command() != "simulate")
    throw Error(Fault::input, "next words are computed only for a simulated swarm", subject,
                "leave vocabulary, words, kappa, share and token out");
  RunReport made(std::move(request));
  made.page.recipe = run.config();
  const SignalWatch watch;
  const picture::Signature signature(recipe_of_run(run, subject));
  kind.report(made);
  if (caught_signal != 0) {
    print_message(flags,
                  page ? "stopped; no report was written" : "stopped; some pictures are missing");
    return 128 + caught_signal;
  }
  if (page) made.write();
  if (flags.json)
    print_json(made.made);
  else
    for (const std::string& path : made.made) print_text(path + "\n");
  if (page) print_message(flags, fmt::format("open {} in any browser", made.made.back()));
  return 0;
}

Command report_command() {
  return {"report",
          "Create one page of a run, with all its pictures inside.",
          "  murmur report runs/digits-0-1\n"
          "  murmur report runs/flock-0-1 --no-film\n"
          "  murmur report runs/flock-0-1 vocabulary=words.csv kappa=16\n"
          "  murmur report runs/landscape-0-1",
          [](Options& sub, Flags&) {
            sub.add_flag("--no-film", no_film, "leave the film out: faster, a smaller page");
            sub.add_style(report_style);
          },
          report,
          false,
          report_parameters};
}

}  // namespace murmur::app
