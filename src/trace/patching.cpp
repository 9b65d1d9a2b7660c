// patching.cpp: runs the rest of a pass from a state with one row of another.
#include "trace/patching.h"

#include <fmt/format.h>

#include <algorithm>

#include "murmur/error.h"

namespace murmur {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  throw Error(Fault::input, what, "--patch", remedy);
}

// Of the token that is asked, among the states (n, d) behind the last block.
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
    refuse(
        fmt::format("both texts are answered by token {}: nothing tells them apart", answers.first),
        "give texts that go on differently, or the ids of two answers: --answers 17,42");
}

}  // namespace

Patching patch(const Transformer& model, const TracedText& first, const TracedText& second,
               std::optional<PatchPlace> place, std::optional<PatchAnswers> answers,
               const PassOptions& options) {
  if (model.weights().unembedding.w == nullptr)
    refuse("the model has no unembedding, so there are no logits to compare",
           "use a model that says a next token, such as gpt2 or llama");
  if (first.n() != second.n())
    refuse(fmt::format("the texts have {} and {} tokens", first.n(), second.n()),
           "give two texts of equally many tokens; murmur tokenize shows them");
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

}  // namespace murmur
