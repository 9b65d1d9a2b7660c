// ladder_rungs.cpp: the rungs of a ladder trained, as tables and as a figure.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/ladder.h"

namespace murmur {

namespace {

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

}  // namespace

const ReaderKind& kind_of(KindIndex kind) { return kKinds[kind]; }

const Rung& Ladder::at(KindIndex kind, int depth) const { return *find(*this, kind, depth); }

double Ladder::highest(KindIndex kind) const {
  double most = 0;
  for (const Rung& rung : rungs)
    if (rung.kind == kind) most = std::max(most, spread_of(rung.accuracy).high);
  return most;
}

// Seeds are the outer loop: the whole ladder with one seed first.
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

void add_tables(const Ladder& ladder, const std::string& suffix, Reproduction& result) {
  result.tables.push_back(rung_table(ladder, suffix));
  result.tables.push_back(depth_table(ladder, suffix));
}

ReproducedFigure figure_of(const Ladder& ladder, const std::string& suffix,
                           std::vector<ReproducedGuide> guides) {
  const int deepest = ladder.depths.back();
  ReproducedFigure figure{.name = "ladder",
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

Check check_lead(const Lead& lead) {
  const double ours = lead.ahead.mean() - lead.behind.mean();
  Check check = holds(
      lead.rule,
      {fmt::format("points that {} are ahead of {}", told(lead.ahead), told(lead.behind)), ours},
      ours > lead.points, fmt::format("above {:g}", lead.points));
  check.tolerance = lead.points;
  return check;
}

}  // namespace murmur
