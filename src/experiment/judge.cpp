// judge.cpp: what a trained swarm says of many flocks.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "murmur/error.h"
#include "murmur/training.h"

namespace murmur {

namespace {

constexpr std::size_t kFlocksAtOnce = 1024;

[[noreturn]] void refuse_flight(std::size_t flock, const std::string& remedy) {
  throw Error(Fault::numerical, "the flight left the finite numbers",
              fmt::format("flock {}", flock), remedy);
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

}  // namespace murmur
