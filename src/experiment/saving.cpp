// saving.cpp: runs samples through a trained swarm until they rest, with tokens that merge.
#include "murmur/saving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "flow/merging.h"
#include "murmur/error.h"
#include "murmur/flow.h"

namespace murmur {

namespace {

// mean_i |x_i - y_i|
double mean_motion(const HostSwarm& x, const HostSwarm& y) {
  double sum = 0;
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += (x.at(i, k) - y.at(i, k)) * (x.at(i, k) - y.at(i, k));
    sum += std::sqrt(square) / x.n();
  }
  return sum;
}

HostSwarm start_of(const TrainedSwarm& swarm, const SampleSet& samples, std::size_t sample,
                   const std::vector<double>& parameters) {
  const Architecture& a = swarm.architecture;
  const std::size_t first = samples.first[sample];
  const auto size = static_cast<std::size_t>(samples.size_of(sample));
  const Sample ready =
      a.vocabulary > 0
          ? start_sample(a, parameters, std::span<const int>(samples.word).subspan(first, size))
          : start_sample(a, parameters, std::span<const float>(samples.x).subspan(first, size),
                         std::span<const float>(samples.y).subspan(first, size));
  return from_rows({ready.n, a.d}, ready.rows.data());
}

double pairs_of(int tokens) { return static_cast<double>(tokens) * tokens; }

}  // namespace

void check(const Saving& saving) {
  const auto refuse = [](const char* what, double value) {
    if (std::isfinite(value) && value >= 0) return;
    throw Error(Fault::input, fmt::format("{} = {:g}: not a distance", what, value), what,
                "give a number of 0 or more, where targets are 10 from the centre");
  };
  refuse("rest", saving.rest);
  refuse("merge", saving.merge);
}

double multiply_adds(const Architecture& a, int tokens) {
  const double n = tokens, wide = static_cast<double>(a.heads) * width_of_head(a);
  double sum = 2.0 * a.d * a.hidden * n;
  if (a.interaction == Architecture::attraction) sum += a.d * n;
  if (a.interaction == Architecture::uniform) sum += 3 * wide * a.d * n;
  if (a.interaction == Architecture::attention) sum += 4 * wide * a.d * n + 2 * wide * n * n;
  return sum;
}

std::vector<BlockRecord> record_blocks(const TrainedSwarm& swarm, const SampleSet& samples,
                                       std::size_t sample, const Saving& saving) {
  check(saving);
  const Architecture& a = swarm.architecture;
  const std::vector<double> parameters = swarm.doubles();
  HostSwarm before = start_of(swarm, samples, sample, parameters);
  const auto engine = make_reference_engine();
  const auto field = engine->prepare(dynamics_of(a, parameters), before.shape());
  FlowSettings settings;
  settings.method = Method::layers;
  settings.dt = a.residual;
  settings.merge = saving.merge;
  FlowState state = start(before);
  if (saving.merge > 0) merge_close(state, saving.merge, Manifold::space);
  const int asked = a.readout == Architecture::asked ? samples.asked[sample] : 0;
  std::vector<BlockRecord> blocks;
  int tokens = state.x.n();
  bool resting = false;
  FlowWatch watch;
  watch.merged = [&](const Merge& merge) { tokens = merge.left; };
  watch.frame = [&](double t, const HostSwarm& x) {
    if (t == 0) return;
    BlockRecord& block = blocks.back();
    block.motion = mean_motion(x, before);
    block.scores = scores(a, readout_of(a, x, asked));
    resting = block.motion < saving.rest;
    before = x;
  };
  // Block by block: the tokens that go into a block are known before it.
  for (int b = 0; b < a.blocks && !resting; ++b) {
    blocks.push_back({.tokens = tokens});
    const Schedule schedule{.T = (b + 1) * a.residual, .every = a.residual};
    const Outcome outcome = advance({*engine, *field, settings}, schedule, state, watch);
    if (outcome.ok()) continue;
    blocks.pop_back();
    break;
  }
  return blocks;
}

SavedVerdicts judge(const TrainedSwarm& swarm, const SampleSet& samples, const Saving& saving,
                    int threads) {
  const Architecture& a = swarm.architecture;
  const std::size_t count = samples.samples();
  std::vector<std::vector<BlockRecord>> records(count);
  for_blocks(static_cast<int>(count), threads, [&](int k) {
    const auto sample = static_cast<std::size_t>(k);
    records[sample] = record_blocks(swarm, samples, sample, saving);
  });
  SavedVerdicts saved;
  saved.verdicts.verdict.resize(count);
  saved.verdicts.scores = zeros(static_cast<int>(count), a.targets.rows);
  double work = 0, all_work = 0, pairs = 0, all_pairs = 0;
  const int extra = a.readout == Architecture::cls ? 1 : 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (records[k].empty())
      throw Error(Fault::numerical, "the tokens leave the finite numbers",
                  fmt::format("sample {}", k), "train again with a smaller rate");
    const int n = samples.size_of(k) + extra;
    all_work += a.blocks * multiply_adds(a, n);
    all_pairs += a.blocks * pairs_of(n);
    for (const BlockRecord& block : records[k]) {
      work += multiply_adds(a, block.tokens);
      pairs += pairs_of(block.tokens);
    }
    saved.blocks += static_cast<double>(records[k].size()) / static_cast<double>(count);
    const std::vector<double>& score = records[k].back().scores;
    std::copy(score.begin(), score.end(),
              saved.verdicts.scores.data.begin() + static_cast<std::ptrdiff_t>(k * score.size()));
    saved.verdicts.verdict[k] =
        static_cast<int>(std::max_element(score.begin(), score.end()) - score.begin());
  }
  saved.work = all_work > 0 ? work / all_work : 1;
  saved.pairs = all_pairs > 0 ? pairs / all_pairs : 1;
  return saved;
}

}  // namespace murmur
