// sentences.cpp: sentences drawn from the two grammars, and the bag of words beside them.
#include "murmur/sentences.h"

#include <algorithm>
#include <cmath>

#include "murmur/random.h"

namespace murmur {

namespace {

constexpr int kShortestSense = kFarthestCue + 1;
constexpr int kShortestOrder = 7, kLongestOrder = 12;
constexpr int kParts = 8;  // of cues, and of pairs of names: one is for the test, one to watch by

// Draws one after another of one sentence.
class Dice {
 public:
  enum Grammar : std::uint32_t { senses = 16, orders = 32 };  // beyond the pairs of pictures
  Dice(const SentenceDraw& draw, Grammar grammar, std::size_t number)
      : who_{.seed = draw.seed,
             .stream = Stream::samples,
             .particle = static_cast<std::uint32_t>(number),
             .step = draw.step,
             .replica = grammar + static_cast<std::uint32_t>(draw.use)} {}
  int below(int count) {
    return std::min(count - 1, static_cast<int>(who_.uniform(next_++) * count));
  }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool coin() { return below(2) == 1; }
  // One of a list, which then has it no longer.
  int take(std::vector<int>& from) {
    const int at = below(static_cast<int>(from.size()));
    const int taken = from[at];
    from.erase(from.begin() + at);
    return taken;
  }

 private:
  Draw who_;
  std::uint16_t next_ = 0;
};

void add_sentence(const std::vector<int>& words, int asked, int label, SampleSet& samples) {
  if (samples.first.empty()) samples.first.push_back(0);
  samples.word.insert(samples.word.end(), words.begin(), words.end());
  samples.first.push_back(samples.word.size());
  samples.asked.push_back(asked);
  samples.label.push_back(label);
}

int cue_number(int pair, Use use, Dice& dice) {
  std::vector<int> numbers;
  for (int number = 0; number < kTopicCues; ++number)
    if (use_of_cue(pair, number) == use) numbers.push_back(number);
  return dice.take(numbers);
}

bool has_topic(const SenseLexicon::Ambiguous& word, int topic) {
  return word.topic[0] == topic || word.topic[1] == topic;
}

// A sentence but for the word that is asked about and its cue, whose places are free.
struct Frame {
  std::vector<int> words{};
  int asked = 0, cue = 0;
};
Frame sense_frame(int pair, Use use, Dice& dice) {
  const SenseLexicon& lexicon = sense_lexicon();
  const SenseLexicon::Ambiguous& own = lexicon.ambiguous[2 * pair];
  const int n = dice.between(kShortestSense, kLongestSentence);
  const int apart = dice.between(1, kFarthestCue), left = dice.below(n - apart);
  const bool after = dice.coin();
  Frame frame{std::vector<int>(n), after ? left : left + apart, after ? left + apart : left};
  std::vector<int> free, others, topics;
  for (int i = 0; i < n; ++i)
    if (i != frame.asked && i != frame.cue) free.push_back(i);
  for (int k = 0; k < static_cast<int>(lexicon.ambiguous.size()); ++k)
    if (!has_topic(own, lexicon.ambiguous[k].topic[0]) &&
        !has_topic(own, lexicon.ambiguous[k].topic[1]))
      others.push_back(k);
  for (int topic = 0; topic < static_cast<int>(lexicon.topics.size()); ++topic)
    if (!has_topic(own, topic)) topics.push_back(topic);
  const int fillers = static_cast<int>(lexicon.words.size()) - lexicon.first_filler();
  for (int& word : frame.words) word = lexicon.first_filler() + dice.below(fillers);
  const int other = dice.take(others);
  frame.words[dice.take(free)] = other;
  frame.words[dice.take(free)] =
      lexicon.cue(lexicon.ambiguous[other].topic[dice.below(2)], cue_number(other / 2, use, dice));
  for (int k = 0; k < kStrayCues; ++k) {
    const int topic = topics[dice.below(static_cast<int>(topics.size()))];
    frame.words[dice.take(free)] = lexicon.cue(topic, dice.below(kTopicCues));
  }
  return frame;
}

void add_sense(Frame frame, int word, int cue, SampleSet& samples) {
  const SenseLexicon& lexicon = sense_lexicon();
  frame.words[frame.asked] = word;
  frame.words[frame.cue] = cue;
  const int label = lexicon.topic_of(cue) == lexicon.ambiguous[word].topic[0] ? 0 : 1;
  add_sentence(frame.words, frame.asked, label, samples);
}

// Two names for a use, NAME VERB NAME with all else filled in, and which name is asked about.
struct Clause {
  std::vector<int> words{};
  int place[2] = {};  // of subject and object
};
Clause draw_clause(Use use, Dice& dice) {
  const OrderLexicon& lexicon = order_lexicon();
  const int n = dice.between(kShortestOrder, kLongestOrder);
  const int fillers = static_cast<int>(lexicon.words.size()) - lexicon.names - lexicon.verbs;
  Clause clause{std::vector<int>(n)};
  for (int& word : clause.words) word = lexicon.names + lexicon.verbs + dice.below(fillers);
  std::vector<int> places(n), others, three;
  for (int i = 0; i < n; ++i) places[i] = i;
  for (int k = 0; k < 3; ++k) three.push_back(dice.take(places));
  std::sort(three.begin(), three.end());
  const int one = dice.below(lexicon.names);
  for (int other = 0; other < lexicon.names; ++other)
    if (other != one && use_of_names(one, other) == use) others.push_back(other);
  clause.words[three[0]] = one;
  clause.words[three[1]] = lexicon.names + dice.below(lexicon.verbs);
  clause.words[three[2]] = dice.take(others);
  clause.place[0] = three[0];
  clause.place[1] = three[2];
  return clause;
}

Use use_of_part(int part) {
  return part == 0 ? Use::test : part == 1 ? Use::validation : Use::train;
}

}  // namespace

// Every topic has pairs of even and of odd number, so that every cue is learned with some pair.
Use use_of_cue(int pair, int number) { return use_of_part((kParts / 2 * pair + number) % kParts); }
Use use_of_names(int one, int other) { return use_of_part((one + other) % kParts); }

SampleSet draw_senses(std::size_t count, const SentenceDraw& draw) {
  const SenseLexicon& lexicon = sense_lexicon();
  SampleSet samples;
  for (std::size_t k = 0; k < count; ++k) {
    Dice dice(draw, Dice::senses, k);
    const int word = dice.below(static_cast<int>(lexicon.ambiguous.size()));
    const int cue = lexicon.cue(lexicon.ambiguous[word].topic[dice.below(2)],
                                cue_number(word / 2, draw.use, dice));
    add_sense(sense_frame(word / 2, draw.use, dice), word, cue, samples);
  }
  return samples;
}

SampleSet crossed_senses(std::size_t fours, const SentenceDraw& draw) {
  const SenseLexicon& lexicon = sense_lexicon();
  SampleSet samples;
  for (std::size_t k = 0; k < fours; ++k) {
    Dice dice(draw, Dice::senses, k);
    const int pair = dice.below(kSensePairs);
    int cue[2];
    for (int sense = 0; sense < 2; ++sense)
      cue[sense] =
          lexicon.cue(lexicon.ambiguous[2 * pair].topic[sense], cue_number(pair, draw.use, dice));
    const Frame frame = sense_frame(pair, draw.use, dice);
    for (const int word : {2 * pair, 2 * pair + 1})
      for (const int sense : {0, 1}) add_sense(frame, word, cue[sense], samples);
  }
  return samples;
}

SampleSet draw_orders(std::size_t count, const SentenceDraw& draw) {
  SampleSet samples;
  for (std::size_t k = 0; k < count; ++k) {
    Dice dice(draw, Dice::orders, k);
    const Clause clause = draw_clause(draw.use, dice);
    const int asked = dice.below(2);
    add_sentence(clause.words, clause.place[asked], asked, samples);
  }
  return samples;
}

SampleSet exchanged_orders(std::size_t twos, const SentenceDraw& draw) {
  SampleSet samples;
  for (std::size_t k = 0; k < twos; ++k) {
    Dice dice(draw, Dice::orders, k);
    Clause clause = draw_clause(draw.use, dice);
    add_sentence(clause.words, clause.place[0], 0, samples);
    std::swap(clause.words[clause.place[0]], clause.words[clause.place[1]]);
    add_sentence(clause.words, clause.place[1], 1, samples);
  }
  return samples;
}

std::vector<int> BagOfWords::verdicts(const SampleSet& train, const SampleSet& test) const {
  // (asked, tokens and the asked one apart, vocabulary, labels)
  const auto words = static_cast<std::size_t>(vocabulary), table = 4 * words;
  std::vector<double> count(by_asked ? words * table : table, 1.0);
  const auto visit = [&](const SampleSet& set, std::size_t sample, const auto& act) {
    const auto asked = static_cast<std::size_t>(set.word[set.first[sample] + set.asked[sample]]);
    const std::size_t own = by_asked ? asked * table : 0;
    for (std::size_t i = set.first[sample]; i < set.first[sample + 1]; ++i)
      act(own + 2 * static_cast<std::size_t>(set.word[i]));
    act(own + 2 * (words + asked));
  };
  for (std::size_t sample = 0; sample < train.samples(); ++sample)
    visit(train, sample, [&](std::size_t at) { count[at + train.label[sample]] += 1; });
  std::vector<int> verdict;
  for (std::size_t sample = 0; sample < test.samples(); ++sample) {
    double score = 0;
    visit(test, sample, [&](std::size_t at) { score += std::log(count[at] / count[at + 1]); });
    verdict.push_back(score >= 0 ? 0 : 1);
  }
  return verdict;
}

}  // namespace murmur
