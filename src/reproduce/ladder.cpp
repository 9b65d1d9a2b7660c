// ladder.cpp: two tasks on which isolated tokens are at chance, comparing two digits and finding
// the sense of a word, given to readers that can do more and more.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/reproductions.h"
#include "reproduce/training_cache.h"

namespace murmur {

namespace {

// A kind of reader. `will`: its blocks have a feed-forward.
struct ReaderKind {
  const char* name;
  const char* key;  // of its run directories and columns
  Architecture::Interaction interaction;
  bool will = true;
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
  bool messenger = false;  // whether there is one; it stands at `blocks`
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

// A recurrent net has no depth: it stands at that of the others.
std::vector<Rung> rungs_of(const Ladder& ladder) {
  std::vector<Rung> rungs;
  for (std::size_t k = 0; k < kKindCount; ++k)
    for (const int depth : ladder.depths)
      if (!kKinds[k].rnn || (ladder.messenger && depth == ladder.blocks))
        rungs.push_back({static_cast<KindIndex>(k), depth});
  return rungs;
}

// Free blocks of `kind`, whose hidden width makes up for what a reader has less or fewer of.
TrainingSpec spec_of(const Ladder& ladder, const Rung& rung) {
  const ReaderKind& kind = kKinds[rung.kind];
  TrainingSpec spec{.task = ladder.task, .d = ladder.d, .blocks = rung.depth, .shared = false};
  spec.interaction = kind.interaction;
  const Architecture whole{
      .d = ladder.d, .blocks = ladder.blocks, .shared = false, .hidden = ladder.hidden};
  spec.hidden = kind.will ? hidden_near({.d = ladder.d,
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

ReproducedTable rung_table(const Ladder& ladder, const std::string& suffix) {
  ReproducedTable table{"rungs" + suffix,
                        {"reader", "blocks", "parameters", "accuracy", "sd", "seeds", "highest"}};
  for (const Rung& rung : ladder.rungs) {
    const Spread s = spread_of(rung.accuracy);
    table.rows.push_back({kKinds[rung.kind].name, static_cast<double>(rung.depth),
                          static_cast<double>(rung.parameters), s.mean, s.sd,
                          static_cast<double>(rung.accuracy.size()), s.high});
  }
  return table;
}

// A row a depth, a column and its deviation a kind; nothing where there is no such reader.
ReproducedTable depth_table(const Ladder& ladder, const std::string& suffix) {
  ReproducedTable table{"ladder" + suffix, {"blocks"}};
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

std::string told(const Rung& rung) {
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
bool climb(const ReproductionControl& control, TrainingCache& cache, Ladder& ladder) {
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

ReproducedFigure figure_of(const Ladder& ladder, const std::string& suffix,
                           std::vector<ReproducedGuide> guides) {
  const int deepest = ladder.depths.back();
  ReproducedFigure figure{.name = figure::ladder,
                          .table = "ladder" + suffix,
                          .title = ladder.title,
                          .x = {.label = "number of blocks",
                                .from = 0,
                                .to = deepest + 1.0,
                                .every = deepest > 4 ? 2.0 : 1.0},
                          .y = {.label = "test accuracy, %", .from = 45, .to = 101},
                          .guides = std::move(guides),
                          .side_by_side = true};
  int colour = 0;  // the same in every panel, whoever is missing
  for (const KindIndex kind :
       {selected, selected_bare, uniform, uniform_bare, attraction, isolated, messenger}) {
    if (kKinds[kind].rnn && !ladder.messenger) continue;
    figure.curves.push_back({.column = kKinds[kind].key,
                             .drawn = kKinds[kind].will ? Drawn::points : Drawn::rings,
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
  Check check = holds(
      lead.rule,
      {fmt::format("points that {} are ahead of {}", told(lead.ahead), told(lead.behind)), ours},
      ours > lead.points, fmt::format("above {:g}", lead.points));
  check.tolerance = lead.points;
  return check;
}

constexpr int kSenseDepth = 4, kQuickSenseDepth = 2;  // of the readers held against each other
constexpr std::size_t kCounted = 40960;               // sentences that a bag of words counts
constexpr std::uint32_t kSeenStep = 1'000'000;  // sentences of learned pairs that nobody learned

// What is asked of accuracies, in points.
struct AskedOfSenses {
  double selected;          // they reach it
  double ahead_of_uniform;  // selected messages
  double one_block;         // of selected messages is no more behind
  double bare;              // nor are selected messages without a feed-forward
};
constexpr AskedOfSenses kAskedOfSenses{90, 2, 5, 5}, kQuickAskedOfSenses{75, 0, 20, 20};

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

// With wrong.exchanged readers that know more stand in the place of those that add up votes, and
// readers at chance in the place of those that select.
void check_senses(const Ladder& ladder, const ReproductionControl& control, Reproduction& result) {
  const bool quick = control.quick;
  const AskedOfSenses& asks = quick ? kQuickAskedOfSenses : kAskedOfSenses;
  std::vector<Check>& checks = result.checks;
  const Bag one = bag_of("bag of words", false),
            by_word = bag_of("bag of words, a table a word", true);
  checks.push_back(near(rule::ladder_alone,
                        {"word sense, isolated tokens: points from a half, of any depth and seed",
                         0, farthest_from_half(ladder)},
                        0));
  const bool exchanged = control.wrong.exchanged;
  const double additive = exchanged ? std::max(by_word.seen, ladder.highest(selected))
                                    : std::max(one.unseen, ladder.highest(uniform_bare));
  checks.push_back(holds(rule::ladder_bag,
                         {"word sense, a vote a word: the highest accuracy", additive},
                         additive <= 75, "75 or less"));
  checks.back().published = 75;
  const Rung& best = ladder.at(selected, ladder.blocks);
  const double reached = (exchanged ? ladder.at(isolated, ladder.blocks) : best).mean();
  checks.push_back(
      holds(rule::ladder_words,
            {fmt::format("word sense, selected messages, {} free blocks", ladder.blocks), reached},
            reached >= asks.selected, fmt::format("the mean is {:g} or more", asks.selected)));
  checks.push_back(check_lead({rule::ladder_choice, ladder.at(selected_bare, 1),
                               ladder.at(uniform_bare, 1), quick ? 5.0 : 15.0}));
  if (!quick)
    checks.push_back(check_lead(
        {rule::ladder_choice, best, ladder.at(uniform, ladder.blocks), asks.ahead_of_uniform}));
  checks.push_back(behind(rule::ladder_one_block, best,
                          ladder.at(exchanged ? isolated : selected, 1), asks.one_block));
  checks.push_back(behind(rule::ladder_bare, best,
                          ladder.at(exchanged ? uniform_bare : selected_bare, ladder.blocks),
                          asks.bare));
  add_tables(ladder, "_sense", result);
  ReproducedTable bags{"bags", {"reader", "unseen", "seen"}};
  for (const Bag& bag : {one, by_word}) bags.rows.push_back({bag.name, bag.unseen, bag.seen});
  result.tables.push_back(bags);
  result.figures.push_back(
      figure_of(ladder, "_sense", {{.name = "additive: at most 75 %", .y = 75}}));
}

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
  checks.push_back(holds(rule::ladder_additive,
                         {"isolated tokens: the highest accuracy of any depth and seed", highest},
                         highest <= 75, "75 or less"));
  checks.back().published = 75;
  checks.push_back(
      holds(rule::ladder_selected,
            {fmt::format("selected messages, {} free blocks", ladder.blocks), best.mean()},
            best.mean() >= asks.selected, fmt::format("the mean is {:g} or more", asks.selected)));
  if (!quick) checks.back().published = 95.2;
  const Rung& to_all = ladder.at(uniform, ladder.blocks);
  checks.push_back(check_lead({rule::ladder_lead, best, to_all, asks.ahead_of_uniform}));
  if (!quick)
    checks.push_back(check_lead(
        {rule::ladder_lead, to_all, ladder.at(isolated, ladder.blocks), asks.uniform_ahead}));
  checks.push_back(check_lead({rule::ladder_depth, best, ladder.at(selected, 1), asks.deep_ahead}));
  if (!quick)
    checks.push_back(check_lead(
        {rule::ladder_will, best, ladder.at(selected_bare, ladder.blocks), asks.will_ahead}));
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
  Reproduction result = result_of(control, figure::ladder);
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
  result.captions[figure::ladder] =
      "Whether two digits are the same, and in which sense a word stands, by readers of as many "
      "parameters: isolated tokens stay at chance at any depth; what tokens tell each other, and "
      "whom they listen to, makes the rest. Hollow marks: without a feed-forward; marks of one "
      "depth "
      "stand side by side, bars are standard deviations over seeds.";
  return result;
}

}  // namespace murmur
