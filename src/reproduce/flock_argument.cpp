// flock_argument.cpp: the same digits read by isolated tokens, by a recurrent network and by
// swarms, and how each responds to the order of tokens and to further tokens.
#include "reproduce/flock_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <span>

#include "core/parallel.h"
#include "murmur/random.h"
#include "reproduce/reproductions.h"
#include "reproduce/training_cache.h"

namespace murmur {

namespace {

// Replicas of the stream `order`; trainings use replica 0.
constexpr std::uint32_t kTokenOrder = 1, kProbe = 2;

double margin_of(const Matrix& logits, int sample, int label) {
  double other = -1e300;
  for (int c = 0; c < logits.cols; ++c)
    if (c != label) other = std::max(other, logits(sample, c));
  return logits(sample, label) - other;
}

int verdict_of(const Matrix& logits, int sample) {
  const auto row = logits.data.begin() + static_cast<std::ptrdiff_t>(sample) * logits.cols;
  return static_cast<int>(std::max_element(row, row + logits.cols) - row);
}

Batch batch_of(const SampleSet& samples, const std::vector<std::size_t>& chosen) {
  return {.x = samples.x,
          .y = samples.y,
          .first = samples.first,
          .label = samples.label,
          .chosen = chosen};
}

SampleSet selection(const Subset& subset) {
  const SampleSet& all = subset.samples;
  SampleSet some;
  some.first = {0};
  for (std::size_t k = 0; k < subset.count; ++k) {
    const std::size_t sample = subset.sample(k);
    for (std::size_t i = all.first[sample]; i < all.first[sample + 1]; ++i) {
      some.x.push_back(all.x[i]);
      some.y.push_back(all.y[i]);
    }
    some.first.push_back(some.x.size());
    some.label.push_back(all.label[sample]);
  }
  return some;
}

// The rms distance of tokens from their mean at the end of the simulation; the CLS token is no
// token.
double final_spread(const TrainedSwarm& swarm, const SampleSet& samples, std::size_t sample) {
  const HostSwarm x = simulate_sample(swarm, samples, sample).frames.back();
  const int n = x.n() - (swarm.architecture.readout == Architecture::cls ? 1 : 0);
  double squares = 0;
  for (int k = 0; k < x.d(); ++k) {
    double mean = 0;
    for (int i = 0; i < n; ++i) mean += x.at(i, k) / n;
    for (int i = 0; i < n; ++i) squares += (x.at(i, k) - mean) * (x.at(i, k) - mean);
  }
  return std::sqrt(squares / n);
}

}  // namespace

Matrix TrainedReader::logits(const SampleSet& samples, int threads) const {
  if (swarm) return judge(*swarm, samples, threads).scores;
  const std::size_t count = samples.samples();
  std::vector<std::size_t> everyone(count);
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  std::vector<float> out(count * static_cast<std::size_t>(rnn.rnn.classes));
  make_adjoint(rnn.rnn, threads)->forward(rnn.parameters, batch_of(samples, everyone), out);
  return {static_cast<int>(count), rnn.rnn.classes, {out.begin(), out.end()}};
}

std::vector<double> TrainedReader::influence(const SampleSet& samples, std::size_t sample) const {
  const std::vector<std::size_t> chosen = {sample};
  const Batch one = batch_of(samples, chosen);
  const std::vector<double> parameters(rnn.parameters.begin(), rnn.parameters.end());
  std::vector<double> influence =
      swarm ? reference_influence(swarm->architecture, swarm->doubles(), one)
            : murmur::influence(rnn.rnn, parameters, one);
  const double mean = std::accumulate(influence.begin(), influence.end(), 0.0) /
                      static_cast<double>(influence.size());
  for (double& value : influence) value = mean > 0 ? value / mean : 1;
  return influence;
}

SampleSet shuffled(const SampleSet& samples, std::uint64_t seed) {
  SampleSet mixed = samples;
  for (std::size_t sample = 0; sample < samples.samples(); ++sample) {
    std::vector<std::pair<std::uint64_t, std::size_t>> keys;
    for (std::size_t i = samples.first[sample]; i < samples.first[sample + 1]; ++i) {
      const auto bits = Draw{seed, Stream::order, static_cast<std::uint32_t>(sample),
                             static_cast<std::uint32_t>(i - samples.first[sample]), kTokenOrder}
                            .bits(0);
      keys.emplace_back(static_cast<std::uint64_t>(bits[0]) << 32 | bits[1], i);
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      mixed.x[samples.first[sample] + i] = samples.x[keys[i].second];
      mixed.y[samples.first[sample] + i] = samples.y[keys[i].second];
    }
  }
  return mixed;
}

VerdictChange verdict_change(const Matrix& before, const Matrix& after,
                             const std::vector<int>& label) {
  assert(before.rows == after.rows && before.cols == after.cols);
  VerdictChange change;
  const auto samples = static_cast<double>(before.rows);
  for (int sample = 0; sample < before.rows; ++sample) {
    const double was = margin_of(before, sample, label[sample]);
    change.margin += std::fabs(was) / samples;
    change.margin_shift += std::fabs(margin_of(after, sample, label[sample]) - was) / samples;
    change.changed += verdict_of(before, sample) != verdict_of(after, sample) ? 1 : 0;
  }
  change.share = static_cast<double>(change.changed) / samples;
  return change;
}

std::vector<double> influence_curve(const TrainedReader& reader, const Subset& subset) {
  std::vector<std::vector<double>> each(subset.count);  // (samples)(bins)
  for_blocks(static_cast<int>(subset.count), subset.threads, [&](int k) {
    const auto influence = reader.influence(subset.samples, subset.sample(k));
    std::vector<double> sum(kInfluenceBins), members(kInfluenceBins);
    for (std::size_t i = 0; i < influence.size(); ++i) {
      const std::size_t bin = i * kInfluenceBins / influence.size();
      sum[bin] += influence[i];
      members[bin] += 1;
    }
    for (int bin = 0; bin < kInfluenceBins; ++bin) sum[bin] /= std::max(1.0, members[bin]);
    each[k] = std::move(sum);
  });
  std::vector<double> curve(kInfluenceBins);
  for (const std::vector<double>& one : each)
    for (int bin = 0; bin < kInfluenceBins; ++bin)
      curve[bin] += one[bin] / static_cast<double>(subset.count);
  return curve;
}

namespace {

struct Pixel {
  double x = 0, y = 0;
};

// The pixel at which added token `number` joins a sample; the last one tried where none of many is
// free.
Pixel free_pixel(const SampleSet& some, std::size_t sample, const ProbeTokens& added, int number) {
  constexpr std::uint32_t kTries = 1000;
  const std::size_t from = some.first[sample], to = some.first[sample + 1];
  Pixel at;
  for (std::uint32_t tries = number * kTries; tries < (number + 1) * kTries; ++tries) {
    const Draw draw{added.seed, Stream::order, static_cast<std::uint32_t>(sample), tries, kProbe};
    const std::size_t host = from + static_cast<std::size_t>(draw.uniform(0) * (to - from));
    at.x = some.x[host] + added.step * (std::floor(3 * draw.uniform(1)) - 1);
    at.y = some.y[host] + added.step * (std::floor(3 * draw.uniform(2)) - 1);
    bool free = std::max(std::fabs(at.x), std::fabs(at.y)) < kPlaneHalfWidth + added.step / 2;
    for (std::size_t i = from; free && i < to; ++i)
      free = std::max(std::fabs(some.x[i] - at.x), std::fabs(some.y[i] - at.y)) > added.step / 2;
    if (free) break;
  }
  return at;
}

}  // namespace

SampleSet with_probes(const Subset& subset, const ProbeTokens& added) {
  const SampleSet some = selection(subset);
  SampleSet more;
  more.first = {0};
  more.label = some.label;
  for (std::size_t sample = 0; sample < some.samples(); ++sample) {
    const std::size_t from = some.first[sample], to = some.first[sample + 1];
    more.x.insert(more.x.end(), some.x.begin() + from, some.x.begin() + to);
    more.y.insert(more.y.end(), some.y.begin() + from, some.y.begin() + to);
    for (int number = 0; number < added.count; ++number) {
      const Pixel at = free_pixel(some, sample, added, number);
      more.x.push_back(static_cast<float>(at.x));
      more.y.push_back(static_cast<float>(at.y));
    }
    more.first.push_back(more.x.size());
  }
  return more;
}

ProbeEffect probe_effect(const TrainedSwarm& swarm, const Subset& subset,
                         const SampleSet& with_probe) {
  const SampleSet before = selection(subset);
  const Verdicts without = judge(swarm, before, subset.threads);
  const Verdicts with_added = judge(swarm, with_probe, subset.threads);
  std::vector<double> spread(subset.count);
  for_blocks(static_cast<int>(subset.count), subset.threads,
             [&](int k) { spread[k] = final_spread(swarm, before, static_cast<std::size_t>(k)); });
  ProbeEffect effect;
  const auto count = static_cast<double>(subset.count);
  for (std::size_t k = 0; k < subset.count; ++k) {
    double squares = 0;
    for (int e = 0; e < without.readout.cols; ++e) {
      const double apart =
          with_added.readout(static_cast<int>(k), e) - without.readout(static_cast<int>(k), e);
      squares += apart * apart;
    }
    const double shift = std::sqrt(squares);
    const double relative = spread[k] > 0 ? shift / spread[k] : 0;
    effect.shift += shift / count;
    effect.spread += spread[k] / count;
    effect.relative += relative / count;
    effect.largest = std::max(effect.largest, relative);
    effect.share_of_votes += 1 / (count * (before.size_of(k) + 1));
    effect.changed += without.verdict[k] != with_added.verdict[k] ? 1 : 0;
  }
  return effect;
}

namespace {

// A reader of the digits. All but the rnn have the same feed-forward and blocks; all have the same
// recipe and number of epochs.
struct Reader {
  const char* name;
  const char* key;  // of its run directories
  Architecture::Interaction interaction;
  bool position = false;
  Architecture::Readout readout = Architecture::mean;
  bool rnn = false;
};
constexpr Reader kReaders[] = {
    {"isolated tokens", "isolated", Architecture::none},
    {.name = "one messenger",
     .key = "messenger",
     .interaction = Architecture::attention,
     .rnn = true},
    {"attraction only", "attraction", Architecture::attraction},
    {"messages to all", "uniform", Architecture::uniform},
    {"full flock", "flock", Architecture::attention},
    {.name = "full flock, CLS",
     .key = "flock-cls",
     .interaction = Architecture::attention,
     .readout = Architecture::cls},
    {"isolated tokens, numbered", "isolated-position", Architecture::none, true},
    {"attraction only, numbered", "attraction-position", Architecture::attraction, true},
    {"messages to all, numbered", "uniform-position", Architecture::uniform, true},
    {"full flock, numbered", "flock-position", Architecture::attention, true},
};
constexpr std::size_t kReaderCount = std::size(kReaders);
enum ReaderIndex : std::size_t { isolated, rnn, attraction, uniform, swarm, swarm_cls };

constexpr int kEpochs = 20, kQuickEpochs = 3;
constexpr double kLeastVotes = 0.5, kMostVotes = 2;  // by which one added token moves a mean
constexpr std::size_t kSamples = 100, kQuickSamples = 20, kProbes = 300, kQuickProbes = 50;

// What was measured on one reader; order and added tokens only on the first seed.
struct Findings {
  std::vector<double> accuracy{};  // (seeds) in percent
  std::size_t parameters = 0;
  TrainedReader reader{};
  VerdictChange order{};
  std::vector<double> in_order{}, in_disorder{};  // (bins) influence; reading order, shuffled
};

Training training_of(const Reader& reader, int seed, const TrainingCache& cache, bool quick) {
  return cache.describe({.d = 3,
                         .blocks = 10,
                         .shared = true,
                         .interaction = reader.interaction,
                         .readout = reader.readout,
                         .position = reader.position,
                         .recipe = Recipe::best,
                         .epochs = quick ? kQuickEpochs : kEpochs,
                         .seed = static_cast<std::uint64_t>(seed)});
}

// False when stopped by a signal.
bool train_readers(const ReproductionControl& control, TrainingCache& cache,
                   std::vector<Findings>& findings) {
  using Kind = TrainingCache::Kind;
  for (int seed = 0; seed < (control.quick ? 1 : control.seeds); ++seed)
    for (std::size_t r = 0; r < kReaderCount; ++r) {
      const Reader& reader = kReaders[r];
      const auto kept = cache.fetch(reader.key, training_of(reader, seed, cache, control.quick),
                                    reader.rnn ? Kind::rnn : Kind::swarm);
      if (!kept) return false;
      findings[r].accuracy.push_back(100 * kept->summary.test_accuracy);
      findings[r].parameters = kept->summary.parameters;
      if (seed > 0 || control.wrong.null == NullModel::constant) continue;
      if (reader.rnn)
        findings[r].reader.rnn = read_trained_rnn(kept->directory);
      else
        findings[r].reader.swarm = read_trained_swarm(kept->directory);
    }
  return true;
}

// False when stopped by a signal.
bool probe(const ReproductionControl& control, const SampleSet& test,
           std::vector<Findings>& findings) {
  const SampleSet mixed = shuffled(test, 0);
  const std::size_t count = std::min(test.samples(), control.quick ? kQuickSamples : kSamples);
  // Readers whose curve a rule asks about have all samples, with --quick too. Among shuffled tokens
  // places have no meaning, so that the curve of the swarm is 1 but for the noise of its samples:
  // with 20 pictures one tenth was 0.28 away from 1, which is the noise of 200 tokens.
  const std::size_t judged = std::min(test.samples(), kSamples);
  for (std::size_t r = 0; r < kReaderCount; ++r) {
    Findings& f = findings[r];
    if (control.stopped()) return false;
    f.order = verdict_change(f.reader.logits(test, control.threads),
                             f.reader.logits(mixed, control.threads), test.label);
    f.in_order = influence_curve(f.reader, {test, count, control.threads});
    const bool is_judged = r == rnn || r == swarm;
    f.in_disorder = influence_curve(f.reader, {mixed, is_judged ? judged : count, control.threads});
  }
  return true;
}

ColumnTable reader_table(const std::vector<Findings>& findings) {
  ColumnTable table{"readers",
                    {"reader", "parameters", "accuracy", "sd", "seeds", "changed_by_shuffle",
                     "margin_shift", "margin", "first_tenth", "last_tenth"}};
  for (std::size_t r = 0; r < kReaderCount; ++r) {
    const Findings& f = findings[r];
    const Spread accuracy = spread_of(f.accuracy);
    table.rows.push_back({kReaders[r].name, static_cast<double>(f.parameters), accuracy.mean,
                          accuracy.sd, static_cast<double>(f.accuracy.size()), 100 * f.order.share,
                          f.order.margin_shift, f.order.margin, f.in_disorder.front(),
                          f.in_disorder.back()});
  }
  return table;
}

ColumnTable influence_table(const std::vector<Findings>& findings, bool disorder) {
  ColumnTable table{disorder ? "influence_shuffled" : "influence", {"place"}};
  for (const Reader& reader : kReaders) table.columns.emplace_back(reader.key);
  for (int bin = 0; bin < kInfluenceBins; ++bin) {
    table.rows.push_back({(bin + 0.5) / kInfluenceBins});
    for (const Findings& f : findings)
      table.rows.back().push_back((disorder ? f.in_disorder : f.in_order)[bin]);
  }
  return table;
}

ColumnTable probe_table(const ProbeEffect& mean, const ProbeEffect& cls) {
  ColumnTable table{"guests",
                    {"readout", "shift", "spread", "shift_over_spread", "largest", "one_vote",
                     "changed_verdicts"}};
  for (const auto& [name, e] : {std::pair{"mean", mean}, std::pair{"cls", cls}})
    table.rows.push_back({name, e.shift, e.spread, e.relative, e.largest, e.share_of_votes,
                          static_cast<double>(e.changed)});
  return table;
}

// The full swarm must be ahead of each reader by some points of accuracy.
void check_accuracies(const std::vector<Findings>& findings, bool quick,
                      std::vector<Check>& checks) {
  struct Lead {
    ReaderIndex reader;
    double points, quick_points;
  };
  constexpr Lead kLeads[] = {
      {isolated, 0.5, 0}, {rnn, 1, 0}, {attraction, 0.5, 0}, {uniform, 0.3, 0}};
  for (const Lead& lead : kLeads) {
    const double ours =
        spread_of(findings[swarm].accuracy).mean - spread_of(findings[lead.reader].accuracy).mean;
    const double min = quick ? lead.quick_points : lead.points;
    checks.push_back(check_holds(rule::flock_argument_lead,
                                 {fmt::format("points of accuracy the full flock is ahead of {}",
                                              kReaders[lead.reader].name),
                                  ours},
                                 ours > min, fmt::format("above {:g}", min)));
    checks.back().tolerance = min;
  }
}

void check_order(const std::vector<Findings>& findings, std::vector<Check>& checks) {
  for (std::size_t r = 0; r < kReaderCount; ++r) {
    const bool ordered = kReaders[r].rnn || kReaders[r].position;
    const auto changed = static_cast<double>(findings[r].order.changed);
    if (kReaders[r].position) continue;  // it is in the table, and no rule asks about it
    checks.push_back(check_holds(
        rule::flock_argument_order,
        {fmt::format("verdicts of {} that a shuffle changes", kReaders[r].name), changed},
        ordered ? changed > 0 : changed == 0, ordered ? "above 0" : "exactly 0"));
  }
}

// Among shuffled tokens, place i / n does not depend on where a token is in the picture.
// m, f: (bins) influence under the recurrent network and under the swarm.
void check_influence(std::span<const double> m, std::span<const double> f,
                     std::vector<Check>& checks) {
  const double memory = m.front() / m.back();
  checks.push_back(
      check_holds(rule::flock_argument_influence,
                  {"messenger: influence of the first tenth of tokens over the last", memory},
                  memory < 0.1, "below 0.1: it forgets"));
  checks.back().tolerance = 0.1;
  const auto ends = std::minmax_element(f.begin(), f.end());
  const double unevenness = std::max(*ends.second - 1, 1 - *ends.first);
  checks.push_back(check_holds(
      rule::flock_argument_influence,
      {"full flock: largest departure of a tenth's influence from the mean", unevenness},
      unevenness < 0.25, "below 0.25: no place is favoured"));
  checks.back().tolerance = 0.25;
}

void check_guest(double votes, std::vector<Check>& checks) {
  checks.push_back(check_holds(
      rule::flock_argument_guest,
      {"mean readout: shift by one guest over the spread of the cloud, times n + 1", votes},
      votes > kLeastVotes && votes < kMostVotes,
      fmt::format("between {:g} and {:g}: one more vote among many", kLeastVotes, kMostVotes)));
  checks.back().tolerance = kMostVotes;
}

// Readers that give every picture the same class: no token has any influence.
void check_constant(const ReproductionControl& control, std::vector<Findings>& findings,
                    Reproduction& result) {
  const std::vector<double> none(kInfluenceBins);
  check_accuracies(findings, control.quick, result.checks);
  check_order(findings, result.checks);
  check_influence(none, none, result.checks);
  check_guest(0, result.checks);
}

}  // namespace

std::optional<Reproduction> flock_argument(const ReproductionControl& control) {
  Reproduction result;
  result.folder = control.runs / figure::flock_argument;
  TrainingCache cache(control, result.folder);
  std::vector<Findings> findings(kReaderCount);
  if (!train_readers(control, cache, findings)) return std::nullopt;
  if (control.wrong.null == NullModel::constant) {
    check_constant(control, findings, result);
    return result;
  }
  const TrainingData& data = cache.data_for(training_of(kReaders[swarm], 0, cache, control.quick));
  if (control.tell) control.tell("trained; now measuring the effect of order and of added tokens");
  if (!probe(control, data.test, findings)) return std::nullopt;
  const Subset subset{data.test,
                      std::min(data.test.samples(), control.quick ? kQuickProbes : kProbes),
                      control.threads};
  const double step = 2 * kPlaneHalfWidth / (data.test_pictures.width - 1);
  const SampleSet with_added =
      with_probes(subset, {.count = 1 + control.wrong.tokens, .step = step});
  const ProbeEffect mean = probe_effect(*findings[swarm].reader.swarm, subset, with_added);
  const ProbeEffect cls = probe_effect(*findings[swarm_cls].reader.swarm, subset, with_added);
  check_accuracies(findings, control.quick, result.checks);
  check_order(findings, result.checks);
  check_influence(findings[control.wrong.exchanged ? swarm : rnn].in_disorder,
                  findings[control.wrong.exchanged ? rnn : swarm].in_disorder, result.checks);
  check_guest(mean.relative / mean.share_of_votes, result.checks);
  result.tables = {reader_table(findings), influence_table(findings, false),
                   influence_table(findings, true), probe_table(mean, cls)};
  for (const bool disorder : {false, true}) {
    const std::string name = disorder ? "influence_shuffled" : "influence";
    TablePanel figure{
        .name = name,
        .table = name,
        .title = disorder ? "Tokens in random order" : "Tokens in their order",
        .x = {.label = "place of the token i / n"},
        .y = {.label = "influence on the readout, mean 1", .log = true, .from = 1e-4}};
    for (const char* model : {"isolated", "messenger", "attraction", "uniform", "flock"})
      figure.curves.push_back({model, Curve::points, model});
    result.figures.push_back(std::move(figure));
    result.captions[name] =
        "Influence of single tokens on the readout by their place: a recurrent net (messenger) "
        "remembers the last tokens and forgets the first, models that treat tokens alike do not.";
  }
  return result;
}

}  // namespace murmur
