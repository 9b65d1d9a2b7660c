// words_run.cpp: takes frames, tokens, attention and the logit lens from the files of a run.
#include "trace/words_run.h"

#include <fmt/format.h>

#include "murmur/error.h"
#include "run/formats.h"
#include "trace/layers.h"

namespace murmur {

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
