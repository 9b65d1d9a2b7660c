// traced.cpp: runs a transformer on prompts, continues texts, and projects states to the sphere.
#include "trace/traced.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "murmur/random.h"

namespace murmur {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

// The index of a number u in [0, 1) among the cumulated weights e^{(l - max) / temperature}.
std::int64_t drawn(std::span<const float> logits, double temperature, double u) {
  const double top = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const float l : logits) total += std::exp((l - top) / temperature);
  double left = u * total;
  for (std::size_t v = 0; v < logits.size(); ++v) {
    left -= std::exp((logits[v] - top) / temperature);
    if (left < 0) return static_cast<std::int64_t>(v);
  }
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

}  // namespace

std::string spelled(const Tokenizer* tokenizer, std::int64_t id) {
  if (tokenizer != nullptr && id >= 0)
    if (const auto token = tokenizer->token(static_cast<TokenId>(id))) return *token;
  return fmt::format("{}", id);
}

TracedText trace_prompt(const Transformer& model, const Tokenizer* tokenizer, Prompt prompt,
                        const PassOptions& options) {
  TracedText text;
  if (prompt.pixels.empty()) {
    text.trace = model.pass(prompt.ids, options);
    for (const std::int64_t id : prompt.ids) text.tokens.push_back(spelled(tokenizer, id));
  } else {
    text.trace = model.pass_picture(prompt.pixels, options);
    const Description& of = model.description();
    text.tokens.push_back("class");
    for (int k = 0; k < input_tokens(of); ++k)
      text.tokens.push_back(of.frames > 0 ? fmt::format("{}", k)
                                          : fmt::format("{},{}", k / (of.image / of.patch),
                                                        k % (of.image / of.patch)));
  }
  text.given = text.tokens.size();
  text.prompt = std::move(prompt);
  return text;
}

std::vector<std::int64_t> continued(const Transformer& model, std::vector<std::int64_t> ids,
                                    const Continuation& how, const PassOptions& options) {
  const Description& of = model.description();
  if (model.weights().unembedding.w == nullptr || !of.causal)
    refuse(fmt::format("a model of the family {} does not continue texts", of.family), "--continue",
           "use a causal model with an unembedding, such as gpt2 or llama");
  if (static_cast<int>(ids.size()) + how.tokens > of.context)
    refuse(fmt::format("{} tokens and {} more exceed the model's context of {}", ids.size(),
                       how.tokens, of.context),
           "--continue", "continue with fewer tokens, or give a shorter text");
  const auto d = static_cast<std::size_t>(of.d);
  for (int k = 0; k < how.tokens; ++k) {
    const Trace trace = model.pass(ids, options);
    const std::vector<float>& end = trace.after.back();
    const std::vector<float> logits =
        model.logits_of({end.end() - static_cast<std::ptrdiff_t>(d), end.end()}, options);
    const Draw draw{
        .seed = how.seed, .stream = Stream::continuation, .step = static_cast<unsigned>(k)};
    ids.push_back(how.temperature > 0
                      ? drawn(logits, how.temperature, draw.uniform(0))
                      : std::max_element(logits.begin(), logits.end()) - logits.begin());
    if (how.end && ids.back() == *how.end) break;
  }
  return ids;
}

HostSwarm project_to_sphere(std::span<const TracedText> texts, int frame,
                            std::vector<double>* norms) {
  int n = 0, row = 0;
  for (const TracedText& text : texts) n += text.n();
  const int d = texts.front().trace.d;
  HostSwarm x({n, d});
  if (norms != nullptr) norms->clear();
  for (const TracedText& text : texts) {
    const std::vector<float>& state = text.state(frame);
    for (int i = 0; i < text.n(); ++i, ++row) {
      const float* at = &state[static_cast<std::size_t>(i) * d];
      double square = 0;
      for (int k = 0; k < d; ++k) square += static_cast<double>(at[k]) * at[k];
      const double norm = std::sqrt(square);
      if (!(norm > 0) || !std::isfinite(norm))
        throw Error(Fault::numerical, "a state of the transformer has no direction",
                    fmt::format("{}: layer {}, token {}", text.prompt.name, frame, i),
                    "the weights make a state zero or infinite there; use others");
      for (int k = 0; k < d; ++k) x.at(row, k) = at[k] / norm;
      if (norms != nullptr) norms->push_back(norm);
    }
  }
  return x;
}

HostSwarm project_to_sphere(const TracedText& text, int frame, std::vector<double>* norms) {
  return project_to_sphere(std::span(&text, 1), frame, norms);
}

}  // namespace murmur
