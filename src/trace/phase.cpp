// phase.cpp: simulates the ideal flow over beta and time, and finds each layer on that map.
#include "trace/phase.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "trace/layers.h"
#include "trace/trace_run.h"
#include "trace/twin.h"

namespace murmur {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kBetas = 13, kTimes = 65, kFlights = 3;
constexpr double kLast = 16;

// ( |sum_i x_i|^2 - n ) / ( n (n - 1) ) of unit vectors.
double mean_cosine(const HostSwarm& x) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    double sum = 0;
    for (int i = 0; i < x.n(); ++i) sum += x.at(i, k);
    square += sum * sum;
  }
  const double n = x.n();
  return (square - n) / (n * (n - 1));
}

// Adds what one flight says at every time.
void fly(const PhaseDiagram& of, double beta, bool causal, std::uint64_t seed, double* row) {
  ExperimentSpec spec;
  spec.n = of.n;
  spec.d = of.d;
  spec.random.seed = seed;
  spec.dynamics.interaction = causal ? Interaction::causal : Interaction::SA;
  spec.dynamics.beta = std::abs(beta);
  if (beta < 0) spec.dynamics.query.kind = MatrixChoice::minus_identity;
  spec.T = kLast;
  spec.save = SaveChoice{SaveChoice::every, kLast / (kTimes - 1)};
  spec.tolerance = {1e-5, 1e-7};
  const Experiment e = make_experiment(WordedSpec{spec, words_of(spec)});
  const auto engine = make_engine(e.engine);
  const auto field = prepare_field(e, *engine);
  FlowState state = start(e.swarm);
  std::size_t k = 0;
  double last = 0;
  FlowWatch watch;
  watch.frame = [&](double, const Frame& frame) {
    last = mean_cosine(frame.host);
    if (k < kTimes) row[k++] += last / kFlights;
  };
  const Outcome outcome = advance({*engine, *field, e.flow, e.random}, e.schedule, state, watch);
  if (!outcome.ok()) throw Error(Fault::numerical, outcome.what, "phase diagram", outcome.remedy);
  while (k < kTimes) row[k++] += last / kFlights;  // it came to rest
}

PhaseDiagram simulated(int n, int d, bool causal, const std::vector<double>& betas) {
  PhaseDiagram diagram{.n = n, .d = d, .flights = kFlights};
  const auto [low, high] = std::minmax_element(betas.begin(), betas.end());
  const double from = std::min(0.0, std::floor(*low - 0.5)),
               to = std::max(4.0, std::ceil(*high + 0.5));
  for (int b = 0; b < kBetas; ++b) diagram.beta.push_back(from + (to - from) * b / (kBetas - 1));
  for (int k = 0; k < kTimes; ++k) diagram.t.push_back(kLast * k / (kTimes - 1));
  diagram.mean_cos.assign(static_cast<std::size_t>(kBetas) * kTimes, 0.0);
  for (std::size_t b = 0; b < kBetas; ++b)
    for (std::uint64_t flight = 0; flight < kFlights; ++flight)
      fly(diagram, diagram.beta[b], causal, flight, &diagram.mean_cos[b * kTimes]);
  return diagram;
}

// The place of a value in an increasing grid, and the share of the way to the next.
struct Between {
  std::size_t k = 0;
  double share = 0;
};
Between between(const std::vector<double>& grid, double value) {
  const double held = std::clamp(value, grid.front(), grid.back());
  std::size_t k = 0;
  while (k + 2 < grid.size() && grid[k + 1] <= held) ++k;
  return {k, (held - grid[k]) / (grid[k + 1] - grid[k])};
}

}  // namespace

double PhaseDiagram::at(double beta_asked, double time) const {
  const Between b = between(beta, beta_asked), k = between(t, time);
  const auto value = [&](std::size_t row, std::size_t column) {
    return mean_cos[row * t.size() + column];
  };
  const auto along = [&](std::size_t row) {
    return value(row, k.k) + k.share * (value(row, k.k + 1) - value(row, k.k));
  };
  return along(b.k) + b.share * (along(b.k + 1) - along(b.k));
}

double PhaseDiagram::time_of(double beta_asked, double cosine) const {
  double before = at(beta_asked, 0);
  if (before >= cosine) return 0;
  for (std::size_t k = 1; k < t.size(); ++k) {
    const double now = at(beta_asked, t[k]);
    if (now >= cosine) return t[k - 1] + (t[k] - t[k - 1]) * (cosine - before) / (now - before);
    before = now;
  }
  return kNaN;
}

PhaseReading phase_places(const RunReader& run, const TraceFile& file) {
  const std::vector<TextSpan> all = texts_of(file, run);
  const auto found = std::find_if(
      all.begin(), all.end(), [](const TextSpan& s) { return s.n > 1 && s.n <= kMostTwinTokens; });
  if (found == all.end())
    throw Error(Fault::input, "no text has two tokens or more", run.directory().string(),
                "trace a longer text");
  std::vector<double> betas;
  for (std::int64_t f = 0; f < run.frames(); ++f)
    betas.push_back(std::clamp(beta_of(file, std::max(0, static_cast<int>(f) - 1)), -kMostPhaseBeta,
                               kMostPhaseBeta));
  PhaseReading reading{
      .diagram = simulated(std::min(found->n, kMostPhaseTokens), file.d, file.causal, betas)};
  HostSwarm before;
  double flown = 0;
  for (std::int64_t f = 0; f < run.frames(); ++f) {
    HostSwarm x = part_of(run.frame(f), *found);
    const double beta = betas[static_cast<std::size_t>(f)], cosine = mean_cosine(x);
    if (f > 0) flown += move_fit(before, x, beta, {.causal = file.causal}).tau;
    reading.places.push_back({.layer = static_cast<int>(f),
                              .beta = beta,
                              .t = reading.diagram.time_of(beta, cosine),
                              .mean_cos = cosine,
                              .flown = flown,
                              .expected = reading.diagram.at(beta, std::max(0.0, flown))});
    before = std::move(x);
  }
  return reading;
}

}  // namespace murmur
