// tracing.cpp: keeps traced texts as a run, and the row of that kind of run.
#include "tracing.h"

#include <fmt/format.h>

#include "murmur/stop.h"
#include "recipe.h"
#include "recipe_words.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

RunKind trace_kind();

RunReader keep_texts(const Flags& flags, const TraceFile& file, std::vector<TracedText>& texts,
                     const TraceKeeping& keeping) {
  std::vector<TraceFrame> frames;
  for (int k = 0; k < texts.front().frames(); ++k) frames.push_back(frame_of(texts, k));
  const Experiment e = ideal_flow({.start = frames.front().x,
                                   .beta = flow_beta(file.beta),
                                   .causal = file.causal,
                                   .frames = static_cast<int>(frames.size())});
  RunContents contents;
  contents.config = e.config;
  contents.inputs = e.inputs;
  contents.columns = trace_columns(e);
  contents.shape = e.swarm.shape();
  contents.command = "trace";
  contents.argv = program_argv;
  contents.engine = keeping.engine + " " + file.family;
  contents.seed = keeping.seed;
  contents.outputs = trace_outputs();
  const SignalWatch watch;
  const HoldStop whole;  // what is begun is written to its end: that takes little time
  Run run = create_run(flags, e.name, contents);
  keep_trace(run, e, file, frames, keeping.activations ? taken_activations(texts) : Record{});
  return RunReader(run.directory());
}

std::vector<std::string> whole_words() {
  std::vector<std::string> words = telling_words(program_argv);
  std::error_code ignored;
  for (std::string& word : words)
    if (fs::exists(word, ignored)) word = fs::absolute(word).lexically_normal().string();
  return words;
}

void tell_trace(const Flags& flags, const TraceFile& file, const RunReader& run) {
  const std::vector<double> cosine = run.column("mean_cos"), rank = run.column("effective_rank");
  say(flags,
      fmt::format("{}, {} tokens in {} coordinates, {} layers{}", file.family, run.shape().n,
                  file.d, run.frames() - 1,
                  file.by_head.empty()
                      ? ""
                      : fmt::format("; beta {:.3g} fits its heads best{}", file.beta,
                                    file.beta < 0 ? ": they attend to what is unlike" : "")));
  if (run.shape().n > 1)
    say(flags, fmt::format("mean cosine {:.3f} at first, {:.3f} at last; effective rank {:.3g}, "
                           "then {:.3g}",
                           cosine.front(), cosine.back(), rank.front(), rank.back()));
  for (const TraceFile::Text& text : file.texts)
    if (!text.lens.empty())
      say(flags,
          fmt::format("says '{}' next, with probability {:.3f}", text.lens.back().top.front().token,
                      text.lens.back().top.front().probability));
  if (file.patching)
    for (std::size_t k = 0; k < file.patching->places.size(); ++k)
      if (file.patching->places.size() == 1)
        say(flags, fmt::format("logit difference {:.3f}, without the patch {:.3f}, of the first "
                               "text {:.3f}: {:.1f} % recovered",
                               file.patching->patched[k], file.patching->second,
                               file.patching->first, 100 * file.patching->recovered(k)));
}

RunKind trace_kind() {
  return {.word = "trace",
          .noun = "trace",
          .parameters = parameters,
          .explains_parameters = false,
          .no_resume = {"a trace is made in one go", "trace the text again"},
          .report = report_trace};
}

}  // namespace murmur::app
