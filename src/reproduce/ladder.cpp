// ladder.cpp: two tasks on which isolated tokens are at chance, comparing two digits and finding
// the sense of a word, for readers with more and more abilities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/reproductions.h"
#include "reproduce/training_cache.h"

namespace murmur {

namespace {

// A kind of reader. `feed_forward`: its blocks have one.
struct ReaderKind {
  const char* name;
  const char* key;  // of its run directories and columns
  Architecture::Interaction interaction;
  bool feed_forward = true;
  bool rnn = false;
};
enum KindIndex : std::size_t {
  isolated,
  messenger,
  attraction,
  uniform,
  selected,
  uniform_bare,
  selected_bare,
  kKindCount
};
struct Rung {
  KindIndex kind;
  int depth;
  std::vector<double> accuracy{};  // (seeds) in percent
  std::size_t parameters = 0;
  double mean() const { return spread_of(accuracy).mean; }
};

// A task, and the sizes of its readers: all have as many parameters as `blocks` free blocks of
// selected messages with `hidden` units, by the width of their feed-forward.
struct Ladder {
  Task task;
  const char* stem;  // of run directories
  const char* title;
  int d;
  std::vector<int> depths{};
  int blocks, hidden;
  int epochs = 0;          // 0: as the recipe has it
  bool messenger = false;  // whether there is one; it is listed at the depth `blocks`
  std::vector<Rung> rungs{};

  const Rung& at(KindIndex kind, int depth) const;
  double highest(KindIndex kind) const;  // of any depth and seed
};

constexpr ReaderKind kKinds[kKindCount] = {
    {"isolated tokens", "isolated", Architecture::none},
    {.name = "one messenger",
     .key = "messenger",
     .interaction = Architecture::attention,
     .rnn = true},
    {"attraction only", "attraction", Architecture::attraction},
    {"messages to all", "uniform", Architecture::uniform},
    {"selected messages", "selected", Architecture::attention},
    {"messages to all, no feed-forward", "uniform-bare", Architecture::uniform, false},
    {"selected messages, no feed-forward", "selected-bare", Architecture::attention, false},
};

// A recurrent network has no depth: it is listed at the depth `blocks`.
std::vector<Rung> rungs_of(const Ladder& ladder) {
  std::vector<Rung> rungs;
  for (std::size_t k = 0; k < kKindCount; ++k)
    for (const int depth : ladder.depths)
      if (!kKinds[k].rnn || (ladder.messenger && depth == ladder.blocks))
        rungs.push_back({static_cast<KindIndex>(k), depth});
  return rungs;
}

// Free blocks of one kind. Their hidden width is such that all readers have as many parameters.
TrainingSpec spec_of(const Ladder& ladder, const Rung& rung) {
  const ReaderKind& kind = kKinds[rung.kind];
  TrainingSpec spec{.task = ladder.task, .d = ladder.d, .blocks = rung.depth, .shared = false};
  spec.interaction = kind.interaction;
  const Architecture whole{
      .d = ladder.d, .blocks = ladder.blocks, .shared = false, .hidden = ladder.hidden};
  spec.hidden = kind.feed_forward ? hidden_near({.d = ladder.d,
                                                 .blocks = rung.depth,
                                                 .shared = false,
                                                 .interaction = kind.interaction},
                                                parameter_count(whole))
                                  : 0;
  if (ladder.epochs > 0) spec.epochs = ladder.epochs;
  return spec;
}

const Rung* find(const Ladder& ladder, KindIndex kind, int depth) {
  const auto found = std::find_if(ladder.rungs.begin(), ladder.rungs.end(), [&](const Rung& rung) {
    return rung.kind == kind && rung.depth == depth;
  });
  return found == ladder.rungs.end() ? nullptr : &*found;
}

ColumnTable rung_table(const Ladder& ladder, const std::string& suffix) {
  ColumnTable table{"rungs" + suffix,
                    {"reader", "blocks", "parameters", "accuracy", "sd", "seeds", "highest"}};
  for (const Rung& rung : ladder.rungs) {
    const Spread s = spread_of(rung.accuracy);
    table.rows.push_back({kKinds[rung.kind].name, static_cast<double>(rung.depth),
                          static_cast<double>(rung.parameters), s.mean, s.sd,
                          static_cast<double>(rung.accuracy.size()), s.high});
  }
  return table;
}

// One row per depth; per kind of reader one column and its deviation, empty where there is none.
ColumnTable depth_table(const Ladder& ladder, const std::string& suffix) {
  ColumnTable table{"ladder" + suffix, {"blocks"}};
  for (const ReaderKind& kind : kKinds) {
    table.columns.emplace_back(kind.key);
    table.columns.emplace_back(std::string(kind.key) + "_sd");
  }
  for (const int depth : ladder.depths) {
    table.rows.push_back({static_cast<double>(depth)});
    for (std::size_t k = 0; k < kKindCount; ++k) {
      const Rung* rung = find(ladder, static_cast<KindIndex>(k), depth);
      const Spread s = rung ? spread_of(rung->accuracy) : Spread{.mean = kNoNumber};
      table.rows.back().push_back(s.mean);
      table.rows.back().push_back(s.sd);
    }
  }
  return table;
}

std::string text_of(const Rung& rung) {
  return fmt::format("{}, {} block{}", kKinds[rung.kind].name, rung.depth,
                     rung.depth == 1 ? "" : "s");
}

const Rung& Ladder::at(KindIndex kind, int depth) const { return *find(*this, kind, depth); }

double Ladder::highest(KindIndex kind) const {
  double most = 0;
  for (const Rung& rung : rungs)
    if (rung.kind == kind) most = std::max(most, spread_of(rung.accuracy).high);
  return most;
}

// Trains every rung with every seed, the whole ladder with one seed first; false when stopped by a
// signal.
bool train_rungs(const ReproductionControl& control, TrainingCache& cache, Ladder& ladder) {
  ladder.rungs = rungs_of(ladder);
  for (int seed = 0; seed < (control.quick ? 1 : control.seeds); ++seed)
    for (Rung& rung : ladder.rungs) {
      const ReaderKind& kind = kKinds[rung.kind];
      TrainingSpec spec = spec_of(ladder, rung);
      spec.seed = static_cast<std::uint64_t>(seed);
      const auto kept = cache.fetch(
          fmt::format("{}-{}-{}{}", ladder.stem, kind.key, rung.depth,
                      control.quick ? "-quick" : ""),
          cache.describe(spec), kind.rnn ? TrainingCache::Kind::rnn : TrainingCache::Kind::swarm);
      if (!kept) return false;
      rung.accuracy.push_back(100 * kept->summary.test_accuracy);
      rung.parameters = kept->summary.parameters;
    }
  return true;
}

// One row per rung, and one row per depth; `suffix` distinguishes the tables of the tasks.
void add_tables(const Ladder& ladder, const std::string& suffix, Reproduction& result) {
  result.tables.push_back(rung_table(ladder, suffix));
  result.tables.push_back(depth_table(ladder, suffix));
}

TablePanel figure_of(const Ladder& ladder, const std::string& suffix, std::vector<Guide> guides) {
  const int deepest = ladder.depths.back();
  TablePanel figure{.name = figure::ladder,
                    .table = "ladder" + suffix,
                    .title = ladder.title,
                    .x = {.label = "number of blocks",
                          .from = 0,
                          .to = deepest + 1.0,
                          .mark_every = deepest > 4 ? 2.0 : 1.0},
                    .y = {.label = "test accuracy, %", .from = 45, .to = 101},
                    .guides = std::move(guides),
                    .side_by_side = true};
  int colour = 0;  // the same in every panel, whichever reader is missing
  for (const KindIndex kind :
       {selected, selected_bare, uniform, uniform_bare, attraction, isolated, messenger}) {
    if (kKinds[kind].rnn && !ladder.messenger) continue;
    figure.curves.push_back({.column = kKinds[kind].key,
                             .drawn = kKinds[kind].feed_forward ? Curve::points : Curve::rings,
                             .name = kKinds[kind].name,
                             .colour = colour++,
                             .error = std::string(kKinds[kind].key) + "_sd"});
  }
  return figure;
}

// How far one rung is ahead of another; they agree where that is above `points`.
struct Lead {
  const char* rule;
  const Rung &ahead, &behind;
  double points;
};
Check check_lead(const Lead& lead) {
  const double ours = lead.ahead.mean() - lead.behind.mean();
  Check check = check_holds(
      lead.rule,
      {fmt::format("points that {} are ahead of {}", text_of(lead.ahead), text_of(lead.behind)),
       ours},
      ours > lead.points, fmt::format("above {:g}", lead.points));
  check.tolerance = lead.points;
  return check;
}

constexpr int kSenseDepth = 4, kQuickSenseDepth = 2;  // of the readers that are compared
constexpr std::size_t kCounted = 40960;               // sentences that a bag of words is counted on
constexpr std::uint32_t kSeenStep = 1'000'000;  // further sentences of the pairs that were learned

// The least accuracies and the largest deficits, in points.
struct SenseThresholds {
  double selected;          // least accuracy of selected messages
  double ahead_of_uniform;  // lead of selected messages over uniform ones
  double one_block;         // largest deficit of one block of selected messages
  double bare;              // largest deficit without a feed-forward
};
constexpr SenseThresholds kSenseThresholds{90, 2, 5, 5}, kQuickSenseThresholds{75, 0, 20, 20};

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

Check check_deficit(const char* rule, const Rung& best, const Rung& other, double points) {
  const double ours = best.mean() - other.mean();
  Check check = check_holds(
      rule,
      {fmt::format("points that {}, {} block{}, are behind {} blocks of selected messages",
                   kKinds[other.kind].name, other.depth, other.depth == 1 ? "" : "s", best.depth),
       ours},
      ours <= points, fmt::format("{:g} or less", points));
  check.tolerance = points;
  return check;
}

Ladder sense_ladder(bool quick) {
  Ladder ladder{.task = Task::sense,
                .stem = "sense",
                .title = "The sense of a word in its sentence",
                .d = 4,
                .depths = {1, 2, 4, 8, 12},
                .blocks = kSenseDepth,
                .hidden = 64,
                .epochs = 20,
                .messenger = true};
  if (!quick) return ladder;
  ladder.depths = {1, 2};
  ladder.blocks = kQuickSenseDepth;
  ladder.epochs = 12;
  return ladder;
}

// Checks the readers of sentences. With wrong.exchanged readers that know more replace those that
// add up votes, and readers at chance replace those that select.
void check_senses(const Ladder& ladder, const ReproductionControl& control, Reproduction& result) {
  const bool quick = control.quick;
  const SenseThresholds& thresholds = quick ? kQuickSenseThresholds : kSenseThresholds;
  std::vector<Check>& checks = result.checks;
  const Bag one = bag_of("bag of words", false),
            by_word = bag_of("bag of words, a table a word", true);
  checks.push_back(
      check_near(rule::ladder_alone,
                 {"word sense, isolated tokens: points from a half, of any depth and seed", 0,
                  farthest_from_half(ladder)},
                 0));
  const bool exchanged = control.wrong.exchanged;
  const double additive = exchanged ? std::max(by_word.seen, ladder.highest(selected))
                                    : std::max(one.unseen, ladder.highest(uniform_bare));
  checks.push_back(check_holds(rule::ladder_bag,
                               {"word sense, a vote a word: the highest accuracy", additive},
                               additive <= 75, "75 or less"));
  checks.back().published = 75;
  const Rung& best = ladder.at(selected, ladder.blocks);
  const double reached = (exchanged ? ladder.at(isolated, ladder.blocks) : best).mean();
  checks.push_back(check_holds(
      rule::ladder_words,
      {fmt::format("word sense, selected messages, {} free blocks", ladder.blocks), reached},
      reached >= thresholds.selected,
      fmt::format("the mean is {:g} or more", thresholds.selected)));
  checks.push_back(check_lead({rule::ladder_choice, ladder.at(selected_bare, 1),
                               ladder.at(uniform_bare, 1), quick ? 5.0 : 15.0}));
  if (!quick)
    checks.push_back(check_lead({rule::ladder_choice, best, ladder.at(uniform, ladder.blocks),
                                 thresholds.ahead_of_uniform}));
  checks.push_back(check_deficit(rule::ladder_one_block, best,
                                 ladder.at(exchanged ? isolated : selected, 1),
                                 thresholds.one_block));
  checks.push_back(check_deficit(rule::ladder_bare, best,
                                 ladder.at(exchanged ? uniform_bare : selected_bare, ladder.blocks),
                                 thresholds.bare));
  add_tables(ladder, "_sense", result);
  ColumnTable bags{"bags", {"reader", "unseen", "seen"}};
  for (const Bag& bag : {one, by_word}) bags.rows.push_back({bag.name, bag.unseen, bag.seen});
  result.tables.push_back(bags);
  result.figures.push_back(
      figure_of(ladder, "_sense", {{.name = "additive: at most 75 %", .y = 75}}));
}

constexpr int kQuickEpochs = 6;

// The least accuracies and leads, in points; --quick trains less and asks for less.
struct Thresholds {
  double selected;            // least accuracy of selected messages
  double ahead_of_uniform;    // lead of selected messages over uniform ones
  double uniform_ahead;       // lead of uniform messages over isolated tokens
  double deep_ahead;          // lead over one block
  double feed_forward_ahead;  // lead over blocks without a feed-forward
};
constexpr Thresholds kThresholds{94, 5, 15, 5, 5}, kQuickThresholds{75, 10, 0, 10, 0};

// A recurrent network is slow and no rule asks about it: --quick leaves it out.
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
  const Thresholds& thresholds = quick ? kQuickThresholds : kThresholds;
  const Rung& best = ladder.at(selected, ladder.blocks);
  const double highest = ladder.highest(isolated);
  checks.push_back(
      check_holds(rule::ladder_additive,
                  {"isolated tokens: the highest accuracy of any depth and seed", highest},
                  highest <= 75, "75 or less"));
  checks.back().published = 75;
  checks.push_back(
      check_holds(rule::ladder_selected,
                  {fmt::format("selected messages, {} free blocks", ladder.blocks), best.mean()},
                  best.mean() >= thresholds.selected,
                  fmt::format("the mean is {:g} or more", thresholds.selected)));
  if (!quick) checks.back().published = 95.2;
  const Rung& to_all = ladder.at(uniform, ladder.blocks);
  checks.push_back(check_lead({rule::ladder_lead, best, to_all, thresholds.ahead_of_uniform}));
  if (!quick)
    checks.push_back(check_lead(
        {rule::ladder_lead, to_all, ladder.at(isolated, ladder.blocks), thresholds.uniform_ahead}));
  checks.push_back(
      check_lead({rule::ladder_depth, best, ladder.at(selected, 1), thresholds.deep_ahead}));
  if (!quick)
    checks.push_back(check_lead({rule::ladder_will, best, ladder.at(selected_bare, ladder.blocks),
                                 thresholds.feed_forward_ahead}));
}

// task=same or task=sense selects one of the two; any other task replaces that of the first.
bool is_wanted(const ReproductionControl& control, const char* stem) {
  std::string task;
  for (const std::string& word : control.changed)
    if (word.rfind("task=", 0) == 0) task = word.substr(5);
  if (task.empty()) return true;
  return (task == "sense") == (std::string_view(stem) == "sense");
}

}  // namespace

std::optional<Reproduction> ladder(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::ladder);
  TrainingCache cache(control, result.folder);
  if (is_wanted(control, "sense")) {
    Ladder sense = sense_ladder(control.quick);
    if (!train_rungs(control, cache, sense)) return std::nullopt;
    check_senses(sense, control, result);
  }
  if (is_wanted(control, "same")) {
    Ladder same = same_ladder(control.quick);
    if (!train_rungs(control, cache, same)) return std::nullopt;
    check_same(same, control.quick, result.checks);
    add_tables(same, "", result);
    result.figures.insert(result.figures.begin(),
                          figure_of(same, "", {{.name = "additive: at most 75 %", .y = 75}}));
  }
  result.captions[figure::ladder] =
      "Whether two digits are the same, and which sense a word has, by readers of as many "
      "parameters: isolated tokens stay at chance at any depth; messages between tokens, and their "
      "selection, make the difference. Hollow marks: without a feed-forward; marks of one depth "
      "are drawn side by side, bars are standard deviations over seeds.";
  return result;
}

}  // namespace murmur
