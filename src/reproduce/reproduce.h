// reproduce.h: published tables and figures computed again, each number with its verdict.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/run.h"
#include "murmur/training.h"
#include "picture/table_panel.h"
#include "reproduce/parameters.h"
#include "reproduce/rules.h"

namespace murmur {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();  // null in JSON

// One of our numbers, compared with a published or predicted one by a rule.
struct Check {
  std::string what{};
  double published = kNoNumber;  // the number that ours is compared with, whatever its origin
  double ours = kNoNumber;
  double tolerance = 0;
  Answer answer = Answer::open;
  std::string rule_name{};               // in the table of rules
  std::string rule{};                    // the condition for agreement, as text
  std::map<std::string, double> more{};  // asked, sd, seeds, ...
  std::string missing{};  // the file that this machine lacks; the check is then expected to be open
  std::string against{};  // changed parameters on which an inapplicable rule depends
};

std::string_view name_of(Curve::Mark drawn);

struct Reproduction {
  std::string name{};
  bool quick = false;
  std::vector<std::string> changed{};  // key=value that differ from the defaults of the figure
  std::vector<Check> checks{};
  std::vector<ColumnTable> tables{};
  std::vector<TablePanel> figures{};
  std::map<std::string, std::string> captions{};  // by names of figures
  std::filesystem::path folder{};                 // for runs, tables and result.json

  // Of the checks that count: open where there are none, or where one is open and none disagrees.
  Answer verdict() const;
  bool as_expected() const;    // of all checks, including those that do not count
  std::string label() const;   // "changed: beta=5 instead of 4"; empty where nothing was changed
  std::string suffix() const;  // of the names of its files: "", "-quick", "-changed", both
};
// The answer that a check of this reproduction must have, by the table of expected answers.
Answer expected_answer(const Reproduction& reproduction, const Check& check);

struct AnswerCounts {
  int agrees = 0, disagrees = 0, open = 0, inapplicable = 0;
};
AnswerCounts count_answers(const Reproduction& reproduction, bool counted);  // or the others
AnswerCounts count_answers(const Reproduction& reproduction, Origin origin);

struct ReproductionControl : ProcessControl {
  bool quick = false;  // fewer trainings, epochs and samples
  int seeds = 3;       // of each row of a table of accuracies: 0, 1, ...
  int threads = 0;
  std::filesystem::path runs = "runs";          // the folder of runs
  std::filesystem::path data{};                 // the folder of the pictures
  std::vector<std::filesystem::path> models{};  // folders of trained transformers, in this order
  std::vector<std::string> changed{};  // key=value: parameters of the figure, or of its trainings
  FigureValues values{};               // of the figure's parameters, read by reproduce()
  std::vector<std::string> argv{};     // for manifests
  // Reads back a figure that this version has computed with these settings. Stored trainings are
  // always read back.
  bool resume = false;
  bool figures = true;  // false: only what checks need, without slow maps
  WrongModel wrong{};   // for tests of the rules, which then apply whatever was changed
  std::function<void(const std::string& line)>
      tell{};  // prints what was trained and what was read back
};

// Processor time on one core; 0: not measured.
struct Seconds {
  double full = 0, quick = 0;
};

struct ReproductionRow {
  const char* name;
  const char* meaning;
  std::optional<Reproduction> (*run)(const ReproductionControl&);
  const char* source = "";  // arXiv number and figure; empty: this project
  Seconds seconds{};
  bool trains = false;       // needs the pictures of digits
  Task task = Task::digits;  // of its trainings
};
std::span<const ReproductionRow> reproductions();
// The arXiv numbers in the source of a row.
std::vector<std::string> papers_of(const ReproductionRow& row);
// "20 s", "3 min"; "-" for 0.
std::string duration_text(double seconds);

// Computes what is missing, reads back what is stored, and writes result.json, the tables as CSV
// and record.json, from which a later call reads the result, to its folder. Returns nothing when
// stopped by a signal; the same call continues. Error(usage) for a name that is not in the table.
std::optional<Reproduction> reproduce(const std::string& name, const ReproductionControl& control);

// Predictions of theory for a stored run: panels, and a check where a rate is known. Writes
// nothing.
Reproduction predictions_of(const RunReader& run, const Experiment& experiment);

std::string json_of(const Reproduction& reproduction);
// One line per disagreement, open check or unexpected answer, with both numbers and the best
// explanation.
std::vector<std::string> disagreements_of(const Reproduction& reproduction);
// Both numbers of a check, with as many digits as its tolerance needs: numbers that differ by more
// are printed differently.
struct CheckText {
  std::string published, ours;
};
CheckText numbers_of(const Check& check);
ColumnTable table_of_checks(const Reproduction& reproduction);
std::string markdown_of(const Reproduction& reproduction);  // tables of up to 40 rows
std::string csv_of(const ColumnTable& table);

}  // namespace murmur
