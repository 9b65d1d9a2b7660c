// landscape.cpp: murmur landscape: critical points of attention beside a perceptron, certified.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "command.h"
#include "experiment/landscape_files.h"
#include "experiment/landscape_setup.h"
#include "murmur/error.h"
#include "progress.h"
#include "recipe.h"
#include "report/figures.h"
#include "report/landscape_tables.h"
#include "run/columns.h"
#include "run/compare.h"
#include "run/formats.h"
#include "run/json_text.h"
#include "run_kind.h"

namespace murmur::app {

namespace fs = std::filesystem;

RunKind landscape_kind();

namespace {

// (atoms of all points, 2 + d): point, mass, coordinates.
Array atoms_of(std::span<const Atoms> measures, int d) {
  std::vector<double> rows;
  for (std::size_t k = 0; k < measures.size(); ++k)
    for (int i = 0; i < measures[k].count(); ++i) {
      rows.push_back(static_cast<double>(k));
      rows.push_back(measures[k].mass[i]);
      for (int c = 0; c < d; ++c) rows.push_back(measures[k].x(i, c));
    }
  const std::size_t width = static_cast<std::size_t>(d) + 2;
  return {{rows.size() / width, width}, std::move(rows)};
}

// Columns as wide as their widest cell, to the right. Columns that do not fit a line follow below,
// behind the first one again.
std::string aligned(const TextTable& table) {
  const std::vector<std::size_t> widths = column_widths(table);
  std::string text;
  for (const TextTable& part : split_columns(table, widths, 1, kTerminal + 1)) {
    if (!text.empty()) text += "\n";
    const std::vector<std::size_t> width = column_widths(part);
    for (const auto& row : part)
      for (std::size_t c = 0; c < row.size(); ++c)
        text += fmt::format("{:>{}}{}", row[c], width[c], c + 1 < row.size() ? " " : "\n");
  }
  return text;
}

std::string lines_of(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

std::string text_of(const Landscape& l, const Search& search) {
  std::string text = aligned(points_table(search)) + lines_of(certificate_notes(l, search.points));
  if (l.a.empty() || search.points.empty()) return text;
  const Atoms& mu = search.points.front().mu;
  const Localisation where = localise(l, mu);
  text += fmt::format("\natoms of the first; strict extrema of the potential: {}\n",
                      where.extrema.size()) +
          aligned(places_table(l, mu));
  if (std::isfinite(where.arc_mass))
    text += fmt::format("two or more within 1/(2 sqrt beta): mass {:.4f}, bound {:.4f}\n",
                        where.arc_mass, where.arc_mass_bound);
  return text;
}

template <class Draw>
void try_to_draw(const std::filesystem::path& directory, const Draw& draw) try {
  const picture::Signature signature(recipe_of(ingredients_of(RunReader(directory), {})));
  draw();
} catch (const Error& error) {
  complain_undrawn("the landscape is not drawn", error);
}

RunContents contents_of(const LandscapeSetup& request) {
  return {.config = request.config,
          .inputs = request.inputs,
          .command = landscape_kind().word,
          .argv = program_argv,
          .seed = request.search.seed,
          .outputs = {"points.json", "scan.json", "scan.csv", "atoms.npy"}};
}

void keep(const Run& run, nlohmann::json& object, const char* name, const Array& atoms) {
  object["run"] = run.directory().string();
  write_file_atomically(run.directory() / name, json_text(object, 1) + "\n");
  write_npy(run.directory() / "atoms.npy", atoms);
}

// Keeps what was found, draws it and closes the run.
nlohmann::json keep(const LandscapeSetup& request, const Search& found, Run& run) {
  nlohmann::json object = json_of(request.landscape, found);
  object["starts"] = request.search.starts;
  std::vector<Atoms> measures;
  for (const CriticalPoint& point : found.points) measures.push_back(point.mu);
  keep(run, object, "points.json", atoms_of(measures, request.landscape.d));
  try_to_draw(run.directory(), [&] {
    draw_landscape(request.landscape, found, run.directory(), FigureStyle::paper);
  });
  run.close("done", {{"points", static_cast<double>(found.points.size())}, {"lost", found.lost}},
            "");
  return object;
}

double count_certified(const std::vector<ScanPoint>& scan) {
  return static_cast<double>(std::count_if(
      scan.begin(), scan.end(), [](const ScanPoint& p) { return p.best.certificate.holds; }));
}

nlohmann::json keep(const LandscapeSetup& request, const std::vector<ScanPoint>& found, Run& run) {
  nlohmann::json object = json_of(request.landscape, found);
  std::vector<Atoms> measures;
  for (const ScanPoint& point : found) measures.push_back(point.best.mu);
  keep(run, object, "scan.json", atoms_of(measures, request.landscape.d));
  write_file_atomically(run.directory() / "scan.csv", csv_of(found));
  try_to_draw(run.directory(), [&] { draw_scan(found, run.directory(), FigureStyle::paper); });
  run.close("done",
            {{"betas", static_cast<double>(found.size())}, {"certified", count_certified(found)}},
            "");
  return object;
}

// Why no start that looks for the best measure came to rest.
std::string spread_text(const LandscapeSetup& request) {
  return fmt::format("has more than {} atoms, or none: its mass is spread over the sphere",
                     kMostOptimised / request.landscape.d);
}

std::string line_of(const LandscapeSetup& request, const Search& found) {
  return fmt::format("{} points from {} starts, {} lost{}", found.points.size(),
                     request.search.starts, found.lost,
                     found.is_spread ? ": the best measure " + spread_text(request) : "");
}

std::string line_of(const LandscapeSetup&, const std::vector<ScanPoint>& found) {
  return fmt::format("{:g} of {} measures certified", count_certified(found), found.size());
}

std::string table_of(const LandscapeSetup& request, const Search& found) {
  return text_of(request.landscape, found);
}

std::string table_of(const LandscapeSetup& request, const std::vector<ScanPoint>& found) {
  std::vector<CriticalPoint> points;
  for (const ScanPoint& point : found) points.push_back(point.best);
  return aligned(scan_table(found)) + lines_of(certificate_notes(request.landscape, points));
}

template <class Found>
void tell(const Flags& flags, const LandscapeSetup& request, const Found& found,
          const nlohmann::json& object) {
  if (flags.json)
    report(object);
  else
    data(table_of(request, found));
}

// Looks for what was asked, from the last checkpoint of the run, and closes it over all its files.
template <class Found, class Look>
int look(const Flags& flags, const LandscapeSetup& request, Run& run, const Look& look_into) {
  LiveProcess process(flags);
  const Pace pace;
  const std::optional<Found> found = look_into(request, run, process.control);
  process.clear();
  if (!found) {
    if (flags.json)
      report({{"run", run.directory().string()}, {"status", "interrupted"}});
    else
      data(run.directory().string() + "\n");
    return tell_stopped(flags, resume_command("landscape", run.directory()));
  }
  nlohmann::json object;
  try {
    if constexpr (std::is_same_v<Found, Search>)
      if (found->points.empty())
        throw Error(Fault::numerical, "no start came to rest",
                    found->is_spread ? "the best measure " + spread_text(request)
                                     : fmt::format("{} starts", found->lost),
                    found->is_spread ? "use a smaller beta, kernel=scaled, or larger units"
                                     : "use more starts, or a smaller beta");
    object = keep(request, *found, run);
  } catch (...) {
    close_after_exception(run, {});
    throw;
  }
  object["seconds"] = pace.seconds();
  tell(flags, request, *found, object);
  say(flags, fmt::format("{}, {:.2f} s, kept in {}", line_of(request, *found), pace.seconds(),
                         run.directory().string()));
  return 0;
}

int search_or_scan(const Flags& flags, const LandscapeSetup& request, Run& run) {
  return request.betas.empty() ? look<Search>(flags, request, run, search_landscape)
                               : look<std::vector<ScanPoint>>(flags, request, run, scan_landscape);
}

// Tells again what a finished run found.
int tell_finished(const Flags& flags, const LandscapeSetup& request, const fs::path& directory) {
  const bool scan = !request.betas.empty();
  const KeptJson kept = KeptJson::read(directory / (scan ? "scan.json" : "points.json"));
  if (scan)
    tell(flags, request, scan_of(kept, request.landscape.d), kept.json());
  else
    tell(flags, request, search_of(kept, request.landscape.d), kept.json());
  say(flags, "the search is already finished");
  return 0;
}

int resume(const Flags& flags, const fs::path& directory, const Words& words) {
  if (!words.plain.empty() || !words.assignments.empty())
    usage("a resumed search takes no parameters", "leave them out, or start a new run");
  if (!flags.out.empty()) usage("a resumed search stays in its run", "leave -o out");
  const LandscapeSetup request =
      make_landscape(settings_of_run(directory, {}, landscape_parameters()));
  if (RunReader(directory).status() == "done") {
    require_whole(directory);
    return tell_finished(flags, request, directory);
  }
  const RunContents contents = contents_of(request);
  Run run = Run::reopen(directory, program_argv, &contents);
  return search_or_scan(flags, request, run);
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Words sorted = sort_words(words);
  if (!flags.resume.empty()) return resume_own(landscape_kind(), flags, sorted);
  const LandscapeSetup request =
      make_landscape(settings_of(sorted, landscape_parameters(), "landscape"));
  check_search(request.landscape, request.search);
  std::error_code ignored;
  if (!flags.out.empty() && !flags.force && fs::exists(flags.out, ignored) &&
      !fs::is_empty(flags.out, ignored))
    usage(fmt::format("{} is already there", flags.out), "choose another name, or add --force");
  Run made = create_run(flags, request.name, contents_of(request));
  return search_or_scan(flags, request, made);
}

}  // namespace

RunKind landscape_kind() {
  return {.word = "landscape",
          .noun = "landscape",
          .parameters = landscape_parameters,
          .resume = resume,
          .no_frames = {"this run is a landscape: it keeps critical points, and no frames",
                        "see its atoms.npy, points.json and figures/, or use murmur report"},
          .report = report_landscape};
}

Command landscape_command() {
  return {"landscape", "Critical points of the energy, certified, with and without a perceptron.",
          "  murmur landscape d=2 beta=4 n=60\n"
          "  murmur landscape d=2 beta=5 perceptron=gradient:3 direction=descent kernel=scaled \\\n"
          "    masses=free starts=20\n"
          "  murmur landscape d=2 betas=0.5:50:21 perceptron=gradient:3 direction=descent \\\n"
          "    kernel=scaled\n"
          "  murmur landscape n=64 d=3 beta=4 perceptron=gradient:4 activation=gelu --json\n"
          "  murmur landscape --resume runs/landscape-0-1",
          [](Options& sub, Flags& flags) {
            sub.add_option("--resume", flags.resume, "go on with a search").type_name("RUN");
            sub.add_option("--checkpoint", flags.checkpoint_seconds, "seconds between checkpoints")
                .range(0.0, 10.0);
          },
          run};
}

}  // namespace murmur::app
