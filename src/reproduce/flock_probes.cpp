// flock_probes.cpp: order, influence and guests: how trained swarms and messengers answer.
#include "reproduce/flock_probes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "murmur/random.h"

namespace murmur {

namespace {

// Replicas of the stream `order`, beside that of trainings (0).
constexpr std::uint32_t kTokenOrder = 1, kGuest = 2;

double margin_of(const Matrix& logits, int flock, int label) {
  double other = -1e300;
  for (int c = 0; c < logits.cols; ++c)
    if (c != label) other = std::max(other, logits(flock, c));
  return logits(flock, label) - other;
}

int verdict_of(const Matrix& logits, int flock) {
  const auto row = logits.data.begin() + static_cast<std::ptrdiff_t>(flock) * logits.cols;
  return static_cast<int>(std::max_element(row, row + logits.cols) - row);
}

Batch batch_of(const Ensemble& flocks, const std::vector<std::size_t>& chosen) {
  return {
      .x = flocks.x, .y = flocks.y, .first = flocks.first, .label = flocks.label, .chosen = chosen};
}

Ensemble selection(const FlockSample& sample) {
  const Ensemble& all = sample.flocks;
  Ensemble some;
  some.first = {0};
  for (std::size_t k = 0; k < sample.count; ++k) {
    const std::size_t flock = sample.flock(k);
    for (std::size_t i = all.first[flock]; i < all.first[flock + 1]; ++i) {
      some.x.push_back(all.x[i]);
      some.y.push_back(all.y[i]);
    }
    some.first.push_back(some.x.size());
    some.label.push_back(all.label[flock]);
  }
  return some;
}

// The rms distance of tokens from their mean at the end of the flight; the CLS boid is no token.
double final_spread(const TrainedSwarm& swarm, const Ensemble& flocks, std::size_t flock) {
  const HostSwarm x = fly_flock(swarm, flocks, flock).frames.back();
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

Matrix Contender::logits(const Ensemble& flocks, int threads) const {
  if (swarm) return judge(*swarm, flocks, threads).scores;
  const std::size_t count = flocks.flocks();
  std::vector<std::size_t> everyone(count);
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  std::vector<float> out(count * static_cast<std::size_t>(messenger.messenger.classes));
  make_adjoint(messenger.messenger, threads)
      ->fly(messenger.parameters, batch_of(flocks, everyone), out);
  return {static_cast<int>(count), messenger.messenger.classes, {out.begin(), out.end()}};
}

std::vector<double> Contender::influence(const Ensemble& flocks, std::size_t flock) const {
  const std::vector<std::size_t> chosen = {flock};
  const Batch one = batch_of(flocks, chosen);
  const std::vector<double> parameters(messenger.parameters.begin(), messenger.parameters.end());
  std::vector<double> influence =
      swarm ? reference_influence(swarm->architecture, swarm->doubles(), one)
            : murmur::influence(messenger.messenger, parameters, one);
  const double mean = std::accumulate(influence.begin(), influence.end(), 0.0) /
                      static_cast<double>(influence.size());
  for (double& value : influence) value = mean > 0 ? value / mean : 1;
  return influence;
}

Ensemble shuffled(const Ensemble& flocks, std::uint64_t seed) {
  Ensemble mixed = flocks;
  for (std::size_t flock = 0; flock < flocks.flocks(); ++flock) {
    std::vector<std::pair<std::uint64_t, std::size_t>> keys;
    for (std::size_t i = flocks.first[flock]; i < flocks.first[flock + 1]; ++i) {
      const auto bits = Draw{seed, Stream::order, static_cast<std::uint32_t>(flock),
                             static_cast<std::uint32_t>(i - flocks.first[flock]), kTokenOrder}
                            .bits(0);
      keys.emplace_back(static_cast<std::uint64_t>(bits[0]) << 32 | bits[1], i);
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      mixed.x[flocks.first[flock] + i] = flocks.x[keys[i].second];
      mixed.y[flocks.first[flock] + i] = flocks.y[keys[i].second];
    }
  }
  return mixed;
}

VerdictChange verdict_change(const Matrix& before, const Matrix& after,
                             const std::vector<int>& label) {
  assert(before.rows == after.rows && before.cols == after.cols);
  VerdictChange change;
  const auto flocks = static_cast<double>(before.rows);
  for (int flock = 0; flock < before.rows; ++flock) {
    const double was = margin_of(before, flock, label[flock]);
    change.margin += std::fabs(was) / flocks;
    change.margin_shift += std::fabs(margin_of(after, flock, label[flock]) - was) / flocks;
    change.changed += verdict_of(before, flock) != verdict_of(after, flock) ? 1 : 0;
  }
  change.share = static_cast<double>(change.changed) / flocks;
  return change;
}

std::vector<double> influence_curve(const Contender& contender, const FlockSample& sample) {
  std::vector<std::vector<double>> each(sample.count);  // (flocks)(bins)
  for_blocks(static_cast<int>(sample.count), sample.threads, [&](int k) {
    const auto influence = contender.influence(sample.flocks, sample.flock(k));
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
      curve[bin] += one[bin] / static_cast<double>(sample.count);
  return curve;
}

Ensemble with_guests(const FlockSample& sample, double step, std::uint64_t seed) {
  const Ensemble some = selection(sample);
  Ensemble more;
  more.first = {0};
  more.label = some.label;
  for (std::size_t flock = 0; flock < some.flocks(); ++flock) {
    const std::size_t from = some.first[flock], to = some.first[flock + 1];
    double x = 0, y = 0;
    for (std::uint32_t tries = 0; tries < 1000; ++tries) {
      const Draw who{seed, Stream::order, static_cast<std::uint32_t>(flock), tries, kGuest};
      const std::size_t host = from + static_cast<std::size_t>(who.uniform(0) * (to - from));
      x = some.x[host] + step * (std::floor(3 * who.uniform(1)) - 1);
      y = some.y[host] + step * (std::floor(3 * who.uniform(2)) - 1);
      bool free = std::max(std::fabs(x), std::fabs(y)) < kHabitatHalfWidth + step / 2;
      for (std::size_t i = from; free && i < to; ++i)
        free = std::max(std::fabs(some.x[i] - x), std::fabs(some.y[i] - y)) > step / 2;
      if (free) break;
    }
    more.x.insert(more.x.end(), some.x.begin() + from, some.x.begin() + to);
    more.y.insert(more.y.end(), some.y.begin() + from, some.y.begin() + to);
    more.x.push_back(static_cast<float>(x));
    more.y.push_back(static_cast<float>(y));
    more.first.push_back(more.x.size());
  }
  return more;
}

GuestEffect guest_effect(const TrainedSwarm& swarm, const FlockSample& sample,
                         const Ensemble& with_guest) {
  const Ensemble before = selection(sample);
  const Verdicts alone = judge(swarm, before, sample.threads);
  const Verdicts visited = judge(swarm, with_guest, sample.threads);
  std::vector<double> spread(sample.count);
  for_blocks(static_cast<int>(sample.count), sample.threads,
             [&](int k) { spread[k] = final_spread(swarm, before, static_cast<std::size_t>(k)); });
  GuestEffect effect;
  const auto count = static_cast<double>(sample.count);
  for (std::size_t k = 0; k < sample.count; ++k) {
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
