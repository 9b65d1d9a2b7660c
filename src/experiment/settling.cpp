// settling.cpp: spread, speed and verdicts of a trained swarm behind more and more blocks.
#include "murmur/settling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "learn/block_tensors.h"
#include "murmur/error.h"

namespace murmur {

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

// Behind up to so many blocks; fewer where the tokens then leave the finite numbers.
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

// What one sample adds behind each number of blocks.
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

// NaN where a sample leaves the finite numbers.
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
  constexpr int kMostBlocks = 100, kMostDimensions = 4;  // further it takes too long
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
      throw Error(Fault::input, "a swarm settles behind one block or more",
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

}  // namespace murmur
