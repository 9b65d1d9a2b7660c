// landscape_files.cpp: critical points and scans as JSON and CSV, and back from JSON.
#include "experiment/landscape_files.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace murmur {

namespace {

using nlohmann::json;

json finite_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json rows_of(const Matrix& m) {
  json rows = json::array();
  for (int i = 0; i < m.rows; ++i)
    rows.push_back(Vector(m.data.begin() + i * m.cols, m.data.begin() + (i + 1) * m.cols));
  return rows;
}

json json_of(const CriticalPoint& point, const Localisation& where) {
  return {{"atoms", rows_of(point.mu.x)},
          {"masses", point.mu.mass},
          {"energy", point.energy},
          {"above_uniform", finite_or_null(point.above_uniform)},
          {"gradient_norm", point.gradient_norm},
          {"balance", point.balance},
          {"index", point.index},
          {"zeros", point.zeros},
          {"expected_zeros", point.expected_zeros},
          {"edges", point.edges},
          {"spectrum", point.spectrum},
          {"second_order", point.second_order},
          {"gap", point.certificate.duality_gap},
          {"gap_bound", finite_or_null(point.certificate.bound)},
          {"stake", finite_or_null(point.certificate.stake)},
          {"tolerance", finite_or_null(point.certificate.tolerance)},
          {"rounding", finite_or_null(point.certificate.rounding)},
          {"shortfall", finite_or_null(point.certificate.shortfall)},
          {"exhaustive", point.certificate.exhaustive},
          {"answer", answer_of(point.certificate)},
          {"reason", name_of(point.certificate.reason)},
          {"moved_by_symmetry", point.certificate.moved_by_symmetry},
          {"certified", point.certificate.holds},
          {"refuted", point.certificate.fails},
          {"found", point.found},
          {"crowd", finite_or_null(where.arc_mass)},
          {"crowd_bound", finite_or_null(where.arc_mass_bound)}};
}

json json_of(const std::vector<Place>& places) {
  json rows = json::array();
  for (const Place& place : places)
    rows.push_back({{"active", place.active},
                    {"angle", finite_or_null(place.angle)},
                    {"unit_angle", finite_or_null(place.unit_angle)}});
  return rows;
}

// What runs have had since certificates are held against a stake; older ones leave it unknown.
void read_stake(const KeptJson& kept, CriticalPoint& point) {
  const auto number = [&](const char* key) {
    return kept.json().contains(key) ? kept.at(key).number_or(Certificate::kUnknown)
                                     : Certificate::kUnknown;
  };
  Certificate& c = point.certificate;
  point.above_uniform = number("above_uniform");
  c.stake = number("stake");
  c.tolerance = number("tolerance");
  c.rounding = number("rounding");
  c.shortfall = number("shortfall");
  if (kept.json().contains("moved_by_symmetry"))
    c.moved_by_symmetry = kept.at("moved_by_symmetry").flag();
  if (!kept.json().contains("reason")) return;
  const std::string word = kept.at("reason").text();
  for (int k = 0; k <= static_cast<int>(Certificate::Reason::samples); ++k)
    if (word == name_of(static_cast<Certificate::Reason>(k)))
      c.reason = static_cast<Certificate::Reason>(k);
  if (word != name_of(c.reason)) kept.at("reason").refuse("is no reason of a certificate");
}

CriticalPoint point_of(const KeptJson& kept, int d) {
  CriticalPoint point;
  const auto rows = kept.at("atoms").rows(static_cast<std::size_t>(d));
  if (rows.empty()) kept.at("atoms").refuse("is empty");
  point.mu.x = zeros(static_cast<int>(rows.size()), d);
  for (int i = 0; i < point.mu.x.rows; ++i)
    for (int k = 0; k < d; ++k) point.mu.x(i, k) = rows[i][k];
  for (const KeptJson& mass : kept.at("masses").list())
    point.mu.mass.push_back(mass.number(0, 1 + 1e-9));
  if (point.mu.mass.size() != rows.size()) kept.at("masses").refuse("is not one number an atom");
  point.energy = kept.at("energy").number();
  point.gradient_norm = kept.at("gradient_norm").number(0);
  point.balance = kept.at("balance").number(0);
  point.index = kept.at("index").small_whole();
  point.zeros = kept.at("zeros").small_whole();
  point.expected_zeros = kept.at("expected_zeros").small_whole();
  point.edges = kept.at("edges").small_whole();
  point.spectrum = kept.at("spectrum").numbers();
  point.second_order = kept.at("second_order").flag();
  point.certificate.duality_gap = kept.at("gap").number();
  point.certificate.bound = kept.at("gap_bound").number_or(std::numeric_limits<double>::infinity());
  point.certificate.exhaustive = kept.at("exhaustive").flag();
  point.certificate.holds = kept.at("certified").flag();
  point.certificate.fails = kept.at("refuted").flag();
  point.found = kept.at("found").small_whole();
  read_stake(kept, point);
  return point;
}

// What a certificate says: of every measure, or of moves of this one.
const char* claim_of(const Landscape& l) { return certifies_energy(l) ? "energy" : "local"; }

// D, and the best energy of all measures where it is known; nothing without a matrix.
void add_matrix(const Landscape& l, json& object) {
  if (l.matrix.empty()) return;
  object["matrix"] = rows_of(l.matrix);
  const std::optional<KnownBest> best = known_best(l);
  if (best)
    object["best"] = {
        {"energy", best->energy}, {"atoms", rows_of(best->mu.x)}, {"masses", best->mu.mass}};
}

}  // namespace

json json_of(const Landscape& l, const Search& search) {
  json points = json::array();
  for (const CriticalPoint& point : search.points) {
    const Localisation where = localise(l, point.mu);
    points.push_back(json_of(point, where));
    if (!l.a.empty()) points.back()["places"] = json_of(where.places);
  }
  json object = {{"scale", energy_scale(l)},
                 {"claim", claim_of(l)},
                 {"lost", search.lost},
                 {"points", points}};
  add_matrix(l, object);
  return object;
}

Search search_of(const KeptJson& kept, int d) {
  Search search{.lost = kept.at("lost").small_whole()};
  for (const KeptJson& point : kept.at("points").list())
    search.points.push_back(point_of(point, d));
  return search;
}

json json_of(const Landscape& l, std::span<const ScanPoint> scan) {
  json points = json::array();
  for (const ScanPoint& p : scan) {
    json object = {{"beta", p.beta},
                   {"scale", p.scale},
                   {"heaviest", p.where.heaviest},
                   {"angle", finite_or_null(p.angle)},
                   {"extrema", p.where.extrema},
                   {"active_mass", finite_or_null(p.active_mass)},
                   {"all_active_mass", finite_or_null(p.all_active_mass)}};
    object.update(json_of(p.best, p.where));
    if (!l.a.empty()) object["places"] = json_of(p.where.places);
    points.push_back(std::move(object));
  }
  return {{"claim", claim_of(l)}, {"points", points}};
}

std::vector<ScanPoint> scan_of(const KeptJson& kept, int d) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<ScanPoint> scan;
  for (const KeptJson& p : kept.at("points").list()) {
    ScanPoint point{
        .beta = p.at("beta").number(0), .best = point_of(p, d), .scale = p.at("scale").number(0)};
    point.where.heaviest = p.at("heaviest").number(0, 1 + 1e-9);
    point.where.extrema = p.at("extrema").rows(static_cast<std::size_t>(d));
    point.where.arc_mass = p.at("crowd").number_or(kNone);
    point.where.arc_mass_bound = p.at("crowd_bound").number_or(kNone);
    point.angle = p.at("angle").number_or(kNone);
    point.active_mass = p.at("active_mass").number_or(kNone);
    point.all_active_mass = p.at("all_active_mass").number_or(kNone);
    scan.push_back(std::move(point));
  }
  if (scan.empty()) kept.at("points").refuse("is empty");
  return scan;
}

std::string csv_of(std::span<const ScanPoint> scan) {
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  };
  std::string csv =
      "beta,atoms,heaviest,energy,scale,gap,gap_bound,certified,second_order,gradient_norm,crowd,"
      "crowd_bound,angle,active_mass,all_active_mass,above_uniform,stake,tolerance,rounding,answer,"
      "reason,moved_by_symmetry\n";
  for (const ScanPoint& p : scan) {
    const Certificate& c = p.best.certificate;
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},", p.beta, p.best.mu.count(),
                       p.where.heaviest, p.best.energy, p.scale, c.duality_gap, number(c.bound),
                       c.holds ? 1 : 0, p.best.second_order ? 1 : 0, p.best.gradient_norm,
                       number(p.where.arc_mass), number(p.where.arc_mass_bound), number(p.angle),
                       number(p.active_mass), number(p.all_active_mass));
    csv += fmt::format("{},{},{},{},{},{},{}\n", number(p.best.above_uniform), number(c.stake),
                       number(c.tolerance), number(c.rounding), answer_of(c), name_of(c.reason),
                       c.moved_by_symmetry ? 1 : 0);
  }
  return csv;
}

}  // namespace murmur
