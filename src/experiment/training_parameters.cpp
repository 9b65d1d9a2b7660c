// training_parameters.cpp: values of the parameters of a training as text, and the order in which
// they are read.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <set>

#include "experiment/training_rows.h"
#include "experiment/words.h"

namespace murmur {

namespace codec {

template <>
const std::vector<std::string>& names_of<Reader>() {
  static const std::vector<std::string> names = {"swarm", "recurrent"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Positions>() {
  static const std::vector<std::string> names = {"none", "learned", "sinusoidal", "rotary"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Recipe>() {
  static const std::vector<std::string> names = {"auto", "settled", "best", "published"};
  return names;
}
template <>
const std::vector<std::string>& names_of<SettleFrom>() {
  static const std::vector<std::string> names = {"half", "depth"};
  return names;
}
template <>
const std::vector<std::string>& names_of<DepthLaw>() {
  static const std::vector<std::string> names = {"uniform", "square"};
  return names;
}
template <>
const std::vector<std::string>& names_of<TargetChoice>() {
  static const std::vector<std::string> names = {"spread", "third-axis"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Objective::Loss>() {
  static const std::vector<std::string> names = {"cross-entropy", "target"};
  return names;
}
template <>
const std::vector<std::string>& names_of<LossAverage>() {
  static const std::vector<std::string> names = {"tokens", "padded"};
  return names;
}
template <>
const std::vector<std::string>& names_of<RateSchedule>() {
  static const std::vector<std::string> names = {"one-cycle", "constant"};
  return names;
}
template <>
const std::vector<std::string>& names_of<Training::Device>() {
  static const std::vector<std::string> names = {"cpu", "cuda"};
  return names;
}

template <>
std::span<const ParameterValue> choices_of<Architecture::Readout>() {
  static constexpr ParameterValue all[] = {
      {"mean", "the class is read from the mean of all tokens"},
      {"cls", "the class is read from an extra token"},
      {"asked", "the class is read from the word that is asked about", "task=sense readout=asked"}};
  return all;
}
template <>
std::span<const ParameterValue> choices_of<Positions>() {
  static constexpr ParameterValue all[] = {
      {"none", "tokens have no code of their position"},
      {"learned", "a learned code of the position is added to the start of each token",
       "task=order positions=learned"},
      {"sinusoidal", "a code of sines and cosines is added to the start of each token"},
      {"rotary", "queries and keys are rotated by angles that grow with the position"}};
  return all;
}

namespace {

constexpr const char* kLabelsRemedy = "write two to ten labels, e.g. digits=5,6 or digits=0-9";

bool all_digits(const std::string& text) {
  return !text.empty() && text.size() < 4 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

}  // namespace

// "5,6" or "0-9": labels in order, each once.
void read(const TypedValue& at, std::vector<int>& labels) {
  labels.clear();
  for (const std::string& part : split(at.text(), ',')) {
    const std::vector<std::string> ends = split(part, '-');
    if (ends.size() > 2 || !all_digits(ends.front()) || !all_digits(ends.back()))
      at.refuse("is not a list of labels", kLabelsRemedy);
    const int last = std::stoi(ends.back());
    for (int label = std::stoi(ends.front()); label <= last; ++label) labels.push_back(label);
  }
  check(at, labels);
}

void check(const TypedValue& at, const std::vector<int>& labels) {
  if (labels.size() < 2 || labels.size() > 10)
    at.refuse("must name two to ten classes", kLabelsRemedy);
  if (std::set<int>(labels.begin(), labels.end()).size() != labels.size())
    at.refuse("names a class twice", kLabelsRemedy);
}

// Three or more in a row as a range.
std::string write(const std::vector<int>& labels, const FieldInfo&) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < labels.size(); first = ++last) {
    while (last + 1 < labels.size() && labels[last + 1] == labels[last] + 1) ++last;
    if (last < first + 2) last = first;
    fmt::format_to(std::back_inserter(text), "{}{}", first == 0 ? "" : ",", labels[first]);
    if (last > first) fmt::format_to(std::back_inserter(text), "-{}", labels[last]);
  }
  return text;
}

}  // namespace codec

template <>
std::span<const Row<TrainingSpec>> rows_of<TrainingSpec>() {
  static const std::vector<Row<TrainingSpec>> rows = make_rows<TrainingSpec>();
  return rows;
}

std::span<const Row<TrainingSpec>> training_rows_as_read() {
  // The recipe comes first, since other values depend on it; architecture and objective come before
  // epochs and rate. Rows that are not named follow in the order of the table.
  static constexpr const char* kFirst[] = {
      "recipe",     "task",     "reader",      "data",      "name",     "seed",
      "digits",     "d",        "blocks",      "shared",    "hidden",   "heads",
      "head_width", "residual", "interaction", "readout",   "position", "positions",
      "targets",    "loss",     "average",     "smoothing", "dropout"};
  static const std::vector<Row<TrainingSpec>> rows = [] {
    const auto place = [](const Row<TrainingSpec>& row) {
      return std::find_if(std::begin(kFirst), std::end(kFirst), [&](const char* name) {
        return std::strcmp(name, row.parameter.name) == 0;
      });
    };
    std::vector<Row<TrainingSpec>> sorted = make_rows<TrainingSpec>();
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return sorted;
  }();
  return rows;
}

const char* name_of(Task task) {
  return codec::names_of<Task>()[static_cast<std::size_t>(task)].c_str();
}
const char* name_of(Reader reader) {
  return codec::names_of<Reader>()[static_cast<std::size_t>(reader)].c_str();
}

std::span<const Parameter> training_parameters() { return parameters_in<TrainingSpec>(); }

Settings training_words_of(const TrainingSpec& spec) { return words_by(spec, "the training"); }

}  // namespace murmur
