// sentences.cpp: murmur classify for swarms that read sentences.
#include "sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "digits.h"
#include "murmur/error.h"

namespace murmur::app {

namespace {

// The numbers of the test sentences that `text` names, test:0-3,8; nothing where it names none.
std::optional<std::vector<std::size_t>> numbers_of(const std::string& text, std::size_t count) {
  if (text != "test" && text.rfind("test:", 0) != 0) return std::nullopt;
  std::vector<std::size_t> numbers(text == "test" ? count : 0);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (text == "test") return numbers;
  const auto spans = index_spans(text.substr(5));
  if (!spans || std::any_of(spans->begin(), spans->end(),
                            [&](const IndexSpan& span) { return span.last >= count; }))
    throw Error(Fault::input, "there are no such sentences", "command line: text=" + text,
                fmt::format("write text=test:0-9, or test:0-3,8; the test has sentences 0 to {}",
                            count - 1));
  for (const auto& [first, last] : *spans)
    for (std::size_t k = first; k <= last; ++k) numbers.push_back(k);
  return numbers;
}

// `index`: of each sample in the test, 0 for a sentence that was written out.
SampleSet chosen_sentences(const TrainedSwarm& swarm, const std::string& text,
                           const std::string& asked, std::vector<std::size_t>& index) {
  const SampleSet test = test_sentences(swarm.task);
  const auto named = numbers_of(text, test.samples());
  if (!named) {
    index = {0};
    return read_sentence(swarm.task, text, asked);
  }
  index = *named;
  SampleSet chosen{.first = {0}};
  for (const std::size_t k : index) {
    chosen.word.insert(chosen.word.end(), test.word.begin() + test.first[k],
                       test.word.begin() + test.first[k + 1]);
    chosen.first.push_back(chosen.word.size());
    chosen.label.push_back(test.label[k]);
    chosen.asked.push_back(test.asked[k]);
  }
  return chosen;
}

}  // namespace

int classify_sentences(const Flags& flags, const TrainedSwarm& swarm, const std::string& text,
                       const std::string& asked) {
  std::vector<std::size_t> index;
  const SampleSet samples = chosen_sentences(swarm, text, asked, index);
  const Verdicts verdicts = judge(swarm, samples, 0);
  const Matrix chances = chances_of(verdicts.scores);
  nlohmann::json rows = nlohmann::json::array();
  std::size_t right = 0, known = 0;
  for (std::size_t k = 0; k < samples.samples(); ++k) {
    const int row = static_cast<int>(k), verdict = verdicts.verdict[k], label = samples.label[k];
    const std::string word = asked_word(swarm.task, samples, k);
    const std::string says = meaning_of(swarm.task, word, verdict);
    const std::string sentence = sentence_text(swarm.task, samples, k);
    known += label >= 0 ? 1 : 0;
    right += label == verdict ? 1 : 0;
    if (flags.json) {
      rows.push_back({{"index", index[k]},
                      {"word", word},
                      {"verdict", says},
                      {"chance", chances(row, verdict)},
                      {"scores",
                       {{meaning_of(swarm.task, word, 0), verdicts.scores(row, 0)},
                        {meaning_of(swarm.task, word, 1), verdicts.scores(row, 1)}}},
                      {"text", sentence}});
      if (label >= 0) rows.back()["label"] = meaning_of(swarm.task, word, label);
      continue;
    }
    std::string line =
        fmt::format("{} {} {} {:.4f} {:.4f} {:.4f}", index[k], word, says, chances(row, verdict),
                    verdicts.scores(row, 0), verdicts.scores(row, 1));
    if (label >= 0)
      line += fmt::format(" {} {}", meaning_of(swarm.task, word, label),
                          label == verdict ? "right" : "wrong");
    data(fmt::format("{} | {}\n", line, sentence));
  }
  if (flags.json) report(rows);
  if (known > 0)
    say(flags, fmt::format("{} of {} right: {:.2f} %", right, known,
                           100.0 * static_cast<double>(right) / static_cast<double>(known)));
  return caught_signal == 0 ? 0 : 128 + caught_signal;
}

}  // namespace murmur::app
