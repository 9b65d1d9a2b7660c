// sentences.h: sentences of two small grammars as samples of words: word sense, and order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "murmur/images.h"

namespace murmur {

// Word sense. 32 ambiguous words with a sense in each of two topics, in 16 pairs whose topics are
// the same in reverse order; 9 topics of 16 cues each, shared by all words with a sense there; 40
// fillers without meaning. Numbers of words: ambiguous ones first, then cues topic by topic.
//
// A sentence of 11 to 14 words has, at random places, the word that is asked about, one cue of one
// of its topics 1 to 10 places away, another ambiguous word with its own cue, four unrelated cues,
// and fillers. No other cue is of a topic of the word that is asked about. Label: its sense.
inline constexpr int kSensePairs = 16, kTopicCues = 16, kFarthestCue = 10, kStrayCues = 4;
struct SenseLexicon {
  struct Ambiguous {
    int topic[2];  // of its first and its second sense
  };
  std::vector<std::string> words{};    // (vocabulary)
  std::vector<Ambiguous> ambiguous{};  // (ambiguous) word k; k and k ^ 1 have reversed topics
  std::vector<std::string> topics{};   // names
  int cue(int topic, int number) const {
    return static_cast<int>(ambiguous.size()) + topic * kTopicCues + number;
  }
  int first_filler() const { return cue(static_cast<int>(topics.size()), 0); }
  int topic_of(int word) const;  // topic of a cue; -1 for other words
};
const SenseLexicon& sense_lexicon();

// Order. NAME VERB NAME among fillers, each of the three at random places in this order, 7 to 12
// words; one of the names is asked about. Label: 0 where it comes before the verb, the subject, and
// 1 where it comes after, the object.
struct OrderLexicon {
  std::vector<std::string> words{};  // names, verbs, fillers
  int names = 0, verbs = 0;          // how many
};
const OrderLexicon& order_lexicon();
inline constexpr int kLongestSentence = 14;  // of both grammars

// The use of sentences: training, validation or test. Different uses share no pair of ambiguous
// word and cue, and no two names.
enum class Use : std::uint32_t { train, validation, test };
// Pair `pair` of ambiguous words and cue `number` of either of its topics; two names.
Use use_of_cue(int pair, int number);
Use use_of_names(int one, int other);

// Drawn from the stream `samples`; `step` distinguishes epochs.
struct SentenceDraw {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  Use use = Use::train;
};
// Independent sentences: word, sense and the rest with equal probabilities.
SampleSet draw_senses(std::size_t count, const SentenceDraw& draw);
SampleSet draw_orders(std::size_t count, const SentenceDraw& draw);
// Groups of four that differ only in the asked word and its cue: both words of a pair with a cue of
// either topic. Labels: 0, 1, 1, 0.
SampleSet crossed_senses(std::size_t fours, const SentenceDraw& draw);
// Groups of two with the same words: a sentence, and the one with exchanged names and the same
// asked name. Labels: 0, 1.
SampleSet exchanged_orders(std::size_t twos, const SentenceDraw& draw);

// Naive Bayes over the words of a sentence, in any order; each word is counted once per label and
// once more as the asked word:
//   s = sum over tokens of ln (c(w, 0) + 1) / (c(w, 1) + 1) + the same of the asked word;  0: s >=
//   0
// `by_asked`: one table of counts for each asked word.
struct BagOfWords {
  int vocabulary = 0;
  bool by_asked = false;
  // (samples of test) Returns labels after counting the words of `train`.
  std::vector<int> verdicts(const SampleSet& train, const SampleSet& test) const;
};

}  // namespace murmur
