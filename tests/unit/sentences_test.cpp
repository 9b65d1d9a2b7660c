// sentences_test.cpp: both grammars say what their header says of them; bags of words beside them.
#include "murmur/sentences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "murmur/error.h"
#include "murmur/training.h"
#include "refused.h"

namespace murmur {
namespace {

std::vector<int> words_of(const SampleSet& samples, std::size_t k) {
  return {samples.word.begin() + static_cast<std::ptrdiff_t>(samples.first[k]),
          samples.word.begin() + static_cast<std::ptrdiff_t>(samples.first[k + 1])};
}

// What a sentence of word sense is made of, found again in its words.
struct Found {
  int word = 0, cue = -1, distance = 0;  // the asked word, its cue, places between
  int own_cues = 0, other_cues = 0, others = 0;
};
Found found_in(const SampleSet& samples, std::size_t k) {
  const SenseLexicon& lexicon = sense_lexicon();
  const std::vector<int> words = words_of(samples, k);
  Found f;
  f.word = words[samples.asked[k]];
  const auto& own = lexicon.ambiguous[f.word];
  for (int i = 0; i < static_cast<int>(words.size()); ++i) {
    const int topic = lexicon.topic_of(words[i]);
    if (topic == own.topic[0] || topic == own.topic[1]) {
      f.cue = words[i];
      f.distance = std::abs(i - samples.asked[k]);
      ++f.own_cues;
    } else if (topic >= 0) {
      ++f.other_cues;
    } else if (i != samples.asked[k] && words[i] < static_cast<int>(lexicon.ambiguous.size())) {
      ++f.others;
    }
  }
  return f;
}

int number_of(int cue) { return (cue - sense_lexicon().cue(0, 0)) % kTopicCues; }

TEST(Lexicons, AreLargeEnoughAndSayNoWordTwice) {
  EXPECT_GE(sense_lexicon().ambiguous.size(), 20u);
  EXPECT_GE(sense_lexicon().words.size(), 200u);
  EXPECT_EQ(sense_lexicon().topics.size(), 9u);
  EXPECT_EQ(sense_lexicon().words[0], "bank");
  for (const Task task : {Task::sense, Task::order}) {
    const std::vector<std::string>& words = vocabulary_of(task);
    EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), words.size());
  }
  for (std::size_t k = 0; k < sense_lexicon().ambiguous.size(); ++k) {
    const auto &one = sense_lexicon().ambiguous[k], &other = sense_lexicon().ambiguous[k ^ 1];
    EXPECT_EQ(one.topic[0], other.topic[1]);
    EXPECT_EQ(one.topic[1], other.topic[0]);
    EXPECT_NE(one.topic[0], one.topic[1]);
  }
}

// Otherwise nothing could be known of it in the test.
TEST(Lexicons, EveryCueAndNameIsLearnedWithSomeone) {
  const SenseLexicon& lexicon = sense_lexicon();
  std::set<int> learned;
  int tested = 0;
  for (int pair = 0; pair < kSensePairs; ++pair)
    for (int number = 0; number < kTopicCues; ++number) {
      const Use use = use_of_cue(pair, number);
      tested += use == Use::test ? 1 : 0;
      for (const int topic : lexicon.ambiguous[2 * pair].topic)
        if (use == Use::train) learned.insert(lexicon.cue(topic, number));
    }
  EXPECT_EQ(learned.size(), lexicon.topics.size() * kTopicCues);
  EXPECT_EQ(tested, kSensePairs * kTopicCues / 8);
  for (int one = 0; one < order_lexicon().names; ++one) {
    std::map<Use, int> uses;
    for (int other = 0; other < order_lexicon().names; ++other)
      if (other != one) ++uses[use_of_names(one, other)];
    for (const Use use : {Use::train, Use::validation, Use::test}) EXPECT_GT(uses[use], 0) << one;
  }
}

TEST(Senses, SentencesAreWhatTheGrammarSays) {
  const SenseLexicon& lexicon = sense_lexicon();
  for (const Use use : {Use::train, Use::validation, Use::test}) {
    const SampleSet samples = draw_senses(3000, {.seed = 4, .use = use});
    std::map<int, int> distances, labels;
    std::set<int> words;
    for (std::size_t k = 0; k < samples.samples(); ++k) {
      const Found f = found_in(samples, k);
      ASSERT_LT(f.word, static_cast<int>(lexicon.ambiguous.size()));
      EXPECT_EQ(f.own_cues, 1);
      EXPECT_EQ(f.other_cues, 1 + kStrayCues);
      EXPECT_EQ(f.others, 1);
      EXPECT_EQ(lexicon.topic_of(f.cue), lexicon.ambiguous[f.word].topic[samples.label[k]]);
      EXPECT_EQ(use_of_cue(f.word / 2, number_of(f.cue)), use);
      EXPECT_EQ(f.distance, distance_to_cue(Task::sense, samples, k));
      EXPECT_GE(samples.size_of(k), 11);
      EXPECT_LE(samples.size_of(k), kLongestSentence);
      ++distances[f.distance];
      ++labels[samples.label[k]];
      words.insert(f.word);
    }
    EXPECT_EQ(words.size(), lexicon.ambiguous.size());
    for (int distance = 1; distance <= kFarthestCue; ++distance)
      EXPECT_NEAR(distances[distance], 300, 70) << distance;
    EXPECT_NEAR(labels[0], 1500, 120);
  }
}

TEST(Senses, FoursDifferInTwoWordsAlone) {
  const SampleSet samples = crossed_senses(200, {.use = Use::test});
  ASSERT_EQ(samples.samples(), 800u);
  for (std::size_t k = 0; k < samples.samples(); k += 4) {
    const int labels[] = {0, 1, 1, 0};
    Found four[4];
    for (std::size_t m = 0; m < 4; ++m) {
      EXPECT_EQ(samples.label[k + m], labels[m]);
      EXPECT_EQ(samples.asked[k + m], samples.asked[k]);
      four[m] = found_in(samples, k + m);
      std::vector<int> first = words_of(samples, k), here = words_of(samples, k + m);
      ASSERT_EQ(here.size(), first.size());
      int apart = 0;
      for (std::size_t i = 0; i < here.size(); ++i) apart += here[i] != first[i] ? 1 : 0;
      EXPECT_EQ(apart, m == 0 ? 0 : m == 3 ? 2 : 1);
    }
    EXPECT_EQ(four[0].word, four[1].word);
    EXPECT_EQ(four[2].word, four[0].word ^ 1);
    EXPECT_EQ(four[0].cue, four[2].cue);
    EXPECT_EQ(four[1].cue, four[3].cue);
  }
}

TEST(Orders, SentencesAreWhatTheGrammarSays) {
  const OrderLexicon& lexicon = order_lexicon();
  for (const Use use : {Use::train, Use::validation, Use::test}) {
    const SampleSet samples = draw_orders(1000, {.seed = 2, .use = use});
    int subjects = 0;
    for (std::size_t k = 0; k < samples.samples(); ++k) {
      const std::vector<int> words = words_of(samples, k);
      std::vector<int> names, verbs;
      for (int i = 0; i < static_cast<int>(words.size()); ++i) {
        if (words[i] < lexicon.names) names.push_back(i);
        if (words[i] >= lexicon.names && words[i] < lexicon.names + lexicon.verbs)
          verbs.push_back(i);
      }
      ASSERT_EQ(names.size(), 2u);
      ASSERT_EQ(verbs.size(), 1u);
      EXPECT_LT(names[0], verbs[0]);
      EXPECT_LT(verbs[0], names[1]);
      EXPECT_EQ(samples.asked[k], names[samples.label[k]]);
      EXPECT_EQ(use_of_names(words[names[0]], words[names[1]]), use);
      EXPECT_EQ(distance_to_cue(Task::order, samples, k), names[1] - names[0]);
      subjects += samples.label[k] == 0 ? 1 : 0;
    }
    EXPECT_NEAR(subjects, 500, 70);
  }
  const SampleSet twos = exchanged_orders(300, {.use = Use::test});
  for (std::size_t k = 0; k < twos.samples(); k += 2) {
    std::vector<int> one = words_of(twos, k), other = words_of(twos, k + 1);
    EXPECT_EQ(one[twos.asked[k]], other[twos.asked[k + 1]]);
    EXPECT_NE(one, other);
    std::sort(one.begin(), one.end());
    std::sort(other.begin(), other.end());
    EXPECT_EQ(one, other);  // the same words
    EXPECT_EQ(twos.label[k], 0);
    EXPECT_EQ(twos.label[k + 1], 1);
  }
}

TEST(Sentences, AreDrawnByTheirNumberAlone) {
  const SampleSet few = draw_senses(10, {.seed = 3, .step = 2});
  const SampleSet many = draw_senses(100, {.seed = 3, .step = 2});
  for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(words_of(few, k), words_of(many, k));
  EXPECT_NE(draw_senses(10, {.seed = 3, .step = 1}).word, few.word);
  EXPECT_NE(draw_senses(10, {.seed = 4, .step = 2}).word, few.word);
}

double share_right(const std::vector<int>& verdict, const SampleSet& samples) {
  double right = 0;
  for (std::size_t k = 0; k < verdict.size(); ++k) right += verdict[k] == samples.label[k] ? 1 : 0;
  return right / static_cast<double>(verdict.size());
}

// One table of votes is additive; a table for each asked word knows the pairs it has counted, and
// nothing of others: its votes on both sentences of a word are the same.
TEST(BagsOfWords, VotesCancelInFoursAndTablesKnowOnlyWhatTheySaw) {
  const SampleSet train = draw_senses(20000, {}), seen = draw_senses(2000, {.step = 1});
  const SampleSet unseen = test_sentences(Task::sense);
  const int vocabulary = static_cast<int>(sense_lexicon().words.size());
  const BagOfWords one{vocabulary, false}, by_word{vocabulary, true};
  const std::vector<int> votes = one.verdicts(train, unseen);
  for (std::size_t k = 0; k < votes.size(); k += 4) {
    int right = 0;
    for (std::size_t m = k; m < k + 4; ++m) right += votes[m] == unseen.label[m] ? 1 : 0;
    EXPECT_LE(right, 3);
  }
  EXPECT_EQ(share_right(by_word.verdicts(train, unseen), unseen), 0.5);
  EXPECT_GT(share_right(by_word.verdicts(train, seen), seen), 0.95);
  EXPECT_LT(share_right(one.verdicts(train, seen), seen), 0.7);
}

TEST(Sentences, AreReadFromText) {
  const SampleSet sample =
      read_sentence(Task::sense, "The boat, near this bank; the LAWYER again.", "");
  EXPECT_EQ(sentence_text(Task::sense, sample, 0), "the boat near this bank the lawyer again");
  EXPECT_EQ(asked_word(Task::sense, sample, 0), "bank");
  EXPECT_EQ(sample.asked[0], 4);
  EXPECT_EQ(meaning_of(Task::sense, "bank", 0), "water");
  EXPECT_EQ(meaning_of(Task::sense, "pool", 0), "money");
  EXPECT_EQ(meaning_of(Task::order, "ada", 1), "object");
  EXPECT_EQ(read_sentence(Task::order, "Ada hears Ben", "ben").asked[0], 2);
  for (std::size_t k = 0; k < 40; ++k) {
    const SampleSet test = test_sentences(Task::sense);
    const SampleSet again = read_sentence(Task::sense, sentence_text(Task::sense, test, k),
                                          asked_word(Task::sense, test, k));
    EXPECT_EQ(words_of(again, 0), words_of(test, k));
    EXPECT_EQ(again.asked[0], test.asked[k]);
  }
  const auto refused = [](const char* text, const char* asked, const char* what) {
    std::string told;
    EXPECT_EQ(fault_of([&] { read_sentence(Task::sense, text, asked); }, &told), Fault::input);
    EXPECT_NE(told.find(what), std::string::npos) << told;
  };
  refused("the riverr bank", "", "riverr");
  refused("", "", "0 words");
  refused("the the the the the the the the the the the the the the the", "", "15 words");
  refused("the boat came", "", "could be asked");
  refused("the boat bank", "nail", "no word nail");
  refused("the boat bank", "boat", "boat is not an ambiguous word");
}

}  // namespace
}  // namespace murmur
