// kept_heads.cpp: reads activations.safetensors and spectra.npy of a traced run, head by head.
#include "trace/kept_heads.h"

#include <fmt/format.h>

#include "murmur/error.h"
#include "run/formats.h"

namespace murmur {

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
    throw Error(Fault::input, fmt::format("the attention kept has no head {}", *head), "head",
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
    throw Error(Fault::input, fmt::format("it holds no attention of block {}", of.block),
                kept.string(), "trace the text again, or import attentions beside the states");
  return {head_weights(at->second, of.head), tokens};
}

Spectra read_spectra(const RunReader& run) {
  const std::filesystem::path file = run.directory() / "spectra.npy";
  if (!std::filesystem::exists(file))
    throw Error(Fault::input, "the maps of this run are not known", run.directory().string(),
                "trace a model; imported states come without its maps");
  const Array array = read_npy(file);
  const auto& shape = array.shape;
  if (shape.size() != 5 || shape[0] + 1 != static_cast<std::size_t>(run.frames()) ||
      shape[2] != 2 || shape[4] != 2)
    throw Error(Fault::input, "the file is not of eigenvalues", file.string(),
                "trace the text again");
  return {shape[0], shape[1], shape[3], array.doubles()};
}

}  // namespace murmur
