// render_figure.cpp: heat maps of attention and cosines, densities on a globe, vector fields.
#include "render_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "murmur/error.h"
#include "recipe.h"
#include "report/attention.h"
#include "report/fields.h"
#include "report/metastability.h"
#include "report/trace.h"
#include "run/file.h"
#include "run/formats.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

// Takes the word KEY=... out and returns what it says; empty: it is not there.
std::string take_word(Words& words, const std::string& key) {
  std::string value;
  std::erase_if(words.assignments, [&](const std::string& assignment) {
    if (assignment.rfind(key + "=", 0) != 0) return false;
    value = assignment.substr(key.size() + 1);
    return true;
  });
  return value;
}

bool by_clusters(const std::string& word) {
  if (word != "clusters" && word != "index")
    throw Error(Fault::input, fmt::format("tokens have no order '{}'", word),
                "command line: order=" + word, "use order=clusters or order=index");
  return word == "clusters";
}

void require_ending(const fs::path& path, std::initializer_list<const char*> endings) {
  const std::string ending = path.extension().string();
  if (std::any_of(endings.begin(), endings.end(),
                  [&](const char* known) { return ending == known; }))
    return;
  usage(fmt::format("there is no picture of the kind '{}' of this figure", ending),
        fmt::format("let -o end in {}", fmt::join(endings, " or ")));
}

// Where it goes; the numbers of a heat map go beside it.
fs::path place_of(const Flags& flags, const RunReader& run, const std::string& name) {
  if (flags.out.empty()) return run.directory() / "figures" / (name + ".png");
  return output_file(flags);
}

void check_csv_beside(const Flags& flags) {
  if (flags.out.empty()) return;
  Flags beside = flags;
  beside.out = fs::path(flags.out).replace_extension(".csv").string();
  output_file(beside);
}

}  // namespace

std::optional<int> take_number(Words& words, const char* key) {
  const std::string value = take_word(words, key);
  if (value.empty()) return std::nullopt;
  char* end = nullptr;
  const long read = std::strtol(value.c_str(), &end, 10);
  if (*end != '\0' || read < 0 || read > 1'000'000)
    throw Error(Fault::input, fmt::format("{} is not a number from 0 on", value),
                fmt::format("command line: {}={}", key, value), "write a whole number");
  return static_cast<int>(read);
}

namespace {

// What the transformer itself attended to: text=K, head=H, block=B.
Figure attention_of_trace(const RunReader& run, Words& words, const FigureFlags& asked) {
  TraceAttentionRequest request{.style = asked.style};
  request.text = take_number(words, "text").value_or(0);
  request.head = take_number(words, "head");
  request.block = take_number(words, "block");
  if (!words.assignments.empty())
    throw Error(Fault::input, "figure=attention of a trace takes text, head and block",
                "command line: " + words.assignments.front(), "leave it out");
  return trace_attention_figure(run, request);
}

bool is_of_trace(const std::string& name) {
  return name == "heads" || name == "layers" || name == "phase" || name == "parts" ||
         name == "spectrum" || name == "histograms";
}

// layers=0,1,24: whole numbers from 0 on.
std::vector<int> take_layers(Words& words) {
  std::vector<int> layers;
  const std::string text = take_word(words, "layers");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    Words one;
    one.assignments = {"layers=" + text.substr(at, comma - at)};
    const std::optional<int> layer = take_number(one, "layers");
    if (!layer)
      throw Error(Fault::input, "a number is missing in the list of layers",
                  "command line: layers=" + text, "write e.g. layers=0,1,23,24");
    layers.push_back(*layer);
    at = comma + 1;
  }
  return layers;
}

// Every head of every block, the layers beside the ideal flow or on its phase diagram, parts left
// out, or eigenvalues.
Figure figure_of_trace(const RunReader& run, const std::string& name, Words words,
                       FigureStyle style) {
  if (run.command() != "trace")
    throw Error(Fault::input, fmt::format("figure={} is of a traced transformer", name),
                run.directory().string(), "make one by murmur trace, or use figure=attention");
  HistogramsRequest histograms{.style = style};
  if (name == "histograms") histograms.layers = take_layers(words);
  if (!words.assignments.empty())
    throw Error(Fault::input,
                fmt::format("figure={} of a trace takes {}", name,
                            name == "histograms" ? "layers only" : "no words"),
                "command line: " + words.assignments.front(), "leave it out");
  const TraceFile file = read_trace_file(run.directory());
  if (name == "histograms") return histograms_figure(run, file, histograms);
  if (name == "heads") return head_maps_figure(file, style, run.directory().string());
  if (name == "layers")
    return layers_figure(
        layer_readings(run, file),
        run.shape().n <= kMostFlown ? twin_flight(run, file) : std::vector<TwinReading>{}, style);
  if (name == "phase") return phase_figure(phase_places(run, file), style);
  if (name == "spectrum") return spectrum_figure(read_spectra(run), style);
  if (file.parts.empty())
    throw Error(Fault::input, "no part was left out in this run", run.directory().string(),
                "trace the text with --parts");
  return parts_figure(file, style);
}

Figure attention_of(const RunReader& run, Words words, const FigureFlags& asked) {
  AttentionRequest request{.style = asked.style};
  if (run.command() == "trace") return attention_of_trace(run, words, asked);
  if (const std::string order = take_word(words, "order"); !order.empty())
    request.clusters = by_clusters(order);
  const SwarmWords read = read_swarm_words(words);
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

void require_swarm(const RunReader& run) {
  const RunKind& kind = kind_of(run);
  if (!kind.no_swarm.what.empty()) refuse(run, kind.no_swarm);
  require_kind_with_frames(run);
  require_frames(run);
}

Figure cosines_of(const RunReader& run, const Words& words, const FigureFlags& asked) {
  require_swarm(run);
  return cosines_figure(run, settings_of_run(run.directory(), words.assignments),
                        {is_in_log_time(run, asked.time), asked.style});
}

double time_of(const std::string& word) {
  char* end = nullptr;
  const double t = std::strtod(word.c_str(), &end);
  if (*end != '\0' || !std::isfinite(t))
    throw Error(Fault::input, fmt::format("{} is no time", word), "command line: t=" + word,
                "write a number, e.g. t=2.5");
  return t;
}

FigureWithNumbers distances_of(const RunReader& run, Words words, const FigureFlags& asked) {
  require_swarm(run);
  DistancesRequest request{.style = asked.style};
  request.bins = take_number(words, "bins").value_or(request.bins);
  if (const std::string t = take_word(words, "t"); !t.empty()) request.t = time_of(t);
  request.log_time = is_in_log_time(run, asked.time);
  return distances_figure(run, settings_of_run(run.directory(), words.assignments), request);
}

FigureWithNumbers metastability_of(const RunReader& run, const Words& words,
                                   const FigureFlags& asked) {
  require_swarm(run);
  return metastability_figure(run, settings_of_run(run.directory(), words.assignments),
                              asked.style);
}

// The figure and its CSV beside it.
void draw_with_numbers(const FigureWithNumbers& drawn, const Flags& flags, const fs::path& path) {
  if (flags.out.empty()) make_folder_of_run(path.parent_path());
  draw(drawn.figure, path);
  write_file_atomically(fs::path(path).replace_extension(".csv"), drawn.csv);
}

void draw_globe(const RunReader& run, const Words& words, const FigureFlags& asked,
                const fs::path& path) {
  SceneSettings scene;
  SphereDensity density;
  if (run.command() == "meanfield") {
    if (!words.assignments.empty())
      throw Error(Fault::input, "a mean field is drawn as it is",
                  "command line: " + words.assignments.front(), "leave it out");
    density = density_of_meanfield(run);
    scene = density_scene_of_meanfield(run, asked.render.style);
  } else {
    require_swarm(run);
    const Settings settings = settings_of_run(run.directory(), words.assignments);
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

// Takes z=HEIGHT out of the words.
double take_height(Words& words) {
  const std::string value = take_word(words, "z");
  if (value.empty()) return 0;
  char* end = nullptr;
  const double z = std::strtod(value.c_str(), &end);
  if (*end != '\0' || !std::isfinite(z) || std::abs(z) > 1000)
    throw Error(Fault::input, fmt::format("{} is no height", value), "command line: z=" + value,
                "write a number such as z=5; the digit lies at 0, gates are 10 from the centre");
  return z;
}

// The maps of a block of a trained swarm: block=B, head=H, z=HEIGHT or view=space.
void draw_fields_of(const RunReader& run, Words& words, const FigureFlags& asked,
                    const fs::path& path) {
  FieldRequest request;
  request.block = take_number(words, "block").value_or(0);
  request.head = take_number(words, "head");
  const bool height =
      std::any_of(words.assignments.begin(), words.assignments.end(),
                  [](const std::string& assignment) { return assignment.rfind("z=", 0) == 0; });
  request.heights = {take_height(words)};
  const std::string view = take_word(words, "view");
  if (!view.empty() && view != "plane" && view != "space")
    throw Error(Fault::input, fmt::format("fields have no view '{}'", view),
                "command line: view=" + view, "use view=plane or view=space");
  request.space = view == "space";
  if (request.space && height)
    throw Error(Fault::input, "space is shown whole, without a height", "command line: view=space",
                "leave out z, or view=space");
  if (!words.assignments.empty())
    throw Error(Fault::input, "figure=fields takes block, head, z and view",
                "command line: " + words.assignments.front(), "leave it out");
  draw_fields(fields_of(read_trained_swarm(run.directory()), request),
              {asked.style, asked.width, asked.height}, path);
}

}  // namespace

int render_figure(const Flags& flags, const RunReader& run, const Words& words,
                  const FigureFlags& asked) {
  Words rest = words;
  const std::string name = take_word(rest, "figure");
  const fs::path path = place_of(flags, run, name);
  const bool globe = name == "density";
  if (globe)
    require_ending(path, {".png", ".mp4"});
  else
    require_ending(path, {".png", ".svg", ".pdf"});
  const SignalWatch watch;
  const picture::Signature signature(recipe_of(ingredients_of(run, words.plain[0])));
  if (globe) {
    draw_globe(run, rest, asked, path);
  } else if (name == "fields") {
    draw_fields_of(run, rest, asked, path);
  } else if (name == "distances" || name == "metastability") {
    check_csv_beside(flags);
    draw_with_numbers(
        name == "distances" ? distances_of(run, rest, asked) : metastability_of(run, rest, asked),
        flags, path);
  } else {
    check_csv_beside(flags);
    const Figure figure = name == "attention" ? attention_of(run, rest, asked)
                          : is_of_trace(name) ? figure_of_trace(run, name, rest, asked.style)
                                              : cosines_of(run, rest, asked);
    draw(figure, path);
  }
  return tell_drawn(flags, path);
}

}  // namespace murmur::app
