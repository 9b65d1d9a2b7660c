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
#include <variant>
#include <vector>

#include "murmur/experiment.h"
#include "murmur/run.h"
#include "murmur/training.h"
#include "picture/figure.h"
#include "reproduce/parameters.h"
#include "reproduce/rules.h"

namespace murmur {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();  // null in JSON

// One number of ours held against one that was published or predicted, as its rule says.
struct Check {
  std::string what{};
  double published = kNoNumber;  // what ours is held against, whatever its origin
  double ours = kNoNumber;
  double tolerance = 0;
  Answer answer = Answer::open;
  std::string rule_name{};               // of the table of rules
  std::string rule{};                    // when it agrees, in words
  std::map<std::string, double> more{};  // asked, sd, seeds, ...
  std::string missing{};                 // what this machine lacks; open is then expected
  std::string against{};                 // changed parameters on which an inapplicable rule depends
};

// Numbers beside the checks.
struct ReproducedTable {
  using Cell = std::variant<std::string, double>;
  std::string name{};  // its key in JSON, the stem of its CSV
  std::vector<std::string> columns{};
  std::vector<std::vector<Cell>> rows{};
};

// How a column is drawn. One look for all figures: what theory says are lines (dashes: a leading
// order, a bound, an unstable branch), what was measured are points (rings: in another way), counts
// are points or bars, a histogram is levels or bars, diamonds are who matters most.
using Drawn = Curve::Mark;
std::string_view name_of(Drawn drawn);

struct ReproducedCurve {
  // Instead of a place in the series of colours: the next one, that of text, that of axes.
  static constexpr int kNextColour = Curve::kByPlace, kInk = Curve::kInk, kQuiet = Curve::kQuiet;

  std::string column{};
  Drawn drawn = Drawn::points;
  std::string name{};        // in the key; empty: not there
  int colour = kNextColour;  // what theory says has the colour of what is held against it
  std::string error{};       // column of half-lengths of its bars
};

struct ReproducedAxis {
  std::string label{};  // words and symbols; _{...} and ^{...} are set low and high
  bool log = false;
  double from = kNoNumber, to = kNoNumber;  // NaN: as far as the data go
  double every = 0;                         // distance of its marks; 0: chosen
  bool angle = false;                       // radians from -π to π, marked at multiples of π/2
};

// A thin line across the panel where something is expected; one of x and y is given.
struct ReproducedGuide {
  std::string name{};
  double x = kNoNumber, y = kNoNumber;
};

// Some columns of a table drawn over one of them: a panel. Panels of one name make one figure.
struct ReproducedFigure {
  std::string name{}, table{};  // the figure's stem; the table it shows
  std::string title{};
  ReproducedAxis x{}, y{};
  std::vector<ReproducedCurve> curves{};
  std::string over{};              // the column that is drawn over; empty: the first
  std::string by{};                // one colour for each value of this column; empty: one in all
  std::string by_name{};           // "β": the key says β = 4; empty: the value alone
  std::string apart{};             // lines break where the value of this column changes
  std::string map{}, map_label{};  // column shown as colours over the first two columns
  std::vector<ReproducedGuide> guides{};
  bool equal_axes = false;
  bool side_by_side = false;  // points of several curves at one x stand beside each other
  int columns = 2;            // of the figure; of its panels the first one says it
};

struct Reproduction {
  std::string name{};
  bool quick = false;
  std::vector<std::string> changed{};  // key=value that differ from the figure's own
  std::vector<Check> checks{};
  std::vector<ReproducedTable> tables{};
  std::vector<ReproducedFigure> figures{};
  std::map<std::string, std::string> captions{};  // by the names of figures: what is seen there
  std::filesystem::path folder{};                 // runs, tables and result.json are kept here

  // Of the checks that count: open where there are none, or where one is open and none disagrees.
  Answer verdict() const;
  bool as_expected() const;    // every check, those that do not count too
  std::string label() const;   // "changed: beta=5 instead of 4"; empty where nothing was changed
  std::string suffix() const;  // of the files that are kept of it: "", "-quick", "-changed", both
};
// What the committed list says that a check of this reproduction answers.
Answer expected_answer(const Reproduction& reproduction, const Check& check);

struct AnswerCounts {
  int agrees = 0, disagrees = 0, open = 0, inapplicable = 0;
};
AnswerCounts count_answers(const Reproduction& reproduction, bool counted);  // or those beside
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
  // A figure that this version finished before with these settings is read back, not done again;
  // trainings are always looked for first.
  bool resume = false;
  bool figures = true;  // false: what checks need, without maps that take long
  WrongModel wrong{};   // for tests of the rules, which are then judged whatever was changed
  std::function<void(const std::string& line)> tell{};  // what was trained, what was read back
};

// Processor time on one core; 0: not measured.
struct Seconds {
  double full = 0, quick = 0;
};

struct ReproductionRow {
  const char* name;
  const char* meaning;
  std::optional<Reproduction> (*run)(const ReproductionControl&);
  const char* source = "";  // arXiv number and figure; empty: this project's own
  Seconds seconds{};
  bool trains = false;       // needs the pictures of digits
  Task task = Task::digits;  // of its trainings
};
std::span<const ReproductionRow> reproductions();
// The arXiv numbers in the source of a row.
std::vector<std::string> papers_of(const ReproductionRow& row);
// "20 s", "3 min"; "-" for 0.
std::string duration_text(double seconds);

// Does what is missing, reads back what was done before, and keeps result.json, the tables as CSV
// and record.json, from which it is read back whole, in its folder. Nothing when stopped by a
// signal: the same call goes on. Error(usage) for a name that is not in the table.
std::optional<Reproduction> reproduce(const std::string& name, const ReproductionControl& control);

// Predictions of theory beside a stored run: panels, and a check where
// a rate is known. Nothing is written.
Reproduction predictions_of(const RunReader& run, const Experiment& experiment);

std::string json_of(const Reproduction& reproduction);
// A line a disagreement, an open check or an answer that was not expected: both numbers, and the
// best explanation.
std::vector<std::string> dissents_of(const Reproduction& reproduction);
// Both numbers of a check, with as many digits as its tolerance needs: where they differ beyond it
// they never look alike.
struct CheckText {
  std::string published, ours;
};
CheckText numbers_of(const Check& check);
ReproducedTable table_of_checks(const Reproduction& reproduction);
std::string markdown_of(const Reproduction& reproduction);  // tables of up to 40 rows
std::string csv_of(const ReproducedTable& table);

}  // namespace murmur
