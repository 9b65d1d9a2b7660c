// judge.cpp: what a trained swarm says of many samples.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "murmur/error.h"
#include "murmur/training.h"

namespace murmur {

namespace {

constexpr std::size_t kSamplesAtOnce = 1024;

[[noreturn]] void refuse_simulation(std::size_t sample, const std::string& remedy) {
  throw Error(Fault::numerical, "the flight left the finite numbers",
              fmt::format("flock {}", sample), remedy);
}

void set_row(Matrix& m, int row, const std::vector<double>& values) {
  std::copy(values.begin(), values.end(),
            m.data.begin() + static_cast<std::ptrdiff_t>(row) * m.cols);
}

}  // namespace

Verdicts judge(const TrainedSwarm& swarm, const SampleSet& samples, int threads) {
  const Architecture& a = swarm.architecture;
  const std::size_t count = samples.samples();
  const auto adjoint = make_adjoint(a, threads);
  Verdicts verdicts{std::vector<int>(count), zeros(static_cast<int>(count), a.targets.rows),
                    zeros(static_cast<int>(count), a.d)};
  std::vector<std::size_t> chosen;
  std::vector<float> readout;
  for (std::size_t begin = 0; begin < count; begin += kSamplesAtOnce) {
    chosen.resize(std::min(kSamplesAtOnce, count - begin));
    for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] = begin + k;
    readout.resize(chosen.size() * static_cast<std::size_t>(a.d));
    adjoint->forward(swarm.parameters,
                     {.x = samples.x,
                      .y = samples.y,
                      .first = samples.first,
                      .chosen = chosen,
                      .word = samples.word,
                      .asked = samples.asked},
                     readout);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const float* m = readout.data() + k * static_cast<std::size_t>(a.d);
      if (!std::all_of(m, m + a.d, [](float value) { return std::isfinite(value); }))
        refuse_simulation(begin + k, "train again with a smaller rate, or give another model");
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
  for (std::size_t sample = 0; sample < label.size(); ++sample)
    if (label[sample] >= 0) counts(label[sample], verdicts.verdict[sample]) += 1;
  return counts;
}

}  // namespace murmur
