// lens.cpp: reads the states of all layers through the last norm and the unembedding.
#include "trace/lens.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

}  // namespace murmur
