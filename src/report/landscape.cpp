// landscape.cpp: the page of a search for critical points, or of a scan over beta.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/landscape_files.h"
#include "experiment/landscape_setup.h"
#include "murmur/error.h"
#include "report/figures.h"
#include "report/landscape_tables.h"
#include "report/report.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

std::string units_of(const Landscape& l) {
  if (l.a.empty()) return "attention alone";
  const char* const activation = l.activation == Perceptron::relu   ? "ReLU"
                                 : l.activation == Perceptron::gelu ? "GELU"
                                                                    : "tanh";
  return fmt::format("attention beside {} {} unit{}", l.a.rows, activation,
                     l.a.rows == 1 ? "" : "s");
}

std::string setting_of(const LandscapeSetup& request) {
  const Landscape& l = request.landscape;
  return fmt::format("{} on {}, kernel {}, tokens go {} the energy, {} masses", units_of(l),
                     l.d == 2   ? "the circle"
                     : l.d == 3 ? "the sphere"
                                : fmt::format("the unit sphere of R^{}", l.d),
                     l.kernel == Landscape::plain ? "e^(β x·y)" : "e^(β (x·y − 1))",
                     l.direction == Landscape::ascent ? "up" : "down",
                     request.search.masses == Masses::free ? "free" : "equal");
}

void add_search_facts(RunReport& report, const LandscapeSetup& request, const Search& search) {
  const CriticalPoint& best = search.points.front();
  const auto certified = std::count_if(search.points.begin(), search.points.end(),
                                       [](const auto& p) { return p.certificate.holds; });
  auto& facts = report.page.facts;
  facts.emplace_back(fmt::format("{:.3g}", best.energy), "best energy");
  facts.emplace_back(fmt::format("{}", best.mu.count()), "atoms of the best");
  facts.emplace_back(fmt::format("{:.4f}", best.mu.mass[0]), "heaviest atom");
  facts.emplace_back(fmt::format("{}", search.points.size()), "critical points");
  facts.emplace_back(fmt::format("{}", certified), "of them certified");
  facts.emplace_back(fmt::format("{}", request.search.starts), "starts");
  facts.emplace_back(fmt::format("{}", search.lost), "came to no rest");
}

// What the answers in the table mean, as sentences.
std::string notes_of(const Landscape& l, std::span<const CriticalPoint> points) {
  std::string text;
  for (std::string note : certificate_notes(l, points)) {
    if (note.front() >= 'a' && note.front() <= 'z') note.front() += 'A' - 'a';
    text += fmt::format(" {}.", note);
  }
  return text;
}

const char* caption_of(int d) {
  if (d == 2)
    return "The best points. Where tokens are at rest the first variation F is level; the best "
           "measure has its atoms where F is best of all.";
  if (d == 3)
    return "The best points, from the side of their heaviest atom and from behind. The first "
           "variation F is level at every atom.";
  return "Energies against the number of ways out, and how the atoms of the best points lie.";
}

void report_search(RunReport& report, const LandscapeSetup& request) {
  const Landscape& l = request.landscape;
  const fs::path file = report.run() / "points.json";
  const Search search = search_of(KeptJson::read(file), l.d);
  if (search.points.empty())
    throw Error(Fault::input, "the search found no critical point: there is nothing to report",
                file.string(), "search again from more starts");
  report.page.lead = fmt::format("Rest points of {}; β = {:g}.", setting_of(request), l.beta);
  add_search_facts(report, request, search);
  report.add_figure(draw_landscape(l, search, report.run(), report.style()), "Where the atoms are",
                    caption_of(l.d));
  const std::string proof =
      l.direction == Landscape::descent
          ? "The gap bounds how far an energy is above the least of all; a certificate says so for "
            "every point of the sphere."
          : "The gap is how much better F is elsewhere than on the atoms; every maximiser has "
            "none.";
  report.add_table(
      "Critical points",
      "Zeros: vanishing eigenvalues, and those that rotations explain. Second: no way out to "
      "second order. " +
          proof + notes_of(l, search.points),
      points_table(search));
  if (l.a.empty()) return;
  const Atoms& mu = search.points.front().mu;
  const Localisation where = localise(l, mu);
  const bool descent = l.direction == Landscape::descent, one = where.extrema.size() == 1;
  std::string words = fmt::format(
      "Atoms of the best point against the units' potential V, which has {} strict {}. Angles in "
      "radians.",
      where.extrema.size(), descent ? (one ? "minimum" : "minima") : (one ? "maximum" : "maxima"));
  if (std::isfinite(where.arc_mass))
    words += where.arc_mass > 0
                 ? fmt::format(" Two or more atoms within 1/(2√β) hold at most {:.4f} of the mass.",
                               where.arc_mass)
                 : " No two atoms are within 1/(2√β) of each other.";
  if (std::isfinite(where.arc_mass) && descent)
    words +=
        where.arc_mass_bound < 1
            ? fmt::format(" The bound for second-order points is {:.4f}.", where.arc_mass_bound)
            : " The bound for second-order points is above 1 here and says nothing.";
  report.add_table("Localisation", words, places_table(l, mu));
}

void report_scan(RunReport& report, const LandscapeSetup& request) {
  const std::vector<ScanPoint> scan =
      scan_of(KeptJson::read(report.run() / "scan.json"), request.landscape.d);
  report.page.lead = fmt::format("The best measure of {}, as β goes from {:g} to {:g}.",
                                 setting_of(request), scan.front().beta, scan.back().beta);
  const auto certified = std::count_if(scan.begin(), scan.end(),
                                       [](const ScanPoint& p) { return p.best.certificate.holds; });
  std::vector<CriticalPoint> points;
  for (const ScanPoint& p : scan) points.push_back(p.best);
  const auto [few, many] = std::minmax_element(
      scan.begin(), scan.end(),
      [](const auto& a, const auto& b) { return a.best.mu.count() < b.best.mu.count(); });
  auto& facts = report.page.facts;
  facts.emplace_back(fmt::format("{} of {}", certified, scan.size()), "measures certified");
  facts.emplace_back(fmt::format("{} to {}", few->best.mu.count(), many->best.mu.count()), "atoms");
  facts.emplace_back(fmt::format("{:.4f}", scan.front().where.heaviest), "heaviest, least β");
  facts.emplace_back(fmt::format("{:.4f}", scan.back().where.heaviest), "heaviest, greatest β");
  const bool dashes = std::any_of(
      scan.begin(), scan.end(), [](const ScanPoint& p) { return std::isfinite(p.where.arc_mass); });
  report.add_figure(
      draw_scan(scan, report.run(), report.style()), "Against β",
      dashes
          ? "Dashes: the bound on crowds of second-order points of descent, never above all mass."
          : "");
  report.add_table(
      "Localisation",
      fmt::format(
          "Angle: mean over the mass, to the nearest strict extremum of the units' potential. "
          "Active: mass where at least one unit is active, and where all are.{}",
          notes_of(request.landscape, points)),
      scan_table(scan));
}

}  // namespace

void report_landscape(RunReport& report) {
  const std::string config = (report.run() / "config.toml").string();
  const LandscapeSetup request = make_landscape(gather({.base = config}, landscape_parameters()));
  report.page.title = report.run().filename().string();
  if (request.betas.empty())
    report_search(report, request);
  else
    report_scan(report, request);
}

}  // namespace murmur
