// low_rank.cpp: attention in R^d comes to look at a few tokens alone.
#include <fmt/format.h>

#include <algorithm>

#include "murmur/observe.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

// Tokens of the line in their order, as the first axis of the plane.
Experiment line_experiment(int n, int seed, const FigureValues& values, const WrongModel& wrong) {
  ExperimentSpec spec = values.spec("low-rank");
  spec.init = InitialLaw{InitialLaw::box, {5}};
  spec.n = n;
  spec.d = 2;
  spec.random.seed = static_cast<std::uint64_t>(seed);
  wrong.spoil(spec);
  Experiment e = make_experiment(spec);
  std::vector<double> places(e.swarm.axis(0), e.swarm.axis(0) + n);
  std::sort(places.begin(), places.end());
  for (int i = 0; i < n; ++i) {
    e.swarm.at(i, 0) = places[i];
    e.swarm.at(i, 1) = 0;
  }
  return e;
}

// Rows that are not, to 1e-6, the first or the last unit vector.
int undecided_rows(const Matrix& weights) {
  int undecided = 0;
  for (int i = 0; i < weights.rows; ++i)
    undecided += std::max(weights(i, 0), weights(i, weights.cols - 1)) < 1 - 1e-6 ? 1 : 0;
  return undecided;
}

ReproducedTable weights_table(const std::string& name, const Matrix& weights) {
  ReproducedTable table{name, {"j", "i", "weight"}};
  for (int i = 0; i < weights.rows; ++i)
    for (int j = 0; j < weights.cols; ++j) table.rows.push_back({j + 1.0, i + 1.0, weights(i, j)});
  return table;
}

struct RankCase {
  Matrix first{}, last{};  // attention at the start and at the end
};
RankCase simulate_for_rank(const Experiment& e, NullModel null) {
  const Simulated simulated = simulate_in_memory(e, null);
  return {attention_weights(e.swarm, e.dynamics, 0, 0),
          attention_weights(simulated.last(), e.dynamics, 0, simulated.times.back())};
}

void draw_rank(Reproduction& result, const RankCase& drawn) {
  for (const bool end : {false, true}) {
    const Matrix& weights = end ? drawn.last : drawn.first;
    const std::string table = end ? "attention_end" : "attention_start";
    result.tables.push_back(weights_table(table, weights));
    result.figures.push_back(
        {.name = "low-rank",
         .table = table,
         .title = fmt::format("{}: rank {}", end ? "End" : "Start", numerical_rank(weights)),
         .x = {.label = "attended token j, by place on the line"},
         .y = {.label = "attending token i"},
         .map = "weight",
         .map_label = "attention weight P_{ij}",
         .equal_axes = true});
  }
}

}  // namespace

std::optional<Reproduction> low_rank(const ReproductionControl& control) {
  Reproduction result = result_of(control, "low-rank");
  ReproducedTable cases{"cases", {"d", "n", "seed", "rank_start", "rank_end", "undecided_rows"}};
  int min = 1'000'000, fewest = 1'000'000, most = 0, undecided = 0;
  RankCase drawn;
  const int seeds = control.values.whole("seeds");
  for (const int n : control.values.wholes("sizes"))
    for (int seed = 0; seed < seeds; ++seed) {
      if (control.stopped()) return std::nullopt;
      drawn = simulate_for_rank(line_experiment(n, seed, control.values, control.wrong),
                                control.wrong.null);
      const int before = numerical_rank(drawn.first), rank = numerical_rank(drawn.last);
      cases.rows.push_back({1.0, double(n), double(seed), double(before), double(rank),
                            double(undecided_rows(drawn.last))});
      min = std::min(min, before);
      fewest = std::min(fewest, rank);
      most = std::max(most, rank);
      undecided = std::max(undecided, undecided_rows(drawn.last));
    }
  draw_rank(result, drawn);
  result.captions["low-rank"] =
      "Attention of tokens on a line, sorted by place: spread over many columns at the start, in "
      "the end every token attends to the first or to the last alone, and the matrix has rank 3 "
      "or less.";
  result.checks = {
      holds("low-rank.rank",
            {"smallest rank of attention at the start, d = 1", static_cast<double>(min)}, min > 3,
            "above 3: it falls in flight"),
      holds("low-rank.rank",
            {"largest rank of attention at the end, d = 1", static_cast<double>(most)}, most <= 3,
            "3 or less"),
      holds("low-rank.rank",
            {"smallest rank of attention at the end, d = 1", static_cast<double>(fewest)},
            fewest >= 2, "2 or more: either end is attended to"),
      holds("low-rank.rows",
            {"most rows that attend to neither end of the line alone",
             static_cast<double>(undecided)},
            undecided <= 1, "at most 1")};
  if (!control.quick) {
    ExperimentSpec spec = control.values.spec("low-rank");
    spec.n = 40;
    spec.d = 80;
    spec.init = InitialLaw{InitialLaw::box, {1}};
    spec.dynamics.value = {MatrixChoice::psd};
    spec.T = 6;
    spec.save = SaveChoice{.kind = SaveChoice::final};
    control.wrong.spoil(spec);
    const RankCase wide = simulate_for_rank(make_experiment(spec), control.wrong.null);
    const int before = numerical_rank(wide.first), after = numerical_rank(wide.last);
    cases.rows.push_back({80.0, 40.0, 0.0, double(before), double(after), kNoNumber});
    result.checks.push_back(holds(
        "low-rank.wide",
        {"rank of attention at the end, d = 80, n = 40, V = G G^T / d", static_cast<double>(after)},
        after < before, fmt::format("below the {} of the start", before)));
  }
  result.tables.insert(result.tables.begin(), std::move(cases));
  return result;
}

}  // namespace murmur
