// swarm_table.cpp: the published test accuracies of the swarm that reads digits, trained again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/reproductions.h"
#include "reproduce/training_cache.h"

namespace murmur {

namespace {

// The same recipe trained by another library: what its seeds gave, in percent.
struct Peer {
  double mean, sd;
  int seeds;  // 0: no such runs
};
constexpr Peer kNobody{0, 0, 0};
constexpr Peer kTorch{92.36, 3.50, 8};  // bench/peers/published_torch.py

// One line of the table, accuracies in percent of the test set.
struct Row {
  const char* what;
  const char* key;               // of its run directories
  double published;              // the companion code's README; NaN: none
  double asked;                  // what this recipe is to reach; NaN: nothing
  TrainingSpec training;         // but for its seed
  int quick_epochs = 0;          // 0: left out of the quick table
  double quick_min = kNoNumber;  // what the quick training is to reach; NaN: published - 1
  Peer peer = kNobody;           // whose distribution ours is to share, in place of `asked`
};
constexpr double kNone = kNoNumber;

const std::vector<Row>& table_rows() {
  static const std::vector<int> ten = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  static const std::vector<Row> rows = {
      {"5 vs 6, 1 block", "1-block", 89.68, 98.0, {.blocks = 1}, 12},
      {"5 vs 6, 2 shared", "2-shared", 95.03, 98.5, {.blocks = 2}, 12},
      {"5 vs 6, 10 shared", "10-shared", 96.43, 98.7, {.blocks = 10}, 12},
      {"5 vs 6, 2 free", "2-free", 96.97, 98.7, {.blocks = 2, .shared = false}, 12},
      {.what = "5 vs 6, 10 free d=100",
       .key = "10-free-d100",
       .published = 99.35,
       .asked = 99.6,
       .training =
           {.d = 100, .blocks = 10, .shared = false, .epochs = 120, .rate = 0.003, .shift = 1}},
      {.what = "5 vs 6, 10 shared, recipe published",
       .key = "10-shared-published",
       .published = 96.43,
       .asked = kNone,
       .training = {.blocks = 10, .recipe = Recipe::published},
       .peer = kTorch},
      {.what = "ten classes, 10 free",
       .key = "ten-10-free",
       .published = kNone,
       .asked = 93,
       .training = {.digits = ten, .blocks = 10, .shared = false, .epochs = 30, .batch = 128},
       .quick_epochs = 4,
       .quick_min = 80},
      {.what = "ten classes, 10 shared",
       .key = "ten-10-shared",
       .published = kNone,
       .asked = kNone,
       .training = {.digits = ten, .blocks = 10, .residual = 0.2, .epochs = 30, .batch = 64}},
  };
  return rows;
}
constexpr double kQuickTolerance = 1;  // points below the published figure

Check check_of(const Row& row, const std::vector<double>& accuracies, bool quick) {
  const Spread s = spread_of(accuracies);
  Check check{.what = row.what, .published = row.published, .ours = s.mean};
  check.more = {{"sd", s.sd}, {"seeds", static_cast<double>(accuracies.size())}};
  check.more["lowest"] = s.low;
  check.more["highest"] = s.high;
  if (!std::isnan(row.asked)) check.more["asked"] = row.asked;
  if (row.peer.seeds > 0) {
    const auto [mean, sd, seeds] = row.peer;
    check.tolerance =
        3 *
        std::sqrt(sd * sd *
                  (1 / static_cast<double>(seeds) + 1 / static_cast<double>(accuracies.size())));
    check.agrees = std::abs(s.mean - mean) <= check.tolerance;
    check.more["peer"] = mean;
    check.rule =
        fmt::format("the mean is within 3 standard errors of torch's {:g} (sd {:g}, {} seeds)",
                    mean, sd, seeds);
    return check;
  }
  const double published = row.published - kQuickTolerance;
  const double min = quick ? (std::isnan(row.quick_min) ? published : row.quick_min) : row.asked;
  if (quick && std::isnan(row.quick_min)) check.tolerance = kQuickTolerance;
  check.agrees = std::isnan(min) || s.mean >= min;
  check.rule = std::isnan(min) ? "always: nothing is asked of it"
                               : fmt::format("the mean is {:g} or more", min);
  return check;
}

Training training_of(const Row& row, int seed, const TrainingCache& cache, bool quick) {
  TrainingSpec spec = row.training;
  if (quick) spec.epochs = row.quick_epochs;
  spec.seed = static_cast<std::uint64_t>(seed);
  return cache.describe(spec);
}

}  // namespace

// Seeds are the outer loop: the whole table is there, with one seed a row, as early as can be.
std::optional<Reproduction> swarm_table(const ReproductionControl& control) {
  Reproduction result;
  result.folder = control.runs / "swarm-table";
  TrainingCache cache(control, result.folder);
  ReproducedTable runs{"runs",
                       {"row", "seed", "epochs", "parameters", "test_accuracy",
                        "validation_accuracy", "seconds", "images_per_second", "run"}};
  const std::vector<Row>& rows = table_rows();
  std::vector<std::vector<double>> accuracies(rows.size());  // (rows)(seeds) in percent
  const int seeds = control.quick ? 1 : control.seeds;
  for (int seed = 0; seed < seeds; ++seed)
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (control.quick && rows[r].quick_epochs == 0) continue;
      const auto trained =
          cache.fetch(rows[r].key, training_of(rows[r], seed, cache, control.quick));
      if (!trained) return std::nullopt;
      const TrainingSummary& s = trained->summary;
      accuracies[r].push_back(100 * s.test_accuracy);
      runs.rows.push_back({rows[r].what, static_cast<double>(seed), static_cast<double>(s.epochs),
                           static_cast<double>(s.parameters), 100 * s.test_accuracy,
                           100 * s.validation_accuracy, s.seconds, s.images_per_second,
                           trained->directory.filename().string()});
    }
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (!accuracies[r].empty())
      result.checks.push_back(check_of(rows[r], accuracies[r], control.quick));
  result.tables.push_back(std::move(runs));
  return result;
}

}  // namespace murmur
