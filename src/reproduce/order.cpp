// order.cpp: whether a name is subject or object, which only the order of words decides: with codes
// of positions and without.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reproduce/reproductions.h"
#include "reproduce/training_cache.h"

namespace murmur {

namespace {

struct Code {
  Positions positions;
  const char* key;
};
constexpr Code kCodes[] = {{Positions::none, "none"},
                           {Positions::learned, "learned"},
                           {Positions::sinusoidal, "sinusoidal"},
                           {Positions::rotary, "rotary"}};
constexpr int kSeeds = 5, kQuickSeeds = 1, kEpochs = 12, kQuickEpochs = 8;
constexpr double kLeastAccuracy = 95,
                 kQuickLeastAccuracy = 75;  // of trainings with a code, in percent
constexpr double kRounding = 0.1;           // points of accuracy that rounding may decide

// Results of the trainings of one code.
struct CodeResults {
  std::vector<double> accuracy{};                    // (seeds) in percent
  std::vector<std::vector<double>> epoch{};          // (epochs, seeds) validation accuracy
  std::map<int, std::vector<double>> by_distance{};  // (seeds) between the names
};

TrainingSpec spec_of(const Code& code, std::uint64_t seed, bool quick) {
  TrainingSpec spec{.task = Task::order,
                    .d = 4,
                    .blocks = 4,
                    .shared = false,
                    .hidden = 64,
                    .positions = code.positions,
                    .batch = 256,
                    .rate = 0.03,
                    .seed = seed};
  spec.epochs = quick ? kQuickEpochs : kEpochs;
  return spec;
}

void add_epochs(const std::filesystem::path& run, CodeResults& reached) {
  const std::vector<double> column = RunReader(run).column("validation_accuracy");
  reached.epoch.resize(std::max(reached.epoch.size(), column.size()));
  for (std::size_t e = 0; e < column.size(); ++e) reached.epoch[e].push_back(100 * column[e]);
}

void add_distances(const std::filesystem::path& run, int threads, CodeResults& reached) {
  const SampleSet test = test_sentences(Task::order);
  const Verdicts verdicts = judge(read_trained_swarm(run), test, threads);
  std::map<int, std::pair<double, double>> counts;  // right, all
  for (std::size_t k = 0; k < test.samples(); ++k) {
    auto& [right, all] = counts[distance_to_cue(Task::order, test, k)];
    right += verdicts.verdict[k] == test.label[k] ? 1 : 0;
    all += 1;
  }
  for (const auto& [distance, count] : counts)
    reached.by_distance[distance].push_back(100 * count.first / count.second);
}

// One row per value of `over`; per code one column and its deviation.
template <class Rows>
ColumnTable table_of(const char* name, const char* over, const Rows& row_of, std::size_t rows) {
  ColumnTable table{name, {over}};
  for (const Code& code : kCodes) {
    table.columns.emplace_back(code.key);
    table.columns.emplace_back(std::string(code.key) + "_sd");
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const auto [x, columns] = row_of(r);
    table.rows.push_back({x});
    for (const std::vector<double>& values : columns) {
      const Spread s = spread_of(values);
      table.rows.back().push_back(s.mean);
      table.rows.back().push_back(s.sd);
    }
  }
  return table;
}

TablePanel figure_of_epochs() {
  TablePanel figure{.name = figure::order,
                    .table = "epochs",
                    .title = "Subject or object",
                    .x = {.label = "epoch"},
                    .y = {.label = "validation accuracy, %", .from = 40, .to = 102},
                    .side_by_side = true};
  for (const Code& code : kCodes)
    figure.curves.push_back({.column = code.key,
                             .name = code.positions == Positions::none ? "no code" : code.key,
                             .error = std::string(code.key) + "_sd"});
  return figure;
}

void add_tables(const std::vector<CodeResults>& all, Reproduction& result) {
  ColumnTable codes{"codes", {"positions", "accuracy", "sd", "lowest", "seeds"}};
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Spread s = spread_of(all[c].accuracy);
    codes.rows.push_back(
        {kCodes[c].key, s.mean, s.sd, s.low, static_cast<double>(all[c].accuracy.size())});
  }
  const auto columns = [&](const auto& part) {
    std::vector<std::vector<double>> values;
    for (const CodeResults& one : all) values.push_back(part(one));
    return values;
  };
  const auto epochs = [&](std::size_t e) {
    return std::pair{static_cast<double>(e),
                     columns([&](const CodeResults& one) { return one.epoch[e]; })};
  };
  const auto distances = [&](std::size_t r) {
    const int distance =
        std::next(all[0].by_distance.begin(), static_cast<std::ptrdiff_t>(r))->first;
    return std::pair{static_cast<double>(distance),
                     columns([&](const CodeResults& one) { return one.by_distance.at(distance); })};
  };
  result.tables = {codes, table_of("epochs", "epoch", epochs, all[0].epoch.size()),
                   table_of("distances", "distance", distances, all[0].by_distance.size())};
}

void check_codes(const std::vector<CodeResults>& all, bool quick, std::vector<Check>& checks) {
  double farthest = 0;
  for (const double accuracy : all[0].accuracy)
    farthest = std::max(farthest, std::fabs(accuracy - 50));
  checks.push_back(check_near(
      rule::order_chance, {"no code: points from a half, of any seed", 0, farthest}, kRounding));
  const double wanted = quick ? kQuickLeastAccuracy : kLeastAccuracy;
  for (std::size_t c = 1; c < all.size(); ++c) {
    const double mean = spread_of(all[c].accuracy).mean;
    checks.push_back(check_holds(rule::order_codes,
                                 {fmt::format("{} positions", kCodes[c].key), mean}, mean >= wanted,
                                 fmt::format("the mean is {:g} or more", wanted)));
  }
}

}  // namespace

std::optional<Reproduction> order(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::order);
  TrainingCache cache(control, result.folder);
  std::vector<CodeResults> all(std::size(kCodes));
  const int seeds = control.quick ? kQuickSeeds : std::max(kSeeds, control.seeds);
  for (int seed = 0; seed < seeds; ++seed)
    for (std::size_t c = 0; c < all.size(); ++c) {
      const TrainingSpec spec = spec_of(kCodes[c], static_cast<std::uint64_t>(seed), control.quick);
      const auto kept = cache.fetch(
          fmt::format("{}{}", kCodes[c].key, control.quick ? "-quick" : ""), cache.describe(spec));
      if (!kept) return std::nullopt;
      all[c].accuracy.push_back(100 * kept->summary.test_accuracy);
      if (control.wrong.null == NullModel::constant) continue;
      add_epochs(kept->directory, all[c]);
      add_distances(kept->directory, control.threads, all[c]);
    }
  check_codes(all, control.quick, result.checks);
  if (control.wrong.null == NullModel::constant) return result;
  add_tables(all, result);
  result.figures = {figure_of_epochs()};
  result.captions[figure::order] =
      "Whether a name is subject or object, which only the order of the words decides. Without a "
      "code of positions a sentence and its reordering are one swarm, and half of the answers are "
      "wrong; with any code the order is learned, on names that never met before. Marks of one "
      "epoch are drawn side by side; bars: standard deviations over seeds.";
  return result;
}

}  // namespace murmur
