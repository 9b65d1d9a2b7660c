// trace_file.h: trace.json of a run: which transformer read what, and what was read off its pass.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trace/candidates.h"
#include "trace/heads.h"
#include "trace/lens.h"
#include "trace/parts.h"
#include "trace/patching.h"

namespace murmur {

struct TraceFile {
  struct Text {
    std::string text{};
    std::size_t given = 0;              // tokens that were given; those behind it the model wrote
    std::vector<std::int64_t> ids{};    // (n); of pictures none
    std::vector<std::string> tokens{};  // (n)
    std::vector<LensRow> lens{};        // (frames) of the last token; empty: there is none
  };

  std::vector<std::string> made_by{};           // words of the command that makes it again
  std::string model{};                          // path, as it was given
  std::map<std::string, std::string> sha256{};  // of its files, by name
  std::string family{};                         // "imported": states of another program
  int blocks = 0, heads = 0, d = 0, vocabulary = 0;
  bool causal = false;
  double beta = 0;                   // of all heads together (effective_beta.h)
  std::vector<double> block_beta{};  // (blocks run) of the heads of each
  // How the pass differed from the one that the model was trained for.
  int repeat = 1;
  bool feed_forward = true;
  std::optional<std::uint64_t> random_weights{};
  std::vector<std::pair<int, int>> swapped{};
  std::vector<HeadReading> by_head{};   // (blocks run x heads); empty: attention is not known
  std::vector<Text> texts{};            // their tokens are the particles, one text after the other
  std::optional<Patching> patching{};   // of the first two texts
  bool attention = true, norms = true;  // false: left out
  std::vector<PartReading> parts{};     // each part left out in turn; empty: not asked for
  Candidates candidates{};              // of the first text; its points lie in candidates.npy
};

nlohmann::ordered_json json_of(const TraceFile& trace);
void write_trace_file(const std::filesystem::path& run, const TraceFile& trace);
// Error(input) where the file is missing or not of this form.
TraceFile read_trace_file(const std::filesystem::path& run);

}  // namespace murmur
