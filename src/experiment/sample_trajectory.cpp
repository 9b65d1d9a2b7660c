// sample_trajectory.cpp: the trajectory of one sample through a trained swarm, with its scores.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "core/elementary.h"
#include "murmur/error.h"
#include "murmur/flow.h"
#include "murmur/training.h"

namespace murmur {

Vector readout_of(const Architecture& a, const HostSwarm& x, int asked) {
  Vector m(static_cast<std::size_t>(x.d()));
  const int read = a.readout == Architecture::cls ? x.n() - 1 : asked;
  for (int k = 0; k < x.d(); ++k) {
    if (a.readout != Architecture::mean) {
      m[k] = x.at(read, k);
    } else {
      for (int i = 0; i < x.n(); ++i) m[k] += x.at(i, k);
      m[k] /= x.n();
    }
  }
  return m;
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

SampleTrajectory simulate_sample(const TrainedSwarm& swarm, const SampleSet& samples,
                                 std::size_t sample, int blocks) {
  assert(sample < samples.samples());
  const Architecture& a = swarm.architecture;
  const std::vector<double> parameters = swarm.doubles();
  const std::size_t first = samples.first[sample];
  const auto size = static_cast<std::size_t>(samples.size_of(sample));
  const Sample ready =
      a.vocabulary > 0
          ? start_sample(a, parameters, std::span<const int>(samples.word).subspan(first, size))
          : start_sample(a, parameters, std::span<const float>(samples.x).subspan(first, size),
                         std::span<const float>(samples.y).subspan(first, size));
  const HostSwarm begin = from_rows({ready.n, a.d}, ready.rows.data());
  const auto engine = make_reference_engine();
  const Dynamics dynamics = dynamics_of(a, parameters);
  const auto field = engine->prepare(dynamics, begin.shape());
  FlowSettings settings;
  settings.method = Method::layers;
  settings.dt = a.residual;
  const int steps = blocks > 0 ? blocks : a.blocks;
  SampleTrajectory trajectory;
  FlowState state = start(begin);
  const Outcome outcome =
      advance({*engine, *field, settings}, {.T = steps * a.residual, .every = a.residual}, state,
              {.frame = [&](double, const HostSwarm& x) { trajectory.frames.push_back(x); }});
  if (!outcome.ok())
    throw Error(Fault::numerical, "the flight left the finite numbers",
                fmt::format("flock {}", sample), "fly fewer blocks past the trained depth");
  trajectory.scores = zeros(static_cast<int>(trajectory.frames.size()), a.targets.rows);
  const int asked = a.readout == Architecture::asked ? samples.asked[sample] : 0;
  double* row = trajectory.scores.data.data();
  for (const HostSwarm& frame : trajectory.frames) {
    const std::vector<double> score = scores(a, readout_of(a, frame, asked));
    row = std::copy(score.begin(), score.end(), row);
  }
  return trajectory;
}

}  // namespace murmur
