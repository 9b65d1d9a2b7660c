// sentence_text.cpp: sentences of a task as text and back, and what the answers mean.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "murmur/error.h"
#include "murmur/training.h"

namespace murmur {

namespace {

// Letters of both cases, digits and hyphens make words; all else parts them.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    const auto c = static_cast<unsigned char>(letter);
    if (std::isalnum(c) != 0 || c == '-' || c >= 128)
      words.back() += static_cast<char>(std::tolower(c));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

int number_of(Task task, const std::string& word) {
  const std::vector<std::string>& all = vocabulary_of(task);
  const auto found = std::find(all.begin(), all.end(), word);
  if (found != all.end()) return static_cast<int>(found - all.begin());
  const std::string near = did_you_mean(word, all);
  throw Error(Fault::input, fmt::format("the swarm has not learned the word \"{}\"", word), "text",
              near.empty() ? fmt::format("use the {} words that docs/words.md lists", all.size())
                           : fmt::format("did you mean {}?", near));
}

int place_of_asked(Task task, const std::vector<int>& words, const std::string& asked) {
  const int wanted =
      asked.empty()
          ? -1
          : number_of(task, split_words(asked).empty() ? asked : split_words(asked).front());
  const auto found = std::find_if(words.begin(), words.end(), [&](int word) {
    return asked.empty() ? is_asked_about(task, word) : word == wanted;
  });
  const char* kind = task == Task::sense ? "an ambiguous word" : "a name";
  if (found == words.end())
    throw Error(
        Fault::input,
        asked.empty() ? fmt::format("the sentence has no word that could be asked about")
                      : fmt::format("the sentence has no word {}", asked),
        "text",
        fmt::format("write a sentence with {}, like {}", kind, vocabulary_of(task).front()));
  if (!is_asked_about(task, *found))
    throw Error(Fault::input, fmt::format("{} is not {}", asked, kind), "asked",
                fmt::format("ask about {}, like {}", kind, vocabulary_of(task).front()));
  return static_cast<int>(found - words.begin());
}

}  // namespace

const std::vector<std::string>& vocabulary_of(Task task) {
  static const std::vector<std::string> none;
  if (!reads_words(task)) return none;
  return task == Task::sense ? sense_lexicon().words : order_lexicon().words;
}

bool is_asked_about(Task task, int word) {
  return word < (task == Task::sense ? static_cast<int>(sense_lexicon().ambiguous.size())
                                     : order_lexicon().names);
}

SampleSet read_sentence(Task task, const std::string& text, const std::string& asked) {
  SampleSet sample;
  for (const std::string& word : split_words(text)) sample.word.push_back(number_of(task, word));
  if (sample.word.empty() || sample.word.size() > kLongestSentence)
    throw Error(Fault::input, fmt::format("the sentence has {} words", sample.word.size()), "text",
                fmt::format("write 1 to {} words", kLongestSentence));
  sample.first = {0, sample.word.size()};
  sample.asked = {place_of_asked(task, sample.word, asked)};
  sample.label = {-1};
  return sample;
}

std::string sentence_text(Task task, const SampleSet& samples, std::size_t sample) {
  const std::vector<std::string>& words = vocabulary_of(task);
  std::string text;
  for (std::size_t i = samples.first[sample]; i < samples.first[sample + 1]; ++i)
    text += (text.empty() ? "" : " ") + words[samples.word[i]];
  return text;
}

std::string asked_word(Task task, const SampleSet& samples, std::size_t sample) {
  return vocabulary_of(task)[samples.word[samples.first[sample] + samples.asked[sample]]];
}

std::string meaning_of(Task task, const std::string& word, int label) {
  if (task != Task::sense) return class_names(task, {})[label];
  const SenseLexicon& lexicon = sense_lexicon();
  const auto at = std::find(lexicon.words.begin(), lexicon.words.end(), word);
  return lexicon.topics[lexicon.ambiguous[at - lexicon.words.begin()].topic[label]];
}

int distance_to_cue(Task task, const SampleSet& samples, std::size_t sample) {
  const int asked = samples.asked[sample];
  const int* words = samples.word.data() + samples.first[sample];
  for (int i = 0; i < samples.size_of(sample); ++i) {
    if (i == asked) continue;
    if (task == Task::order && words[i] < order_lexicon().names) return std::abs(i - asked);
    if (task != Task::sense) continue;
    const auto& own = sense_lexicon().ambiguous[words[asked]];
    const int topic = sense_lexicon().topic_of(words[i]);
    if (topic == own.topic[0] || topic == own.topic[1]) return std::abs(i - asked);
  }
  return 0;
}

}  // namespace murmur
