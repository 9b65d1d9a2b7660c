// real_readings.cpp: traces every input, and reads its layers, its heads and its moves.
#include "reproduce/real_readings.h"

#include <algorithm>

#include "core/parallel.h"
#include "trace/effective_beta.h"
#include "trace/heads.h"
#include "trace/trace_run.h"
#include "trace/twin.h"

namespace murmur {

namespace {

// Shares of attention by block, means over heads.
void read_heads(const TracedText& text, const Description& of, InputReading& reading) {
  const std::size_t blocks = text.trace.attention.size();
  reading.leader.assign(blocks, 0);
  reading.first.assign(blocks, 0);
  for (const HeadReading& head : head_readings(nullptr, {&text, 1}, of, 1)) {
    reading.leader[static_cast<std::size_t>(head.block)] += head.sink / of.heads;
    reading.first[static_cast<std::size_t>(head.block)] += head.first / of.heads;
  }
  for (int i = 1; i < text.n(); ++i)
    reading.even_first += 1.0 / (of.causal ? i + 1 : text.n()) / (text.n() - 1);
}

void read_moves(const TracedText& text, const Description& of, const std::vector<double>& betas,
                bool backwards, InputReading& reading) {
  for (int block = 0; block + 1 < text.frames(); ++block) {
    const HostSwarm x = on_the_sphere(text, block), y = on_the_sphere(text, block + 1);
    reading.alignment.push_back(move_fit(backwards ? y : x, backwards ? x : y,
                                         betas[static_cast<std::size_t>(block)],
                                         {.causal = of.causal})
                                    .alignment);
  }
}

}  // namespace

RealReading read_inputs(const Transformer& model, const Transformer& exchanged,
                        const std::vector<Prompt>& prompts, const RealReadingOptions& options) {
  const Description& of = model.description();
  const int count = static_cast<int>(prompts.size());
  std::vector<TracedText> texts(prompts.size());
  for_blocks(count, options.threads, [&](int k) {
    texts[static_cast<std::size_t>(k)] =
        trace_prompt(model, nullptr, prompts[static_cast<std::size_t>(k)], {});
  });
  const CommonBeta common = common_beta(texts, of);
  RealReading all{.beta = flow_beta(common.all)};
  const std::vector<HeadReading> heads =
      head_readings(&model, {texts.data(), 1}, of, options.threads);
  for (const HeadReading& head : heads) {
    all.qk_positivity += head.qk.positivity / static_cast<double>(heads.size());
    all.ov_positivity += head.ov.positivity / static_cast<double>(heads.size());
  }
  all.inputs.resize(prompts.size());
  for_blocks(count, options.threads, [&](int k) {
    const TracedText& text = texts[static_cast<std::size_t>(k)];
    InputReading& reading = all.inputs[static_cast<std::size_t>(k)];
    reading.n = text.n();
    reading.layers = layer_readings(text, all.beta);
    read_heads(text, of, reading);
    read_moves(text, of, common.by_block, options.backwards, reading);
    const TracedText alone =
        trace_prompt(model, nullptr, text.prompt, {.feed_forward = options.whole_blocks});
    reading.rank_alone = layer_readings(alone, all.beta).back().effective_rank;
    const TracedText other = trace_prompt(exchanged, nullptr, text.prompt, {});
    const HostSwarm start = on_the_sphere(text, 0), end = on_the_sphere(text, text.frames() - 1);
    reading.reordered =
        mean_angle(end, on_the_sphere(other, other.frames() - 1)) / mean_angle(start, end);
    if (!options.backwards) return;
    std::reverse(reading.layers.begin(), reading.layers.end());
    std::reverse(reading.leader.begin(), reading.leader.end());
  });
  return all;
}

}  // namespace murmur
