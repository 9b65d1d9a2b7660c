// show_trace.cpp: the readings of a traced transformer that murmur measure show=NAME prints: heads,
// layers, the comparison with the ideal flow, the logit lens, patching, removed parts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "run/json_text.h"
#include "show.h"
#include "trace/kept_heads.h"
#include "trace/layers.h"
#include "trace/phase.h"

namespace murmur::app {

namespace {

using Json = nlohmann::json;

struct TracedRun {
  RunReader run;
  TraceFile file;
};
TracedRun traced_run(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  if (!is_traced(flags, s))
    throw Error(Fault::input, "show=" + arguments.show() + " is only for a traced transformer",
                s.name, "create one with murmur trace or murmur import");
  RunReader run(find_run(flags, s.name));
  TraceFile file = read_trace_file(run.directory());
  return {std::move(run), std::move(file)};
}

void show_heads(const Flags& flags, const TracedRun& traced) {
  if (traced.file.by_head.empty())
    throw Error(Fault::input, "the attention of this run is not known",
                traced.run.directory().string(), "import attentions together with the states");
  Sheet sheet{{"block",       "head",          "beta",          "misfit",      "uniform_misfit",
               "entropy",     "entropy_share", "sink",          "sink_at",     "first",
               "qk_symmetry", "qk_positivity", "qk_radius",     "ov_symmetry", "ov_positivity",
               "ov_radius",   "ov_leading_re", "ov_leading_im", "theory",      "qk_identity",
               "ov_identity"}};
  for (const HeadReading& h : traced.file.by_head)
    sheet.rows.push_back({h.block,
                          h.head,
                          finite_or_null(h.beta),
                          finite_or_null(h.misfit),
                          finite_or_null(h.uniform),
                          finite_or_null(h.entropy),
                          finite_or_null(h.entropy_share),
                          finite_or_null(h.sink),
                          h.sink_at,
                          finite_or_null(h.first),
                          finite_or_null(h.qk.symmetry),
                          finite_or_null(h.qk.positivity),
                          finite_or_null(h.qk.radius),
                          finite_or_null(h.ov.symmetry),
                          finite_or_null(h.ov.positivity),
                          finite_or_null(h.ov.radius),
                          finite_or_null(h.leading.re),
                          finite_or_null(h.leading.im),
                          theory_of(h.leading, h.ov),
                          finite_or_null(h.qk.identity),
                          finite_or_null(h.ov.identity)});
  write(flags, sheet);
  if (std::any_of(traced.file.by_head.begin(), traced.file.by_head.end(),
                  [](const HeadReading& h) { return !theory_of(h.leading, h.ov).empty(); }))
    print_message(
        flags,
        "theory: for a single head that is the same in all layers, without mask, positions, biases "
        "and feed-forward (docs/trace.md)");
}

void show_layers(const Flags& flags, const TracedRun& traced) {
  Sheet sheet{{"layer", "mean_cos", "min_cos", "max_cos", "clusters", "effective_rank",
               "energy_scaled", "climbs", "norm", "angle"}};
  double before = std::nan("");
  for (const LayerReading& r : layer_readings(traced.run, traced.file)) {
    sheet.rows.push_back({r.layer, finite_or_null(r.mean_cos), finite_or_null(r.min_cos),
                          finite_or_null(r.max_cos), finite_or_null(r.clusters),
                          finite_or_null(r.effective_rank), finite_or_null(r.energy_scaled),
                          std::isnan(before) ? Json(nullptr) : Json(r.energy_scaled > before),
                          finite_or_null(r.norm), finite_or_null(r.angle)});
    before = r.energy_scaled;
  }
  write(flags, sheet);
}

void show_twin(const Flags& flags, const TracedRun& traced) {
  Sheet sheet{{"layer", "beta", "tau", "alignment", "distance", "w2", "still", "still_w2",
               "mean_cos", "energy_scaled"}};
  for (const TwinReading& r : twin_readings(traced.run, traced.file))
    sheet.rows.push_back({r.layer, finite_or_null(r.beta), finite_or_null(r.tau),
                          finite_or_null(r.alignment), finite_or_null(r.distance),
                          finite_or_null(r.w2), finite_or_null(r.still), finite_or_null(r.still_w2),
                          finite_or_null(r.mean_cos), finite_or_null(r.energy_scaled)});
  write(flags, sheet);
}

void show_lens(const Flags& flags, const TracedRun& traced) {
  Sheet sheet{
      {"text", "layer", "says", "probability", "entropy", "rank_of_last", "probability_of_last"}};
  int text = 0;
  for (const TraceFile::Text& read : traced.file.texts) {
    for (const LensRow& row : read.lens)
      sheet.rows.push_back({text, row.frame, row.top.front().token, row.top.front().probability,
                            row.entropy, row.rank, row.probability});
    ++text;
  }
  if (sheet.rows.empty())
    throw Error(Fault::input, "the model predicts no next token", traced.run.directory().string(),
                "trace a model with an unembedding, such as gpt2 or llama");
  write(flags, sheet);
}

void show_patching(const Flags& flags, const TracedRun& traced) {
  if (!traced.file.patching)
    throw Error(Fault::input, "nothing was patched in this run", traced.run.directory().string(),
                "trace two texts with --patch all");
  const Patching& p = *traced.file.patching;
  Sheet sheet{{"layer", "token", "logit_difference", "recovered"}};
  for (std::size_t k = 0; k < p.places.size(); ++k)
    sheet.rows.push_back(
        {p.places[k].frame, p.places[k].place, p.patched[k], finite_or_null(p.recovered(k))});
  write(flags, sheet);
}

// The number of block=B or block=last.
int block_asked(const TracedRun& traced, const ShowArguments& arguments) {
  const int blocks = static_cast<int>(traced.run.frames()) - 1;
  if (arguments.text("block") == "last") return blocks - 1;
  const int asked = arguments.whole("block");
  if (asked < 0 || asked >= blocks)
    throw Error(Fault::input, fmt::format("there is no block {}", asked),
                traced.run.directory().string(),
                fmt::format("use block=0 to block={}", blocks - 1));
  return asked;
}

std::optional<int> head_asked(const TracedRun& traced, const ShowArguments& arguments) {
  if (!arguments.given("head")) return std::nullopt;
  const int asked = arguments.whole("head");
  if (asked < 0 || asked >= traced.file.heads)
    throw Error(Fault::input, fmt::format("there is no head {}", asked),
                traced.run.directory().string(),
                fmt::format("use head=0 to head={}", traced.file.heads - 1));
  return asked;
}

// The attention of the transformer itself: of one head, or the mean of all.
void show_attention_of(const Flags& flags, const TracedRun& traced,
                       const ShowArguments& arguments) {
  if (arguments.given("frame"))
    arguments.refuse("frame", "the attention of a traced transformer belongs to blocks",
                     "write block=K");
  const TraceAttention read = trace_attention(
      traced.run, traced.file,
      {arguments.whole("text"), block_asked(traced, arguments), head_asked(traced, arguments)});
  write_attention(flags, read.weights, arguments,
                  {{"text", arguments.whole("text")},
                   {"block", block_asked(traced, arguments)},
                   {"head", arguments.given("head") ? Json(arguments.whole("head")) : Json("mean")},
                   {"tokens", read.tokens}});
}

void show_parts(const Flags& flags, const TracedRun& traced) {
  if (traced.file.parts.empty())
    throw Error(Fault::input, "no part was left out in this run", traced.run.directory().string(),
                "trace the text with --parts");
  Sheet sheet{{"without", "layer", "mean_cos", "clusters", "effective_rank"}};
  for (const PartReading& part : traced.file.parts)
    for (std::size_t f = 0; f < part.mean_cos.size(); ++f)
      sheet.rows.push_back({part.part, f, finite_or_null(part.mean_cos[f]),
                            finite_or_null(part.clusters[f]),
                            finite_or_null(part.effective_rank[f])});
  write(flags, sheet);
}

void show_phase(const Flags& flags, const TracedRun& traced) {
  Sheet sheet{{"layer", "beta", "t", "mean_cos", "flown", "expected"}};
  for (const PhasePlace& p : phase_places(traced.run, traced.file).places)
    sheet.rows.push_back({p.layer, finite_or_null(p.beta), finite_or_null(p.t),
                          finite_or_null(p.mean_cos), finite_or_null(p.flown),
                          finite_or_null(p.expected)});
  write(flags, sheet);
}

void show_spectrum(const Flags& flags, const TracedRun& traced, const ShowArguments& arguments) {
  const auto block = static_cast<std::size_t>(block_asked(traced, arguments));
  const auto head = static_cast<std::size_t>(head_asked(traced, arguments).value_or(0));
  const Spectra spectra = read_spectra(traced.run);
  Sheet sheet{{"map", "k", "re", "im"}};
  for (std::size_t map = 0; map < 2; ++map)
    for (std::size_t k = 0; k < spectra.w; ++k) {
      const std::complex<double> lambda = spectra.at(block, head, map, k);
      sheet.rows.push_back({map == 0 ? "qk" : "ov", k, lambda.real(), lambda.imag()});
    }
  write(flags, sheet);
}

}  // namespace

bool is_traced(const Flags& flags, const Subject& s) {
  return s.is_run && RunReader(find_run(flags, s.name)).command() == "trace";
}

void show_trace(const Flags& flags, const Subject& s, const ShowArguments& arguments) {
  const TracedRun traced = traced_run(flags, s, arguments);
  if (arguments.show() == "heads") return show_heads(flags, traced);
  if (arguments.show() == "layers") return show_layers(flags, traced);
  if (arguments.show() == "twin") return show_twin(flags, traced);
  if (arguments.show() == "lens") return show_lens(flags, traced);
  if (arguments.show() == "attention") return show_attention_of(flags, traced, arguments);
  if (arguments.show() == "parts") return show_parts(flags, traced);
  if (arguments.show() == "phase") return show_phase(flags, traced);
  if (arguments.show() == "spectrum") return show_spectrum(flags, traced, arguments);
  show_patching(flags, traced);
}

}  // namespace murmur::app
