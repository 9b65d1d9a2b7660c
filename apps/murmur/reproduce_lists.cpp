// reproduce_lists.cpp: lists of reproductions, of their parameters and of the rules on them.
#include "reproduce_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reproduce/author_settings.h"

namespace murmur::app {

namespace {

const char* const kTraining =
    "every parameter of `murmur train`, applied to all its trainings, and seeds=N";

std::string source_of(const ReproductionRow& row) {
  const std::vector<std::string> papers = papers_of(row);
  if (papers.size() > 2) return fmt::format("{} and {} more", papers.front(), papers.size() - 1);
  return *row.source ? row.source : "this project";
}

// Cuts a text that is too long for its column.
std::string fitted(const std::string& text, std::size_t width) {
  std::size_t characters = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if ((static_cast<unsigned char>(text[k]) & 0xC0) == 0x80) continue;
    if (++characters == width) {
      const bool last = k + 1 == text.size();
      return last ? text : text.substr(0, k) + "…";
    }
  }
  return text + std::string(width - characters, ' ');
}

nlohmann::json json_of(const FigureParameter& p) {
  return {{"name", p.name},
          {"default", default_of(p, false)},
          {"quick", default_of(p, true)},
          {"takes", takes(p)},
          {"meaning", p.meaning}};
}

nlohmann::json parameters_json(const ReproductionRow& row) {
  nlohmann::json list = nlohmann::json::array();
  for (const FigureParameter& p : parameters_of(row.name)) list.push_back(json_of(p));
  return list;
}

std::string cell(const FigureParameter& p, bool is_quick) {
  const std::string text = default_of(p, is_quick);
  return is_quick && text == default_of(p, false) ? "" : text;
}

}  // namespace

bool is_paper(const std::string& word) {
  if (word.size() != 10 || word[4] != '.') return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

std::vector<const ReproductionRow*> rows_of_paper(const std::string& paper) {
  std::vector<const ReproductionRow*> rows;
  std::set<std::string> known;
  for (const ReproductionRow& row : reproductions()) {
    const std::vector<std::string> papers = papers_of(row);
    known.insert(papers.begin(), papers.end());
    if (std::find(papers.begin(), papers.end(), paper) != papers.end()) rows.push_back(&row);
  }
  if (rows.empty())
    usage(fmt::format("no reproduction is of the paper {}", paper),
          fmt::format("the papers are {}", fmt::join(known, ", ")));
  return rows;
}

void list_rows(const Flags& flags, const std::vector<const ReproductionRow*>& rows,
               bool names_only) {
  nlohmann::json list = nlohmann::json::array();
  std::string lines;
  for (const ReproductionRow* row : rows) {
    if (names_only) {
      lines += fmt::format("{}\n", row->name);
    } else {
      const Seconds& time = row->seconds;
      std::string line =
          fmt::format("{} {} {} {} {}", fitted(row->name, 22), fitted(row->meaning, 46),
                      fitted(source_of(*row), 30), fitted(duration_text(time.full), 8),
                      duration_text(time.quick));
      lines += line + "\n";
    }
    list.push_back({{"name", row->name},
                    {"meaning", row->meaning},
                    {"source", row->source},
                    {"papers", papers_of(*row)},
                    {"seconds", row->seconds.full},
                    {"quick_seconds", row->seconds.quick},
                    {"trains", row->trains},
                    {"parameters", parameters_json(*row)}});
  }
  if (flags.json) {
    report(list);
    return;
  }
  if (!names_only)
    say(flags, fmt::format("{} {} {} {} {}", fitted("name", 22), fitted("shows", 46),
                           fitted("source", 30), fitted("full", 8), "--quick"));
  app::data(lines);  // qualified: std::data would fit a string better
}

void list_parameters(const Flags& flags, const std::vector<const ReproductionRow*>& rows) {
  if (flags.json) {
    nlohmann::json all = nlohmann::json::object();
    for (const ReproductionRow* row : rows) all[row->name] = parameters_json(*row);
    report(all);
    return;
  }
  std::string text =
      "| figure | parameter | default | `--quick` | takes | meaning |\n|---|---|---|---|---|---|\n";
  for (const ReproductionRow* row : rows) {
    if (row->trains) text += fmt::format("| `{}` | | | | | {} |\n", row->name, kTraining);
    for (const FigureParameter& p : parameters_of(row->name))
      text += fmt::format("| `{}` | `{}` | {} | {} | {} | {} |\n", row->name, p.name,
                          cell(p, false), cell(p, true), takes(p), p.meaning);
  }
  app::data(text);
}

// The setting of the authors of each figure and where ours differs.
void list_settings(const Flags& flags) {
  if (!flags.json) {
    app::data(markdown_of_settings());
    return;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const AuthorSetting& setting : author_settings())
    rows.push_back({{"name", setting.name},
                    {"authors", setting.theirs},
                    {"source", setting.source},
                    {"ours", setting.ours}});
  report(rows);
}

std::string help_of_figure(const std::vector<std::string>& argv) {
  for (const ReproductionRow& row : reproductions()) {
    if (std::find(argv.begin(), argv.end(), row.name) == argv.end()) continue;
    std::string text = fmt::format(
        "{}: {}\nSource: {}\nProcessor time: {}; with --quick {}\n", row.name, row.meaning,
        source_of(row), duration_text(row.seconds.full), duration_text(row.seconds.quick));
    if (row.trains) return text + fmt::format("Parameters: {}\n", kTraining);
    text += "\nParameters, as key=value:\n";
    for (const FigureParameter& p : parameters_of(row.name)) {
      const std::string quick = cell(p, true);
      text += fmt::format("  {:<18} {} [{}{}]\n  {:<18} takes {}\n", p.name, p.meaning,
                          default_of(p, false), quick.empty() ? "" : "; --quick " + quick, "",
                          takes(p));
    }
    text += "\nRules of its verdict, and the parameters on which each depends:\n";
    for (const Rule& rule : rules()) {
      if (std::string(rule.name).rfind(std::string(row.name) + ".", 0) != 0) continue;
      const std::vector<std::string> names = depends_on(rule);
      text += fmt::format("  {:<30} {}\n", rule.name,
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
    }
    return text;
  }
  return "murmur reproduce NAME --help lists the parameters of a figure.";
}

}  // namespace murmur::app
