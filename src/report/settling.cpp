// settling.cpp: a row for each depth at which a swarm of shared blocks is looked at.
#include "report/settling.h"

#include <fmt/format.h>

#include <cmath>

#include "murmur/settling.h"

namespace murmur {

namespace {

// Where one sample leaves the finite numbers, there is no accuracy, and means say nothing.
std::vector<std::string> cells_of(const Settling& row) {
  constexpr const char* kNotFinite = "not finite";
  const std::string blocks = fmt::format("{}", row.blocks);
  if (!std::isfinite(row.accuracy)) return {blocks, "none", kNotFinite, kNotFinite, kNotFinite};
  const auto shown = [&](double value, int decimals) {
    return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : kNotFinite;
  };
  return {blocks, fmt::format("{:.2f}\u202f%", 100 * row.accuracy), shown(row.spread, 3),
          shown(row.speed, 3), shown(row.distance, 2)};
}

}  // namespace

void add_settling(RunReport& report, const TrainedSwarm& swarm, const SampleSet& samples) {
  const std::vector<int> depths = settling_depths(swarm);
  if (depths.empty()) return;
  const std::vector<std::size_t> watched = evenly_chosen(samples);
  TextTable table{{"blocks", "accuracy", "spread", "speed", "distance"}};
  for (const Settling& row : settling_of(swarm, samples, watched, depths, 0))
    table.push_back(cells_of(row));
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
