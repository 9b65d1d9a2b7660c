// patching.cpp: runs a pass again with one state replaced, or without attention, feed-forward or
// norms (parts.h).
#include "trace/patching.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "murmur/error.h"
#include "trace/layers.h"
#include "trace/parts.h"

namespace murmur {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  throw Error(Fault::input, what, "--patch", remedy);
}

// The state of the token that gives the answer, from the states (n, d) behind the last block.
std::vector<float> answer_row(const Description& of, const std::vector<float>& rows) {
  const int n = static_cast<int>(rows.size()) / of.d;
  const auto from = rows.begin() + static_cast<std::ptrdiff_t>(answer_place(of, n)) * of.d;
  return {from, from + of.d};
}

std::vector<float> last_logits(const Transformer& model, const TracedText& text,
                               const PassOptions& options) {
  return model.logits_of(answer_row(model.description(), text.trace.after.back()), options);
}

std::int64_t likeliest(const std::vector<float>& logits) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

double difference(const std::vector<float>& logits, const PatchAnswers& answers) {
  return static_cast<double>(logits[static_cast<std::size_t>(answers.first)]) -
         logits[static_cast<std::size_t>(answers.second)];
}

std::vector<float> patched_state(const TracedText& first, const TracedText& second,
                                 const PatchPlace& at) {
  std::vector<float> x = second.state(at.frame);
  const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(at.place) * second.trace.d;
  std::copy_n(first.state(at.frame).begin() + from, second.trace.d, x.begin() + from);
  return x;
}

void require_answers(const PatchAnswers& answers, int vocabulary) {
  for (const std::int64_t id : {answers.first, answers.second})
    if (id < 0 || id >= vocabulary)
      refuse(fmt::format("the answer {} is not in the vocabulary of {}", id, vocabulary),
             "give two ids, as --answers 17,42");
  if (answers.first == answers.second)
    refuse(fmt::format("both texts have the answer {}: the two answers must differ", answers.first),
           "give texts that go on differently, or the ids of two answers: --answers 17,42");
}

}  // namespace

Patching patch(const Transformer& model, const TracedText& first, const TracedText& second,
               std::optional<PatchPlace> place, std::optional<PatchAnswers> answers,
               const PassOptions& options) {
  if (model.weights().unembedding.w == nullptr)
    refuse("the model has no unembedding, so there are no logits to compare",
           "use a model that predicts a next token, such as gpt2 or llama");
  if (first.n() != second.n())
    refuse(fmt::format("the texts have {} and {} tokens", first.n(), second.n()),
           "give two texts with the same number of tokens; murmur tokenize shows them");
  Patching made;
  if (place) {
    if (place->place < 0) place->place += first.n();
    if (place->frame < 0 || place->frame >= first.frames() || place->place < 0 ||
        place->place >= first.n())
      refuse(
          fmt::format("there is no layer {} with a token {}", place->frame, place->place),
          fmt::format("use layers 0 to {} and tokens 0 to {}", first.frames() - 1, first.n() - 1));
    made.places = {*place};
  } else {
    for (int frame = 0; frame < first.frames(); ++frame)
      for (int i = 0; i < first.n(); ++i) made.places.push_back({frame, i});
  }
  const std::vector<float> one = last_logits(model, first, options),
                           other = last_logits(model, second, options);
  made.answers = answers.value_or(PatchAnswers{likeliest(one), likeliest(other)});
  require_answers(made.answers, model.description().vocabulary);
  made.first = difference(one, made.answers);
  made.second = difference(other, made.answers);
  for (const PatchPlace& at : made.places) {
    std::vector<float> end = patched_state(first, second, at);
    if (at.frame < first.frames() - 1)
      end = model.pass_from(at.frame, std::move(end), options).after.back();
    made.patched.push_back(
        difference(model.logits_of(answer_row(model.description(), end), options), made.answers));
  }
  return made;
}

Trace patched_trace(const Transformer& model, const TracedText& first, const TracedText& second,
                    const PatchPlace& at, const PassOptions& options) {
  Trace trace = second.trace;
  std::vector<float> x = patched_state(first, second, at);
  const auto kept = static_cast<std::size_t>(at.frame);
  if (kept > 0) trace.after[kept - 1] = x;
  Trace rest = model.pass_from(at.frame, std::move(x), options);
  for (auto member : {&Trace::before, &Trace::between, &Trace::after, &Trace::attention}) {
    (trace.*member).resize(kept);
    for (auto& rows : rest.*member) (trace.*member).push_back(std::move(rows));
  }
  trace.last = std::move(rest.last);
  trace.logits = std::move(rest.logits);
  return trace;
}

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

// The number of frames before the first one with a state without a direction.
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
  for (const std::string_view part : kParts) {
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
