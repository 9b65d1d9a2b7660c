// saved_work.cpp: how much work a settled swarm can save: blocks after its tokens rest, and tokens
// that have met; compared with simpler ways.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/parallel.h"
#include "murmur/error.h"
#include "murmur/random.h"
#include "murmur/saving.h"
#include "murmur/settling.h"
#include "reproduce/reproductions.h"
#include "reproduce/training_cache.h"

namespace murmur {

namespace {

constexpr double kAllowed = 0.2;  // points of accuracy that a way may lose
constexpr double kGained = 0.9;   // of the work of the simpler way: the most that counts as a gain
constexpr int kFurther = 2;       // times the trained blocks, for pictures that rest late

// Results of one setting of one way on one set of pictures. Accuracy in percent; work as a share of
// that of all tokens in all trained blocks.
struct Measured {
  double accuracy = 0, work = 0, blocks = 0;
};
struct Setting {
  double value = 0;
  Measured validation{}, test{};
};
enum WayName { fewer_blocks, at_rest, when_sure, merging, every, at_random, kWays };
constexpr std::array<const char*, kWays> kNames = {"fewer blocks for all", "stop at rest",
                                                   "stop when sure",       "merge tokens",
                                                   "every k-th pixel",     "pixels at random"};
using Ways = std::array<std::vector<Setting>, kWays>;  // of one seed

const std::vector<double>& values_of(WayName way) {
  static const std::array<std::vector<double>, kWays> values = {
      {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20},
       {8, 5.6, 4, 2.8, 2, 1.4, 1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.08, 0.05},
       {0.6, 0.75, 0.85, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999},
       {4, 3, 2.25, 1.7, 1.3, 1, 0.7, 0.5, 0.3},
       {12, 8, 6, 4, 3, 2},
       {1. / 12, 1. / 8, 1. / 6, 1. / 4, 1. / 3, 1. / 2}}};
  return values[way];
}

// Some samples of a set with those of their points for which `keep`(sample, point) holds, at least
// one.
using Keep = std::function<bool(std::size_t sample, int point)>;
SampleSet part_of(const SampleSet& all, const std::vector<std::size_t>& chosen, const Keep& keep) {
  SampleSet part{.first = {0}};
  for (const std::size_t sample : chosen) {
    const std::size_t from = all.first[sample];
    for (int i = 0; i < all.size_of(sample); ++i)
      if (keep(sample, i)) {
        part.x.push_back(all.x[from + i]);
        part.y.push_back(all.y[from + i]);
      }
    if (part.x.size() == part.first.back()) {
      part.x.push_back(all.x[from]);
      part.y.push_back(all.y[from]);
    }
    part.first.push_back(part.x.size());
    part.label.push_back(all.label[sample]);
  }
  return part;
}

double percent_right(const std::vector<int>& verdict, const std::vector<int>& label) {
  double right = 0;
  for (std::size_t k = 0; k < label.size(); ++k) right += verdict[k] == label[k] ? 1 : 0;
  return 100 * right / static_cast<double>(label.size());
}

// A swarm and the pictures that it classifies.
struct Evaluation {
  const TrainedSwarm& swarm;
  const SampleSet& samples;
  int threads;
};

int best_of(const std::vector<double>& scores) {
  return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

// 1 / sum_c e^(score_c - max)
double chance_of(const std::vector<double>& scores) {
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - scores[best_of(scores)]);
  return 1 / sum;
}

// Whether a sample stops after a block, counted from 1.
bool stops(WayName way, double value, const BlockRecord& block, int number) {
  if (way == fewer_blocks) return number >= value;
  return way == at_rest ? block.motion < value : chance_of(block.scores) >= value;
}

// Measures the three ways to stop early on one record per sample.
void measure_stops(const Evaluation& evaluation, Ways& ways, Measured Setting::*to) {
  const Architecture& a = evaluation.swarm.architecture;
  const TrainedSwarm deeper = with_blocks(evaluation.swarm, kFurther * a.blocks);
  const std::size_t count = evaluation.samples.samples();
  std::vector<std::vector<BlockRecord>> records(count);
  for_blocks(static_cast<int>(count), evaluation.threads, [&](int k) {
    records[k] = record_blocks(deeper, evaluation.samples, static_cast<std::size_t>(k), {});
  });
  for (const WayName way : {fewer_blocks, at_rest, when_sure})
    for (Setting& setting : ways[way]) {
      Measured& m = setting.*to;
      double work = 0, all = 0, blocks = 0, right = 0;
      for (std::size_t k = 0; k < count; ++k) {
        const double one = multiply_adds(a, evaluation.samples.size_of(k));
        std::size_t b = 0;
        if (records[k].empty())
          throw Error(Fault::numerical, "a picture leaves the finite numbers in the first block",
                      fmt::format("sample {}", k), "train with a smaller rate");
        while (b + 1 < records[k].size() &&
               !stops(way, setting.value, records[k][b], static_cast<int>(b) + 1))
          ++b;
        right += best_of(records[k].at(b).scores) == evaluation.samples.label[k] ? 1 : 0;
        blocks += static_cast<double>(b) + 1;
        work += (static_cast<double>(b) + 1) * one;
        all += a.blocks * one;
      }
      m = {100 * right / static_cast<double>(count), work / all,
           blocks / static_cast<double>(count)};
    }
}

void measure_merging(const Evaluation& evaluation, Ways& ways, Measured Setting::*to) {
  for (Setting& setting : ways[merging]) {
    const SavedVerdicts saved =
        judge(evaluation.swarm, evaluation.samples, {.merge = setting.value}, evaluation.threads);
    setting.*to = {percent_right(saved.verdicts.verdict, evaluation.samples.label), saved.work,
                   saved.blocks};
  }
}

double work_of(const Architecture& a, const SampleSet& samples) {
  double work = 0;
  for (std::size_t k = 0; k < samples.samples(); ++k) work += multiply_adds(a, samples.size_of(k));
  return work;
}

// Only some points of ink are tokens: every k-th in reading order, or each with some probability.
void measure_thinning(const Evaluation& evaluation, Ways& ways, Measured Setting::*to) {
  const Architecture& a = evaluation.swarm.architecture;
  const std::vector<std::size_t> all =
      evenly_chosen(evaluation.samples, evaluation.samples.samples());
  const double whole = work_of(a, evaluation.samples);
  for (const WayName way : {every, at_random})
    for (Setting& setting : ways[way]) {
      const Keep keep = [&](std::size_t sample, int point) {
        if (way == every) return point % static_cast<int>(setting.value) == 0;
        const Draw draw{.stream = Stream::samples,
                        .particle = static_cast<std::uint32_t>(point),
                        .step = static_cast<std::uint32_t>(sample)};
        return draw.uniform(0) < setting.value;
      };
      const SampleSet part = part_of(evaluation.samples, all, keep);
      const Verdicts verdicts = judge(evaluation.swarm, part, evaluation.threads);
      setting.*to = {percent_right(verdicts.verdict, part.label), work_of(a, part) / whole,
                     static_cast<double>(a.blocks)};
    }
}

Ways measure(const TrainedSwarm& swarm, const SampleSet& validation, const SampleSet& test,
             int threads) {
  Ways ways;
  for (int way = 0; way < kWays; ++way)
    for (const double value : values_of(static_cast<WayName>(way)))
      ways[way].push_back({.value = value});
  const double depth = swarm.architecture.blocks;
  if (std::none_of(ways[fewer_blocks].begin(), ways[fewer_blocks].end(),
                   [&](const Setting& s) { return s.value == depth; }))
    ways[fewer_blocks].push_back({.value = depth});
  for (const auto& [samples, to] :
       {std::pair{&validation, &Setting::validation}, std::pair{&test, &Setting::test}}) {
    const Evaluation evaluation{swarm, *samples, threads};
    measure_stops(evaluation, ways, to);
    measure_merging(evaluation, ways, to);
    measure_thinning(evaluation, ways, to);
  }
  return ways;
}

// All tokens in all trained blocks.
const Setting& whole_of(const Ways& ways, int blocks) {
  return *std::find_if(ways[fewer_blocks].begin(), ways[fewer_blocks].end(),
                       [&](const Setting& s) { return s.value == blocks; });
}

// The setting of least work whose loss of accuracy on validation pictures is allowed; the whole
// swarm where there is none.
Setting chosen_of(const Ways& ways, WayName way, int blocks) {
  Setting best = whole_of(ways, blocks);
  const double least = best.validation.accuracy - kAllowed;
  for (const Setting& s : ways[way])
    if (s.validation.accuracy >= least && s.validation.work < best.validation.work) best = s;
  return best;
}

// Means over seeds.
Measured mean_of(const std::vector<Measured>& all) {
  Measured mean;
  const double share = 1 / static_cast<double>(all.size());
  for (const Measured& m : all) {
    mean.accuracy += share * m.accuracy;
    mean.work += share * m.work;
    mean.blocks += share * m.blocks;
  }
  return mean;
}

struct Choice {
  Measured test{};                 // means over seeds
  std::vector<double> settings{};  // (seeds)
};
Choice choice_of(const std::vector<Ways>& seeds, WayName way, int blocks) {
  Choice choice;
  std::vector<Measured> all;
  for (const Ways& ways : seeds) {
    const Setting s = chosen_of(ways, way, blocks);
    all.push_back(s.test);
    choice.settings.push_back(s.value);
  }
  choice.test = mean_of(all);
  return choice;
}

ColumnTable table_of_ways(const char* name, const std::vector<WayName>& chosen,
                          const std::vector<Ways>& seeds) {
  ColumnTable table{name,
                    {"way", "setting", "work", "blocks", "test accuracy", "validation accuracy"}};
  for (const WayName way : chosen)
    for (std::size_t k = 0; k < values_of(way).size(); ++k) {
      std::vector<Measured> test, validation;
      for (const Ways& ways : seeds) {
        test.push_back(ways[way][k].test);
        validation.push_back(ways[way][k].validation);
      }
      const Measured mean = mean_of(test);
      table.rows.push_back({kNames[way], values_of(way)[k], mean.work, mean.blocks, mean.accuracy,
                            mean_of(validation).accuracy});
    }
  return table;
}

ColumnTable table_of_choices(const std::vector<Ways>& seeds, int blocks) {
  ColumnTable table{"chosen", {"way", "settings", "work", "blocks", "test accuracy"}};
  std::vector<Measured> whole;
  for (const Ways& ways : seeds) whole.push_back(whole_of(ways, blocks).test);
  const Measured all = mean_of(whole);
  table.rows.push_back({"all of it", "", all.work, all.blocks, all.accuracy});
  for (int way = 0; way < kWays; ++way) {
    const Choice choice = choice_of(seeds, static_cast<WayName>(way), blocks);
    table.rows.push_back({kNames[way], fmt::format("{:.3g}", fmt::join(choice.settings, ", ")),
                          choice.test.work, choice.test.blocks, choice.test.accuracy});
  }
  return table;
}

// Checks that one way needs less work than simpler ones, and is as accurate.
Check check_gain(const char* rule, WayName way, const std::vector<WayName>& plainer,
                 const std::vector<Ways>& seeds, int blocks) {
  const Choice ours = choice_of(seeds, way, blocks);
  Choice other = choice_of(seeds, plainer.front(), blocks);
  for (const WayName one : plainer)
    if (Choice next = choice_of(seeds, one, blocks); next.test.work < other.test.work)
      other = std::move(next);
  const double ratio = ours.test.work / other.test.work;
  const double ahead = ours.test.accuracy - other.test.accuracy;
  Check check = check_holds(
      rule, {fmt::format("{}: work over that of the plainer way", kNames[way]), ratio},
      ratio <= kGained && ahead >= -kAllowed,
      fmt::format("{:g} or less, at most {:g} points less accurate", kGained, kAllowed));
  check.more = {{"points ahead", ahead},
                {"work", ours.test.work},
                {"accuracy", ours.test.accuracy},
                {"seeds", static_cast<double>(seeds.size())}};
  return check;
}

void draw(const std::vector<Ways>& seeds, int blocks, Reproduction& result) {
  result.tables.push_back(table_of_choices(seeds, blocks));
  result.tables.push_back(table_of_ways("stops", {fewer_blocks, at_rest, when_sure}, seeds));
  result.tables.push_back(table_of_ways("tokens", {merging, every, at_random}, seeds));
  for (const auto& [table, title] :
       {std::pair{"stops", "Fewer blocks"}, std::pair{"tokens", "Fewer tokens"}})
    result.figures.push_back(
        {.name = figure::saved_work,
         .table = table,
         .title = title,
         .x = {.label = "multiply-adds, of all tokens in all blocks", .from = 0, .to = 1},
         .y = {.label = "test accuracy, %", .from = 90, .to = 100},
         .curves = {{"test accuracy", Curve::linespoints}},
         .over = "work",
         .by = "way"});
  result.captions[figure::saved_work] =
      "A settled swarm that leaves out work. Left: all pictures run fewer blocks, or each picture "
      "stops when its tokens rest, or when its verdict is sure. Right: tokens that are near each "
      "other become one with their mass, or fewer pixels are tokens from the start.";
}

TrainingSpec training_of(int seed, bool quick) {
  TrainingSpec spec{.recipe = Recipe::settled};
  if (quick) spec.epochs = 6;
  spec.seed = static_cast<std::uint64_t>(seed);
  return spec;
}

}  // namespace

std::optional<Reproduction> saved_work(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::saved_work);
  TrainingCache cache(control, result.folder);
  std::vector<Ways> seeds;
  int blocks = 0;
  for (int seed = 0; seed < (control.quick ? 1 : control.seeds); ++seed) {
    const Training training = cache.describe(training_of(seed, control.quick));
    const auto trained = cache.fetch("settled", training);
    if (!trained || control.stopped()) return std::nullopt;
    const TrainingData& data = cache.data_for(training);
    blocks = training.architecture.blocks;
    std::vector<std::size_t> kept = data.kept_back.empty() ? data.learned : data.kept_back;
    std::vector<std::size_t> tested = evenly_chosen(data.test, control.quick ? 200 : 100'000);
    if (control.quick && kept.size() > 200) kept.resize(200);
    const Keep all = [](std::size_t, int) { return true; };
    seeds.push_back(measure(read_trained_swarm(trained->directory), part_of(data.train, kept, all),
                            part_of(data.test, tested, all), training.threads));
  }
  result.checks.push_back(
      check_gain(rule::saved_work_rest, at_rest, {fewer_blocks}, seeds, blocks));
  result.checks.push_back(
      check_gain(rule::saved_work_merge, merging, {every, at_random}, seeds, blocks));
  draw(seeds, blocks, result);
  return result;
}

}  // namespace murmur
