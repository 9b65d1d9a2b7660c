// trace_run.cpp: writes a traced transformer into a run, and reads it back: attention and spectra
// of its heads (kept_heads.h) and the input of the view Words (words_run.h).
#include "trace/trace_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "murmur/error.h"
#include "run/formats.h"
#include "trace/kept_heads.h"
#include "trace/layers.h"
#include "trace/words_run.h"

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

// candidates.npy and candidates.txt, which murmur render figure=next-word reads as a vocabulary.
void write_candidates(const std::filesystem::path& run, const Candidates& candidates) {
  if (candidates.words.empty()) return;
  Array points = array_of(candidates.points.data);
  points.shape = {candidates.words.size(), static_cast<std::size_t>(candidates.points.cols)};
  write_npy(run / "candidates.npy", points);
  write_file_atomically(run / "candidates.txt",
                        fmt::format("{}\n", fmt::join(candidates.words, "\n")));
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
  made.x = project_to_sphere(texts, frame, &made.norms);
  return made;
}

Record take_activations(std::span<TracedText> texts) {
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
} catch (...) {  // most likely the disk or the memory is full
  close_after_exception(run, {});
  throw;
}

namespace {

void require_between(const char* what, int asked, int count, const RunReader& run) {
  if (asked >= 0 && asked < count) return;
  throw Error(Fault::input, fmt::format("there is no {} {}", what, asked), run.directory().string(),
              fmt::format("use {}=0 to {}={}", what, what, count - 1));
}

}  // namespace

Matrix head_weights(const Array& pattern, std::optional<int> head) {
  const auto n = static_cast<int>(pattern.shape[1]);
  const std::vector<double> all = pattern.doubles();
  Matrix mean = zeros(n, n);
  const std::size_t size = mean.data.size(), heads = size == 0 ? 0 : all.size() / size;
  if (head && static_cast<std::size_t>(*head) >= heads)
    throw Error(Fault::input, fmt::format("the stored attention has no head {}", *head), "head",
                "trace the text again");
  const std::size_t first = head ? static_cast<std::size_t>(*head) : 0;
  const std::size_t count = head ? 1 : heads;
  for (std::size_t h = first; h < first + count; ++h)
    for (std::size_t e = 0; e < size; ++e)
      mean.data[e] += all[h * size + e] / static_cast<double>(count);
  return mean;
}

TraceAttention trace_attention(const RunReader& run, const TraceFile& file, const TraceHead& of) {
  const std::filesystem::path kept = run.directory() / "activations.safetensors";
  if (!std::filesystem::exists(kept))
    throw Error(Fault::input, "the run keeps no attention", run.directory().string(),
                "trace the text again without --no-activations");
  require_between("text", of.text, static_cast<int>(file.texts.size()), run);
  require_between("block", of.block, static_cast<int>(run.frames()) - 1, run);
  if (of.head) require_between("head", *of.head, file.heads, run);
  const Record tensors = read_safetensors(kept).tensors;
  const auto at =
      tensors.find(fmt::format("text{}.blocks.{}.attn.hook_pattern", of.text, of.block));
  const std::vector<std::string>& tokens = file.texts[static_cast<std::size_t>(of.text)].tokens;
  const std::size_t n = tokens.size(), heads = static_cast<std::size_t>(file.heads);
  if (at == tensors.end() || n == 0 || at->second.shape != std::vector<std::size_t>{heads, n, n})
    throw Error(Fault::input, fmt::format("the file holds no attention of block {}", of.block),
                kept.string(), "trace the text again, or import attentions with the states");
  return {head_weights(at->second, of.head), tokens};
}

Spectra read_spectra(const RunReader& run) {
  const std::filesystem::path file = run.directory() / "spectra.npy";
  if (!std::filesystem::exists(file))
    throw Error(Fault::input, "the maps of this run are not known", run.directory().string(),
                "trace a model; imported states do not include its maps");
  const Array array = read_npy(file);
  const auto& shape = array.shape;
  if (shape.size() != 5 || shape[0] + 1 != static_cast<std::size_t>(run.frames()) ||
      shape[2] != 2 || shape[4] != 2)
    throw Error(Fault::input, "the file does not hold eigenvalues of this run", file.string(),
                "trace the text again");
  return {shape[0], shape[1], shape[3], array.doubles()};
}

namespace {

std::vector<std::vector<float>> attention_of(const Record& kept, std::size_t text,
                                             std::size_t blocks) {
  std::vector<std::vector<float>> attention;
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto found = kept.find(fmt::format("text{}.blocks.{}.attn.hook_pattern", text, b));
    if (found == kept.end()) return {};
    const std::vector<double> values = found->second.doubles();
    attention.emplace_back(values.begin(), values.end());
  }
  return attention;
}

}  // namespace

WordsTrace words_of_run(const RunReader& run) {
  const TraceFile file = read_trace_file(run.directory());
  const std::vector<TextSpan> spans = texts_of(file, run);
  const std::filesystem::path kept = run.directory() / "activations.safetensors";
  const Record activations =
      std::filesystem::exists(kept) ? read_safetensors(kept).tensors : Record{};
  const auto blocks = static_cast<std::size_t>(run.frames()) - 1;
  WordsTrace trace{.model = std::filesystem::path(file.model).filename().string(),
                   .family = file.family,
                   .d = file.d,
                   .heads = file.heads,
                   .causal = file.causal};
  for (std::size_t b = 0; b < blocks; ++b)
    trace.block_beta.push_back(beta_of(file, static_cast<int>(b)));
  for (std::size_t t = 0; t < file.texts.size(); ++t) {
    const TraceFile::Text& of = file.texts[t];
    WordsText text{.text = of.text,
                   .given = of.given,
                   .ids = of.ids,
                   .tokens = of.tokens,
                   .attention = attention_of(activations, t, blocks),
                   .lens = of.lens};
    const auto n = of.tokens.size();
    for (const std::vector<float>& block : text.attention)
      if (block.size() != n * n * static_cast<std::size_t>(file.heads))
        throw Error(Fault::input, "the stored attention does not fit the tokens", kept.string(),
                    "trace the text again");
    for (std::int64_t f = 0; f < run.frames(); ++f)
      text.frames.push_back(part_of(run.frame(f), spans[t]));
    trace.texts.push_back(std::move(text));
  }
  return trace;
}

}  // namespace murmur
