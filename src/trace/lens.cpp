// lens.cpp: reads the states of all layers through the last norm and the unembedding.
#include "trace/lens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "trace/word_axes.h"

namespace murmur {

std::vector<LensRow> logit_lens(const Transformer& model, const TracedText& text,
                                const LensRequest& request) {
  if (model.weights().unembedding.w == nullptr) return {};
  const std::ptrdiff_t d = text.trace.d, v = model.description().vocabulary;
  std::vector<float> states;  // (frames, d)
  for (int frame = 0; frame < text.frames(); ++frame) {
    const auto at = text.state(frame).begin() + request.place * d;
    states.insert(states.end(), at, at + d);
  }
  const std::vector<float> logits = model.logits_of(std::move(states), request.pass);
  const float* const last = &logits[static_cast<std::size_t>((text.frames() - 1) * v)];
  const std::ptrdiff_t said = std::max_element(last, last + v) - last;
  std::vector<LensRow> rows;
  for (int frame = 0; frame < text.frames(); ++frame) {
    const float* const l = &logits[static_cast<std::size_t>(frame * v)];
    const double most = *std::max_element(l, l + v);
    double total = 0, mean = 0;
    for (std::ptrdiff_t w = 0; w < v; ++w) {
      total += std::exp(l[w] - most);
      mean += std::exp(l[w] - most) * (l[w] - most);
    }
    LensRow row{.frame = frame, .entropy = std::log(total) - mean / total};
    row.probability = std::exp(l[said] - most) / total;
    row.rank = 1 + static_cast<int>(std::count_if(l, l + v, [&](float x) { return x > l[said]; }));
    std::vector<std::ptrdiff_t> order(static_cast<std::size_t>(v));
    std::iota(order.begin(), order.end(), 0);
    const auto shown = order.begin() + std::min<std::ptrdiff_t>(request.top, v);
    std::partial_sort(order.begin(), shown, order.end(), [&](std::ptrdiff_t a, std::ptrdiff_t b) {
      return l[a] > l[b] || (l[a] == l[b] && a < b);
    });
    for (auto w = order.begin(); w != shown; ++w)
      row.top.push_back({*w, std::exp(l[*w] - most) / total, spelled(request.tokenizer, *w)});
    rows.push_back(std::move(row));
  }
  return rows;
}

namespace {

// The unembedding of a token times the gain; with a layer norm minus its mean, since all states
// have mean 0 there.
std::vector<double> word_of(const Transformer& model, std::int64_t token) {
  const Linear& f = model.weights().unembedding;
  const float* const gain = model.weights().final_norm.gain;
  const Description& of = model.description();
  std::vector<double> w;
  for (std::ptrdiff_t k = 0; k < of.d; ++k)
    w.push_back((f.transposed ? f.w[k * f.pitch + token] : f.w[token * f.pitch + k]) *
                (gain != nullptr ? gain[k] : 1.0f));
  if (gain == nullptr || of.norm.kind != Norm::layer) return w;
  double mean = 0;
  for (const double entry : w) mean += entry / of.d;
  for (double& entry : w) entry -= mean;
  return w;
}

}  // namespace

Candidates candidates_of(const Transformer& model, const TracedText& text,
                         const LensRequest& request) {
  Candidates found;
  LensRequest wider = request;
  wider.top = kCandidates;
  const std::vector<LensRow> rows = logit_lens(model, text, wider);
  if (rows.empty()) return found;
  const int d = model.description().d;
  for (const PredictedToken& said : rows.back().top) {
    const std::vector<double> w = word_of(model, said.id);
    double square = 0;
    for (const double entry : w) square += entry * entry;
    if (!(square > 0) || !std::isfinite(square)) continue;
    std::string name = readable(said.token);
    if (std::find(found.words.begin(), found.words.end(), name) != found.words.end())
      name += fmt::format(" ({})", said.id);
    found.words.push_back(std::move(name));
    for (const double entry : w) found.points.data.push_back(entry / std::sqrt(square));
    found.kappa += std::sqrt(d * square);
  }
  found.points.rows = static_cast<int>(found.words.size());
  found.points.cols = d;
  if (!found.words.empty()) found.kappa /= static_cast<double>(found.words.size());
  return found;
}

}  // namespace murmur
