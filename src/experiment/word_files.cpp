// word_files.cpp: words as text and back: sentences of a task, and files of words with points.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/readout.h"
#include "murmur/training.h"
#include "run/file.h"
#include "run/formats.h"

namespace murmur {

// --- Sentences of a task.

namespace {

// Words consist of letters, digits and hyphens; all other characters separate them.
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

// --- Files of words: .npy of points, .csv of words and points.

namespace {

[[noreturn]] void refuse_line(const std::string& where, std::size_t line, const std::string& what,
                              const std::string& remedy) {
  throw Error(Fault::input, what, fmt::format("{}: line {}", where, line), remedy);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

// Splits a line at commas. A field in double quotes may hold commas, and quotes written twice.
// Returns nothing if a quote is not closed.
std::optional<std::vector<std::string>> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '"' && quoted && k + 1 < line.size() && line[k + 1] == '"') {
      fields.back() += line[++k];
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  return fields;
}

bool is_number(const std::string& text) {
  double value = 0;
  return parse_number(text, value);
}

}  // namespace

Vocabulary parse_vocabulary(const std::string& csv, const std::string& where) {
  constexpr const char* kRemedy = "write a word and its d coordinates, or only the coordinates";
  Matrix points;
  std::vector<std::string> words;
  const std::vector<std::string> lines = lines_of(csv);
  bool named = false, first = true;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (lines[l].empty()) continue;
    const auto fields = fields_of(lines[l]);
    if (!fields) refuse_line(where, l + 1, "a quote is not closed", "close it on the same line");
    const bool header = first && !is_number(fields->back());
    if (!header) {
      if (points.empty()) {
        named = fields->size() > 1 && !is_number(fields->front());
        points.cols = static_cast<int>(fields->size()) - (named ? 1 : 0);
      }
      if (static_cast<int>(fields->size()) != points.cols + (named ? 1 : 0))
        refuse_line(where, l + 1, fmt::format("there are {} fields", fields->size()), kRemedy);
      if (points.rows == kMostWords)
        refuse_line(where, l + 1, "there are too many words",
                    fmt::format("give {} at most", kMostWords));
      if (named) words.push_back(fields->front());
      for (std::size_t k = named ? 1 : 0; k < fields->size(); ++k)
        if (!parse_number((*fields)[k], points.data.emplace_back()))
          refuse_line(where, l + 1, fmt::format("'{}' is not a number", (*fields)[k]), kRemedy);
      ++points.rows;
    }
    first = false;
  }
  return vocabulary_of(std::move(points), std::move(words), where);
}

Vocabulary read_vocabulary(const std::filesystem::path& file, const std::filesystem::path& words) {
  const std::string ending = file.extension().string();
  if (ending == ".csv") {
    if (!words.empty())
      throw Error(Fault::input, "a .csv contains its words", "words=" + words.string(),
                  "remove words=, and write them before the coordinates");
    return parse_vocabulary(read_text(file), file.string());
  }
  if (ending != ".npy")
    throw Error(Fault::input, "this is not a file of words", file.string(),
                "give a .npy of shape (V, d) or a .csv of words and coordinates");
  const Array array = read_npy(file);
  if (array.shape.size() != 2 || array.shape[0] < 1 || array.shape[0] > kMostWords ||
      array.shape[1] < 1 || array.shape[1] > 65'536)
    throw Error(Fault::input, "this is not a vocabulary", file.string(),
                fmt::format("save shape (V, d), one row per word, at most {}", kMostWords));
  Matrix points{static_cast<int>(array.shape[0]), static_cast<int>(array.shape[1]),
                array.doubles()};
  return vocabulary_of(std::move(points),
                       words.empty() ? std::vector<std::string>{} : lines_of(read_text(words)),
                       file.string());
}

}  // namespace murmur
