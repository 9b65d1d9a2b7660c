// causal.cpp: causal attention: centres that do not move, and how much each place in the prompt
// contributes to the last token.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/observe.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct Count {
  double beta;
  int n, d;
  double delta;
  double strong;  // expected number of strong centres; for large n that of an endless sequence
};

// The spread of the number of centres over independent starts.
Spread count_centres(const Count& c, Centres kind, int starts) {
  std::vector<double> counts;
  for (int seed = 0; seed < starts; ++seed) {
    ExperimentSpec spec = preset_spec("causal-centres");
    spec.dynamics.beta = c.beta;
    spec.n = c.n;
    spec.d = c.d;
    spec.random.seed = static_cast<std::uint64_t>(seed);
    const Experiment e = make_experiment(spec);
    counts.push_back(
        static_cast<double>(renyi_centres(e.swarm, e.dynamics.manifold, c.delta, kind).size()));
  }
  return spread_of(counts);
}

void check_counts(const ReproductionControl& control, Reproduction& result) {
  const Count cases[] = {{64, 200, 2, 4 / std::sqrt(64.0), 6.283},
                         {256, 400, 2, 4 / std::sqrt(256.0), 12.57},
                         {64, 400, 3, 0.5, 16.34}};
  const int starts = control.values.whole("starts");
  for (const Count& right : cases) {
    Count c = right;
    c.delta /= std::sqrt(control.wrong.beta);
    const Spread strong = count_centres(c, Centres::strong, starts);
    Check check = check_near(rule::causal_centres_strong,
                             {fmt::format("d = {}, δ = {:g}, n = {}: mean number of strong centres",
                                          c.d, right.delta, c.n),
                              c.strong, strong.mean},
                             3 * strong.sd / std::sqrt(starts) + 5e-3);
    check.rule = "within 3 standard errors and the rounding of the print";
    check.more["finite n"] = theory::strong_centres(c.d, right.delta, c.n);
    result.checks.push_back(std::move(check));
    if (c.d != 2) continue;
    const Spread parked = count_centres(c, Centres::ordinary, starts);
    Check parking = check_near(
        rule::causal_centres_renyi,
        {fmt::format("d = 2, δ = {:g}, n = {}: mean number of Rényi centres", right.delta, c.n),
         theory::parked_centres(right.delta, c.n), parked.mean},
        3 * parked.sd / std::sqrt(starts));
    parking.rule = "within 3 standard errors";
    parking.more["endless sequence"] = theory::renyi_centres(right.delta);
    result.checks.push_back(std::move(parking));
  }
}

double turn(double from, double to) { return std::fabs(std::remainder(to - from, kTurn)); }

// Mean angles of the groups of tokens on the circle that gaps wider than `gap` separate.
std::vector<double> groups_of(const HostSwarm& x, double gap) {
  std::vector<double> angles(static_cast<std::size_t>(x.n()));
  for (int i = 0; i < x.n(); ++i) angles[i] = angle_of(x, i);
  std::sort(angles.begin(), angles.end());
  std::size_t first = 0;
  for (std::size_t k = 1; k < angles.size(); ++k)
    if (angles[k] - angles[k - 1] > gap) first = k;
  std::rotate(angles.begin(), angles.begin() + static_cast<std::ptrdiff_t>(first), angles.end());
  std::vector<double> groups;
  double sum = 0, count = 0;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    if (k > 0 && angles[k] < angles[k - 1]) angles[k] += kTurn;
    if (k > 0 && angles[k] - angles[k - 1] > gap) {
      groups.push_back(std::remainder(sum / count, kTurn));
      sum = count = 0;
    }
    sum += angles[k];
    ++count;
  }
  groups.push_back(std::remainder(sum / count, kTurn));
  return groups;
}

struct Trajectory {
  const Experiment& experiment;
  double beta;
};

// Angles of all tokens over time, interrupted where they jump from one end of the axis to the
// other.
void draw_trajectory(const Trajectory& trajectory, const std::vector<int>& strong,
                     const Simulated& simulated, Reproduction& result) {
  const Experiment& e = trajectory.experiment;
  ColumnTable table{"flight", {"t", "token", "angle", "strong centre", "cluster"}};
  for (const bool centres : {false, true})
    for (int i = 0; i < e.swarm.n(); ++i) {
      if ((std::find(strong.begin(), strong.end(), i) != strong.end()) != centres) continue;
      double before = angle_of(simulated.frames.front(), i);
      int piece = 0;
      for (std::size_t t = 0; t < simulated.times.size(); ++t) {
        const double at = angle_of(simulated.frames[t], i);
        piece += std::fabs(at - before) > 3 ? 1 : 0;
        before = at;
        table.rows.push_back({simulated.times[t], fmt::format("{}.{}", i, piece),
                              centres ? kNoNumber : at, centres ? at : kNoNumber, kNoNumber});
      }
    }
  for (const double at : groups_of(simulated.last(), 0.1))
    table.rows.push_back({simulated.times.back(), "cluster", kNoNumber, kNoNumber, at});
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = figure::causal_centres,
       .table = "flight",
       .title = fmt::format("{} tokens on the circle, causal attention, β = {:g}", e.swarm.n(),
                            trajectory.beta),
       .x = {.label = "time t", .log = true},
       .y = {.label = "angle of the token", .from = -3.3, .to = 3.3, .angle = true},
       .curves = {{"angle", Curve::path, "tokens", Curve::kQuiet},
                  {"strong centre", Curve::line, "strong centres", 1},
                  {"cluster", Curve::rings, "clusters that remain", 0}},
       .apart = "token"});
}

// Mean numbers of centres over delta, compared with pi / delta and Renyi's constant.
void draw_counts(const ReproductionControl& control, Reproduction& result) {
  ColumnTable table{"centres",
                    {"delta", "strong theory", "parked theory", "strong", "strong error", "parked",
                     "parked error"}};
  for (int k = 0; k <= 60; ++k) {
    const double delta = 0.2 * std::pow(5.5, k / 60.0);
    table.rows.push_back({delta, 3.141592653589793 / delta, theory::renyi_centres(delta), kNoNumber,
                          kNoNumber, kNoNumber, kNoNumber});
  }
  const int starts = control.values.whole("panel_starts");
  for (const double delta : control.values.numbers("deltas")) {
    const Count c{64, 400, 2, delta, kNoNumber};
    const Spread strong = count_centres(c, Centres::strong, starts);
    const Spread parked = count_centres(c, Centres::ordinary, starts);
    table.rows.push_back(
        {delta, kNoNumber, kNoNumber, strong.mean, strong.error(), parked.mean, parked.error()});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = figure::causal_centres,
       .table = "centres",
       .title = "Numbers of centres, n = 400",
       .x = {.label = "distance δ between centres", .log = true},
       .y = {.label = "mean number of centres", .log = true},
       .curves = {{"strong theory", Curve::line, "π/δ", 1},
                  {"parked theory", Curve::line, "0.7476 · 2π/δ", 2},
                  {"strong", Curve::points, "strong centres", 1, "strong error"},
                  {"parked", Curve::points, "Rényi centres", 2, "parked error"}}});
  result.captions[figure::causal_centres] =
      "Left: strong centres, tokens that no earlier token is near, keep their angle until t = 150 "
      "and gather the others; rings mark the clusters that remain, those without an orange line at "
      "other Rényi centres. Right: mean numbers of centres over independent starts, with standard "
      "errors, and the laws for an endless sequence.";
}

}  // namespace

std::optional<Reproduction> causal_centres(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::causal_centres);
  check_counts(control, result);
  for (int seed = 0; seed < control.values.whole("seeds"); ++seed) {
    if (control.stopped()) return std::nullopt;
    ExperimentSpec spec = control.values.spec("causal-centres");
    const double beta = spec.dynamics.beta;
    spec.random.seed = static_cast<std::uint64_t>(seed);
    control.wrong.apply(spec);
    const Experiment e = make_experiment(spec);
    const double delta = 4 / std::sqrt(beta);
    const std::vector<int> strong =
        renyi_centres(e.swarm, e.dynamics.manifold, delta, Centres::strong);
    const Simulated simulated = simulate_in_memory(e, control.wrong.null);
    double moved = 0, others = 0;
    for (int i = 0; i < e.swarm.n(); ++i) {
      const double by = turn(angle_of(e.swarm, i), angle_of(simulated.last(), i));
      if (std::find(strong.begin(), strong.end(), i) != strong.end())
        moved = std::max(moved, by);
      else
        others += by / (e.swarm.n() - static_cast<double>(strong.size()));
    }
    Check stay = check_holds(
        rule::causal_centres_stay,
        {fmt::format("seed {}: largest turn of a strong centre by t = {:g}", seed, e.schedule.T),
         moved},
        moved < 0.01 && others > 0.1, "below 0.01, where the others turn by more than 0.1");
    stay.more["mean turn of the others"] = others;
    result.checks.push_back(std::move(stay));
    if (seed == 0) draw_trajectory({e, beta}, strong, simulated, result);
  }
  if (control.figures) draw_counts(control, result);
  return result;
}

namespace {

// Critical times that the companion code of 2605.09213 prints (lambda = 1, M = 8, 20 modes).
struct Published {
  double beta, time, digits;
};
constexpr Published kPublished[] = {{.1, 27.0930, 5e-5},
                                    {.5, 5.9116, 5e-5},
                                    {1, 2.457489, 5e-7},
                                    {2, .600716, 5e-7},
                                    {3, .174018, 5e-7}};

// dS/ds at s = 1, from inside: (3 S(1) - 4 S(1-h) + S(1-2h)) / 2h.
double end_slope(const theory::Retrieval& retrieval, double t) {
  constexpr double h = 1e-4;
  const auto s = [&](double place) { return theory::retrieval_profile(retrieval, t, place); };
  return (3 * s(1) - 4 * s(1 - h) + s(1 - 2 * h)) / (2 * h);
}

// The time at which the end slope changes from positive to negative, by bisection within a factor
// of 2 of `near`.
double slope_root(const theory::Retrieval& retrieval, double near) {
  double low = near / 2, high = 2 * near;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (end_slope(retrieval, middle) > 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

double place_of_minimum(const theory::Retrieval& retrieval, double t) {
  double place = 0, min = 1e300;
  for (int k = 1; k <= 1000; ++k) {
    const double value = theory::retrieval_profile(retrieval, t, k / 1000.0);
    if (value < min) {
      min = value;
      place = k / 1000.0;
    }
  }
  return place;
}

// Particles. Tokens start uniform on the circle. How much of mode n of token k reaches the last one
// is the response of E e^{i n theta_N(t)} to e^{i n theta_k(0)}, which is
//   R_n(k) = E[ cos(n (theta_N(t) - theta_k(0))) d theta_N(t) / d theta_k(0) ],
// and N sum_n w_n R_n(k) is the profile; in the mean field R_n = (e^{a_n t K})_{Nk},
// K_jk = e^{lambda k/N} / sum_{l<j} e^{lambda l/N} for k < j. To first order in t the response is
// t K_Nk h(theta_N - theta_k), h the derivative of beta sin e^{beta cos}; its known mean, t K_Nk
// a_n, is used instead, which lowers the variance.
struct Probe {
  theory::Retrieval retrieval{};
  int n = 0;
  double t = 0;

  double weight(int mode) const {
    return std::exp(-std::pow(std::numbers::pi * mode / retrieval.width, 2) / 2);
  }
  double rate(int mode) const { return theory::retrieval_rate(retrieval.beta, mode); }
  // sum_n w_n cos(n delta)
  double envelope(double delta) const {
    double sum = 0;
    for (int mode = 1; mode <= retrieval.modes; ++mode)
      sum += weight(mode) * std::cos(mode * delta);
    return sum;
  }
  // K_jk
  double kernel(int j, int k) const {
    if (k >= j) return 0;
    double all = 0;
    for (int l = 0; l < j; ++l) all += std::exp(retrieval.lambda * (l - k) / n);
    return 1 / all;
  }
  double drift(double delta) const {
    const double b = retrieval.beta, c = std::cos(delta), s = std::sin(delta);
    return b * (c - b * s * s) * std::exp(b * c);
  }
};

// (n) N sum_n w_n (e^{a_n t K})_{N k}: the profile of n tokens in the mean field.
std::vector<double> mean_field_profile(const Probe& probe) {
  Matrix kernel = zeros(probe.n, probe.n);
  for (int j = 0; j < probe.n; ++j)
    for (int k = 0; k < j; ++k) kernel(j, k) = probe.kernel(j, k);
  std::vector<double> profile(probe.n, 0.0);
  for (int mode = 1; mode <= probe.retrieval.modes; ++mode) {
    std::vector<double> row(probe.n, 0.0);
    row.back() = 1;
    for (int order = 1; order <= 40; ++order) {
      std::vector<double> next(probe.n, 0.0);
      for (int j = 0; j < probe.n; ++j)
        for (int k = 0; k < j; ++k) next[k] += row[j] * kernel(j, k);
      for (double& value : next) value *= probe.rate(mode) * probe.t / order;
      row = next;
      for (int k = 0; k < probe.n; ++k) profile[k] += probe.n * probe.weight(mode) * row[k];
    }
  }
  return profile;
}

void turn(HostSwarm& x, int i, double by) {
  const double angle = angle_of(x, i) + by;
  x.at(i, 0) = std::cos(angle);
  x.at(i, 1) = std::sin(angle);
}

constexpr std::uint32_t kFirstDraw = 10'000;  // those below were seen before the rules were written

// The profile at the places of `tokens`, measured on one draw of the swarm.
std::vector<double> sample_profile(const Probe& probe, const std::vector<int>& tokens, int draw,
                                   const WrongModel& wrong) {
  constexpr double kSmallTurn = 1e-6;
  ExperimentSpec spec = preset_spec("lost-in-the-middle");
  spec.init = InitialLaw{};
  spec.n = probe.n;
  spec.method = Method::rk4;
  spec.dt = 0.1;
  spec.T = probe.t;
  spec.save = SaveChoice{.kind = SaveChoice::final};
  spec.random.replica = kFirstDraw + static_cast<std::uint32_t>(draw);
  wrong.apply(spec);
  Experiment e = make_experiment(spec);
  const HostSwarm start = e.swarm;
  const int last = probe.n - 1;
  const double ends = angle_of(simulate_in_memory(e, wrong.null).last(), last);
  double known = 0;
  for (int mode = 1; mode <= probe.retrieval.modes; ++mode)
    known += probe.weight(mode) * probe.rate(mode);
  std::vector<double> profile;
  for (const int k : tokens) {
    e.swarm = start;
    turn(e.swarm, k, kSmallTurn);
    const double moved = std::remainder(
        angle_of(simulate_in_memory(e, wrong.null).last(), last) - ends, 2 * std::numbers::pi);
    const double from = angle_of(start, k), first = angle_of(start, last) - from;
    const double direct = probe.t * probe.kernel(last, k);
    profile.push_back(probe.n * (probe.envelope(ends - from) * moved / kSmallTurn +
                                 direct * (known - probe.envelope(first) * probe.drift(first))));
  }
  return profile;
}

struct Measured {
  int token;
  double place;  // s
  double profile, error;
};
struct Profile {
  std::vector<Measured> at{};
  double mean = 0, mean_error = 0;  // over the places; places of one draw are not independent
};

// Returns nothing when stopped by a signal.
std::optional<Profile> observe(const Probe& probe, const std::vector<int>& tokens, int draws,
                               const ReproductionControl& control) {
  std::vector<std::vector<double>> samples(tokens.size());
  std::vector<double> means;
  for (int draw = 0; draw < draws; ++draw) {
    if (control.stopped()) return std::nullopt;
    const std::vector<double> profile = sample_profile(probe, tokens, draw, control.wrong);
    for (std::size_t c = 0; c < tokens.size(); ++c) samples[c].push_back(profile[c]);
    means.push_back(spread_of(profile).mean);
  }
  Profile measured{.mean = spread_of(means).mean, .mean_error = spread_of(means).error()};
  for (std::size_t c = 0; c < tokens.size(); ++c) {
    const Spread spread = spread_of(samples[c]);
    measured.at.push_back({tokens[c], (tokens[c] + 1.0) / probe.n, spread.mean, spread.error()});
  }
  return measured;
}

// The mean of the profile over a stretch of places, with its standard error.
struct Stretch {
  double mean = 0, error = 0;
};
Stretch stretch_of(const std::vector<Measured>& measured, double from, double to) {
  double sum = 0, squares = 0, count = 0;
  for (const Measured& m : measured) {
    if (m.place < from || m.place > to) continue;
    sum += m.profile;
    squares += m.error * m.error;
    count += 1;
  }
  return {sum / count, std::sqrt(squares) / count};
}

// How far `high` is above `low`, in standard errors.
double rise(const Stretch& low, const Stretch& high) {
  return (high.mean - low.mean) / std::hypot(low.error, high.error);
}

// A number measured on 32 and on 64 particles, each divided by that of its own mean field,
// extrapolated to infinitely many: for a deficit that falls as 1/n, and for one that falls as
// ln(n)/n, since token j depends on j - 1 random others. The weights of 64 and 32 particles are 2
// and -1, or 2.5 and -1.5.
struct Extrapolated {
  double plain, with_logarithm, error;
  // The distance of 1 from the interval between the two.
  double miss() const {
    const double low = std::min(plain, with_logarithm), high = std::max(plain, with_logarithm);
    return std::max({low - 1, 1 - high, 0.0});
  }
};
struct Share {
  double value, error;
};
Extrapolated extrapolate(const Share& half, const Share& whole) {
  const double step = whole.value - half.value;
  return {whole.value + step, whole.value + 1.5 * step,
          std::hypot(2.5 * whole.error, 1.5 * half.error)};
}

// A swarm of one size and its mean field.
struct Sized {
  Probe probe{};
  Profile measured{};
  std::vector<double> predicted{};
  Share at(std::size_t c) const {
    const double all = predicted[measured.at[c].token];
    return {measured.at[c].profile / all, measured.at[c].error / all};
  }
  Share mean() const {
    double all = 0;
    for (const Measured& m : measured.at)
      all += predicted[m.token] / static_cast<double>(measured.at.size());
    return {measured.mean / all, measured.mean_error / all};
  }
};

// Theory at all places, particles at those that were measured.
ColumnTable profile_table(const Sized& swarm) {
  ColumnTable table{"particles", {"s", "particles", "error", "mean field", "large swarm"}};
  const auto& [probe, measured, predicted] = swarm;
  for (int k = 4; k + 1 < probe.n; ++k) {
    const auto at = std::find_if(measured.at.begin(), measured.at.end(),
                                 [k](const Measured& m) { return m.token == k; });
    const bool seen = at != measured.at.end();
    const double place = (k + 1.0) / probe.n;
    table.rows.push_back({place, seen ? at->profile : kNoNumber, seen ? at->error : kNoNumber,
                          predicted[k],
                          theory::retrieval_profile(probe.retrieval, probe.t, place)});
  }
  return table;
}

// The mean profile, divided by that of its mean field, over 1/n, with both laws of the deficit:
// they pass through both sizes of swarm and end at the extrapolated values.
ColumnTable numbers_table(const Sized& half, const Sized& whole) {
  ColumnTable table{
      "numbers",
      {"1/n", "particles", "error", "n → ∞", "error as n → ∞", "deficit 1/n", "deficit ln(n)/n"}};
  const Share few = half.mean(), many = whole.mean();
  const Extrapolated end = extrapolate(few, many);
  const auto logarithm = [](double share) { return share > 0 ? -share * std::log(share) : 0; };
  const double at = 1.0 / whole.probe.n, last = 1.25 / half.probe.n;
  constexpr int kPoints = 80;
  for (int k = 0; k <= kPoints; ++k) {
    const double share = last * k / kPoints;
    table.rows.push_back({share, kNoNumber, kNoNumber, kNoNumber, kNoNumber,
                          end.plain + (many.value - end.plain) * share / at,
                          end.with_logarithm + (many.value - end.with_logarithm) *
                                                   logarithm(share) / logarithm(at)});
  }
  const auto add = [&](const Sized& swarm, const Share& share) {
    table.rows.push_back({1.0 / swarm.probe.n, share.value, share.error, kNoNumber, kNoNumber,
                          kNoNumber, kNoNumber});
  };
  add(half, few);
  add(whole, many);
  table.rows.push_back({0.0, kNoNumber, kNoNumber, end.plain, end.error, kNoNumber, kNoNumber});
  return table;
}

void draw_extrapolated(Reproduction& result) {
  result.figures.push_back(
      {.name = figure::lost_in_the_middle,
       .table = "numbers",
       .title = "The mean profile as n grows",
       .x = {.label = "inverse number of tokens 1/n", .from = -0.0015, .mark_every = 0.01},
       .y = {.label = "particles / mean field"},
       .curves = {{"deficit 1/n", Curve::line, "deficit of order 1/n", 0},
                  {"deficit ln(n)/n", Curve::dashes, "of order ln(n)/n", Curve::kQuiet},
                  {"particles", Curve::points, "32 and 64 particles", 0, "error"},
                  {"n → ∞", Curve::rings, "extrapolated", 1, "error as n → ∞"}},
       .guides = {{"mean field", kNoNumber, 1}}});
  result.figures.push_back(
      {.name = figure::lost_in_the_middle,
       .table = "endless",
       .title = "Each place as n → ∞",
       .x = {.label = "place in the prompt s"},
       .y = {.label = "particles / mean field"},
       .curves = {{"deficit 1/n", Curve::rings, "deficit of order 1/n", 1, "standard error"},
                  {"deficit ln(n)/n", Curve::points, "of order ln(n)/n", Curve::kQuiet}},
       .guides = {{"mean field", kNoNumber, 1}}});
}

void check_particles(const Sized& half, const Sized& whole, int draws, Reproduction& result) {
  ColumnTable ends{
      "endless",
      {"s", "32 particles", "64 particles", "deficit 1/n", "deficit ln(n)/n", "standard error"}};
  double farthest = 0;
  const auto add = [&](double place, const Share& few, const Share& many) {
    const Extrapolated e = extrapolate(few, many);
    ends.rows.push_back({place, few.value, many.value, e.plain, e.with_logarithm, e.error});
    return e;
  };
  for (std::size_t c = 0; c < whole.measured.at.size(); ++c) {
    const Measured& m = whole.measured.at[c];
    const Extrapolated e = add(m.place, half.at(c), whole.at(c));
    farthest = std::max(farthest, e.miss() / e.error);
  }
  const Extrapolated mean = add(kNoNumber, half.mean(), whole.mean());  // the last row
  const Stretch middle = stretch_of(whole.measured.at, 0.2, 0.55);
  const Stretch end = stretch_of(whole.measured.at, 0.85, 1);
  Check share = check_near(
      rule::lost_in_the_middle_mean,
      {fmt::format(
           "mean profile over the mean field's at t = {:g}, from {} draws of {} and {} particles",
           whole.probe.t, draws, half.probe.n, whole.probe.n),
       1, mean.plain},
      3 * mean.error + std::fabs(mean.with_logarithm - mean.plain));
  share.rule = "within 3 standard errors and what a logarithm would change";
  share.more["standard error"] = mean.error;
  result.checks.push_back(std::move(share));
  result.checks.push_back(check_holds(
      rule::lost_in_the_middle_places,
      {"profile over the mean field's: the place farthest from 1, in standard errors", farthest},
      farthest < 3, "below 3 at every place"));
  result.checks.push_back(
      check_holds(rule::lost_in_the_middle_end,
                  {"particles: end above middle, in standard errors", rise(middle, end)},
                  rise(middle, end) > 3, "above 3: the middle is lost"));
  result.tables.push_back(profile_table(whole));
  result.tables.push_back(numbers_table(half, whole));
  result.tables.push_back(std::move(ends));
}

void check_theory(const WrongModel& wrong, Reproduction& result) {
  ColumnTable table{"critical_times",
                    {"beta", "published", "t_crit", "slope_root", "minimum_before", "minimum_after",
                     "certain_until"}};
  for (const Published& p : kPublished) {
    const theory::Retrieval retrieval{.beta = p.beta * wrong.beta};
    const double critical = theory::retrieval_critical_time(retrieval);
    const double root = slope_root(retrieval, critical);
    const double before = place_of_minimum(retrieval, 0.9 * critical);
    const double after = place_of_minimum(retrieval, 1.1 * critical);
    result.checks.push_back(
        check_near(rule::lost_in_the_middle_critical_time,
                   {fmt::format("t_crit at beta = {:g}", p.beta), p.time, critical}, p.digits));
    table.rows.push_back({p.beta, p.time, critical, root, before, after,
                          theory::retrieval_certain_until(retrieval)});
  }
  result.tables.push_back(std::move(table));
}

void draw_profiles(const FigureValues& values, Reproduction& result) {
  const theory::Retrieval retrieval{.beta = values.number("beta"),
                                    .lambda = values.number("lambda")};
  const double critical = theory::retrieval_critical_time(retrieval);
  ColumnTable table{"profiles", {"s"}};
  const std::vector<double>& shares = values.numbers("shares");
  for (const double share : shares) table.columns.push_back(fmt::format("{:g} t_crit", share));
  for (int k = 12; k <= 200; ++k) {
    const double place = k / 200.0;
    table.rows.push_back({place});
    for (const double share : shares)
      table.rows.back().push_back(theory::retrieval_profile(retrieval, share * critical, place) /
                                  theory::retrieval_profile(retrieval, share * critical, 1));
  }
  TablePanel figure{
      .name = figure::lost_in_the_middle,
      .table = "profiles",
      .title = retrieval.beta == retrieval.lambda
                   ? fmt::format("Theory, β = λ = {:g}", retrieval.beta)
                   : fmt::format("Theory, β = {:g}, λ = {:g}", retrieval.beta, retrieval.lambda),
      .x = {.label = "place in the prompt s"},
      .y = {.label = "retrieval profile S_{t}(s) / S_{t}(1)"}};
  for (std::size_t k = 0; k < shares.size(); ++k)
    figure.curves.push_back(
        {table.columns[k + 1], Curve::line,
         shares[k] == 1 ? "t = t_{crit}" : fmt::format("t = {:g} t_{{crit}}", shares[k])});
  result.figures.push_back(std::move(figure));
  result.tables.push_back(std::move(table));
}

}  // namespace

std::optional<Reproduction> lost_in_the_middle(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::lost_in_the_middle);
  check_theory(control.wrong, result);
  draw_profiles(control.values, result);
  // At an early time, since deficits grow; the first few tokens see too few others. Odd tokens
  // of 64 have their place among 32 too.
  const std::vector<int> tokens =
      control.quick ? std::vector<int>{9, 23, 33, 41, 57, 61}
                    : std::vector<int>{5, 11, 17, 21, 27, 31, 37, 41, 47, 53, 57, 59, 61};
  std::vector<int> halved;
  for (const int token : tokens) halved.push_back((token - 1) / 2);
  const int draws = control.values.whole("draws");
  const Probe probe{.n = 64, .t = 1}, few{.n = 32, .t = 1};
  const auto half = observe(few, halved, draws, control);
  const auto whole = half ? observe(probe, tokens, draws, control) : std::nullopt;
  if (!whole) return std::nullopt;
  check_particles({few, *half, mean_field_profile(few)}, {probe, *whole, mean_field_profile(probe)},
                  draws, result);
  result.figures.push_back(
      {.name = figure::lost_in_the_middle,
       .table = "particles",
       .title = fmt::format("{} particles, t = {:g}", probe.n, probe.t),
       .x = {.label = "place in the prompt s"},
       .y = {.label = "retrieval profile S_{t}(s)"},
       .curves = {
           {"mean field", Curve::line, fmt::format("mean field, n = {}", probe.n), 0},
           {"large swarm", Curve::dashes, "n → ∞", Curve::kQuiet},
           {"particles", Curve::points, fmt::format("particles, {} draws", draws), 0, "error"}}});
  draw_extrapolated(result);
  result.captions[figure::lost_in_the_middle] =
      "How much of a token at place s reaches the last one. Top left: the profile is U-shaped "
      "until t_crit, when its end stops rising. Top right: particles with their standard errors, "
      "compared with the mean field of as many tokens: the middle of the prompt is lost, and so "
      "few particles lie a few per cent below it. Below, what is checked: the mean profile over "
      "its mean field's for 32 and 64 particles, and where a deficit of order 1/n or ln(n)/n leads "
      "(left); the same at each place, extrapolated (right).";
  return result;
}

}  // namespace murmur
