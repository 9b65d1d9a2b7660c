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
#include "progress.h"
#include "ranks.h"
#include "recipe.h"
#include "report/figures.h"
#include "report/report.h"
#include "run/json_text.h"
#include "run_kind.h"
#include "style.h"

namespace murmur::app {

namespace {

bool quick = false, everything = false, resume = false;
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

// Parameters of `murmur train` are laid over every training.
std::vector<Parameter> reproduce_parameters() {
  using P = Parameter;
  return {{P::whole, "seeds", "3", "1 to 1000",
           "how many seeds each row of accuracies is trained with"},
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
    else if (key == "seeds")
      control.seeds = whole_number(word, value, 1000);
    else if (key == "threads" && value == "all")
      control.threads = 0;
    else if (key == "threads")
      control.threads = whole_number(word, value, 4096);
    else if (key == "seed")
      usage("a reproduction has its own seeds: 0, 1, ...", "say how many with seeds=N");
    else
      control.changed.push_back(word);
  }
  if (row.trains) {
    const Training first = make_training(lay_over({.task = row.task}, control.changed));
    if (!reads_words(first.task)) control.data = data_folder(data);  // either refuses early
  } else if (!control.changed.empty()) {
    usage(
        fmt::format("{} has its own settings: {} is not for it", row.name, control.changed.front()),
        fmt::format("murmur simulate {} takes them; here say seeds=N or threads=N", row.name));
  }
  return control;
}

int list(const Flags& flags) {
  nlohmann::json rows = nlohmann::json::array();
  std::string lines;
  for (const ReproductionRow& row : reproductions()) {
    rows.push_back({{"name", row.name}, {"meaning", row.meaning}});
    lines += fmt::format("{}\n", row.name);
    if (flags.verbose) say(flags, fmt::format("{}: {}", row.name, row.meaning));
  }
  if (flags.json)
    report(rows);
  else
    app::data(lines);  // qualified: std::data would fit a string better
  return 0;
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
                    {"since", rule.since},
                    {"changed", rule.changed}});
  report(rows);
  return 0;
}

// The command that goes on with this one.
std::string how_to_go_on() {
  std::string line = "murmur";
  for (std::size_t k = 1; k < program_argv.size(); ++k) line += " " + program_argv[k];
  return resume ? line : line + " --resume";
}

// Does one; nothing when a signal came, which is told.
std::optional<Reproduction> do_one(const Flags& flags, const Words& words,
                                   const ReproductionRow& row, LiveProcess& process) {
  ReproductionControl control = control_of(flags, words, row);
  static_cast<ProcessControl&>(control) = process.control;
  control.tell = [&](const std::string& text) { process.tell(text); };
  std::optional<Reproduction> done = reproduce(row.name, control);
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

std::string words_of(const AnswerCounts& answers) {
  return fmt::format("{} agree, {} disagree, {} open", answers.agrees, answers.disagrees,
                     answers.open);
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
    for (const std::string& line : dissents_of(one)) say(flags, line);
    as_expected = as_expected && one.as_expected();
    for (const bool counted : {true, false}) {
      const AnswerCounts answers = count_answers(one, counted);
      AnswerCounts& sum = sums[counted ? 0 : 1];
      sum = {sum.agrees + answers.agrees, sum.disagrees + answers.disagrees,
             sum.open + answers.open};
    }
  }
  say(flags, fmt::format("published and predicted: {}", words_of(sums[0])));
  say(flags, fmt::format("regressions beside them: {}", words_of(sums[1])));
  if (as_expected) return 0;
  say(flags, "not every answer is the expected one");
  return static_cast<int>(Fault::verification);
}

// Does one, draws it and tells its verdict; nothing when a signal came.
std::optional<Reproduction> do_and_draw(const Flags& flags, const Words& words,
                                        const ReproductionRow& row, LiveProcess& process) {
  process.tell(fmt::format("{}: {}", row.name, row.meaning));
  std::optional<Reproduction> done = do_one(flags, words, row, process);
  if (!done) return done;
  draw(flags, *done);
  process.tell(fmt::format("  {}", verdict_of(*done)));
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
bool do_share(const Flags& flags, const Words& words, const Deal& deal, LiveProcess& process) {
  for (const ReproductionRow& row : reproductions()) {
    if (row.trains || deal.is_done(row.name)) continue;
    const std::optional<File> claim = deal.take(row.name);
    if (!claim || deal.is_done(row.name)) continue;
    if (!do_and_draw(flags, words, row, process)) return false;
    deal.note(row.name);
  }
  return true;
}

// Every figure of the laboratory, and the page that shows them; the digits' tables train for hours
// and are asked for by name.
int run_all(const Flags& flags, const Words& words) {
  std::vector<Reproduction> all;
  LiveProcess process(flags);
  std::optional<Deal> deal;
  if (started_as().size > 1) deal.emplace(flags, words);
  if (deal && !do_share(flags, words, *deal, process)) return 128 + caught_signal;
  if (deal && !deal->first()) return 0;
  UnitProgress figures(process.control, "figures");
  for (const ReproductionRow& row : reproductions())
    if (!row.trains) figures.add();
  const bool asked = resume;
  for (const ReproductionRow& row : reproductions()) {
    if (row.trains) continue;
    figures.tell(row.name);
    std::optional<File> claim;
    if (deal) claim = deal->wait_for(row.name);
    resume = asked || (deal && deal->is_done(row.name));
    const auto done = do_and_draw(flags, words, row, process);
    if (!done) return 128 + caught_signal;
    figures.end();
    all.push_back(*done);
  }
  const std::filesystem::path page =
      std::filesystem::path(flags.runs) / (quick ? "reproduce-quick.html" : "reproduce.html");
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

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (!flags.out.empty())
    usage("a reproduction lies below the folder of runs", "say --runs DIR instead of -o");
  if (everything) {
    if (!sorted.plain.empty())
      usage("--all does every figure: it takes no name", "leave out " + sorted.plain.front());
    return run_all(flags, sorted);
  }
  if (sorted.plain.size() != 1)
    usage("one reproduction is done at a time", "murmur reproduce list names them; or give --all");
  if (sorted.plain.front() == "list") return list(flags);
  if (sorted.plain.front() == "rules") return list_rules(flags);
  if (started_as().size > 1)
    usage("one reproduction is done by one process",
          "start it without mpirun or srun; --all is dealt out to ranks, figure by figure");
  const ReproductionRow& row = row_of(sorted.plain.front());
  LiveProcess process(flags);
  const auto done = do_one(flags, sorted, row, process);
  if (!done) return 128 + caught_signal;
  draw(flags, *done);
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
          "  murmur reproduce rules\n"
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
