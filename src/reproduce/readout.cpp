// readout.cpp: how far one guest moves the mean, the median and the class token of a flock.
#include "murmur/readout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"
#include "murmur/random.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kBeta = 4, kTight = 0.05;
constexpr int kTokens = 64;
constexpr double kBetas[] = {1, 4, 9};  // of the class token
constexpr std::array<double, 3> kGuest{0, 1, 0};

enum Readout { mean, median, class_token };
constexpr const char* kNames[] = {"mean", "median", "class token"};

double distance(const Vector& a, const Vector& b) {
  double square = 0;
  for (std::size_t k = 0; k < a.size(); ++k) square += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(square);
}

// Rows of places, each with its mass.
struct Bodies {
  std::vector<std::array<double, 3>> place{};
  std::vector<double> mass{};

  void add(std::array<double, 3> x, double m = 1) {
    place.push_back(x);
    mass.push_back(m);
  }
  HostSwarm swarm() const {
    HostSwarm x(Shape{static_cast<int>(place.size()), 3});
    double total = 0;
    for (const double m : mass) total += m;
    for (int i = 0; i < x.n(); ++i) {
      x.mass[i] = mass[i] / total;
      for (int k = 0; k < 3; ++k) x.at(i, k) = place[i][k];
    }
    return x;
  }
};

// n tokens, the flock, in a cap of one angle, under one beta.
struct Setting {
  int n = kTokens;
  double spread = kTight, beta = kBeta;
};

Experiment experiment_of(const Setting& s, std::uint64_t seed, const FigureValues& values,
                         const WrongModel& wrong) {
  ExperimentSpec spec = values.spec("readout");
  spec.n = s.n;
  spec.dynamics.beta = s.beta;
  spec.init = InitialLaw{InitialLaw::cap, {s.spread}};
  spec.save = SaveChoice{SaveChoice::every, spec.T};
  spec.random.seed = seed;
  spec.engine.threads = 1;
  wrong.apply(spec);
  return make_experiment(spec);
}

HostSwarm after(Experiment e, const HostSwarm& x, NullModel null) {
  e.swarm = x;
  return simulate_in_memory(e, null).last();
}

// Uniform on the sphere, from the stream `readout`.
std::array<double, 3> class_start(std::uint64_t seed) {
  const Vocabulary one = draw_vocabulary(1, 3, seed);
  return {one.points(0, 0), one.points(0, 1), one.points(0, 2)};
}

struct Shifts {
  std::array<double, 3> before{}, after{};  // by Readout
};

Vector read(const HostSwarm& x, Readout how) {
  return how == mean     ? mean_place(x)
         : how == median ? geometric_median(x)
                         : token_place(x, x.n() - 1);
}

// Shifts of the readouts of `flock` by the guest, one more token; the class token is the last one.
Shifts shifts_of(const Experiment& e, const Bodies& flock, std::uint64_t seed, NullModel null) {
  Shifts shifts;
  for (const bool with_class_token : {false, true}) {
    Bodies without = flock, with = flock;
    with.add(kGuest);
    if (with_class_token) {
      without.add(class_start(seed));
      with.add(class_start(seed));
    }
    const HostSwarm x = without.swarm(), y = with.swarm();
    const HostSwarm x_end = after(e, x, null), y_end = after(e, y, null);
    for (const Readout how : {mean, median, class_token}) {
      if ((how == class_token) != with_class_token) continue;
      shifts.before[how] = distance(read(x, how), read(y, how));
      shifts.after[how] = distance(read(x_end, how), read(y_end, how));
    }
  }
  return shifts;
}

// Shifts of many starts; with wrong.exchanged each readout is replaced by another.
struct Measured {
  Setting setting{};
  std::array<Spread, 3> before{}, after{};
  std::array<double, 3> tail{};  // nine tenths of the shifts after are smaller
  // The same of two and three bodies, the mean and nine tenths; NaN for the median.
  std::array<double, 3> bodies{}, bodies_tail{};
};

double nine_tenths(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(0.9 * static_cast<double>(values.size() - 1))];
}

std::uint64_t seed_of(int start) { return 1 + static_cast<std::uint64_t>(start); }

Measured measure(const Setting& s, int starts, const ReproductionControl& control) {
  std::vector<Shifts> ours(starts), theirs(starts);
  for_blocks(starts, control.threads, [&](int start) {
    const std::uint64_t seed = seed_of(start);
    const Experiment e = experiment_of(s, seed, control.values, control.wrong);
    Bodies flock, one;
    for (int i = 0; i < e.swarm.n(); ++i)
      flock.add({e.swarm.at(i, 0), e.swarm.at(i, 1), e.swarm.at(i, 2)});
    one.add({1, 0, 0}, s.n);
    ours[start] = shifts_of(e, flock, seed, control.wrong.null);
    theirs[start] =
        shifts_of(experiment_of(s, seed, control.values, {}), one, seed, NullModel::none);
  });
  Measured m{.setting = s};
  for (const int how : {0, 1, 2}) {
    const int taken = control.wrong.exchanged ? (how + 1) % 3 : how;
    std::vector<double> before, after, bodies;
    for (int start = 0; start < starts; ++start) {
      before.push_back(ours[start].before[taken]);
      after.push_back(ours[start].after[taken]);
      bodies.push_back(theirs[start].after[how]);
    }
    m.before[how] = spread_of(before);
    m.after[how] = spread_of(after);
    m.bodies[how] = how == median ? kNoNumber : spread_of(bodies).mean;
    m.tail[how] = nine_tenths(std::move(after));
    m.bodies_tail[how] = how == median ? kNoNumber : nine_tenths(std::move(bodies));
  }
  return m;
}

// y = c x^exponent by least squares in logarithms; errors of the y are carried through.
struct Power {
  double exponent, error;
};
Power power_of(const std::vector<double>& x, const std::vector<double>& y,
               const std::vector<double>& y_error) {
  std::vector<double> a, b;
  for (std::size_t k = 0; k < x.size(); ++k) {
    a.push_back(std::log(x[k]));
    b.push_back(std::log(y[k]));
  }
  const double middle = spread_of(a).mean;
  double square = 0, variance = 0;
  for (const double v : a) square += (v - middle) * (v - middle);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double share = (a[k] - middle) / square * y_error[k] / y[k];
    variance += share * share;
  }
  return {fit_line(a, b).slope, std::sqrt(variance)};
}

// Of one readout along a series of settings, before interaction or after.
enum When { at_once, later };
Power law_of(const std::vector<Measured>& series, Readout how, When when, bool over_spread) {
  std::vector<double> x, y, error;
  for (const Measured& m : series) {
    const Spread& s = when == later ? m.after[how] : m.before[how];
    if (!(s.mean > 0)) return {kNoNumber, kNoNumber};
    x.push_back(over_spread ? m.setting.spread : m.setting.n + 1);
    y.push_back(s.mean);
    error.push_back(s.error());
  }
  return power_of(x, y, error);
}

double bodies_exponent(const std::vector<Measured>& series, Readout how) {
  std::vector<double> x, y;
  for (const Measured& m : series) {
    x.push_back(m.setting.n + 1);
    y.push_back(m.bodies[how]);
  }
  return power_of(x, y, std::vector<double>(x.size())).exponent;
}

// The median of a flat disc of n tokens that another token pulls along a line at 45 degrees to the
// disc.
double median_law(const Measured& m) { return std::sqrt(5.0 / 8) * m.setting.spread / m.setting.n; }
// Before interaction: |guest - mean| / (n + 1), where the mean of a cap is at (1 + cos delta) / 2.
double mean_law(const Measured& m) {
  return std::hypot(1, (1 + std::cos(m.setting.spread)) / 2) / (m.setting.n + 1);
}

ColumnTable table_of(const std::string& name, const std::vector<Measured>& series) {
  ColumnTable table{name, {"n", "spread", "beta"}};
  for (const char* how : {"mean", "median", "class"})
    for (const char* what : {"before", "before_error", "after", "after_error", "after_tail"})
      table.columns.push_back(fmt::format("{}_{}", how, what));
  for (const char* more : {"mean_law", "median_law", "mean_bodies", "class_bodies"})
    table.columns.emplace_back(more);
  for (const Measured& m : series) {
    auto& row = table.rows.emplace_back(std::vector<ColumnTable::Cell>{
        static_cast<double>(m.setting.n), m.setting.spread, m.setting.beta});
    for (const int how : {0, 1, 2})
      for (const double cell : {m.before[how].mean, m.before[how].error(), m.after[how].mean,
                                m.after[how].error(), m.tail[how]})
        row.emplace_back(cell);
    for (const double cell : {mean_law(m), median_law(m), m.bodies[mean], m.bodies[class_token]})
      row.emplace_back(cell);
  }
  return table;
}

ColumnTable exponent_table(const std::vector<Measured>& over_n,
                           const std::vector<Measured>& over_spread) {
  ColumnTable table{"exponents",
                    {"readout", "when", "in n + 1", "error", "in the spread", "spread error"}};
  for (const Readout how : {mean, median, class_token})
    for (const When when : {at_once, later}) {
      if (how == class_token && when == at_once) continue;  // it has not attended to the guest yet
      const Power n = law_of(over_n, how, when, false), s = law_of(over_spread, how, when, true);
      table.rows.push_back({kNames[how], when == later ? "t = 1" : "before interaction", n.exponent,
                            n.error, s.exponent, s.error});
    }
  return table;
}

void check_bodies(const std::vector<Measured>& all, std::vector<Check>& checks) {
  for (const Measured& m : all)
    for (const Readout how : {mean, class_token}) {
      if (how == mean && m.setting.beta != kBeta) continue;
      checks.push_back(
          check_near_share(rule::readout_bodies,
                           {fmt::format("{}, β = {:g}, n = {}: shift by one guest at t = 1",
                                        kNames[how], m.setting.beta, m.setting.n),
                            m.bodies[how], m.after[how].mean},
                           0.05));
      checks.back().more["standard error"] = m.after[how].error();
    }
}

void check_laws(const std::vector<Measured>& over_n, const std::vector<Measured>& over_spread,
                std::vector<Check>& checks) {
  const auto add = [&](const char* rule, const std::string& what, double predicted, Power found) {
    checks.push_back(check_near(rule, {what, predicted, found.exponent}, 0.1));
    checks.back().more["standard error"] = found.error;
  };
  for (const Readout how : {mean, class_token})
    add(rule::readout_votes, fmt::format("{}, t = 1: exponent of the shift in n + 1", kNames[how]),
        bodies_exponent(over_n, how), law_of(over_n, how, later, false));
  for (const When when : {at_once, later})
    add(rule::readout_spread_mean,
        fmt::format("mean, {}: exponent of the shift in the spread",
                    when == later ? "t = 1" : "before interaction"),
        0, law_of(over_spread, mean, when, true));
  const Measured& tight = over_spread.front();
  checks.push_back(check_near_share(
      rule::readout_spread_mean,
      {fmt::format("mean, t = 1, spread {:g}: shift over that of two bodies", tight.setting.spread),
       1, tight.after[mean].mean / tight.bodies[mean]},
      0.05));
  add(rule::readout_spread_median,
      "median, before interaction: exponent of the shift in the spread", 1,
      law_of(over_spread, median, at_once, true));
  add(rule::readout_spread_median, "median, before interaction: exponent of the shift in n + 1", -1,
      law_of(over_n, median, at_once, false));
  const Measured& last = over_n.back();
  checks.push_back(check_near_share(
      rule::readout_spread_median,
      {fmt::format("median, before interaction, n = {}: shift over spread, times n",
                   last.setting.n),
       std::sqrt(5.0 / 8), last.before[median].mean * last.setting.n / last.setting.spread},
      0.1));
}

// Checks the largest shifts too: a class token that starts nearer to the guest than to the flock
// follows the guest.
void check_class_token(const std::vector<Measured>& over_n, std::vector<Check>& checks) {
  for (const Measured& m : over_n)
    checks.push_back(check_near_share(
        rule::readout_class_token,
        {fmt::format("n = {}: shift of the class token over that of the mean, nine tenths of the "
                     "starts below",
                     m.setting.n),
         m.bodies_tail[class_token] / m.bodies_tail[mean], m.tail[class_token] / m.tail[mean]},
        0.1));
}

void draw(Reproduction& result, int starts) {
  const auto add_panel = [&](const char* table, const char* title, const char* over,
                             const char* when) {
    const std::string at = when;
    TablePanel figure{
        .name = figure::readout,
        .table = table,
        .title = title,
        .x = {.label = over[0] == 'n' ? "number of tokens n" : "spread: angle of the cap, radians",
              .log = true},
        .y = {.label = "shift of the readout by one guest", .log = true},
        .over = over};
    figure.curves = {{"mean_" + at, Curve::points, "mean", 0, "mean_" + at + "_error"},
                     {"median_" + at, Curve::points, "median", 2, "median_" + at + "_error"}};
    if (at == "after") {
      figure.curves.push_back(
          {"class_after", Curve::points, "class token", 4, "class_after_error"});
      figure.curves.push_back({"mean_bodies", Curve::line, "two bodies", 0});
      figure.curves.push_back({"class_bodies", Curve::line, "three bodies", 4});
    } else {
      figure.curves.push_back({"mean_law", Curve::line, "one vote of n + 1", 0});
      figure.curves.push_back({"median_law", Curve::line, "a pull of one token", 2});
    }
    result.figures.push_back(std::move(figure));
  };
  add_panel("tokens", "Before interaction", "n", "before");
  add_panel("tokens", "At t = 1", "n", "after");
  add_panel("spreads", "Before interaction, n = 64", "spread", "before");
  add_panel("spreads", "At t = 1, n = 64", "spread", "after");
  result.figures.push_back(
      {.name = "class-token",
       .table = "class_token",
       .title = "A class token among n tokens, at t = 1",
       .x = {.label = "number of tokens n", .log = true},
       .y = {.label = "shift of the class token by one guest", .log = true},
       .curves = {{"class_bodies", Curve::line, "three bodies"},
                  {"class_after", Curve::points, "n tokens", Curve::kByPlace, "class_after_error"}},
       .over = "n",
       .by = "beta",
       .by_name = "β"});
  result.captions[figure::readout] = fmt::format(
      "One more token, the guest, at a right angle to a flock of tokens in a cap: shift of mean, "
      "geometric median and class token, means of {} starts with standard errors. The mean obeys "
      "one vote of n + 1, whatever the spread; the median moves the less the tighter the flock is; "
      "the class token moves far.",
      starts);
  result.captions["class-token"] = fmt::format(
      "Shift of a class token from a start of its own by one guest among n tokens, mean of {} "
      "starts: lines are three bodies. At low β it is as steady as a vote; at high β it follows "
      "the guest until n is about e^(βγ).",
      starts);
}

}  // namespace

std::optional<Reproduction> readout(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::readout);
  const int starts = control.values.whole("starts");
  const std::vector<int> counts = control.values.wholes("sizes");
  std::vector<Measured> over_n, over_spread, classes;
  for (const double beta : kBetas)
    for (const int n : counts) {
      if (control.stopped()) return std::nullopt;
      classes.push_back(measure({.n = n, .beta = beta}, starts, control));
      if (beta == kBeta) over_n.push_back(classes.back());
    }
  for (const double spread : control.values.numbers("spreads")) {
    if (control.stopped()) return std::nullopt;
    over_spread.push_back(measure({.spread = spread}, starts, control));
  }
  check_bodies(classes, result.checks);
  check_laws(over_n, over_spread, result.checks);
  check_class_token(over_n, result.checks);
  result.tables = {exponent_table(over_n, over_spread), table_of("tokens", over_n),
                   table_of("spreads", over_spread), table_of("class_token", classes)};
  draw(result, starts);
  return result;
}

}  // namespace murmur
