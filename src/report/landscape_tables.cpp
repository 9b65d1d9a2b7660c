// landscape_tables.cpp: critical points and best measures as tables for people.
#include "report/landscape_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace murmur {

namespace {

// Runs of the time before stakes held the gap against k(1) + sum |omega| |a|^2, which says little
// at large beta: `by scale`.
std::string certified(const Certificate& c) {
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

// Where scores are <x, D y>: the best of all measures in closed form, or how far it may be.
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
         certified(p.certificate), fmt::format("{}", p.found)});
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
    table.push_back({fmt::format("{:.4g}", p.beta), atoms_of(p.best),
                     fmt::format("{:.4f}", p.where.heaviest), fmt::format("{:.8g}", p.best.energy),
                     text_of(p.best.above_uniform, "{:.6g}"), gap_of(p.best.certificate),
                     text_of(p.best.certificate.rounding, "{:.1e}"),
                     text_of(p.best.certificate.tolerance, "{:.1e}"),
                     text_of(p.best.certificate.stake, "{:.1e}"), certified(p.best.certificate),
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
        "open: rounding: the gap cannot be told from 0 in double precision at this beta");
  if (because(Reason::uniform))
    notes.emplace_back("no: uniform: the uniform law has the better energy");
  if (because(Reason::gap))
    notes.emplace_back(
        "no: gap: mass moved to where F is better improves the energy; the gap is the most that "
        "can "
        "be gained under a convex energy, and no proof that so much can");
  return notes;
}

}  // namespace murmur
