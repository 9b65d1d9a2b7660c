// ladder.cpp: a task where isolation is at chance, given to readers that can do more and more.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/reproductions.h"
#include "reproduce/training_cache.h"

namespace murmur {

namespace {

// A kind of reader. `will`: its blocks have a feed-forward.
struct Kind {
  const char* name;
  const char* key;  // of its run directories and columns
  Architecture::Interaction interaction;
  bool will = true;
  bool rnn = false;
};
constexpr Kind kKinds[] = {
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
constexpr std::size_t kKindCount = std::size(kKinds);
enum KindIndex : std::size_t {
  isolated,
  messenger,
  attraction,
  uniform,
  selected,
  uniform_bare,
  selected_bare
};

constexpr int kDepths[] = {1, 2, 4, 8, 10, 12}, kQuickDepths[] = {1, 4};
constexpr int kHidden = 512, kQuickHidden = 64, kQuickEpochs = 6;

// What is asked of accuracies, in points; --quick asks of fewer lessons.
struct Asked {
  int depth;                // of the readers that are held against each other
  double selected;          // they reach it
  double ahead_of_uniform;  // selected messages
  double uniform_ahead;     // of isolated tokens
  double deep_ahead;        // of one block
  double will_ahead;        // of blocks without a feed-forward
};
constexpr Asked kAsked{10, 94, 5, 15, 5, 5}, kQuickAsked{4, 75, 0, 0, 0, 0};

struct Rung {
  KindIndex kind;
  int depth;
  std::vector<double> accuracy{};  // (seeds) in percent
  std::size_t parameters = 0;
};

std::span<const int> depths(bool quick) {
  return quick ? std::span<const int>(kQuickDepths) : std::span<const int>(kDepths);
}

const Asked& asked(bool quick) { return quick ? kQuickAsked : kAsked; }

// A recurrent net has no depth: it stands at that of the others. It is slow, nothing is asked of
// it, and --quick leaves it out.
std::vector<Rung> rungs_of(bool quick) {
  std::vector<Rung> rungs;
  for (std::size_t k = 0; k < kKindCount; ++k)
    for (const int depth : depths(quick))
      if (!kKinds[k].rnn || (!quick && depth == asked(quick).depth))
        rungs.push_back({static_cast<KindIndex>(k), depth});
  return rungs;
}

// Free blocks of `kind`, whose hidden width makes up for what a reader has less or fewer of.
TrainingSpec spec_of(const Rung& rung, bool quick) {
  const Kind& kind = kKinds[rung.kind];
  TrainingSpec spec{.task = Task::same, .d = 3, .blocks = rung.depth, .shared = false};
  spec.interaction = kind.interaction;
  const Architecture whole{.d = 3,
                           .blocks = asked(quick).depth,
                           .shared = false,
                           .hidden = quick ? kQuickHidden : kHidden};
  spec.hidden =
      kind.will
          ? hidden_near(
                {.d = 3, .blocks = rung.depth, .shared = false, .interaction = kind.interaction},
                parameter_count(whole))
          : 0;
  if (quick) spec.epochs = kQuickEpochs;
  return spec;
}

// False when stopped by a signal. Seeds are the outer loop: the whole ladder with one seed first.
bool climb(const ReproductionControl& control, TrainingCache& cache, std::vector<Rung>& rungs) {
  for (int seed = 0; seed < (control.quick ? 1 : control.seeds); ++seed)
    for (Rung& rung : rungs) {
      const Kind& kind = kKinds[rung.kind];
      TrainingSpec spec = spec_of(rung, control.quick);
      spec.seed = static_cast<std::uint64_t>(seed);
      const auto kept = cache.fetch(
          fmt::format("same-{}-{}{}", kind.key, rung.depth, control.quick ? "-quick" : ""),
          cache.describe(spec), kind.rnn ? TrainingCache::Kind::rnn : TrainingCache::Kind::swarm);
      if (!kept) return false;
      rung.accuracy.push_back(100 * kept->summary.test_accuracy);
      rung.parameters = kept->summary.parameters;
    }
  return true;
}

const Rung& at(const std::vector<Rung>& rungs, KindIndex kind, int depth) {
  return *std::find_if(rungs.begin(), rungs.end(),
                       [&](const Rung& rung) { return rung.kind == kind && rung.depth == depth; });
}

double mean_of(const Rung& rung) { return spread_of(rung.accuracy).mean; }

ReproducedTable rung_table(const std::vector<Rung>& rungs) {
  ReproducedTable table{"rungs",
                        {"reader", "blocks", "parameters", "accuracy", "sd", "seeds", "highest"}};
  for (const Rung& rung : rungs) {
    const Spread s = spread_of(rung.accuracy);
    table.rows.push_back({kKinds[rung.kind].name, static_cast<double>(rung.depth),
                          static_cast<double>(rung.parameters), s.mean, s.sd,
                          static_cast<double>(rung.accuracy.size()), s.high});
  }
  return table;
}

// A row a depth, a column and its deviation a kind; nothing where there is no such reader.
ReproducedTable depth_table(const std::vector<Rung>& rungs, bool quick) {
  ReproducedTable table{"ladder", {"blocks"}};
  for (const Kind& kind : kKinds) {
    table.columns.emplace_back(kind.key);
    table.columns.emplace_back(std::string(kind.key) + "_sd");
  }
  for (const int depth : depths(quick)) {
    table.rows.push_back({static_cast<double>(depth)});
    for (std::size_t k = 0; k < kKindCount; ++k) {
      const auto found = std::find_if(rungs.begin(), rungs.end(), [&](const Rung& rung) {
        return rung.kind == k && rung.depth == depth;
      });
      const bool there = found != rungs.end();
      const Spread s = there ? spread_of(found->accuracy) : Spread{.mean = kNoNumber};
      table.rows.back().push_back(s.mean);
      table.rows.back().push_back(s.sd);
    }
  }
  return table;
}

void check_isolation(const std::vector<Rung>& rungs, std::vector<Check>& checks) {
  double highest = 0;
  for (const Rung& rung : rungs)
    if (rung.kind == isolated) highest = std::max(highest, spread_of(rung.accuracy).high);
  checks.push_back(holds("ladder.additive",
                         {"isolated tokens: the highest accuracy of any depth and seed", highest},
                         highest <= 75, "75 or less"));
  checks.back().published = 75;
}

struct Lead {
  const char* rule;
  const Rung &ahead, &behind;
  double points;
};
void check_lead(const Lead& lead, std::vector<Check>& checks) {
  const auto told = [](const Rung& rung) {
    return fmt::format("{}, {} block{}", kKinds[rung.kind].name, rung.depth,
                       rung.depth == 1 ? "" : "s");
  };
  const double ours = mean_of(lead.ahead) - mean_of(lead.behind);
  checks.push_back(holds(
      lead.rule,
      {fmt::format("points that {} are ahead of {}", told(lead.ahead), told(lead.behind)), ours},
      ours > lead.points, fmt::format("above {:g}", lead.points)));
  checks.back().tolerance = lead.points;
}

void check_rungs(const std::vector<Rung>& rungs, bool quick, std::vector<Check>& checks) {
  const Asked& asks = asked(quick);
  const Rung& best = at(rungs, selected, asks.depth);
  check_isolation(rungs, checks);
  checks.push_back(holds(
      "ladder.selected",
      {fmt::format("selected messages, {} free blocks", asks.depth), mean_of(best)},
      mean_of(best) >= asks.selected, fmt::format("the mean is {:g} or more", asks.selected)));
  if (!quick) checks.back().published = 95.2;
  const Lead leads[] = {
      {"ladder.lead", best, at(rungs, uniform, asks.depth), asks.ahead_of_uniform},
      {"ladder.lead", at(rungs, uniform, asks.depth), at(rungs, isolated, asks.depth),
       asks.uniform_ahead},
      {"ladder.depth", best, at(rungs, selected, 1), asks.deep_ahead},
      {"ladder.will", best, at(rungs, selected_bare, asks.depth), asks.will_ahead}};
  for (const Lead& lead : leads)
    if (!quick || lead.rule != std::string_view("ladder.lead") || &lead == &leads[0])
      check_lead(lead, checks);
}

ReproducedFigure figure_of(bool quick) {
  ReproducedFigure figure{
      .name = "ladder",
      .table = "ladder",
      .title = "Same or different: two digits side by side",
      .x = {.label = "blocks", .from = 0, .to = quick ? 5.0 : 13.0, .every = quick ? 1.0 : 2.0},
      .y = {.label = "test accuracy, %", .from = 45, .to = 100},
      .guides = {{.name = "additive scores: at most 75 %", .y = 75}}};
  for (const KindIndex kind :
       {selected, selected_bare, uniform, uniform_bare, messenger, attraction, isolated}) {
    if (quick && kKinds[kind].rnn) continue;
    const bool bare = !kKinds[kind].will;
    figure.curves.push_back({.column = kKinds[kind].key,
                             .drawn = bare ? Drawn::rings : Drawn::points,
                             .name = kKinds[kind].name,
                             .error = std::string(kKinds[kind].key) + "_sd"});
  }
  return figure;
}

}  // namespace

std::optional<Reproduction> ladder(const ReproductionControl& control) {
  Reproduction result = result_of(control, "ladder");
  TrainingCache cache(control, result.folder);
  std::vector<Rung> rungs = rungs_of(control.quick);
  if (!climb(control, cache, rungs)) return std::nullopt;
  check_rungs(rungs, control.quick, result.checks);
  result.tables = {rung_table(rungs), depth_table(rungs, control.quick)};
  result.figures = {figure_of(control.quick)};
  result.captions["ladder"] =
      "Whether two digits are the same, by readers of as many parameters: isolated tokens stay at "
      "chance at any depth; what tokens tell each other, and whom they listen to, makes the rest.";
  return result;
}

}  // namespace murmur
