// growth.cpp: how fast modes grow out of the uniform swarm, and which one wins.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>

#include "murmur/error.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

// Equal masses at the quantiles of the density (1 + eps cos k theta) / 2 pi.
HostSwarm quantiles(int n, int k, double eps) {
  HostSwarm x({n, 2});
  for (int i = 0; i < n; ++i) {
    const double rank = kTurn * (i + 0.5) / n;
    double theta = rank;
    for (int newton = 0; newton < 6; ++newton)
      theta -= (theta + eps / k * std::sin(k * theta) - rank) / (1 + eps * std::cos(k * theta));
    x.at(i, 0) = std::cos(theta);
    x.at(i, 1) = std::sin(theta);
  }
  return x;
}

//   m_k = sum_j m_j e^{i k theta_j},   m_k' = i k sum_j m_j theta_j' e^{i k theta_j}
// Rate Re(m_k' / m_k) of a barely perturbed swarm of `particles` at quantiles, from one velocity.
double linear_rate(const Dynamics& dynamics, int k, int particles,
                   NullModel null = NullModel::none) {
  const HostSwarm x = quantiles(particles, k, 1e-4);
  const auto engine = make_engine({.name = "reference"}, null);
  const auto field = engine->prepare(dynamics, x.shape());
  const auto at = engine->place(x), v = engine->place(x);
  field->velocity(0, *at, *v);
  const HostSwarm speed = engine->fetch(*v);
  std::complex<double> mode = 0, change = 0;
  for (int i = 0; i < x.n(); ++i) {
    const double theta = std::atan2(x.at(i, 1), x.at(i, 0));
    const double turn = x.at(i, 0) * speed.at(i, 1) - x.at(i, 1) * speed.at(i, 0);
    const std::complex<double> wave = x.mass[i] * std::polar(1.0, k * theta);
    mode += wave;
    change += std::complex<double>(0, k * turn) * wave;
  }
  return (change / mode).real();
}

Dynamics plain_or_softmax(double beta, Attention::Weighting weighting) {
  return {.sublayers = {{{Attention{.beta = beta, .weighting = weighting}}}}};
}

// The mode near sqrt(2 beta) that grows fastest on particles.
int fastest_of_particles(double beta, int particles) {
  const Dynamics sa = plain_or_softmax(beta, Attention::softmax);
  const int middle = static_cast<int>(std::sqrt(2 * beta));
  int best = 0;
  double most = -INFINITY;
  for (int k = std::max(1, middle - 2); k <= middle + 3; ++k)
    if (const double rate = linear_rate(sa, k, particles); rate > most) {
      most = rate;
      best = k;
    }
  return best;
}

struct Predicted {
  double beta;
  int k;
  double sa, usa;
};
constexpr Predicted kRates[] = {{1, 1, 0.446390, 0.565159}, {2, 2, 0.604451, 1.37790},
                                {4, 3, 0.664389, 7.50887},  {5, 3, 0.682678, 18.5961},
                                {7, 4, 0.691484, 116.580},  {9, 4, 0.704497, 770.430}};

// The published runs: 20,000 iid tokens on the circle under USA.
struct Cloud {
  const char* preset;
  double beta, T, read_at;  // read_at: when the dominant mode is read
  int k;
};
constexpr Cloud kClouds[] = {{"growth", 5, 0.3, 0.25, 3}, {"growth", 7, 0.05, 0.04, 4}};
constexpr int kModes = 8;

struct ModeHistory {
  double rate = kNoNumber;       // of the predicted mode; NaN where its window is too short
  double predicted = kNoNumber;  // by theory
  int dominant = 0;
  std::vector<double> times{};
  std::vector<std::vector<double>> amplitude{};  // (times)(modes + 1)
};

ModeHistory simulate_cloud(const Cloud& cloud, int seed, const ReproductionControl& control) {
  ExperimentSpec spec = control.values.spec(cloud.preset);
  spec.dynamics.beta = cloud.beta;
  spec.T = cloud.T;
  spec.save = SaveChoice{SaveChoice::every, cloud.T / 60};
  spec.random.seed = static_cast<std::uint64_t>(seed);
  spec.engine.threads = std::max(control.threads, 0);
  const Experiment right = make_experiment(spec);
  control.wrong.apply(spec);
  const Experiment e = make_experiment(spec);
  const Simulated simulated = simulate_in_memory(e, control.wrong.null);
  ModeHistory trajectory{
      .predicted = theory::growth_rate(theory::growth_of(right.dynamics, right.swarm.d()), cloud.k),
      .times = simulated.times};
  Series series;
  for (std::size_t t = 0; t < simulated.times.size(); ++t) {
    trajectory.amplitude.push_back(mode_amplitudes(simulated.frames[t], kModes));
    series.t.push_back(simulated.times[t]);
    series.value.push_back(trajectory.amplitude.back()[cloud.k]);
    if (trajectory.dominant == 0 && simulated.times[t] >= cloud.read_at * (1 - 1e-9)) {
      const auto& a = trajectory.amplitude.back();
      trajectory.dominant = static_cast<int>(std::max_element(a.begin() + 1, a.end()) - a.begin());
    }
  }
  try {
    trajectory.rate = growth_rate(series, {.low = 3 / std::sqrt(e.swarm.n()), .high = 0.06}).rate;
  } catch (const Error&) {
    // too few points between the noise and saturation: this seed has no rate
  }
  return trajectory;
}

double median(std::vector<double> values) {
  if (values.empty()) return kNoNumber;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Amplitudes of one cloud, compared with a_k e^{s_k t}, a_k those of the start.
void draw_cloud(const Cloud& cloud, const ModeHistory& trajectory, int n, Reproduction& result) {
  ColumnTable table{fmt::format("modes_beta{:g}", cloud.beta),
                    {"t", "mode", "linear law", "amplitude"}};
  for (int k = 1; k <= 5; ++k) {
    const double rate =
        theory::growth_rate({.law = theory::Law::usa, .d = 2, .beta = cloud.beta}, k);
    for (std::size_t t = 0; t < trajectory.times.size(); ++t) {
      const double law = trajectory.amplitude[0][k] * std::exp(rate * trajectory.times[t]);
      table.rows.push_back({trajectory.times[t], static_cast<double>(k), law < 1 ? law : kNoNumber,
                            t % 2 == 0 ? trajectory.amplitude[t][k] : kNoNumber});
    }
  }
  result.figures.push_back(
      {.name = figure::growth,
       .table = table.name,
       .title = fmt::format("{} tokens, USA, β = {:g}", group_digits(n), cloud.beta),
       .x = {.label = "time t"},
       .y = {.label = "amplitude |m_{k}| of mode k", .log = true},
       .curves = {{"linear law", Curve::line, "linear law"},
                  {"amplitude", Curve::points, "one cloud"}},
       .by = "mode",
       .by_name = "k"});
  result.tables.push_back(std::move(table));
}

// Rates of the first modes over beta, and those of particles that start at quantiles.
void draw_rates(const FigureValues& values, Reproduction& result) {
  const int modes = values.whole("modes"), particles = values.whole("quantiles");
  ColumnTable table{"rates", {"beta", "mode", "theory", "particles"}};
  for (int k = 1; k <= modes; ++k) {
    for (int step = 1; step <= 100; ++step) {
      const double beta = 0.1 * step;
      table.rows.push_back({beta, static_cast<double>(k),
                            theory::growth_rate({.law = theory::Law::sa, .d = 2, .beta = beta}, k),
                            kNoNumber});
    }
    for (int beta = 1; beta <= 10; ++beta)
      table.rows.push_back({static_cast<double>(beta), static_cast<double>(k), kNoNumber,
                            linear_rate(plain_or_softmax(beta, Attention::softmax), k, particles)});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = figure::growth,
       .table = "rates",
       .title = "Growth out of the uniform law, SA, d = 2",
       .x = {.label = "inverse temperature β"},
       .y = {.label = "growth rate s_{k} of mode k"},
       .curves = {{"theory", Curve::line, "k² I_{k}(β) / (β I_{0}(β))"},
                  {"particles", Curve::points, fmt::format("{} particles", particles)}},
       .by = "mode",
       .by_name = "k"});
}

int tokens_of(const Cloud& cloud, const FigureValues& values) {
  return values.spec(cloud.preset).n.value_or(kDefaultParticles);
}

// Clouds of independent tokens: the median rate, and the mode that wins most often.
bool check_clouds(const Cloud& cloud, const ReproductionControl& control, Reproduction& result) {
  std::vector<double> rates;
  double predicted = kNoNumber;
  std::map<int, int> wins;
  const int seeds = control.values.whole("seeds"), n = tokens_of(cloud, control.values);
  for (int seed = 0; seed < seeds; ++seed) {
    if (control.stopped()) return false;
    const ModeHistory trajectory = simulate_cloud(cloud, seed, control);
    if (std::isfinite(trajectory.rate)) rates.push_back(trajectory.rate);
    ++wins[trajectory.dominant];
    predicted = trajectory.predicted;
    if (seed == 0) draw_cloud(cloud, trajectory, n, result);
  }
  const auto most = std::max_element(
      wins.begin(), wins.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  Check rate = check_near_share(
      rule::growth_clouds,
      {fmt::format("β = {:g}: median rate of mode {} over iid seeds", cloud.beta, cloud.k),
       predicted, median(rates)},
      0.05);
  rate.more["seeds"] = static_cast<double>(rates.size());
  result.checks.push_back(std::move(rate));
  Check winner = check_near(
      rule::growth_leader,
      {fmt::format("β = {:g}: mode that leads most often at t = {:g}", cloud.beta, cloud.read_at),
       static_cast<double>(cloud.k), static_cast<double>(most->first)},
      0);
  winner.more["seeds"] = most->second;
  winner.rule = fmt::format("it is {}", cloud.k);
  result.checks.push_back(std::move(winner));
  return true;
}

}  // namespace

std::optional<Reproduction> growth(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::growth);
  const int particles = control.values.whole("quantiles");
  const bool one_cloud = control.values.whole("seeds") == 1;
  for (const Predicted& row : kRates) {
    const double beta = row.beta * control.wrong.beta;
    result.checks.push_back(check_near_share(
        rule::growth_rate,
        {fmt::format("SA, β = {:g}: rate of mode {}, quantile start", row.beta, row.k), row.sa,
         linear_rate(plain_or_softmax(beta, Attention::softmax), row.k, particles,
                     control.wrong.null)},
        1e-3));
    result.checks.push_back(check_near_share(
        rule::growth_rate,
        {fmt::format("USA, β = {:g}: rate of mode {}, quantile start", row.beta, row.k), row.usa,
         linear_rate(plain_or_softmax(beta, Attention::unnormalised), row.k, particles,
                     control.wrong.null)},
        1e-3));
  }
  if (control.figures) draw_rates(control.values, result);
  if (one_cloud) {  // drawn, without a check
    if (control.figures)
      draw_cloud(kClouds[0], simulate_cloud(kClouds[0], 0, control),
                 tokens_of(kClouds[0], control.values), result);
  } else {
    for (const Cloud& cloud : kClouds)
      if (!check_clouds(cloud, control, result)) return std::nullopt;
  }
  result.captions[figure::growth] =
      "Modes grow out of the uniform swarm at the rates of the linear theory. First panel: rates "
      "of particles at quantiles (points) on the formula (lines). Then: amplitudes of one cloud of "
      "independent tokens (points) and the linear law from its start (lines): they part where "
      "strong modes drive weaker ones, first mode 5, and saturate. Which mode leads in a single "
      "cloud depends on its start";
  result.captions[figure::growth] +=
      one_cloud ? "."
                : "; over twenty clouds it is most often mode 3 at β = 5 and mode 4 at β = 7.";
  return result;
}

std::optional<Reproduction> fastest_modes(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::fastest_modes);
  const int particles = control.values.whole("quantiles");
  const double beta_max = control.values.number("beta_max");
  const double beta_step = control.values.number("beta_step");
  for (int k = 1; k <= 4; ++k) {  // particles at the switch: both modes grow alike
    const double beta = theory::switch_point(2, k);
    const Dynamics sa = plain_or_softmax(beta * control.wrong.beta, Attention::softmax);
    result.checks.push_back(check_near(
        rule::fastest_modes_tie,
        {fmt::format("particles at β = {:.4f}: rate of mode {} over {}", beta, k + 1, k), 1,
         linear_rate(sa, k + 1, particles, control.wrong.null) /
             linear_rate(sa, k, particles, control.wrong.null)},
        1e-3));
  }
  ColumnTable switches{"switches", {"mode", "circle", "sphere"}};  // β at which it overtakes
  for (int k = 1; k <= 9; ++k)
    switches.rows.push_back(
        {static_cast<double>(k + 1), theory::switch_point(2, k), theory::switch_point(3, k)});
  result.tables.push_back(std::move(switches));
  ColumnTable table{"modes", {"beta", "circle", "sphere", "sqrt(2 beta)", "particles"}};
  for (int step = 1; step <= std::lround(10 * beta_max); ++step) {
    const double beta = 0.1 * step;
    table.rows.push_back({beta, static_cast<double>(theory::fastest_mode(2, beta)),
                          static_cast<double>(theory::fastest_mode(3, beta)), std::sqrt(2 * beta),
                          kNoNumber});
  }
  for (double beta = 2; control.figures && beta <= beta_max; beta += beta_step)
    table.rows.push_back({beta, kNoNumber, kNoNumber, kNoNumber,
                          static_cast<double>(fastest_of_particles(beta, particles))});
  result.tables.push_back(std::move(table));
  const auto draw = [&](const char* title, std::vector<ColumnCurve> curves) {
    curves.push_back({"sqrt(2 beta)", Curve::dashes, "√(2β)", Curve::kQuiet});
    result.figures.push_back({.name = figure::fastest_modes,
                              .table = "modes",
                              .title = title,
                              .x = {.label = "inverse temperature β"},
                              .y = {.label = "fastest mode k_{max}", .from = 0, .mark_every = 2},
                              .curves = std::move(curves)});
  };
  draw("Out of the uniform circle",
       {{"circle", Curve::steps, "theory", 0},
        {"particles", Curve::points, fmt::format("{} particles", particles), 0}});
  draw("Out of the uniform sphere S²", {{"sphere", Curve::steps, "theory", 1}});
  result.captions[figure::fastest_modes] =
      "The mode that grows fastest out of the uniform swarm climbs one step after the other with β "
      "and stays close to √(2β), on the sphere a little below the circle's. Points: the fastest of "
      "six modes of 600 particles at quantiles, by their measured rates.";
  return result;
}

}  // namespace murmur
