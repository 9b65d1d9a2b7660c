// landscape.cpp: murmur landscape: certified critical points of the energy of attention, with or
// without a perceptron.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "command.h"
#include "experiment/landscape_setup.h"
#include "murmur/error.h"
#include "output.h"
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

// The atoms of all measures, one per row: number of the measure, mass, coordinates.
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

// A table as text, cells aligned to the right. Columns that do not fit the width follow below, with
// the first column repeated.
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

constexpr const char* kNotDrawn = "the landscape is not drawn";

RunContents contents_of(const LandscapeSetup& request) {
  return {.config = request.config,
          .inputs = request.inputs,
          .command = landscape_kind().command,
          .argv = program_argv,
          .seed = request.search.seed,
          .outputs = {"points.json", "scan.json", "scan.csv", "atoms.npy"}};
}

void write_files(const Run& run, nlohmann::json& object, const char* name, const Array& atoms) {
  object["run"] = run.directory().string();
  write_file_atomically(run.directory() / name, json_text(object, 1) + "\n");
  write_npy(run.directory() / "atoms.npy", atoms);
}

// Writes the result, draws it and closes the run.
nlohmann::json write_result(const LandscapeSetup& request, const Search& found, Run& run) {
  nlohmann::json object = json_of(request.landscape, found);
  object["starts"] = request.search.starts;
  std::vector<Atoms> measures;
  for (const CriticalPoint& point : found.points) measures.push_back(point.mu);
  write_files(run, object, "points.json", atoms_of(measures, request.landscape.d));
  draw_or_print_error(run.directory(), kNotDrawn, [&] {
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

nlohmann::json write_result(const LandscapeSetup& request, const std::vector<ScanPoint>& found,
                            Run& run) {
  nlohmann::json object = json_of(request.landscape, found);
  std::vector<Atoms> measures;
  for (const ScanPoint& point : found) measures.push_back(point.best.mu);
  write_files(run, object, "scan.json", atoms_of(measures, request.landscape.d));
  write_file_atomically(run.directory() / "scan.csv", csv_of(found));
  draw_or_print_error(run.directory(), kNotDrawn,
                      [&] { draw_scan(found, run.directory(), FigureStyle::paper); });
  run.close("done",
            {{"betas", static_cast<double>(found.size())}, {"certified", count_certified(found)}},
            "");
  return object;
}

// The reason why the search for the best measure did not converge.
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

// Computes the result from the last checkpoint of the run, prints it and closes the run.
template <class Found, class Compute>
int compute_and_report(const Flags& flags, const LandscapeSetup& request, Run& run,
                       const Compute& compute) {
  LiveProcess process(flags);
  const Pace pace;
  const std::optional<Found> found = compute(request, run, process.control);
  process.clear();
  if (!found) {
    print_run(flags, run.directory(), {{"status", "interrupted"}});
    return print_stopped(flags, resume_command("landscape", run.directory()));
  }
  nlohmann::json object;
  try {
    if constexpr (std::is_same_v<Found, Search>)
      if (found->points.empty())
        throw Error(Fault::numerical, "no start converged",
                    found->is_spread ? "the best measure " + spread_text(request)
                                     : fmt::format("{} starts", found->lost),
                    found->is_spread ? "use a smaller beta, kernel=scaled, or larger units"
                                     : "use more starts, or a smaller beta");
    object = write_result(request, *found, run);
  } catch (...) {
    close_after_exception(run, {});
    throw;
  }
  object["seconds"] = pace.seconds();
  print_result(flags, object, table_of(request, *found));
  print_message(flags, fmt::format("{}, {:.2f} s, kept in {}", line_of(request, *found),
                                   pace.seconds(), run.directory().string()));
  return 0;
}

int search_or_scan(const Flags& flags, const LandscapeSetup& request, Run& run) {
  if (request.betas.empty())
    return compute_and_report<Search>(flags, request, run, search_landscape);
  return compute_and_report<std::vector<ScanPoint>>(flags, request, run, scan_landscape);
}

// Prints the result of a finished run.
int print_finished(const Flags& flags, const LandscapeSetup& request, const fs::path& directory) {
  const bool scan = !request.betas.empty();
  const KeptJson kept = KeptJson::read(directory / (scan ? "scan.json" : "points.json"));
  print_result(flags, kept.json(),
               scan ? table_of(request, scan_of(kept, request.landscape.d))
                    : table_of(request, search_of(kept, request.landscape.d)));
  print_message(flags, "the search is already finished");
  return 0;
}

int resume(const Flags& flags, const fs::path& directory, const Arguments& arguments) {
  require_no_changes(flags, arguments, "search");
  const LandscapeSetup request =
      make_landscape(settings_of_run(directory, {}, landscape_parameters()));
  if (RunReader(directory).status() == "done") {
    require_whole(directory);
    return print_finished(flags, request, directory);
  }
  const RunContents contents = contents_of(request);
  Run run = Run::reopen(directory, program_argv, &contents);
  return search_or_scan(flags, request, run);
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments(words);
  if (!flags.resume.empty()) return resume_named_run(landscape_kind(), flags, arguments);
  const LandscapeSetup request =
      make_landscape(settings_of(arguments, landscape_parameters(), "landscape"));
  check_search(request.landscape, request.search);
  require_empty_directory(flags);
  Run made = create_run(flags, request.name, contents_of(request));
  return search_or_scan(flags, request, made);
}

}  // namespace

RunKind landscape_kind() {
  return {.command = "landscape",
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
            sub.add_resume(flags, "continue a search");
            sub.add_checkpoint(flags);
          },
          run};
}

}  // namespace murmur::app
