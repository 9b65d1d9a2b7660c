// sentences.h: sentences of two small grammars as samples of words: word sense, and order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "murmur/images.h"

namespace murmur {

// Word sense. 32 ambiguous words with a sense in each of two topics, in 16 pairs whose topics are
// the same in reverse order; 9 topics of 16 cues each, shared by all words with a sense there; 40
// fillers without information. Numbers of words: ambiguous ones first, then cues topic by topic.
//
// A sentence of 11 to 14 words has, at random positions, the queried word, one cue of one of its
// topics 1 to 10 positions away, another ambiguous word with its own cue, four other cues, and
// fillers. No other cue belongs to a topic of the queried word. Label: which of its senses.
inline constexpr int kSensePairs = 16, kTopicCues = 16, kFarthestCue = 10, kStrayCues = 4;
struct SenseLexicon {
  struct Ambiguous {
    int topic[2];  // topics of its first and its second sense
  };
  std::vector<std::string> words{};    // (vocabulary)
  std::vector<Ambiguous> ambiguous{};  // (ambiguous) word k; k and k ^ 1 have reversed topics
  std::vector<std::string> topics{};   // names
  int cue(int topic, int number) const {
    return static_cast<int>(ambiguous.size()) + topic * kTopicCues + number;
  }
  int first_filler() const { return cue(static_cast<int>(topics.size()), 0); }
  int topic_of(int word) const;  // topic of a cue; -1: not a cue
};
const SenseLexicon& sense_lexicon();

// Order. NAME VERB NAME among fillers, at random positions in this order, 7 to 12 words; one of the
// names is queried. Label: 0 if it comes before the verb (subject), 1 if it comes after (object).
struct OrderLexicon {
  std::vector<std::string> words{};  // names, verbs, fillers
  int names = 0, verbs = 0;          // how many
};
const OrderLexicon& order_lexicon();
inline constexpr int kLongestSentence = 14;  // of both grammars

// The three sets of sentences: for training, validation and test. They share no pair of ambiguous
// word and cue, and no pair of names.
enum class Use : std::uint32_t { train, validation, test };
// Returns the set of pair `pair` of ambiguous words with cue `number` of either of its topics, and
// that of two names.
Use use_of_cue(int pair, int number);
Use use_of_names(int one, int other);

// Draws from the stream `samples`; `step` is the epoch.
struct SentenceDraw {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  Use use = Use::train;
};
// Independent sentences: word, sense and all other choices are uniform.
SampleSet draw_senses(std::size_t count, const SentenceDraw& draw);
SampleSet draw_orders(std::size_t count, const SentenceDraw& draw);
// Groups of four that differ only in the queried word and its cue: both words of a pair with a cue
// of either topic. Labels: 0, 1, 1, 0.
SampleSet crossed_senses(std::size_t fours, const SentenceDraw& draw);
// Pairs with the same words: a sentence, and the one with exchanged names and the same queried
// name. Labels: 0, 1.
SampleSet exchanged_orders(std::size_t twos, const SentenceDraw& draw);

// Naive Bayes over the words of a sentence, without their order; the queried word counts twice:
//   s = sum over tokens of ln (c(w, 0) + 1) / (c(w, 1) + 1)  +  the same of the queried word
// The label is 0 if s >= 0.
// `by_asked`: one table of counts for each queried word.
struct BagOfWords {
  int vocabulary = 0;
  bool by_asked = false;
  // (samples of test) the labels it predicts after counting the words of `train`.
  std::vector<int> verdicts(const SampleSet& train, const SampleSet& test) const;
};

}  // namespace murmur
