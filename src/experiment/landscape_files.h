// landscape_files.h: writes and reads the files of a landscape run: points.json, scan.json,
// scan.csv.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "murmur/landscape.h"
#include "run/describe.h"
#include "run/kept_json.h"

namespace murmur {

// --- Descriptions: the fields of points.json and scan.json, and the columns of scan.csv.

template <class Visitor>
void describe(Visitor& v, FieldsOf<Atoms>) {
  v(&Atoms::x, {.key = "atoms", .meaning = "positions on the sphere, one row per atom"});
  v(&Atoms::mass, {.key = "masses",
                   .meaning = "masses of the atoms, of sum 1",
                   .least = 0,
                   .greatest = 1 + 1e-9});
}

template <class Visitor>
void describe(Visitor& v, FieldsOf<Certificate>) {
  using C = Certificate;
  v(&C::duality_gap, {.key = "gap", .meaning = "duality gap from the best point found"});
  v(&C::bound, {.key = "gap_bound",
                .meaning = "upper bound of the gap over the whole sphere, rounding included",
                .null = Null::infinity});
  v(&C::exhaustive,
    {.key = "exhaustive", .meaning = "whether the bound covers every point of the sphere"});
  v(&C::holds, {.key = "certified", .meaning = "whether the measure is certified"});
  v(&C::fails, {.key = "refuted", .meaning = "whether a better measure exists"});
  v.derived([](const C& c) { return std::string(answer_of(c)); },
            {.key = "answer", .meaning = "certified, refuted or open"});
  v(&C::stake, {.key = "stake",
                .meaning = "energy with which the gap is compared",
                .null = Null::nan,
                .optional = true});
  v(&C::tolerance, {.key = "tolerance",
                    .meaning = "largest bound that is certified, a share of the stake",
                    .null = Null::nan,
                    .optional = true});
  v(&C::rounding, {.key = "rounding",
                   .meaning = "bound on the rounding error of the gap",
                   .null = Null::nan,
                   .optional = true});
  v(&C::shortfall, {.key = "shortfall",
                    .meaning = "how much better the best of all measures is at most",
                    .null = Null::nan,
                    .optional = true});
  v(&C::moved_by_symmetry,
    {.key = "moved_by_symmetry",
     .meaning = "whether rotations that leave the best measure as it is move these atoms",
     .optional = true});
  v.choice(&C::reason, C::Reason::samples,
           {.key = "reason", .meaning = "why it is refuted or open", .optional = true});
}

template <class Visitor>
void describe(Visitor& v, FieldsOf<CriticalPoint>) {
  using P = CriticalPoint;
  v.part(&P::mu);
  v(&P::energy, {.key = "energy", .meaning = "energy of the measure"});
  v(&P::gradient_norm, {.key = "gradient_norm",
                        .meaning = "largest gradient at an atom, relative to the scale",
                        .least = 0});
  v(&P::balance, {.key = "balance",
                  .meaning = "largest ratio of a gradient to the lengths of its terms",
                  .least = 0});
  v(&P::index, {.key = "index", .meaning = "number of unstable eigenvalues"});
  v(&P::zeros, {.key = "zeros", .meaning = "number of eigenvalues that vanish"});
  v(&P::expected_zeros,
    {.key = "expected_zeros", .meaning = "number of zeros that follow from rotations"});
  v(&P::edges, {.key = "edges", .meaning = "number of atoms on the edge of a relu unit"});
  v(&P::spectrum,
    {.key = "spectrum", .meaning = "eigenvalues of the second derivative, increasing"});
  v(&P::second_order, {.key = "second_order", .meaning = "whether no direction is unstable"});
  v.part(&P::certificate);
  v(&P::found, {.key = "found", .meaning = "number of starts that ended here"});
  v(&P::above_uniform, {.key = "above_uniform",
                        .meaning = "energy minus that of the uniform measure",
                        .null = Null::nan,
                        .optional = true});
}

template <class Visitor>
void describe(Visitor& v, FieldsOf<Localisation>) {
  v(&Localisation::arc_mass,
    {.key = "crowd",
     .meaning = "on the circle: greatest mass of two or more atoms in an arc of 1/(2 sqrt(beta))",
     .null = Null::nan});
  v(&Localisation::arc_mass_bound,
    {.key = "crowd_bound", .meaning = "bound of crowd under descent", .null = Null::nan});
}

template <class Visitor>
void describe(Visitor& v, FieldsOf<Place>) {
  v(&Place::active, {.key = "active", .meaning = "number of units that are active at the atom"});
  v(&Place::angle,
    {.key = "angle", .meaning = "angle to the nearest extremum of V", .null = Null::nan});
  v(&Place::unit_angle, {.key = "unit_angle",
                         .meaning = "angle to the nearest direction of a unit",
                         .null = Null::nan});
}

template <class Visitor>
void describe(Visitor& v, FieldsOf<ScanPoint>) {
  v(&ScanPoint::beta, {.key = "beta", .meaning = "inverse temperature", .least = 0});
  v.part(&ScanPoint::best);
  v(&ScanPoint::scale,
    {.key = "scale", .meaning = "unit of gradients: |D| k(|D|) + sum |omega| |a|^2", .least = 0});
  v([](auto& p) -> auto& { return p.where.heaviest; },
    {.key = "heaviest", .meaning = "largest mass of an atom", .least = 0, .greatest = 1 + 1e-9});
  v([](auto& p) -> auto& { return p.where.extrema; },
    {.key = "extrema", .meaning = "strict extrema of V"});
  v.part(&ScanPoint::where);
  v(&ScanPoint::angle,
    {.key = "angle", .meaning = "mean angle to the nearest extremum of V", .null = Null::nan});
  v(&ScanPoint::active_mass, {.key = "active_mass",
                              .meaning = "mass at which at least one unit is active",
                              .null = Null::nan});
  v(&ScanPoint::all_active_mass,
    {.key = "all_active_mass", .meaning = "mass at which all units are active", .null = Null::nan});
}

// --- Files.

// points.json: atoms, masses, numbers and certificates, without the best points of certificates.
nlohmann::json json_of(const Landscape& landscape, const Search& search);
Search search_of(const KeptJson& kept, int d);
// scan.json and scan.csv.
nlohmann::json json_of(const Landscape& landscape, std::span<const ScanPoint> scan);
std::vector<ScanPoint> scan_of(const KeptJson& kept, int d);
std::string csv_of(std::span<const ScanPoint> scan);

}  // namespace murmur
