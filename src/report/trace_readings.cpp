// trace_readings.cpp: readings of a traced transformer: heads, layers, the comparison with the
// ideal flow, the logit lens, patching, removed parts, the phase diagram, spectra, histograms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "murmur/error.h"
#include "report/readings.h"
#include "report/trace.h"
#include "trace/trace_run.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

struct Traced {
  const RunReader& run;
  const TraceFile& file;
};
Traced traced(const RunView& view, const ReadingOptions& options) {
  if (!view.is_made_by("trace"))
    throw Error(Fault::input, "show=" + options.reading() + " is only for a traced transformer",
                view.name(), "create one with murmur trace or murmur import");
  return {*view.run(), view.trace()};
}

}  // namespace

int block_of_trace(const RunView& view, const ReadingOptions& options) {
  const int blocks = static_cast<int>(view.run()->frames()) - 1;
  if (options.text("block") == "last") return blocks - 1;
  const int asked = options.whole("block");
  if (asked < 0 || asked >= blocks)
    throw Error(Fault::input, fmt::format("there is no block {}", asked),
                view.run()->directory().string(),
                fmt::format("use block=0 to block={}", blocks - 1));
  return asked;
}

std::optional<int> head_of_trace(const RunView& view, const ReadingOptions& options) {
  if (!options.given("head")) return std::nullopt;
  const int asked = options.whole("head"), heads = view.trace().heads;
  if (asked < 0 || asked >= heads)
    throw Error(Fault::input, fmt::format("there is no head {}", asked),
                view.run()->directory().string(), fmt::format("use head=0 to head={}", heads - 1));
  return asked;
}

namespace {

// -- tables

Table compute_heads(const RunView& view, const ReadingOptions& options) {
  const auto [run, file] = traced(view, options);
  if (file.by_head.empty())
    throw Error(Fault::input, "the attention of this run is not known", run.directory().string(),
                "import attentions together with the states");
  Table table{{"block",       "head",          "beta",          "misfit",      "uniform_misfit",
               "entropy",     "entropy_share", "sink",          "sink_at",     "first",
               "qk_symmetry", "qk_positivity", "qk_radius",     "ov_symmetry", "ov_positivity",
               "ov_radius",   "ov_leading_re", "ov_leading_im", "theory",      "qk_identity",
               "ov_identity"}};
  for (const HeadReading& h : file.by_head)
    table.rows.push_back({h.block,
                          h.head,
                          h.beta,
                          h.misfit,
                          h.uniform,
                          h.entropy,
                          h.entropy_share,
                          h.sink,
                          h.sink_at,
                          h.first,
                          h.qk.symmetry,
                          h.qk.positivity,
                          h.qk.radius,
                          h.ov.symmetry,
                          h.ov.positivity,
                          h.ov.radius,
                          h.leading.re,
                          h.leading.im,
                          theory_of(h.leading, h.ov),
                          h.qk.identity,
                          h.ov.identity});
  if (std::any_of(file.by_head.begin(), file.by_head.end(),
                  [](const HeadReading& h) { return !theory_of(h.leading, h.ov).empty(); }))
    table.message =
        "theory: for a single head that is the same in all layers, without mask, positions, biases "
        "and feed-forward (docs/trace.md)";
  return table;
}

Table compute_layers(const RunView& view, const ReadingOptions& options) {
  const auto [run, file] = traced(view, options);
  Table table{{"layer", "mean_cos", "min_cos", "max_cos", "clusters", "effective_rank",
               "energy_scaled", "climbs", "norm", "angle"}};
  double before = std::nan("");
  for (const LayerReading& r : layer_readings(run, file)) {
    table.rows.push_back(
        {r.layer, r.mean_cos, r.min_cos, r.max_cos, r.clusters, r.effective_rank, r.energy_scaled,
         std::isnan(before) ? Json(nullptr) : Json(r.energy_scaled > before), r.norm, r.angle});
    before = r.energy_scaled;
  }
  return table;
}

Table compute_twin(const RunView& view, const ReadingOptions& options) {
  const auto [run, file] = traced(view, options);
  Table table{{"layer", "beta", "tau", "alignment", "distance", "w2", "still", "still_w2",
               "mean_cos", "energy_scaled"}};
  for (const TwinReading& r : twin_readings(run, file))
    table.rows.push_back({r.layer, r.beta, r.tau, r.alignment, r.distance, r.w2, r.still,
                          r.still_w2, r.mean_cos, r.energy_scaled});
  return table;
}

Table compute_lens(const RunView& view, const ReadingOptions& options) {
  const auto [run, file] = traced(view, options);
  Table table{
      {"text", "layer", "says", "probability", "entropy", "rank_of_last", "probability_of_last"}};
  int text = 0;
  for (const TraceFile::Text& read : file.texts) {
    for (const LensRow& row : read.lens)
      table.rows.push_back({text, row.frame, row.top.front().token, row.top.front().probability,
                            row.entropy, row.rank, row.probability});
    ++text;
  }
  if (table.rows.empty())
    throw Error(Fault::input, "the model predicts no next token", run.directory().string(),
                "trace a model with an unembedding, such as gpt2 or llama");
  return table;
}

void require_patching(const RunReader& run, const TraceFile& file) {
  if (!file.patching)
    throw Error(Fault::input, "nothing was patched in this run", run.directory().string(),
                "trace two texts with --patch all");
}

Table compute_patching(const RunView& view, const ReadingOptions& options) {
  const auto [run, file] = traced(view, options);
  require_patching(run, file);
  const Patching& p = *file.patching;
  Table table{{"layer", "token", "logit_difference", "recovered"}};
  for (std::size_t k = 0; k < p.places.size(); ++k)
    table.rows.push_back({p.places[k].frame, p.places[k].place, p.patched[k], p.recovered(k)});
  return table;
}

void require_parts(const RunReader& run, const TraceFile& file) {
  if (file.parts.empty())
    throw Error(Fault::input, "no part was left out in this run", run.directory().string(),
                "trace the text with --parts");
}

Table compute_parts(const RunView& view, const ReadingOptions& options) {
  const auto [run, file] = traced(view, options);
  require_parts(run, file);
  Table table{{"without", "layer", "mean_cos", "clusters", "effective_rank"}};
  for (const PartReading& part : file.parts)
    for (std::size_t f = 0; f < part.mean_cos.size(); ++f)
      table.rows.push_back(
          {part.part, f, part.mean_cos[f], part.clusters[f], part.effective_rank[f]});
  return table;
}

Table compute_phase(const RunView& view, const ReadingOptions& options) {
  const auto [run, file] = traced(view, options);
  Table table{{"layer", "beta", "t", "mean_cos", "flown", "expected"}};
  for (const PhasePlace& p : phase_places(run, file).places)
    table.rows.push_back({p.layer, p.beta, p.t, p.mean_cos, p.flown, p.expected});
  return table;
}

Table compute_spectrum(const RunView& view, const ReadingOptions& options) {
  const auto [run, file] = traced(view, options);
  const auto block = static_cast<std::size_t>(block_of_trace(view, options));
  const auto head = static_cast<std::size_t>(head_of_trace(view, options).value_or(0));
  const Spectra spectra = read_spectra(run);
  Table table{{"map", "k", "re", "im"}};
  for (std::size_t map = 0; map < 2; ++map)
    for (std::size_t k = 0; k < spectra.w; ++k) {
      const std::complex<double> lambda = spectra.at(block, head, map, k);
      table.rows.push_back({map == 0 ? "qk" : "ov", k, lambda.real(), lambda.imag()});
    }
  return table;
}

// -- pictures

// The file of a trace. Error(input) for other runs, and where settings are given that cannot
// change.
const TraceFile& trace_drawn(const RunView& view, const ReadingOptions& options,
                             const char* takes = "no parameters") {
  const std::string& name = options.reading();
  if (!view.is_made_by("trace"))
    throw Error(Fault::input, fmt::format("figure={} is only for a traced transformer", name),
                view.stored_run().directory().string(),
                "create one with murmur trace, or use figure=attention");
  if (!view.changes().empty())
    throw Error(Fault::input, fmt::format("figure={} of a trace takes {}", name, takes),
                "command line: " + view.changes().front(), "leave it out");
  return view.trace();
}

// Nothing for a text that is too long for the ideal flow.
std::vector<TwinReading> twin_unless_long(const RunView& view) {
  if (view.run()->shape().n > kMostIdealFlowTokens) return {};
  return twin_readings(*view.run(), view.trace());
}

Drawing draw_heads(const RunView& view, const ReadingOptions& options, const DrawRequest& request) {
  return head_maps_figure(trace_drawn(view, options), request.style,
                          view.run()->directory().string());
}

Drawing draw_layers(const RunView& view, const ReadingOptions& options,
                    const DrawRequest& request) {
  const TraceFile& file = trace_drawn(view, options);
  return layers_figure(layer_readings(*view.run(), file), twin_unless_long(view), request.style);
}

Drawing draw_phase(const RunView& view, const ReadingOptions& options, const DrawRequest& request) {
  return phase_figure(phase_places(*view.run(), trace_drawn(view, options)), request.style);
}

Drawing draw_spectrum(const RunView& view, const ReadingOptions& options,
                      const DrawRequest& request) {
  trace_drawn(view, options);
  return spectrum_figure(read_spectra(*view.run()), request.style);
}

Drawing draw_parts(const RunView& view, const ReadingOptions& options, const DrawRequest& request) {
  const TraceFile& file = trace_drawn(view, options);
  require_parts(*view.run(), file);
  return parts_figure(file, request.style);
}

Drawing draw_patching(const RunView& view, const ReadingOptions& options,
                      const DrawRequest& request) {
  const TraceFile& file = trace_drawn(view, options);
  require_patching(*view.run(), file);
  if (file.patching->places.size() < 2)
    throw Error(Fault::input, "one state was patched, and a picture shows all of them",
                view.run()->directory().string(),
                "trace with --patch all, or use murmur measure RUN show=patching");
  return patching_figure(file, request.style);
}

// layers=0,1,24: whole numbers of 0 or above.
std::vector<int> layers_asked(const ReadingOptions& options) {
  std::vector<int> layers;
  const std::string text = options.given("layers") ? options.text("layers") : "";
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, end - from);
    from = end + 1;
    if (part.empty())
      throw Error(Fault::input, "a number is missing in the list of layers",
                  "command line: layers=" + text, "write e.g. layers=0,1,23,24");
    layers.push_back(*ReadingOptions(options.reading(), {}, {{"layers", part}}).index("layers"));
  }
  return layers;
}

Drawing draw_histograms(const RunView& view, const ReadingOptions& options,
                        const DrawRequest& request) {
  const std::vector<int> layers = layers_asked(options);
  const TraceFile& file = trace_drawn(view, options, "only layers");
  return histograms_figure(*view.run(), file, {layers, request.style});
}

// -- sections of the page of a run

bool of_several_tokens(const RunView& view) {
  return view.is_made_by("trace") && view.run()->shape().n > 1;
}

void add_lens(RunReport& report, const RunView& view, const Reading&) {
  if (!view.is_made_by("trace")) return;
  const TraceFile& file = view.trace();
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

void add_patching(RunReport& report, const RunView& view, const Reading&) {
  if (!view.is_made_by("trace") || !view.trace().patching) return;
  const TraceFile& file = view.trace();
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
void add_spectrum(RunReport& report, const RunView& view, const Reading& reading) {
  if (!of_several_tokens(view) || !fs::exists(report.run() / "spectra.npy")) return;
  const TraceFile& file = view.trace();
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
  add_section_of(report, view, reading, "Values", text);
}

void add_layers(RunReport& report, const RunView& view, const Reading&) {
  if (!of_several_tokens(view)) return;
  const RunReader& run = *view.run();
  const std::vector<LayerReading> layers = layer_readings(run, view.trace());
  int climbs = 0;
  for (std::size_t k = 1; k < layers.size(); ++k)
    climbs += layers[k].energy_scaled > layers[k - 1].energy_scaled ? 1 : 0;
  const Figure figure = layers_figure(layers, twin_unless_long(view), report.style());
  report.add_figure(
      draw_svg_and_png(figure, report.figures, "layers"), "Compared with the ideal flow",
      fmt::format("The energy at beta = {:.3g} climbs in {} of {} layers. The ideal flow starts at "
                  "the same tokens and has, block by block, the beta that fits the heads best and "
                  "the time that brings its velocity nearest to the real move.",
                  flow_beta(view.trace().beta), climbs, layers.size() - 1));
}

void add_parts(RunReport& report, const RunView& view, const Reading& reading) {
  if (!of_several_tokens(view) || view.trace().parts.empty()) return;
  add_section_of(report, view, reading, "One part left out",
                 "Attention, feed-forward or the norms of all blocks are left out, and the text is "
                 "read again. A curve ends where a state is not finite.");
}

void add_phase(RunReport& report, const RunView& view, const Reading& reading) {
  if (!of_several_tokens(view) || view.run()->shape().n > kMostIdealFlowTokens) return;
  add_section_of(report, view, reading, "The layers on the phase diagram");
}

void add_heads(RunReport& report, const RunView& view, const Reading&) {
  if (!of_several_tokens(view) || view.trace().by_head.empty()) return;
  const TraceFile& file = view.trace();
  report.add_figure(draw_svg_and_png(heads_figure(file, report.style()), report.figures, "heads"),
                    "Heads",
                    "A point is a head, the line their mean. Below 0 effective beta means that a "
                    "head attends to "
                    "what is unlike; symmetry and positivity are 1 where Q = K = V = I.");
  const Figure maps = head_maps_figure(file, report.style(), report.run().string());
  report.add_figure(draw_svg_and_png(maps, report.figures, "head-maps"), "Heads, block by block",
                    maps.note);
}

void add_histograms(RunReport& report, const RunView& view, const Reading& reading) {
  if (of_several_tokens(view))
    add_section_of(report, view, reading, "Histograms of the cosines of pairs");
}

}  // namespace

std::vector<Reading> trace_readings() {
  constexpr const char* kExample = "runs/trace-0-1";
  return {
      {.name = "heads",
       .table_meaning = "entropy, sinks and signs of every head of a traced transformer",
       .compute = compute_heads,
       .picture_meaning = "entropy, sinks and signs of all heads of a traced transformer",
       .draw = draw_heads,
       .example_run = kExample,
       .add_section = add_heads,
       .place = 75},
      {.name = "layers",
       .table_meaning = "how far each layer of a traced transformer moves its tokens, and where",
       .compute = compute_layers,
       .picture_meaning = "the layers of a traced transformer next to the ideal flow",
       .draw = draw_layers,
       .example_run = kExample,
       .add_section = add_layers,
       .place = 60},
      {.name = "twin",
       .table_meaning = "a traced transformer next to the ideal flow from the same points",
       .compute = compute_twin,
       .example_run = kExample},
      {.name = "lens",
       .table_meaning = "the words that each layer of a traced transformer would say next",
       .compute = compute_lens,
       .example_run = kExample,
       .add_section = add_lens,
       .place = 30},
      {.name = "patching",
       .table_meaning = "how far the answer follows when states of another text are put in",
       .compute = compute_patching,
       .picture_meaning =
           "the share of the answer that a state of another text brings, by layer and token",
       .draw = draw_patching,
       .example_run = kExample,
       .add_section = add_patching,
       .place = 40},
      {.name = "parts",
       .table_meaning = "what changes when one part of a traced transformer is left out",
       .compute = compute_parts,
       .picture_meaning = "what leaving a part out does (of murmur trace --parts)",
       .draw = draw_parts,
       .example_run = kExample,
       .add_section = add_parts,
       .place = 65},
      {.name = "phase",
       .table_meaning = "places of a traced transformer's layers on the phase diagram",
       .compute = compute_phase,
       .picture_meaning = "the layers of a traced transformer on its phase diagram",
       .draw = draw_phase,
       .example_run = kExample,
       .add_section = add_phase,
       .place = 70},
      {.name = "spectrum",
       .table_meaning = "eigenvalues of O V of one head of a traced transformer",
       .options = {option::head, option::block},
       .compute = compute_spectrum,
       .picture_meaning = "eigenvalues of O V of a traced transformer",
       .draw = draw_spectrum,
       .example_run = kExample,
       .add_section = add_spectrum,
       .place = 80},
      {.name = "histograms",
       .picture_meaning = "the density of cosines of pairs in each layer of a traced transformer",
       .picture_options = {{Parameter::word, "layers", "all", "numbers such as 0,1,23,24",
                            "figure=histograms: the layers that are drawn"}},
       .draw = draw_histograms,
       .example_run = kExample,
       .add_section = add_histograms,
       .place = 95},
  };
}

}  // namespace murmur
