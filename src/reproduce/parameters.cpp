// parameters.cpp: the table of the parameters of each reproduction, their values for one call, and
// the rules that depend on them.
#include "reproduce/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "experiment/words.h"
#include "murmur/error.h"
#include "reproduce/reproductions.h"
#include "reproduce/rules.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct Assignment {
  std::string key, value;
};
Assignment split_assignment(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) return {assignment, ""};
  return {assignment.substr(0, equals), assignment.substr(equals + 1)};
}

bool is_list(const FigureParameter& p) {
  return p.kind == FigureParameter::numbers || p.kind == FigureParameter::wholes;
}
bool is_whole(const FigureParameter& p) {
  return p.kind == FigureParameter::whole || p.kind == FigureParameter::wholes;
}

// "1,2,5" or FROM:TO:POINTS; empty where the text is neither.
std::vector<double> list_of(const std::string& text) {
  constexpr int kMostPoints = 10'000;
  std::vector<double> values;
  const std::vector<std::string> range = split(text, ':');
  double from = 0, to = 0, points = 0;
  if (range.size() == 3 && parse_number(range[0], from) && parse_number(range[1], to) &&
      parse_number(range[2], points) && points == std::floor(points) && points >= 2 &&
      points <= kMostPoints) {
    for (int k = 0; k < points; ++k) values.push_back(from + (to - from) * k / (points - 1));
    return values;
  }
  for (const std::string& part : split(text, ',')) {
    double value = 0;
    if (!parse_number(part, value)) return {};
    values.push_back(value);
  }
  return values;
}

bool fits(const FigureParameter& p, const std::vector<double>& values) {
  if (values.empty() || (!is_list(p) && values.size() > 1)) return false;
  return std::all_of(values.begin(), values.end(), [&](double value) {
    return value >= p.low && value <= p.high && (!is_whole(p) || value == std::floor(value));
  });
}

const FigureParameter* find(const std::vector<FigureParameter>& all, std::string_view name) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
  return at == all.end() ? nullptr : &*at;
}

std::string figure_of(const Rule& rule) {
  const std::string name = rule.name;
  return name.substr(0, name.find('.'));
}

bool keeps(const FigureParameter& p, const Rule& rule) {
  if (p.keeps == "*") return true;
  const std::string name = rule.name, asked = name.substr(name.find('.') + 1);
  const std::vector<std::string> kept = split(p.keeps, ' ');
  return std::find(kept.begin(), kept.end(), asked) != kept.end();
}

// Figures that train take the parameters of `murmur train`. These rules are theorems, which hold
// for every training, unless the parameter `unless` is changed.
struct TrainingRule {
  const char* rule;
  const char* unless;
};
constexpr TrainingRule kTheorems[] = {{rule::ladder_additive, ""},
                                      {rule::ladder_alone, ""},
                                      {rule::ladder_bag, ""},
                                      {rule::order_chance, "positions"}};

// Whether a rule applies although this parameter was changed.
bool still_applies(const Rule& rule, const std::string& key) {
  const std::vector<FigureParameter>& all = parameters_of(figure_of(rule));
  if (const FigureParameter* p = find(all, key)) return keeps(*p, rule);
  return std::any_of(std::begin(kTheorems), std::end(kTheorems), [&](const TrainingRule& one) {
    return std::string_view(rule.name) == one.rule && key != one.unless;
  });
}

[[noreturn]] void refuse_name(const std::string& figure, const std::string& assignment) {
  const std::vector<FigureParameter>& all = parameters_of(figure);
  std::vector<std::string> names{"threads"};
  for (const FigureParameter& p : all) names.push_back(p.name);
  const std::string near = did_you_mean(split_assignment(assignment).key, names);
  const std::string list = fmt::format("murmur reproduce {} --help lists its parameters", figure);
  throw Error(Fault::input,
              fmt::format("{} has no parameter {}", figure, split_assignment(assignment).key),
              "command line: " + assignment,
              near.empty() ? list : fmt::format("did you mean {}? {}", near, list));
}

}  // namespace

const std::vector<FigureParameter>& parameters_of(std::string_view figure) {
  static const std::vector<FigureParameter> none;
  for (const FigureDescription& one : figure_descriptions())
    if (one.figure == figure) return one.parameters;
  return none;
}

std::string default_of(const FigureParameter& p, bool is_quick) {
  if (p.kind == FigureParameter::experiment) {
    const Settings settings = gather({p.preset, {}, {}});
    return settings.at(p.name).text;
  }
  return is_quick && !p.quick.empty() ? p.quick : p.initial;
}

std::string takes(const FigureParameter& p) {
  if (p.kind == FigureParameter::experiment) {
    for (const Parameter& one : parameters())
      if (p.name == one.name) return one.values;
  }
  std::string range;
  if (std::isfinite(p.low) && std::isfinite(p.high))
    range = fmt::format("from {:g} to {:g}", p.low, p.high);
  else if (std::isfinite(p.low))
    range = fmt::format("{:g} or more", p.low);
  else if (std::isfinite(p.high))
    range = fmt::format("{:g} or less", p.high);
  const std::string unit = is_whole(p) ? "whole number" : "number";
  const std::string what = is_list(p) ? unit + "s with commas, or FROM:TO:POINTS" : unit;
  return range.empty() ? what : fmt::format("{}, {}", what, range);
}

std::vector<std::string> depends_on(const Rule& rule) {
  std::vector<std::string> names;
  for (const FigureParameter& p : parameters_of(figure_of(rule)))
    if (!keeps(p, rule)) names.push_back(p.name);
  return names;
}

void FigureValues::set_value(const FigureParameter& p, const std::string& text,
                             const std::string& where) {
  std::vector<double> values;
  double one = 0;
  if (is_list(p))
    values = list_of(text);
  else if (parse_number(text, one))
    values = {one};
  if (!fits(p, values))
    throw Error(Fault::input, fmt::format("{} takes no {}", p.name, text), where,
                fmt::format("{} takes: {}", p.name, takes(p)));
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw Error(Fault::input, fmt::format("{} names {:g} twice", p.name, *twice), where,
                "give each number once");
  const std::vector<double> initial = list_of(p.initial);
  if (is_list(p) && values != sorted && std::is_sorted(initial.begin(), initial.end()))
    throw Error(Fault::input, fmt::format("{} does not ascend", p.name), where,
                "write the lowest number first");
  values_[p.name] = std::move(values);
}

// Requires NAME_min below NAME_max.
void FigureValues::require_ranges() const {
  for (const auto& [name, low] : values_) {
    if (!name.ends_with("_min")) continue;
    const auto high = values_.find(name.substr(0, name.size() - 3) + "max");
    if (high != values_.end() && low.front() >= high->second.front())
      throw Error(Fault::input,
                  fmt::format("{} = {:g} is not below {} = {:g}", name, low.front(), high->first,
                              high->second.front()),
                  "command line", fmt::format("give a smaller {}", name));
  }
}

FigureValues::FigureValues(const std::string& figure, bool is_quick,
                           const std::vector<std::string>& assignments) {
  const std::vector<FigureParameter>& all = parameters_of(figure);
  for (const FigureParameter& p : all)
    if (p.kind != FigureParameter::experiment)
      set_value(p, default_of(p, is_quick), "default of " + figure);
  for (const std::string& assignment : assignments) {
    const auto [key, value] = split_assignment(assignment);
    const FigureParameter* p = find(all, key);
    if (p == nullptr) refuse_name(figure, assignment);
    changed_.push_back(key);
    if (p->kind != FigureParameter::experiment) {
      set_value(*p, value, "command line: " + assignment);
      continue;
    }
    preset_assignments_.push_back(assignment);
    spec(p->preset);  // refuses an invalid value
  }
  require_ranges();
}

const std::vector<double>& FigureValues::numbers(std::string_view name) const {
  const auto at = values_.find(name);
  if (at == values_.end()) throw std::logic_error(fmt::format("no parameter {} is declared", name));
  return at->second;
}

double FigureValues::number(std::string_view name) const { return numbers(name).front(); }

int FigureValues::whole(std::string_view name) const { return static_cast<int>(number(name)); }

std::vector<int> FigureValues::wholes(std::string_view name) const {
  const std::vector<double>& values = numbers(name);
  return {values.begin(), values.end()};
}

bool FigureValues::is_changed(std::string_view name) const {
  return std::find(changed_.begin(), changed_.end(), name) != changed_.end();
}

ExperimentSpec FigureValues::spec(const std::string& preset) const {
  return spec_of(gather({preset, {}, preset_assignments_}));
}

std::string label_of_changes(const std::string& figure, bool is_quick,
                             const std::vector<std::string>& assignments) {
  std::vector<std::string> parts;
  for (const std::string& assignment : assignments) {
    const FigureParameter* p = find(parameters_of(figure), split_assignment(assignment).key);
    parts.push_back(p == nullptr
                        ? assignment
                        : fmt::format("{} instead of {}", assignment, default_of(*p, is_quick)));
  }
  return parts.empty() ? "" : fmt::format("changed: {}", fmt::join(parts, ", "));
}

std::string changes_against(const Rule& rule, const std::vector<std::string>& assignments) {
  std::vector<std::string> names;
  for (const std::string& assignment : assignments) {
    const std::string key = split_assignment(assignment).key;
    if (!still_applies(rule, key)) names.push_back(key);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

namespace {

using P = FigureParameter;
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};
// Full and quick defaults; one where both are the same.
struct Defaults {
  std::string full, quick{};
};

P make_parameter(P::Kind kind, std::string name, const Defaults& defaults, Bounds bounds,
                 std::string meaning, std::string keeps) {
  return {.name = std::move(name),
          .kind = kind,
          .initial = defaults.full,
          .quick = defaults.quick,
          .meaning = std::move(meaning),
          .keeps = std::move(keeps),
          .low = bounds.low,
          .high = bounds.high};
}
P number(std::string name, const Defaults& defaults, Bounds bounds, std::string meaning,
         std::string keeps = "") {
  return make_parameter(P::number, std::move(name), defaults, bounds, std::move(meaning),
                        std::move(keeps));
}
P whole(std::string name, const Defaults& defaults, Bounds bounds, std::string meaning,
        std::string keeps = "") {
  return make_parameter(P::whole, std::move(name), defaults, bounds, std::move(meaning),
                        std::move(keeps));
}
P numbers(std::string name, const Defaults& defaults, Bounds bounds, std::string meaning,
          std::string keeps = "") {
  return make_parameter(P::numbers, std::move(name), defaults, bounds, std::move(meaning),
                        std::move(keeps));
}
P wholes(std::string name, const Defaults& defaults, Bounds bounds, std::string meaning,
         std::string keeps = "") {
  return make_parameter(P::wholes, std::move(name), defaults, bounds, std::move(meaning),
                        std::move(keeps));
}
// A parameter of the preset: its default is there, its meaning and range in the table of
// parameters of `murmur simulate`.
P of(std::string preset, std::string name, std::string keeps = "") {
  P p{.name = std::move(name), .kind = P::experiment, .keeps = std::move(keeps)};
  for (const Parameter& one : parameters())
    if (p.name == one.name) p.meaning = one.meaning;
  p.preset = std::move(preset);
  return p;
}

constexpr Bounds kBetas{0.01, 1000}, kCount{1, 1e6};

std::vector<FigureDescription> attention_figures() {
  return {
      {figure::phase_diagram,
       {of("phase-diagram", "n"),
        wholes("dimensions", {"2,8,32,128,512,1024", "2,128"}, {2, 4096},
               "coordinates d of each map", "*"),
        number("beta_min", {"0.1"}, kBetas, "lowest β of the maps", "*"),
        number("beta_max", {"9"}, kBetas, "highest β of the maps", "*"),
        whole("rows", {"90", "18"}, {2, 2000}, "values of β in a map", "*"),
        whole("columns", {"150", "60"}, {2, 300}, "times in a map", "*"),
        number("T", {"30"}, {0.1, 1000}, "last time of the maps, a multiple of 0.1 per column",
               "*"),
        whole("replicas", {"256", "32"}, kCount, "swarms per row of maps with d up to 8", "*"),
        whole("wide_replicas", {"64", "32"}, kCount, "swarms per row of maps with larger d", "*"),
        whole("counted_replicas", {"8192"}, kCount, "swarms of each checked fraction", "front"),
        whole("front_replicas", {"64", "16"}, kCount, "swarms of each checked front",
              "fractions")}},
      {figure::circle_clusters,
       {of("circle-clusters", "n"), of("circle-clusters", "T"), of("circle-clusters", "dt"),
        numbers("betas", {"4,9"}, kBetas, "inverse temperatures, a panel each"),
        whole("replicas", {"4096", "1024"}, kCount, "swarms per bar", "most-frequent"),
        whole("rows", {"90", "18"}, {2, 2000}, "values of β in the map", "*"),
        whole("map_replicas", {"256", "32"}, kCount, "swarms per row of the map", "*")}},
      {figure::random_weights,
       {of("random-weights", "n"), of("random-weights", "d", "time"),
        of("random-weights", "beta", "time cell"), of("random-weights", "T", "time"),
        whole("replicas", {"8", "2"}, {1, 1e4}, "draws of start and matrices per curve",
              "time cell"),
        whole("time_replicas", {"24", "6"}, {2, 1e4}, "draws per checked time", "*"),
        whole("wide", {"256"}, {2, 4096}, "coordinates d of the swarms whose time is checked",
              "front time cell"),
        number("sharp", {"4"}, kBetas, "β of the swarms whose time is checked", "front time cell"),
        whole("rows", {"90", "14"}, {2, 2000}, "values of β in a map", "*"),
        whole("map_replicas", {"16", "2"}, {1, 1e4}, "swarms per row of a map", "*"),
        whole("cell_replicas", {"256", "32"}, {2, 1e5}, "swarms of each checked cell", "*")}},
      {figure::equiangular,
       {whole("n", {"32"}, {2, 512}, "tokens of the left panel", "*"),
        numbers("betas", {"0,1,4,7"}, {0, 50}, "inverse temperatures of the left panel", "*"),
        number("T", {"15"}, {0.1, 1000}, "last time of the left panel, a multiple of 0.1", "*"),
        wholes("sizes", {"32,128"}, {2, 512}, "numbers of tokens of the phase curve", "*"),
        number("delta", {"0.001"}, {1e-6, 0.5}, "1 − ρ at which tokens count as met", "*")}},
      {figure::growth,
       {of("growth", "n", "rate"),
        whole("seeds", {"20", "1"}, {1, 1000}, "clouds; one cloud is shown and not judged", "rate"),
        whole("quantiles", {"600"}, {16, 1e5}, "tokens at quantiles whose rates are read",
              "clouds leader"),
        whole("modes", {"4"}, {1, 12}, "modes of the first panel", "*")}},
      {figure::fastest_modes,
       {whole("quantiles", {"600"}, {16, 1e5}, "tokens at quantiles whose rates are read"),
        number("beta_max", {"50"}, {2, 500}, "highest β of the curves", "*"),
        number("beta_step", {"4"}, {0.1, 100}, "distance in β of the points", "*")}},
      {figure::kinetic, {of("kinetic", "beta", "families"), of("kinetic", "T")}},
      {figure::layers_clock,
       {of("kinetic", "beta", "clusters"), of("kinetic", "T"),
        numbers("steps", {"0.2,0.1,0.05,0.01"}, {1e-3, 1}, "steps η of the layers", "*")}},
      {figure::staircase,
       {numbers("betas", {"500,1000,1500,2000,3000,4000", "2000"}, {1, 1e5},
                "inverse temperatures; the rules are about 2000 and 4000", "*"),
        number("T", {"0.14"}, {0.01, 10}, "last time, a multiple of 1e-5"),
        number("dt", {"5e-6", "1e-5"}, {1e-7, 1e-5}, "time step; 1e-5 is a multiple of it")}},
      {figure::lifetimes,
       {number("angle", {"1.5707963267948966"}, {0.2, 3}, "first angle of the two clusters",
               "particles"),
        number("mass", {"0.5"}, {0.01, 0.99}, "mass of the first cluster", "particles"),
        number("beta_max", {"25"}, {5, 25}, "highest β of the curve", "particles"),
        number("beta_step", {"1", "4"}, {0.25, 10}, "distance in β of the points", "particles")}},
      {figure::polytope,
       {of("polytope", "n", "hull"), of("polytope", "beta", "hull"), of("polytope", "T", "hull"),
        wholes("dimensions", {"2,3", "2"}, {2, 64}, "coordinates d of the swarms", "hull"),
        whole("seeds", {"5", "2"}, {1, 1000}, "starts for each d", "*")}},
      {figure::hyperplanes,
       {of("hyperplanes", "n", "range"), of("hyperplanes", "beta", "range"),
        of("hyperplanes", "T", "range"),
        whole("seeds", {"3", "1"}, {1, 1000}, "starts for each V", "*")}},
      {figure::product,
       {of("product", "n"), of("product", "beta"), of("product", "T"),
        number("repelled", {"-0.5"}, {-2, -0.05}, "the eigenvalue of V on G", "spread"),
        whole("seeds", {"5", "2"}, {1, 1000}, "starts for each d", "*")}},
      {figure::leaders,
       {of("leaders", "n", "sides"), of("leaders", "beta"),
        number("turns", {"10"}, {0.25, 100}, "last time, in units of 1/λ_1"),
        whole("seeds", {"20", "5"}, {1, 1000}, "draws of start and matrices", "*")}},
      {figure::low_rank,
       {of("low-rank", "beta"), of("low-rank", "T", "wide"),
        wholes("sizes", {"10,20,30,40", "10,40"}, {5, 1000}, "numbers of tokens on the line",
               "wide"),
        whole("seeds", {"5", "2"}, {1, 1000}, "starts for each number of tokens", "*")}},
      {figure::causal_centres,
       {of("causal-centres", "n", "strong renyi"), of("causal-centres", "beta", "strong renyi"),
        of("causal-centres", "T", "strong renyi"),
        whole("seeds", {"5", "1"}, {1, 1000}, "starts that are carried through time", "*"),
        whole("starts", {"2000", "200"}, {2, 1e6}, "starts of each checked number of centres",
              "strong stay"),
        numbers("deltas", {"0.25,0.35,0.5,0.7,1"}, {0.05, 3},
                "distances δ between centres of the right panel", "*"),
        whole("panel_starts", {"200", "40"}, {2, 1e6}, "starts of each point of the right panel",
              "*")}},
      {figure::hardmax,
       {number("alpha", {"0.5"}, {0.01, 10}, "step α of the iteration", "leaders closed-form"),
        whole("draws", {"20", "1"}, {1, 10'000}, "draws of each start that is drawn", "*")}},
      {figure::hardmax_cells,
       {wholes("corners",
               {"5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25", "5,10,15,20,25"},
               {3, 100}, "numbers of vertices", "*"),
        whole("grid", {"1000", "200"}, {10, 4000},
              "places along each axis whose cells are compared", "*"),
        whole("followers", {"20", "12"}, {4, 100}, "grid along each axis of the tokens", "*"),
        wholes("drawn", {"8,15"}, {3, 100}, "numbers of vertices that are drawn", "*")}},
      {figure::escape_times,
       {number("step", {"1", "4"}, {0.25, 10}, "distance in βc of the points, from 1 on",
               "polygons steps stay gather"),
        number("longest", {"25"}, {10, 25}, "highest βc", "polygons steps stay gather"),
        number("gamma", {"0.3333333333333333"}, {0.01, 0.9}, "step γ of the published iteration",
               "polygons slope nearest-pair stay gather")}},
      {figure::normalisation,
       {of("normalisation", "n", "cosine radius"), of("normalisation", "d", "*"),
        of("normalisation", "beta", "cosine radius"),
        number("mix", {"2"}, {0.1, 100}, "time τ at which Mix-LN changes from post to pre",
               "cosine radius")}},
      {figure::normalisation_weights,
       {whole("n", {"32", "16"}, {2, 4096}, "number of particles (tokens)"),
        whole("d", {"512", "64"}, {2, 4096}, "coordinates of each particle"),
        number("beta", {"22.627416997969522", "8"}, kBetas, "inverse temperature of attention"),
        of("normalisation-weights", "seed"),
        number("mix", {"2"}, {0.1, 100}, "time τ at which Mix-LN changes from post to pre")}},
      {figure::density_modes,
       {of("density-modes", "n"),
        whole("starts", {"40", "10"}, {2, 10'000}, "starts of each checked mean"),
        numbers("betas", {"125,250,500,1000,2000,4000,8000,16000,32000"}, {1, 1e6},
                "inverse squared bandwidths of the points", "*"),
        whole("panel_starts", {"5"}, {2, 10'000}, "starts of each point", "*")}},
      {figure::long_context,
       {number("rho", {"0.3"}, {0.01, 0.99}, "cosine of the tokens", "*"),
        whole("n", {"1000", "200"}, {3, 5000}, "tokens of the checked layers", "*"),
        numbers("sizes", {"100,1000,1e6,1e12"}, {3, 1e15},
                "numbers of tokens of the curves; particles are shown up to 1,000", "*"),
        number("gamma_max", {"3"}, {0.5, 100}, "highest γ of the curves", "*")}},
      {figure::lost_in_the_middle,
       {whole("draws", {"1600", "400"}, {2, 1e6}, "swarms of 32 and of 64 particles",
              "critical-time mean places"),
        number("beta", {"1"}, {0.01, 5}, "β of the curves of theory", "*"),
        number("lambda", {"1"}, {0.01, 20}, "slope λ of ALiBi of the curves of theory", "*"),
        numbers("shares", {"0.25,0.5,0.75,1,1.25"}, {0.01, 10},
                "times of the curves of theory, in units of t_crit", "*")}},
  };
}

std::vector<FigureDescription> limit_figures() {
  return {
      {figure::chaos,
       {of("chaos", "beta", "*"),
        wholes("sizes", {"1000,2000,4000,8000,16000", "1000,4000,16000"}, {10, 1e6},
               "numbers of tokens n, two or more", "exponent"),
        wholes("clouds", {"120,100,60,40,20", "60,30,10"}, {2, 1e5},
               "clouds for each n: as many numbers as sizes", "*"),
        number("T", {"3"}, {1, 100}, "last time, whole", "*")}},
      {figure::next_token,
       {of("next-token", "n"), of("next-token", "d"), of("next-token", "T"),
        numbers("betas", {"1,4,9"}, kBetas, "inverse temperatures, ascending"),
        number("share", {"0.99"}, {0.5, 0.9999}, "share of the mass that the atoms hold"),
        whole("starts", {"100", "20"}, {2, 10'000}, "starts for each β", "one")}},
      {figure::readout,
       {of("readout", "T"),
        wholes("sizes", {"8,16,32,64,128,256,512", "8,16,32,64,128"}, {2, 10'000},
               "numbers of tokens n, two or more", "bodies class-token spread-mean"),
        numbers("spreads", {"0.05,0.1,0.2,0.4"}, {0.001, 1.5},
                "spreads of the flock, radians, two or more", "bodies votes class-token"),
        whole("starts", {"200", "40"}, {2, 10'000}, "starts of each number")}},
      {figure::perceptron_clusters,
       {numbers("betas", {"5,15,25,50"}, {0.1, 1000},
                "inverse temperatures of the tokens, two or more; the companion code has the "
                "default ones",
                "companion energy bound atoms rest"),
        numbers("measure_betas", {"1,2,5,10,15,25,50", "1,5,15,50"}, {0.1, 200},
                "inverse temperatures of the best measures, two or more",
                "companion energy bound growth"),
        whole("circle_seeds", {"24", "3"}, {2, 1000}, "draws of weights for tokens on the circle",
              "companion energy bound atoms rest"),
        whole("published_seeds", {"24", "8"}, {2, 1000},
              "the same with ReLU and the scaled kernel, as published",
              "companion energy bound atoms rest"),
        whole("sphere_seeds", {"8", "3"}, {2, 1000}, "the same on the sphere",
              "companion energy bound atoms rest"),
        whole("weights", {"12", "3"}, {2, 200},
              "draws of weights of each kind for the best measures",
              "companion energy bound growth")}},
      {figure::perceptron_ascent,
       {numbers("betas", {"1,2,5,10"}, {0.1, 50}, "inverse temperatures", "*"),
        whole("seeds", {"12", "3"}, {1, 1000},
              "draws of weights on the circle; a third on the sphere", "*"),
        number("drawn", {"5"}, {0.1, 50}, "the β whose atoms and energies are drawn", "*")}},
      {figure::heads_approximation,
       {wholes("heads", {"1,2,4,8,16", "1,2,4"}, {1, 64}, "numbers of heads in the plane",
               "limit limit-rate"),
        wholes("space_heads", {"1,2,4,8", "1,2,4"}, {1, 64}, "numbers of heads in R^3",
               "limit limit-rate"),
        whole("measures", {"120", "60"}, {10, 1000}, "measures that heads are trained on",
              "limit limit-rate"),
        whole("iterations", {"30", "20"}, {1, 1000}, "updates of each training in the plane",
              "limit limit-rate"),
        whole("space_iterations", {"25", "20"}, {1, 1000}, "updates of each training in R^3",
              "limit limit-rate"),
        whole("seeds", {"4", "2"}, {2, 5}, "trainings of each row in the plane",
              "limit limit-rate"),
        whole("space_seeds", {"3", "2"}, {2, 5}, "trainings of each row in R^3",
              "limit limit-rate"),
        whole("replicas", {"96", "24"}, {2, 10'000}, "draws of heads compared with their limit",
              "*")}},
      {figure::residual_depth,
       {whole("layers", {"1024", "256"}, {64, 4096}, "most layers, a power of 4", "constant"),
        whole("constant_layers", {"4096", "512"}, {512, 65'536}, "layers of the checked constant",
              "*"),
        whole("replicas", {"768", "192"}, {2, 10'000}, "networks with weights of their own",
              "layers midpoint constant")}},
      {figure::mean_field,
       {numbers("betas", {"5,7"}, {1, 12}, "inverse temperatures", "leader ratio rate"),
        numbers("heights", {"1e-6,1e-8"}, {1e-12, 1e-3},
                "heights of the waves; those from 1e-6 on are drawn", "leader rate peaks"),
        number("noise", {"0.01"}, {1e-4, 0.2}, "noise 1/κ", "leader ratio rate")}},
      {figure::noisy_bifurcation,
       {numbers("circle_betas", {"1,4"}, {0.1, 8}, "inverse temperatures on the circle", "*"),
        numbers("sphere_betas", {"1,3"}, {0.1, 6}, "inverse temperatures on the sphere", "*"),
        whole("points", {"101", "26"}, {10, 1000}, "values of κ in each panel", "*")}},
      {figure::redraw_diffusion,
       {whole("replicas", {"20000", "1500"}, {10, 1e6}, "pairs with one layer per draw",
              "flow rate collapse"),
        whole("flow_replicas", {"5000", "1500"}, {10, 1e6}, "pairs of the flow",
              "law rate collapse"),
        whole("rate_replicas", {"200000", "40000"}, {10, 1e7}, "pairs with coarse draws",
              "law flow collapse"),
        whole("collapse_replicas", {"400", "24"}, {2, 1e6}, "swarms of eight tokens",
              "law flow rate")}},
      {figure::w2_rate,
       {numbers("orders", {"0.5,0.1,0.01,0.001", "0.5,0.001"}, {1e-5, 0.9},
                "orders of the starts of the theorem", "*"),
        numbers("betas", {"-0.1,0,0.3"}, {-1, 2}, "inverse temperatures of the theorem",
                "late critical boost atoms"),
        whole("tokens", {"60"}, {4, 2000}, "tokens of the finite swarm", "*")}},
      {figure::real_models,
       {whole("inputs", {"126", "12"}, {2, 126}, "inputs of each model"),
        whole("draws", {"9", "2"}, {1, 100}, "draws of random weights", "*")}},
      {figure::skipped_blocks, {whole("inputs", {"42", "12"}, {6, 126}, "inputs of each model")}},
  };
}

}  // namespace

const std::vector<FigureDescription>& figure_descriptions() {
  static const std::vector<FigureDescription> all = [] {
    std::vector<FigureDescription> joined = attention_figures();
    for (FigureDescription& one : limit_figures()) joined.push_back(std::move(one));
    return joined;
  }();
  return all;
}

}  // namespace murmur
