// landscape.cpp: the tables, figures and page of a search for critical points, or of a scan over
// beta.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/landscape_setup.h"
#include "murmur/error.h"
#include "report/figures.h"
#include "report/landscape_tables.h"
#include "report/report.h"

namespace murmur {

namespace fs = std::filesystem;

namespace {

// Runs made before stakes existed compared the gap with k(1) + sum |omega| |a|^2, which means
// little at large beta: `by scale`.
std::string certified_text(const Certificate& c) {
  if (c.holds) return std::isnan(c.stake) ? "by scale" : "yes";
  const std::string answer = c.fails ? "no" : "open", reason = name_of(c.reason);
  return reason.empty() ? answer : fmt::format("{}: {}", answer, reason);
}

std::string yes_or_no(bool yes) { return yes ? "yes" : "no"; }

std::string text_of(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

std::string atoms_of(const CriticalPoint& p) {
  return fmt::format("{}{}", p.certificate.moved_by_symmetry ? "~" : "", p.mu.count());
}

std::string gap_of(const Certificate& c) {
  return fmt::format("{:.1e}", std::fmax(c.duality_gap, 0));
}

std::string dirac_note(double shortfall) {
  return shortfall > 0
             ? fmt::format("a Dirac at the greatest V is better by up to {:.4g}", shortfall)
             : "no better Dirac was found";
}

// Where scores are <x, D y>: the best of all measures in closed form, or a bound on its distance.
std::string matrix_note(const Landscape& l, double shortfall) {
  const std::optional<KnownBest> best = known_best(l);
  const std::string away =
      shortfall > 0 ? fmt::format("better by up to {:.4g}", shortfall) : "not better by more";
  if (!best) return "the best of all measures is " + away;
  return fmt::format("the best of all measures, E = {:.10g}, is {} at an eigenvector of D, {}",
                     best->energy,
                     best->mu.count() == 1 ? "a Dirac" : "half a Dirac at each of x and -x,", away);
}

}  // namespace

TextTable points_table(const Search& search) {
  TextTable table{{"energy", "atoms", "heaviest", "above uniform", "index", "zeros", "second",
                   "gap", "rounding", "tolerance", "stake", "certified", "found"}};
  for (const CriticalPoint& p : search.points)
    table.push_back(
        {fmt::format("{:.10g}", p.energy), atoms_of(p), fmt::format("{:.4f}", p.mu.mass[0]),
         text_of(p.above_uniform, "{:.6g}"), fmt::format("{}", p.index),
         fmt::format("{}/{}", p.zeros, p.expected_zeros), yes_or_no(p.second_order),
         gap_of(p.certificate), text_of(p.certificate.rounding, "{:.1e}"),
         text_of(p.certificate.tolerance, "{:.1e}"), text_of(p.certificate.stake, "{:.1e}"),
         certified_text(p.certificate), fmt::format("{}", p.found)});
  return table;
}

TextTable places_table(const Landscape& l, const Atoms& mu) {
  const Localisation where = localise(l, mu);
  TextTable table{{"mass", "active units", "angle to an extremum of V", "to a unit"}};
  for (std::size_t i = 0; i < where.places.size(); ++i)
    table.push_back({fmt::format("{:.4f}", mu.mass[i]),
                     fmt::format("{} of {}", where.places[i].active, l.a.rows),
                     text_of(where.places[i].angle, "{:.3g}"),
                     text_of(where.places[i].unit_angle, "{:.3g}")});
  return table;
}

TextTable scan_table(std::span<const ScanPoint> scan) {
  TextTable table{{"beta", "atoms", "heaviest", "energy", "above uniform", "gap", "rounding",
                   "tolerance", "stake", "certified", "second", "crowd", "bound", "angle", "active",
                   "all active"}};
  for (const ScanPoint& p : scan)
    table.push_back(
        {fmt::format("{:.4g}", p.beta), atoms_of(p.best), fmt::format("{:.4f}", p.where.heaviest),
         fmt::format("{:.8g}", p.best.energy), text_of(p.best.above_uniform, "{:.6g}"),
         gap_of(p.best.certificate), text_of(p.best.certificate.rounding, "{:.1e}"),
         text_of(p.best.certificate.tolerance, "{:.1e}"),
         text_of(p.best.certificate.stake, "{:.1e}"), certified_text(p.best.certificate),
         yes_or_no(p.best.second_order), text_of(p.where.arc_mass, "{:.4f}"),
         text_of(p.where.arc_mass_bound, "{:.4g}"), text_of(p.angle, "{:.4f}"),
         text_of(p.active_mass, "{:.4f}"), text_of(p.all_active_mass, "{:.4f}")});
  return table;
}

std::vector<std::string> certificate_notes(const Landscape& l,
                                           std::span<const CriticalPoint> points) {
  using Reason = Certificate::Reason;
  const auto any = [&](const auto& is) { return std::any_of(points.begin(), points.end(), is); };
  const auto because = [&](Reason reason) {
    return any([&](const CriticalPoint& p) { return p.certificate.reason == reason; });
  };
  std::vector<std::string> notes;
  const bool convex = certifies_energy(l);
  if (convex) {
    notes.emplace_back(
        "certified: no measure has an energy lower by more than the tolerance; this is of first "
        "order, about the energy, and does not count the best measure's atoms");
  } else {
    double most = 0;
    for (const CriticalPoint& p : points)
      if (p.certificate.holds && p.certificate.shortfall > p.certificate.tolerance)
        most = std::fmax(most, p.certificate.shortfall);
    notes.push_back(fmt::format(
        "certified: F is nowhere {} than on the atoms, to the tolerance, and no small move "
        "gains; {}",
        l.direction == Landscape::descent ? "less" : "greater",
        l.matrix.empty() ? dirac_note(most) : matrix_note(l, most)));
  }
  if (any([](const CriticalPoint& p) { return p.certificate.moved_by_symmetry; }))
    notes.emplace_back(
        "~: rotations that fix every unit leave the best measure as it is and move these atoms: it "
        "has none there, and their number is that of an approximation");
  if (because(Reason::precision))
    notes.emplace_back(
        "open: rounding: the gap cannot be distinguished from 0 in double precision at this beta");
  if (because(Reason::uniform))
    notes.emplace_back("no: uniform: the uniform law has the better energy");
  if (because(Reason::gap))
    notes.emplace_back(
        "no: gap: mass moved to where F is better improves the energy; the gap is the most that "
        "can "
        "be gained under a convex energy, and no proof that so much can");
  return notes;
}

namespace {

constexpr std::size_t kMostPanels = 4;

std::string title_of(const CriticalPoint& point) {
  return fmt::format("E = {:.6g}, {} atom{}, index {}", point.energy, point.mu.count(),
                     point.mu.count() == 1 ? "" : "s", point.index);
}

std::string subtitle_of(const Certificate& c) {
  if (c.holds) return fmt::format("certified: gap at most {:.1e}", std::fmax(c.bound, 0));
  return fmt::format("{}: gap {:.2g}", answer_of(c), std::fmax(c.duality_gap, 0));
}

Panel portrait_of(const Landscape& l, const CriticalPoint& point) {
  Panel panel{.title = title_of(point), .subtitle = subtitle_of(point.certificate)};
  panel.portrait = {.atoms = point.mu.x, .mass = point.mu.mass, .units = l.a, .omega = l.omega};
  panel.portrait.value = [&](const Matrix& x) { return first_variations(l, point.mu, x); };
  if (!l.a.empty()) panel.portrait.extrema = localise(l, point.mu).extrema;
  return panel;
}

Panel index_panel(const Search& search) {
  Panel panel{.title = "critical points", .x = {.label = "index"}, .y = {.label = "energy"}};
  Curve points{.mark = Curve::points};
  for (const CriticalPoint& point : search.points) {
    points.x.push_back(point.index);
    points.y.push_back(point.energy);
  }
  panel.curves = {points};
  return panel;
}

// Eigenvalues of the best points, in order: how many ways out, and how steep.
Panel spectrum_panel(const Search& search) {
  Panel panel{.title = "second derivative of the best, by E",
              .x = {.label = "eigenvalue, in order"}};
  for (std::size_t k = 0; k < std::min(search.points.size(), kMostPanels); ++k) {
    const Vector& spectrum = search.points[k].spectrum;
    Curve curve{.name = fmt::format("{:.3g}", search.points[k].energy), .mark = Curve::linespoints};
    for (std::size_t i = 0; i < spectrum.size(); ++i) {
      curve.x.push_back(static_cast<double>(i + 1));
      curve.y.push_back(spectrum[i]);
    }
    if (spectrum.size() > 60) curve.mark = Curve::line;
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

// The angles of the atoms of the best points to their heaviest.
Panel spread_panel(const Search& search) {
  Panel panel{.title = "atoms of the best, by E",
              .x = {.label = "angle to the heaviest atom"},
              .y = {.label = "mass"}};
  for (std::size_t k = 0; k < std::min(search.points.size(), kMostPanels); ++k) {
    const CriticalPoint& point = search.points[k];
    Curve curve{.name = fmt::format("{:.3g}", point.energy), .mark = Curve::points};
    for (int i = 0; i < point.mu.count(); ++i) {
      double square = 0;
      for (int c = 0; c < point.mu.x.cols; ++c)
        square += std::pow(point.mu.x(i, c) - point.mu.x(0, c), 2);
      curve.x.push_back(2 * std::asin(std::fmin(1, std::sqrt(square) / 2)));
      curve.y.push_back(point.mu.mass[i]);
    }
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

// A panel against beta of one number of each point.
template <class Number>
Curve against_beta(std::span<const ScanPoint> scan, const std::string& name, const Number& number) {
  Curve curve{.name = name};
  for (const ScanPoint& point : scan) {
    curve.x.push_back(point.beta);
    curve.y.push_back(number(point));
  }
  if (scan.size() > 40) curve.mark = Curve::line;
  return curve;
}

bool any_finite(const Curve& curve) {
  return std::any_of(curve.y.begin(), curve.y.end(), [](double y) { return std::isfinite(y); });
}

}  // namespace

std::vector<fs::path> draw_landscape(const Landscape& l, const Search& search,
                                     const fs::path& directory, FigureStyle style) {
  if (search.points.empty()) return {};
  const std::size_t shown = std::min(search.points.size(), kMostPanels);
  Figure figure{.style = style};
  if (l.d > 3) {
    figure.panels = {index_panel(search), spectrum_panel(search)};
    if (std::any_of(search.points.begin(), search.points.begin() + shown,
                    [](const CriticalPoint& p) { return p.mu.count() > 1; }))
      figure.panels.push_back(spread_panel(search));
  } else {
    figure.layout = Figure::portraits;
    figure.value_name = "first variation F";
    figure.extrema_name = l.direction == Landscape::descent ? "minimum of the units' potential V"
                                                            : "maximum of the units' potential V";
    for (std::size_t k = 0; k < shown; ++k)
      figure.panels.push_back(portrait_of(l, search.points[k]));
  }
  return draw_svg_and_png(figure, directory / "figures", "landscape");
}

std::vector<fs::path> draw_scan(std::span<const ScanPoint> scan, const fs::path& directory,
                                FigureStyle style) {
  Figure figure{.style = style};
  const auto add = [&](const char* label, std::vector<Curve> curves) {
    figure.panels.push_back(
        {.x = {.label = "β", .log = true}, .y = {.label = label}, .curves = std::move(curves)});
  };
  add("atoms", {against_beta(scan, "", [](const ScanPoint& p) {
        return static_cast<double>(p.best.mu.count());
      })});
  add("mass of the heaviest atom",
      {against_beta(scan, "", [](const auto& p) { return p.where.heaviest; })});
  Curve arc_mass =
      against_beta(scan, "two or more atoms", [](const ScanPoint& p) { return p.where.arc_mass; });
  arc_mass.mark = Curve::points;  // it jumps: there are none that close, or there are
  Curve bound = against_beta(scan, "bound", [](const ScanPoint& p) {
    return std::fmin(p.where.arc_mass_bound, 1);  // a bound above all mass is empty
  });
  bound.mark = Curve::dashes;
  if (any_finite(arc_mass)) add("most mass within 1/(2√β)", {arc_mass, bound});
  const Curve angle = against_beta(scan, "", [](const ScanPoint& p) { return p.angle; });
  if (any_finite(angle)) add("mean angle to an extremum of V", {angle});
  return draw_svg_and_png(figure, directory / "figures", "scan");
}

namespace {

std::string units_of(const Landscape& l) {
  if (l.a.empty()) return "attention only";
  const char* const activation = l.activation == Perceptron::relu   ? "ReLU"
                                 : l.activation == Perceptron::gelu ? "GELU"
                                                                    : "tanh";
  return fmt::format("attention and {} {} unit{}", l.a.rows, activation, l.a.rows == 1 ? "" : "s");
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

// The notes about the answers in the table, as sentences.
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
