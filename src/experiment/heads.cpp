// heads.cpp: how widely, how far and how near each head attends, and swarms without one of them.
#include "murmur/heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/elementary.h"
#include "learn/block_tensors.h"
#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur {

namespace {

constexpr int kNearShare = 10;  // one in so many particles counts as near

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

// The particles nearest to i; of equally near ones those of lower number.
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
    throw Error(Fault::input, what, "leaving out a head", remedy);
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

}  // namespace murmur
