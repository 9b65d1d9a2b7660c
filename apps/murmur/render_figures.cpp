// render_figures.cpp: draws the figures of murmur render that figure=NAME chooses.
#include "render_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "digits.h"
#include "murmur/error.h"
#include "recipe.h"
#include "report/attention.h"
#include "report/fields.h"
#include "report/figures.h"
#include "report/metastability.h"
#include "report/next_word.h"
#include "report/trace.h"
#include "run/file.h"
#include "run/formats.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_argument(const std::string& argument, const std::string& what,
                                  const std::string& remedy) {
  throw Error(Fault::input, what, "command line: " + argument, remedy);
}

std::int64_t parse_index(const Assignment& given, std::int64_t least, std::int64_t greatest,
                         const char* kind) {
  if (const auto number = parse_whole(given.value, least, greatest)) return *number;
  refuse_argument(given.key + "=" + given.value, fmt::format("'{}' is not {}", given.value, kind),
                  fmt::format("give {}", kind));
}

double parse_time(const std::string& text) {
  if (const std::optional<double> t = parse_number(text)) return *t;
  refuse_argument("t=" + text, fmt::format("'{}' is not a time", text),
                  "write a number such as t=2.5");
}

// The token, time, head and picture that the arguments select.
struct SwarmSelection {
  DomeRequest request{};
  std::string data{};                 // of a training: where the pictures are
  std::vector<std::string> others{};  // further settings of the run
};

SwarmSelection parse_swarm_selection(const Arguments& arguments) {
  constexpr int kLeast = std::numeric_limits<int>::min(), kMost = std::numeric_limits<int>::max();
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  SwarmSelection read;
  DomeRequest& r = read.request;
  for (const std::string& text : arguments.assignments) {
    const Assignment given = split_assignment(text);
    const std::string& key = given.key;
    if (key == "token")
      r.token = static_cast<int>(parse_index(given, kLeast, kMost, "the number of a token"));
    else if (key == "head" && given.value != "all")
      r.head = static_cast<int>(parse_index(given, kLeast, kMost, "the number of a head"));
    else if (key == "block")
      r.block = parse_index(given, -kLargest, kLargest, "the number of a block");
    else if (key == "t")
      r.t = parse_time(given.value);
    else if (key == "picture")
      r.picture =
          static_cast<std::size_t>(parse_index(given, 0, kLargest, "the number of a test picture"));
    else if (key != "figure" && key != "head")
      read.others.push_back(text);
    if (key == "data") read.data = given.value;
  }
  return read;
}

DomeStates states_of_trained(const RunReader& run, const SwarmSelection& selection) {
  for (const std::string& text : selection.others)
    if (split_assignment(text).key != "data")
      refuse_argument(text, "the parameters of a trained swarm cannot change",
                      "a figure of it takes token, block or t, head, picture and data");
  const TrainedSwarm swarm = read_trained_swarm(run.directory());
  const std::string name = run.directory().filename().string();
  if (reads_words(swarm.task)) {
    const SampleSet test = test_sentences(swarm.task);
    const std::size_t sentence = selection.request.picture.value_or(0);
    if (sentence >= test.samples())
      throw Error(Fault::input, fmt::format("there is no sentence {}", sentence), "picture",
                  fmt::format("the test has sentences 0 to {}", test.samples() - 1));
    return states_of_training(swarm, test, sentence,
                              fmt::format("{}, test sentence {}", name, sentence));
  }
  if (swarm.task == Task::same) {
    const std::size_t pair = selection.request.picture.value_or(0);
    const ChosenPairs chosen = choose_pairs(fmt::format("test:{}", pair), selection.data, swarm);
    return states_of_training(swarm, samples_of_chosen(chosen, swarm), 0,
                              fmt::format("{}, test pair {}", name, pair));
  }
  const Images images =
      read_data_set(data_folder(selection.data.empty() ? swarm.data : selection.data)).test;
  if (images.height != swarm.height || images.width != swarm.width)
    throw Error(Fault::input, "the pictures do not have the size that the swarm learned from",
                images.where, "give the pictures it learned from");
  std::vector<std::size_t> pictures;
  samples_of(images, swarm.digits, swarm.tokens, &pictures);
  if (pictures.empty())
    throw Error(Fault::input, "no test picture shows a class of the swarm", images.where,
                "give the pictures it learned from");
  const std::size_t picture = selection.request.picture.value_or(pictures.front());
  if (picture >= images.count())
    throw Error(Fault::input, fmt::format("there is no picture {}", picture), images.where,
                fmt::format("it has pictures 0 to {}", images.count() - 1));
  SampleSet sample;
  add_sample(images, picture, images.labels.empty() ? -1 : class_of(swarm, images.labels[picture]),
             swarm.tokens, sample);
  return states_of_training(swarm, sample, 0, fmt::format("{}, test picture {}", name, picture));
}

// The states of the selected swarm: of a simulation, or of a sample of a training.
DomeStates states_of(const RunReader& run, const SwarmSelection& selection) {
  if (run.command() == "train") return states_of_trained(run, selection);
  require_swarm(run);
  if (selection.request.picture)
    throw Error(Fault::input, "picture= does not apply to a simulation",
                "command line: picture=", "leave it out; it is for trainings");
  return states_of_simulation(run, settings_of_run(run.directory(), selection.others));
}

// The path of a figure or film: -o, or NAME.png among the figures of the run.
fs::path path_of_figure(const Flags& flags, const RunReader& run, const std::string& name) {
  if (flags.out.empty()) return run.directory() / "figures" / (name + ".png");
  return output_path(flags);
}

fs::path path_of_figure_or_film(const Flags& flags, const RunReader& run, const std::string& name) {
  const fs::path path = path_of_figure(flags, run, name);
  const std::string ending = path.extension().string();
  if (ending != ".png" && ending != ".svg" && ending != ".pdf" && ending != ".mp4")
    throw_usage_error(fmt::format("there is no picture of the kind '{}'", ending),
                      "use .png, .svg or .pdf for a figure, .mp4 for a film");
  return path;
}

}  // namespace

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

int render_dome(const Flags& flags, const RunReader& run, const Arguments& arguments,
                const DomeFlags& asked) {
  SwarmSelection read = parse_swarm_selection(arguments);
  read.request.frame = asked.frame;
  const fs::path path = path_of_figure_or_film(flags, run, "dome");
  const DomeStates states = states_of(run, read);
  const SignalWatch watch;
  const picture::Signature signature(recipe_of_run(run, arguments.positional[0]));
  if (path.extension() == ".mp4") {
    const DomeFilm film{
        .style = asked.style, .fps = asked.fps, .seconds = asked.seconds, .stop = [] {
          return caught_signal != 0;
        }};
    film_domes(domes_of_states(states, read.request), film, path);
  } else {
    draw_dome(dome_of_states(states, read.request), asked.style, path);
  }
  return print_pictures(flags, {path.string()});
}

namespace {

bool by_clusters(const std::string& word) {
  if (word != "clusters" && word != "index")
    throw Error(Fault::input, fmt::format("'{}' is not an order of tokens", word),
                "command line: order=" + word, "use order=clusters or order=index");
  return word == "clusters";
}

void require_ending(const fs::path& path, std::initializer_list<const char*> endings) {
  const std::string ending = path.extension().string();
  if (std::any_of(endings.begin(), endings.end(),
                  [&](const char* known) { return ending == known; }))
    return;
  throw_usage_error(fmt::format("this figure cannot be written as '{}'", ending),
                    fmt::format("let -o end in {}", fmt::join(endings, " or ")));
}

// The numbers of a figure are written to a .csv next to it, which must not be there yet.
void check_table_path(const Flags& flags) {
  if (flags.out.empty()) return;
  Flags table = flags;
  table.out = fs::path(flags.out).replace_extension(".csv").string();
  output_path(table);
}

}  // namespace

std::optional<int> take_whole(Arguments& arguments, const char* key) {
  const std::optional<std::string> value = take_value(arguments, key);
  if (!value || value->empty()) return std::nullopt;
  const auto number = parse_whole(*value, 0, 1'000'000);
  if (!number)
    throw Error(Fault::input, fmt::format("{} is not a whole number of 0 or above", *value),
                fmt::format("command line: {}={}", key, *value), "write a whole number");
  return static_cast<int>(*number);
}

namespace {

// The attention of the transformer itself: text=K, head=H, block=B.
Figure attention_of_trace(const RunReader& run, Arguments& arguments, const FigureFlags& asked) {
  TraceAttentionRequest request{.style = asked.style};
  request.text = take_whole(arguments, "text").value_or(0);
  request.head = take_whole(arguments, "head");
  request.block = take_whole(arguments, "block");
  if (!arguments.assignments.empty())
    throw Error(Fault::input, "figure=attention of a trace takes text, head and block",
                "command line: " + arguments.assignments.front(), "leave it out");
  return trace_attention_figure(run, request);
}

bool is_of_trace(const std::string& name) {
  return name == "heads" || name == "layers" || name == "phase" || name == "parts" ||
         name == "spectrum" || name == "histograms";
}

// layers=0,1,24: whole numbers of 0 or above.
std::vector<int> take_layers(Arguments& arguments) {
  std::vector<int> layers;
  const std::string text = take_value(arguments, "layers").value_or("");
  std::vector<std::string> parts = split_list(text, ',');
  if (parts.back().empty()) parts.pop_back();
  for (const std::string& part : parts) {
    Arguments one{.assignments = {"layers=" + part}};
    const std::optional<int> layer = take_whole(one, "layers");
    if (!layer)
      throw Error(Fault::input, "a number is missing in the list of layers",
                  "command line: layers=" + text, "write e.g. layers=0,1,23,24");
    layers.push_back(*layer);
  }
  return layers;
}

// All heads, the layers next to the ideal flow or on its phase diagram, removed parts, or
// eigenvalues.
Figure figure_of_trace(const RunReader& run, const std::string& name, Arguments arguments,
                       FigureStyle style) {
  if (run.command() != "trace")
    throw Error(Fault::input, fmt::format("figure={} is only for a traced transformer", name),
                run.directory().string(), "create one with murmur trace, or use figure=attention");
  HistogramsRequest histograms{.style = style};
  if (name == "histograms") histograms.layers = take_layers(arguments);
  if (!arguments.assignments.empty())
    throw Error(Fault::input,
                fmt::format("figure={} of a trace takes {}", name,
                            name == "histograms" ? "only layers" : "no parameters"),
                "command line: " + arguments.assignments.front(), "leave it out");
  const TraceFile file = read_trace_file(run.directory());
  if (name == "histograms") return histograms_figure(run, file, histograms);
  if (name == "heads") return head_maps_figure(file, style, run.directory().string());
  if (name == "layers")
    return layers_figure(layer_readings(run, file),
                         run.shape().n <= kMostIdealFlowTokens ? twin_readings(run, file)
                                                               : std::vector<TwinReading>{},
                         style);
  if (name == "phase") return phase_figure(phase_places(run, file), style);
  if (name == "spectrum") return spectrum_figure(read_spectra(run), style);
  if (file.parts.empty())
    throw Error(Fault::input, "no part was left out in this run", run.directory().string(),
                "trace the text with --parts");
  return parts_figure(file, style);
}

Figure attention_of(const RunReader& run, Arguments arguments, const FigureFlags& asked) {
  AttentionRequest request{.style = asked.style};
  if (run.command() == "trace") return attention_of_trace(run, arguments, asked);
  if (const std::string order = take_value(arguments, "order").value_or(""); !order.empty())
    request.clusters = by_clusters(order);
  const SwarmSelection read = parse_swarm_selection(arguments);
  if (read.request.token || read.request.block)
    throw Error(Fault::input, "figure=attention shows all tokens at stored times",
                "command line: token=, block=", "use t=TIME, head=H and order=clusters|index");
  const DomeStates states = states_of(run, read);
  request.head = read.request.head;
  request.t = read.request.t;
  if (run.command() != "train") {
    request.log_time = is_in_log_time(run, asked.time);
    request.cluster_tol =
        make_experiment(settings_of_run(run.directory(), read.others)).observe.cluster_tol;
  }
  return attention_figure(states, request);
}

void require_swarm_frames(const RunReader& run) {
  require_swarm(run);
  require_frames(run);
}

Figure cosines_of(const RunReader& run, const Arguments& arguments, const FigureFlags& asked) {
  require_swarm_frames(run);
  return cosines_figure(run, settings_of_run(run.directory(), arguments.assignments),
                        {is_in_log_time(run, asked.time), asked.style});
}

FigureWithNumbers distances_of(const RunReader& run, Arguments arguments,
                               const FigureFlags& asked) {
  require_swarm_frames(run);
  DistancesRequest request{.style = asked.style};
  request.bins = take_whole(arguments, "bins").value_or(request.bins);
  if (const std::string t = take_value(arguments, "t").value_or(""); !t.empty())
    request.t = parse_time(t);
  request.log_time = is_in_log_time(run, asked.time);
  return distances_figure(run, settings_of_run(run.directory(), arguments.assignments), request);
}

FigureWithNumbers metastability_of(const RunReader& run, const Arguments& arguments,
                                   const FigureFlags& asked) {
  require_swarm_frames(run);
  return metastability_figure(run, settings_of_run(run.directory(), arguments.assignments),
                              asked.style);
}

// Draws the figure, and writes its numbers to a .csv next to it.
void draw_with_numbers(const FigureWithNumbers& drawn, const Flags& flags, const fs::path& path) {
  if (flags.out.empty()) make_folder_of_run(path.parent_path());
  draw(drawn.figure, path);
  write_file_atomically(fs::path(path).replace_extension(".csv"), drawn.csv);
}

void draw_globe(const RunReader& run, const Arguments& arguments, const FigureFlags& asked,
                const fs::path& path) {
  SceneSettings scene;
  SphereDensity density;
  if (run.command() == "meanfield") {
    if (!arguments.assignments.empty())
      throw Error(Fault::input, "the parameters of a mean field cannot change",
                  "command line: " + arguments.assignments.front(), "leave it out");
    density = density_of_meanfield(run);
    scene = density_scene_of_meanfield(run, asked.render.style);
  } else {
    require_swarm_frames(run);
    const Settings settings = settings_of_run(run.directory(), arguments.assignments);
    const Experiment e = make_experiment(settings);
    density = density_of_swarm(run, e);
    scene.style = asked.render.style;
    scene.title = e.name;
    scene.caption = caption_of(settings, e) + density_caption(run.shape().n);
  }
  scene.log_time = is_in_log_time(run, asked.time);
  const auto frames = static_cast<std::int64_t>(density.times.size());
  const std::int64_t frame = asked.frame < 0 ? frames + asked.frame : asked.frame;
  if (path.extension() == ".mp4")
    film_density(density, film_of(scene, asked.render), path);
  else
    draw_density(density, frame, scene, path);
}

// Removes z=HEIGHT from the arguments.
double take_height(Arguments& arguments) {
  const std::string value = take_value(arguments, "z").value_or("");
  if (value.empty()) return 0;
  const std::optional<double> z = parse_number(value);
  if (!z || std::abs(*z) > 1000)
    throw Error(Fault::input, fmt::format("{} is not a height", value), "command line: z=" + value,
                "write a number such as z=5; the digit lies at 0, gates are 10 from the centre");
  return *z;
}

// The fields of a block of a trained swarm: block=B, head=H, z=HEIGHT or view=space.
void draw_fields_of(const RunReader& run, Arguments& arguments, const FigureFlags& asked,
                    const fs::path& path) {
  FieldRequest request;
  request.block = take_whole(arguments, "block").value_or(0);
  request.head = take_whole(arguments, "head");
  const bool height = has_key(arguments, "z");
  request.heights = {take_height(arguments)};
  const std::string view = take_value(arguments, "view").value_or("");
  if (!view.empty() && view != "plane" && view != "space")
    throw Error(Fault::input, fmt::format("'{}' is not a view of fields", view),
                "command line: view=" + view, "use view=plane or view=space");
  request.space = view == "space";
  if (request.space && height)
    throw Error(Fault::input, "view=space takes no height", "command line: view=space",
                "leave out z, or view=space");
  if (!arguments.assignments.empty())
    throw Error(Fault::input, "figure=fields takes block, head, z and view",
                "command line: " + arguments.assignments.front(), "leave it out");
  draw_fields(fields_of(read_trained_swarm(run.directory()), request),
              {asked.style, asked.width, asked.height}, path);
}

}  // namespace

int render_figure(const Flags& flags, const RunReader& run, const Arguments& arguments,
                  const FigureFlags& asked) {
  Arguments rest = arguments;
  const std::string name = take_value(rest, "figure").value_or("");
  const fs::path path = path_of_figure(flags, run, name);
  const bool globe = name == "density";
  if (globe)
    require_ending(path, {".png", ".mp4"});
  else
    require_ending(path, {".png", ".svg", ".pdf"});
  const SignalWatch watch;
  const picture::Signature signature(recipe_of_run(run, arguments.positional[0]));
  if (globe) {
    draw_globe(run, rest, asked, path);
  } else if (name == "fields") {
    draw_fields_of(run, rest, asked, path);
  } else if (name == "distances" || name == "metastability") {
    check_table_path(flags);
    draw_with_numbers(
        name == "distances" ? distances_of(run, rest, asked) : metastability_of(run, rest, asked),
        flags, path);
  } else {
    check_table_path(flags);
    const Figure figure = name == "attention" ? attention_of(run, rest, asked)
                          : is_of_trace(name) ? figure_of_trace(run, name, rest, asked.style)
                                              : cosines_of(run, rest, asked);
    draw(figure, path);
  }
  return print_pictures(flags, {path.string()});
}

namespace {

// The frame of the picture for a frame of the run, negative from the end.
std::int64_t picture_frame(const NextWordPicture& picture, const RunReader& run,
                           std::int64_t asked) {
  const std::int64_t frame = frame_index(asked, run.frames(), run.directory().string());
  const auto at = std::lower_bound(picture.times.begin(), picture.times.end(), run.times()[frame]);
  return std::min<std::int64_t>(at - picture.times.begin(),
                                static_cast<std::int64_t>(picture.times.size()) - 1);
}

}  // namespace

int render_next_word(const Flags& flags, const RunReader& run, const Arguments& arguments,
                     const DomeFlags& asked, bool sized) {
  require_kind_with_frames(run);
  require_frames(run);
  NextWordRequest request;
  if (!has_key(arguments, "vocabulary")) use_vocabulary_of(run, request);
  std::vector<std::string> others;  // settings of the run
  for (const std::string& text : arguments.assignments) {
    const auto [key, value] = split_assignment(text);
    if (key != "figure" && !request.set(key, value)) others.push_back(text);
  }
  const fs::path path = path_of_figure_or_film(flags, run, "next-word");
  NextWordPicture picture = next_word_picture(
      worded_run(run, make_experiment(settings_of_run(run.directory(), others))), request);
  const SignalWatch watch;
  const picture::Signature signature(recipe_of_run(run, arguments.positional[0]));
  if (path.extension() == ".mp4") {
    film_next_word(picture,
                   {.style = asked.style,
                    .fps = asked.fps,
                    .seconds = asked.seconds,
                    .stop = [] { return caught_signal != 0; }},
                   path);
  } else {
    DomeStyle style = asked.style;
    if (!sized) style.width = kNextWordWidth, style.height = kNextWordHeight;
    if (asked.frame) picture.frame = picture_frame(picture, run, *asked.frame);
    draw_next_word(picture, style, path);
  }
  return print_pictures(flags, {path.string()});
}

}  // namespace murmur::app
