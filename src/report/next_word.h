// next_word.h: next-word predictions of a stored swarm: their vocabulary, the probabilities in
// every frame, and the picture of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/observe.h"
#include "murmur/readout.h"
#include "murmur/run.h"
#include "picture/next_word.h"

namespace murmur {

struct RunReport;

// Which words, how sharply they are distinguished, and which token is read.
struct NextWordRequest {
  int count = 12;                         // words drawn where there is no file
  std::filesystem::path file{}, words{};  // of read_vocabulary
  std::optional<Vocabulary> own{};        // of the run itself, where there is no file
  ReadoutRule rule{};
  std::optional<int> token{};  // else the last one

  // Sets a value from key=value: vocabulary (a number or a file), words, kappa, share, token. False
  // where the key is none of these; Error(input) for a value that cannot be.
  bool set(const std::string& key, const std::string& value);
  static const std::vector<std::string>& keys();
};

// Uses the vocabulary of the run itself. For a traced transformer with predictions: the most
// probable tokens, read at the token that it asks; without predictions: the tokens of its text,
// where they start. For a swarm that reads sentences: its whole learned vocabulary, read at the
// first token that the task asks about. For other runs nothing changes.
void use_vocabulary_of(const RunReader& run, NextWordRequest& request);
// (n) the texts of the tokens of such a run; empty for others.
std::vector<std::string> token_words(const RunReader& run);

// Error(input) where words and swarm have other numbers of coordinates, or there is no such token.
Vocabulary vocabulary_for(const NextWordRequest& request, const Shape& shape, std::uint64_t seed);
int token_for(const NextWordRequest& request, const Shape& shape);

// The predictions of one token and of the mean in one frame.
struct NextWordReading {
  NextWord token{}, mean{};
};
NextWordReading read_next_word(const HostSwarm& x, int token, const Vocabulary& vocabulary,
                               const ReadoutRule& rule);

// The swarm among its words; d > 3 is seen along the three directions in which the first frame, the
// last and the words spread most. Of many tokens and frames a part is drawn.
struct WordedRun {
  std::string name{};
  Manifold manifold = Manifold::sphere;
  std::uint64_t seed = 0;  // of a vocabulary that is drawn
  History history{};
  std::vector<std::string> tokens{};  // (n) their words; empty: they have none
};
WordedRun worded_run(const RunReader& run, const Experiment& experiment);
NextWordPicture next_word_picture(const WordedRun& run, const NextWordRequest& request);

// The section of a page, with its film where films are wanted.
void add_next_word(RunReport& report, const WordedRun& run, const NextWordRequest& request);

}  // namespace murmur
