// rules.cpp: looks rules up, spoils experiments, and writes the table of rules.
#include "reproduce/rules.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "reproduce/rule_tables.h"

namespace murmur {

std::string_view name_of(Origin origin) {
  switch (origin) {
    case Origin::published:
      return "published";
    case Origin::predicted:
      return "predicted";
    case Origin::regression:
      return "regression";
    case Origin::check:
      break;
  }
  return "check";
}

std::string_view name_of(NullModel null) {
  switch (null) {
    case NullModel::none:
      return "";
    case NullModel::still:
      return "zero field";
    case NullModel::random:
      return "random row-stochastic attention";
    case NullModel::constant:
      break;
  }
  return "constant answer";
}

std::string_view name_of(NullOutcome outcome) {
  switch (outcome) {
    case NullOutcome::rejects:
      return "rejected";
    case NullOutcome::agrees:
      return "agrees";
    case NullOutcome::inapplicable:
      return "does not apply";
    case NullOutcome::not_run:
      break;
  }
  return "not run";
}

std::span<const NullModel> null_models() {
  static constexpr NullModel all[] = {NullModel::still, NullModel::random, NullModel::constant};
  return all;
}

std::string_view name_of(Answer answer) {
  switch (answer) {
    case Answer::agrees:
      return "agrees";
    case Answer::disagrees:
      return "disagrees";
    case Answer::inapplicable:
      return "does not apply";
    case Answer::open:
      break;
  }
  return "open";
}

bool WrongModel::is_wrong() const { return !words().empty(); }

void WrongModel::spoil(ExperimentSpec& spec) const {
  spec.dynamics.beta *= beta;
  spec.T *= time;
  if (tokens != 0) spec.n = spec.n.value_or(kDefaultParticles) + tokens;
  if (method) {
    spec.method = *method;
    spec.dt = 0.1;
  }
  if (single) spec.engine = {.name = "simd", .precision = Precision::f32};
  if (reversed) spec.dynamics.value = {MatrixChoice::minus_identity};
  if (unbiased) spec.dynamics.alibi = 0;
  if (attention) {
    spec.dynamics.interaction = *attention;
    if (spec.dynamics.manifold == ManifoldChoice::space) spec.dynamics.relative = Relative::yes;
  }
  if (value) spec.dynamics.value = {*value};
  if (plain_scores) spec.dynamics.query = spec.dynamics.key = {MatrixChoice::identity};
  if (frozen) spec.dynamics.redraw = 0;
  if (normalisation) spec.dynamics.normalisation = {*normalisation, std::nullopt};
  if (activation) spec.dynamics.activation = *activation;
}

std::string WrongModel::words() const {
  std::vector<std::string> all;
  if (beta != 1) all.push_back(fmt::format("β × {:g}", beta));
  if (time != 1) all.push_back(fmt::format("time × {:g}", time));
  if (tokens != 0) all.push_back(fmt::format("{} tokens more", tokens));
  if (method)
    all.push_back(*method == Method::layers  ? "layers of 0.1 for the flow"
                  : *method == Method::euler ? "Euler steps of 0.1 for layers"
                                             : "another method");
  if (single) all.emplace_back("float32");
  if (reversed) all.emplace_back("V = -I");
  if (unbiased) all.emplace_back("no ALiBi");
  if (attention)
    all.emplace_back(*attention == Interaction::SA    ? "softmax attention"
                     : *attention == Interaction::USA ? "unnormalised attention"
                                                      : "another attention");
  if (value) all.emplace_back(*value == MatrixChoice::identity ? "V = I" : "V Gaussian");
  if (plain_scores) all.emplace_back("Q = K = I");
  if (frozen) all.emplace_back("weights drawn once");
  if (late) all.emplace_back("weights of the end of a step");
  if (normalisation) all.emplace_back("layer norm pre for all");
  if (activation) all.emplace_back("other units");
  if (backwards) all.emplace_back("layers read backwards");
  if (untrained) all.emplace_back("random weights");
  if (whole_blocks) all.emplace_back("feed-forward kept");
  if (exchanged) all.emplace_back("readers exchanged");
  if (null != NullModel::none) all.emplace_back(name_of(null));
  if (*training) all.emplace_back(training);
  return fmt::format("{}", fmt::join(all, ", "));
}

std::span<const Rule> rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> joined;
    for (const std::span<const Rule> part :
         {digit_rules(), attention_rules(), limit_rules(), weight_rules(), model_rules()})
      joined.insert(joined.end(), part.begin(), part.end());
    return joined;
  }();
  return all;
}

const Rule& rule_of(std::string_view name) {
  for (const Rule& rule : rules())
    if (rule.name == name) return rule;
  throw std::logic_error(fmt::format("there is no rule {}", name));
}

bool counts(const Rule& rule) {
  return rule.origin == Origin::published || rule.origin == Origin::predicted;
}

std::string markdown_of_null_models() {
  std::string text = "| rule | kind |";
  for (const NullModel null : null_models()) text += fmt::format(" {} |", name_of(null));
  text += "\n|---|---|---|---|---|\n";
  for (const Rule& rule : rules()) {
    text += fmt::format("| `{}` | {} |", rule.name, name_of(rule.origin));
    for (const NullModel null : null_models()) {
      const NullAnswer* answer = null_answer(rule, null);
      if (answer == nullptr)
        text += fmt::format(" {} |", name_of(NullOutcome::rejects));
      else
        text += fmt::format(" {0}{1}{0}: {2} |", answer->outcome == NullOutcome::agrees ? "**" : "",
                            name_of(answer->outcome), answer->explanation);
    }
    text += '\n';
  }
  return text;
}

std::string markdown_of_rules() {
  std::string text =
      "| rule | kind | source | asks | rejects | since | changed after a look |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Rule& rule : rules()) {
    std::string rejects = rule.rejects.words();
    if (rule.slow) rejects += " (whole figure)";
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", rule.name, name_of(rule.origin),
                        rule.source, rule.asks, rejects, rule.since, rule.changed);
  }
  return text;
}

}  // namespace murmur
