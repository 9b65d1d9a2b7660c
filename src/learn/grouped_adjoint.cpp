// grouped_adjoint.cpp: runs groups of samples on threads and adds their gradients in fixed order.
#include "learn/grouped_adjoint.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "core/parallel.h"
#include "learn/block_tensors.h"
#include "learn/sample_kernels.h"
#include "murmur/error.h"

namespace murmur {

namespace {

constexpr std::size_t kSlice = 1 << 14;  // parameters summed at a time

}  // namespace

GroupedAdjoint::GroupedAdjoint(const Architecture& architecture, int threads,
                               std::size_t samples_per_group)
    : architecture_(architecture), threads_(threads), group_(samples_per_group) {
  check(architecture);
}

int GroupedAdjoint::tokens_of(const Batch& batch, std::size_t at) const {
  const std::size_t sample = batch.chosen[at];
  return static_cast<int>(batch.first[sample + 1] - batch.first[sample]) +
         (architecture_.readout == Architecture::cls ? 1 : 0);
}

std::size_t GroupedAdjoint::longest_of(const Batch& batch) const {
  int longest = 0;
  for (std::size_t at = 0; at < batch.chosen.size(); ++at)
    longest = std::max(longest, tokens_of(batch, at));
  return static_cast<std::size_t>(longest);
}

void GroupedAdjoint::check_samples(const Batch& batch, bool labelled) const {
  for (std::size_t at = 0; at < batch.chosen.size(); ++at) {
    const std::size_t sample = batch.chosen[at];
    if (batch.first[sample + 1] == batch.first[sample])
      throw Error(Fault::input, "a sample has no tokens", "sample " + std::to_string(sample),
                  "leave out pictures without ink");
    const int n = static_cast<int>(batch.first[sample + 1] - batch.first[sample]);
    if (architecture_.readout == Architecture::asked &&
        !(sample < batch.asked.size() && 0 <= batch.asked[sample] && batch.asked[sample] < n))
      throw Error(Fault::input, "a sample does not say which of its tokens is read",
                  "sample " + std::to_string(sample), "give one token per sample");
    if (architecture_.places > 0 && n > architecture_.places)
      throw Error(Fault::input, "a sample has " + std::to_string(n) + " tokens",
                  "sample " + std::to_string(sample),
                  "give at most " + std::to_string(architecture_.places) +
                      ": the swarm has learned codes of so many places");
    for (std::size_t i = batch.first[sample];
         architecture_.vocabulary > 0 && i < batch.first[sample + 1]; ++i)
      if (!(i < batch.word.size() && 0 <= batch.word[i] &&
            batch.word[i] < architecture_.vocabulary))
        throw Error(Fault::input, "a token is not a word of the table",
                    "token " + std::to_string(i),
                    "the table has " + std::to_string(architecture_.vocabulary) + " words");
    const int label = !labelled ? 0 : sample < batch.label.size() ? batch.label[sample] : -1;
    if (label < 0 || label >= architecture_.targets.rows)
      throw Error(Fault::input, "a training sample has no label of a known class",
                  "sample " + std::to_string(sample), "train with labelled pictures only");
  }
}

BatchResult GroupedAdjoint::backward(std::span<const float> parameters, const Batch& batch,
                                     const Objective& objective, std::span<float> gradient) {
  assert(gradient.size() == parameters.size());
  check_samples(batch, true);
  parameters_.assign(parameters.begin(), parameters.end());
  prepare(parameters);
  const std::size_t samples = batch.chosen.size(), groups = (samples + group_ - 1) / group_;
  const std::size_t longest = longest_of(batch);
  if (gradients_.size() < groups) gradients_.resize(groups);
  std::vector<BatchResult> results(groups);
  for_blocks(static_cast<int>(groups), threads_, [&](int g) {
    const std::size_t begin = static_cast<std::size_t>(g) * group_;
    gradients_[g].assign(parameters.size(), 0.0f);
    results[g] =
        learn_group({&batch, &objective, begin, std::min(begin + group_, samples), longest},
                    gradients_[g].data());
  });
  const std::size_t slices = (gradient.size() + kSlice - 1) / kSlice;
  for_blocks(static_cast<int>(slices), threads_, [&](int slice) {
    const std::size_t begin = static_cast<std::size_t>(slice) * kSlice;
    const std::size_t end = std::min(begin + kSlice, gradient.size());
    std::fill(gradient.begin() + begin, gradient.begin() + end, 0.0f);
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t k = begin; k < end; ++k) gradient[k] += gradients_[g][k];
  });
  BatchResult total;
  for (const BatchResult& result : results) {
    total.loss += result.loss;
    total.correct += result.correct;
  }
  return total;
}

void GroupedAdjoint::forward(std::span<const float> parameters, const Batch& batch,
                             std::span<float> readout) {
  check_samples(batch, false);
  parameters_.assign(parameters.begin(), parameters.end());
  prepare(parameters);
  const std::size_t samples = batch.chosen.size(), groups = (samples + group_ - 1) / group_;
  const Objective none{};
  for_blocks(static_cast<int>(groups), threads_, [&](int g) {
    const std::size_t begin = static_cast<std::size_t>(g) * group_;
    forward_group({&batch, &none, begin, std::min(begin + group_, samples), 0}, readout.data());
  });
}

void write_start(const Architecture& a, std::span<const float> parameters, const Batch& batch,
                 std::size_t at, const Tokens& x) {
  const std::size_t first = batch.first[batch.chosen[at]];
  const bool cls = a.readout == Architecture::cls;
  const int tokens = x.n - (cls ? 1 : 0);
  const float dx = batch.shift.empty() ? 0.0f : batch.shift[2 * at];
  const float dy = batch.shift.empty() ? 0.0f : batch.shift[2 * at + 1];
  const float* table = word_starts(a, parameters.data());  // (vocabulary, d)
  const float* codes = place_codes(a, parameters.data());  // (places, d)
  for (int i = 0; i < tokens; ++i) {
    const float* row =
        table ? table + static_cast<std::size_t>(batch.word[first + i]) * a.d : nullptr;
    x(i, 0) = (row ? row[0] : batch.x[first + i]) + dx;
    x(i, 1) = (row ? row[1] : batch.y[first + i]) + dy;
    for (int k = 2; k < a.d; ++k) x(i, k) = row ? row[k] : 0;
    for (int k = 0; codes && k < a.d; ++k) x(i, k) += codes[static_cast<std::size_t>(i) * a.d + k];
    if (!a.position) continue;
    const std::vector<double> code = position_code(i, a.d);
    for (int k = 0; k < a.d; ++k) x(i, k) += static_cast<float>(code[k]);
  }
  if (cls)
    for (int k = 0; k < a.d; ++k) x(tokens, k) = cls_start(a, parameters.data())[k];
}

int readout_token(const Architecture& a, const Batch& batch, std::size_t at) {
  const std::size_t sample = batch.chosen[at];
  if (a.readout == Architecture::asked) return batch.asked[sample];
  return a.readout == Architecture::cls
             ? static_cast<int>(batch.first[sample + 1] - batch.first[sample])
             : -1;
}

std::unique_ptr<Adjoint> make_adjoint(const Architecture& architecture, int threads) {
  if (architecture.d <= simd::kMostSmall && width_of_head(architecture) <= simd::kMostSmall &&
      !architecture.rotary)  // the fused kernels do not rotate
    return make_small_adjoint(architecture, threads);
  return make_wide_adjoint(architecture, threads);
}

}  // namespace murmur
