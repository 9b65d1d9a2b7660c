// landscape.cpp: murmur landscape: critical points of attention beside a perceptron, certified.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "command.h"
#include "experiment/landscape_files.h"
#include "murmur/error.h"
#include "murmur/formats.h"
#include "murmur/landscape_setup.h"
#include "progress.h"
#include "report/figures.h"
#include "report/landscape_tables.h"

namespace murmur::app {

namespace fs = std::filesystem;

namespace {

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

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

// Columns as wide as their widest cell, to the right.
std::string aligned(const TextTable& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const auto& row : table)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (const auto& row : table) {
    for (std::size_t c = 0; c < row.size(); ++c)
      text += fmt::format("{:>{}}{}", row[c], widths[c], c + 1 < row.size() ? "  " : "\n");
  }
  return text;
}

std::string text_of(const Landscape& l, const Search& search) {
  std::string text = aligned(points_table(search));
  if (l.a.empty()) return text;
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
void try_to_draw(const Draw& draw) try {
  draw();
} catch (const Error& error) {
  fmt::print(stderr, "murmur: the landscape is not drawn: {}\n  where: {}\n  do:    {}\n",
             error.summary, error.where, error.remedy);
}

// While it lives a signal ends the program at once, with 128 + its number: nothing is made before a
// search ends, so there is nothing to put in order.
struct LeaveAtOnce {
  LeaveAtOnce() {
    struct sigaction action {};
    action.sa_handler = [](int number) { _exit(128 + number); };
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
  }
  ~LeaveAtOnce() {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
  }
  LeaveAtOnce(const LeaveAtOnce&) = delete;
  LeaveAtOnce& operator=(const LeaveAtOnce&) = delete;
};

// How far a search is, on stderr.
SearchSettings told(const LandscapeSetup& request, ProgressLine& line) {
  SearchSettings settings = request.search;
  const bool scan = !request.betas.empty();
  const int of = scan ? static_cast<int>(request.betas.size()) : settings.starts;
  line.show(CountProgress{0, of, scan ? "betas" : "starts"});
  settings.tell = [&line, of, scan](int done) {
    line.show(CountProgress{done, of, scan ? "betas" : "starts"});
  };
  return settings;
}

Run run_for(const Flags& flags, const LandscapeSetup& request) {
  return create_run(flags, request.name,
                    {.config = request.config,
                     .inputs = request.inputs,
                     .command = "landscape",
                     .argv = program_argv,
                     .seed = request.search.seed});
}

// What was found is written while signals wait: the directory is whole, or not there.
void keep(Run& run, nlohmann::json& object, const char* name, const Array& atoms) {
  object["run"] = run.directory().string();
  write_file_atomically(run.directory() / name, object.dump(1) + "\n");
  write_npy(run.directory() / "atoms.npy", atoms);
}

int search(const Flags& flags, const LandscapeSetup& request) {
  const Clock clock;
  const Search found = [&] {
    const LeaveAtOnce signals;
    ProgressLine line(flags);
    return critical_points(request.landscape, told(request, line));
  }();
  if (found.points.empty())
    throw Error(Fault::numerical, "no start came to rest", fmt::format("{} starts", found.lost),
                "use more starts, or a smaller beta");
  const SignalWatch signals;
  Run kept = run_for(flags, request);
  nlohmann::json object = json_of(request.landscape, found);
  object["starts"] = request.search.starts;
  std::vector<Atoms> measures;
  for (const CriticalPoint& point : found.points) measures.push_back(point.mu);
  keep(kept, object, "points.json", atoms_of(measures, request.landscape.d));
  try_to_draw(
      [&] { draw_landscape(request.landscape, found, kept.directory(), FigureStyle::paper); });
  kept.close("done", {{"points", static_cast<double>(found.points.size())}, {"lost", found.lost}},
             "");
  object["seconds"] = clock.seconds();
  if (flags.json)
    report(object);
  else
    data(text_of(request.landscape, found));
  say(flags,
      fmt::format("{} points from {} starts, {} lost, {:.2f} s, kept in {}", found.points.size(),
                  request.search.starts, found.lost, clock.seconds(), kept.directory().string()));
  return caught_signal == 0 ? 0 : 128 + caught_signal;
}

int scan(const Flags& flags, const LandscapeSetup& request) {
  const Clock clock;
  const std::vector<ScanPoint> found = [&] {
    const LeaveAtOnce signals;
    ProgressLine line(flags);
    return scan_beta(request.landscape, request.betas, told(request, line));
  }();
  const SignalWatch signals;
  Run kept = run_for(flags, request);
  nlohmann::json object = json_of(request.landscape, found);
  std::vector<Atoms> measures;
  for (const ScanPoint& point : found) measures.push_back(point.best.mu);
  keep(kept, object, "scan.json", atoms_of(measures, request.landscape.d));
  write_file_atomically(kept.directory() / "scan.csv", csv_of(found));
  try_to_draw([&] { draw_scan(found, kept.directory(), FigureStyle::paper); });
  const auto certified = std::count_if(found.begin(), found.end(),
                                       [](const ScanPoint& p) { return p.best.certificate.holds; });
  kept.close(
      "done",
      {{"betas", static_cast<double>(found.size())}, {"certified", static_cast<double>(certified)}},
      "");
  object["seconds"] = clock.seconds();
  if (flags.json)
    report(object);
  else
    data(aligned(scan_table(found)));
  say(flags, fmt::format("{} of {} measures certified, {:.2f} s, kept in {}", certified,
                         found.size(), clock.seconds(), kept.directory().string()));
  return caught_signal == 0 ? 0 : 128 + caught_signal;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  const LandscapeSetup request =
      make_landscape(settings_of(sort_words(words), landscape_parameters(), "landscape"));
  std::error_code ignored;
  if (!flags.out.empty() && !flags.force && fs::exists(flags.out, ignored) &&
      !fs::is_empty(flags.out, ignored))  // before a search that may take a minute
    usage(fmt::format("{} is already there", flags.out), "choose another name, or add --force");
  return request.betas.empty() ? search(flags, request) : scan(flags, request);
}

}  // namespace

Command landscape_command() {
  return {"landscape", "Critical points of the energy, certified, with and without a perceptron.",
          "  murmur landscape d=2 beta=4 n=60\n"
          "  murmur landscape d=2 beta=5 perceptron=gradient:3 direction=descent kernel=scaled \\\n"
          "    masses=free starts=20\n"
          "  murmur landscape d=2 betas=0.5:50:21 perceptron=gradient:3 direction=descent \\\n"
          "    kernel=scaled\n"
          "  murmur landscape n=64 d=3 beta=4 perceptron=gradient:4 activation=gelu --json",
          nullptr, run};
}

}  // namespace murmur::app
