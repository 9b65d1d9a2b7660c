// trace.cpp: the scene and the page of a traced transformer.
#include "report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "picture/labels.h"
#include "report/figures.h"
#include "report/readings.h"
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

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 400;
  return text.size() <= kMost ? text : text.substr(0, kMost) + " ...";
}

void report_trace(RunReport& report) {
  const RunView view = view_of(report);
  const RunReader& run = view.swarm_frames();
  const TraceFile& file = view.trace();
  const RenderSettings render{.film = report.request.film, .stop = report.request.stop};
  SceneSettings scene = scene_of(run, view.settings(), view.experiment(), render.style);
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
  add_sections(report, view);
  if (report.stopped()) return;
  report.add_table("Layer by layer",
                   fmt::format("Observables of the states on the sphere, energies and entropies "
                               "those of the ideal flow at beta = {:.4g}; norms as they were.",
                               flow_beta(file.beta)),
                   layer_table(run));
}

}  // namespace murmur
