// training.cpp: the page of a trained swarm: trajectories, its test, its mistakes, its heads, its
// fields, and whether its tokens come to rest.
#include "report/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "murmur/error.h"
#include "murmur/heads.h"
#include "murmur/settling.h"
#include "report/digits.h"
#include "report/dome.h"
#include "report/fields.h"
#include "report/report.h"
#include "run/file.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

// Where one sample is not finite there is no accuracy, and means have no value.
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

void add_head_table(RunReport& report, const TrainedSwarm& swarm, const SampleSet& samples) {
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
          "distance to what it attends to relative to that to all tokens (1: no preference), and "
          "the share of its weights on the nearest tenth of the tokens (0.1: no preference), "
          "in {} test pictures. Then the test accuracy of the swarm when that head is "
          "silent, and the points lost of {:.2f}\u202f%.",
          a.heads, by_block ? "" : ", over all blocks", watched.size(), 100 * whole),
      table);
}

void add_head_fields(RunReport& report, const TrainedSwarm& swarm, int block) {
  const Architecture& a = swarm.architecture;
  const FieldSheet sheet = fields_of(swarm, {.block = block});
  report.add_figure(
      draw_fields_svg_and_png(sheet, {report.style()}, report.figures,
                              fmt::format("heads-block-{}", block)),
      a.shared ? "The heads' fields" : fmt::format("The heads' fields in block {}", block),
      "One row and one colour per head.");
}

// Adds what each head attends to, the accuracy without it, and its fields; nothing where there is
// one head or none. `samples`: the test set.
void add_heads(RunReport& report, const TrainedSwarm& swarm, const SampleSet& samples) {
  const Architecture& a = swarm.architecture;
  if (a.interaction != Architecture::attention || a.heads < 2) return;
  add_head_table(report, swarm, samples);
  if (report.stopped()) return;
  add_head_fields(report, swarm, 0);
  if (!a.shared && a.blocks > 1) add_head_fields(report, swarm, a.blocks - 1);
}

constexpr double kGateDistance = 10;  // of a gate from the centre

// Test accuracies of the companion code for 5 against 6, in percent.
struct Published {
  int blocks;
  bool shared;
  int d;
  double accuracy;
};
constexpr Published kPublished[] = {
    {1, true, 3, 89.68},  {1, false, 3, 89.68}, {2, true, 3, 95.03},
    {10, true, 3, 96.43}, {2, false, 3, 96.97}, {10, false, 100, 99.35},
};

const Published* published_for(const TrainedSwarm& swarm) {
  const Architecture& a = swarm.architecture;
  const bool as_published = swarm.task == Task::digits && swarm.digits == std::vector<int>{5, 6} &&
                            a.heads == 1 && a.hidden == 512 && a.residual == 0.1 && !a.position &&
                            a.interaction == Architecture::attention &&
                            a.readout == Architecture::mean;
  for (const Published& row : kPublished)
    if (as_published && row.blocks == a.blocks && row.shared == a.shared && row.d == a.d)
      return &row;
  return nullptr;
}

// A trained swarm, and its answers to the samples of the test.
struct Examination {
  TrainedSwarm swarm{};
  Images pictures{};                   // the test set
  std::vector<std::size_t> picture{};  // (samples) index of each sample's picture, or of its pair
  std::vector<PicturePair> pairs{};    // (samples) of pictures, where two are compared
  SampleSet samples{};
  Verdicts verdicts{};
  Matrix chances{};  // (samples, classes)
  std::size_t right() const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < samples.samples(); ++k)
      count += samples.label[k] == verdicts.verdict[k] ? 1 : 0;
    return count;
  }
  bool compares() const { return swarm.task == Task::same; }
  const char* noun() const { return compares() ? "pair" : "picture"; }
};

Picture picture_of(const Examination& e, std::size_t sample) {
  if (e.compares()) return picture_of_pair(e.pictures, e.pairs[sample]);
  const auto ink = e.pictures.picture(e.picture[sample]);
  return {e.pictures.height, e.pictures.width, {ink.begin(), ink.end()}};
}

DigitTrajectory trajectory_of(const Examination& e, const TrainedSwarm& swarm, std::size_t sample) {
  DigitTrajectory trajectory =
      e.compares() ? trajectory_of_pair(swarm, e.pictures, e.pairs[sample], e.samples.label[sample])
                   : trajectory_of_picture(swarm, e.pictures, e.picture[sample]);
  trajectory.trained = e.swarm.architecture.blocks;
  return trajectory;
}

void gather_samples(Examination& e) {
  if (!e.compares()) {
    e.samples = samples_of(e.pictures, e.swarm.digits, e.swarm.tokens, &e.picture);
    return;
  }
  e.pairs = test_pairs_of(e.swarm, e.pictures);
  for (std::size_t k = 0; k < e.pairs.size(); ++k) {
    add_pair(e.pictures, e.pairs[k], e.pairs[k].same ? same_class : other_class, e.swarm.tokens,
             e.samples);
    e.picture.push_back(k);
  }
}

Examination examine(const ReportRequest& request, TrainedSwarm swarm) {
  Examination e;
  e.swarm = std::move(swarm);
  const std::string& named = request.data.empty() ? e.swarm.data : request.data;
  e.pictures = read_data_set(request.find_data ? request.find_data(named) : fs::path(named)).test;
  if (e.pictures.height != e.swarm.height || e.pictures.width != e.swarm.width)
    throw Error(Fault::input,
                fmt::format("the pictures are {} x {} pixels, the swarm learned from {} x {}",
                            e.pictures.width, e.pictures.height, e.swarm.width, e.swarm.height),
                e.pictures.where, "give the pictures it learned from");
  gather_samples(e);
  e.verdicts = judge(e.swarm, e.samples, 0);
  e.chances = chances_of(e.verdicts.scores);
  return e;
}

// Samples that were judged wrongly (or correctly), the most confident first.
std::vector<std::size_t> most_confident(const Examination& e, bool right) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < e.samples.samples(); ++k)
    if ((e.samples.label[k] == e.verdicts.verdict[k]) == right) chosen.push_back(k);
  const auto chance = [&](std::size_t k) {
    return e.chances(static_cast<int>(k), e.verdicts.verdict[k]);
  };
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return chance(a) > chance(b); });
  return chosen;
}

std::vector<Mistake> mistakes_of(const Examination& e) {
  constexpr std::size_t kMost = 40;
  const std::vector<std::string> names = class_names(e.swarm);
  std::vector<Mistake> mistakes;
  for (const std::size_t k : most_confident(e, false)) {
    if (mistakes.size() == kMost) break;
    const int verdict = e.verdicts.verdict[k];
    mistakes.push_back({picture_of(e, k).pixels, names[e.samples.label[k]], names[verdict],
                        e.chances(static_cast<int>(k), verdict), e.picture[k]});
  }
  return mistakes;
}

// The similarity of two pictures: the cosine between their pixels.
double pixel_cosine(const std::vector<double>& mean, std::span<const std::uint8_t> ink) {
  double along = 0, one = 0, other = 0;
  for (std::size_t p = 0; p < ink.size(); ++p) {
    along += mean[p] * ink[p];
    one += mean[p] * mean[p];
    other += static_cast<double>(ink[p]) * ink[p];
  }
  return one > 0 && other > 0 ? along / std::sqrt(one * other) : 0;
}

// The score of the verdict minus that of the second best class.
double margin(const Examination& e, std::size_t sample) {
  const int row = static_cast<int>(sample), verdict = e.verdicts.verdict[sample];
  double next = -std::numeric_limits<double>::infinity();
  for (int c = 0; c < e.verdicts.scores.cols; ++c)
    if (c != verdict) next = std::max(next, e.verdicts.scores(row, c));
  return e.verdicts.scores(row, verdict) - next;
}

// The mean distance of the tokens of a sample from its gate at the end.
double mean_distance_to_gate(const Examination& e, std::size_t sample, const HostSwarm& last) {
  const Matrix& targets = e.swarm.architecture.targets;
  double sum = 0;
  for (int i = 0; i < last.n(); ++i) {
    double square = 0;
    for (int k = 0; k < last.d(); ++k) {
      const double gap = last.at(i, k) - targets(e.verdicts.verdict[sample], k);
      square += gap * gap;
    }
    sum += std::sqrt(square) / last.n();
  }
  return sum;
}

double mean_distance_to_gate(const Examination& e, std::size_t sample) {
  return mean_distance_to_gate(e, sample,
                               simulate_sample(e.swarm, e.samples, sample).frames.back());
}

// The clearest_sample sample of a class: read correctly, with at least the median margin of the
// class, with tokens within a fifth of its median number; of these the twelve that look most like
// the mean picture of the class (of pairs: with the largest margins), and of these the one whose
// tokens end nearest to the gate. Nothing where none of the class is read correctly.
std::optional<std::size_t> clearest_sample(const Examination& e, int c) {
  constexpr std::size_t kSimulated = 12;
  std::vector<std::size_t> right;
  std::vector<double> margins;
  std::vector<int> sizes;
  for (std::size_t k = 0; k < e.samples.samples(); ++k) {
    if (e.samples.label[k] != c || e.verdicts.verdict[k] != c) continue;
    right.push_back(k);
    margins.push_back(margin(e, k));
    sizes.push_back(e.samples.size_of(k));
  }
  if (right.empty()) return std::nullopt;
  const auto median = [](auto values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  };
  const double least = median(margins);
  const int usual = median(sizes);
  std::vector<double> mean(static_cast<std::size_t>(e.pictures.height) * e.pictures.width);
  for (std::size_t k = 0; !e.compares() && k < e.samples.samples(); ++k)
    if (e.samples.label[k] == c) {
      const auto ink = e.pictures.picture(e.picture[k]);
      for (std::size_t p = 0; p < mean.size(); ++p) mean[p] += ink[p];
    }
  std::vector<std::pair<double, std::size_t>> clear;
  for (const std::size_t k : right)
    if (margin(e, k) >= least && std::abs(e.samples.size_of(k) - usual) <= std::max(1, usual / 5))
      clear.emplace_back(
          e.compares() ? margin(e, k) : pixel_cosine(mean, e.pictures.picture(e.picture[k])), k);
  if (clear.empty())
    return right[std::max_element(margins.begin(), margins.end()) - margins.begin()];
  std::stable_sort(clear.begin(), clear.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  clear.resize(std::min(kSimulated, clear.size()));
  std::vector<double> apart;
  for (const auto& [like, k] : clear) apart.push_back(mean_distance_to_gate(e, k));
  return clear[std::min_element(apart.begin(), apart.end()) - apart.begin()].second;
}

// One of each class, in their order; the first sample where none is read correctly.
std::vector<std::size_t> shown_samples(const Examination& e) {
  std::vector<std::size_t> shown;
  for (int c = 0; c < e.swarm.architecture.targets.rows; ++c)
    if (const auto sample = clearest_sample(e, c)) shown.push_back(*sample);
  if (shown.empty()) shown.push_back(0);
  return shown;
}

void add_curve(RunReport& report) {
  const RunReader reader(report.run());
  std::vector<std::string> names;
  for (const char* name : {"loss", "train_accuracy", "validation_accuracy", "rate"}) {
    const std::vector<double> column = reader.column(name);
    if (std::any_of(column.begin(), column.end(), [](double v) { return std::isfinite(v); }))
      names.emplace_back(name);
  }
  if (names.empty()) return;
  for (const char* ending : {"svg", "png", "pdf"})
    plot_observables(reader, names, {false, "epoch"},
                     report.figures / fmt::format("training.{}", ending));
  report.add_picture(
      {.heading = "The course of training",
       .picture = report.figures / "training.svg",
       .caption = "Against epochs; what it is validated with is kept back from learning."});
}

void add_examination(RunReport& report, const Examination& e) {
  const std::vector<std::string> names = class_names(e.swarm);
  draw_confusion(confusion_of(e.verdicts, e.samples.label, static_cast<int>(names.size())), names,
                 {}, report.figures / "confusion.png");
  report.add_picture({.heading = "The test",
                      .text = fmt::format("{} of {} test {}s are read correctly.", e.right(),
                                          e.samples.samples(), e.noun()),
                      .picture = report.figures / "confusion.png",
                      .caption = "Rows: what it is. Columns: what the swarm says."});
  const Picture first = picture_of(e, 0);
  draw_mistakes(mistakes_of(e), first.height, first.width, {}, report.figures / "mistakes.png");
  report.add_picture(
      {.heading = "Its mistakes",
       .picture = report.figures / "mistakes.png",
       .caption = "Wrong verdicts, the most confident first, with their numbers in the test set."});
}

// Twice as many blocks as were learned where they are shared and the tokens stay at their gate,
// nearer than a fifth of its distance from the centre; else those that were learned.
DigitTrajectory resting_trajectory(const Examination& e, std::size_t k) {
  const Architecture& a = e.swarm.architecture;
  if (a.shared && a.blocks > 1 && a.d <= 4) try {
      DigitTrajectory longer = trajectory_of(e, with_blocks(e.swarm, 2 * a.blocks), k);
      if (mean_distance_to_gate(e, k, longer.frames.back()) < 0.2 * kGateDistance) return longer;
    } catch (const Error& error) {
      if (error.fault != Fault::numerical)
        throw;  // tokens that are not at rest may become infinite
    }
  return trajectory_of(e, e.swarm, k);
}

void add_trajectories(RunReport& report, const Examination& e,
                      const std::vector<std::size_t>& shown) {
  std::vector<DigitTrajectory> trajectories;
  std::string which;
  for (const std::size_t k : shown) {
    trajectories.push_back(resting_trajectory(e, k));
    which += fmt::format("{}{} {} ({} tokens)", which.empty() ? "Test " : ", ", e.noun(),
                         e.picture[k], e.samples.size_of(k));
  }
  which +=
      ": of each class one that is read with a large margin and looks like the mean of its "
      "class.";
  if (e.compares()) which = which.substr(0, which.find(':')) + ".";
  add_film(report, trajectories, which);
  draw_dissent(trajectories.front(), {}, report.figures / "dissent.png");
  report.add_picture({.heading = "Who dissents",
                      .picture = report.figures / "dissent.png",
                      .caption = "The ink by the class whose target each token ends nearest to."});
}

// The plane z = 0, space, and planes at three heights, each with its own heading or under the
// first.
void add_fields(RunReport& report, const TrainedSwarm& swarm, int block) {
  const Architecture& a = swarm.architecture;
  if (a.interaction != Architecture::attention && a.hidden == 0) return;
  const std::string stem = fmt::format("fields-block-{}", block);
  const auto add = [&](FieldRequest request, const std::string& name, const std::string& heading) {
    request.block = block;
    if (a.interaction == Architecture::attention) request.head = 0;
    report.add_figure(
        draw_fields_svg_and_png(fields_of(swarm, request), {report.style()}, report.figures, name),
        heading, "");
  };
  add({}, stem, a.shared ? "Its vector fields" : fmt::format("Vector fields of block {}", block));
  if (a.d < 3) return;
  add({.space = true}, stem + "-space", "");
  add({.heights = {-5, 0, 5}}, stem + "-planes", "");
}

void add_facts(RunReport& report, const Examination& e) {
  const TrainingSummary s = read_summary(report.run());
  auto& facts = report.page.facts;
  const double accuracy = static_cast<double>(e.right()) /
                          static_cast<double>(std::max<std::size_t>(1, e.samples.samples()));
  facts.emplace_back(fmt::format("{:.2f}\u202f%", 100 * accuracy), "test accuracy");
  const Published* row = s.data == "mnist" ? published_for(e.swarm) : nullptr;
  if (row != nullptr) facts.emplace_back(fmt::format("{:.2f}\u202f%", row->accuracy), "published");
  if (std::isfinite(s.validation_accuracy))
    facts.emplace_back(fmt::format("{:.2f}\u202f%", 100 * s.validation_accuracy),
                       "validation accuracy");
  facts.emplace_back(fmt::format("{}", e.swarm.parameters.size()), "parameters");
  facts.emplace_back(fmt::format("{}", s.epochs), "epochs");
  facts.emplace_back(fmt::format("{:.0f}", s.images_per_second),
                     e.compares() ? "pairs per second" : "images per second");
  facts.emplace_back(fmt::format("{}", s.seed), "seed");
}

}  // namespace

void report_training(RunReport& report) {
  TrainedSwarm swarm = read_trained_swarm(report.run());
  if (reads_words(swarm.task)) {
    report_sentences(report, swarm);
    return add_curve(report);
  }
  const Examination e = examine(report.request, std::move(swarm));
  const Architecture& a = e.swarm.architecture;
  const std::vector<std::string> names = class_names(e.swarm);
  report.page.title =
      e.compares() ? fmt::format("The swarm that decides whether two digits of {} are the same",
                                 fmt::join(e.swarm.digits, ", "))
      : names.size() == 2
          ? fmt::format("The swarm that distinguishes {} from {}", names[0], names[1])
          : fmt::format("The swarm that distinguishes {}", fmt::join(names, ", "));
  report.page.lead = fmt::format(
      "{} is a token in R^{}. {} {} of attention and feed-forward move the tokens; "
      "the target that their {} is nearest to at the end is the verdict.",
      e.compares() ? "Two digits are side by side; every other pixel with ink"
                   : "Every pixel with ink",
      a.d, a.blocks,
      a.blocks == 1 ? "block"
      : a.shared    ? "rounds of one block"
                    : "blocks",
      a.readout == Architecture::cls ? "class token" : "mean");
  add_facts(report, e);
  const std::vector<std::size_t> all_shown = shown_samples(e);
  const std::size_t shown = all_shown.front();
  add_trajectories(report, e, all_shown);
  if (report.stopped()) return;
  add_dome(report,
           states_of_training(e.swarm, e.samples, shown,
                              fmt::format("{}, test {} {}", report.run().filename().string(),
                                          e.noun(), e.picture[shown])));
  if (report.stopped()) return;
  add_examination(report, e);
  if (!report.stopped()) add_settling(report, e.swarm, e.samples);
  add_heads(report, e.swarm, e.samples);
  if (report.stopped()) return;
  add_curve(report);
  add_fields(report, e.swarm, 0);
  if (!a.shared && a.blocks > 1) add_fields(report, e.swarm, a.blocks - 1);
}

}  // namespace murmur
