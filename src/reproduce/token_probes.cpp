// token_probes.cpp: responses of trained swarms and recurrent networks to order and probes.
#include "reproduce/token_probes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "murmur/random.h"

namespace murmur {

namespace {

// Replicas of the stream `order`, beside that of trainings (0).
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

Matrix Contender::logits(const SampleSet& samples, int threads) const {
  if (swarm) return judge(*swarm, samples, threads).scores;
  const std::size_t count = samples.samples();
  std::vector<std::size_t> everyone(count);
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  std::vector<float> out(count * static_cast<std::size_t>(rnn.rnn.classes));
  make_adjoint(rnn.rnn, threads)->forward(rnn.parameters, batch_of(samples, everyone), out);
  return {static_cast<int>(count), rnn.rnn.classes, {out.begin(), out.end()}};
}

std::vector<double> Contender::influence(const SampleSet& samples, std::size_t sample) const {
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

std::vector<double> influence_curve(const Contender& contender, const Subset& subset) {
  std::vector<std::vector<double>> each(subset.count);  // (samples)(bins)
  for_blocks(static_cast<int>(subset.count), subset.threads, [&](int k) {
    const auto influence = contender.influence(subset.samples, subset.sample(k));
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

// Where guest number `number` of a sample joins it; the last place tried where none of many is
// free.
Pixel free_pixel(const SampleSet& some, std::size_t sample, const Guests& guests, int number) {
  constexpr std::uint32_t kTries = 1000;
  const std::size_t from = some.first[sample], to = some.first[sample + 1];
  Pixel at;
  for (std::uint32_t tries = number * kTries; tries < (number + 1) * kTries; ++tries) {
    const Draw who{guests.seed, Stream::order, static_cast<std::uint32_t>(sample), tries, kProbe};
    const std::size_t host = from + static_cast<std::size_t>(who.uniform(0) * (to - from));
    at.x = some.x[host] + guests.step * (std::floor(3 * who.uniform(1)) - 1);
    at.y = some.y[host] + guests.step * (std::floor(3 * who.uniform(2)) - 1);
    bool free = std::max(std::fabs(at.x), std::fabs(at.y)) < kPlaneHalfWidth + guests.step / 2;
    for (std::size_t i = from; free && i < to; ++i)
      free = std::max(std::fabs(some.x[i] - at.x), std::fabs(some.y[i] - at.y)) > guests.step / 2;
    if (free) break;
  }
  return at;
}

}  // namespace

SampleSet with_probes(const Subset& subset, const Guests& guests) {
  const SampleSet some = selection(subset);
  SampleSet more;
  more.first = {0};
  more.label = some.label;
  for (std::size_t sample = 0; sample < some.samples(); ++sample) {
    const std::size_t from = some.first[sample], to = some.first[sample + 1];
    more.x.insert(more.x.end(), some.x.begin() + from, some.x.begin() + to);
    more.y.insert(more.y.end(), some.y.begin() + from, some.y.begin() + to);
    for (int number = 0; number < guests.count; ++number) {
      const Pixel at = free_pixel(some, sample, guests, number);
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
  const Verdicts alone = judge(swarm, before, subset.threads);
  const Verdicts visited = judge(swarm, with_probe, subset.threads);
  std::vector<double> spread(subset.count);
  for_blocks(static_cast<int>(subset.count), subset.threads,
             [&](int k) { spread[k] = final_spread(swarm, before, static_cast<std::size_t>(k)); });
  ProbeEffect effect;
  const auto count = static_cast<double>(subset.count);
  for (std::size_t k = 0; k < subset.count; ++k) {
    double squares = 0;
    for (int e = 0; e < alone.readout.cols; ++e) {
      const double apart =
          visited.readout(static_cast<int>(k), e) - alone.readout(static_cast<int>(k), e);
      squares += apart * apart;
    }
    const double shift = std::sqrt(squares);
    const double relative = spread[k] > 0 ? shift / spread[k] : 0;
    effect.shift += shift / count;
    effect.spread += spread[k] / count;
    effect.relative += relative / count;
    effect.largest = std::max(effect.largest, relative);
    effect.share_of_votes += 1 / (count * (before.size_of(k) + 1));
    effect.changed += alone.verdict[k] != visited.verdict[k] ? 1 : 0;
  }
  return effect;
}

}  // namespace murmur
