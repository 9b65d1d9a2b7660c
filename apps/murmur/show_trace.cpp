// show_trace.cpp: what murmur measure shows of a traced transformer: heads, layers, the ideal flow
// beside them, what every layer would say next, patching, left-out parts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "show.h"
#include "trace/kept_heads.h"
#include "trace/layers.h"
#include "trace/phase.h"

namespace murmur::app {

namespace {

using Json = nlohmann::json;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

struct TracedRun {
  RunReader run;
  TraceFile file;
};
TracedRun traced_run(const Flags& flags, const Subject& s, const ShowWords& words) {
  if (!is_traced(flags, s))
    throw Error(Fault::input, "show=" + words.show() + " is of a traced transformer", s.name,
                "make one by murmur trace, or murmur import");
  RunReader run(find_run(flags, s.name));
  TraceFile file = read_trace_file(run.directory());
  return {std::move(run), std::move(file)};
}

void show_heads(const Flags& flags, const TracedRun& traced) {
  if (traced.file.by_head.empty())
    throw Error(Fault::input, "the attention of this run is not known",
                traced.run.directory().string(), "import attentions beside the states");
  Sheet sheet{{"block",       "head",          "beta",          "misfit",      "uniform_misfit",
               "entropy",     "entropy_share", "sink",          "sink_at",     "first",
               "qk_symmetry", "qk_positivity", "qk_radius",     "ov_symmetry", "ov_positivity",
               "ov_radius",   "ov_leading_re", "ov_leading_im", "theory",      "qk_identity",
               "ov_identity"}};
  for (const HeadReading& h : traced.file.by_head)
    sheet.rows.push_back({h.block,
                          h.head,
                          finite(h.beta),
                          finite(h.misfit),
                          finite(h.uniform),
                          finite(h.entropy),
                          finite(h.entropy_share),
                          finite(h.sink),
                          h.sink_at,
                          finite(h.first),
                          finite(h.qk.symmetry),
                          finite(h.qk.positivity),
                          finite(h.qk.radius),
                          finite(h.ov.symmetry),
                          finite(h.ov.positivity),
                          finite(h.ov.radius),
                          finite(h.leading.re),
                          finite(h.leading.im),
                          theory_of(h.leading, h.ov),
                          finite(h.qk.identity),
                          finite(h.ov.identity)});
  write(flags, sheet);
  if (std::any_of(traced.file.by_head.begin(), traced.file.by_head.end(),
                  [](const HeadReading& h) { return !theory_of(h.leading, h.ov).empty(); }))
    say(flags,
        "theory: of a head that is alone and the same in all layers, without mask, positions, "
        "biases and feed-forward (docs/trace.md)");
}

void show_layers(const Flags& flags, const TracedRun& traced) {
  Sheet sheet{{"layer", "mean_cos", "min_cos", "max_cos", "clusters", "effective_rank",
               "energy_scaled", "climbs", "norm", "angle"}};
  double before = std::nan("");
  for (const LayerReading& r : layer_readings(traced.run, traced.file)) {
    sheet.rows.push_back({r.layer, finite(r.mean_cos), finite(r.min_cos), finite(r.max_cos),
                          finite(r.clusters), finite(r.effective_rank), finite(r.energy_scaled),
                          std::isnan(before) ? Json(nullptr) : Json(r.energy_scaled > before),
                          finite(r.norm), finite(r.angle)});
    before = r.energy_scaled;
  }
  write(flags, sheet);
}

void show_twin(const Flags& flags, const TracedRun& traced) {
  Sheet sheet{{"layer", "beta", "tau", "alignment", "distance", "w2", "still", "still_w2",
               "mean_cos", "energy_scaled"}};
  for (const TwinReading& r : twin_flight(traced.run, traced.file))
    sheet.rows.push_back({r.layer, finite(r.beta), finite(r.tau), finite(r.alignment),
                          finite(r.distance), finite(r.w2), finite(r.still), finite(r.still_w2),
                          finite(r.mean_cos), finite(r.energy_scaled)});
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
    throw Error(Fault::input, "the model says no next token", traced.run.directory().string(),
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
        {p.places[k].frame, p.places[k].place, p.patched[k], finite(p.recovered(k))});
  write(flags, sheet);
}

// block=B or block=last, of all that were run.
int block_asked(const TracedRun& traced, const ShowWords& words) {
  const int blocks = static_cast<int>(traced.run.frames()) - 1;
  if (words.text("block") == "last") return blocks - 1;
  const int asked = words.whole("block");
  if (asked < 0 || asked >= blocks)
    throw Error(Fault::input, fmt::format("there is no block {}", asked),
                traced.run.directory().string(),
                fmt::format("use block=0 to block={}", blocks - 1));
  return asked;
}

std::optional<int> head_asked(const TracedRun& traced, const ShowWords& words) {
  if (!words.given("head")) return std::nullopt;
  const int asked = words.whole("head");
  if (asked < 0 || asked >= traced.file.heads)
    throw Error(Fault::input, fmt::format("there is no head {}", asked),
                traced.run.directory().string(),
                fmt::format("use head=0 to head={}", traced.file.heads - 1));
  return asked;
}

// The attention that the transformer itself had: of one head, or the mean of all.
void show_attention_of(const Flags& flags, const TracedRun& traced, const ShowWords& words) {
  if (words.given("frame"))
    words.refuse("frame", "a traced transformer attends in blocks", "write block=K");
  const TraceAttention read =
      trace_attention(traced.run, traced.file,
                      {words.whole("text"), block_asked(traced, words), head_asked(traced, words)});
  const Matrix& a = read.weights;
  const std::vector<int> leading = leaders(a, words.number("share"));
  if (flags.json) {
    Json weights = Json::array();
    for (int i = 0; i < a.rows; ++i)
      weights.push_back(
          std::vector<double>(a.data.begin() + static_cast<std::ptrdiff_t>(i) * a.cols,
                              a.data.begin() + static_cast<std::ptrdiff_t>(i + 1) * a.cols));
    return report({{"text", words.whole("text")},
                   {"block", block_asked(traced, words)},
                   {"head", words.given("head") ? Json(words.whole("head")) : Json("mean")},
                   {"tokens", read.tokens},
                   {"rank", numerical_rank(a, words.number("rank_tol"))},
                   {"leaders", leading},
                   {"received", attention_received(a)},
                   {"weights", std::move(weights)}});
  }
  std::string text;
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.cols; ++j)
      text += fmt::format("{}{}", a(i, j), j + 1 < a.cols ? "," : "\n");
  app::data(text);
  say(flags, fmt::format("rank {}, leaders {}", numerical_rank(a, words.number("rank_tol")),
                         leading.empty() ? "none" : fmt::format("{}", fmt::join(leading, ", "))));
}

void show_parts(const Flags& flags, const TracedRun& traced) {
  if (traced.file.parts.empty())
    throw Error(Fault::input, "no part was left out in this run", traced.run.directory().string(),
                "trace the text with --parts");
  Sheet sheet{{"without", "layer", "mean_cos", "clusters", "effective_rank"}};
  for (const PartReading& part : traced.file.parts)
    for (std::size_t f = 0; f < part.mean_cos.size(); ++f)
      sheet.rows.push_back({part.part, f, finite(part.mean_cos[f]), finite(part.clusters[f]),
                            finite(part.effective_rank[f])});
  write(flags, sheet);
}

void show_phase(const Flags& flags, const TracedRun& traced) {
  Sheet sheet{{"layer", "beta", "t", "mean_cos", "flown", "expected"}};
  for (const PhasePlace& p : phase_places(traced.run, traced.file).places)
    sheet.rows.push_back({p.layer, finite(p.beta), finite(p.t), finite(p.mean_cos), finite(p.flown),
                          finite(p.expected)});
  write(flags, sheet);
}

void show_spectrum(const Flags& flags, const TracedRun& traced, const ShowWords& words) {
  const auto block = static_cast<std::size_t>(block_asked(traced, words));
  const auto head = static_cast<std::size_t>(head_asked(traced, words).value_or(0));
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

void show_trace(const Flags& flags, const Subject& s, const ShowWords& words) {
  const TracedRun traced = traced_run(flags, s, words);
  if (words.show() == "heads") return show_heads(flags, traced);
  if (words.show() == "layers") return show_layers(flags, traced);
  if (words.show() == "twin") return show_twin(flags, traced);
  if (words.show() == "lens") return show_lens(flags, traced);
  if (words.show() == "attention") return show_attention_of(flags, traced, words);
  if (words.show() == "parts") return show_parts(flags, traced);
  if (words.show() == "phase") return show_phase(flags, traced);
  if (words.show() == "spectrum") return show_spectrum(flags, traced, words);
  show_patching(flags, traced);
}

}  // namespace murmur::app
