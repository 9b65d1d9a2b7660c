// show_trace.cpp: what murmur measure shows of a traced transformer: heads, layers, the ideal flow
// beside them, what every layer would say next, patching.
#include <cmath>

#include "murmur/error.h"
#include "show.h"
#include "trace/layers.h"

namespace murmur::app {

namespace {

using Json = nlohmann::json;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

struct TracedRun {
  RunReader run;
  TraceFile file;
};
TracedRun traced_run(const Flags& flags, const Subject& s, const ShowWords& words) {
  RunReader run(find_run(flags, s.name));
  if (run.command() != "trace")
    throw Error(Fault::input, "show=" + words.show() + " is of a traced transformer", s.name,
                "make one by murmur trace, or murmur import");
  TraceFile file = read_trace_file(run.directory());
  return {std::move(run), std::move(file)};
}

void show_heads(const Flags& flags, const TracedRun& traced) {
  if (traced.file.by_head.empty())
    throw Error(Fault::input, "the attention of this run is not known",
                traced.run.directory().string(), "import attentions beside the states");
  Sheet sheet{{"block", "head", "beta", "misfit", "uniform_misfit", "entropy", "entropy_share",
               "sink", "sink_at", "first", "qk_symmetry", "qk_positivity", "qk_radius",
               "ov_symmetry", "ov_positivity", "ov_radius"}};
  for (const HeadReading& h : traced.file.by_head)
    sheet.rows.push_back({h.block, h.head, finite(h.beta), finite(h.misfit), finite(h.uniform),
                          finite(h.entropy), finite(h.entropy_share), finite(h.sink), h.sink_at,
                          finite(h.first), finite(h.qk.symmetry), finite(h.qk.positivity),
                          finite(h.qk.radius), finite(h.ov.symmetry), finite(h.ov.positivity),
                          finite(h.ov.radius)});
  write(flags, sheet);
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

}  // namespace

void show_trace(const Flags& flags, const Subject& s, const ShowWords& words) {
  const TracedRun traced = traced_run(flags, s, words);
  if (words.show() == "heads") return show_heads(flags, traced);
  if (words.show() == "layers") return show_layers(flags, traced);
  if (words.show() == "twin") return show_twin(flags, traced);
  if (words.show() == "lens") return show_lens(flags, traced);
  show_patching(flags, traced);
}

}  // namespace murmur::app
