// reproduction.cpp: turns the tables of a reproduction into figures, and many of them into a page.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "report/figures.h"
#include "report/report.h"
#include "reproduce/author_settings.h"
#include "run/formats.h"
#include "run/shell.h"

namespace murmur {

namespace {

std::set<std::string> figure_names(const Reproduction& done) {
  std::set<std::string> names;
  for (const TablePanel& figure : done.figures) names.insert(figure.name);
  return names;
}

// One row for each check, with an explanation where it does not agree.
TextTable table_of(const Reproduction& done) {
  TextTable table{{"what", "compared with", "ours", "agrees when", "answer", "kind", "source"}};
  for (const Check& check : done.checks) {
    const Rule& rule = rule_of(check.rule_name);
    const CheckText numbers = numbers_of(check);
    std::string answer(name_of(check.answer));
    if (check.answer != expected_answer(done, check)) answer += ", NOT EXPECTED";
    if (!check.against.empty())
      answer += fmt::format(": {} changed", check.against);
    else if (const auto* known = expected_of(check.rule_name, check.what, done.quick))
      answer += fmt::format(": {}", known->explanation);
    table.push_back({check.what, numbers.published, numbers.ours, check.rule, answer,
                     std::string(name_of(rule.origin)), rule.source});
  }
  return table;
}

std::string caption_of(const Reproduction& done, const std::string& figure) {
  const auto found = done.captions.find(figure);
  return found == done.captions.end() ? "" : found->second;
}

std::string command_of(const Reproduction& done) {
  std::string words = "murmur reproduce " + done.name;
  for (const std::string& changed : done.changed) words += " " + shell_word(changed);
  return words + (done.quick ? " --quick" : "");
}

// For example "5 agree, 1 disagrees", then the counts of regressions and of checks of the program.
std::string note_of(const Reproduction& done) {
  const auto words = [](const AnswerCounts& answers) {
    std::string text;
    const auto add = [&](int count, const char* one, const char* many) {
      if (count == 0) return;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
    };
    add(answers.agrees, "agrees", "agree");
    add(answers.disagrees, "disagrees", "disagree");
    add(answers.open, "is open", "are open");
    return text;
  };
  std::string note = words(count_answers(done, true));
  for (const auto& [origin, name] : {std::pair{Origin::regression, "regressions"},
                                     std::pair{Origin::check, "checks of the program"}})
    if (const std::string beside = words(count_answers(done, origin)); !beside.empty())
      note += fmt::format("{}{}: {}", note.empty() ? "" : "; ", name, beside);
  return note;
}

bool all_agree(const Reproduction& done) {
  return std::all_of(done.checks.begin(), done.checks.end(), [](const Check& check) {
    return check.answer == Answer::agrees || check.answer == Answer::inapplicable;
  });
}

// The figures of one reproduction, then its verdicts.
void add_sections(Page& page, const Reproduction& done, const ReproductionRow& row) {
  std::string heading = done.name;
  std::string meaning = row.meaning;
  meaning[0] = static_cast<char>(std::toupper(meaning[0]));
  const std::string source = *row.source ? fmt::format(" Source: {}.", row.source) : "";
  const std::string changed = done.label().empty() ? "" : fmt::format(" {}.", done.label());
  const AuthorSetting* setting = author_setting(done.name);
  const std::string theirs = setting != nullptr && *setting->theirs
                                 ? fmt::format(" Setting of the authors: {} ({}). Ours: {}.",
                                               setting->theirs, setting->source, setting->ours)
                                 : "";
  const std::string words =
      fmt::format("{}.{}{}{} Made by: {}", meaning, source, theirs, changed, command_of(done));
  const auto next = [&] {
    PageSection& section = page.sections.emplace_back();
    if (heading.empty()) return &section;
    section.heading = std::exchange(heading, {});
    section.text = words;
    section.note = note_of(done);
    section.stressed = !all_agree(done);
    return &section;
  };
  for (const std::string& name : figure_names(done)) {
    const auto drawn = [&](const char* kind) {
      const auto path = done.folder / (name + done.suffix() + kind + ".svg");
      return std::filesystem::exists(path) ? path : std::filesystem::path();
    };
    if (drawn("").empty()) continue;
    PageSection& section = *next();
    section.picture = drawn("");
    section.caption = caption_of(done, name);
    section.dark_picture = drawn("-dark");
    section.narrow_picture = drawn("-narrow");
    section.narrow_dark_picture = drawn("-narrow-dark");
  }
  next()->table = table_of(done);
}

Figure figure_of(const Reproduction& done, const std::string& name) {
  Figure drawn;
  for (const TablePanel& figure : done.figures)
    for (const ColumnTable& table : done.tables) {
      if (figure.name != name || table.name != figure.table) continue;
      if (drawn.panels.empty()) drawn.columns = figure.columns;
      drawn.panels.push_back(panel_of(figure, table));
    }
  return drawn;
}

// The text file of a figure: its caption, the CSV files that hold its numbers, and the command that
// makes it.
std::string legend_of(const Reproduction& done, const std::string& name) {
  std::string text = caption_of(done, name);
  if (!text.empty()) text += "\n\n";
  for (const TablePanel& figure : done.figures)
    if (figure.name == name)
      text += fmt::format("{}: {}{}.csv\n", figure.title, figure.table, done.suffix());
  return text + fmt::format("Made by: {}\n", command_of(done));
}

}  // namespace

void draw_predictions(const Reproduction& done, FigureStyle style) {
  for (const std::string& name : figure_names(done)) {
    Figure figure = figure_of(done, name);
    figure.style = style;
    draw_svg_and_png(figure, done.folder, name);
  }
}

namespace {

// The panels below each other, for narrow pages: STEM-narrow.svg and its twin.
void draw_narrow(Figure figure, FigureStyle style, const std::filesystem::path& stem) {
  const bool dark = style == FigureStyle::dark;
  figure.columns = 1;
  figure.style = style;
  draw(figure, stem.string() + "-narrow.svg");
  figure.style = dark ? FigureStyle::paper : FigureStyle::dark;
  draw(figure, stem.string() + (dark ? "-narrow-light.svg" : "-narrow-dark.svg"));
}

}  // namespace

void draw_reproduction(const Reproduction& done, FigureStyle style) {
  const bool dark = style == FigureStyle::dark;
  for (const std::string& name : figure_names(done)) {
    const std::string stem = name + done.suffix();
    Figure figure = figure_of(done, name);
    figure.style = style;
    draw_svg_pdf_and_png(figure, done.folder, stem);
    figure.style = dark ? FigureStyle::paper : FigureStyle::dark;
    draw_svg_pdf_and_png(figure, done.folder, stem + (dark ? "-light" : "-dark"));
    if (figure.panels.size() > 1) draw_narrow(figure, style, done.folder / stem);
    write_file_atomically(done.folder / (stem + ".txt"), legend_of(done, name));
  }
}

void write_reproductions(const std::vector<Reproduction>& all, const std::filesystem::path& html) {
  Page page;
  page.title = "Figures of the clustering laboratory, done again";
  page.contents = true;
  page.lead =
      "Each number is next to the one that was published, predicted or found before, and its "
      "table says which. Only published and predicted numbers are counted here.";
  AnswerCounts sum;
  for (const Reproduction& done : all) {
    const AnswerCounts answers = count_answers(done, true);
    sum = {sum.agrees + answers.agrees, sum.disagrees + answers.disagrees, sum.open + answers.open};
    for (const ReproductionRow& row : reproductions())
      if (done.name == row.name) add_sections(page, done, row);
  }
  page.facts = {{fmt::format("{}", all.size()), "figures"},
                {fmt::format("{}", sum.agrees), "agree"},
                {fmt::format("{}", sum.disagrees), "disagree"},
                {fmt::format("{}", sum.open), "open"}};
  write_page(page, html);
}

}  // namespace murmur
