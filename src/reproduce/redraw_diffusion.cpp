// redraw_diffusion.cpp: value matrices that are drawn again after every short time make the cosines
// of tokens diffuse, or collapse.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kEnd = 1.28, kEvery = 0.16;  // s = DT t of pairs, and between their frames
constexpr double kFine = 0.1;                 // DT at which the limit is checked
constexpr double kCoarse = 0.2;        // the same for flows, which refine their steps at every draw
constexpr double kErrors = 3.5;        // standard errors
constexpr double kKolmogorov = 1.949;  // of draws from the law, passed once in a thousand

// Swarms whose weights are drawn again after every time `every`.
struct Fresh {
  int n = 2, d = 3;
  double beta = 0;
  double every = kFine;  // DT
  int steps = 1;         // layers per draw; 0: the flow
  bool random_scores = false;
  double end = kEnd, between = kEvery;  // s

  std::string name() const {
    return fmt::format("d = {}, β = {:g}{}", d, beta, random_scores ? ", random Q and K" : "");
  }
  theory::RedrawnPair pair() const { return {.d = d, .beta = beta, .steps = steps}; }
};

// Draws of many swarms come from one experiment: swarm r has the windows r K to (r + 1) K - 1.
struct Batch {
  Experiment experiment{};
  int windows = 0;  // K
  Schedule schedule{};
  bool frozen = false;

  Dynamics dynamics(int r) const {
    Dynamics own;  // SA on the sphere, but for its windows
    const auto first =
        experiment.dynamics.sublayers.begin() + static_cast<std::ptrdiff_t>(r) * windows;
    own.sublayers = {first, first + (frozen ? 1 : windows)};
    for (Sublayer& sublayer : own.sublayers) {  // times of this swarm; windows begin a little early
      sublayer.from -= r * schedule.T;
      sublayer.until -= r * schedule.T;
    }
    own.sublayers.front().from = -INFINITY;
    own.sublayers.back().until = INFINITY;
    return own;
  }
};

Batch batch_of(const Fresh& fresh, WrongModel wrong, int number, int swarms) {
  const auto windows =
      static_cast<int>(std::lround(wrong.time * fresh.end / fresh.every / fresh.every));
  ExperimentSpec spec = preset_spec("redraw-diffusion");
  spec.n = fresh.n;
  spec.d = fresh.d;
  spec.dynamics.beta = fresh.beta;
  spec.dynamics.redraw = fresh.every;
  if (fresh.random_scores) spec.dynamics.query = spec.dynamics.key = {MatrixChoice::gaussian};
  spec.T = swarms * windows * fresh.every;
  spec.save = SaveChoice{SaveChoice::final};
  spec.dt = fresh.every / std::max(fresh.steps, 1);
  if (fresh.steps == 0) {
    spec.method = Method::dopri5;
    spec.tolerance = {1e-4,
                      1e-6};  // far below the differences between draws; steps refine at every draw
  }
  spec.random.replica = static_cast<std::uint32_t>(number);
  spec.engine = {.name = "reference", .threads = 1};
  const Schedule schedule{.T = wrong.time * fresh.end / fresh.every,
                          .every = wrong.time * fresh.between / fresh.every};
  const bool frozen = std::exchange(wrong.frozen, false);  // every swarm has its own draw
  wrong.time = 1;
  wrong.apply(spec);
  if (wrong.method) spec.dt = fresh.every;
  return {make_experiment(spec), windows, schedule, frozen};
}

double mean_cosine(const HostSwarm& x) {
  double sum = 0;
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j < i; ++j)
      for (int k = 0; k < x.d(); ++k) sum += x.at(i, k) * x.at(j, k);
  return 2 * sum / (x.n() * (x.n() - 1.0));
}

// (frames, replicas) mean cosines at s = 0, between, ..., end.
using Cosines = std::vector<std::vector<double>>;

std::optional<Cosines> cosines_of(const Fresh& fresh, int swarms,
                                  const ReproductionControl& control) {
  const auto frames = static_cast<std::size_t>(std::lround(fresh.end / fresh.between)) + 1;
  Cosines cosines(frames, std::vector<double>(static_cast<std::size_t>(swarms), kNoNumber));
  const double numbers = fresh.end / fresh.every / fresh.every * fresh.d * fresh.d;
  const int together = std::clamp(static_cast<int>(2e6 / numbers), 1, 200);
  for_blocks((swarms + together - 1) / together, control.threads, [&](int number) {
    if (control.stopped()) return;
    const int from = number * together, count = std::min(together, swarms - from);
    const Batch batch = batch_of(fresh, control.wrong, number, count);
    const auto engine = make_engine(batch.experiment.engine, control.wrong.null);
    for (int r = 0; r < count; ++r) {
      const auto field = engine->prepare(batch.dynamics(r), batch.experiment.swarm.shape());
      FlowState state = start(batch.experiment.swarm);
      std::size_t frame = 0;
      FlowWatch watch;
      watch.frame = [&](double, const HostSwarm& x) {
        cosines.at(frame++)[static_cast<std::size_t>(from + r)] = mean_cosine(x);
      };
      advance({*engine, *field, batch.experiment.flow}, batch.schedule, state, watch);
    }
  });
  if (control.stopped()) return std::nullopt;
  return cosines;
}

struct Estimate {
  double mean, error;  // standard error
};
Estimate power_mean(const std::vector<double>& values, int power) {
  std::vector<double> powers;
  for (const double value : values) powers.push_back(std::pow(value, power));
  const Spread spread = spread_of(powers);
  return {spread.mean, spread.error()};
}

Check within_errors(const char* rule, const Compared& numbers, double error, double errors) {
  Check check = check_near(rule, numbers, errors * error);
  check.more["standard error"] = error;
  return check;
}

// The greatest distance of the distribution function of the draws from that of the law, times the
// square root of their number (Kolmogorov).
double kolmogorov(std::vector<double> values, const theory::OverlapLaw& law) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double most = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double below = theory::overlap_below(law, values[i]);
    most = std::max({most, std::fabs(below - i / count), std::fabs(below - (i + 1) / count)});
  }
  return most * std::sqrt(count);
}

const char* steps_name(int steps) {
  return steps == 0 ? "the flow" : steps == 1 ? "one layer per draw" : "two layers per draw";
}

// Means at half of the time and at the end.
void check_moments(const char* rule, const Fresh& fresh, const Cosines& cosines,
                   Reproduction& result) {
  for (const std::size_t frame : {(cosines.size() - 1) / 2, cosines.size() - 1}) {
    const double s = static_cast<double>(frame) * fresh.between;
    const theory::OverlapLaw law = theory::overlap_law(fresh.pair(), s);
    for (const int power : {1, 2}) {
      const Estimate ours = power_mean(cosines[frame], power);
      result.checks.push_back(
          within_errors(rule,
                        {fmt::format("{}, {}: mean of {} at s = {:g}", fresh.name(),
                                     steps_name(fresh.steps), power == 1 ? "ρ" : "ρ²", s),
                         theory::overlap_moment(law, power), ours.mean},
                        ours.error, kErrors));
    }
  }
}

// Curve and points of one kind of pair, in a table of columns s, theory, measured, error, kind.
void tabulate(const Fresh& fresh, const Cosines& cosines, ColumnTable& table) {
  const std::string kind = steps_name(fresh.steps);
  for (std::size_t frame = 0; frame < cosines.size(); ++frame) {
    const double s = static_cast<double>(frame) * fresh.between;
    const double predicted =
        frame == 0 ? 0 : theory::overlap_moment(theory::overlap_law(fresh.pair(), s), 1);
    const Estimate ours = power_mean(cosines[frame], 1);
    table.rows.push_back({s, predicted, ours.mean, ours.error, kind});
  }
}

void draw_law(const Fresh& fresh, const std::vector<double>& values, Reproduction& result) {
  constexpr int kBins = 20;
  const theory::OverlapLaw law = theory::overlap_law(fresh.pair(), fresh.end);
  ColumnTable table{"law", {"ρ", "draws", "error", "theory"}};
  for (int bin = 0; bin < kBins; ++bin) {
    const double from = -1 + 2.0 * bin / kBins, to = -1 + 2.0 * (bin + 1) / kBins;
    const auto count = static_cast<double>(std::count_if(
        values.begin(), values.end(), [&](double rho) { return rho > from && rho <= to; }));
    const double scale = kBins / 2.0 / static_cast<double>(values.size());
    table.rows.push_back(
        {(from + to) / 2, count * scale, std::sqrt(count) * scale,
         (theory::overlap_below(law, to) - theory::overlap_below(law, from)) * kBins / 2});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = figure::redraw_diffusion,
       .table = "law",
       .title = fmt::format("{}: law of the cosine at s = {:g}", fresh.name(), fresh.end),
       .x = {.label = "cosine ρ of two tokens", .from = -1.05, .to = 1.05},
       .y = {.label = "density of the cosine", .from = 0},
       .curves = {{"theory", Curve::histogram, "Fokker-Planck", 0},
                  {"draws", Curve::points, "draws", 0, "error"}}});
}

// Pairs at d = 2 and 3, one layer per draw: the Ito equation.
bool check_layers(const ReproductionControl& control, Reproduction& result, ColumnTable& means) {
  const int replicas = control.values.whole("replicas");
  for (const Fresh& fresh : {Fresh{.d = 2}, Fresh{.d = 3}, Fresh{.d = 3, .beta = 2}}) {
    const auto cosines = cosines_of(fresh, replicas, control);
    if (!cosines) return false;
    check_moments(rule::redraw_diffusion_law, fresh, *cosines, result);
    const double distance =
        kolmogorov(cosines->back(), theory::overlap_law(fresh.pair(), fresh.end));
    result.checks.push_back(check_holds(
        rule::redraw_diffusion_law,
        {fmt::format("{}: distance of {} draws from the law of ρ at s = {:g}, times √{}",
                     fresh.name(), replicas, fresh.end, replicas),
         distance},
        distance < kKolmogorov, "below 1.949, passed once in a thousand"));
    if (!control.figures || fresh.beta != 0) continue;
    if (fresh.d == 2) tabulate(fresh, *cosines, means);
    if (fresh.d == 3) draw_law(fresh, cosines->back(), result);
  }
  return true;
}

// The same pairs with two layers per draw, and by the exact flow: the Stratonovich equation.
bool check_flows(const ReproductionControl& control, Reproduction& result, ColumnTable& means) {
  const int replicas = control.values.whole("flow_replicas");
  for (Fresh fresh : {Fresh{.d = 2, .steps = 2}, Fresh{.d = 2, .steps = 0},
                      Fresh{.d = 3, .steps = 0}, Fresh{.d = 3, .beta = 2, .steps = 0}}) {
    if (control.quick && fresh.d > 2) continue;
    fresh.every = kCoarse;
    const auto cosines = cosines_of(fresh, replicas, control);
    if (!cosines) return false;
    check_moments(rule::redraw_diffusion_flow, fresh, *cosines, result);
    if (control.figures && fresh.d == 2) tabulate(fresh, *cosines, means);
  }
  return true;
}

// E rho at coarse DT is that of the limit plus powers of h = DT^2: from h, 2h and 4h the first two
// are eliminated,  E_0 = (8 E(h) - 6 E(2h) + E(4h)) / 3.
bool check_rate(const ReproductionControl& control, Reproduction& result) {
  const int replicas = control.values.whole("rate_replicas");
  constexpr double kSquares[] = {0.16, 0.32, 0.64}, kShares[] = {8.0 / 3, -2, 1.0 / 3};
  ReproductionControl own = control;
  own.wrong.time = 1;  // whole draws
  ColumnTable table{"coarse", {"DT²", "mean of ρ", "error"}};
  Estimate limit{0, 0};
  for (int k = 0; k < 3; ++k) {
    const auto cosines =
        cosines_of({.every = std::sqrt(kSquares[k]), .between = kEnd}, replicas, own);
    if (!cosines) return false;
    const Estimate ours = power_mean(cosines->back(), 1);
    limit.mean += kShares[k] * ours.mean;
    limit.error = std::hypot(limit.error, kShares[k] * ours.error);
    table.rows.push_back({kSquares[k], ours.mean, ours.error});
  }
  const Fresh fresh;
  const double predicted = theory::overlap_moment(theory::overlap_law(fresh.pair(), kEnd), 1);
  result.checks.push_back(
      within_errors(rule::redraw_diffusion_rate,
                    {fresh.name() + ": mean of ρ at s = 1.28 as DT² → 0, from 0.16, 0.32 and 0.64",
                     predicted, limit.mean},
                    limit.error, kErrors));
  result.tables.push_back(std::move(table));
  return true;
}

// Eight orthogonal tokens in R^32 and R^64, one layer per draw; twice the second less the first has
// an error of order d^{-2}.
bool check_collapse(const ReproductionControl& control, Reproduction& result) {
  constexpr double kDt = 0.25, kLast = 3;
  const int replicas = control.values.whole("collapse_replicas");
  ColumnTable table{"collapse", {"s"}};
  for (const Fresh& wide :
       {Fresh{.n = 8}, Fresh{.n = 8, .beta = 2}, Fresh{.n = 8, .beta = 1, .random_scores = true}}) {
    Fresh fresh = wide;
    fresh.every = kDt;
    fresh.end = kLast;
    fresh.between = kLast / 6;
    std::vector<Cosines> both;
    for (const int d : {32, 64}) {
      fresh.d = d;
      const auto cosines = cosines_of(fresh, replicas, control);
      if (!cosines) return false;
      both.push_back(*cosines);
    }
    const theory::Equiangular swarm{.n = 8, .beta = fresh.random_scores ? 0 : fresh.beta};
    const std::string name =
        fmt::format("β = {:g}{}", fresh.beta, fresh.random_scores ? ", random Q and K" : "");
    table.columns.insert(table.columns.end(), {name, name + ", error", name + ", theory"});
    double rho = 0;
    for (std::size_t frame = 0; frame < both[0].size(); ++frame) {
      const double s = static_cast<double>(frame) * fresh.between;
      for (int layer = 0; frame > 0 && layer < std::lround(fresh.between / kDt / kDt); ++layer)
        rho = theory::redrawn_layer(swarm, kDt, rho);
      const Estimate near = power_mean(both[0][frame], 1), far = power_mean(both[1][frame], 1);
      const Estimate ours{2 * far.mean - near.mean, std::hypot(2 * far.error, near.error)};
      if (frame == table.rows.size()) table.rows.push_back({s});
      table.rows[frame].insert(table.rows[frame].end(), {ours.mean, ours.error, rho});
      if (frame == 0 || frame % 2 != 0) continue;
      result.checks.push_back(within_errors(
          rule::redraw_diffusion_collapse,
          {fmt::format("8 tokens, {}, d → ∞: mean cosine at s = {:g}", name, s), rho, ours.mean},
          ours.error, kErrors));
    }
  }
  result.tables.push_back(std::move(table));
  const std::string random = "β = 1, random Q and K";  // its theory is that of β = 0
  result.figures.push_back(
      {.name = figure::redraw_diffusion,
       .table = "collapse",
       .title = "8 tokens, one layer per draw, d → ∞",
       .x = {.label = "diffusion time s = DT · t"},
       .y = {.label = "mean cosine"},
       .curves = {{"β = 0, theory", Curve::line, "theory, β = 0", 0},
                  {"β = 2, theory", Curve::line, "theory, β = 2", 1},
                  {"β = 0", Curve::points, "β = 0", 0, "β = 0, error"},
                  {"β = 2", Curve::points, "β = 2", 1, "β = 2, error"},
                  {random, Curve::rings, "β = 1, random Q, K", Curve::kInk, random + ", error"}}});
  return true;
}

}  // namespace

std::optional<Reproduction> redraw_diffusion(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::redraw_diffusion);
  ColumnTable means{"means", {"s", "theory", "measured", "error", "a draw"}};
  result.figures.push_back(
      {.name = figure::redraw_diffusion,
       .table = "means",
       .title = "Two tokens on the circle, fresh V",
       .x = {.label = "diffusion time s = DT · t"},
       .y = {.label = "mean cosine"},
       .curves = {{"theory", Curve::line, "theory"},
                  {"measured", Curve::points, "draws", Curve::kByPlace, "error"}},
       .by = "a draw"});
  if (!check_layers(control, result, means) || !check_flows(control, result, means) ||
      !check_rate(control, result) || !check_collapse(control, result))
    return std::nullopt;
  result.tables.push_back(std::move(means));
  result.captions[figure::redraw_diffusion] =
      "Value matrices that are drawn again after every short time DT make cosines diffuse in the "
      "time s = DT · t. Top left: the mean cosine of two tokens on the circle; one layer per draw "
      "follows the Ito equation, the exact flow the Stratonovich one, two layers the mean of both. "
      "Top right: the law of the cosine at d = 3 and the Fokker-Planck equation, both as means "
      "over bins. Below: eight tokens, extrapolated to d → ∞, collapse as the logistic curve says; "
      "random queries and keys (hollow marks) attend to all alike and follow the curve of β = 0. "
      "Lines are theory, bars standard errors.";
  return result;
}

}  // namespace murmur
