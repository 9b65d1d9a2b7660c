// w2_rate.cpp: how fast measures contract to one point, and why densities do so slowly.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kSlow = 0.01;    // the rate of 2504.14697
constexpr double kWindow = 4;     // of time before T, over which late slopes are read
constexpr double kFrames = 0.25;  // time between frames
constexpr double kStep = 0.5;     // of the points along x = ln tan(theta / 2)

// A law about the first axis of R^d, and the attention that moves it.
struct Start {
  int d = 2;
  Interaction attention = Interaction::SA;
  double beta = 0.3;
  double order = 0;   // of the boosted uniform law; 0: a wave instead
  double wave = 0.5;  // the uniform law times 1 + wave cos theta
  int tokens = 0;     // tokens of equal mass at quantiles of the circle, instead of a density

  theory::Law law() const {
    return attention == Interaction::SA ? theory::Law::sa : theory::Law::usa;
  }
  std::string name() const {
    return fmt::format("d = {}, {}, β = {:g}", d, attention == Interaction::SA ? "SA" : "USA",
                       beta);
  }
  // An order r of the first harmonic grows as e^{(d-1)/d t} near beta = 0.
  double T() const {
    const double small = order > 0 ? order : wave / d;
    return std::ceil(14 + std::max(std::log(0.5 / small), 0.0) * d / (d - 1.0));
  }
};

// Unit vectors across the first axis, spread so evenly that their mean and second moments are those
// of all directions: two, a hexagon, an icosahedron.
std::vector<std::vector<double>> across(int d) {
  if (d == 2) return {{1}, {-1}};
  std::vector<std::vector<double>> all;
  if (d == 3) {
    for (int k = 0; k < 6; ++k) all.push_back({std::cos(k * kPi / 3), std::sin(k * kPi / 3)});
    return all;
  }
  const double length = std::sqrt(1 + std::numbers::phi * std::numbers::phi);
  const double a = 1 / length, b = std::numbers::phi / length;
  for (const double s : {a, -a})
    for (const double t : {b, -b}) {
      all.push_back({0, s, t});
      all.push_back({s, t, 0});
      all.push_back({t, 0, s});
    }
  return all;
}

// Weighted points. Along x = ln tan(theta / 2) the uniform law is sech(x)^{d-1}, and a boost is a
// translation.
HostSwarm points_of(const Start& start) {
  const double boost = start.order > 0 ? theory::boost_of_order(start.d, start.order) : 0;
  const int reach = static_cast<int>(std::min(24.0, 42.0 / (start.d - 1)) / kStep);
  const auto ring = across(start.d);
  HostSwarm x({(2 * reach + 1) * static_cast<int>(ring.size()), start.d});
  double all = 0;
  int i = 0;
  for (int k = -reach; k <= reach; ++k)
    for (const std::vector<double>& u : ring) {
      const double at = k * kStep, moved = at - boost;
      double mass = std::pow(1 / std::cosh(at), start.d - 1);
      if (start.order == 0) mass *= 1 - start.wave * std::tanh(at);
      x.at(i, 0) = -std::tanh(moved);
      for (int c = 1; c < start.d; ++c) x.at(i, c) = u[c - 1] / std::cosh(moved);
      x.mass[i++] = mass;
      all += mass;
    }
  for (double& mass : x.mass) mass /= all;
  return x;
}

// Equal tokens at the ranks (i + 1/2) / n of a wave on the circle, none of them on its axis.
HostSwarm tokens_of(const Start& start) {
  HostSwarm x({start.tokens, 2});
  for (int i = 0; i < start.tokens; ++i) {
    const double share = kPi * (2 * (i + 0.5) / start.tokens - 1);
    double theta = share;
    for (int turn = 0; turn < 60; ++turn)
      theta -= (theta + start.wave * std::sin(theta) - share) / (1 + start.wave * std::cos(theta));
    x.at(i, 0) = std::cos(theta);
    x.at(i, 1) = std::sin(theta);
  }
  return x;
}

struct Contracting {
  std::vector<double> times{}, spread{}, order{};  // W2 to the limit, in chords; |mean|
  double opposite = kNoNumber;  // g: growth of the distance of the most opposite point, over e^T
};

// The limit is the direction of the mean at T.
Contracting contract(const HostSwarm& x, const Start& start, const WrongModel& wrong, double T) {
  ExperimentSpec spec = preset_spec("w2-rate");
  spec.init = InitialPoints{{x.n(), x.d(), to_rows(x)}};
  spec.n = spec.d = std::nullopt;
  spec.dynamics.interaction = start.attention;
  spec.dynamics.beta = start.beta;
  spec.T = T;
  spec.save = SaveChoice{SaveChoice::every, wrong.time * kFrames};
  spec.engine = {.name = "simd", .threads = 1};
  WrongModel flow = wrong;
  flow.tokens = 0;
  flow.apply(spec);
  Experiment e = make_experiment(spec);
  e.swarm.mass = x.mass;
  const Simulated simulated = simulate_in_memory(e, wrong.null);
  const auto mean_of = [&](const HostSwarm& frame) {
    std::vector<double> mean(static_cast<std::size_t>(x.d()) + 1);  // its length last
    for (int k = 0; k < x.d(); ++k) {
      for (int i = 0; i < x.n(); ++i) mean[k] += x.mass[i] * frame.at(i, k);
      mean.back() += mean[k] * mean[k];
    }
    mean.back() = std::sqrt(mean.back());
    return mean;
  };
  const std::vector<double> limit = mean_of(simulated.last());
  Contracting c;
  for (std::size_t f = 0; f < simulated.frames.size(); ++f) {
    double square = 0;
    for (int i = 0; i < x.n(); ++i)
      for (int k = 0; k < x.d(); ++k) {
        const double apart = simulated.frames[f].at(i, k) - limit[k] / limit.back();
        square += x.mass[i] * apart * apart;
      }
    c.times.push_back(simulated.times[f] / wrong.time);
    c.spread.push_back(std::sqrt(square));
    c.order.push_back(mean_of(simulated.frames[f]).back());
  }
  const auto off = [&](const HostSwarm& frame) {
    double square = 0;
    for (int k = 1; k < x.d(); ++k) square += std::pow(frame.at(x.n() - 1, k), 2);
    return std::sqrt(square);
  };
  c.opposite = std::asin(off(simulated.last())) / off(x) * std::exp(-c.times.back());
  return c;
}

Contracting contract(const Start& start, const WrongModel& wrong) {
  return contract(start.tokens > 0 ? tokens_of(start) : points_of(start), start, wrong, start.T());
}

double late_slope(const Contracting& c) {
  const std::size_t last = c.times.size() - 1;
  const auto before = last - static_cast<std::size_t>(kWindow / kFrames);
  return std::log(c.spread[before] / c.spread[last]) / (c.times[last] - c.times[before]);
}

// The first frame of order 1/2, at T_0; the number of frames where there is none.
std::size_t half_ordered(const Contracting& c) {
  std::size_t first = 0;
  while (first < c.order.size() && c.order[first] < 0.5) ++first;
  return first;
}

// The greatest of W2(t) e^{(t - T_0)/100} / W2(T_0) over frames after T_0; NaN without a T_0.
double excess(const Contracting& c) {
  const std::size_t first = half_ordered(c);
  double most = kNoNumber;
  for (std::size_t f = first + 1; f < c.order.size(); ++f)
    most = std::fmax(
        most, c.spread[f] / c.spread[first] * std::exp(kSlow * (c.times[f] - c.times[first])));
  return most;
}

bool check_theorem(const ReproductionControl& control, Reproduction& result) {
  const std::vector<double>& orders = control.values.numbers("orders");
  for (const int d : {2, 3})
    for (const double beta : control.values.numbers("betas"))
      for (const double order : orders) {
        if (control.stopped()) return false;
        const bool usual = !control.values.is_changed("betas");
        if (control.quick && usual && d == 3 && beta != 0.3) continue;
        const Start start{.d = d, .beta = beta, .order = order};
        const double most = excess(contract(start, control.wrong));
        result.checks.push_back(check_holds(
            rule::w2_rate_theorem,
            {fmt::format("{}, R_0 = {:g}: greatest W2(t) e^((t - T_0)/100) / W2(T_0), t > T_0",
                         start.name(), order * order),
             most},
            most <= 1, "at most 1"));
      }
  return true;
}

bool check_rates(const ReproductionControl& control, Reproduction& result) {
  const int tokens = control.values.whole("tokens");
  const std::string many = fmt::format(", {} tokens", tokens);
  struct Late {
    Start start;
    double z;  // the order at which the density vanishes opposite to the limit
    const char* what;
  };
  const Late all[] = {
      {{.d = 2}, 0, ""},
      {{.d = 2, .beta = -0.1}, 0, ""},
      {{.d = 2, .attention = Interaction::USA}, 0, ""},
      {{.d = 3, .attention = Interaction::USA}, 0, ""},
      {{.d = 4}, 0, ""},
      {{.d = 4, .attention = Interaction::USA, .beta = 0.5}, 0, ""},
      {{.d = 2, .wave = 1}, 2, ", no density opposite"},
      {{.d = 2, .tokens = tokens}, 0, many.c_str()},
  };
  for (const Late& late : all) {
    if (control.stopped()) return false;
    const theory::Contraction rates =
        theory::contraction(late.start.law(), late.start.beta, late.start.d, late.z);
    const double predicted = late.start.tokens > 0 ? rates.near : rates.rate;
    result.checks.push_back(
        check_near_share(rule::w2_rate_late,
                         {late.start.name() + late.what + ": late rate of W2", predicted,
                          late_slope(contract(late.start, control.wrong))},
                         2e-3));
  }
  return true;
}

// In d = 3 under SA both rates are 1: W2^2 e^{2t} grows along a line.
void check_critical(const ReproductionControl& control, Reproduction& result) {
  const Start start{.d = 3};
  const Contracting c = contract(start, control.wrong);
  std::vector<double> t, scaled;
  for (std::size_t f = 0; f < c.times.size(); ++f) {
    if (c.times[f] < c.times.back() - kWindow) continue;
    t.push_back(c.times[f]);
    scaled.push_back(std::pow(c.spread[f], 2) * std::exp(2 * c.times[f]));
  }
  const double density = (1 - start.wave) / (4 * kPi);
  result.checks.push_back(
      check_near_share(rule::w2_rate_critical,
                       {start.name() + ": slope of W2² e^(2t) over t",
                        32 * kPi * density / (c.opposite * c.opposite), fit_line(t, scaled).slope},
                       5e-3));
}

// Compares the whole curve at beta = 0 with theory, and checks its worst frame.
bool check_boosts(const ReproductionControl& control, Reproduction& result) {
  ColumnTable table{"boosts", {"t", "theory", "measured", "bound", "order"}};
  for (const int d : {2, 3, 4})
    for (const double order : {0.7, 0.1, 1e-3}) {
      if (control.stopped()) return false;
      if (d > 2 && order < 0.1) continue;
      const Start start{.d = d, .beta = 0, .order = order};
      const Contracting c = contract(start, control.wrong);
      const std::size_t first = half_ordered(c);
      double b = theory::boost_of_order(d, order), worst = 0;
      for (std::size_t f = 0; f < c.times.size(); ++f) {
        if (f > 0) b = theory::boost_at(d, b, c.times[f] - c.times[f - 1]);
        const double predicted = theory::boosted_spread(d, b);
        worst = std::max(worst, std::fabs(c.spread[f] / predicted - 1));
        if (d == 2 && (f % 4 == 0 || f == first))
          table.rows.push_back(
              {c.times[f], predicted, f % 4 == 0 ? c.spread[f] : kNoNumber,
               f < first ? kNoNumber
                         : c.spread[first] * std::exp(-kSlow * (c.times[f] - c.times[first])),
               order});
      }
      result.checks.push_back(
          check_near(rule::w2_rate_boost,
                     {fmt::format("{}, R_0 = {:g}: greatest relative error of W2", start.name(),
                                  order * order),
                      0, worst},
                     1e-4));
    }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = figure::w2_rate,
       .table = "boosts",
       .title = "Circle, SA, β = 0, by the order at t = 0",
       .x = {.label = "time t"},
       .y = {.label = "distance W_{2} to the limit", .log = true, .from = 1e-3, .to = 2},
       .curves = {{"theory", Curve::line, "exact curve"},
                  {"measured", Curve::points, "flow"},
                  {"bound", Curve::dashes, "e^{−t/100} from T_{0} on"}},
       .by = "order",
       .by_name = "order"});
  return true;
}

// Two opposite atoms; under a wrong model with one more token off their axis.
Contracting atoms_of(int d, const WrongModel& wrong, double T) {
  HostSwarm x({2 + (wrong.tokens > 0 ? 1 : 0), d});
  x.at(0, 0) = 1;
  x.at(1, 0) = -1;
  x.mass = {2.0 / 3, 1.0 / 3};
  if (wrong.tokens > 0) {
    x.at(2, 1) = 1;
    x.mass = {0.6, 0.3, 0.1};
  }
  return contract(x, {.d = d}, wrong, T);
}

void check_atoms(const ReproductionControl& control, Reproduction& result) {
  constexpr double kLong = 1000;
  for (const int d : {2, 3}) {
    const Contracting c = atoms_of(d, control.wrong, kLong);
    const double kept = c.spread.back() / c.spread.front();
    result.checks.push_back(check_holds(
        rule::w2_rate_atoms,
        {fmt::format("d = {}, β = 0.3, (2/3) δ_e + (1/3) δ_-e: W2(1000) / W2(0)", d), kept},
        kept > std::exp(-kSlow * kLong), "above e^(-1000/100)"));
  }
}

void draw_rates(const ReproductionControl& control, Reproduction& result) {
  ColumnTable table{"late", {"t", "theory", "measured", "measure"}};
  const auto add = [&](const Contracting& c, double rate, const char* name) {
    for (std::size_t f = 0; f < c.times.size(); f += 4)
      table.rows.push_back({c.times[f],
                            c.times[f] < 4
                                ? kNoNumber
                                : c.spread.back() * std::exp(rate * (c.times.back() - c.times[f])),
                            c.spread[f], std::string(name)});
  };
  const int tokens = control.values.whole("tokens");
  const Start circle{.d = 2}, wide{.d = 4}, swarm{.d = 2, .tokens = tokens};
  add(atoms_of(2, control.wrong, circle.T()), 0, "two atoms, rate 0");
  add(contract(circle, control.wrong), 0.5, "density, d = 2, rate 1/2");
  add(contract(swarm, control.wrong), 1, fmt::format("{} tokens, d = 2, rate 1", tokens).c_str());
  add(contract(wide, control.wrong), 1, "density, d = 4, rate 1");
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = figure::w2_rate,
       .table = "late",
       .title = "SA, β = 0.3: late rates of W_{2}",
       .x = {.label = "time t"},
       .y = {.label = "distance W_{2} to the limit", .log = true},
       .curves = {{"theory", Curve::line, "late rate"}, {"measured", Curve::points, "flow"}},
       .by = "measure"});
  result.captions[figure::w2_rate] =
      "W2 of a measure to the point at which it ends, or to the heavier of two atoms that stay. "
      "Left: boosted uniform laws on the circle at β = 0 (points) along the exact curve (lines), "
      "by their order |∫ x dμ| at t = 0, whose square is R_0: nearly balanced ones are late, and "
      "then fall as e^(−t/2). From the time T_0 of order 1/2 on all are below the published bound "
      "W2(T_0) e^(−(t − T_0)/100) (dashes). Right: lines have the late rate and pass through the "
      "last point. It is 1/2 for a density on the circle, since some of it is opposite to the "
      "limit and leaves late, 1 for one in four dimensions and for a finite swarm once its last "
      "token has left, and 0 for two opposite atoms.";
}

}  // namespace

std::optional<Reproduction> w2_rate(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::w2_rate);
  if (!check_theorem(control, result) || !check_rates(control, result)) return std::nullopt;
  check_critical(control, result);
  if (!check_boosts(control, result)) return std::nullopt;
  check_atoms(control, result);
  if (control.figures) draw_rates(control, result);
  return result;
}

}  // namespace murmur
