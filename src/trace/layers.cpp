// layers.cpp: reads the layers of a traced transformer text by text, compares them with the ideal
// flow, and finds each layer on the phase diagram of that flow (phase.h).
#include "trace/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "murmur/error.h"
#include "murmur/experiment.h"
#include "murmur/observe.h"
#include "murmur/transport.h"
#include "run/formats.h"
#include "trace/phase.h"
#include "trace/trace_run.h"
#include "trace/twin.h"

namespace murmur {

namespace {

// Observables of the ideal flow that is not causal, which has an energy.
class FlowObservables {
 public:
  FlowObservables(const HostSwarm& x, double beta)
      : e_(ideal_flow({.start = x, .beta = beta, .frames = 2})) {}
  std::vector<double> row(const HostSwarm& x) const {
    return observe(x, e_.dynamics, observe_settings(e_));
  }
  double at(const std::vector<double>& row, const char* name) const {
    return row[observable_column(e_.dynamics, name)];
  }

 private:
  Experiment e_;
};

// The texts with two tokens or more.
std::vector<TextSpan> texts_with_pairs(const TraceFile& file, const RunReader& run) {
  std::vector<TextSpan> texts = texts_of(file, run);
  std::erase_if(texts, [](const TextSpan& s) { return s.n < 2; });
  return texts;
}

// The readings of one frame of one text, without norm and angle.
LayerReading reading_of(const HostSwarm& x, double beta) {
  const FlowObservables observables(x, beta);
  const std::vector<double> row = observables.row(x);
  return {.mean_cos = observables.at(row, "mean_cos"),
          .min_cos = observables.at(row, "min_cos"),
          .max_cos = observables.at(row, "max_cos"),
          .clusters = observables.at(row, "clusters"),
          .effective_rank = observables.at(row, "effective_rank"),
          .energy_scaled = observables.at(row, "energy_scaled")};
}

}  // namespace

double mean_angle(const HostSwarm& x, const HostSwarm& y) {
  double sum = 0;
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += (x.at(i, k) - y.at(i, k)) * (x.at(i, k) - y.at(i, k));
    sum += 2 * std::asin(std::min(1.0, std::sqrt(square) / 2));
  }
  return sum / x.n();
}

std::vector<TextSpan> texts_of(const TraceFile& file, const RunReader& run) {
  std::vector<TextSpan> texts;
  int first = 0;
  for (const TraceFile::Text& text : file.texts) {
    texts.push_back({first, static_cast<int>(text.tokens.size())});
    first += texts.back().n;
  }
  if (first != run.shape().n)
    throw Error(Fault::input,
                fmt::format("trace.json has {} tokens, the frames have {}", first, run.shape().n),
                run.directory().string(), "trace the text again");
  if (file.d != run.shape().d)
    throw Error(Fault::input,
                fmt::format("trace.json has d = {}, the frames have {}", file.d, run.shape().d),
                run.directory().string(), "trace the text again");
  return texts;
}

HostSwarm part_of(const HostSwarm& x, const TextSpan& s) {
  HostSwarm part({s.n, x.d()});
  for (int k = 0; k < x.d(); ++k)
    std::copy_n(x.axis(k) + s.first, static_cast<std::size_t>(s.n), part.axis(k));
  return part;
}

double beta_of(const TraceFile& file, int block) {
  if (file.block_beta.empty()) return flow_beta(file.beta);
  return file.block_beta[static_cast<std::size_t>(block) % file.block_beta.size()];
}

std::vector<LayerReading> layer_readings(const TracedText& text, double beta) {
  std::vector<LayerReading> rows;
  HostSwarm before;
  for (int f = 0; f < text.frames(); ++f) {
    std::vector<double> norms;
    HostSwarm x = project_to_sphere(text, f, &norms);
    LayerReading r = reading_of(x, beta);
    r.layer = f;
    for (const double norm : norms) r.norm += norm / text.n();
    if (f > 0) r.angle = mean_angle(before, x);
    before = std::move(x);
    rows.push_back(r);
  }
  return rows;
}

std::vector<LayerReading> layer_readings(const RunReader& run, const TraceFile& file) {
  const std::vector<TextSpan> texts = texts_with_pairs(file, run);
  const std::vector<double> norms = read_npy(run.directory() / "norms.npy").doubles();
  if (norms.size() != static_cast<std::size_t>(run.frames()) * run.shape().n)
    throw Error(Fault::input, "norms.npy does not fit the frames", run.directory().string(),
                "trace the text again");
  std::vector<LayerReading> rows;
  HostSwarm before;
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(1, texts.size()));
  for (std::int64_t f = 0; f < run.frames(); ++f) {
    const HostSwarm x = run.frame(f);
    LayerReading r{.layer = static_cast<int>(f)};
    for (const TextSpan& s : texts) {
      const HostSwarm part = part_of(x, s);
      const LayerReading one = reading_of(part, flow_beta(file.beta));
      r.mean_cos += share * one.mean_cos;
      r.min_cos += share * one.min_cos;
      r.max_cos += share * one.max_cos;
      r.clusters += share * one.clusters;
      r.effective_rank += share * one.effective_rank;
      r.energy_scaled += share * one.energy_scaled;
      if (f > 0) r.angle += share * mean_angle(part_of(before, s), part);
      for (int i = s.first; i < s.first + s.n; ++i)
        r.norm += share * norms[static_cast<std::size_t>(f) * run.shape().n + i] / s.n;
    }
    before = x;
    rows.push_back(r);
  }
  return rows;
}

std::vector<TwinReading> twin_readings(const RunReader& run, const TraceFile& file) {
  std::vector<TextSpan> texts = texts_with_pairs(file, run);
  std::erase_if(texts, [](const TextSpan& s) { return s.n > kMostTwinTokens; });
  if (texts.empty())
    throw Error(Fault::input, fmt::format("no text has from 2 to {} tokens", kMostTwinTokens),
                run.directory().string(), "trace a text of some other length");
  std::vector<TwinReading> rows(static_cast<std::size_t>(run.frames()));
  const double share = 1.0 / static_cast<double>(texts.size());
  for (const TextSpan& s : texts) {
    HostSwarm real = part_of(run.frame(0), s);
    const HostSwarm first = real;
    Twin twin(real, {.causal = file.causal});
    const FlowObservables observables(real, flow_beta(file.beta));
    for (std::int64_t f = 0; f < run.frames(); ++f) {
      TwinReading& r = rows[static_cast<std::size_t>(f)];
      r.layer = static_cast<int>(f);
      if (f > 0) {
        const HostSwarm next = part_of(run.frame(f), s);
        const TwinBlock block = twin.advance(real, next, beta_of(file, static_cast<int>(f) - 1));
        real = next;
        r.beta = block.beta;
        r.tau += share * block.tau;
        r.alignment += share * block.alignment;
      }
      r.distance += share * distance_between(real, twin.x());
      r.w2 += share * assignment_distance(real, twin.x(), Ground::chord).distance;
      r.still += share * distance_between(real, first);
      r.still_w2 += share * assignment_distance(real, first, Ground::chord).distance;
      const std::vector<double> row = observables.row(twin.x());
      r.mean_cos += share * observables.at(row, "mean_cos");
      r.energy_scaled += share * observables.at(row, "energy_scaled");
    }
  }
  return rows;
}

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kBetas = 13, kTimes = 65, kRuns = 3;
constexpr double kLast = 16;

// Adds the mean cosine of one simulation at every time to `row`.
void add_simulation(const PhaseDiagram& of, double beta, bool causal, std::uint64_t seed,
                    double* row) {
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
    if (k < kTimes) row[k++] += last / kRuns;
  };
  const Outcome outcome = advance({*engine, *field, e.flow, e.random}, e.schedule, state, watch);
  if (!outcome.ok()) throw Error(Fault::numerical, outcome.what, "phase diagram", outcome.remedy);
  while (k < kTimes) row[k++] += last / kRuns;  // the tokens are at rest
}

PhaseDiagram simulated(int n, int d, bool causal, const std::vector<double>& betas) {
  PhaseDiagram diagram{.n = n, .d = d, .flights = kRuns};
  const auto [low, high] = std::minmax_element(betas.begin(), betas.end());
  const double from = std::min(0.0, std::floor(*low - 0.5)),
               to = std::max(4.0, std::ceil(*high + 0.5));
  for (int b = 0; b < kBetas; ++b) diagram.beta.push_back(from + (to - from) * b / (kBetas - 1));
  for (int k = 0; k < kTimes; ++k) diagram.t.push_back(kLast * k / (kTimes - 1));
  diagram.mean_cos.assign(static_cast<std::size_t>(kBetas) * kTimes, 0.0);
  for (std::size_t b = 0; b < kBetas; ++b)
    for (std::uint64_t seed = 0; seed < kRuns; ++seed)
      add_simulation(diagram, diagram.beta[b], causal, seed, &diagram.mean_cos[b * kTimes]);
  return diagram;
}

// The interval of an increasing grid that contains a value, and the position in it from 0 to 1.
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
