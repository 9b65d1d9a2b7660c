// swarm_table.cpp: the published test accuracies of the swarm that reads digits, trained again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/words.h"
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
  const char* key;       // of its run directories
  double published;      // the companion code's README; NaN: none
  double asked;          // what this recipe is to reach; NaN: nothing
  int epochs;            // 0: as the recipe has it
  int quick_epochs;      // 0: left out of the quick table
  double quick_min;      // what the quick training is to reach; NaN: published - 1
  Peer peer;             // whose distribution ours is to share, in place of `asked`
  const char* settings;  // parameters of `train`, with blanks between
};
constexpr double kNone = kNoNumber;

constexpr Row kRows[] = {
    {"5 vs 6, 1 block", "1-block", 89.68, 98.0, 0, 12, kNone, kNobody, "blocks=1"},
    {"5 vs 6, 2 shared", "2-shared", 95.03, 98.5, 0, 12, kNone, kNobody, "blocks=2"},
    {"5 vs 6, 10 shared", "10-shared", 96.43, 98.7, 0, 12, kNone, kNobody, "blocks=10"},
    {"5 vs 6, 2 free", "2-free", 96.97, 98.7, 0, 12, kNone, kNobody, "blocks=2 shared=false"},
    {"5 vs 6, 10 free d=100", "10-free-d100", 99.35, 99.6, 120, 0, kNone, kNobody,
     "blocks=10 shared=false d=100 rate=0.003 shift=1"},
    {"5 vs 6, 10 shared, recipe published", "10-shared-published", 96.43, kNone, 0, 0, kNone,
     kTorch, "blocks=10 recipe=published"},
    {"ten classes, 10 free", "ten-10-free", kNone, 93, 30, 4, 80, kNobody,
     "blocks=10 shared=false digits=0-9 batch=128"},
    {"ten classes, 10 shared", "ten-10-shared", kNone, kNone, 30, 0, kNone, kNobody,
     "blocks=10 digits=0-9 residual=0.2 batch=64"},
};
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
  std::vector<std::string> assignments = split(row.settings, ' ');
  const int epochs = quick ? row.quick_epochs : row.epochs;
  if (epochs > 0) assignments.push_back(fmt::format("epochs={}", epochs));
  assignments.push_back(fmt::format("seed={}", seed));
  return cache.describe(assignments);
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
  std::vector<std::vector<double>> accuracies(std::size(kRows));  // (rows)(seeds) in percent
  const int seeds = control.quick ? 1 : control.seeds;
  for (int seed = 0; seed < seeds; ++seed)
    for (std::size_t r = 0; r < std::size(kRows); ++r) {
      if (control.quick && kRows[r].quick_epochs == 0) continue;
      const auto trained =
          cache.fetch(kRows[r].key, training_of(kRows[r], seed, cache, control.quick));
      if (!trained) return std::nullopt;
      const TrainingSummary& s = trained->summary;
      accuracies[r].push_back(100 * s.test_accuracy);
      runs.rows.push_back({kRows[r].what, static_cast<double>(seed), static_cast<double>(s.epochs),
                           static_cast<double>(s.parameters), 100 * s.test_accuracy,
                           100 * s.validation_accuracy, s.seconds, s.images_per_second,
                           trained->directory.filename().string()});
    }
  for (std::size_t r = 0; r < std::size(kRows); ++r)
    if (!accuracies[r].empty())
      result.checks.push_back(check_of(kRows[r], accuracies[r], control.quick));
  result.tables.push_back(std::move(runs));
  return result;
}

}  // namespace murmur
