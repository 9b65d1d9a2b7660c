// reproduce.cpp: the table of reproductions, their verdicts, and what is kept of them.
#include "reproduce/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "murmur/error.h"
#include "reproduce/record.h"
#include "reproduce/reproductions.h"
#include "run/formats.h"

namespace murmur {

std::span<const ReproductionRow> reproductions() {
  static constexpr ReproductionRow table[] = {
      {"swarm-table", "test accuracies of the swarm that reads digits, by blocks and coordinates",
       swarm_table, "companion code of the digit swarm", true},
      {"flock-argument", "why a flock: isolation, one messenger, attraction, messages, selection",
       flock_argument, "", true},
      {"saved-work", "how much work a settled swarm can leave out, and at which accuracy",
       saved_work, "", true},
      {"ladder", "two digits compared, a word's sense: isolation is at chance, and rungs above it",
       ladder, "", true, Task::same},
      {"order", "subject or object: with codes of positions and without", order, "", true,
       Task::order},
      {"phase-diagram", "how many pairs have met, over time and temperature", phase_diagram,
       "2312.10794, Fig. 3"},
      {"circle-clusters", "how many clusters stay on the circle", circle_clusters,
       "2312.10794, Fig. 4"},
      {"random-weights", "the front with random query, key and value", random_weights,
       "2312.10794, Fig. 5"},
      {"equiangular", "tokens at right angles keep one cosine; the phase curve", equiangular,
       "2312.10794, Theorem 6.8"},
      {"growth", "how fast modes grow out of the uniform swarm", growth, "2410.23228"},
      {"fastest-modes", "which mode grows fastest, over temperature", fastest_modes},
      {"kinetic", "five tokens merge one by one", kinetic, "2410.06833"},
      {"layers-clock", "how slow the clock of the papers' layers runs", layers_clock},
      {"staircase", "the energy climbs one step a merger", staircase, "2410.06833"},
      {"lifetimes", "how long two clusters live apart", lifetimes},
      {"polytope", "tokens in R^d come to the boundary of a polytope", polytope, "2305.05465"},
      {"hyperplanes", "tokens in R^d come to parallel hyperplanes", hyperplanes, "2305.05465"},
      {"product", "tokens gather where V attracts and spread where it repels", product,
       "2305.05465"},
      {"leaders", "with random weights few tokens hold the attention", leaders, "2305.05465"},
      {"low-rank", "the attention matrix becomes a few columns", low_rank, "2305.05465"},
      {"causal-centres", "tokens nobody before them is near stay", causal_centres,
       "2411.04990, Fig. 2"},
      {"hardmax", "leaders, triangle, square: tokens go straight to vertices", hardmax,
       "2407.01602, Fig. 2"},
      {"hardmax-cells", "the cell of each vertex is its Voronoi cell", hardmax_cells, "2508.09628"},
      {"escape-times", "softmax attention leaves the vertices of its hull after a time e^(cβ)",
       escape_times, "2508.09628"},
      {"normalisation", "layer norms: who clusters fast early, who late", normalisation,
       "2510.22026, 2512.01868"},
      {"normalisation-weights", "the same layer norms with random query and key",
       normalisation_weights, "2510.22026"},
      {"density-modes", "how many peaks a kernel density has", density_modes, "2412.09080"},
      {"long-context", "one layer over n tokens: three branches", long_context, "2512.01868"},
      {"lost-in-the-middle", "retrieval along a causal swarm is U-shaped", lost_in_the_middle,
       "2605.09213"},
      {"chaos", "independent tokens come as near to infinitely many as n^(-1/2)", chaos},
      {"next-token", "how many atoms hold 99 % of the output measure, over time", next_token,
       "2312.10794"},
      {"readout", "how far one guest moves mean, median and class token, over size and spread",
       readout},
      {"perceptron-clusters", "how many atoms repelling tokens leave beside a perceptron",
       perceptron_clusters, "2601.21366"},
      {"perceptron-ascent", "attracting tokens beside a perceptron end in few atoms",
       perceptron_ascent, "2601.21366"},
      {"heads-approximation", "which fields sums of H heads approximate, and their limit", heads},
      {"residual-depth", "a residual network of L layers and its differential equation",
       residual_depth},
      {"mean-field", "waves out of the uniform density: the predicted one leads", mean_field,
       "2410.23228"},
      {"noisy-bifurcation", "when noise lets order set in, continuously or with a jump",
       noisy_bifurcation, "2412.14813, 2606.05140"},
      {"redraw-diffusion", "weights drawn anew make cosines diffuse, and collapse",
       redraw_diffusion},
      {"w2-rate", "how fast a density contracts to one point", w2_rate, "2504.14697"},
      {"real-models", "which predictions hold of trained transformers, and which do not",
       real_models, "2312.10794, 2305.05465, 2410.06833, 2309.17453, 2103.03404"},
      {"skipped-blocks",
       "whether tokens' motion says which blocks of a transformer can be left out", skipped_blocks},
  };
  return table;
}

Check near(const char* rule, const Compared& numbers, double tolerance) {
  const auto& [what, published, ours] = numbers;
  const double apart = std::fabs(ours - published);
  return {.what = what,
          .published = published,
          .ours = ours,
          .tolerance = tolerance,
          .answer = std::isnan(apart) || std::isnan(tolerance) ? Answer::open
                    : apart <= tolerance                       ? Answer::agrees
                                                               : Answer::disagrees,
          .rule_name = rule_of(rule).name,
          .rule = fmt::format("within {:g}", tolerance)};
}

Check nearly(const char* rule, const Compared& numbers, double share) {
  Check check = near(rule, numbers, share * std::fabs(numbers.published));
  check.rule = fmt::format("within {:g} %", 100 * share);
  return check;
}

Check holds(const char* rule, const ReadOff& number, bool agrees, const std::string& when) {
  return {.what = number.what,
          .ours = number.ours,
          .answer = std::isnan(number.ours) ? Answer::open
                    : agrees                ? Answer::agrees
                                            : Answer::disagrees,
          .rule_name = rule_of(rule).name,
          .rule = when};
}

Line line_of(const std::vector<double>& x, const std::vector<double>& y) {
  const Spread along = spread_of(x), up = spread_of(y);
  double cross = 0, square = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    cross += (x[k] - along.mean) * (y[k] - up.mean);
    square += (x[k] - along.mean) * (x[k] - along.mean);
  }
  return {cross / square, up.mean - cross / square * along.mean};
}

Reproduction result_of(const ReproductionControl& control, const std::string& name) {
  Reproduction result;
  result.folder = control.runs / name;
  std::filesystem::create_directories(result.folder);
  return result;
}

Spread spread_of(const std::vector<double>& values) {
  Spread s;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) s.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - s.mean) * (value - s.mean);
  if (values.size() > 1) s.sd = std::sqrt(squares / (count - 1));
  const auto ends = std::minmax_element(values.begin(), values.end());
  s.low = *ends.first;
  s.high = *ends.second;
  return s;
}

Answer Reproduction::verdict() const {
  const AnswerCounts counted = count_answers(*this, true);
  if (counted.disagrees > 0) return Answer::disagrees;
  return counted.open > 0 || counted.agrees == 0 ? Answer::open : Answer::agrees;
}

Answer expected_answer(const Reproduction& r, const Check& check) {
  if (!check.missing.empty()) return Answer::open;
  const ExpectedAnswer* known = expected_of(check.rule_name, check.what, r.quick);
  return known ? known->answer : Answer::agrees;
}

bool Reproduction::as_expected() const {
  return std::all_of(checks.begin(), checks.end(),
                     [&](const Check& c) { return c.answer == expected_answer(*this, c); });
}

AnswerCounts count_answers(const Reproduction& r, bool counted) {
  AnswerCounts answers;
  for (const Check& check : r.checks) {
    if (counts(rule_of(check.rule_name)) != counted) continue;
    answers.agrees += check.answer == Answer::agrees ? 1 : 0;
    answers.disagrees += check.answer == Answer::disagrees ? 1 : 0;
    answers.open += check.answer == Answer::open ? 1 : 0;
  }
  return answers;
}

std::optional<Reproduction> reproduce(const std::string& name, const ReproductionControl& control) {
  std::vector<std::string> names;
  for (const ReproductionRow& row : reproductions()) names.emplace_back(row.name);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) {
    const std::string near = did_you_mean(name, names);
    throw Error(Fault::usage, fmt::format("there is no reproduction {}", name), "command line",
                near.empty() ? "murmur reproduce list names them all"
                             : fmt::format("did you mean {}?", near));
  }
  const ReproductionRow& row = reproductions()[at - names.begin()];
  if (control.resume && !row.trains && !control.wrong.is_wrong())
    if (std::optional<Reproduction> kept = read_record(name, control)) {
      if (control.tell) control.tell(fmt::format("{:<32} kept from before", name));
      return kept;
    }
  ReproductionControl own = control;
  if (*control.wrong.training) own.changed.emplace_back(control.wrong.training);
  std::optional<Reproduction> done = row.run(own);
  if (!done) return done;
  done->name = name;
  done->quick = control.quick;
  done->changed = own.changed;
  if (control.wrong.is_wrong() || !control.figures) return done;  // nothing of it is kept
  const std::string suffix = control.quick ? "-quick" : "";
  for (const ReproducedTable& table : done->tables)
    write_file_atomically(done->folder / (table.name + suffix + ".csv"), csv_of(table));
  write_file_atomically(done->folder / ("checks" + suffix + ".csv"),
                        csv_of(table_of_checks(*done)));
  write_file_atomically(done->folder / ("result" + suffix + ".json"), json_of(*done));
  if (!row.trains) write_record(*done, control);  // last: what it names is there
  return done;
}

}  // namespace murmur
