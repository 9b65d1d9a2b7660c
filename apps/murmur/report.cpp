// report.cpp: murmur report: one page of a run, with its figures, film, numbers and recipe inside.
#include "report/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
#include "recipe.h"
#include "run/compare.h"
#include "run_kind.h"
#include "show.h"
#include "style.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

bool no_film = false;
std::string style = "paper";

std::vector<Parameter> report_parameters() {
  std::vector<Parameter> all = {kDataParameter};
  for (const Parameter& p : next_word_parameters()) all.push_back(p);
  return all;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  std::string data_asked;
  std::optional<NextWordRequest> words_asked;
  for (const std::string& assignment : sorted.assignments) {
    const std::size_t equals = assignment.find('=');
    const std::string key = assignment.substr(0, equals), value = assignment.substr(equals + 1);
    NextWordRequest asked = words_asked.value_or(NextWordRequest{});
    if (key == "data") {
      data_asked = value;
    } else if (asked.set(key, value)) {
      words_asked = std::move(asked);
    } else {
      throw Error(Fault::input, fmt::format("there is no parameter {}", key),
                  "command line: " + assignment,
                  fmt::format("report takes {}", names_of(report_parameters())));
    }
  }
  if (sorted.plain.size() != 1) usage("report takes one run", "murmur report RUN");
  if (!flags.out.empty())
    usage("a report lies in its run", "leave -o out: the page is RUN/report.html");
  return report_run(
      flags, sorted.plain[0],
      {.style = style, .film = !no_film, .data = data_asked, .next_word = std::move(words_asked)},
      true);
}

}  // namespace

int report_run(const Flags& flags, const std::string& subject, ReportRequest request, bool page) {
  const RunReader run(find_run(flags, subject));
  const RunKind& kind = kind_of(run);
  if (kind.report == nullptr) refuse(run, kind.no_report);
  if (kind.check_report != nullptr) kind.check_report(run.directory());
  require_readable(run.directory(), kind.free);
  request.run = run.directory();
  request.stop = [] { return caught_signal != 0; };
  request.find_data = data_folder;
  if (request.next_word && run.command() != "simulate")
    throw Error(Fault::input, "next words are read off a simulated swarm", subject,
                "leave vocabulary, words, kappa, share and token out");
  RunReport made(std::move(request));
  made.page.recipe = run.config();
  const SignalWatch watch;
  const picture::Signature signature(recipe_of(ingredients_of(run, subject)));
  kind.report(made);
  if (caught_signal != 0) {
    say(flags, page ? "stopped; no report was written" : "stopped; not all was drawn");
    return 128 + caught_signal;
  }
  if (page) made.write();
  if (flags.json)
    murmur::app::report(made.made);
  else
    for (const std::string& path : made.made) data(path + "\n");
  if (page) say(flags, fmt::format("open {} in any browser", made.made.back()));
  return 0;
}

Command report_command() {
  return {"report",
          "Make one page of a run, with all its pictures inside.",
          "  murmur report runs/digits-0-1\n"
          "  murmur report runs/flock-0-1 --no-film\n"
          "  murmur report runs/flock-0-1 vocabulary=words.csv kappa=16\n"
          "  murmur report runs/landscape-0-1",
          [](Options& sub, Flags&) {
            sub.add_flag("--no-film", no_film, "leave the film out: faster, a smaller page");
            add_style(sub, style);
          },
          run,
          false,
          report_parameters};
}

}  // namespace murmur::app
