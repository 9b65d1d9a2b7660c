// sentences.cpp: murmur classify for swarms that read sentences.
#include "sentences.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "murmur/error.h"

namespace murmur::app {

namespace {

// Samples first to last of the test; nothing where `text` does not name the test.
struct Span {
  std::size_t first = 0, last = 0;
};
std::optional<Span> span_of(const std::string& text, std::size_t count) {
  if (text != "test" && text.rfind("test:", 0) != 0) return std::nullopt;
  Span span{0, count - 1};
  if (text == "test") return span;
  const char *at = text.data() + 5, *end = text.data() + text.size();
  auto read = std::from_chars(at, end, span.first);
  span.last = span.first;
  if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-')
    read = std::from_chars(read.ptr + 1, end, span.last);
  if (read.ec != std::errc{} || read.ptr != end || span.first > span.last || span.last >= count)
    throw Error(Fault::input, "there are no such sentences", "command line: text=" + text,
                fmt::format("write text=test:0-9; the test has sentences 0 to {}", count - 1));
  return span;
}

SampleSet chosen_sentences(const TrainedSwarm& swarm, const std::string& text,
                           const std::string& asked, Span& span) {
  const SampleSet test = test_sentences(swarm.task);
  const std::optional<Span> named = span_of(text, test.samples());
  if (!named) return read_sentence(swarm.task, text, asked);
  span = *named;
  SampleSet chosen{.first = {0}};
  for (std::size_t k = span.first; k <= span.last; ++k) {
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
  Span span;
  const SampleSet samples = chosen_sentences(swarm, text, asked, span);
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
      rows.push_back({{"index", span.first + k},
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
        fmt::format("{} {} {} {:.4f} {:.4f} {:.4f}", span.first + k, word, says,
                    chances(row, verdict), verdicts.scores(row, 0), verdicts.scores(row, 1));
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
