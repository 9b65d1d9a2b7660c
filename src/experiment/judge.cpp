// judge.cpp: what a trained swarm says of flocks, and the flight that made it say so.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/elementary.h"
#include "murmur/error.h"
#include "murmur/flow.h"
#include "murmur/training.h"

namespace murmur {

namespace {

constexpr std::size_t kFlocksAtOnce = 1024;

[[noreturn]] void refuse_flight(std::size_t flock, const std::string& remedy) {
  throw Error(Fault::numerical, "the flight left the finite numbers",
              fmt::format("flock {}", flock), remedy);
}

// (d) the mean boid, or the CLS boid, which is the last.
std::vector<double> readout_of(const Architecture& a, const HostSwarm& x) {
  std::vector<double> m(static_cast<std::size_t>(x.d()));
  for (int k = 0; k < x.d(); ++k) {
    if (a.readout == Architecture::cls) {
      m[k] = x.at(x.n() - 1, k);
    } else {
      for (int i = 0; i < x.n(); ++i) m[k] += x.at(i, k);
      m[k] /= x.n();
    }
  }
  return m;
}

void set_row(Matrix& m, int row, const std::vector<double>& values) {
  std::copy(values.begin(), values.end(),
            m.data.begin() + static_cast<std::ptrdiff_t>(row) * m.cols);
}

}  // namespace

Verdicts judge(const TrainedSwarm& swarm, const Ensemble& flocks, int threads) {
  const Architecture& a = swarm.architecture;
  const std::size_t count = flocks.flocks();
  const auto adjoint = make_adjoint(a, threads);
  Verdicts verdicts{std::vector<int>(count), zeros(static_cast<int>(count), a.targets.rows),
                    zeros(static_cast<int>(count), a.d)};
  std::vector<std::size_t> chosen;
  std::vector<float> readout;
  for (std::size_t begin = 0; begin < count; begin += kFlocksAtOnce) {
    chosen.resize(std::min(kFlocksAtOnce, count - begin));
    for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] = begin + k;
    readout.resize(chosen.size() * static_cast<std::size_t>(a.d));
    adjoint->fly(swarm.parameters,
                 {.x = flocks.x, .y = flocks.y, .first = flocks.first, .chosen = chosen}, readout);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const float* m = readout.data() + k * static_cast<std::size_t>(a.d);
      if (!std::all_of(m, m + a.d, [](float value) { return std::isfinite(value); }))
        refuse_flight(begin + k, "train again with a smaller rate, or give another model");
      const std::vector<double> place(m, m + a.d), score = scores(a, place);
      set_row(verdicts.readout, static_cast<int>(begin + k), place);
      set_row(verdicts.scores, static_cast<int>(begin + k), score);
      verdicts.verdict[begin + k] =
          static_cast<int>(std::max_element(score.begin(), score.end()) - score.begin());
    }
  }
  return verdicts;
}

Matrix confusion_of(const Verdicts& verdicts, const std::vector<int>& label, int classes) {
  assert(label.size() == verdicts.verdict.size());
  Matrix counts = zeros(classes, classes);
  for (std::size_t flock = 0; flock < label.size(); ++flock)
    if (label[flock] >= 0) counts(label[flock], verdicts.verdict[flock]) += 1;
  return counts;
}

//   chance_c = e^(score_c - max) / sum_k e^(score_k - max)
Matrix chances_of(const Matrix& scores) {
  Matrix chances = scores;
  for (int row = 0; row < scores.rows; ++row) {
    double* p = chances.data.data() + static_cast<std::size_t>(row) * scores.cols;
    const double most = *std::max_element(p, p + scores.cols);
    double sum = 0;
    for (int c = 0; c < scores.cols; ++c) sum += p[c] = elementary::exp(p[c] - most);
    for (int c = 0; c < scores.cols; ++c) p[c] /= sum;
  }
  return chances;
}

FlockFlight fly_flock(const TrainedSwarm& swarm, const Ensemble& flocks, std::size_t flock,
                      int blocks) {
  assert(flock < flocks.flocks());
  const Architecture& a = swarm.architecture;
  const std::vector<double> parameters = swarm.doubles();
  const std::size_t first = flocks.first[flock];
  const auto size = static_cast<std::size_t>(flocks.size_of(flock));
  const Flock ready =
      start_flock(a, parameters, {flocks.x.data() + first, size}, {flocks.y.data() + first, size});
  const HostSwarm begin = from_rows({ready.n, a.d}, ready.rows.data());
  const auto engine = make_reference_engine();
  const Dynamics dynamics = dynamics_of(a, parameters);
  const auto field = engine->prepare(dynamics, begin.shape());
  FlowSettings settings;
  settings.method = Method::layers;
  settings.dt = a.residual;
  const int steps = blocks > 0 ? blocks : a.blocks;
  FlockFlight flight;
  FlowState state = start(begin);
  const Outcome outcome = advance(
      {*engine, *field, dynamics.habitat, settings}, {.T = steps * a.residual, .every = a.residual},
      state, {.frame = [&](double, const HostSwarm& x) { flight.frames.push_back(x); }});
  if (!outcome.ok()) refuse_flight(flock, "fly fewer blocks past the trained depth");
  flight.scores = zeros(static_cast<int>(flight.frames.size()), a.targets.rows);
  for (std::size_t f = 0; f < flight.frames.size(); ++f)
    set_row(flight.scores, static_cast<int>(f), scores(a, readout_of(a, flight.frames[f])));
  return flight;
}

}  // namespace murmur
