// chaos.cpp: how near n independent tokens stay to the swarm of infinitely many.
#include "reproduce/chaos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.h"
#include "engine/moments/moments.h"
#include "murmur/error.h"
#include "murmur/flow.h"
#include "murmur/random.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

double density(double theta) { return 1 + 0.5 * std::cos(theta) + 0.2 * std::sin(2 * theta); }
double below(double theta) {  // its integral from 0
  return theta + 0.5 * std::sin(theta) + 0.1 * (1 - std::cos(2 * theta));
}

std::vector<double> angles_of(const HostSwarm& x) {
  std::vector<double> angles(static_cast<std::size_t>(x.n()));
  for (int i = 0; i < x.n(); ++i) angles[i] = angle_of(x, i);
  return angles;
}

HostSwarm on_circle(int n, const std::function<double(int)>& rank) {
  HostSwarm x({n, 2});
  for (int i = 0; i < n; ++i) {
    const double theta = chaos_quantile(rank(i));
    x.at(i, 0) = std::cos(theta);
    x.at(i, 1) = std::sin(theta);
  }
  return x;
}

// Frames at 0, every, ..., T by the engine of moments: n p terms per evaluation, error 1e-12.
std::vector<HostSwarm> simulated(const Chaos& chaos, const HostSwarm& x, int threads) {
  const auto engine = chaos.null == NullModel::none
                          ? make_moments_engine({.threads = threads})
                          : make_engine({.name = "reference"}, chaos.null);
  const auto field = engine->prepare(chaos.dynamics, x.shape());
  std::vector<HostSwarm> frames;
  FlowWatch watch;
  watch.frame = [&](double, const HostSwarm& frame) { frames.push_back(frame); };
  FlowState state = start(x);
  const Outcome outcome =
      advance({*engine, *field, {}}, {.T = chaos.T, .every = chaos.every}, state, watch);
  if (!outcome.ok())
    throw Error(Fault::numerical, outcome.what, fmt::format("chaos, t = {:g}", outcome.t),
                outcome.remedy);
  return frames;
}

// W2 of cloud `seed` of n tokens to the limit, time by time.
std::vector<double> cloud_distances(const Chaos& chaos, const std::vector<CircleMeasure>& limit,
                                    int n, int seed) {
  const HostSwarm cloud = on_circle(n + chaos.extra, [&](int i) {
    return Draw{.seed = static_cast<std::uint64_t>(seed),
                .particle = static_cast<std::uint32_t>(i),
                .replica = static_cast<std::uint32_t>(n)}
        .uniform(0);
  });
  std::vector<double> distances;
  const std::vector<HostSwarm> frames = simulated(chaos, cloud, 1);
  for (std::size_t k = 0; k < frames.size(); ++k)
    distances.push_back(circle_w2(circle_atoms(frames[k]), limit[k]));
  return distances;
}

}  // namespace

double chaos_quantile(double s) {
  double low = 0, high = kTurn, theta = kTurn * s;
  for (int turn = 0; turn < 100; ++turn) {
    const double excess = below(theta) - kTurn * s;
    (excess > 0 ? high : low) = theta;
    double next = theta - excess / density(theta);
    if (!(next >= low && next <= high)) next = low + (high - low) / 2;
    if (std::fabs(next - theta) < 1e-15) return next;
    theta = next;
  }
  return theta;
}

std::vector<CircleMeasure> chaos_limit(const Chaos& chaos, int particles) {
  const HostSwarm quantiles =
      on_circle(particles, [&](int i) { return static_cast<double>(i) / particles; });
  std::vector<CircleMeasure> limit;
  for (const HostSwarm& frame : simulated(chaos, quantiles, chaos.threads))
    limit.push_back(circle_between(angles_of(frame)));
  return limit;
}

std::vector<ChaosPoint> chaos_points(const Chaos& chaos, const std::vector<CircleMeasure>& limit) {
  std::vector<ChaosPoint> points;
  for (std::size_t size = 0; size < chaos.sizes.size(); ++size) {
    const int n = chaos.sizes[size], clouds = chaos.seeds[size];
    std::vector<std::vector<double>> distances(static_cast<std::size_t>(clouds));
    for_blocks(clouds, chaos.threads, [&](int seed) {
      distances[seed] = cloud_distances(chaos, limit, n, chaos.first_seed + seed);
    });
    for (std::size_t k = 0; k < limit.size(); ++k) {
      std::vector<double> at, squares;
      for (const auto& cloud : distances) {
        at.push_back(cloud[k]);
        squares.push_back(n * cloud[k] * cloud[k]);
      }
      const double t = static_cast<double>(k) * chaos.every;
      points.push_back({t, n, spread_of(at), spread_of(squares), clouds, squares});
    }
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const ChaosPoint& a, const ChaosPoint& b) { return a.t < b.t; });
  return points;
}

ChaosExponent chaos_exponent(const std::vector<ChaosPoint>& points, double t) {
  std::vector<double> x, y, error;
  for (const ChaosPoint& point : points) {
    if (point.t != t) continue;
    x.push_back(std::log(point.n));
    y.push_back(std::log(point.distance.mean));
    error.push_back(point.distance.sd / point.distance.mean / std::sqrt(point.clouds));
  }
  const double mean = spread_of(x).mean;
  double square = 0, variance = 0;
  for (const double value : x) square += (value - mean) * (value - mean);
  for (std::size_t k = 0; k < x.size(); ++k)
    variance += std::pow((x[k] - mean) / square * error[k], 2);
  return {fit_line(x, y).slope, std::sqrt(variance)};
}

//   E = int q^2 s (1 - s) - int int q^2(s) q^2(r) (min(s, r) - s r) / int q^2
double chaos_constant() {
  constexpr int kRanks = 20'000;
  double weight = 0, own = 0, first = 0, pairs = 0, first_below = 0;
  for (int k = 0; k < kRanks; ++k) {
    const double s = (k + 0.5) / kRanks, q = 1 / density(chaos_quantile(s));
    const double w = q * q / kRanks;
    pairs += 2 * w * first_below + w * w * s;  // min(s, r) = r for the r below s
    weight += w;
    own += w * s * (1 - s);
    first += w * s;
    first_below += w * s;
  }
  return kTurn * kTurn * (own - (pairs - first * first) / weight);
}

namespace {

// (times)(particles) angles of quantiles displaced by u, which may be empty.
std::vector<std::vector<double>> carry_quantiles(const Chaos& chaos, int particles,
                                                 const std::vector<double>& u) {
  HostSwarm x({particles, 2});
  for (int i = 0; i < particles; ++i) {
    const double theta = chaos_quantile((i + 0.5) / particles) + (u.empty() ? 0 : u[i]);
    x.at(i, 0) = std::cos(theta);
    x.at(i, 1) = std::sin(theta);
  }
  std::vector<std::vector<double>> angles;
  for (const HostSwarm& frame : simulated(chaos, x, 1)) angles.push_back(angles_of(frame));
  return angles;
}

double angle_difference(double a, double b) { return std::remainder(a - b, kTurn); }

// min over a of the mean of (u - a q)^2
double mean_square_without_shift(const std::vector<double>& u, const std::vector<double>& q) {
  double uu = 0, uq = 0, qq = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    uu += u[i] * u[i];
    uq += u[i] * q[i];
    qq += q[i] * q[i];
  }
  return (uu - uq * uq / qq) / static_cast<double>(u.size());
}

}  // namespace

std::vector<double> chaos_constants(const Chaos& chaos, int particles, int modes) {
  constexpr double kSmall = 1e-3;
  const auto mean_flow = carry_quantiles(chaos, particles, {});
  const std::size_t times = mean_flow.size();
  std::vector<std::vector<double>> q(times, std::vector<double>(particles));  // dtheta / ds
  std::vector<double> square(times), constants(times);
  for (std::size_t t = 0; t < times; ++t)
    for (int i = 0; i < particles; ++i) {
      const auto& theta = mean_flow[t];
      q[t][i] =
          angle_difference(theta[(i + 1) % particles], theta[(i + particles - 1) % particles]) *
          particles / 2;
      square[t] += q[t][i] * q[t][i] / particles;
    }
  std::vector<std::vector<double>> terms(modes);  // (modes)(times)
  for_blocks(modes, chaos.threads, [&](int m) {
    const double wave = std::numbers::pi * (m + 1);
    std::vector<double> up(particles), down(particles);
    for (int i = 0; i < particles; ++i) {
      const double s = (i + 0.5) / particles;
      up[i] =
          kSmall * kTurn / density(chaos_quantile(s)) * std::sqrt(2.0) * std::sin(wave * s) / wave;
      down[i] = -up[i];
    }
    const auto plus = carry_quantiles(chaos, particles, up),
               minus = carry_quantiles(chaos, particles, down);
    for (std::size_t t = 0; t < times; ++t) {
      std::vector<double> u(particles);
      for (int i = 0; i < particles; ++i)
        u[i] = angle_difference(plus[t][i], minus[t][i]) / (2 * kSmall);
      terms[m].push_back(mean_square_without_shift(u, q[t]));
    }
  });
  double rest = 1.0 / 6;  // sum over k of 1 / (pi k)^2, without the terms that are carried
  for (int m = 0; m < modes; ++m) rest -= std::pow(std::numbers::pi * (m + 1), -2);
  for (std::size_t t = 0; t < times; ++t) {
    constants[t] = rest * square[t];
    for (int m = 0; m < modes; ++m) constants[t] += terms[m][t];
  }
  return constants;
}

namespace {

// The clouds of a wrong model; the limit is always the right one.
Chaos with_wrong_model(Chaos chaos, const FigureValues& values, const WrongModel& wrong) {
  ExperimentSpec spec = values.spec("chaos");
  wrong.apply(spec);
  chaos.dynamics = make_experiment(spec).dynamics;
  chaos.extra = wrong.tokens;
  chaos.null = wrong.null;
  return chaos;
}

Chaos chaos_of(const ReproductionControl& control) {
  const FigureValues& values = control.values;
  Chaos chaos{
      .dynamics = make_experiment(values.spec("chaos")).dynamics,
      .sizes = values.wholes("sizes"),
      .seeds = values.wholes("clouds"),
      .T = std::floor(values.number("T")),
      .threads = control.threads,
      .first_seed = 50'000};  // clouds of smaller seeds were seen before the rules were written
  if (chaos.sizes.size() != chaos.seeds.size() || chaos.sizes.size() < 2)
    throw Error(Fault::input,
                fmt::format("chaos has {} sizes and {} numbers of clouds", chaos.sizes.size(),
                            chaos.seeds.size()),
                "parameters sizes and clouds",
                "give as many numbers of clouds as sizes, at least 2");
  return chaos;
}

// The mean of sqrt(n) W2 over all n at one time.
double height_at(const std::vector<ChaosPoint>& points, double t) {
  std::vector<double> heights;
  for (const ChaosPoint& p : points)
    if (p.t == t) heights.push_back(std::sqrt(p.n) * p.distance.mean);
  return spread_of(heights).mean;
}

ColumnTable table_of(const std::vector<ChaosPoint>& points) {
  ColumnTable table{"chaos",
                    {"n", "t", "distance", "standard error", "sqrt(n) distance", "sqrt(n) error",
                     "clouds", "slope -1/2", "level"}};
  for (const ChaosPoint& p : points) {
    const double error = p.distance.error(), root = std::sqrt(p.n);
    const double level = height_at(points, p.t);
    table.rows.push_back({static_cast<double>(p.n), p.t, p.distance.mean, error,
                          root * p.distance.mean, root * error, static_cast<double>(p.clouds),
                          level / root, level});
  }
  return table;
}

// n W2^2 of the clouds of all n at one time.
std::vector<double> squares_at(const std::vector<ChaosPoint>& points, double t) {
  std::vector<double> squares;
  for (const ChaosPoint& p : points)
    if (p.t == t) squares.insert(squares.end(), p.squares.begin(), p.squares.end());
  return squares;
}

// The ratio of the sums of two numbers over the same clouds, and its standard error.
struct Ratio {
  double value = 0, error = 0;
};
Ratio ratio_of(const std::vector<double>& above, const std::vector<double>& below) {
  const double mean = spread_of(below).mean, value = spread_of(above).mean / mean;
  const auto n = static_cast<double>(above.size());
  double square = 0;
  for (std::size_t k = 0; k < above.size(); ++k) square += std::pow(above[k] - value * below[k], 2);
  return {value, std::sqrt(square / (n * (n - 1))) / mean};
}

// Slopes of ln W2 over ln n from each n to the next.
ColumnTable slopes_of(const std::vector<ChaosPoint>& points) {
  ColumnTable table{"slopes", {"t", "from n", "to n", "slope", "standard error"}};
  for (std::size_t k = 1; k < points.size(); ++k) {
    const ChaosPoint &a = points[k - 1], &b = points[k];
    if (a.t != b.t) continue;
    const auto share = [](const ChaosPoint& p) {
      return p.distance.sd / p.distance.mean / std::sqrt(p.clouds);
    };
    const double step = std::log(static_cast<double>(b.n) / a.n);
    table.rows.push_back({a.t, static_cast<double>(a.n), static_cast<double>(b.n),
                          std::log(b.distance.mean / a.distance.mean) / step,
                          std::hypot(share(a), share(b)) / step});
  }
  return table;
}

// Checks the constant of n W2^2 at t = 0, that of the bridge, and the factor by which the flow
// enlarges it.
void check_constants(const Chaos& right, const std::vector<ChaosPoint>& points,
                     Reproduction& result) {
  const std::vector<double> predicted = chaos_constants(right, 2'000, 80);
  const std::vector<double> start = squares_at(points, 0);
  ColumnTable table{"constants", {"t", "predicted n W2^2", "n W2^2", "standard error"}};
  for (std::size_t k = 0; k < predicted.size(); ++k) {
    const double t = static_cast<double>(k) * right.every;
    const std::vector<double> squares = squares_at(points, t);
    const Spread spread = spread_of(squares);
    const double error = spread.error();
    table.rows.push_back({t, predicted[k], spread.mean, error});
    const Ratio growth = ratio_of(squares, start);
    Check check =
        k == 0 ? check_near(rule::chaos_constant,
                            {"t = 0: n W2^2 on average", chaos_constant(), spread.mean}, 3 * error)
               : check_near(rule::chaos_growth,
                            {fmt::format("t = {:g}: n W2^2 over that at t = 0", t),
                             predicted[k] / predicted[0], growth.value},
                            3 * growth.error);
    check.rule = "within 3 standard errors";
    check.more["standard error"] = k == 0 ? error : growth.error;
    check.more["clouds"] = static_cast<double>(squares.size());
    result.checks.push_back(std::move(check));
  }
  result.tables.push_back(std::move(table));
}

void draw(Reproduction& result) {
  TablePanel figure{
      .name = figure::chaos,
      .table = "chaos",
      .title = "Independent tokens on the circle, β = 4",
      .x = {.label = "number of tokens n", .log = true},
      .y = {.label = "distance W_{2} to infinitely many", .log = true},
      .curves = {{"slope -1/2", Curve::line, "slope −1/2"},
                 {.column = "distance", .name = "mean of clouds", .error = "standard error"}},
      .by = "t",
      .by_name = "t"};
  result.figures.push_back(figure);
  figure.title = "The same times √n";
  figure.y = {.label = "scaled distance √n W_{2}"};
  figure.curves = {
      {"level", Curve::line, "mean over n"},
      {.column = "sqrt(n) distance", .name = "mean of clouds", .error = "sqrt(n) error"}};
  result.figures.push_back(figure);
  result.captions[figure::chaos] =
      "The distance W₂ of n independent tokens from the swarm of infinitely many falls as n^(−1/2) "
      "at every time (left); times √n it is level (right). Bars: standard errors over clouds.";
}

}  // namespace

std::optional<Reproduction> chaos(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::chaos);
  const Chaos chaos = chaos_of(control);
  const std::vector<CircleMeasure> limit = chaos_limit(chaos, chaos.limit);
  if (control.stopped()) return std::nullopt;
  std::vector<ChaosPoint> points;
  for (std::size_t size = 0; size < chaos.sizes.size(); ++size) {
    Chaos one = with_wrong_model(chaos, control.values, control.wrong);
    one.sizes = {chaos.sizes[size]};
    one.seeds = {chaos.seeds[size]};
    for (const ChaosPoint& point : chaos_points(one, limit)) points.push_back(point);
    if (control.stopped()) return std::nullopt;
  }
  for (double t = 0; t <= chaos.T; t += chaos.every) {
    const ChaosExponent exponent = chaos_exponent(points, t);
    Check check =
        check_near(rule::chaos_exponent,
                   {fmt::format("t = {:g}: exponent of W2 over n", t), -0.5, exponent.value},
                   3 * exponent.error);
    check.rule = "within 3 standard errors";
    check.more["standard error"] = exponent.error;
    result.checks.push_back(std::move(check));
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const ChaosPoint& a, const ChaosPoint& b) { return a.t < b.t; });
  check_constants(chaos, points, result);
  result.tables.push_back(slopes_of(points));
  result.tables.push_back(table_of(points));
  draw(result);
  return result;
}

}  // namespace murmur
