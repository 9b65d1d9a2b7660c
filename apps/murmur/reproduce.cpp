// reproduce.cpp: murmur reproduce: computes published tables and figures again and compares the
// numbers.
#include "reproduce/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "command.h"
#include "murmur/error.h"
#include "murmur/stop.h"
#include "output.h"
#include "ranks.h"
#include "recipe.h"
#include "report/figures.h"
#include "report/report.h"
#include "reproduce/author_settings.h"
#include "run/claims.h"
#include "run/json_text.h"
#include "run_kind.h"

namespace murmur::app {

namespace {

const char* const kTraining =
    "every parameter of `murmur train`, applied to all its trainings, and seeds=N";

std::string source_of(const ReproductionRow& row) {
  const std::vector<std::string> papers = papers_of(row);
  if (papers.size() > 2) return fmt::format("{} and {} more", papers.front(), papers.size() - 1);
  return *row.source ? row.source : "this project";
}

// Cuts or pads a text to the width of its column.
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

// Whether the text has the form of an arXiv number, 2312.10794.
bool is_paper(const std::string& word) {
  if (word.size() != 10 || word[4] != '.') return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

// The rows of a paper. Error(usage) with the known papers if there are none.
std::vector<const ReproductionRow*> rows_of_paper(const std::string& paper) {
  std::vector<const ReproductionRow*> rows;
  std::set<std::string> known;
  for (const ReproductionRow& row : reproductions()) {
    const std::vector<std::string> papers = papers_of(row);
    known.insert(papers.begin(), papers.end());
    if (std::find(papers.begin(), papers.end(), paper) != papers.end()) rows.push_back(&row);
  }
  if (rows.empty())
    throw_usage_error(fmt::format("no reproduction is of the paper {}", paper),
                      fmt::format("the papers are {}", fmt::join(known, ", ")));
  return rows;
}

// Prints a line per row: name, description, source, durations; or JSON, or only names.
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
                      fitted(source_of(*row), 30), fitted(murmur::duration_text(time.full), 8),
                      murmur::duration_text(time.quick));
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
    print_json(list);
    return;
  }
  if (!names_only)
    print_message(flags, fmt::format("{} {} {} {} {}", fitted("name", 22), fitted("shows", 46),
                                     fitted("source", 30), fitted("full", 8), "--quick"));
  print_text(lines);
}

// Prints every parameter of these rows as a table in Markdown, or as JSON.
void list_parameters(const Flags& flags, const std::vector<const ReproductionRow*>& rows) {
  if (flags.json) {
    nlohmann::json all = nlohmann::json::object();
    for (const ReproductionRow* row : rows) all[row->name] = parameters_json(*row);
    print_json(all);
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
  print_text(text);
}

// Prints the setting of the authors of every figure and the differences here, as a table or as
// JSON.
void list_settings(const Flags& flags) {
  if (!flags.json) {
    print_text(markdown_of_settings());
    return;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const AuthorSetting& setting : author_settings())
    rows.push_back({{"name", setting.name},
                    {"authors", setting.theirs},
                    {"source", setting.source},
                    {"ours", setting.ours}});
  print_json(rows);
}

// The end of `murmur reproduce NAME --help`: the parameters of the figure that argv names.
std::string help_of_figure(const std::vector<std::string>& argv) {
  for (const ReproductionRow& row : reproductions()) {
    if (std::find(argv.begin(), argv.end(), row.name) == argv.end()) continue;
    std::string text =
        fmt::format("{}: {}\nSource: {}\nProcessor time: {}; with --quick {}\n", row.name,
                    row.meaning, source_of(row), murmur::duration_text(row.seconds.full),
                    murmur::duration_text(row.seconds.quick));
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

bool quick = false, everything = false, resume = false, names_only = false;
bool several = false;  // several figures in one call
std::string style = "paper";

int positive_number(const Assignment& given, int most) {
  if (const auto number = parse_whole(given.value, 1, most)) return static_cast<int>(*number);
  const std::string text = given.key + "=" + given.value;
  throw Error(Fault::input, fmt::format("{} is not a whole number from 1 to {}", text, most),
              "command line: " + text, "write e.g. seeds=3 threads=2");
}

std::string models_folder(const std::string& word) {
  if (!std::filesystem::is_directory(word))
    throw Error(Fault::input, "there is no such folder of models", word,
                "give a folder with a folder or file for each model: docs/real-models.md");
  return word;
}

// With several figures, seeds=N applies only to those that have seeds.
bool is_for_others(const ReproductionRow& row, const std::string& key) {
  if (!several || key != "seeds") return false;
  const std::vector<FigureParameter>& own = parameters_of(row.name);
  return std::none_of(own.begin(), own.end(), [&](const auto& p) { return p.name == key; });
}

// In addition, parameters of `murmur train` apply to every training.
std::vector<Parameter> reproduce_parameters() {
  using P = Parameter;
  return {
      {P::whole, "seeds", "3", "1 to 1000",
       "how many seeds each row of accuracies is trained with; the rows of the recipe published "
       "have 8 or more"},
      {P::word, "models", "none", "a folder",
       "where the trained transformers are, a folder or file for each"}};
}

ReproductionControl control_of(const Flags& flags, const Arguments& arguments,
                               const ReproductionRow& row) {
  ReproductionControl control;
  control.quick = quick;
  control.resume = resume;
  control.runs = flags.runs;
  control.argv = program_argv;
  if (const std::string home = data_home(); !home.empty())
    control.models.push_back(std::filesystem::path(home) / "murmur" / "models");
  std::string data = "auto";
  for (const std::string& text : arguments.assignments) {
    const Assignment given = split_assignment(text);
    const std::string& key = given.key;
    if (key == "data")
      data = given.value;
    else if (key == "models")
      control.models.insert(control.models.begin(), models_folder(given.value));
    else if (key == "seeds" && row.trains)
      control.seeds = positive_number(given, 1000);
    else if (key == "threads")
      control.threads = given.value == "all" ? 0 : positive_number(given, 4096);
    else if (key == "seed" && row.trains)
      throw_usage_error("a reproduction has its own seeds: 0, 1, ...",
                        "give their number with seeds=N");
    else if (key == "reader" && row.trains)
      throw_usage_error("a reproduction has its own readers", "leave reader out");
    else if (!is_for_others(row, key))
      control.changed.push_back(text);
  }
  if (row.trains) {
    const Training first = make_training(apply_assignments({.task = row.task}, control.changed));
    if (!reads_words(first.task)) control.data = data_folder(data);  // both refuse early
  } else {
    FigureValues(row.name, quick, control.changed);  // refuses before anything is computed
  }
  return control;
}

const ReproductionRow& row_of(const std::string& name) {
  std::vector<std::string> names;
  for (const ReproductionRow& row : reproductions()) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  const std::string near = did_you_mean(name, names);
  throw_usage_error(fmt::format("there is no reproduction {}", name),
                    near.empty() ? "murmur reproduce list names them all"
                                 : fmt::format("did you mean {}?", near));
}

std::vector<const ReproductionRow*> all_rows() {
  std::vector<const ReproductionRow*> rows;
  for (const ReproductionRow& row : reproductions()) rows.push_back(&row);
  return rows;
}

// The rows of a name: one figure, or those of a paper.
std::vector<const ReproductionRow*> rows_of(const std::string& word) {
  return is_paper(word) ? rows_of_paper(word) : std::vector{&row_of(word)};
}

// Prints every rule of every verdict, as a table or as JSON.
int list_rules(const Flags& flags) {
  if (!flags.json) {
    print_text(markdown_of_rules());
    return 0;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const Rule& rule : rules())
    rows.push_back({{"name", rule.name},
                    {"kind", name_of(rule.origin)},
                    {"source", rule.source},
                    {"asks", rule.asks},
                    {"rejects", rule.rejects.words()},
                    {"depends_on", depends_on(rule)},
                    {"since", rule.since},
                    {"changed", rule.changed}});
  print_json(rows);
  return 0;
}

// Prints the answers of every rule to the null models, as a table or as JSON.
int list_null_models(const Flags& flags) {
  if (!flags.json) {
    print_text(markdown_of_null_models());
    return 0;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const Rule& rule : rules()) {
    nlohmann::json row = {{"name", rule.name}, {"kind", name_of(rule.origin)}};
    for (const NullModel null : null_models()) {
      const NullAnswer* answer = null_answer(rule, null);
      row[std::string(name_of(null))] = {
          {"answer", name_of(answer == nullptr ? NullOutcome::rejects : answer->outcome)},
          {"explanation", answer == nullptr ? "" : answer->explanation}};
    }
    rows.push_back(row);
  }
  print_json(rows);
  return 0;
}

// The command that continues this one.
std::string continuing_command() {
  std::vector<std::string> words(program_argv.begin() + 1, program_argv.end());
  if (!resume) words.insert(words.begin() + 1, "--resume");  // before a -- that ends all flags
  return shell_line(words);
}

// Computes one figure; nothing, after a message, if a signal came.
std::optional<Reproduction> compute(const Flags& flags, const Arguments& arguments,
                                    const ReproductionRow& row, LiveProcess& process) {
  ReproductionControl control = control_of(flags, arguments, row);
  static_cast<ProcessControl&>(control) = process.control;
  control.tell = [&](const std::string& text) { process.print_message(text); };
  std::optional<Reproduction> done;
  finishes([&] { done = reproduce(row.name, control); });
  process.clear();
  if (!done) print_stopped(flags, continuing_command());
  return done;
}

// Draws one figure. If a tool is missing, its numbers are kept without the picture.
void draw(const Flags& flags, const Reproduction& done) {
  std::vector<std::string> words = picture_arguments(program_argv);
  if (everything) words.insert(words.begin() + 1, done.name);
  const picture::Signature signature(recipe_of({.folder = flags.runs, .words = std::move(words)}));
  try {
    draw_reproduction(done, style_of(style));
  } catch (const Error& error) {
    if (error.fault != Fault::tool) throw;
    print_message(flags, fmt::format("figures of {} are not drawn: {}", done.name, error.summary));
  }
}

std::string counts_text(const AnswerCounts& answers) {
  const std::string rest =
      answers.inapplicable == 0 ? "" : fmt::format(", {} do not apply", answers.inapplicable);
  return fmt::format("{} agree, {} disagree, {} open{}", answers.agrees, answers.disagrees,
                     answers.open, rest);
}

std::string verdict_of(const Reproduction& done) {
  return fmt::format("{}: {}; also: {}", name_of(done.verdict()),
                     counts_text(count_answers(done, true)),
                     counts_text(count_answers(done, false)));
}

// Prints every answer that is not an agreement, with its explanation, then the counts. The exit
// code is 0 if all answers are the expected ones.
int print_answers(const Flags& flags, const std::vector<Reproduction>& all) {
  AnswerCounts sums[2];
  bool as_expected = true;
  for (const Reproduction& one : all) {
    if (!one.label().empty()) print_message(flags, fmt::format("{} {}", one.name, one.label()));
    for (const std::string& line : disagreements_of(one)) print_message(flags, line);
    as_expected = as_expected && one.as_expected();
    for (const bool counted : {true, false}) {
      const AnswerCounts answers = count_answers(one, counted);
      AnswerCounts& sum = sums[counted ? 0 : 1];
      sum = {sum.agrees + answers.agrees, sum.disagrees + answers.disagrees,
             sum.open + answers.open, sum.inapplicable + answers.inapplicable};
    }
  }
  print_message(flags, fmt::format("published and predicted: {}", counts_text(sums[0])));
  print_message(flags,
                fmt::format("regressions and checks of the program: {}", counts_text(sums[1])));
  if (as_expected) return 0;
  print_message(flags, "not every answer is the expected one");
  return static_cast<int>(Fault::verification);
}

// Computes one figure and draws it; nothing, after a message, if a signal came.
std::optional<Reproduction> compute_and_draw(const Flags& flags, const Arguments& arguments,
                                             const ReproductionRow& row, LiveProcess& process) {
  std::optional<Reproduction> done = compute(flags, arguments, row, process);
  if (!done || finishes([&] { draw(flags, *done); })) return done;
  process.clear();
  print_stopped(flags, continuing_command());
  return std::nullopt;
}

// Computes one of several figures, with a message before and after it.
std::optional<Reproduction> compute_next(const Flags& flags, const Arguments& arguments,
                                         const ReproductionRow& row, LiveProcess& process) {
  process.print_message(fmt::format("{}: {}", row.name, row.meaning));
  std::optional<Reproduction> done = compute_and_draw(flags, arguments, row, process);
  if (done) process.print_message(fmt::format("  {}", verdict_of(*done)));
  return done;
}

// Figures divided among ranks: each figure is claimed by one of them. Rank 0 waits for the figures
// of the others, computes those of ranks that died, and reads the rest.
class FigureClaims {
 public:
  FigureClaims(const Flags& flags, const Arguments& arguments) : ranks_(flags) {
    const std::string asked = fmt::format("{} {}", quick, fmt::join(arguments.assignments, " "));
    if (ranks_.first())
      ranks_.announce({flags.runs, asked});
    else
      ranks_.wait_for_task(asked);
  }
  bool first() const { return ranks_.first(); }
  std::optional<File> take(const std::string& name) const { return ranks_.claims().take(name); }
  File wait_for(const std::string& name) const {
    for (;;) {
      if (std::optional<File> claim = take(name)) return std::move(*claim);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  void mark_done(const std::string& name) const { ranks_.claims().leave_message(name, "done"); }
  bool is_done(const std::string& name) const {
    return ranks_.claims().message_about(name).has_value();
  }

 private:
  RankFolder ranks_;
};

// Computes every figure that no other rank has claimed. False if a signal came.
bool compute_share(const Flags& flags, const Arguments& arguments,
                   const std::vector<const ReproductionRow*>& rows, const FigureClaims& claims,
                   LiveProcess& process) {
  for (const ReproductionRow* row : rows) {
    if (claims.is_done(row->name)) continue;
    const std::optional<File> claim = claims.take(row->name);
    if (!claim || claims.is_done(row->name)) continue;
    if (!compute_next(flags, arguments, *row, process)) return false;
    claims.mark_done(row->name);
  }
  return true;
}

// Computes several figures, and writes their page: `stem`.html below the folder of runs.
int run_several(const Flags& flags, const Arguments& arguments,
                const std::vector<const ReproductionRow*>& rows, const std::string& stem) {
  several = true;
  for (const ReproductionRow* row : rows) control_of(flags, arguments, *row);  // refuses early
  std::vector<Reproduction> all;
  LiveProcess process(flags);
  std::optional<FigureClaims> claims;
  if (launch().size > 1) claims.emplace(flags, arguments);
  if (claims && !compute_share(flags, arguments, rows, *claims, process))
    return 128 + caught_signal;
  if (claims && !claims->first()) return 0;
  UnitProgress figures(process.control, "figures");
  for (std::size_t k = 0; k < rows.size(); ++k) figures.add();
  const bool asked = resume;
  for (const ReproductionRow* row : rows) {
    figures.tell(row->name);
    std::optional<File> claim;
    if (claims) claim = claims->wait_for(row->name);
    resume = asked || (claims && claims->is_done(row->name));
    const auto done = compute_next(flags, arguments, *row, process);
    if (!done) return 128 + caught_signal;
    figures.end();
    all.push_back(*done);
  }
  const std::filesystem::path page =
      std::filesystem::path(flags.runs) / (stem + (quick ? "-quick.html" : ".html"));
  write_reproductions(all, page);
  if (flags.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Reproduction& one : all) list.push_back(json_of_text(json_of(one)));
    print_json(list);
  } else {
    print_text(page.string() + "\n");
  }
  return print_answers(flags, all);
}

// Computes every figure of the laboratory, without the tables that train, which take hours.
int run_all(const Flags& flags, const Arguments& arguments) {
  std::vector<const ReproductionRow*> rows;
  for (const ReproductionRow* row : all_rows())
    if (!row->trains) rows.push_back(row);
  return run_several(flags, arguments, rows, "reproduce");
}

// Prints a list without computing a figure; nothing if a figure is asked for.
std::optional<int> print_list(const Flags& flags, const std::vector<std::string>& plain) {
  const std::string& asked = plain.front();
  const bool whole = asked == "rules" || asked == "null-models" || asked == "settings";
  if (!whole && asked != "list" && asked != "parameters") return std::nullopt;
  if (plain.size() > (whole ? 1 : 2))
    throw_usage_error(fmt::format("reproduce {} takes no {}", asked, plain.back()), "leave it out");
  if (asked == "rules") return list_rules(flags);
  if (asked == "null-models") return list_null_models(flags);
  if (asked == "settings") {
    list_settings(flags);
    return 0;
  }
  const auto rows = plain.size() == 1 ? all_rows() : rows_of(plain[1]);
  if (asked == "list")
    list_rows(flags, rows, names_only);
  else
    list_parameters(flags, rows);
  return 0;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  several = false;
  const Arguments arguments = parse_arguments(words);
  if (!flags.out.empty())
    throw_usage_error("a reproduction is written below the folder of runs",
                      "use --runs DIR instead of -o");
  if (everything) {
    if (!arguments.positional.empty())
      throw_usage_error("--all computes every figure and takes no name",
                        "leave out " + arguments.positional.front());
    return run_all(flags, arguments);
  }
  if (!arguments.positional.empty())
    if (const std::optional<int> code = print_list(flags, arguments.positional)) return *code;
  if (arguments.positional.size() != 1)
    throw_usage_error("only one reproduction can be computed at a time",
                      "murmur reproduce list names them; or give --all");
  if (is_paper(arguments.positional.front()))
    return run_several(flags, arguments, rows_of_paper(arguments.positional.front()),
                       "reproduce-" + arguments.positional.front());
  if (launch().size > 1)
    throw_usage_error("a single reproduction runs as one process",
                      "start it without mpirun or srun; --all divides the figures among ranks");
  const ReproductionRow& row = row_of(arguments.positional.front());
  LiveProcess process(flags);
  const auto done = compute_and_draw(flags, arguments, row, process);
  if (!done) return 128 + caught_signal;
  print_text(flags.json ? json_of(*done) : markdown_of(*done));
  print_message(flags, fmt::format("kept in {}", done->folder.string()));
  return print_answers(flags, {*done});
}

}  // namespace

// Runs of this kind are trainings of recurrent networks.
RunKind reproduce_kind() {
  const Refusal part = {"this run is a part of a reproduction: the training of a recurrent network",
                        "murmur reproduce flock-argument creates, continues and reads it"};
  return {.command = "reproduce",
          .noun = "reproduce",
          .parameters = training_parameters,
          .explains_parameters = false,
          .no_resume = part,
          .free = free_training_settings(),
          .no_swarm = part,
          .no_report = part};
}

Command reproduce_command() {
  return {"reproduce",
          "Compute a published table or figure again, each number with its verdict.",
          "  murmur reproduce list\n"
          "  murmur reproduce kinetic beta=5\n"
          "  murmur reproduce kinetic --help\n"
          "  murmur reproduce list 2312.10794\n"
          "  murmur reproduce 2410.06833 --quick\n"
          "  murmur reproduce parameters kinetic\n"
          "  murmur reproduce rules\n"
          "  murmur reproduce null-models\n"
          "  murmur reproduce settings\n"
          "  murmur reproduce kinetic --style slides\n"
          "  murmur reproduce --all --quick\n"
          "  murmur reproduce --all --quick --resume\n"
          "  murmur reproduce swarm-table --quick\n"
          "  murmur reproduce real-models models=FOLDER\n"
          "  murmur reproduce flock-argument threads=2 --json",
          [](Options& sub, Flags& flags) {
            sub.add_flag("--resume", resume, "read the figures that were finished before");
            sub.add_flag("--quick", quick, "fewer trainings, seeds and swarms");
            sub.add_flag("--all", everything,
                         "every figure of the laboratory, and one page for all");
            sub.add_flag("--names", names_only, "of list: print only names, one per line");
            sub.add_footer([] { return help_of_figure(program_argv); });
            sub.add_style(style);
            sub.add_checkpoint(flags);
          },
          run,
          false,
          reproduce_parameters,
          training_parameters};
}

}  // namespace murmur::app
