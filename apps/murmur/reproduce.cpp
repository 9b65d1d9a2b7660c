// reproduce.cpp: murmur reproduce: named tables and arguments done again, each with its verdict.
#include "murmur/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "command.h"
#include "murmur/curves.h"
#include "murmur/error.h"
#include "progress.h"

namespace murmur::app {

namespace {

bool quick = false;

int whole_number(const std::string& word, const std::string& value, int most) {
  int number = 0;
  const char* end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || at != end || number < 1 || number > most)
    throw Error(Fault::input, fmt::format("{} is not a whole number from 1 to {}", word, most),
                "command line: " + word, "write e.g. seeds=3 threads=2");
  return number;
}

ReproductionControl control_of(const Flags& flags, const Words& words) {
  ReproductionControl control;
  control.quick = quick;
  control.runs = flags.runs;
  control.argv = program_argv;
  control.signal = &caught_signal;
  control.checkpoint_seconds = flags.checkpoint_seconds;
  std::string data = "auto";
  for (const std::string& word : words.assignments) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "data")
      data = value;
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
  make_training(gather({{}, {}, control.changed}, training_parameters()));  // refuses early
  control.data = data_folder(data);
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

std::string how_to_go_on() {
  std::string line = "murmur";
  for (std::size_t k = 1; k < program_argv.size(); ++k) line += " " + program_argv[k];
  return line;
}

CurveSheet sheet_of(const ReproducedFigure& figure, const ReproducedTable& table) {
  CurveSheet sheet{figure.x_label, figure.y_label, figure.log_y, figure.y_least, {}};
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    const auto& wanted = figure.columns;
    if (std::find(wanted.begin(), wanted.end(), table.columns[c]) == wanted.end()) continue;
    Curve curve{table.columns[c], {}, {}};
    for (const auto& row : table.rows) {
      curve.x.push_back(std::get<double>(row[0]));
      curve.y.push_back(std::get<double>(row[c]));
    }
    sheet.curves.push_back(std::move(curve));
  }
  return sheet;
}

// A figure that cannot be drawn here is passed over: its numbers are kept.
void draw(const Flags& flags, const Reproduction& done) {
  for (const ReproducedFigure& figure : done.figures)
    for (const ReproducedTable& table : done.tables) try {
        if (table.name == figure.table)
          plot_curves(sheet_of(figure, table),
                      done.folder / (figure.name + (done.quick ? "-quick.svg" : ".svg")));
      } catch (const Error& error) {
        if (error.fault != Fault::tool) throw;
        say(flags, fmt::format("{} is not drawn: {}", figure.name, error.summary));
      }
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (sorted.plain.size() != 1)
    usage("one reproduction is done at a time", "murmur reproduce list names them all");
  const std::string name = sorted.plain.front();
  if (name == "list") return list(flags);
  std::optional<Reproduction> done;
  {
    const SignalWatch watch;
    ReproductionControl control = control_of(flags, sorted);
    auto line = std::make_unique<ProgressLine>(flags);
    control.report = [&](const std::string&, const TrainingProgress& progress) {
      line->show(progress);
    };
    control.tell = [&](const std::string& text) {
      line.reset();  // clears the terminal's line
      say(flags, text);
      line = std::make_unique<ProgressLine>(flags);
    };
    done = reproduce(name, control);
  }
  if (!done) {
    say(flags, fmt::format("stopped after a checkpoint; go on with\n  {}", how_to_go_on()));
    return 128 + caught_signal;
  }
  draw(flags, *done);
  data(flags.json ? json_of(*done) : markdown_of(*done));
  say(flags, fmt::format("kept in {}", done->folder.string()));
  if (done->agrees()) return 0;
  say(flags, "not everything agrees");
  return static_cast<int>(Fault::verification);
}

}  // namespace

Command reproduce_command() {
  return {"reproduce", "Do a published table or an argument again, each number with its verdict.",
          "  murmur reproduce list\n"
          "  murmur reproduce swarm-table --quick\n"
          "  murmur reproduce flock-argument threads=2 --json",
          [](CLI::App& sub, Flags& flags) {
            sub.add_flag("--quick", quick, "fewer trainings and epochs, one seed");
            sub.add_option("--checkpoint", flags.checkpoint_seconds, "seconds between checkpoints")
                ->check(CLI::Range(0.0, 10.0));
          },
          run};
}

}  // namespace murmur::app
