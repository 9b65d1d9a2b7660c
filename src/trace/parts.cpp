// parts.cpp: runs the pass again without attention, feed-forward or norms, and counts clusters.
#include "trace/parts.h"

#include <cmath>
#include <limits>

#include "trace/layers.h"

namespace murmur {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool has_directions(const TracedText& text, int frame) {
  const std::vector<float>& state = text.state(frame);
  const auto d = static_cast<std::size_t>(text.trace.d);
  for (std::size_t row = 0; row < state.size(); row += d) {
    double square = 0;
    for (std::size_t k = 0; k < d; ++k)
      square += static_cast<double>(state[row + k]) * static_cast<double>(state[row + k]);
    if (!(square > 0) || !std::isfinite(square)) return false;
  }
  return true;
}

// The frames before the first that has a state without a direction.
int whole_frames(const TracedText& text) {
  int frame = 0;
  while (frame < text.frames() && has_directions(text, frame)) ++frame;
  return frame;
}

void add_text(const Transformer& model, const TracedText& text, const PassOptions& pass,
              double share, PartReading& reading) {
  TracedText again{.tokens = text.tokens};
  again.trace = text.prompt.pixels.empty() ? model.pass(text.prompt.ids, pass)
                                           : model.pass_picture(text.prompt.pixels, pass);
  const auto frames = static_cast<std::size_t>(again.frames());
  for (std::vector<double>* column :
       {&reading.mean_cos, &reading.clusters, &reading.effective_rank})
    column->resize(frames, 0.0);
  const auto whole = static_cast<std::size_t>(whole_frames(again));
  const bool broken = whole < frames;
  if (broken) again.trace.after.resize(whole > 0 ? whole - 1 : 0);
  const std::vector<LayerReading> rows =
      whole > 0 ? layer_readings(again, 1) : std::vector<LayerReading>{};
  for (std::size_t f = 0; f < frames; ++f) {
    reading.mean_cos[f] += f < whole ? share * rows[f].mean_cos : kNaN;
    reading.clusters[f] += f < whole ? share * rows[f].clusters : kNaN;
    reading.effective_rank[f] += f < whole ? share * rows[f].effective_rank : kNaN;
  }
}

}  // namespace

std::vector<PartReading> without_parts(const Transformer& model, std::span<const TracedText> texts,
                                       const PassOptions& pass) {
  std::vector<PartReading> readings;
  for (const char* part : {"none", "attention", "feed-forward", "norm"}) {
    const std::string left(part);
    PassOptions without = pass;
    without.attention = pass.attention && left != "attention";
    without.feed_forward = pass.feed_forward && left != "feed-forward";
    without.norms = pass.norms && left != "norm";
    int counted = 0;
    for (const TracedText& text : texts) counted += text.n() > 1 ? 1 : 0;
    PartReading reading{.part = left};
    for (const TracedText& text : texts)
      if (text.n() > 1) add_text(model, text, without, 1.0 / counted, reading);
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace murmur
