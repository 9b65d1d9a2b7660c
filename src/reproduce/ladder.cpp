// ladder.cpp: two tasks where isolation is at chance, given to readers that can do more and more.
#include "reproduce/ladder.h"

#include <fmt/format.h>

#include <algorithm>

namespace murmur {

namespace {

constexpr int kQuickEpochs = 6;

// What is asked of accuracies, in points; --quick asks of fewer lessons, and not all of it.
struct Asked {
  double selected;          // they reach it
  double ahead_of_uniform;  // selected messages
  double uniform_ahead;     // of isolated tokens
  double deep_ahead;        // of one block
  double will_ahead;        // of blocks without a feed-forward
};
constexpr Asked kAsked{94, 5, 15, 5, 5}, kQuickAsked{75, 10, 0, 10, 0};

// A recurrent net is slow, nothing is asked of it, and --quick leaves it out.
Ladder same_ladder(bool quick) {
  Ladder ladder{.task = Task::same,
                .stem = "same",
                .title = "Same or different: two digits side by side",
                .d = 3,
                .depths = {1, 2, 4, 8, 10, 12},
                .blocks = 10,
                .hidden = 512,
                .messenger = true};
  if (!quick) return ladder;
  ladder.depths = {1, 4};
  ladder.blocks = 4;
  ladder.hidden = 64;
  ladder.epochs = kQuickEpochs;
  ladder.messenger = false;
  return ladder;
}

void check_same(const Ladder& ladder, bool quick, std::vector<Check>& checks) {
  const Asked& asks = quick ? kQuickAsked : kAsked;
  const Rung& best = ladder.at(selected, ladder.blocks);
  const double highest = ladder.highest(isolated);
  checks.push_back(holds("ladder.additive",
                         {"isolated tokens: the highest accuracy of any depth and seed", highest},
                         highest <= 75, "75 or less"));
  checks.back().published = 75;
  checks.push_back(
      holds("ladder.selected",
            {fmt::format("selected messages, {} free blocks", ladder.blocks), best.mean()},
            best.mean() >= asks.selected, fmt::format("the mean is {:g} or more", asks.selected)));
  if (!quick) checks.back().published = 95.2;
  const Rung& to_all = ladder.at(uniform, ladder.blocks);
  checks.push_back(check_lead({"ladder.lead", best, to_all, asks.ahead_of_uniform}));
  if (!quick)
    checks.push_back(check_lead(
        {"ladder.lead", to_all, ladder.at(isolated, ladder.blocks), asks.uniform_ahead}));
  checks.push_back(check_lead({"ladder.depth", best, ladder.at(selected, 1), asks.deep_ahead}));
  if (!quick)
    checks.push_back(check_lead(
        {"ladder.will", best, ladder.at(selected_bare, ladder.blocks), asks.will_ahead}));
}

// task=same or task=sense asks for one of the two; any other task is laid over the first.
bool is_asked(const ReproductionControl& control, const char* stem) {
  std::string task;
  for (const std::string& word : control.changed)
    if (word.rfind("task=", 0) == 0) task = word.substr(5);
  if (task.empty()) return true;
  return (task == "sense") == (std::string_view(stem) == "sense");
}

}  // namespace

std::optional<Reproduction> ladder(const ReproductionControl& control) {
  Reproduction result = result_of(control, "ladder");
  TrainingCache cache(control, result.folder);
  if (is_asked(control, "sense")) {
    Ladder sense = sense_ladder(control.quick);
    if (!climb(control, cache, sense)) return std::nullopt;
    check_senses(sense, control, result);
  }
  if (is_asked(control, "same")) {
    Ladder same = same_ladder(control.quick);
    if (!climb(control, cache, same)) return std::nullopt;
    check_same(same, control.quick, result.checks);
    add_tables(same, "", result);
    result.figures.insert(result.figures.begin(),
                          figure_of(same, "", {{.name = "additive: at most 75 %", .y = 75}}));
  }
  result.captions["ladder"] =
      "Whether two digits are the same, and in which sense a word stands, by readers of as many "
      "parameters: isolated tokens stay at chance at any depth; what tokens tell each other, and "
      "whom they listen to, makes the rest. Hollow marks: without a feed-forward; marks of one "
      "depth "
      "stand side by side, bars are standard deviations over seeds.";
  return result;
}

}  // namespace murmur
