// heads.cpp: a row for each head of a trained swarm, and the heads' fields in a colour each.
#include "report/heads.h"

#include <fmt/format.h>

#include <algorithm>

#include "murmur/heads.h"
#include "murmur/settling.h"
#include "report/fields.h"

namespace murmur {

namespace {

constexpr std::size_t kWatched = 24;  // samples whose attention is looked at
constexpr int kMostRows = 32;         // of the table: beyond, a head is left out of all blocks

double accuracy_of(const TrainedSwarm& swarm, const SampleSet& samples) {
  const Verdicts verdicts = judge(swarm, samples, 0);
  std::size_t right = 0;
  for (std::size_t k = 0; k < samples.samples(); ++k)
    right += samples.label[k] == verdicts.verdict[k] ? 1 : 0;
  return static_cast<double>(right) /
         static_cast<double>(std::max<std::size_t>(1, samples.samples()));
}

// The mean over the blocks [first, last) of what head h does in them.
HeadSummary over_blocks(const std::vector<HeadSummary>& all, int heads, int h,
                        std::pair<int, int> of) {
  HeadSummary mean;
  const double share = 1.0 / (of.second - of.first);
  for (int b = of.first; b < of.second; ++b) {
    const HeadSummary& here = all[static_cast<std::size_t>(b) * heads + h];
    mean.entropy += share * here.entropy;
    mean.distance += share * here.distance;
    mean.near += share * here.near;
  }
  return mean;
}

void add_table(RunReport& report, const TrainedSwarm& swarm, const SampleSet& samples) {
  const Architecture& a = swarm.architecture;
  const bool by_block = !a.shared && a.blocks > 1 && a.blocks * a.heads <= kMostRows;
  const std::vector<std::size_t> watched = evenly_chosen(samples, kWatched);
  const std::vector<HeadSummary> all = summaries_of_heads(swarm, samples, watched);
  const double whole = accuracy_of(swarm, samples);
  TextTable table{{"head", "entropy", "distance", "share nearby", "accuracy without it", "lost"}};
  for (int b = 0; b < (by_block ? a.blocks : 1); ++b)
    for (int h = 0; h < a.heads; ++h) {
      if (report.stopped()) return;
      const HeadSummary s =
          over_blocks(all, a.heads, h, by_block ? std::pair{b, b + 1} : std::pair{0, a.blocks});
      const double without = accuracy_of(without_head(swarm, h, by_block ? b : -1), samples);
      table.push_back({by_block ? fmt::format("{} of block {}", h, b) : fmt::format("{}", h),
                       fmt::format("{:.2f}", s.entropy), fmt::format("{:.2f}", s.distance),
                       fmt::format("{:.2f}", s.near), fmt::format("{:.2f}\u202f%", 100 * without),
                       fmt::format("{:.2f}", 100 * (whole - without))});
    }
  report.add_table(
      "Its heads",
      fmt::format(
          "What each of the {} heads attends to{}: entropy of its weights in nats, the mean "
          "distance to what it attends to beside that to all tokens (1: no preference), and "
          "the share of its weights on the nearest tenth of the tokens (0.1: no preference), "
          "in {} test pictures. Then the test accuracy of the swarm when that head is "
          "silent, and the points lost of {:.2f}\u202f%.",
          a.heads, by_block ? "" : ", over all blocks", watched.size(), 100 * whole),
      table);
}

void add_fields(RunReport& report, const TrainedSwarm& swarm, int block) {
  const Architecture& a = swarm.architecture;
  const FieldSheet sheet = fields_of(swarm, {.block = block});
  report.add_figure(
      draw_fields_svg_and_png(sheet, {report.style()}, report.figures,
                              fmt::format("heads-block-{}", block)),
      a.shared ? "The heads' fields" : fmt::format("The heads' fields in block {}", block),
      "A row and a colour a head.");
}

}  // namespace

void add_heads(RunReport& report, const TrainedSwarm& swarm, const SampleSet& samples) {
  const Architecture& a = swarm.architecture;
  if (a.interaction != Architecture::attention || a.heads < 2) return;
  add_table(report, swarm, samples);
  if (report.stopped()) return;
  add_fields(report, swarm, 0);
  if (!a.shared && a.blocks > 1) add_fields(report, swarm, a.blocks - 1);
}

}  // namespace murmur
