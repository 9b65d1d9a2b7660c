// lexicon.cpp: the words of the two grammars.
#include <iterator>

#include "murmur/sentences.h"

namespace murmur {

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

}  // namespace murmur
