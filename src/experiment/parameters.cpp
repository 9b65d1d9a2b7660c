// parameters.cpp: the parameters of a simulation, made from the description of its spec, and the
// search for misspelt names.
#include <algorithm>

#include "experiment/rows.h"

namespace murmur {

template <>
std::span<const Row<ExperimentSpec>> rows_of<ExperimentSpec>() {
  static const std::vector<Row<ExperimentSpec>> rows = make_rows<ExperimentSpec>();
  return rows;
}

std::span<const Parameter> parameters() { return parameters_in<ExperimentSpec>(); }

ExperimentSpec spec_of(const Settings& words) { return read_spec<ExperimentSpec>(words); }

Settings words_of(const ExperimentSpec& spec) { return words_by(spec, "the experiment"); }

namespace {

// Levenshtein distance: insertions, deletions and changes from a to b.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  for (const std::string& candidate : known)
    if (word.size() >= 3 && candidate.rfind(word, 0) == 0) return candidate;
  std::string best;
  std::size_t min = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known)
    if (const std::size_t steps = distance(word, candidate); steps < min) {
      min = steps;
      best = candidate;
    }
  return best;
}

}  // namespace murmur
