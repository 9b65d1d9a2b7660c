// settling.cpp: a row for each depth at which a swarm of shared blocks is looked at.
#include "report/settling.h"

#include <fmt/format.h>

#include "murmur/error.h"
#include "murmur/settling.h"

namespace murmur {

namespace {

// A swarm that was not taught to rest may leave the finite numbers when it is run on: its row says
// so.
std::vector<std::string> row_at(const TrainedSwarm& swarm, const SampleSet& samples,
                                const std::vector<std::size_t>& watched, int blocks) {
  try {
    const Settling row = settling_of(swarm, samples, watched, std::vector<int>{blocks}, 0).at(0);
    return {fmt::format("{}", blocks), fmt::format("{:.2f}\u202f%", 100 * row.accuracy),
            fmt::format("{:.3f}", row.spread), fmt::format("{:.3f}", row.speed),
            fmt::format("{:.2f}", row.distance)};
  } catch (const Error& error) {
    if (error.fault != Fault::numerical) throw;
    return {fmt::format("{}", blocks), "none", "not finite", "not finite", "not finite"};
  }
}

}  // namespace

void add_settling(RunReport& report, const TrainedSwarm& swarm, const SampleSet& samples) {
  constexpr std::size_t kWatched = 48;
  const std::vector<int> depths = settling_depths(swarm);
  if (depths.empty()) return;
  const std::vector<std::size_t> watched = evenly_chosen(samples, kWatched);
  TextTable table{{"blocks", "accuracy", "spread", "speed", "distance"}};
  for (const int blocks : depths) table.push_back(row_at(swarm, samples, watched, blocks));
  report.add_table(
      "Does it come to rest?",
      fmt::format("The shared block run on past its depth of {}: test accuracy there; the spread "
                  "of a picture's tokens around their mean over that at the start; how far a token "
                  "moves in the last block; how far it is from its target, which is 10 from the "
                  "centre. The last three are means over {} test pictures.",
                  depths.front(), watched.size()),
      table);
}

}  // namespace murmur
