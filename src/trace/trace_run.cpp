// trace_run.cpp: writes the frames, norms and activations of a traced transformer into a run.
#include "trace/trace_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "run/formats.h"

namespace murmur {

namespace {

constexpr const char* kNormColumns[] = {"norm_mean", "norm_min", "norm_max"};

Array array_of_rows(std::vector<float> rows, std::vector<std::size_t> shape) {
  Array array;
  array.shape = std::move(shape);
  array.values = std::move(rows);
  return array;
}

void append(Run& run, const Experiment& e, int k, const TraceFrame& frame) {
  std::vector<double> row = observe(frame.x, e.dynamics, observe_settings(e, k));
  const auto [low, high] = std::minmax_element(frame.norms.begin(), frame.norms.end());
  row.push_back(std::accumulate(frame.norms.begin(), frame.norms.end(), 0.0) /
                static_cast<double>(frame.norms.size()));
  row.push_back(*low);
  row.push_back(*high);
  run.append(k, frame.x, row);
}

}  // namespace

double flow_beta(double effective) {
  constexpr double kLeast = 0.01;
  return effective >= kLeast ? effective : 1;
}

Experiment ideal_flow(const IdealFlow& flow) {
  ExperimentSpec spec;
  spec.name = "trace";
  spec.dynamics.interaction = flow.causal ? Interaction::causal : Interaction::SA;
  spec.dynamics.beta = flow.beta;
  spec.T = flow.frames - 1;
  spec.save = SaveChoice{SaveChoice::every, 1, 0};
  spec.cluster_tol = kTraceClusterTol;
  WordedSpec worded{spec, words_of(spec)};
  worded.spec.init = InitialPoints{Matrix{flow.start.n(), flow.start.d(), to_rows(flow.start)}};
  return make_experiment(worded);
}

std::vector<std::string> trace_columns(const Experiment& e) {
  std::vector<std::string> names = observable_names(e.dynamics);
  names.insert(names.end(), std::begin(kNormColumns), std::end(kNormColumns));
  return names;
}

TraceFrame frame_of(std::span<const TracedText> texts, int frame) {
  TraceFrame made;
  made.x = on_the_sphere(texts, frame, &made.norms);
  return made;
}

Record taken_activations(std::span<TracedText> texts) {
  Record record;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    Trace& trace = texts[t].trace;
    const std::string of = fmt::format("text{}.", t);
    const auto n = static_cast<std::size_t>(trace.n), d = static_cast<std::size_t>(trace.d),
               heads = static_cast<std::size_t>(trace.heads);
    if (!texts[t].prompt.ids.empty()) record[of + "tokens"] = array_of(texts[t].prompt.ids);
    record[of + "blocks.0.hook_resid_pre"] = array_of_rows(std::move(trace.before[0]), {n, d});
    if (!trace.last.empty())
      record[of + "ln_final.hook_normalized"] = array_of_rows(std::move(trace.last), {n, d});
    for (std::size_t b = 0; b < trace.after.size(); ++b) {
      const std::string block = fmt::format("{}blocks.{}.", of, b);
      record[block + "hook_resid_post"] = array_of_rows(std::move(trace.after[b]), {n, d});
      if (b < trace.between.size())
        record[block + "hook_resid_mid"] = array_of_rows(std::move(trace.between[b]), {n, d});
      if (b < trace.attention.size())
        record[block + "attn.hook_pattern"] =
            array_of_rows(std::move(trace.attention[b]), {heads, n, n});
    }
  }
  return record;
}

std::optional<Array> spectra_of(const TraceFile& file) {
  std::vector<double> values;
  std::size_t w = 0;
  for (const HeadReading& head : file.by_head) {
    const std::size_t own = head.qk.spectrum.size();
    if (own == 0 || head.ov.spectrum.size() != own || (w != 0 && own != w)) return std::nullopt;
    w = own;
    for (const MapReading* map : {&head.qk, &head.ov})
      for (const std::complex<double>& lambda : map->spectrum) {
        values.push_back(lambda.real());
        values.push_back(lambda.imag());
      }
  }
  if (values.empty()) return std::nullopt;
  const auto heads = static_cast<std::size_t>(file.heads);
  Array array = array_of(std::move(values));
  array.shape = {file.by_head.size() / heads, heads, 2, w, 2};
  return array;
}

std::vector<std::string> trace_outputs() {
  return {"norms.npy",      "trace.json",  "candidates.npy",
          "candidates.txt", "spectra.npy", "activations.safetensors"};
}

void keep_trace(Run& run, const Experiment& e, const TraceFile& file,
                const std::vector<TraceFrame>& frames, Record activations) try {
  std::vector<double> norms;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    append(run, e, static_cast<int>(k), frames[k]);
    norms.insert(norms.end(), frames[k].norms.begin(), frames[k].norms.end());
  }
  Array array = array_of(std::move(norms));
  array.shape = {frames.size(), static_cast<std::size_t>(e.swarm.n())};
  write_npy(run.directory() / "norms.npy", array);
  write_trace_file(run.directory(), file);
  write_candidates(run.directory(), file.candidates);
  if (const auto spectra = spectra_of(file)) write_npy(run.directory() / "spectra.npy", *spectra);
  if (!activations.empty())
    write_safetensors(run.directory() / "activations.safetensors",
                      {.tensors = std::move(activations)});
  const auto layers = static_cast<double>(frames.size()) - 1;
  run.close("done", {{"t", layers}}, fmt::format("{} layers traced", layers));
} catch (...) {  // the disk or the memory, most likely
  close_after_exception(run, {});
  throw;
}

}  // namespace murmur
