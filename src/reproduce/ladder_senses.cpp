// ladder_senses.cpp: what is asked of readers that tell the sense of a word in its sentence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/ladder.h"

namespace murmur {

namespace {

constexpr int kDepth = 4, kQuickDepth = 2;      // of the readers held against each other
constexpr std::size_t kCounted = 40960;         // sentences that a bag of words counts
constexpr std::uint32_t kSeenStep = 1'000'000;  // sentences of learned pairs that nobody learned

// What is asked of accuracies, in points.
struct Asked {
  double selected;          // they reach it
  double ahead_of_uniform;  // selected messages
  double one_block;         // of selected messages is no more behind
  double bare;              // nor are selected messages without a feed-forward
};
constexpr Asked kAsked{90, 2, 5, 5}, kQuickAsked{75, 0, 20, 20};

double share_right(const std::vector<int>& verdict, const SampleSet& samples) {
  std::size_t right = 0;
  for (std::size_t k = 0; k < verdict.size(); ++k) right += verdict[k] == samples.label[k] ? 1 : 0;
  return 100.0 * static_cast<double>(right) / static_cast<double>(verdict.size());
}

// Accuracies of bags of words, on unseen pairs of word and cue and on pairs that were counted.
struct Bag {
  const char* name;
  double unseen, seen;
};
Bag bag_of(const char* name, bool by_asked) {
  const SampleSet train = draw_senses(kCounted, {});
  const SampleSet seen = draw_senses(4096, {.step = kSeenStep});
  const SampleSet test = test_sentences(Task::sense);
  const BagOfWords bag{static_cast<int>(sense_lexicon().words.size()), by_asked};
  return {name, share_right(bag.verdicts(train, test), test),
          share_right(bag.verdicts(train, seen), seen)};
}

// How far the accuracy of isolated tokens is from a half at most, of any depth and seed.
double farthest_from_half(const Ladder& ladder) {
  double most = 0;
  for (const Rung& rung : ladder.rungs)
    for (const double accuracy : rung.accuracy)
      if (rung.kind == isolated) most = std::max(most, std::fabs(accuracy - 50));
  return most;
}

Check behind(const char* rule, const Rung& best, const Rung& other, double points) {
  const double ours = best.mean() - other.mean();
  Check check = holds(
      rule,
      {fmt::format("points that {}, {} block{}, are behind {} blocks of selected messages",
                   kind_of(other.kind).name, other.depth, other.depth == 1 ? "" : "s", best.depth),
       ours},
      ours <= points, fmt::format("{:g} or less", points));
  check.tolerance = points;
  return check;
}

}  // namespace

Ladder sense_ladder(bool quick) {
  Ladder ladder{.task = Task::sense,
                .stem = "sense",
                .title = "The sense of a word in its sentence",
                .d = 4,
                .depths = {1, 2, 4, 8, 12},
                .blocks = kDepth,
                .hidden = 64,
                .epochs = 20,
                .messenger = true};
  if (!quick) return ladder;
  ladder.depths = {1, 2};
  ladder.blocks = kQuickDepth;
  ladder.epochs = 12;
  return ladder;
}

// With wrong.exchanged readers that know more stand in the place of those that add up votes, and
// readers at chance in the place of those that select.
void check_senses(const Ladder& ladder, const ReproductionControl& control, Reproduction& result) {
  const bool quick = control.quick;
  const Asked& asks = quick ? kQuickAsked : kAsked;
  std::vector<Check>& checks = result.checks;
  const Bag one = bag_of("bag of words", false),
            by_word = bag_of("bag of words, a table a word", true);
  checks.push_back(near("ladder.alone",
                        {"word sense, isolated tokens: points from a half, of any depth and seed",
                         0, farthest_from_half(ladder)},
                        0));
  const bool exchanged = control.wrong.exchanged;
  const double additive = exchanged ? std::max(by_word.seen, ladder.highest(selected))
                                    : std::max(one.unseen, ladder.highest(uniform_bare));
  checks.push_back(holds("ladder.bag",
                         {"word sense, a vote a word: the highest accuracy", additive},
                         additive <= 75, "75 or less"));
  checks.back().published = 75;
  const Rung& best = ladder.at(selected, ladder.blocks);
  const double reached = (exchanged ? ladder.at(isolated, ladder.blocks) : best).mean();
  checks.push_back(
      holds("ladder.words",
            {fmt::format("word sense, selected messages, {} free blocks", ladder.blocks), reached},
            reached >= asks.selected, fmt::format("the mean is {:g} or more", asks.selected)));
  checks.push_back(check_lead({"ladder.choice", ladder.at(selected_bare, 1),
                               ladder.at(uniform_bare, 1), quick ? 5.0 : 15.0}));
  if (!quick)
    checks.push_back(check_lead(
        {"ladder.choice", best, ladder.at(uniform, ladder.blocks), asks.ahead_of_uniform}));
  checks.push_back(behind("ladder.one-block", best, ladder.at(exchanged ? isolated : selected, 1),
                          asks.one_block));
  checks.push_back(behind("ladder.bare", best,
                          ladder.at(exchanged ? uniform_bare : selected_bare, ladder.blocks),
                          asks.bare));
  add_tables(ladder, "_sense", result);
  ReproducedTable bags{"bags", {"reader", "unseen", "seen"}};
  for (const Bag& bag : {one, by_word}) bags.rows.push_back({bag.name, bag.unseen, bag.seen});
  result.tables.push_back(bags);
  result.figures.push_back(
      figure_of(ladder, "_sense", {{.name = "additive: at most 75 %", .y = 75}}));
}

}  // namespace murmur
