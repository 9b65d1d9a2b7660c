// golden.cpp: finds the tensor of a pass that belongs to each tensor of another program, by its
// name.
#include "model/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "murmur/error.h"

namespace murmur {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& where) {
  throw Error(
      Fault::input, what, where,
      "give safetensors with caseK.input_ids, hidden_states.I, attentions.I, last_hidden_state, "
      "logits");
}

// The number that follows `stem` in `name`, if `name` is the stem and a number.
std::optional<int> numbered(const std::string& name, const std::string& stem) {
  int number = 0;
  if (name.rfind(stem, 0) != 0) return std::nullopt;
  const char* const end = name.data() + name.size();
  const auto [at, wrong] = std::from_chars(name.data() + stem.size(), end, number);
  if (wrong != std::errc{} || at != end || number < 0) return std::nullopt;
  return number;
}

const std::vector<float>* layer_of(const std::vector<std::vector<float>>& all, int layer) {
  return layer < static_cast<int>(all.size()) ? &all[static_cast<std::size_t>(layer)] : nullptr;
}

std::vector<float> mean_direction(const Trace& t) {
  std::vector<double> sum(static_cast<std::size_t>(t.d));
  for (std::size_t e = 0; e < t.last.size(); ++e) sum[e % sum.size()] += t.last[e];
  double square = 0;
  for (const double entry : sum) square += entry * entry;
  std::vector<float> unit;
  for (const double entry : sum) unit.push_back(static_cast<float>(entry / std::sqrt(square)));
  return unit;
}

// The tensor that `name` (without its case) names; nothing for an unknown name.
std::optional<std::vector<float>> computed(const std::string& name, const Trace& t,
                                           const Description& of) {
  const auto given = [](const std::vector<float>* rows) {
    return rows == nullptr ? std::nullopt : std::optional(*rows);
  };
  if (name == "last_hidden_state") return t.last;
  if (name.starts_with("logits") && t.logits.empty()) return std::nullopt;
  if (name == "logits" && of.answers_first)  // of the class token
    return std::vector<float>(t.logits.begin(), t.logits.begin() + of.vocabulary);
  if (name == "logits") return t.logits;
  if (name == "logits_last")
    return std::vector<float>(t.logits.end() - of.vocabulary, t.logits.end());
  if (name == "embedding") return mean_direction(t);
  if (const auto layer = numbered(name, "attentions.")) return given(layer_of(t.attention, *layer));
  const auto shown = numbered(name, "hidden_states."), plain = numbered(name, "layer.");
  const auto layer = shown ? shown : plain;
  if (!layer) return std::nullopt;
  if (*layer == 0) return given(layer_of(t.before, 0));
  if (shown && of.final_norm_in_last && *layer == of.layers) return t.last;
  return given(layer_of(t.after, *layer - 1));
}

double distance(const std::vector<float>& a, const Array& b, const std::string& where) {
  const std::vector<double> other = b.doubles();
  if (other.size() != a.size())
    refuse(fmt::format("it holds {} values where the model has {}", other.size(), a.size()), where);
  double most = 0, largest = 0;
  for (std::size_t e = 0; e < a.size(); ++e) {
    const double apart = std::abs(a[e] - other[e]);
    if (!(apart <= most)) most = apart;  // NaN too
    largest = std::max(largest, std::abs(other[e]));
  }
  return most / largest;
}

bool is_prompt(const std::string& name) {
  return name == "input_ids" || name == "ids" || name == "pixel_values" || name == "mfcc";
}

// The case that a name belongs to, with its dot; empty for the names of one prompt.
std::string case_of(const std::string& name) {
  const auto dot = name.find('.');
  const bool numbered_case = dot != std::string::npos && numbered(name.substr(0, dot), "case");
  return numbered_case ? name.substr(0, dot + 1) : "";
}

}  // namespace

std::vector<GoldenCheck> compare_with_golden(const Transformer& model, const Record& golden,
                                             const std::string& where, const PassOptions& options) {
  std::map<std::string, Trace> traces;
  for (const auto& [name, array] : golden) {
    const std::string of = case_of(name), rest = name.substr(of.size());
    if (rest == "input_ids" || rest == "ids") {
      const auto* ids = std::get_if<std::vector<std::int64_t>>(&array.values);
      if (ids == nullptr) refuse("the tokens are not of I64", where + ": " + name);
      traces[of] = model.pass(*ids, options);
    } else if (rest == "pixel_values" || rest == "mfcc") {
      const auto* pixels = std::get_if<std::vector<float>>(&array.values);
      if (pixels == nullptr) refuse("the numbers are not of F32", where + ": " + name);
      traces[of] = model.pass_picture(*pixels, options);
    }
  }
  std::vector<GoldenCheck> checks;
  for (const auto& [name, array] : golden) {
    const std::string of = case_of(name), rest = name.substr(of.size());
    if (is_prompt(rest)) continue;
    const auto at = traces.find(of);
    if (at == traces.end()) refuse("the file has no prompt for it", where + ": " + name);
    const auto own = computed(rest, at->second, model.description());
    if (!own || own->empty()) refuse("the model has nothing of this name", where + ": " + name);
    checks.push_back({name, distance(*own, array, where + ": " + name)});
  }
  if (checks.empty()) refuse("the file holds nothing to compare", where);
  return checks;
}

}  // namespace murmur
