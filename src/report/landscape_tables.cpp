// landscape_tables.cpp: critical points and best measures as tables for people.
#include "report/landscape_tables.h"

#include <fmt/format.h>

#include <cmath>

namespace murmur {

namespace {

std::string certified(const Certificate& certificate) {
  if (certificate.holds) return "yes";
  return certificate.fails ? "no" : "open";
}

std::string yes_or_no(bool yes) { return yes ? "yes" : "no"; }

std::string text_of(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

}  // namespace

TextTable points_table(const Search& search) {
  TextTable table{
      {"energy", "atoms", "heaviest", "index", "zeros", "second", "gap", "certified", "found"}};
  for (const CriticalPoint& p : search.points)
    table.push_back({fmt::format("{:.10g}", p.energy), fmt::format("{}", p.mu.count()),
                     fmt::format("{:.4f}", p.mu.mass[0]), fmt::format("{}", p.index),
                     fmt::format("{}/{}", p.zeros, p.expected_zeros), yes_or_no(p.second_order),
                     fmt::format("{:.2e}", std::fmax(p.certificate.duality_gap, 0)),
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
  TextTable table{{"beta", "atoms", "heaviest", "energy", "gap", "certified", "second", "crowd",
                   "bound", "angle", "active", "all active"}};
  for (const ScanPoint& p : scan)
    table.push_back({fmt::format("{:.4g}", p.beta), fmt::format("{}", p.best.mu.count()),
                     fmt::format("{:.4f}", p.where.heaviest), fmt::format("{:.8g}", p.best.energy),
                     fmt::format("{:.1e}", std::fmax(p.best.certificate.duality_gap, 0)),
                     certified(p.best.certificate), yes_or_no(p.best.second_order),
                     text_of(p.where.arc_mass, "{:.4f}"), text_of(p.where.arc_mass_bound, "{:.4g}"),
                     text_of(p.angle, "{:.4f}"), text_of(p.active_mass, "{:.4f}"),
                     text_of(p.all_active_mass, "{:.4f}")});
  return table;
}

}  // namespace murmur
