// sentences.cpp: the page of a swarm that reads sentences: one of them, its test, its mistakes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "murmur/error.h"
#include "report/digits.h"
#include "report/training.h"

namespace murmur {

namespace {

struct Examination {
  const TrainedSwarm& swarm;
  SampleSet samples{};
  Verdicts verdicts{};
  Matrix chances{};
  bool right(std::size_t k) const { return samples.label[k] == verdicts.verdict[k]; }
  double chance(std::size_t k) const { return chances(static_cast<int>(k), verdicts.verdict[k]); }
};

bool selects(const Architecture& a) {
  return a.interaction == Architecture::attention && !a.rotary;
}

// The sentences that are judged correctly, or wrongly, the most confident first.
std::vector<std::size_t> most_confident(const Examination& e, bool right) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < e.samples.samples(); ++k)
    if (e.right(k) == right) chosen.push_back(k);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return e.chance(a) > e.chance(b); });
  return chosen;
}

void add_facts(RunReport& report, const Examination& e) {
  const TrainingSummary s = read_summary(report.run());
  auto& facts = report.page.facts;
  facts.emplace_back(fmt::format("{:.2f}\u202f%", 100 * s.test_accuracy), "test accuracy");
  if (std::isfinite(s.validation_accuracy))
    facts.emplace_back(fmt::format("{:.2f}\u202f%", 100 * s.validation_accuracy),
                       "validation accuracy");
  facts.emplace_back(fmt::format("{}", e.swarm.parameters.size()), "parameters");
  facts.emplace_back(fmt::format("{}", s.epochs), "epochs");
  facts.emplace_back(fmt::format("{:.0f}", s.images_per_second), "sentences per second");
  facts.emplace_back(fmt::format("{}", s.seed), "seed");
}

// The test by the distance between the asked word and its cue.
void add_distances(RunReport& report, const Examination& e) {
  std::map<int, std::pair<int, int>> counts;  // right, all
  for (std::size_t k = 0; k < e.samples.samples(); ++k) {
    auto& [right, all] = counts[distance_to_cue(e.swarm.task, e.samples, k)];
    right += e.right(k) ? 1 : 0;
    all += 1;
  }
  TextTable table{{"places away", "sentences", "right"}};
  for (const auto& [distance, count] : counts)
    table.push_back({fmt::format("{}", distance), fmt::format("{}", count.second),
                     fmt::format("{:.1f}\u202f%", 100.0 * count.first / count.second)});
  report.add_table(
      "The test",
      e.swarm.task == Task::sense
          ? "By the distance of the cue from the asked word; training never showed a word of the "
            "test with its cue."
          : "By the distance between the names; training never showed two names of the test "
            "together.",
      table);
}

void add_mistakes(RunReport& report, const Examination& e) {
  constexpr std::size_t kMost = 12;
  TextTable table{{"sentence", "word", "it is", "it says", "chance"}};
  for (const std::size_t k : most_confident(e, false)) {
    if (table.size() > kMost) break;
    const std::string word = asked_word(e.swarm.task, e.samples, k);
    table.push_back({sentence_text(e.swarm.task, e.samples, k), word,
                     meaning_of(e.swarm.task, word, e.samples.label[k]),
                     meaning_of(e.swarm.task, word, e.verdicts.verdict[k]),
                     fmt::format("{:.1f}\u202f%", 100 * e.chance(k))});
  }
  if (table.size() > 1)
    report.add_table("Its mistakes", "Wrong answers, the most confident first.", table);
}

}  // namespace

// a_{asked j} = softmax_j(<q_asked, k_j> / sqrt k), the mean over the heads.
SentencePicture picture_of_sentence(const TrainedSwarm& swarm, const SampleSet& samples,
                                    std::size_t sample) {
  const Architecture& a = swarm.architecture;
  if (!selects(a))
    throw Error(Fault::input, "the swarm selects no messages that could be drawn",
                "in the architecture",
                "use interaction=attention, and positions other than rotary");
  const SampleTrajectory trajectory = simulate_sample(swarm, samples, sample);
  const std::string word = asked_word(swarm.task, samples, sample);
  SentencePicture s;
  const int n = samples.size_of(sample), width = width_of_head(a);
  for (int i = 0; i < n; ++i)
    s.words.push_back(vocabulary_of(swarm.task)[samples.word[samples.first[sample] + i]]);
  s.asked = samples.asked[sample];
  s.weights = zeros(a.blocks, n);
  for (int b = 0; b < a.blocks; ++b) {
    std::vector<BlockFields> at;
    for (int i = 0; i < n; ++i) {
      std::vector<double> x(a.d);
      for (int k = 0; k < a.d; ++k) x[k] = trajectory.frames[b].at(i, k);
      at.push_back(fields_at(swarm, b, x));
    }
    for (int h = 0; h < a.heads; ++h) {
      Matrix scores = zeros(1, n);
      for (int j = 0; j < n; ++j)
        for (int k = h * width; k < (h + 1) * width; ++k)
          scores(0, j) += at[s.asked].query[k] * at[j].key[k] / std::sqrt(width);
      const Matrix weights = chances_of(scores);
      for (int j = 0; j < n; ++j) s.weights(b, j) += weights(0, j) / a.heads;
    }
  }
  const Matrix chances = chances_of(trajectory.scores);
  for (int frame = 0; frame < chances.rows; ++frame) s.chance.push_back(chances(frame, 0));
  for (const int label : {0, 1}) s.classes[label] = meaning_of(swarm.task, word, label);
  s.title = fmt::format("\u201c{}\u201d: {}", word, s.classes[s.chance.back() >= 0.5 ? 0 : 1]);
  return s;
}

void report_sentences(RunReport& report, const TrainedSwarm& swarm) {
  Examination e{swarm, test_sentences(swarm.task)};
  e.verdicts = judge(swarm, e.samples, 0);
  e.chances = chances_of(e.verdicts.scores);
  const Architecture& a = swarm.architecture;
  report.page.title = swarm.task == Task::sense
                          ? "The swarm that distinguishes the senses of a word"
                          : "The swarm that distinguishes subject from object";
  report.page.lead = fmt::format(
      "Each word is a token in R^{}, which starts at a learned place. {} block{} of messages and "
      "feed-forward move the tokens; the last place of the asked token gives the verdict.",
      a.d, a.blocks, a.blocks == 1 ? "" : "s");
  add_facts(report, e);
  const std::vector<std::size_t> right = most_confident(e, true);
  std::vector<DigitTrajectory> shown;
  std::string text;
  for (const int label : {0, 1})
    for (const std::size_t k : right)
      if (e.samples.label[k] == label && !a.rotary) {  // these have no Dynamics
        shown.push_back(trajectory_of_sentence(swarm, e.samples, k));
        text += fmt::format("{}Test sentence {}: {}.", text.empty() ? "" : " ", k,
                            sentence_text(swarm.task, e.samples, k));
        break;
      }
  if (!shown.empty()) add_film(report, shown, text);
  if (report.stopped()) return;
  if (selects(a) && !right.empty()) {
    const SentencePicture shown = picture_of_sentence(swarm, e.samples, right.front());
    draw_sentence(shown, {}, report.figures / "sentence.png");
    report.add_picture({.heading = "A sentence",
                        .text = sentence_text(swarm.task, e.samples, right.front()),
                        .picture = report.figures / "sentence.png",
                        .caption = "The weights of the asked word's attention, block by block."});
  }
  add_distances(report, e);
  add_mistakes(report, e);
}

}  // namespace murmur
