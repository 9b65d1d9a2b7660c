// reproduce.cpp: the table of reproductions, and their results as JSON, CSV and plain tables.
#include "reproduce/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

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
      {"low-rank", "the attention matrix becomes a few columns", low_rank, "2305.05465"},
      {"causal-centres", "tokens nobody before them is near stay", causal_centres,
       "2411.04990, Fig. 2"},
      {"hardmax", "leaders, triangle, square: tokens go straight to vertices", hardmax,
       "2407.01602, Fig. 2"},
      {"hardmax-cells", "the cell of each vertex is its Voronoi cell", hardmax_cells, "2508.09628"},
      {"normalisation", "layer norms: who clusters fast early, who late", normalisation,
       "2510.22026, 2512.01868"},
      {"density-modes", "how many peaks a kernel density has", density_modes, "2412.09080"},
      {"long-context", "one layer over n tokens: three branches", long_context, "2512.01868"},
      {"lost-in-the-middle", "retrieval along a causal swarm is U-shaped", lost_in_the_middle,
       "2605.09213"},
      {"chaos", "n independent tokens come as near to infinitely many as n^(-1/2)", chaos},
      {"next-token", "how many atoms hold 99 % of the output measure, over time", next_token,
       "2312.10794"},
      {"perceptron-clusters", "how many atoms repelling tokens leave beside a perceptron",
       perceptron_clusters, "2601.21366"},
      {"perceptron-ascent", "attracting tokens beside a perceptron end in few atoms",
       perceptron_ascent, "2601.21366"},
      {"heads-approximation", "error of one layer against its number of heads", heads},
      {"mean-field", "waves out of the uniform density: the predicted one leads", mean_field,
       "2410.23228"},
      {"noisy-bifurcation", "when noise lets order set in, continuously or with a jump",
       noisy_bifurcation, "2412.14813, 2606.05140"},
  };
  return table;
}

Check near(const std::string& what, double published, double ours, double tolerance) {
  return {.what = what,
          .published = published,
          .ours = ours,
          .tolerance = tolerance,
          .agrees = std::fabs(ours - published) <= tolerance,
          .rule = fmt::format("within {:g}", tolerance)};
}

Check nearly(const std::string& what, double published, double ours, double share) {
  Check check = near(what, published, ours, share * std::fabs(published));
  check.rule = fmt::format("within {:g} %", 100 * share);
  return check;
}

Check holds(const std::string& what, double ours, bool agrees, const std::string& rule) {
  return {.what = what, .ours = ours, .agrees = agrees, .rule = rule};
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

bool Reproduction::agrees() const {
  return std::all_of(checks.begin(), checks.end(), [](const Check& c) { return c.agrees; });
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
  if (control.resume && !row.trains)
    if (std::optional<Reproduction> kept = read_record(name, control)) {
      if (control.tell) control.tell(fmt::format("{:<32} kept from before", name));
      return kept;
    }
  std::optional<Reproduction> done = row.run(control);
  if (!done) return done;
  done->name = name;
  done->quick = control.quick;
  done->changed = control.changed;
  const std::string suffix = control.quick ? "-quick" : "";
  for (const ReproducedTable& table : done->tables)
    write_file_atomically(done->folder / (table.name + suffix + ".csv"), csv_of(table));
  write_file_atomically(done->folder / ("result" + suffix + ".json"), json_of(*done));
  if (!row.trains) write_record(*done, control);  // last: what it names is there
  return done;
}

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const Check& check) {
  Json object = {{"what", check.what},
                 {"published", number_or_null(check.published)},
                 {"ours", number_or_null(check.ours)},
                 {"tolerance", number_or_null(check.tolerance)},
                 {"agrees", check.agrees},
                 {"rule", check.rule}};
  for (const auto& [key, value] : check.more) object[key] = number_or_null(value);
  return object;
}

// A table becomes a list of objects, one a row.
Json json_of(const ReproducedTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      const auto* text = std::get_if<std::string>(&row[c]);
      object[table.columns[c]] = text ? Json(*text) : number_or_null(std::get<double>(row[c]));
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

// At most four digits after the point, none that say nothing; small numbers by their exponent.
std::string short_text(double value) {
  if (!std::isfinite(value)) return "";
  if (value != 0 && std::fabs(value) < 1e-3) return fmt::format("{:.2g}", value);
  std::string text = fmt::format("{:.4f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string cell_text(const ReproducedTable::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text ? *text : short_text(std::get<double>(cell));
}

using Lines = std::vector<std::vector<std::string>>;

// A markdown table whose columns line up; the first line is the head.
std::string aligned(const Lines& lines) {
  std::vector<std::size_t> width(lines.front().size(), 3);
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());
  std::string text;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    for (std::size_t c = 0; c < lines[k].size(); ++c)
      text += fmt::format("| {:<{}} ", lines[k][c], width[c]);
    text += "|\n";
    if (k > 0) continue;
    for (const std::size_t w : width) text += "|" + std::string(w + 2, '-');
    text += "|\n";
  }
  return text;
}

Lines lines_of(const std::vector<Check>& checks) {
  std::set<std::string> more;
  for (const Check& check : checks)
    for (const auto& entry : check.more) more.insert(entry.first);
  Lines lines = {{"what", "published", "ours", "tolerance", "agrees"}};
  lines[0].insert(lines[0].end(), more.begin(), more.end());
  lines[0].emplace_back("agrees when");
  for (const Check& check : checks) {
    std::vector<std::string> line = {check.what, short_text(check.published),
                                     short_text(check.ours), short_text(check.tolerance),
                                     check.agrees ? "yes" : "NO"};
    for (const std::string& key : more)
      line.push_back(check.more.count(key) != 0 ? short_text(check.more.at(key)) : "");
    line.push_back(check.rule);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::string json_of(const Reproduction& r) {
  Json object = {{"name", r.name},       {"quick", r.quick},
                 {"agrees", r.agrees()}, {"folder", r.folder.string()},
                 {"changed", r.changed}, {"checks", Json::array()}};
  for (const Check& check : r.checks) object["checks"].push_back(json_of(check));
  for (const ReproducedTable& table : r.tables) object[table.name] = json_of(table);
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string csv_of(const ReproducedTable& table) {
  std::string text = fmt::format("{}\n", fmt::join(table.columns, ","));
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) text += ',';
      if (const auto* words = std::get_if<std::string>(&row[c]))
        text += words->find(',') == std::string::npos ? *words : '"' + *words + '"';
      else if (std::isfinite(std::get<double>(row[c])))
        text += fmt::format("{}", std::get<double>(row[c]));
    }
    text += '\n';
  }
  return text;
}

std::string markdown_of(const Reproduction& r) {
  std::string text = aligned(lines_of(r.checks));
  constexpr std::size_t kMostRows = 40;  // longer tables are for files and figures
  for (const ReproducedTable& table : r.tables) {
    if (table.rows.size() > kMostRows) continue;
    Lines lines = {table.columns};
    for (const auto& row : table.rows) {
      lines.emplace_back();
      for (const auto& cell : row) lines.back().push_back(cell_text(cell));
    }
    text += fmt::format("\n{}\n\n{}", table.name, aligned(lines));
  }
  return text;
}

}  // namespace murmur
