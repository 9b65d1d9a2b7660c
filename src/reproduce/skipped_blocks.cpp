// skipped_blocks.cpp: which blocks of a trained transformer can be left out, and which tokens
// merged, chosen by the motion and the nearness of its tokens.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "murmur/random.h"
#include "reproduce/real_models.h"
#include "reproduce/reproductions.h"
#include "trace/layers.h"

namespace murmur {

namespace {

constexpr double kErrors = 3;     // standard errors that a difference must exceed
constexpr double kSmall = 0.1;    // largest change, as a share of that without any block
constexpr double kNearer = 0.1;   // the same, as a share of that by random groups of the same sizes
constexpr double kWorth = 0.1;    // least share of the later blocks' tokens that merging must save
constexpr int kMostLeftOut = 3;   // blocks at once
constexpr int kMostSubsets = 40;  // random choices of blocks, for their mean
constexpr double kCosines[] = {0.99, 0.97, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5};

using State = std::vector<float>;   // (n, d)
using LeftOut = std::vector<bool>;  // (layers)
using Choice = std::vector<int>;    // blocks, increasing

// The last state of a pass from x before block `first` on, without some of the blocks.
State state_without(const Transformer& model, State x, int first, const LeftOut& out) {
  const int blocks = model.description().layers;
  for (int b = first; b < blocks; ++b) {
    if (out[b]) continue;
    int until = b;
    while (until < blocks && !out[until]) ++until;
    Trace rest = model.pass_from(b, std::move(x));
    x = std::move(rest.after[rest.after.size() - static_cast<std::size_t>(blocks - until) - 1]);
    b = until;
  }
  return x;
}

LeftOut without(const Choice& chosen, int blocks) {
  LeftOut out(static_cast<std::size_t>(blocks));
  for (const int b : chosen) out[b] = true;
  return out;
}

// The output of a transformer for its last states: log-probabilities of the next token, at every
// place or at that of the answer; or the mean state, where it has no unembedding.
struct Output {
  int rows = 0;
  std::vector<double> numbers{};
  bool pooled = false;
};

void to_log_probabilities(double* row, int count) {
  const double most = *std::max_element(row, row + count);
  double sum = 0;
  for (int v = 0; v < count; ++v) sum += std::exp(row[v] - most);
  for (int v = 0; v < count; ++v) row[v] -= most + std::log(sum);
}

Output output_of(const Transformer& model, const State& x, int n) {
  const Description& of = model.description();
  const State logits = model.logits_of(x);
  if (logits.empty()) {
    Output pooled{1, std::vector<double>(static_cast<std::size_t>(of.d)), true};
    for (std::size_t e = 0; e < x.size(); ++e) pooled.numbers[e % of.d] += x[e];
    return pooled;
  }
  const int words = static_cast<int>(logits.size()) / n;
  const int from = of.causal ? 0 : answer_place(of, n);
  Output output{of.causal ? n : 1, {}};
  const auto at = logits.begin() + static_cast<std::ptrdiff_t>(from) * words;
  output.numbers.assign(at, at + static_cast<std::ptrdiff_t>(output.rows) * words);
  for (int row = 0; row < output.rows; ++row)
    to_log_probabilities(&output.numbers[static_cast<std::size_t>(row) * words], words);
  return output;
}

//   sum_v p_v ln (p_v / q_v), mean over places; of mean states 1 - cosine
double change_of(const Output& from, const Output& to) {
  double sum = 0, square = 0, other = 0;
  for (std::size_t e = 0; e < from.numbers.size(); ++e) {
    const double p = from.numbers[e], q = to.numbers[e];
    if (from.pooled) {
      sum += p * q;
      square += p * p;
      other += q * q;
    } else if (p > -700) {
      sum += std::exp(p) * (p - q);
    }
  }
  return from.pooled ? 1 - sum / std::sqrt(square * other) : sum / from.rows;
}

// Share of the places whose likeliest token is the same; NaN of mean states.
double agreement_of(const Output& from, const Output& to) {
  if (from.pooled) return kNoNumber;
  const auto words = static_cast<std::ptrdiff_t>(from.numbers.size()) / from.rows;
  const auto likeliest = [&](const Output& output, int row) {
    const auto at = output.numbers.begin() + row * words;
    return std::max_element(at, at + words) - at;
  };
  double same = 0;
  for (int row = 0; row < from.rows; ++row)
    same += likeliest(from, row) == likeliest(to, row) ? 1.0 / from.rows : 0;
  return same;
}

// All choices of `count` blocks, or kMostSubsets of them at random.
std::vector<Choice> choices_of(int blocks, int count) {
  std::vector<Choice> all;
  std::vector<bool> in(static_cast<std::size_t>(blocks));
  std::fill(in.begin(), in.begin() + count, true);
  do {
    Choice one;
    for (int b = 0; b < blocks; ++b)
      if (in[b]) one.push_back(b);
    all.push_back(std::move(one));
  } while (std::prev_permutation(in.begin(), in.end()));
  if (all.size() <= kMostSubsets) return all;
  std::vector<std::pair<double, std::size_t>> draws;
  for (std::size_t k = 0; k < all.size(); ++k)
    draws.emplace_back(Draw{.stream = Stream::prompts,
                            .particle = static_cast<std::uint32_t>(k),
                            .replica = static_cast<std::uint32_t>(100 + count)}
                           .uniform(0),
                       k);
  std::sort(draws.begin(), draws.end());
  std::vector<Choice> some;
  for (int k = 0; k < kMostSubsets; ++k) some.push_back(all[draws[k].second]);
  return some;
}

// Permutes the groups at random, but for those before `first`.
void shuffle(std::vector<int>& group, int first) {
  std::vector<std::pair<double, int>> dealt;
  for (std::size_t i = static_cast<std::size_t>(first); i < group.size(); ++i)
    dealt.emplace_back(
        Draw{.stream = Stream::prompts, .particle = static_cast<std::uint32_t>(i), .replica = 200}
            .uniform(0),
        group[i]);
  std::sort(dealt.begin(), dealt.end());
  for (std::size_t i = 0; i < dealt.size(); ++i) group[i + first] = dealt[i].second;
}

// Each token's place is the mean of its group: tokens that a chain of cosines above `least` joins,
// the token of the answer is a group of its own. Equal tokens act in attention as one with their
// mass. `at_random`: groups of the same sizes, of tokens drawn at random.
State merged(const TracedText& text, const Description& of, int frame, double least, bool at_random,
             int& groups) {
  const int n = text.n(), first = of.answers_first ? 1 : 0;
  const HostSwarm x = project_to_sphere(text, frame);
  std::vector<int> group(static_cast<std::size_t>(n));
  std::iota(group.begin(), group.end(), 0);
  for (int i = first; i < n; ++i)
    for (int j = first; j < i; ++j) {
      double cosine = 0;
      for (int k = 0; k < of.d; ++k) cosine += x.at(i, k) * x.at(j, k);
      if (cosine <= least || group[i] == group[j]) continue;
      const int from = group[i], to = group[j];
      std::replace(group.begin(), group.end(), from, to);
    }
  if (at_random) shuffle(group, first);
  const State& state = text.state(frame);
  State means(state.size());
  groups = 0;
  for (int g = 0; g < n; ++g) {
    const auto size = static_cast<double>(std::count(group.begin(), group.end(), g));
    groups += size > 0 ? 1 : 0;
    for (int k = 0; k < of.d && size > 0; ++k) {
      double mean = 0;
      for (int i = 0; i < n; ++i)
        if (group[i] == g) mean += state[static_cast<std::size_t>(i) * of.d + k] / size;
      for (int i = 0; i < n; ++i)
        if (group[i] == g) means[static_cast<std::size_t>(i) * of.d + k] = static_cast<float>(mean);
    }
  }
  return means;
}

// How another output differs from that of the whole transformer.
struct Change {
  double divergence = 0;  // change_of
  double agreement = 0;   // agreement_of
};
using Part = double Change::*;
constexpr Part kDivergence = &Change::divergence, kAgreement = &Change::agreement;

// Measurements on one input.
struct InputChange {
  std::vector<double> speed{};                // (layers) mean angle that a block moves tokens by
  std::vector<std::vector<Change>> change{};  // (left out - 1)(choices)
  std::vector<Change> slowest{};              // (left out - 1) without the slowest blocks
  double none = 0;                            // divergence without any block
  double half = 0;                            // likewise without the later half
  std::vector<Change> merged{}, random{};
  std::vector<double> saved{};  // (cosines)
};

// A transformer and its inputs; the first of them determine which blocks are slow.
struct Subject {
  const RealModel* model = nullptr;
  Description of{};
  std::vector<std::vector<Choice>> choices{};  // (left out - 1)
  std::vector<int> by_speed{};                 // blocks, the slowest first
  std::vector<double> speed{};                 // (layers)
  std::vector<InputChange> inputs{};
};

bool merges(const Description& of) { return !of.causal && of.rotary.width == 0; }

std::vector<double> speeds_of(const TracedText& text) {
  std::vector<double> speed;
  for (int f = 0; f + 1 < text.frames(); ++f)
    speed.push_back(mean_angle(project_to_sphere(text, f), project_to_sphere(text, f + 1)));
  return speed;
}

InputChange change_of(const Transformer& model, const TracedText& text, const Subject& subject,
                      bool exchanged) {
  const Description& of = model.description();
  const int n = text.n(), middle = of.layers / 2;
  const Output whole = output_of(model, text.state(of.layers), n);
  const auto changed = [&](const State& end) {
    const Output output = output_of(model, end, n);
    return Change{change_of(whole, output), agreement_of(whole, output)};
  };
  const auto left_out = [&](const Choice& chosen) {
    return changed(state_without(model, text.state(chosen.front()), chosen.front(),
                                 without(chosen, of.layers)));
  };
  InputChange one;
  for (std::size_t k = 0; k < subject.choices.size(); ++k) {
    one.change.emplace_back();
    for (const Choice& chosen : subject.choices[k]) one.change.back().push_back(left_out(chosen));
    Choice slow(subject.by_speed.begin(),
                subject.by_speed.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    std::sort(slow.begin(), slow.end());
    one.slowest.push_back(left_out(slow));
  }
  one.none = changed(text.state(0)).divergence;
  one.half = changed(text.state(middle)).divergence;
  for (const double cosine : kCosines) {
    if (!merges(of)) break;
    int groups = 0;
    for (const bool at_random : {false, true})
      (at_random ? one.random : one.merged)
          .push_back(changed(
              state_without(model, merged(text, of, middle, cosine, at_random != exchanged, groups),
                            middle, LeftOut(static_cast<std::size_t>(of.layers)))));
    one.saved.push_back(1 - static_cast<double>(groups) / n);
  }
  return one;
}

// Replaces the blocks by ones that leave every token where it is: leaving one out changes nothing.
void set_changes_to_zero(Subject& subject) {
  for (InputChange& one : subject.inputs) {
    for (std::vector<Change>& changes : one.change)
      std::fill(changes.begin(), changes.end(), Change{});
    for (std::vector<Change>* changes : {&one.slowest, &one.merged, &one.random})
      std::fill(changes->begin(), changes->end(), Change{});
    one.none = one.half = 0;
  }
}

Subject measure(const RealModel& known, const std::filesystem::path& place,
                const ReproductionControl& control) {
  const OpenedModel opened = open_model(place);
  const Transformer& model = *opened.model;
  const int inputs = control.values.whole("inputs"), speed_inputs = inputs / 3;
  const std::vector<Prompt> prompts = known.inputs(opened, place, inputs);
  std::vector<TracedText> texts(prompts.size());
  for_blocks(static_cast<int>(prompts.size()), control.threads,
             [&](int k) { texts[k] = trace_prompt(model, nullptr, prompts[k], {}); });
  Subject subject{.model = &known, .of = model.description()};
  subject.speed.assign(static_cast<std::size_t>(subject.of.layers), 0);
  for (int k = 0; k < speed_inputs; ++k) {
    const std::vector<double> one = speeds_of(texts[k]);
    for (std::size_t b = 0; b < one.size(); ++b) subject.speed[b] += one[b] / speed_inputs;
  }
  subject.by_speed.resize(subject.speed.size());
  std::iota(subject.by_speed.begin(), subject.by_speed.end(), 0);
  std::stable_sort(subject.by_speed.begin(), subject.by_speed.end(), [&](int a, int b) {
    return control.wrong.backwards ? subject.speed[a] > subject.speed[b]
                                   : subject.speed[a] < subject.speed[b];
  });
  for (int count = 1; count <= std::min(kMostLeftOut, subject.of.layers - 1); ++count)
    subject.choices.push_back(choices_of(subject.of.layers, count));
  subject.inputs.resize(texts.size() - static_cast<std::size_t>(speed_inputs));
  for_blocks(static_cast<int>(subject.inputs.size()), control.threads, [&](int k) {
    subject.inputs[k] = change_of(model, texts[k + speed_inputs], subject, control.wrong.exchanged);
  });
  if (control.wrong.null == NullModel::still) set_changes_to_zero(subject);
  return subject;
}

double mean_of(const std::vector<double>& values) { return spread_of(values).mean; }

// (inputs)
template <class Number>
std::vector<double> over_inputs(const Subject& s, Number number) {
  std::vector<double> values;
  for (const InputChange& one : s.inputs) values.push_back(number(one));
  return values;
}

double mean_part(const std::vector<Change>& changes, Part part) {
  double sum = 0;
  for (const Change& change : changes) sum += change.*part;
  return sum / static_cast<double>(changes.size());
}

double mean_none(const Subject& s) {
  return mean_of(over_inputs(s, [](const InputChange& one) { return one.none; }));
}

// The largest saving by merging that hardly changes the output, and its cosine.
struct Merging {
  double saved = 0, cosine = 1, change = 0;
};
Merging merging_of(const Subject& s) {
  Merging best;
  const double half = mean_of(over_inputs(s, [](const InputChange& one) { return one.half; }));
  for (std::size_t c = 0; c < std::size(kCosines); ++c) {
    const double saved = mean_of(over_inputs(s, [&](const auto& one) { return one.saved[c]; }));
    const double change =
        mean_of(over_inputs(s, [&](const auto& one) { return one.merged[c].divergence; }));
    const double at_random =
        mean_of(over_inputs(s, [&](const auto& one) { return one.random[c].divergence; }));
    if (change < kSmall * half && change < kNearer * at_random && saved > best.saved)
      best = {saved, kCosines[c], change / half};
  }
  return best;
}

constexpr const char* kQuestions[] = {
    "change without the slowest block, over that without a random one",
    "change without the slowest block, over that without any block",
    "share of the later half's tokens that merging saves"};

void check(const Subject& s, Reproduction& result) {
  const auto ahead = over_inputs(s, [](const InputChange& one) {
    return mean_part(one.change[0], kDivergence) - one.slowest[0].divergence;
  });
  const Spread spread = spread_of(ahead);
  const double error = spread.error();
  const double slowest =
      mean_of(over_inputs(s, [](const InputChange& one) { return one.slowest[0].divergence; }));
  const double random = mean_of(
      over_inputs(s, [](const InputChange& one) { return mean_part(one.change[0], kDivergence); }));
  const auto named = [&](int k) { return fmt::format("{}: {}", s.model->name, kQuestions[k]); };
  result.checks.push_back(check_holds(rule::skipped_blocks_slowest, {named(0), slowest / random},
                                      spread.mean > kErrors * error,
                                      "less by more than 3 standard errors"));
  result.checks.back().more = {{"ahead", spread.mean}, {"standard error", error}};
  result.checks.push_back(check_holds(rule::skipped_blocks_small,
                                      {named(1), slowest / mean_none(s)},
                                      slowest <= kSmall * mean_none(s), "0.1 or less"));
  if (!merges(s.of)) return;
  const Merging best = merging_of(s);
  result.checks.push_back(check_holds(rule::skipped_blocks_merged, {named(2), best.saved},
                                      best.saved >= kWorth, "0.1 or more"));
  result.checks.back().more = {{"cosine", best.cosine}, {"change over leaving out", best.change}};
}

void leave_open(const RealModel& model, Reproduction& result) {
  constexpr const char* kRules[] = {rule::skipped_blocks_slowest, rule::skipped_blocks_small,
                                    rule::skipped_blocks_merged};
  for (int k = 0; k < (model.causal ? 2 : 3); ++k)
    result.checks.push_back(check_missing(kRules[k], model, kQuestions[k], "the model is there"));
}

// One row per model and number of left-out blocks; changes are relative to that without any block.
ColumnTable table_of_skips(const std::vector<Subject>& all) {
  ColumnTable table{"skips",
                    {"model", "left out", "share of blocks", "slowest blocks", "slowest", "random",
                     "best", "choices", "same answer", "same answer at random"}};
  for (const Subject& s : all)
    for (std::size_t k = 0; k < s.choices.size(); ++k) {
      const double none = mean_none(s);
      std::vector<double> by_choice(s.choices[k].size());
      for (std::size_t c = 0; c < by_choice.size(); ++c)
        by_choice[c] =
            mean_of(over_inputs(s, [&](const auto& one) { return one.change[k][c].divergence; })) /
            none;
      const double slowest =
          mean_of(over_inputs(s, [&](const auto& one) { return one.slowest[k].divergence; })) /
          none;
      Choice slow(s.by_speed.begin(), s.by_speed.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      const auto count = static_cast<double>(k + 1);
      table.rows.push_back(
          {s.model->name, count, count / s.of.layers, fmt::format("{}", fmt::join(slow, " ")),
           slowest, mean_of(by_choice),
           std::min(slowest, *std::min_element(by_choice.begin(), by_choice.end())),
           static_cast<double>(by_choice.size()),
           mean_of(over_inputs(s, [&](const auto& one) { return one.slowest[k].agreement; })),
           mean_of(over_inputs(
               s, [&](const auto& one) { return mean_part(one.change[k], kAgreement); }))});
    }
  return table;
}

ColumnTable table_of_blocks(const std::vector<Subject>& all) {
  ColumnTable table{"speeds", {"model", "block", "angle", "change without it"}};
  for (const Subject& s : all)
    for (std::size_t b = 0; b < s.speed.size() && !s.choices.empty(); ++b)
      table.rows.push_back(
          {s.model->name, static_cast<double>(b), s.speed[b],
           mean_of(over_inputs(s, [&](const auto& one) { return one.change[0][b].divergence; })) /
               mean_none(s)});
  return table;
}

ColumnTable table_of_merging(const std::vector<Subject>& all) {
  ColumnTable table{
      "merging",
      {"model", "cosine", "saved", "divergence", "change", "change at random", "same answer"}};
  for (const Subject& s : all) {
    if (!merges(s.of)) continue;
    const double half = mean_of(over_inputs(s, [](const InputChange& one) { return one.half; }));
    for (std::size_t c = 0; c < std::size(kCosines); ++c)
      table.rows.push_back(
          {s.model->name, kCosines[c],
           mean_of(over_inputs(s, [&](const auto& one) { return one.saved[c]; })),
           mean_of(over_inputs(s, [&](const auto& one) { return one.merged[c].divergence; })),
           mean_of(over_inputs(s, [&](const auto& one) { return one.merged[c].divergence; })) /
               half,
           mean_of(over_inputs(s, [&](const auto& one) { return one.random[c].divergence; })) /
               half,
           mean_of(over_inputs(s, [&](const auto& one) { return one.merged[c].agreement; }))});
  }
  return table;
}

void draw(const std::vector<Subject>& all, Reproduction& result) {
  result.tables.push_back(table_of_skips(all));
  result.tables.push_back(table_of_blocks(all));
  result.tables.push_back(table_of_merging(all));
  result.figures.push_back({.name = figure::skipped_blocks,
                            .table = "speeds",
                            .title = "Blocks that move tokens little",
                            .x = {.label = "mean angle that the block moves tokens by", .from = 0},
                            .y = {.label = "change without it, over that without any", .log = true},
                            .curves = {{"change without it", Curve::points}},
                            .over = "angle",
                            .by = "model"});
  result.captions[figure::skipped_blocks] =
      "Each point is a block of a trained transformer: how far it moves tokens, and how much the "
      "output changes when it is left out.";
}

}  // namespace

std::optional<Reproduction> skipped_blocks(const ReproductionControl& control) {
  Reproduction result = new_result(control, figure::skipped_blocks);
  std::vector<Subject> all;
  const auto read = [&](const RealModel& model, const std::filesystem::path& place) {
    all.push_back(measure(model, place, control));
    check(all.back(), result);
    return true;
  };
  if (!visit_models(
          control, [&](const RealModel& model) { leave_open(model, result); }, read))
    return std::nullopt;
  if (!all.empty() && control.figures) draw(all, result);
  return result;
}

}  // namespace murmur
