// words_run.h: a traced transformer as the view Words of the web page reads it: one JSON text, of a
// run or of a text that was just read.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "murmur/run.h"
#include "murmur/swarm.h"
#include "trace/lens.h"

namespace murmur {

inline constexpr int kMostWordsTokens = 256;  // of a text: attention grows with their square

struct WordsText {
  std::string text{};
  std::size_t given = 0;                        // input tokens
  std::vector<std::int64_t> ids{};              // (n); empty for imported states
  std::vector<std::string> tokens{};            // (n)
  std::vector<HostSwarm> frames{};              // (frames) of (n, d), on the sphere
  std::vector<std::vector<float>> attention{};  // (frames - 1) of (heads, n, n); empty: not known
  std::vector<LensRow> lens{};                  // (frames) of the last token; may be empty
};

struct WordsTrace {
  std::string model{}, family{};
  int d = 0, heads = 0;
  bool causal = false;
  std::vector<double> block_beta{};  // (frames - 1) of the ideal flow
  std::vector<WordsText> texts{};    // all with the same number of frames
};

// A share from 0 to 1 as the 16 bits of half precision: within 2^-11 of itself, or 2^-25.
std::uint16_t half_of_share(float share);

// Schema murmur-words-2 (docs/trace.md). Places are x - m along three axes, the same for all layers
// and texts: m is the mean of the states of all words, and the axes are those along which they vary
// most; tokens such as [CLS] and <s>, which are no words, do not count there. The ideal flow is
// that of twin.h, by the reference engine. Arrays are in base64: places F32, attention F16.
// Error(input) for a text that is too long.
nlohmann::ordered_json words_file(const WordsTrace& trace);

// Includes attention if the run has activations. Error(input) for a run that is no trace, and for
// activations that do not fit its frames.
WordsTrace words_of_run(const RunReader& run);

}  // namespace murmur
