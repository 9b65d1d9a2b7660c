// trace.cpp: the scene and the page of a traced transformer.
#include "report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "murmur/error.h"
#include "picture/labels.h"
#include "report/attention.h"
#include "report/figures.h"
#include "report/next_word.h"
#include "report/report.h"
#include "run/formats.h"
#include "trace/kept_heads.h"
#include "trace/trace_run.h"
#include "trace/word_axes.h"

namespace murmur {

namespace {

constexpr int kMostNames = 64;  // more would find no room
constexpr int kMostTied = 512;  // tokens of a run whose attention is drawn
constexpr double kLeastShare = 0.01;
constexpr std::size_t kLongestName = 14;  // bytes, about

std::vector<std::string> tokens_of(const TraceFile& file) {
  std::vector<std::string> all;
  for (const TraceFile::Text& text : file.texts)
    all.insert(all.end(), text.tokens.begin(), text.tokens.end());
  return all;
}

std::string short_name(const std::string& token) {
  std::string name = readable(token);
  if (name.size() <= kLongestName) return name;
  std::size_t end = kLongestName;
  while (end > 0 && (name[end] & 0xC0) == 0x80) --end;
  return name.substr(0, end) + "\u2026";
}

// The asked one, then words, then marks such as [CLS]; of too many an even part.
std::vector<NamedParticle> names_of(const std::vector<std::string>& tokens,
                                    std::optional<int> asked) {
  std::vector<NamedParticle> names, marks;
  const int n = static_cast<int>(tokens.size()), stride = (n + kMostNames - 1) / kMostNames;
  if (asked)
    names.push_back({*asked, short_name(tokens[static_cast<std::size_t>(*asked)]), true, false});
  for (int i = 0; i < n; i += stride) {
    const std::string& token = tokens[static_cast<std::size_t>(i)];
    if (asked == i) continue;
    if (is_word(token))
      names.push_back({i, short_name(token)});
    else
      marks.push_back({i, short_name(token), false, true});
  }
  names.insert(names.end(), marks.begin(), marks.end());
  return names;
}

// Adds lines from every token to the one that it attends to most, or from the asked token to all
// that it attends to; never to itself.
void add_ties(const Matrix& a, const TextSpan& text, std::optional<int> asked,
              std::vector<Tie>& ties) {
  for (int i = 0; i < text.n; ++i) {
    const int from = text.first + i;
    if (asked && *asked != from) continue;
    int most = i == 0 ? text.n - 1 : 0;
    for (int j = 0; j < text.n; ++j) {
      if (j == i) continue;
      if (a(i, j) > a(i, most)) most = j;
      if (asked && a(i, j) >= kLeastShare) ties.push_back({from, text.first + j, a(i, j)});
    }
    if (!asked && most != i && a(i, most) >= kLeastShare)
      ties.push_back({from, text.first + most, a(i, most)});
  }
}

// (frames - 1); empty where the run keeps no attention, or has too many tokens.
std::vector<std::vector<Tie>> ties_of(const RunReader& run, const TraceFile& file,
                                      const TraceSceneRequest& request) {
  const std::filesystem::path kept = run.directory() / "activations.safetensors";
  if (run.shape().n > kMostTied || !std::filesystem::exists(kept)) return {};
  const Record tensors = read_safetensors(kept).tensors;
  const std::vector<TextSpan> spans = texts_of(file, run);
  std::vector<std::vector<Tie>> ties;
  for (std::int64_t block = 0; block + 1 < run.frames(); ++block) {
    ties.emplace_back();
    for (std::size_t t = 0; t < spans.size(); ++t) {
      const auto at = tensors.find(fmt::format("text{}.blocks.{}.attn.hook_pattern", t, block));
      if (at == tensors.end()) return {};
      const auto n = static_cast<std::size_t>(spans[t].n);
      if (at->second.shape.size() != 3 || n == 0 || at->second.shape[1] != n ||
          at->second.shape[2] != n || at->second.size() == 0)
        throw Error(Fault::input, "the attention kept is not that of the tokens", kept.string(),
                    "trace the text again");
      add_ties(head_weights(at->second, request.head), spans[t], request.token, ties.back());
    }
  }
  return ties;
}

void require_there(const char* what, std::optional<int> asked, int count, const RunReader& run) {
  if (!asked || (*asked >= 0 && *asked < count)) return;
  throw Error(Fault::input, fmt::format("there is no {} {}", what, *asked),
              run.directory().string(),
              count > 0 ? fmt::format("use {}=0 to {}={}", what, what, count - 1)
                        : fmt::format("leave {}= out", what));
}

}  // namespace

void show_tokens(const RunReader& run, const TraceSceneRequest& request, SceneSettings& scene) {
  show_tokens(run, read_trace_file(run.directory()), request, scene);
}

void show_tokens(const RunReader& run, const TraceFile& file, const TraceSceneRequest& request,
                 SceneSettings& scene) {
  const std::vector<std::string> tokens = tokens_of(file);
  texts_of(file, run);  // refuses a file that is of other tokens
  require_there("token", request.token, run.shape().n, run);
  require_there("head", request.head, file.heads, run);
  if (file.texts.size() == 1) scene.title = file.texts.front().text;
  scene.names = names_of(tokens, request.token);
  scene.ties = ties_of(run, file, request);
  if (!scene.ties.empty()) {
    const std::string who =
        request.token
            ? fmt::format("what \u201c{}\u201d attends to",
                          short_name(tokens[static_cast<std::size_t>(*request.token)]))
            : std::string("each token to the one other than itself that it attends to most");
    scene.caption += fmt::format(
        ". Lines: {}, in the block that acts ({}); broad at the token that attends, by its share",
        who,
        request.head      ? fmt::format("head {}", *request.head)
        : file.heads == 1 ? std::string("its one head")
                          : fmt::format("mean of {} heads", file.heads));
  }
  if (run.shape().d <= 3) return;
  std::vector<HostSwarm> states;
  for (std::int64_t f = 0; f < run.frames(); ++f)
    states.push_back(words_among(tokens, run.frame(f)));
  const WordAxes axes(states);
  scene.axes = axes.axes();
  scene.centre = axes.centre();
  const auto& share = axes.shares();
  scene.axes_note = fmt::format(
      "S{} seen about the mean of all words, along the three axes on which the words of all layers "
      "spread most: the same at every layer, {:.0f} % of the spread.",
      picture::superscript(run.shape().d - 1), 100 * (share[0] + share[1] + share[2]));
}

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kTextsShown = 4;
constexpr std::size_t kTokensShown = 400;

std::string shortened(const std::string& text) {
  return text.size() <= kTokensShown ? text : text.substr(0, kTokensShown) + " ...";
}

std::string lead_of(const TraceFile& file, const RunReader& run) {
  std::string lead = fmt::format(
      "{}: {} blocks, {} heads. {} tokens of {} text{} in {} coordinates, each state "
      "divided by its norm; one frame per layer.",
      file.family, file.blocks, file.heads, run.shape().n, file.texts.size(),
      file.texts.size() == 1 ? "" : "s", file.d);
  if (file.repeat > 1) lead += fmt::format(" The blocks are run through {} times.", file.repeat);
  if (!file.feed_forward) lead += " Without feed-forward.";
  if (!file.attention) lead += " Without attention.";
  if (!file.norms) lead += " Without the norms of the blocks.";
  if (file.random_weights)
    lead += fmt::format(" Weights are drawn again with seed {}.", *file.random_weights);
  for (const auto& [i, j] : file.swapped) lead += fmt::format(" Blocks {} and {} swapped.", i, j);
  return lead;
}

void add_texts(RunReport& report, const TraceFile& file) {
  TextTable table{{"text", "tokens", "as the vocabulary spells them"}};
  for (std::size_t t = 0; t < file.texts.size() && t < kTextsShown; ++t)
    table.push_back({shortened(file.texts[t].text), fmt::format("{}", file.texts[t].tokens.size()),
                     shortened(fmt::format("{}", fmt::join(file.texts[t].tokens, " ")))});
  report.add_table("What was read",
                   file.texts.size() > kTextsShown
                       ? fmt::format("The first {} of {} texts.", kTextsShown, file.texts.size())
                       : "",
                   table);
}

void add_lens(RunReport& report, const TraceFile& file) {
  for (std::size_t t = 0; t < file.texts.size() && t < kTextsShown; ++t) {
    if (file.texts[t].lens.empty()) continue;
    TextTable table{
        {"layer", "says next", "rank of the last answer", "its probability", "entropy (nats)"}};
    for (const LensRow& row : file.texts[t].lens) {
      std::string says;
      for (const PredictedToken& said : row.top)
        says += fmt::format("{}{} {:.2f}", says.empty() ? "" : " · ", said.token, said.probability);
      table.push_back({fmt::format("{}", row.frame), says, fmt::format("{}", row.rank),
                       fmt::format("{:.3f}", row.probability), fmt::format("{:.2f}", row.entropy)});
    }
    report.add_table(
        "What each layer would say next",
        fmt::format("The logit lens behind \"{}\": the state of the last token through "
                    "the last norm and the unembedding.",
                    shortened(file.texts[t].text)),
        table);
  }
}

void add_patching(RunReport& report, const TraceFile& file) {
  if (!file.patching) return;
  const Patching& p = *file.patching;
  if (p.places.size() > 1) {
    const Figure figure = patching_figure(file, report.style());
    report.add_figure(draw_svg_and_png(figure, report.figures, "patching"), "Patching",
                      figure.note);
    return;
  }
  report.add_table(
      "Patching", "A state of the first text put into the second.",
      {{"layer", "token", "logit difference", "without", "of the first text", "recovered"},
       {fmt::format("{}", p.places[0].frame), fmt::format("{}", p.places[0].place),
        fmt::format("{:.4g}", p.patched[0]), fmt::format("{:.4g}", p.second),
        fmt::format("{:.4g}", p.first), fmt::format("{:.1f} %", 100 * p.recovered(0))}});
}

// Adds the eigenvalues of O V, and the theorems about such a V.
void add_values(RunReport& report, const RunReader& run, const TraceFile& file) {
  std::map<std::string, int> said;
  for (const HeadReading& head : file.by_head) ++said[theory_of(head.leading, head.ov)];
  std::string text =
      "Eigenvalues of O V of all heads. Theorems are about a single head that is the same in "
      "all layers, without mask, positions, biases and feed-forward. Of such a head they say:";
  static const std::pair<const char*, const char*> kWords[] = {
      {"gathers", "O V is nearly c I, c > 0: on the sphere, tokens of one hemisphere gather"},
      {"hyperplanes",
       "the leading eigenvalue is positive, simple, and attended to: in R^d, seen through e^{-tV}, "
       "tokens tend to at most three parallel hyperplanes"},
      {"repels", "O V is nearly -c I: on the sphere, tokens that are together part"},
      {"turns", "the leading eigenvalues are a complex pair, and there is no theorem"},
      {"open",
       "the leading eigenvalue is negative, not simple or not attended to: there is no theorem"}};
  for (const auto& [word, meaning] : kWords)
    if (said[word] > 0)
      text += fmt::format(" {} of {} heads: {}.", said[word], file.by_head.size(), meaning);
  report.add_figure(draw_svg_and_png(spectrum_figure(read_spectra(run), report.style()),
                                     report.figures, "spectrum"),
                    "Values", text);
}

void add_readings(RunReport& report, const RunReader& run, const TraceFile& file) {
  const std::vector<LayerReading> layers = layer_readings(run, file);
  const std::vector<TwinReading> twin =
      run.shape().n <= kMostIdealFlowTokens ? twin_readings(run, file) : std::vector<TwinReading>{};
  int climbs = 0;
  for (std::size_t k = 1; k < layers.size(); ++k)
    climbs += layers[k].energy_scaled > layers[k - 1].energy_scaled ? 1 : 0;
  report.add_figure(
      draw_svg_and_png(layers_figure(layers, twin, report.style()), report.figures, "layers"),
      "Compared with the ideal flow",
      fmt::format("The energy at beta = {:.3g} climbs in {} of {} layers. The ideal flow starts at "
                  "the same tokens and has, block by block, the beta that fits the heads best and "
                  "the time that brings its velocity nearest to the real move.",
                  flow_beta(file.beta), climbs, layers.size() - 1));
  if (!file.parts.empty())
    report.add_figure(
        draw_svg_and_png(parts_figure(file, report.style()), report.figures, "parts"),
        "One part left out",
        "Attention, feed-forward or the norms of all blocks are left out, and the text is read "
        "again. A curve ends where a state is not finite.");
  if (run.shape().n <= kMostIdealFlowTokens) {
    const Figure figure = phase_figure(phase_places(run, file), report.style());
    report.add_figure(draw_svg_and_png(figure, report.figures, "phase"),
                      "The layers on the phase diagram", figure.note);
  }
  if (!file.by_head.empty())
    report.add_figure(draw_svg_and_png(heads_figure(file, report.style()), report.figures, "heads"),
                      "Heads",
                      "A point is a head, the line their mean. Below 0 effective beta means that a "
                      "head attends to "
                      "what is unlike; symmetry and positivity are 1 where Q = K = V = I.");
  if (!file.by_head.empty()) {
    const Figure maps = head_maps_figure(file, report.style(), report.run().string());
    report.add_figure(draw_svg_and_png(maps, report.figures, "head-maps"), "Heads, block by block",
                      maps.note);
  }
  if (fs::exists(report.run() / "spectra.npy")) add_values(report, run, file);
}

TextTable layer_table(const RunReader& run) {
  TextTable table{{"layer"}};
  std::vector<std::vector<double>> columns;
  for (const std::string& name : run.columns()) {
    table[0].push_back(name);
    columns.push_back(run.column(name));
  }
  for (std::int64_t k = 0; k < run.frames(); ++k) {
    table.push_back({fmt::format("{}", k)});
    for (const std::vector<double>& column : columns) {
      const double value = column[static_cast<std::size_t>(k)];
      table.back().push_back(std::isfinite(value) ? fmt::format("{:.4g}", value) : "-");
    }
  }
  return table;
}

}  // namespace

void report_trace(RunReport& report) {
  const RunReader run(report.run());
  require_frames(run);
  const TraceFile file = read_trace_file(report.run());
  const Settings settings = gather({.base = (report.run() / "config.toml").string()});
  const RenderSettings render{.film = report.request.film, .stop = report.request.stop};
  const Experiment e = make_experiment(settings);
  SceneSettings scene = scene_of(run, settings, e, render.style);
  show_tokens(run, file, {}, scene);
  const std::vector<fs::path> drawn = draw_simulation(run, scene, render);
  if (report.stopped()) return;
  report.page.title = report.run().filename().string();
  report.page.lead = lead_of(file, run);
  report.page.facts = {{fmt::format("{}", run.shape().n), "tokens"},
                       {fmt::format("{}", run.frames() - 1), "layers"},
                       {fmt::format("{:.3g}", file.beta), "beta that fits all heads best"}};
  if (run.shape().n > 1)
    report.page.facts.emplace_back(fmt::format("{:.2f}", run.column("mean_cos").back()),
                                   "mean cosine at the end");
  add_texts(report, file);
  for (const auto& [name, heading] :
       std::vector<std::pair<std::string, std::string>>{{"flight.mp4", "The trajectory"},
                                                        {"start.png", "Embedded"},
                                                        {"end.png", "After the last block"},
                                                        {"observables.svg", "Observables"}})
    for (const fs::path& path : drawn)
      if (path.filename() == name)
        report.page.sections.push_back({.heading = heading, .picture = path});
  for (const fs::path& path : drawn) report.made.push_back(path.string());
  if (report.stopped()) return;
  if (fs::exists(report.run() / "candidates.npy")) {
    NextWordRequest request;
    use_vocabulary_of(run, request);
    add_next_word(report, worded_run(run, e), request);
    if (report.stopped()) return;
  }
  add_lens(report, file);
  add_patching(report, file);
  if (run.shape().n > 1) {
    if (fs::exists(report.run() / "activations.safetensors")) {
      const Figure figure = trace_attention_figure(run, file, {.style = report.style()});
      report.add_figure(draw_svg_and_png(figure, report.figures, "attention"),
                        "Attention between tokens", figure.note);
    }
    add_readings(report, run, file);
    if (report.stopped()) return;
    const Figure figure = cosines_figure(run, settings, e, {false, report.style()});
    report.add_figure(draw_svg_and_png(figure, report.figures, "cosines"), "Cosines of pairs",
                      "How many pairs of tokens are at each cosine, layer by layer.");
    const Figure histograms = histograms_figure(run, file, {.style = report.style()});
    report.add_figure(draw_svg_and_png(histograms, report.figures, "histograms"),
                      "Histograms of the cosines of pairs", histograms.note);
  }
  report.add_table("Layer by layer",
                   fmt::format("Observables of the states on the sphere, energies and entropies "
                               "those of the ideal flow at beta = {:.4g}; norms as they were.",
                               flow_beta(file.beta)),
                   layer_table(run));
}

}  // namespace murmur
