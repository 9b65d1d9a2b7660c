// report.cpp: murmur report: one page of a run, with its figures, film, numbers and recipe inside.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "command.h"
#include "digits.h"
#include "murmur/error.h"
#include "murmur/formats.h"
#include "report_page.h"
#include "reproduce_page.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

bool no_film = false;
std::string style = "paper";

// Numbers of the first and the last frame.
std::vector<std::vector<std::string>> observable_table(const RunReader& reader) {
  const auto text = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string("-");
  };
  std::vector<std::vector<std::string>> table{{"observable", "start", "end"}};
  for (const std::string& name : reader.columns()) {
    const std::vector<double> column = reader.column(name);
    table.push_back({name, text(column.front()), text(column.back())});
  }
  return table;
}

// One figure of many panels: what the flight did, and what theory says of it.
void add_laboratory(Page& page, const RunReader& reader) {
  const Experiment e = make_experiment(settings_of_run(page.run));
  const Reproduction done = predictions_of(reader, e);
  draw_figures(done, style_of(page.style));
  for (const ReproducedTable& table : done.tables)
    write_file_atomically(done.folder / fmt::format("laboratory-{}.csv", table.name),
                          csv_of(table));
  std::string words = "Dashes are what theory predicts.";
  for (const Check& check : done.checks)
    words += fmt::format(" Predicted {}: {:.4g}, measured {:.4g}.", check.what, check.published,
                         check.ours);
  words += fmt::format(" Made by: murmur report {} --style {}", page.run.filename().string(),
                       page.style);
  page.report.parts.push_back({"Beside the theory", words, {}, done.folder / "laboratory.svg", ""});
  for (const char* ending : {".svg", ".png"})
    page.made.push_back((done.folder / ("laboratory" + std::string(ending))).string());
}

}  // namespace

void report_simulation(Page& page, const std::string&) {
  const RunReader reader(page.run);
  const std::vector<fs::path> drawn = draw_run(page.run, page.film);
  if (caught_signal != 0) return;
  page.report.title = page.run.filename().string();
  page.report.lead = fmt::format("{} particles in {} coordinates, from t = 0 to t = {:g}.",
                                 reader.shape().n, reader.shape().d, reader.times().back());
  auto& facts = page.report.facts;
  facts.emplace_back(fmt::format("{}", reader.shape().n), "particles");
  facts.emplace_back(fmt::format("{}", reader.frames()), "frames");
  const std::vector<double> clusters = reader.column("clusters");
  if (!clusters.empty() && std::isfinite(clusters.back()))
    facts.emplace_back(fmt::format("{:g}", clusters.back()), "clusters at the end");
  const auto captions =
      std::vector<std::pair<std::string, std::string>>{{"flight.mp4", "The flight"},
                                                       {"start.png", "The start"},
                                                       {"end.png", "The end"},
                                                       {"observables.svg", "Observables"}};
  for (const auto& [name, heading] : captions)
    for (const fs::path& path : drawn)
      if (path.filename() == name) page.report.parts.push_back({heading, "", {}, path, ""});
  for (const fs::path& path : drawn) page.made.push_back(path.string());
  add_laboratory(page, reader);
  page.report.parts.push_back({"Numbers", "", observable_table(reader), {}, ""});
}

namespace {

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  std::string data_asked;
  for (const std::string& assignment : sorted.assignments) {
    if (assignment.rfind("data=", 0) != 0)
      throw Error(
          Fault::input,
          fmt::format("there is no parameter {}", assignment.substr(0, assignment.find('='))),
          "command line: " + assignment, "report takes data=DIR, for the test pictures");
    data_asked = assignment.substr(5);
  }
  if (sorted.plain.size() != 1) usage("report takes one run", "murmur report RUN");
  if (!flags.out.empty())
    usage("a report lies in its run", "leave -o out: the page is RUN/report.html");
  const fs::path directory = find_run(flags, sorted.plain[0]);
  const RunReader reader(directory);
  const RunKind& kind = kind_of(reader);
  if (kind.report == nullptr) refuse(reader, kind.no_report);
  if (kind.check_report != nullptr) kind.check_report(directory);
  Page page(directory);
  page.style = style;
  page.film = !no_film;
  page.report.recipe = reader.config();
  const SignalWatch watch;
  kind.report(page, data_asked);
  if (caught_signal != 0) {
    say(flags, "stopped; no report was written");
    return 128 + caught_signal;
  }
  page.write();
  if (flags.json)
    data(nlohmann::json(page.made).dump(2) + "\n");
  else
    for (const std::string& path : page.made) data(path + "\n");
  say(flags, fmt::format("open {} in any browser", page.made.back()));
  return 0;
}

}  // namespace

nlohmann::json kept_json(const fs::path& file) {
  std::ifstream stream(file);
  nlohmann::json kept = nlohmann::json::parse(stream, nullptr, false);
  if (kept.is_discarded())
    throw Error(Fault::input, "the run did not keep what it found", file.string(),
                "run it again: murmur runs show RUN tells how it was made");
  return kept;
}

Command report_command() {
  return {"report", "Make one page of a run, with all its pictures inside.",
          "  murmur report runs/digits-0-1\n"
          "  murmur report runs/flock-0-1 --no-film\n"
          "  murmur report runs/landscape-0-1",
          [](Options& sub, Flags&) {
            sub.add_flag("--no-film", no_film, "leave the film out: faster, a smaller page");
            add_style(sub, style);
          },
          run};
}

}  // namespace murmur::app
