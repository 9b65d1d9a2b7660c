// sentences.cpp: draws sentences of two tasks (senses and order) from a small lexicon.
#include "murmur/sentences.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "murmur/random.h"

namespace murmur {

// --- The lexicon.

namespace {

enum Topic { water, money, tools, body, music, sport, animals, law, plants, kTopics };
constexpr const char* kTopicNames[kTopics] = {"water", "money",   "tools", "body",  "music",
                                              "sport", "animals", "law",   "plants"};
static_assert(kTopics == 9);

// One word has the topics in this order, the other in reverse.
struct Pair {
  const char *word, *reversed;
  Topic first, second;
};
constexpr Pair kPairs[kSensePairs] = {
    {"bank", "pool", water, money},    {"palm", "trunk", plants, body},
    {"nail", "joint", tools, body},    {"organ", "drum", music, body},
    {"crane", "ram", animals, tools},  {"bat", "butterfly", animals, sport},
    {"buck", "bull", money, animals},  {"pitch", "score", music, sport},
    {"court", "trial", law, sport},    {"note", "bar", money, music},
    {"horn", "scale", music, animals}, {"mouth", "arm", body, water},
    {"branch", "mint", plants, money}, {"hammer", "iron", tools, sport},
    {"reed", "root", plants, music},   {"fine", "charge", law, money},
};

constexpr const char* kCues[kTopics][kTopicCues] = {
    {"river", "boat", "stream", "lake", "fish", "flood", "shore", "ferry", "swim", "wave", "tide",
     "sail", "ocean", "harbour", "rain", "bridge"},
    {"loan", "cash", "credit", "coin", "price", "wallet", "debt", "salary", "invest", "profit",
     "account", "cheque", "market", "budget", "tax", "savings"},
    {"wood", "carpenter", "drill", "board", "screw", "workshop", "build", "timber", "leaks",
     "plank", "bench", "ladder", "emergency", "sawdust", "bolt", "repair"},
    {"doctor", "hand", "finger", "blood", "skin", "heart", "muscle", "pain", "breakfast", "nurse",
     "shoulder", "knee", "surgery", "lung", "wrist", "heal"},
    {"guitar", "song", "choir", "violin", "melody", "concert", "singer", "piano", "tune", "rhythm",
     "orchestra", "chord", "opera", "flute", "jazz", "composer"},
    {"team", "goal", "player", "match", "coach", "stadium", "tennis", "referee", "league", "throw",
     "race", "athlete", "medal", "champion", "golf", "train"},
    {"farm", "feather", "zoo", "horse", "wild", "herd", "hunt", "cage", "nest", "sheep", "stable",
     "wing", "tail", "hoof", "fur", "beast"},
    {"judge", "lawyer", "crime", "jury", "guilty", "prison", "police", "verdict", "witness",
     "appeal", "theft", "statute", "accused", "warrant", "lawsuit", "convict"},
    {"leaf", "garden", "flower", "soil", "seed", "tree", "grow", "forest", "blossom", "bark",
     "shade", "prune", "orchard", "moss", "fern", "grass"},
};

constexpr const char* kFillers[] = {
    "the",  "a",     "this",  "that",  "one",    "some",   "old",    "new",   "small", "large",
    "good", "plain", "quiet", "early", "late",   "near",   "behind", "under", "over",  "beside",
    "with", "and",   "then",  "while", "often",  "today",  "never",  "again", "still", "only",
    "was",  "had",   "came",  "stood", "seemed", "before", "after",  "where", "there", "slowly"};

constexpr const char* kNames[] = {"ada",   "ben",  "cleo", "dan",  "eva", "finn", "gina", "hugo",
                                  "iris",  "jack", "kate", "leo",  "mia", "noah", "olga", "paul",
                                  "quinn", "rosa", "sam",  "tess", "ugo", "vera", "will", "zoe"};
constexpr const char* kVerbs[] = {"hears", "sees",  "calls", "meets",
                                  "helps", "knows", "finds", "follows"};

}  // namespace

int SenseLexicon::topic_of(int word) const {
  if (word < cue(0, 0) || word >= first_filler()) return -1;
  return (word - cue(0, 0)) / kTopicCues;
}

const SenseLexicon& sense_lexicon() {
  static const SenseLexicon lexicon = [] {
    SenseLexicon all;
    for (const Pair& pair : kPairs) {
      all.words.insert(all.words.end(), {pair.word, pair.reversed});
      all.ambiguous.push_back({{pair.first, pair.second}});
      all.ambiguous.push_back({{pair.second, pair.first}});
    }
    all.topics.assign(std::begin(kTopicNames), std::end(kTopicNames));
    for (const auto& cues : kCues) all.words.insert(all.words.end(), cues, cues + kTopicCues);
    all.words.insert(all.words.end(), std::begin(kFillers), std::end(kFillers));
    return all;
  }();
  return lexicon;
}

const OrderLexicon& order_lexicon() {
  static const OrderLexicon lexicon = [] {
    OrderLexicon all;
    all.words.assign(std::begin(kNames), std::end(kNames));
    all.words.insert(all.words.end(), std::begin(kVerbs), std::end(kVerbs));
    all.words.insert(all.words.end(), std::begin(kFillers), std::end(kFillers));
    all.names = static_cast<int>(std::size(kNames));
    all.verbs = static_cast<int>(std::size(kVerbs));
    return all;
  }();
  return lexicon;
}

// --- The sentences.

namespace {

constexpr int kShortestSense = kFarthestCue + 1;
constexpr int kShortestOrder = 7, kLongestOrder = 12;
constexpr int kParts =
    8;  // of cues, and of pairs of names: one is for the test, one for validation

// Random draws for one sentence, one after another.
class SentenceDraws {
 public:
  enum Grammar : std::uint32_t {
    senses = 16,
    orders = 32
  };  // after the streams for pairs of pictures
  SentenceDraws(const SentenceDraw& draw, Grammar grammar, std::size_t number)
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
  // Removes a random element of a list and returns it.
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

int cue_number(int pair, Use use, SentenceDraws& draws) {
  std::vector<int> numbers;
  for (int number = 0; number < kTopicCues; ++number)
    if (use_of_cue(pair, number) == use) numbers.push_back(number);
  return draws.take(numbers);
}

bool has_topic(const SenseLexicon::Ambiguous& word, int topic) {
  return word.topic[0] == topic || word.topic[1] == topic;
}

// A sentence without the word that is asked about and its cue, whose places are free.
struct Frame {
  std::vector<int> words{};
  int asked = 0, cue = 0;
};
Frame sense_frame(int pair, Use use, SentenceDraws& draws) {
  const SenseLexicon& lexicon = sense_lexicon();
  const SenseLexicon::Ambiguous& own = lexicon.ambiguous[2 * pair];
  const int n = draws.between(kShortestSense, kLongestSentence);
  const int apart = draws.between(1, kFarthestCue), left = draws.below(n - apart);
  const bool after = draws.coin();
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
  for (int& word : frame.words) word = lexicon.first_filler() + draws.below(fillers);
  const int other = draws.take(others);
  frame.words[draws.take(free)] = other;
  frame.words[draws.take(free)] = lexicon.cue(lexicon.ambiguous[other].topic[draws.below(2)],
                                              cue_number(other / 2, use, draws));
  for (int k = 0; k < kStrayCues; ++k) {
    const int topic = topics[draws.below(static_cast<int>(topics.size()))];
    frame.words[draws.take(free)] = lexicon.cue(topic, draws.below(kTopicCues));
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

// A complete clause NAME VERB NAME with fillers, and the name that is asked about.
struct Clause {
  std::vector<int> words{};
  int place[2] = {};  // of subject and object
};
Clause draw_clause(Use use, SentenceDraws& draws) {
  const OrderLexicon& lexicon = order_lexicon();
  const int n = draws.between(kShortestOrder, kLongestOrder);
  const int fillers = static_cast<int>(lexicon.words.size()) - lexicon.names - lexicon.verbs;
  Clause clause{std::vector<int>(n)};
  for (int& word : clause.words) word = lexicon.names + lexicon.verbs + draws.below(fillers);
  std::vector<int> places(n), others, three;
  for (int i = 0; i < n; ++i) places[i] = i;
  for (int k = 0; k < 3; ++k) three.push_back(draws.take(places));
  std::sort(three.begin(), three.end());
  const int one = draws.below(lexicon.names);
  for (int other = 0; other < lexicon.names; ++other)
    if (other != one && use_of_names(one, other) == use) others.push_back(other);
  clause.words[three[0]] = one;
  clause.words[three[1]] = lexicon.names + draws.below(lexicon.verbs);
  clause.words[three[2]] = draws.take(others);
  clause.place[0] = three[0];
  clause.place[1] = three[2];
  return clause;
}

Use use_of_part(int part) {
  return part == 0 ? Use::test : part == 1 ? Use::validation : Use::train;
}

}  // namespace

// Every topic has pairs of even and of odd number, so every cue is learned with some pair.
Use use_of_cue(int pair, int number) { return use_of_part((kParts / 2 * pair + number) % kParts); }
Use use_of_names(int one, int other) { return use_of_part((one + other) % kParts); }

SampleSet draw_senses(std::size_t count, const SentenceDraw& draw) {
  const SenseLexicon& lexicon = sense_lexicon();
  SampleSet samples;
  for (std::size_t k = 0; k < count; ++k) {
    SentenceDraws draws(draw, SentenceDraws::senses, k);
    const int word = draws.below(static_cast<int>(lexicon.ambiguous.size()));
    const int cue = lexicon.cue(lexicon.ambiguous[word].topic[draws.below(2)],
                                cue_number(word / 2, draw.use, draws));
    add_sense(sense_frame(word / 2, draw.use, draws), word, cue, samples);
  }
  return samples;
}

SampleSet crossed_senses(std::size_t fours, const SentenceDraw& draw) {
  const SenseLexicon& lexicon = sense_lexicon();
  SampleSet samples;
  for (std::size_t k = 0; k < fours; ++k) {
    SentenceDraws draws(draw, SentenceDraws::senses, k);
    const int pair = draws.below(kSensePairs);
    int cue[2];
    for (int sense = 0; sense < 2; ++sense)
      cue[sense] =
          lexicon.cue(lexicon.ambiguous[2 * pair].topic[sense], cue_number(pair, draw.use, draws));
    const Frame frame = sense_frame(pair, draw.use, draws);
    for (const int word : {2 * pair, 2 * pair + 1})
      for (const int sense : {0, 1}) add_sense(frame, word, cue[sense], samples);
  }
  return samples;
}

SampleSet draw_orders(std::size_t count, const SentenceDraw& draw) {
  SampleSet samples;
  for (std::size_t k = 0; k < count; ++k) {
    SentenceDraws draws(draw, SentenceDraws::orders, k);
    const Clause clause = draw_clause(draw.use, draws);
    const int asked = draws.below(2);
    add_sentence(clause.words, clause.place[asked], asked, samples);
  }
  return samples;
}

SampleSet exchanged_orders(std::size_t twos, const SentenceDraw& draw) {
  SampleSet samples;
  for (std::size_t k = 0; k < twos; ++k) {
    SentenceDraws draws(draw, SentenceDraws::orders, k);
    Clause clause = draw_clause(draw.use, draws);
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
