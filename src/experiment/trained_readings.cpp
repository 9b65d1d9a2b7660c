// trained_readings.cpp: readings of a trained swarm: verdicts, heads, settling, savings.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/elementary.h"
#include "core/parallel.h"
#include "flow/flow_stepper.h"
#include "learn/block_tensors.h"
#include "murmur/error.h"
#include "murmur/flow.h"
#include "murmur/heads.h"
#include "murmur/observe.h"
#include "murmur/saving.h"
#include "murmur/settling.h"
#include "murmur/training.h"

namespace murmur {

// --- Verdicts on many samples.

namespace {

constexpr std::size_t kSamplesAtOnce = 1024;

[[noreturn]] void refuse_simulation(std::size_t sample, const std::string& remedy) {
  throw Error(Fault::numerical, "the coordinates are no longer finite",
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

// --- Heads: how widely, how far and how near each one attends; swarms without one of them.

namespace {

constexpr int kNearShare = 10;  // one in ten particles counts as near

// (n) distances from particle i.
std::vector<double> distances_from(const HostSwarm& x, int i) {
  std::vector<double> far(static_cast<std::size_t>(x.n()));
  for (int k = 0; k < x.d(); ++k)
    for (int j = 0; j < x.n(); ++j) {
      const double gap = x.at(i, k) - x.at(j, k);
      far[static_cast<std::size_t>(j)] += gap * gap;
    }
  for (double& square : far) square = std::sqrt(square);
  return far;
}

// Returns the particles nearest to i; of equally near ones those with the lowest index.
std::vector<int> nearest(const std::vector<double>& far) {
  std::vector<int> order(far.size());
  std::iota(order.begin(), order.end(), 0);
  const auto count = std::max<std::size_t>(1, far.size() / kNearShare);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](int a, int b) {
                      return far[static_cast<std::size_t>(a)] != far[static_cast<std::size_t>(b)]
                                 ? far[static_cast<std::size_t>(a)] <
                                       far[static_cast<std::size_t>(b)]
                                 : a < b;
                    });
  order.resize(count);
  return order;
}

void add_row(const double* a, const std::vector<double>& far, HeadSummary& sum) {
  double entropy = 0, distance = 0, mean = 0, near = 0;
  for (std::size_t j = 0; j < far.size(); ++j) {
    if (a[j] > 0) entropy -= a[j] * elementary::log(a[j]);
    distance += a[j] * far[j];
    mean += far[j] / static_cast<double>(far.size());
  }
  for (const int j : nearest(far)) near += a[static_cast<std::size_t>(j)];
  const double share = 1 / static_cast<double>(far.size());
  sum.entropy += share * entropy;
  sum.distance += share * (mean > 0 ? distance / mean : 1);
  sum.near += share * near;
}

}  // namespace

std::vector<HeadSummary> summaries_of_heads(const HostSwarm& x, const Dynamics& dynamics,
                                            double t) {
  std::vector<HeadSummary> all(heads_of(dynamics, t).size());
  for (std::size_t h = 0; h < all.size(); ++h) {
    const Matrix weights = attention_weights(x, dynamics, static_cast<int>(h), t);
    for (int i = 0; i < x.n(); ++i)
      add_row(&weights.data[static_cast<std::size_t>(i) * weights.cols], distances_from(x, i),
              all[h]);
  }
  return all;
}

std::vector<HeadSummary> summaries_of_heads(const TrainedSwarm& swarm, const SampleSet& samples,
                                            std::span<const std::size_t> chosen) {
  const Architecture& a = swarm.architecture;
  if (a.interaction != Architecture::attention || chosen.empty()) return {};
  const Dynamics dynamics = dynamics_of(a, swarm.doubles());
  const auto heads = static_cast<std::size_t>(a.heads);
  std::vector<HeadSummary> all(heads * static_cast<std::size_t>(a.blocks));
  const double share = 1 / static_cast<double>(chosen.size());
  for (const std::size_t sample : chosen) {
    const SampleTrajectory trajectory = simulate_sample(swarm, samples, sample);
    for (int block = 0; block < a.blocks; ++block) {
      const auto here = summaries_of_heads(trajectory.frames[static_cast<std::size_t>(block)],
                                           dynamics, block * a.residual);
      for (std::size_t h = 0; h < heads; ++h) {
        HeadSummary& sum = all[static_cast<std::size_t>(block) * heads + h];
        sum.entropy += share * here[h].entropy;
        sum.distance += share * here[h].distance;
        sum.near += share * here[h].near;
      }
    }
  }
  return all;
}

TrainedSwarm without_head(const TrainedSwarm& swarm, int head, int block) {
  const Architecture& a = swarm.architecture;
  const auto refuse = [](const std::string& what, const std::string& remedy) {
    throw Error(Fault::input, what, "removing a head", remedy);
  };
  if (a.interaction != Architecture::attention)
    refuse("the swarm has no attention, and so no heads", "give a swarm of interaction=attention");
  if (head < 0 || head >= a.heads)
    refuse(fmt::format("there is no head {}", head),
           fmt::format("the swarm has heads 0 to {}", a.heads - 1));
  if (block < -1 || block >= a.blocks)
    refuse(fmt::format("there is no block {}", block),
           fmt::format("the swarm has blocks 0 to {}", a.blocks - 1));
  TrainedSwarm silent = swarm;
  const int k = width_of_head(a), wide = width_of_heads(a);
  for (int b = 0; b < stored_blocks(a); ++b) {
    if (!a.shared && block != -1 && block != b) continue;
    float* mix = block_tensors(a, silent.parameters.data(), b).mix;
    for (int r = 0; r < a.d; ++r)
      std::fill_n(mix + static_cast<std::ptrdiff_t>(r) * wide + head * k, k, 0.0f);
  }
  return silent;
}

// --- Settling: spread, speed and verdicts with more and more blocks.

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

//   (mean_i |x_i - mean_j x_j|^2)^(1/2)
double spread_of(const HostSwarm& x) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    double mean = 0;
    for (int i = 0; i < x.n(); ++i) mean += x.at(i, k) / x.n();
    for (int i = 0; i < x.n(); ++i) square += (x.at(i, k) - mean) * (x.at(i, k) - mean) / x.n();
  }
  return std::sqrt(square);
}

// mean_i |x_i - y_i|, y_i = `at`(i, k)
template <class At>
double mean_distance(const HostSwarm& x, At at) {
  double sum = 0;
  for (int i = 0; i < x.n(); ++i) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += std::pow(x.at(i, k) - at(i, k), 2);
    sum += std::sqrt(square) / x.n();
  }
  return sum;
}

// Runs up to so many blocks; stops earlier if the tokens are no longer finite.
std::vector<HostSwarm> finite_frames(const TrainedSwarm& swarm, const SampleSet& samples,
                                     std::size_t sample, int blocks) {
  for (; blocks > 0; blocks /= 2) {
    try {
      return simulate_sample(swarm, samples, sample, blocks).frames;
    } catch (const Error& error) {
      if (error.fault != Fault::numerical) throw;
    }
  }
  return {};
}

// The contribution of one sample after each number of blocks.
std::vector<Settling> settling_of_one(const TrainedSwarm& swarm, const SampleSet& samples,
                                      std::size_t sample, std::span<const int> blocks) {
  const int most = *std::max_element(blocks.begin(), blocks.end());
  const std::vector<HostSwarm> frames = finite_frames(swarm, samples, sample, most);
  const Matrix& targets = swarm.architecture.targets;
  const double start = frames.empty() ? 0 : spread_of(frames.front());
  std::vector<Settling> rows;
  for (const int behind : blocks) {
    if (static_cast<int>(frames.size()) <= behind) {
      rows.push_back({.blocks = behind, .spread = kFar, .speed = kFar, .distance = kFar});
      continue;
    }
    const HostSwarm &x = frames[behind], &before = frames[behind - 1];
    rows.push_back({.blocks = behind,
                    .spread = start > 0 ? spread_of(x) / start : 0,
                    .speed = mean_distance(x, [&](int i, int k) { return before.at(i, k); }),
                    .distance = mean_distance(
                        x, [&](int, int k) { return targets(samples.label[sample], k); })});
  }
  return rows;
}

// NaN if a sample is no longer finite.
double accuracy_of(const TrainedSwarm& swarm, const SampleSet& samples, int threads) {
  Verdicts verdicts;
  try {
    verdicts = judge(swarm, samples, threads);
  } catch (const Error& error) {
    if (error.fault != Fault::numerical) throw;
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::size_t right = 0;
  for (std::size_t k = 0; k < samples.samples(); ++k)
    right += verdicts.verdict[k] == samples.label[k] &&
                     std::isfinite(verdicts.scores(static_cast<int>(k), verdicts.verdict[k]))
                 ? 1
                 : 0;
  return static_cast<double>(right) / static_cast<double>(samples.samples());
}

}  // namespace

TrainedSwarm with_blocks(const TrainedSwarm& swarm, int blocks) {
  TrainedSwarm other = swarm;
  other.architecture.blocks = blocks;
  if (swarm.architecture.shared || blocks == swarm.architecture.blocks) return other;
  const Architecture& a = swarm.architecture;
  const auto stored = static_cast<std::size_t>(a.blocks);
  const std::size_t size = block_size(a), rest = swarm.parameters.size() - stored * size;
  std::vector<float> parameters;
  for (std::size_t b = 0; b < static_cast<std::size_t>(blocks); ++b) {
    const auto from =
        swarm.parameters.begin() + static_cast<std::ptrdiff_t>(std::min(b, stored - 1) * size);
    parameters.insert(parameters.end(), from, from + static_cast<std::ptrdiff_t>(size));
  }
  parameters.insert(parameters.end(), swarm.parameters.end() - static_cast<std::ptrdiff_t>(rest),
                    swarm.parameters.end());
  other.parameters = std::move(parameters);
  return other;
}

std::vector<int> settling_depths(const TrainedSwarm& swarm) {
  constexpr int kMostBlocks = 100, kMostDimensions = 4;  // beyond these it takes too long
  const Architecture& a = swarm.architecture;
  if (!a.shared || a.d > kMostDimensions || 4 * a.blocks > kMostBlocks) return {};
  return {a.blocks, 2 * a.blocks, 4 * a.blocks};
}

std::vector<std::size_t> evenly_chosen(const SampleSet& samples, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t count = std::min(most, samples.samples());
  for (std::size_t k = 0; k < count; ++k) chosen.push_back(k * samples.samples() / count);
  return chosen;
}

std::vector<Settling> settling_of(const TrainedSwarm& swarm, const SampleSet& samples,
                                  std::span<const std::size_t> watched, std::span<const int> blocks,
                                  int threads) {
  for (const int behind : blocks)
    if (behind < 1)
      throw Error(Fault::input, "settling needs one block or more",
                  "blocks " + std::to_string(behind), "ask for 1 or more");
  std::vector<std::vector<Settling>> each(watched.size());
  for_blocks(static_cast<int>(watched.size()), threads,
             [&](int k) { each[k] = settling_of_one(swarm, samples, watched[k], blocks); });
  std::vector<Settling> rows(blocks.size());
  const double share = 1 / static_cast<double>(std::max<std::size_t>(1, watched.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r].blocks = blocks[r];
    rows[r].accuracy = accuracy_of(with_blocks(swarm, blocks[r]), samples, threads);
    for (const std::vector<Settling>& one : each) {
      rows[r].spread += share * one[r].spread;
      rows[r].speed += share * one[r].speed;
      rows[r].distance += share * one[r].distance;
    }
  }
  return rows;
}

// --- Savings: samples run until they rest, with tokens that merge.

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
                "give a number of 0 or more; targets are at distance 10 from the centre");
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
  // Block by block, since the tokens of a block are known only before it.
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
      throw Error(Fault::numerical, "the tokens are no longer finite", fmt::format("sample {}", k),
                  "train again with a smaller rate");
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
