// tables.cpp: writes and reads the rows of a cell, and makes the tables of all cells.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "ensemble/ensemble.h"
#include "experiment/forces.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/observe.h"
#include "murmur/theory.h"
#include "run/file.h"
#include "sweep/cells.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Formats a value as a CSV field.
std::string cell_text(const std::string& value) {
  if (value.find_first_of(",\"\n\r") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string number_text(double value) {  // the shortest text that parses to the same number
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

// "4,2," before the rows of a cell.
std::string prefix_of(const Cell& cell) {
  std::string prefix;
  for (const std::string& value : cell.values) prefix += cell_text(value) + ",";
  return prefix;
}

double number_of(std::string_view text) {
  double value = kNothing;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return text.empty() ? kNothing : value;
}

// Columns after the axes: t, replicas, a mean and an error per observable, cluster_counts.
constexpr std::size_t kColumns = 3 + 2 * kKept;

// The last kColumns cells of a line.
std::vector<std::string_view> last_columns(std::string_view line) {
  std::vector<std::string_view> cells(kColumns);
  for (std::size_t k = kColumns; k-- > 0;) {
    const std::size_t comma = line.rfind(',');
    cells[k] = comma == std::string_view::npos ? line : line.substr(comma + 1);
    line = comma == std::string_view::npos ? std::string_view{} : line.substr(0, comma);
  }
  return cells;
}

std::string counts_text(const CellTable& table) {  // 2:56;3:8
  std::string text;
  for (const auto& [clusters, replicas] : table.cluster_counts)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ";", clusters, replicas);
  return text.empty() ? "none" : text;
}

// Only the last row ends in a count of clusters, so that a truncated file is recognised.
bool is_whole(const std::string& rows, const std::string& prefix) {
  if (rows.empty() || rows.back() != '\n') return false;
  std::size_t start = 0;
  for (std::size_t end; (end = rows.find('\n', start)) != std::string::npos; start = end + 1) {
    const std::string_view line = std::string_view(rows).substr(start, end - start);
    if (line.substr(0, prefix.size()) != prefix) return false;
    const bool last = end + 1 == rows.size();
    if (last != !last_columns(line).back().empty()) return false;
  }
  return true;
}

std::string front_row(const Sweep& sweep, const Cell& cell, const CellCurve& curve) {
  CellCurve above = curve, below = curve;
  for (std::size_t k = 0; k < curve.t.size(); ++k) {
    const double error = std::isfinite(curve.error[k]) ? curve.error[k] : 0;
    above.mean[k] += error;
    below.mean[k] -= error;
  }
  const std::optional<double> predicted = predicted_front(spec_of_cell(sweep, cell).spec);
  return fmt::format("{}{},{},{},{}\n", prefix_of(cell), number_text(half_time(curve)),
                     number_text(half_time(above)), number_text(half_time(below)),
                     number_text(predicted.value_or(kNothing)));
}

}  // namespace

fs::path cell_path(const fs::path& directory, const Cell& cell) {
  return directory / kCellsFolder / fmt::format("{:06}.csv", cell.number);
}

std::string table_head(const Sweep& sweep) {
  std::string head;
  for (const Axis& axis : sweep.axes) head += axis.name + ",";
  head += "t,replicas";
  for (const std::string& name : kept_observables()) head += fmt::format(",{},{}_se", name, name);
  return head + ",cluster_counts\n";
}

std::string table_rows(const Sweep& sweep, const Cell& cell, const CellTable& table) {
  const std::string prefix = prefix_of(cell);
  std::string rows;
  for (std::size_t k = 0; k < table.t.size(); ++k) {
    rows += fmt::format("{}{},{}", prefix, table.t[k], sweep.replicas);
    for (std::size_t o = 0; o < kKept; ++o) {
      const Tally& tally = table.tally[k * kKept + o];
      rows += fmt::format(",{},{}", number_text(tally.mean), number_text(tally.error()));
    }
    rows += "," + (k + 1 == table.t.size() ? counts_text(table) : "") + "\n";
  }
  return rows;
}

std::optional<std::string> kept_rows(const Sweep& sweep, const Cell& cell,
                                     const fs::path& directory) {
  const fs::path path = cell_path(directory, cell);
  if (std::error_code ignored; !fs::exists(path, ignored)) return std::nullopt;
  const std::string text = read_text(path), head = table_head(sweep);
  if (text.rfind(head, 0) != 0) return std::nullopt;
  std::string rows = text.substr(head.size());
  if (!is_whole(rows, prefix_of(cell))) return std::nullopt;
  return rows;
}

CellCurve curve_of(const Sweep& sweep, const std::string& rows) {
  std::size_t column = 2;
  for (const std::string& name : kept_observables()) {
    if (name == sweep.observe) break;
    column += 2;
  }
  CellCurve curve;
  std::size_t start = 0;
  for (std::size_t end; (end = rows.find('\n', start)) != std::string::npos; start = end + 1) {
    const auto cells = last_columns(std::string_view(rows).substr(start, end - start));
    curve.t.push_back(number_of(cells[0]));
    curve.mean.push_back(number_of(cells[column]));
    curve.error.push_back(number_of(cells[column + 1]));
  }
  return curve;
}

std::optional<CellCurve> read_cell(const Sweep& sweep, const Cell& cell,
                                   const fs::path& directory) {
  const std::optional<std::string> rows = kept_rows(sweep, cell, directory);
  if (!rows) return std::nullopt;
  return curve_of(sweep, *rows);
}

double half_time(const CellCurve& curve) {
  return crossing_time({curve.t, curve.mean}, 0.5).value_or(kNothing);
}

std::optional<double> predicted_front(const ExperimentSpec& cell) {
  const auto* law = std::get_if<InitialLaw>(&cell.init);
  const bool even =
      law != nullptr && (law->kind == InitialLaw::uniform || law->kind == InitialLaw::orthonormal);
  if (!even || cell.masses || cell.model) return std::nullopt;
  const Shape shape{cell.n.value_or(kDefaultParticles), cell.d.value_or(kDefaultCoordinates)};
  Record unused;
  const Dynamics dynamics =
      dynamics_of({cell.dynamics, cell.random, cell.T, words_of(cell)}, shape, unused);
  if (!replicas_know(dynamics, Method::layers) || dynamics.clock != Clock::u1) return std::nullopt;
  const auto& attention = std::get<Attention>(dynamics.sublayers.front().forces.front());
  const double threshold = cell.pair_threshold;
  if (shape.n < 2 || attention.beta < 0 || attention.beta > 700 || threshold <= 0 || threshold >= 1)
    return std::nullopt;
  return theory::clustering_time(theory::equiangular_of(dynamics, shape.n), 1 - threshold);
}

void write_tables(const Sweep& sweep, const std::vector<Cell>& cells, const fs::path& directory) {
  Replacement all(directory / "sweep.csv"), front(directory / "front.csv");
  all.write(table_head(sweep));
  std::string head;
  for (const Axis& axis : sweep.axes) head += axis.name + ",";
  front.write(head + "t_half,t_half_early,t_half_late,t_predicted\n");
  for (const Cell& cell : cells) {
    const std::optional<std::string> rows = kept_rows(sweep, cell, directory);
    if (!rows) continue;  // the cell failed
    all.write(*rows);
    front.write(front_row(sweep, cell, curve_of(sweep, *rows)));
  }
  front.commit();
  all.commit();
}

}  // namespace murmur
