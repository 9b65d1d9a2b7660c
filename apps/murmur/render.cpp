// render.cpp: murmur render and murmur report: scenes, films, plots and the page of a run.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "recipe.h"
#include "report/digits.h"
#include "report/readings.h"
#include "report/trace.h"
#include "run/compare.h"
#include "run/file.h"
#include "run_kind.h"

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

std::optional<int> take_whole(Arguments& arguments, const char* key) {
  ReadingOptions::Given given;
  if (const auto value = take_value(arguments, key)) given[key] = *value;
  return ReadingOptions("", {}, given).index(key);
}

// Prints the paths of pictures, or that a film was stopped; returns the exit code.
int print_pictures(const Flags& flags, const std::vector<std::string>& paths) {
  if (caught_signal != 0) {
    print_message(flags, "stopped; the film was not kept");
    return 128 + caught_signal;
  }
  if (flags.json)
    print_json(paths);
  else
    for (const std::string& path : paths) print_text(path + "\n");
  return 0;
}

// The numbers of a figure are written to a .csv next to it, which must not be there yet.
void check_table_path(const Flags& flags) {
  Flags table = flags;
  table.out = fs::path(flags.out).replace_extension(".csv").string();
  output_path(table);
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
    check_table_path(flags);
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

std::string joined_names(bool (*has)(const Reading&)) {
  std::vector<std::string> all;
  for (const Reading& reading : readings())
    if (has(reading)) all.emplace_back(reading.name);
  return joined(all, ", ");
}

std::vector<Parameter> render_parameters() {
  static const std::vector<ParameterValue> figures =
      reading_values(has_picture, "render", "figure");
  static const std::string names = joined_names(has_picture);
  static const std::string time_meaning =
      "whether time runs in log t or in t; unless given, chosen by when the run changes; for "
      "scenes, films, plots and figure=" +
      joined_names([](const Reading& reading) { return reading.time_axis != Reading::no_time; });
  std::vector<Parameter> all = {
      {Parameter::word, "figure", "none", names.c_str(),
       "which figure is drawn; unless given, scenes, a film and plots", "", "", figures},
      {Parameter::word, "time", "auto", "log, linear", time_meaning.c_str()}};
  for (const Parameter& option : options_of_pictures()) all.push_back(option);
  return all;
}

// Whether the picture has a time axis. It has none if it shows one time, or if its frames are
// blocks or layers of a network.
bool has_time_axis(const Reading* figure, const RunReader& run, const Arguments& arguments) {
  if (has_key(arguments, "t")) return false;
  if (figure == nullptr) return true;
  const bool of_network = run.command() == "trace" || run.command() == "train";
  return figure->time_axis == Reading::over_time ||
         (figure->time_axis == Reading::over_time_of_flows && !of_network);
}

[[noreturn]] void refuse_time(const std::string& what) {
  throw Error(Fault::input, what + " has no time axis",
              "command line: time=", "leave out time= and --log-time");
}

// The values of figure= and time=.
struct FigureChoice {
  const Reading* figure = nullptr;  // null: scenes, films and plots
  TimeScale time = TimeScale::chosen;
};

// Removes time= from the arguments; figure= stays.
FigureChoice take_figure_choice(Arguments& arguments, const RunReader& run) {
  FigureChoice asked{.time = options.log_time ? TimeScale::log : TimeScale::chosen};
  for (const std::string& assignment : arguments.assignments) {
    const auto [key, value] = split_assignment(assignment);
    if (key == "figure") {
      asked.figure = find_reading(value);
      if (asked.figure == nullptr || !has_picture(*asked.figure))
        throw Error(Fault::input, "there is no such figure", "command line: " + assignment,
                    fmt::format("use figure={}, or leave it out for scenes, films and plots",
                                joined_names(has_picture)));
    }
    if (key != "time") continue;
    if (value != "log" && value != "linear")
      throw Error(Fault::input, fmt::format("'{}' is not a time scale", value),
                  "command line: " + assignment, "use time=log or time=linear");
    asked.time = value == "log" ? TimeScale::log : TimeScale::linear;
  }
  if (asked.time != TimeScale::chosen && !has_time_axis(asked.figure, run, arguments))
    refuse_time(fmt::format("figure={} with these arguments",
                            asked.figure != nullptr ? asked.figure->name : ""));
  take_value(arguments, "time");
  return asked;
}

std::vector<std::string> endings_of(const Reading& figure) {
  switch (figure.kind) {
    case Reading::globe:
      return {".png", ".mp4"};
    case Reading::picture_and_film:
      return {".png", ".svg", ".pdf", ".mp4"};
    case Reading::figure:
    case Reading::picture:
      break;
  }
  return {".png", ".svg", ".pdf"};
}

// The path of a figure: -o, or NAME.png among the figures of the run.
fs::path path_of_figure(const Flags& flags, const RunReader& run, const Reading& figure) {
  if (flags.out.empty()) return run.directory() / "figures" / fmt::format("{}.png", figure.name);
  const fs::path path = output_path(flags);
  const std::vector<std::string> endings = endings_of(figure);
  const std::string ending = path.extension().string();
  if (std::find(endings.begin(), endings.end(), ending) == endings.end())
    throw_usage_error(fmt::format("this figure cannot be written as '{}'", ending),
                      fmt::format("let -o end in {}", joined(endings, " or ")));
  if (figure.kind == Reading::figure) check_table_path(flags);
  return path;
}

// Options of the figure; other assignments are parameters of the run, which they change.
RunView view_of(const RunReader& run, const Arguments& arguments, const Reading& figure,
                ReadingOptions::Given& given) {
  std::vector<std::string> changes;
  for (const std::string& assignment : arguments.assignments) {
    const auto [key, value] = split_assignment(assignment);
    if (key == "figure") continue;
    const bool is_option =
        std::any_of(figure.picture_options.begin(), figure.picture_options.end(),
                    [&key = key](const Parameter& option) { return key == option.name; });
    if (is_option) given[key] = value;
    if (!is_option || key == "data") changes.push_back(assignment);
  }
  RunView view(
      run, run.directory().string(),
      [&run, changes] {
        require_swarm(run);
        return settings_of_run(run.directory(), changes);
      },
      changes);
  view.find_data = data_folder;
  return view;
}

int draw_figure(const Flags& flags, const RunReader& run, const Arguments& arguments,
                const FigureChoice& asked) {
  const Reading& figure = *asked.figure;
  const fs::path path = path_of_figure(flags, run, figure);
  DrawRequest request{.style = figure_style(),
                      .render = render_settings(),
                      .sized = options.size_asked.given(),
                      .time = asked.time};
  if (options.frame_asked.given()) request.frame = options.frame;
  if (options.seconds_asked.given()) request.seconds = options.seconds;
  ReadingOptions::Given given;
  const RunView view = view_of(run, arguments, figure, given);
  const SignalWatch watch;
  const picture::Signature signature(recipe_of_run(run, arguments.positional[0]));
  const Drawing drawing =
      figure.draw(view, ReadingOptions(figure.name, figure.picture_options, given), request);
  if (flags.out.empty() && !drawing.csv.empty()) make_folder_of_run(path.parent_path());
  draw(drawing, path);
  return print_pictures(flags, {path.string()});
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
                                                  FlightView asked) {
  if (asked == FlightView::map || !moves_trained_swarm(run)) return std::nullopt;
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
  const FlightView scene_asked = asked.figure != nullptr ? asked.figure->scene : FlightView::chosen;
  if (asked.figure != nullptr && asked.figure->draw != nullptr)
    return draw_figure(flags, reader, arguments, asked);
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
  const auto trained = trained_trajectory(reader, arguments, scene_asked);
  const DigitTrajectory* const trajectory = trained ? &*trained : nullptr;
  if (trained && asked.time != TimeScale::chosen && is_scene(flags.out))
    refuse_time("a trained swarm, drawn block by block,");
  const Settings settings = settings_of_run(reader.directory(), arguments.assignments);
  const RenderSettings render = render_settings();
  SceneSettings scene =
      scene_of(reader, settings, make_experiment(settings), render.style, scene_asked);
  if (reader.command() == "trace")
    show_tokens(reader, read_trace_file(reader.directory()), tokens, scene);
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
  std::vector<Parameter> all = {option::data};
  for (const Parameter& p : next_word_options()) all.push_back(p);
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
