// reproduce.cpp: murmur reproduce: named tables and arguments done again, each with its verdict.
#include "reproduce/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "command.h"
#include "meeting.h"
#include "murmur/error.h"
#include "murmur/stop.h"
#include "progress.h"
#include "ranks.h"
#include "recipe.h"
#include "recipe_words.h"
#include "report/figures.h"
#include "report/report.h"
#include "reproduce_lists.h"
#include "run/json_text.h"
#include "run_kind.h"
#include "style.h"

namespace murmur::app {

namespace {

bool quick = false, everything = false, resume = false, names_only = false;
bool several = false;  // figures in one call
std::string style = "paper";

int whole_number(const std::string& word, const std::string& value, int most) {
  int number = 0;
  const char* end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || at != end || number < 1 || number > most)
    throw Error(Fault::input, fmt::format("{} is not a whole number from 1 to {}", word, most),
                "command line: " + word, "write e.g. seeds=3 threads=2");
  return number;
}

std::string models_folder(const std::string& word) {
  if (!std::filesystem::is_directory(word))
    throw Error(Fault::input, "there is no such folder of models", word,
                "give a folder with a folder or file for each model: docs/real-models.md");
  return word;
}

// Among several figures seeds=N is for those that have seeds.
bool is_for_others(const ReproductionRow& row, const std::string& key) {
  if (!several || key != "seeds") return false;
  const std::vector<FigureParameter>& own = parameters_of(row.name);
  return std::none_of(own.begin(), own.end(), [&](const auto& p) { return p.name == key; });
}

// Parameters of `murmur train` are laid over every training.
std::vector<Parameter> reproduce_parameters() {
  using P = Parameter;
  return {
      {P::whole, "seeds", "3", "1 to 1000",
       "how many seeds each row of accuracies is trained with; the rows of the recipe published "
       "have 8 or more"},
      {P::word, "models", "none", "a folder",
       "where the trained transformers are, a folder or file for each"}};
}

ReproductionControl control_of(const Flags& flags, const Words& words, const ReproductionRow& row) {
  ReproductionControl control;
  control.quick = quick;
  control.resume = resume;
  control.runs = flags.runs;
  control.argv = program_argv;
  if (const std::string home = data_home(); !home.empty())
    control.models.push_back(std::filesystem::path(home) / "murmur" / "models");
  std::string data = "auto";
  for (const std::string& word : words.assignments) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "data")
      data = value;
    else if (key == "models")
      control.models.insert(control.models.begin(), models_folder(value));
    else if (key == "seeds" && row.trains)
      control.seeds = whole_number(word, value, 1000);
    else if (key == "threads" && value == "all")
      control.threads = 0;
    else if (key == "threads")
      control.threads = whole_number(word, value, 4096);
    else if (key == "seed" && row.trains)
      usage("a reproduction has its own seeds: 0, 1, ...", "say how many with seeds=N");
    else if (key == "reader" && row.trains)
      usage("a reproduction has its own readers", "leave reader out");
    else if (!is_for_others(row, key))
      control.changed.push_back(word);
  }
  if (row.trains) {
    const Training first = make_training(lay_over({.task = row.task}, control.changed));
    if (!reads_words(first.task)) control.data = data_folder(data);  // either refuses early
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
  usage(fmt::format("there is no reproduction {}", name),
        near.empty() ? "murmur reproduce list names them all"
                     : fmt::format("did you mean {}?", near));
}

std::vector<const ReproductionRow*> all_rows() {
  std::vector<const ReproductionRow*> rows;
  for (const ReproductionRow& row : reproductions()) rows.push_back(&row);
  return rows;
}

// The rows that a word names: one figure, or those of a paper.
std::vector<const ReproductionRow*> rows_of(const std::string& word) {
  return is_paper(word) ? rows_of_paper(word) : std::vector{&row_of(word)};
}

// Every rule of every verdict, as a table or as JSON.
int list_rules(const Flags& flags) {
  if (!flags.json) {
    app::data(markdown_of_rules());
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
  report(rows);
  return 0;
}

// What every rule answers to the null models, as a table or as JSON.
int list_null_models(const Flags& flags) {
  if (!flags.json) {
    app::data(markdown_of_null_models());
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
  report(rows);
  return 0;
}

// The command that goes on with this one.
std::string how_to_go_on() {
  std::vector<std::string> words(program_argv.begin() + 1, program_argv.end());
  if (!resume) words.insert(words.begin() + 1, "--resume");  // before a -- that ends all flags
  return shell_line(words);
}

// Does one; nothing when a signal came, which is told.
std::optional<Reproduction> do_one(const Flags& flags, const Words& words,
                                   const ReproductionRow& row, LiveProcess& process) {
  ReproductionControl control = control_of(flags, words, row);
  static_cast<ProcessControl&>(control) = process.control;
  control.tell = [&](const std::string& text) { process.tell(text); };
  std::optional<Reproduction> done;
  finishes([&] { done = reproduce(row.name, control); });
  process.clear();
  if (!done) tell_stopped(flags, how_to_go_on());
  return done;
}

// A figure that cannot be drawn here is passed over: its numbers are kept.
void draw(const Flags& flags, const Reproduction& done) {
  std::vector<std::string> words = telling_words(program_argv);
  if (everything) words.insert(words.begin() + 1, done.name);
  const picture::Signature signature(recipe_of({.folder = flags.runs, .words = std::move(words)}));
  try {
    draw_reproduction(done, style_of(style));
  } catch (const Error& error) {
    if (error.fault != Fault::tool) throw;
    say(flags, fmt::format("figures of {} are not drawn: {}", done.name, error.summary));
  }
}

std::string words_of(const AnswerCounts& answers) {
  const std::string rest =
      answers.inapplicable == 0 ? "" : fmt::format(", {} do not apply", answers.inapplicable);
  return fmt::format("{} agree, {} disagree, {} open{}", answers.agrees, answers.disagrees,
                     answers.open, rest);
}

std::string verdict_of(const Reproduction& done) {
  return fmt::format("{}: {}; beside: {}", name_of(done.verdict()),
                     words_of(count_answers(done, true)), words_of(count_answers(done, false)));
}

// Every answer that is no agreement with its explanation, then the three counts. The exit code says
// whether all answers are the expected ones.
int tell_answers(const Flags& flags, const std::vector<Reproduction>& all) {
  AnswerCounts sums[2];
  bool as_expected = true;
  for (const Reproduction& one : all) {
    if (!one.label().empty()) say(flags, fmt::format("{} {}", one.name, one.label()));
    for (const std::string& line : dissents_of(one)) say(flags, line);
    as_expected = as_expected && one.as_expected();
    for (const bool counted : {true, false}) {
      const AnswerCounts answers = count_answers(one, counted);
      AnswerCounts& sum = sums[counted ? 0 : 1];
      sum = {sum.agrees + answers.agrees, sum.disagrees + answers.disagrees,
             sum.open + answers.open, sum.inapplicable + answers.inapplicable};
    }
  }
  say(flags, fmt::format("published and predicted: {}", words_of(sums[0])));
  say(flags, fmt::format("regressions and checks of the program: {}", words_of(sums[1])));
  if (as_expected) return 0;
  say(flags, "not every answer is the expected one");
  return static_cast<int>(Fault::verification);
}

// Does one and draws it; nothing when a signal came, which is told.
std::optional<Reproduction> do_and_draw(const Flags& flags, const Words& words,
                                        const ReproductionRow& row, LiveProcess& process) {
  std::optional<Reproduction> done = do_one(flags, words, row, process);
  if (!done || finishes([&] { draw(flags, *done); })) return done;
  process.clear();
  tell_stopped(flags, how_to_go_on());
  return std::nullopt;
}

// One of several: with its name before and its verdict behind.
std::optional<Reproduction> do_next(const Flags& flags, const Words& words,
                                    const ReproductionRow& row, LiveProcess& process) {
  process.tell(fmt::format("{}: {}", row.name, row.meaning));
  std::optional<Reproduction> done = do_and_draw(flags, words, row, process);
  if (done) process.tell(fmt::format("  {}", verdict_of(*done)));
  return done;
}

// Those that ranks are dealt: each figure is claimed by one of them. The first waits for what the
// others have claimed, does what they died over, and reads the rest back.
class Deal {
 public:
  Deal(const Flags& flags, const Words& words) : meeting_(flags) {
    const std::string asked = fmt::format("{} {}", quick, fmt::join(words.assignments, " "));
    if (meeting_.first())
      meeting_.tell({flags.runs, asked});
    else
      meeting_.hear(asked);
  }
  bool first() const { return meeting_.first(); }
  std::optional<File> take(const std::string& name) const { return meeting_.claims().take(name); }
  File wait_for(const std::string& name) const {
    for (;;) {
      if (std::optional<File> claim = take(name)) return std::move(*claim);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  void note(const std::string& name) const { meeting_.claims().leave_word(name, "done"); }
  bool is_done(const std::string& name) const {
    return meeting_.claims().word_about(name).has_value();
  }

 private:
  Meeting meeting_;
};

// This rank's share: every figure that no other has claimed. False when a signal came.
bool do_share(const Flags& flags, const Words& words,
              const std::vector<const ReproductionRow*>& rows, const Deal& deal,
              LiveProcess& process) {
  for (const ReproductionRow* row : rows) {
    if (deal.is_done(row->name)) continue;
    const std::optional<File> claim = deal.take(row->name);
    if (!claim || deal.is_done(row->name)) continue;
    if (!do_next(flags, words, *row, process)) return false;
    deal.note(row->name);
  }
  return true;
}

// Several figures, and the page that shows them: `stem`.html below the folder of runs.
int run_several(const Flags& flags, const Words& words,
                const std::vector<const ReproductionRow*>& rows, const std::string& stem) {
  several = true;
  for (const ReproductionRow* row : rows) control_of(flags, words, *row);  // refuses early
  std::vector<Reproduction> all;
  LiveProcess process(flags);
  std::optional<Deal> deal;
  if (started_as().size > 1) deal.emplace(flags, words);
  if (deal && !do_share(flags, words, rows, *deal, process)) return 128 + caught_signal;
  if (deal && !deal->first()) return 0;
  UnitProgress figures(process.control, "figures");
  for (std::size_t k = 0; k < rows.size(); ++k) figures.add();
  const bool asked = resume;
  for (const ReproductionRow* row : rows) {
    figures.tell(row->name);
    std::optional<File> claim;
    if (deal) claim = deal->wait_for(row->name);
    resume = asked || (deal && deal->is_done(row->name));
    const auto done = do_next(flags, words, *row, process);
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
    report(list);
  } else {
    app::data(page.string() + "\n");
  }
  return tell_answers(flags, all);
}

// Every figure of the laboratory; the tables that train take hours and are asked for by name.
int run_all(const Flags& flags, const Words& words) {
  std::vector<const ReproductionRow*> rows;
  for (const ReproductionRow* row : all_rows())
    if (!row->trains) rows.push_back(row);
  return run_several(flags, words, rows, "reproduce");
}

// What is answered without computing a figure; nothing where a figure was asked for.
std::optional<int> answer_list(const Flags& flags, const std::vector<std::string>& plain) {
  const std::string& asked = plain.front();
  const bool whole = asked == "rules" || asked == "null-models" || asked == "settings";
  if (!whole && asked != "list" && asked != "parameters") return std::nullopt;
  if (plain.size() > (whole ? 1 : 2))
    usage(fmt::format("reproduce {} takes no {}", asked, plain.back()), "leave it out");
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
  const Words sorted = sort_words(words);
  if (!flags.out.empty())
    usage("a reproduction lies below the folder of runs", "say --runs DIR instead of -o");
  if (everything) {
    if (!sorted.plain.empty())
      usage("--all does every figure: it takes no name", "leave out " + sorted.plain.front());
    return run_all(flags, sorted);
  }
  if (!sorted.plain.empty())
    if (const std::optional<int> code = answer_list(flags, sorted.plain)) return *code;
  if (sorted.plain.size() != 1)
    usage("one reproduction is done at a time", "murmur reproduce list names them; or give --all");
  if (is_paper(sorted.plain.front()))
    return run_several(flags, sorted, rows_of_paper(sorted.plain.front()),
                       "reproduce-" + sorted.plain.front());
  if (started_as().size > 1)
    usage("one reproduction is done by one process",
          "start it without mpirun or srun; --all is dealt out to ranks, figure by figure");
  const ReproductionRow& row = row_of(sorted.plain.front());
  LiveProcess process(flags);
  const auto done = do_and_draw(flags, sorted, row, process);
  if (!done) return 128 + caught_signal;
  data(flags.json ? json_of(*done) : markdown_of(*done));
  say(flags, fmt::format("kept in {}", done->folder.string()));
  return tell_answers(flags, {*done});
}

}  // namespace

// Runs of this word are the recurrent nets that learn in a swarm's place.
RunKind reproduce_kind() {
  const Refusal part = {"this run is a part of a reproduction: a recurrent net that learns",
                        "murmur reproduce flock-argument makes it, goes on with it and reads it"};
  return {.word = "reproduce",
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
          "Do a published table or an argument again, each number with its verdict.",
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
            sub.add_flag("--resume", resume, "read back figures that were finished before");
            sub.add_flag("--quick", quick, "fewer trainings, seeds and swarms");
            sub.add_flag("--all", everything,
                         "every figure of the laboratory, and one page of all");
            sub.add_flag("--names", names_only, "of list: print a name per line and no more");
            sub.add_footer([] { return help_of_figure(program_argv); });
            add_style(sub, style);
            sub.add_option("--checkpoint", flags.checkpoint_seconds, "seconds between checkpoints")
                .range(0.0, 10.0);
          },
          run,
          false,
          reproduce_parameters,
          training_parameters};
}

}  // namespace murmur::app
