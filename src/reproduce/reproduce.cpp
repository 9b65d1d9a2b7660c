// reproduce.cpp: the table of reproductions, computes them with their verdicts, and stores the
// results.
#include "reproduce/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "murmur/error.h"
#include "reproduce/reproductions.h"
#include "run/formats.h"

namespace murmur {

std::span<const ReproductionRow> reproductions() {
  static constexpr ReproductionRow table[] = {
      {figure::swarm_table,
       "accuracies of the swarm that reads digits",
       swarm_table,
       "code of the digit swarm",
       {0, 93},
       true},
      {figure::flock_argument,
       "why a flock: five readers of the same digits",
       flock_argument,
       "",
       {0, 63},
       true},
      {figure::saved_work,
       "how much work a settled swarm can leave out",
       saved_work,
       "",
       {0, 25},
       true},
      {figure::ladder,
       "two digits compared, a word's sense, by rungs",
       ladder,
       "",
       {0, 149},
       true,
       Task::same},
      {figure::order,
       "subject or object, with positions and without",
       order,
       "",
       {0, 5.8},
       true,
       Task::order},
      {figure::phase_diagram,
       "how many pairs have met, over time and β",
       phase_diagram,
       "2312.10794, Fig. 3",
       {0, 6.6}},
      {figure::circle_clusters,
       "how many clusters stay on the circle",
       circle_clusters,
       "2312.10794, Fig. 4",
       {4.1, 2.0}},
      {figure::random_weights,
       "the front with random query, key and value",
       random_weights,
       "2312.10794, Fig. 5",
       {0, 24}},
      {figure::equiangular,
       "tokens at right angles keep one cosine",
       equiangular,
       "2312.10794, Theorem 6.8",
       {2.1, 1.2}},
      {figure::growth,
       "how fast modes grow out of the uniform swarm",
       growth,
       "2410.23228",
       {0, 2.7}},
      {figure::fastest_modes, "which mode grows fastest, over β", fastest_modes, "", {0.593, 0.6}},
      {figure::kinetic, "five tokens merge one by one", kinetic, "2410.06833", {0.287, 0.3}},
      {figure::layers_clock,
       "how slow the clock of the papers' layers runs",
       layers_clock,
       "",
       {0.306, 0.3}},
      {figure::staircase,
       "the energy climbs one step per merger",
       staircase,
       "2410.06833",
       {0.816, 0.2}},
      {figure::lifetimes, "how long two clusters live apart", lifetimes, "", {0.984, 0.5}},
      {figure::polytope,
       "tokens come to the boundary of a polytope",
       polytope,
       "2305.05465",
       {0.191, 0.1}},
      {figure::hyperplanes,
       "tokens in R^d come to parallel hyperplanes",
       hyperplanes,
       "2305.05465",
       {1, 0.9}},
      {figure::product,
       "tokens gather where V attracts, not elsewhere",
       product,
       "2305.05465",
       {0.5, 0.5}},
      {figure::leaders,
       "few tokens hold the attention in the end",
       leaders,
       "2305.05465",
       {0.2, 0.2}},
      {figure::low_rank,
       "the attention matrix becomes a few columns",
       low_rank,
       "2305.05465",
       {18, 2}},
      {figure::causal_centres,
       "tokens with no earlier token near them stay",
       causal_centres,
       "2411.04990, Fig. 2",
       {2.2, 1}},
      {figure::hardmax,
       "hard attention: tokens go straight to leaders",
       hardmax,
       "2407.01602, Fig. 2",
       {0.3, 0.3}},
      {figure::hardmax_cells,
       "the cell of each vertex is its Voronoi cell",
       hardmax_cells,
       "2508.09628",
       {0, 3.5}},
      {figure::escape_times,
       "tokens leave vertices after a time e^(cβ)",
       escape_times,
       "2508.09628",
       {3.562, 1.1}},
      {figure::normalisation,
       "layer norms: who clusters fast early, who late",
       normalisation,
       "2510.22026, 2512.01868",
       {0.331, 0.3}},
      {figure::normalisation_weights,
       "the same layer norms with random query and key",
       normalisation_weights,
       "2510.22026",
       {1.9, 0.3}},
      {figure::density_modes,
       "how many peaks a kernel density has",
       density_modes,
       "2412.09080",
       {2.4, 1.1}},
      {figure::long_context,
       "one layer over n tokens: three branches",
       long_context,
       "2512.01868",
       {2.8, 1.1}},
      {figure::lost_in_the_middle,
       "retrieval along a causal swarm is U-shaped",
       lost_in_the_middle,
       "2605.09213",
       {0, 6.6}},
      {figure::chaos, "n tokens are n^(-1/2) from infinitely many", chaos, "", {0, 5.1}},
      {figure::next_token,
       "how many atoms hold 99 % of the output measure",
       next_token,
       "2312.10794",
       {5.7, 1.2}},
      {figure::readout, "how far one guest moves each readout", readout, "", {48, 5.5}},
      {figure::perceptron_clusters,
       "clusters of repelling tokens and a perceptron",
       perceptron_clusters,
       "2601.21366",
       {0, 18}},
      {figure::perceptron_ascent,
       "attracting tokens and a perceptron: few atoms",
       perceptron_ascent,
       "2601.21366",
       {0, 2.9}},
      {figure::heads_approximation,
       "which fields sums of H heads approximate",
       heads,
       "",
       {0, 8.3}},
      {figure::residual_depth,
       "L residual layers and the flow of their limit",
       residual_depth,
       "",
       {0, 2.7}},
      {figure::mean_field,
       "waves out of the uniform density of tokens",
       mean_field,
       "2410.23228",
       {0, 2.2}},
      {figure::noisy_bifurcation,
       "at which noise order sets in, and how",
       noisy_bifurcation,
       "2412.14813, 2606.05140",
       {0, 74.5}},
      {figure::redraw_diffusion,
       "redrawn weights make cosines diffuse",
       redraw_diffusion,
       "",
       {0, 5.3}},
      {figure::w2_rate,
       "how fast a density contracts to one point",
       w2_rate,
       "2504.14697",
       {0, 2.2}},
      {figure::real_models,
       "which predictions hold of trained transformers",
       real_models,
       "2312.10794, 2305.05465, 2410.06833, 2309.17453, 2103.03404",
       {0, 2.1}},
      {figure::skipped_blocks,
       "blocks of trained transformers left out",
       skipped_blocks,
       "",
       {0, 2.0}},
  };
  return table;
}

Check check_near(const char* rule, const Compared& numbers, double tolerance) {
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

Check check_near_share(const char* rule, const Compared& numbers, double share) {
  Check check = check_near(rule, numbers, share * std::fabs(numbers.published));
  check.rule = fmt::format("within {:g} %", 100 * share);
  return check;
}

Check check_holds(const char* rule, const ReadOff& number, bool agrees, const std::string& when) {
  return {.what = number.what,
          .ours = number.ours,
          .answer = std::isnan(number.ours) ? Answer::open
                    : agrees                ? Answer::agrees
                                            : Answer::disagrees,
          .rule_name = rule_of(rule).name,
          .rule = when};
}

Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  const Spread along = spread_of(x), up = spread_of(y);
  double cross = 0, square = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    cross += (x[k] - along.mean) * (y[k] - up.mean);
    square += (x[k] - along.mean) * (x[k] - along.mean);
  }
  return {cross / square, up.mean - cross / square * along.mean};
}

std::vector<ColumnTable::Cell>& add_point(ColumnTable& table, double x, std::size_t column,
                                          double y) {
  auto& row = table.rows.emplace_back(table.columns.size(), kNoNumber);
  row[0] = x;
  row[column] = y;
  return row;
}

std::string group_digits(int number) {
  std::string text = fmt::format("{}", number);
  for (auto at = static_cast<int>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

Reproduction new_result(const ReproductionControl& control, const std::string& name) {
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
  s.count = values.size();
  return s;
}

Answer Reproduction::verdict() const {
  const AnswerCounts counted = count_answers(*this, true);
  if (counted.disagrees > 0) return Answer::disagrees;
  return counted.open > 0 || counted.agrees == 0 ? Answer::open : Answer::agrees;
}

std::string Reproduction::label() const { return label_of_changes(name, quick, changed); }

std::string Reproduction::suffix() const {
  return fmt::format("{}{}", quick ? "-quick" : "", changed.empty() ? "" : "-changed");
}

Answer expected_answer(const Reproduction& r, const Check& check) {
  if (check.answer == Answer::inapplicable) return Answer::inapplicable;
  if (!check.missing.empty()) return Answer::open;
  const ExpectedAnswer* known = expected_of(check.rule_name, check.what, r.quick);
  // A changed figure may agree where the unchanged one does not, and may leave a number open.
  if (!r.changed.empty() && (check.answer == Answer::agrees || check.answer == Answer::open))
    return check.answer;
  if (known == nullptr) return Answer::agrees;
  return known->answer;
}

bool Reproduction::as_expected() const {
  return std::all_of(checks.begin(), checks.end(),
                     [&](const Check& c) { return c.answer == expected_answer(*this, c); });
}

namespace {

template <class Chosen>
AnswerCounts count_if_rule(const Reproduction& r, const Chosen& is_chosen) {
  AnswerCounts answers;
  for (const Check& check : r.checks) {
    if (!is_chosen(rule_of(check.rule_name))) continue;
    answers.agrees += check.answer == Answer::agrees ? 1 : 0;
    answers.disagrees += check.answer == Answer::disagrees ? 1 : 0;
    answers.open += check.answer == Answer::open ? 1 : 0;
    answers.inapplicable += check.answer == Answer::inapplicable ? 1 : 0;
  }
  return answers;
}

}  // namespace

AnswerCounts count_answers(const Reproduction& r, bool counted) {
  return count_if_rule(r, [&](const Rule& rule) { return counts(rule) == counted; });
}

AnswerCounts count_answers(const Reproduction& r, Origin origin) {
  return count_if_rule(r, [&](const Rule& rule) { return rule.origin == origin; });
}

namespace {

const ReproductionRow& row_named(const std::string& name) {
  std::vector<std::string> names;
  for (const ReproductionRow& row : reproductions()) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  const std::string near = did_you_mean(name, names);
  throw Error(Fault::usage, fmt::format("there is no reproduction {}", name), "command line",
              near.empty() ? "murmur reproduce list names them all"
                           : fmt::format("did you mean {}?", near));
}

// Removes the verdict of every check whose rule depends on what was changed.
void mark_inapplicable(Reproduction& done) {
  for (Check& check : done.checks) {
    check.against = changes_against(rule_of(check.rule_name), done.changed);
    if (check.against.empty()) continue;
    check.answer = Answer::inapplicable;
    check.published = check.tolerance = kNoNumber;
    check.rule.clear();
    check.missing.clear();
  }
}

// Adds what was changed to titles and captions.
void label_as_changed(Reproduction& done) {
  const std::string text = done.label();
  for (TablePanel& figure : done.figures) figure.title += " (changed)";
  for (auto& [figure, caption] : done.captions) {
    std::string own = text;
    own[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(own[0])));
    caption = fmt::format("{}. About the unchanged figure: {}", own, caption);
  }
}

// Runs a figure, and removes the empty folders of a refused request.
std::optional<Reproduction> run_figure(const ReproductionRow& row, const ReproductionControl& own) {
  const bool had_runs = std::filesystem::exists(own.runs);
  try {
    return row.run(own);
  } catch (const Error&) {
    std::error_code not_empty;
    std::filesystem::remove(own.runs / row.name, not_empty);
    if (!had_runs) std::filesystem::remove(own.runs, not_empty);
    throw;
  }
}

// Computes one figure; where something was changed, it is labelled and its rules may not apply.
std::optional<Reproduction> compute(const ReproductionRow& row, const ReproductionControl& own) {
  std::optional<Reproduction> done = run_figure(row, own);
  if (!done) return done;
  done->name = row.name;
  done->quick = own.quick;
  done->changed = own.changed;
  if (done->changed.empty() || own.wrong.is_wrong()) return done;
  mark_inapplicable(*done);
  label_as_changed(*done);
  return done;
}

}  // namespace

std::optional<Reproduction> reproduce(const std::string& name, const ReproductionControl& control) {
  const ReproductionRow& row = row_named(name);
  ReproductionControl own = control;
  if (!row.trains) own.values = FigureValues(name, control.quick, control.changed);
  if (control.resume && !row.trains && !control.wrong.is_wrong())
    if (std::optional<Reproduction> kept = read_record(name, control)) {
      if (control.tell) control.tell(fmt::format("{:<32} kept from before", name));
      return kept;
    }
  if (*control.wrong.training) own.changed.emplace_back(control.wrong.training);
  std::optional<Reproduction> done = compute(row, own);
  if (control.stopped()) return std::nullopt;  // parts of it may be missing
  if (!done || control.wrong.is_wrong() || !control.figures) return done;  // it is not stored
  const std::string suffix = done->suffix();
  for (const ColumnTable& table : done->tables)
    write_file_atomically(done->folder / (table.name + suffix + ".csv"), csv_of(table));
  write_file_atomically(done->folder / ("checks" + suffix + ".csv"),
                        csv_of(table_of_checks(*done)));
  write_file_atomically(done->folder / ("result" + suffix + ".json"), json_of(*done));
  if (!row.trains) write_record(*done, control);  // last, when the files it names exist
  return done;
}

std::vector<std::string> papers_of(const ReproductionRow& row) {
  static const std::regex number("[0-9]{4}\\.[0-9]{5}");
  const std::string source = row.source;
  return {std::sregex_token_iterator(source.begin(), source.end(), number), {}};
}

std::string duration_text(double seconds) {
  if (seconds <= 0) return "-";
  if (seconds < 1) return "< 1 s";
  if (seconds < 100) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 6000) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  return fmt::format("{:.0f} h", std::ceil(seconds / 3600));
}

}  // namespace murmur
