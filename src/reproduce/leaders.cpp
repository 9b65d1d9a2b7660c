// leaders.cpp: attention concentrates: a few tokens hold nearly all of it, and its matrix loses
// rank.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "murmur/observe.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kHeld = 0.99;     // of all attention
constexpr double kBetween = 0.25;  // time between frames, times lambda_1

// (n) sum_i P_ij: n in all.
std::vector<double> totals_of(const Matrix& weights) {
  std::vector<double> totals(static_cast<std::size_t>(weights.cols));
  for (int i = 0; i < weights.rows; ++i)
    for (int j = 0; j < weights.cols; ++j) totals[j] += weights(i, j);
  return totals;
}

// The least number of tokens that hold kHeld of it.
int holders_of(std::vector<double> totals) {
  std::sort(totals.rbegin(), totals.rend());
  const double all = std::accumulate(totals.begin(), totals.end(), 0.0);
  double held = 0;
  int count = 0;
  while (count < static_cast<int>(totals.size()) && held < kHeld * all) held += totals[count++];
  return count;
}

int above_half(const std::vector<double>& totals) {
  return static_cast<int>(std::count_if(totals.begin(), totals.end(), [&](double total) {
    return total > 0.5 * static_cast<double>(totals.size());
  }));
}

// The leading eigenvalue of a symmetric matrix and its vector, by power iteration.
struct Principal {
  double value = 0;
  Vector vector{};
};
Principal leading_of(const Matrix& v) {
  Principal leading{0, Vector(v.rows, 1.0)};
  for (int step = 0; step < 2000; ++step) {
    Vector y(v.rows, 0.0);
    double square = 0;
    for (int i = 0; i < v.rows; ++i) {
      for (int j = 0; j < v.cols; ++j) y[i] += v(i, j) * leading.vector[j];
      square += y[i] * y[i];
    }
    leading.value = std::sqrt(square);
    for (double& entry : y) entry /= leading.value;
    leading.vector = y;
  }
  return leading;
}

double along(const HostSwarm& z, int i, const Vector& u) {
  double sum = 0;
  for (int k = 0; k < z.d(); ++k) sum += u[k] * z.at(i, k);
  return sum;
}

// The largest attention of a token to those on the other side of phi_1* = 0.
double across(const Matrix& weights, const HostSwarm& z, const Vector& u) {
  double most = 0;
  for (int i = 0; i < weights.rows; ++i) {
    double sum = 0;
    for (int j = 0; j < weights.cols; ++j)
      if (along(z, i, u) * along(z, j, u) < 0) sum += weights(i, j);
    most = std::max(most, sum);
  }
  return most;
}

struct LeaderRun {
  std::vector<double> times{};
  std::vector<int> holders{};                 // (times)
  std::vector<std::vector<double>> totals{};  // (times, n)
  double across_start = 0, across_end = 0;
  int fewer = 0;  // tokens at the end on the side that has fewer
};

LeaderRun simulate_leaders(int seed, const FigureValues& values, const WrongModel& wrong) {
  ExperimentSpec spec = values.spec("leaders");
  spec.random.seed = static_cast<std::uint64_t>(seed);
  const Experiment right = make_experiment(spec);
  const Principal leading_value = leading_of(by_kind(right.dynamics).heads.front()->value);
  const Vector& u = leading_value.vector;
  spec.T = values.number("turns") / leading_value.value;
  spec.save = SaveChoice{SaveChoice::every, kBetween / leading_value.value};
  wrong.apply(spec);
  const Experiment e = make_experiment(spec);
  const Simulated simulated = simulate_in_memory(e, wrong.null);
  LeaderRun leading;
  for (std::size_t f = 0; f < simulated.frames.size(); ++f) {
    const Matrix weights =
        attention_weights(simulated.frames[f], e.dynamics, 0, simulated.times[f]);
    leading.times.push_back(simulated.times[f] * leading_value.value);
    leading.totals.push_back(totals_of(weights));
    leading.holders.push_back(holders_of(leading.totals.back()));
    if (f == 0) leading.across_start = across(weights, simulated.frames[f], u);
    leading.across_end = across(weights, simulated.frames[f], u);
  }
  for (const double sign : {1.0, -1.0}) {
    int side = 0;
    for (int i = 0; i < e.swarm.n(); ++i) side += sign * along(simulated.last(), i, u) > 0 ? 1 : 0;
    leading.fewer = sign > 0 ? side : std::min(leading.fewer, side);
  }
  return leading;
}

void draw_leaders(const std::vector<LeaderRun>& all, Reproduction& result) {
  ColumnTable bars{"totals", {"token", "start", "end"}};
  const LeaderRun& first = all.front();
  std::vector<std::size_t> order(first.totals.front().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return first.totals.back()[a] > first.totals.back()[b];
  });
  for (std::size_t k = 0; k < order.size(); ++k)
    bars.rows.push_back({k + 1.0, first.totals.front()[order[k]], first.totals.back()[order[k]]});
  ColumnTable counts{"holders", {"lambda_1 t", "mean", "most", "standard error"}};
  for (std::size_t f = 0; f < first.times.size(); ++f) {
    std::vector<double> at;
    for (const LeaderRun& one : all) at.push_back(one.holders[std::min(f, one.holders.size() - 1)]);
    const Spread spread = spread_of(at);
    counts.rows.push_back({first.times[f], spread.mean, spread.high, spread.error()});
  }
  result.figures.push_back(
      {.name = figure::leaders,
       .table = "totals",
       .title = fmt::format("Attention that each of {} tokens gets", order.size()),
       .x = {.label = "token, by what it gets at the end", .from = 0.2},
       .y = {.label = "total attention Σ_{i} P_{ij}"},
       .curves = {{"start", Curve::bars, "start", Curve::kQuiet}, {"end", Curve::bars, "end", 0}},
       .guides = {{"half of all", kNoNumber, 0.5 * static_cast<double>(order.size())}}});
  result.figures.push_back(
      {.name = figure::leaders,
       .table = "holders",
       .title = fmt::format("Who holds 99 % of the attention, {} draws", all.size()),
       .x = {.label = "time λ_{1} t"},
       .y = {.label = "number of tokens", .from = 0},
       .curves = {{"most", Curve::points, "most of any draw", 1},
                  {"mean", Curve::points, "mean of the draws", 0, "standard error"}}});
  result.tables.push_back(std::move(bars));
  result.tables.push_back(std::move(counts));
  result.captions[figure::leaders] =
      "Random positive semi-definite QᵀK and V in the plane: from attention spread over many "
      "tokens (grey) to a few leaders that hold nearly all of it (left, one draw); over draws the "
      "number of tokens that hold 99 % of the attention falls to a few (right; bars: standard "
      "errors).";
}

}  // namespace

std::optional<Reproduction> leaders(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::leaders);
  ColumnTable cases{
      "cases",
      {"seed", "holders at the start", "holders at the end", "columns above n/2 at the end",
       "attention across at the start", "attention across at the end"}};
  std::vector<LeaderRun> all;
  int fewer = 0;  // of the draw in which it is largest
  double most = 0, across_end = 0, across_start = 0, fallen = INFINITY;
  for (int seed = 0; seed < control.values.whole("seeds"); ++seed) {
    if (control.stopped()) return std::nullopt;
    all.push_back(simulate_leaders(seed, control.values, control.wrong));
    const LeaderRun& one = all.back();
    const double start = one.holders.front(), end = one.holders.back();
    cases.rows.push_back({static_cast<double>(seed), start, end,
                          static_cast<double>(above_half(one.totals.back())), one.across_start,
                          one.across_end});
    most = std::max(most, end);
    fallen = std::min(fallen, start - end);
    across_start = std::max(across_start, one.across_start);
    across_end = std::max(across_end, one.across_end);
    fewer = std::max(fewer, one.fewer);
  }
  result.checks = {
      check_holds(rule::leaders_sides,
                  {"most attention that a token pays across phi_1* = 0 at the end", across_end},
                  across_end < 1e-6 && across_start > 1e-3 && fewer > 0,
                  "below 1e-6, from above 0.001, with tokens on either side in some draw"),
      check_holds(rule::leaders_few,
                  {fmt::format("most tokens of {} that hold 99 % of the attention at the end",
                               all.front().totals.front().size()),
                   most},
                  most <= 5, "5 or fewer"),
      check_holds(rule::leaders_few, {"least fall of that number from start to end", fallen},
                  fallen > 0, "above 0")};
  draw_leaders(all, result);
  result.tables.insert(result.tables.begin(), std::move(cases));
  return result;
}

namespace {

// Tokens of the line in their order, as the first axis of the plane.
Experiment line_experiment(int n, int seed, const FigureValues& values, const WrongModel& wrong) {
  ExperimentSpec spec = values.spec("low-rank");
  spec.init = InitialLaw{InitialLaw::box, {5}};
  spec.n = n;
  spec.d = 2;
  spec.random.seed = static_cast<std::uint64_t>(seed);
  wrong.apply(spec);
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

ColumnTable weights_table(const std::string& name, const Matrix& weights) {
  ColumnTable table{name, {"j", "i", "weight"}};
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
        {.name = figure::low_rank,
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
  Reproduction result = new_result(control, figure::low_rank);
  ColumnTable cases{"cases", {"d", "n", "seed", "rank_start", "rank_end", "undecided_rows"}};
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
  result.captions[figure::low_rank] =
      "Attention of tokens on a line, sorted by place: spread over many columns at the start, in "
      "the end every token attends only to the first or only to the last, and the matrix has rank "
      "3 or less.";
  result.checks = {
      check_holds(rule::low_rank_rank,
                  {"smallest rank of attention at the start, d = 1", static_cast<double>(min)},
                  min > 3, "above 3: it falls during the run"),
      check_holds(rule::low_rank_rank,
                  {"largest rank of attention at the end, d = 1", static_cast<double>(most)},
                  most <= 3, "3 or less"),
      check_holds(rule::low_rank_rank,
                  {"smallest rank of attention at the end, d = 1", static_cast<double>(fewest)},
                  fewest >= 2, "2 or more: either end is attended to"),
      check_holds(rule::low_rank_rows,
                  {"most rows that do not attend to only one end of the line",
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
    control.wrong.apply(spec);
    const RankCase wide = simulate_for_rank(make_experiment(spec), control.wrong.null);
    const int before = numerical_rank(wide.first), after = numerical_rank(wide.last);
    cases.rows.push_back({80.0, 40.0, 0.0, double(before), double(after), kNoNumber});
    result.checks.push_back(check_holds(
        rule::low_rank_wide,
        {"rank of attention at the end, d = 80, n = 40, V = G G^T / d", static_cast<double>(after)},
        after < before, fmt::format("below the {} of the start", before)));
  }
  result.tables.insert(result.tables.begin(), std::move(cases));
  return result;
}

}  // namespace murmur
