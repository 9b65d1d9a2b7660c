// trace_file.h: trace.json of a run: the transformer, its texts, and the readings of its pass.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trace/heads.h"
#include "trace/lens.h"
#include "trace/parts.h"
#include "trace/patching.h"

namespace murmur {

struct TraceFile {
  struct Text {
    std::string text{};
    std::size_t given = 0;              // input tokens; the model has written those after them
    std::vector<std::int64_t> ids{};    // (n); empty for pictures
    std::vector<std::string> tokens{};  // (n)
    std::vector<LensRow> lens{};        // (frames) of the last token; may be empty
  };

  std::vector<std::string> made_by{};           // arguments of the command that made it
  std::string model{};                          // path, as in the command
  std::map<std::string, std::string> sha256{};  // of the model's files, by name
  std::string family{};                         // "imported": states of another program
  int blocks = 0, heads = 0, d = 0, vocabulary = 0;
  bool causal = false;
  double beta = 0;                   // of all heads together (effective_beta.h)
  std::vector<double> block_beta{};  // (blocks run) of the heads of each
  // Differences from the pass for which the model was trained.
  int repeat = 1;
  bool feed_forward = true;
  std::optional<std::uint64_t> random_weights{};
  std::vector<std::pair<int, int>> swapped{};
  std::vector<HeadReading> by_head{};   // (blocks run x heads); empty: attention is not known
  std::vector<Text> texts{};            // their tokens are the particles, one text after the other
  std::optional<Patching> patching{};   // of the first two texts
  bool attention = true, norms = true;  // false: the pass leaves them out
  std::vector<PartReading> parts{};     // each part left out in turn; empty: not computed
  Candidates candidates{};              // of the first text; its points lie in candidates.npy
};

template <class Visitor>
void describe(Visitor& v, FieldsOf<TraceFile::Text>) {
  using T = TraceFile::Text;
  v(&T::text, "text", "the text, or the path of the picture");
  v(&T::given, "given", "number of tokens of the input");
  v(&T::ids, "ids", "numbers of the tokens");
  v(&T::tokens, "tokens", "the tokens as the vocabulary spells them");
  v(&T::lens, "lens", "what the state of each layer predicts");
}

template <class Visitor>
void describe(Visitor& v, FieldsOf<TraceFile>) {
  using T = TraceFile;
  v(&T::made_by, "made_by", "arguments of the command that made the run");
  v(&T::model, "model", "path of the model");
  v(&T::sha256, "sha256", "digests of the model's files");
  v(&T::family, "family", "family of the transformer");
  v(&T::blocks, "blocks", "number of blocks");
  v(&T::heads, "heads", "heads per block");
  v(&T::d, "d", "coordinates of a token", {.least = 1});
  v(&T::vocabulary, "vocabulary", "number of tokens that the model knows");
  v(&T::causal, "causal", "whether tokens attend only to earlier ones");
  v(&T::beta, "beta", "inverse temperature that fits all heads best");
  v(&T::block_beta, "block_beta", "the same for the heads of each block");
  v(&T::repeat, "repeat", "how often the blocks run", {.least = 1});
  v(&T::feed_forward, "feed_forward", "whether the feed-forward runs");
  v(&T::random_weights, "random_weights", "seed of random weights");
  v(&T::swapped, "swapped", "pairs of blocks that change places");
  v(&T::by_head, "by_head", "readings of each head");
  v(&T::texts, "texts", "the texts, whose tokens are the particles");
  v(&T::patching, "patching", "effect of states moved between two texts");
  v(&T::attention, "attention", "whether the attention runs", {.optional = true});
  v(&T::norms, "norms", "whether the norms run", {.optional = true});
  v(&T::parts, "parts", "readings without each part", {.optional = true});
  v(&T::candidates, "candidates", "likeliest next tokens of the first text", {.optional = true});
}

nlohmann::ordered_json json_of(const TraceFile& trace);
void write_trace_file(const std::filesystem::path& run, const TraceFile& trace);
// Error(input) if the file is missing or has another form.
TraceFile read_trace_file(const std::filesystem::path& run);

}  // namespace murmur
