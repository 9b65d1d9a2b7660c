// meanfield.cpp: mean fields out of words: law, initial measure, solver and schedule.
#include "murmur/meanfield.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "experiment/config.h"
#include "experiment/meanfield_setup.h"
#include "experiment/measures.h"
#include "experiment/perceptrons.h"
#include "experiment/rows.h"
#include "experiment/words.h"
#include "murmur/error.h"

namespace murmur {

std::span<const Parameter> meanfield_parameters() {
  using P = Parameter;
  static constexpr Parameter table[] = {
      {P::word, "name", "meanfield", "a word", "first part of the run directory's name"},
      {P::whole, "d", "2", "2 to 128",
       "coordinates: 2 is the circle; from 4 on laws are symmetric about the last axis; any d of a "
       "bifurcation diagram"},
      {P::number, "beta", "4", "0 to 700", "inverse temperature of attention"},
      {P::word, "dynamics", "SA", "SA, USA, causal",
       "softmax attention, or unnormalised; causal: SA to those before"},
      {P::word, "reach", "all", "all, past", "whom a token sees: all, or those before it"},
      {P::word, "value", "identity", "identity, minus-identity", "V: attraction or repulsion"},
      {P::word, "clock", "U1", "U1, U2, U3", "time unit of USA (docs/notation.md)"},
      {P::word, "perceptron", "none", "none, gaussian:H, gradient:M, FILE.safetensors, NAME_*.npy",
       "feed-forward drift of every token"},
      {P::word, "activation", "relu", "relu, gelu, tanh", "activation of the perceptron"},
      {P::number, "noise", "0", "0 or above", "strength 1/kappa of Brownian motion"},
      {P::word, "kappa", "none", "none, or FROM:TO:POINTS",
       "draws the bifurcation diagram of noisy USA in place of a flight"},
      {P::word, "init", "mode:1:1e-4",
       "mode:K:EPS, modes:A-B:EPS, vmf:KAPPA@ANGLE*WEIGHT,..., atoms:ANGLE*WEIGHT,..., uniform, "
       "FILE.npy, points:FILE.npy",
       "the measure at t = 0; on the sphere an ANGLE is POLAR/AZIMUTH; a file holds a density on "
       "an even grid, or unit vectors and their weights; from d = 4 on an ANGLE is 0 or pi"},
      {P::word, "prefix", "none", "none, or SHARE:INIT",
       "law of the first share of a causal prompt; init is then that of the rest"},
      {P::word, "labels", "auto", "auto, or 2 to 1024",
       "intervals of the labels between which a causal prompt's laws change"},
      {P::number, "T", "10", "above 0", "final time"},
      {P::word, "save", "every:T/100", "every:DT, final", "when densities are kept"},
      {P::word, "solver", "spectral", "spectral, quantiles",
       "coefficients of waves, which stop where they no longer resolve the density; or particles"},
      {P::word, "modes", "auto", "auto, or 4 or more", "degrees of the spectral solver"},
      {P::word, "particles", "auto", "auto, or 2 to 10000000", "of the solver quantiles"},
      {P::number, "merge", "0", "0 to 2", "particles closer than this chord become one"},
      {P::number, "rtol", "1e-9", "0 to 1", "relative tolerance of the steps"},
      {P::number, "atol", "1e-12", "0 to 1", "absolute tolerance of the steps"},
      {P::whole, "seed", "0", "0 or more", "seed of a random perceptron"},
      {P::whole, "replica", "0", "0 or more", "which random perceptron of the seed"},
      {P::word, "threads", "all", "all, or 1 or more", "threads; results never depend on it"},
      {P::whole, "max_evaluations", "10000000", "1 or more", "velocity evaluations allowed"},
  };
  return table;
}

namespace {

int count_of(const Settings& settings, const std::string& key, int fallback) {
  if (setting(settings, key).text == "auto") return fallback;
  return static_cast<int>(whole(settings, key, 2, 10'000'000));
}

struct Sizes {
  int modes, particles;
};

// What `auto` stands for; a causal field has so many for each of its labels.
Sizes sizes_of(const MeanField& field) {
  if (field.causal) return {field.d == 2 ? 128 : field.d == 3 ? 20 : 64, 128};
  if (field.d > 3) return {64, 256};
  return field.d == 2 ? Sizes{512, 100'000} : Sizes{40, 3'200};
}

// The words that a mean field has in common with simulate, of which it takes fewer values.
DynamicsSpec forces_of(const Settings& settings) {
  number(settings, "beta");
  choice(settings, "dynamics", {"SA", "USA", "causal"});
  choice(settings, "value", {"identity", "minus-identity"});
  choice(settings, "clock", {"U1", "U2", "U3"});
  number(settings, "noise");
  if (setting(settings, "perceptron").text == "none" && is_typed(settings, "activation"))
    refuse(settings, "activation", "has no effect without a perceptron",
           "give a perceptron, or leave it out");
  return dynamics_spec_of(settings);
}

MeanField field_of(const Settings& settings, Record& inputs) {
  const int d = static_cast<int>(whole(settings, "d", 2, 1000));
  const DynamicsSpec spec = forces_of(settings);
  RandomKey random;
  if (is_random(spec.perceptron)) random = {seed_of(settings), replica_of(settings)};
  return mean_field_of(unchecked_dynamics({spec, random, 1, settings}, {1, d}, inputs), d);
}

Schedule schedule_of(const Settings& settings) {
  Schedule schedule;
  schedule.T = positive(settings, "T");
  const std::vector<std::string> parts = split(setting(settings, "save").text, ':');
  if (parts.size() == 1 && parts[0] == "final") return schedule;
  const bool share = parts.size() == 2 && parts[1].rfind("T/", 0) == 0;
  double value = 0;
  if (parts.size() != 2 || parts[0] != "every" ||
      !parse_number(share ? parts[1].substr(2) : parts[1], value) || !(value > 0))
    refuse(settings, "save", "is not a schedule", "write every:0.1, every:T/100 or final");
  schedule.every = share ? schedule.T / value : value;
  return schedule;
}

// Refuses typed words that a simulation by this solver would not heed.
void refuse_unheeded(const Settings& settings, const MeanFieldSetup& s) {
  const MeanFieldMethod::Solver solver = s.method.solver;
  const auto refuse_typed = [&](const char* key, const char* reason, const char* remedy) {
    if (is_typed(settings, key)) refuse(settings, key, reason, remedy);
  };
  if (s.start.before.empty() && (!s.field.causal || s.field.weighting == Attention::softmax))
    refuse_typed("labels", "has no effect: the laws of all labels are one",
                 "leave it out, or give dynamics=causal and a prefix");
  if (solver == MeanFieldMethod::quantiles && !moves_swarm(s.field, s.method))
    refuse_typed("merge", "has no effect: these particles do not merge", "leave it out");
  if (solver == MeanFieldMethod::spectral)
    for (const char* key : {"particles", "merge"})
      refuse_typed(key, "has no effect on the spectral solver",
                   "leave it out, or solver=quantiles");
  else
    refuse_typed("modes", "has no effect on particles", "leave it out, or use solver=spectral");
  if (!is_random(dynamics_spec_of(settings).perceptron))
    for (const char* key : {"seed", "replica"})
      refuse_typed(key, "has no effect: nothing here is random",
                   "leave it out, or give perceptron=gaussian:H or gradient:M");
}

// Stationary laws are those of attraction by USA in its own time, whatever solves a simulation.
void refuse_beside_kappa(const Settings& settings) {
  if (choice(settings, "value", {"identity", "minus-identity"}) != 0)
    refuse(settings, "value", "repulsion has no ordered laws", "use value=identity beside kappa");
  if (choice(settings, "clock", {"U1", "U2", "U3"}) != 0)
    refuse(settings, "clock", "kappa is told in the clock U1", "use clock=U1 beside kappa");
  if (setting(settings, "perceptron").text != "none")
    refuse(settings, "perceptron", "stationary laws are those of attention alone",
           "use perceptron=none beside kappa");
  if (choice(settings, "reach", {"all", "past"}) != 0)
    refuse(settings, "reach", "stationary laws are those of attention to all",
           "use reach=all beside kappa");
  if (number(settings, "noise") != 0)
    refuse(settings, "noise", "kappa is 1 / noise already", "leave out one of them");
  static constexpr std::string_view of_simulations[] = {
      "activation", "init",  "prefix", "labels", "T",    "save",    "solver",         "modes",
      "particles",  "merge", "rtol",   "atol",   "seed", "replica", "max_evaluations"};
  for (const Parameter& p : meanfield_parameters()) {
    if (std::count(std::begin(of_simulations), std::end(of_simulations), p.name) == 0) continue;
    const Setting& given = setting(settings, p.name);
    if (is_typed(settings, p.name) || given.text != p.initial)
      refuse(settings, p.name, "has no effect on a bifurcation diagram",
             "leave it out beside kappa");
  }
}

std::optional<BifurcationSweep> kappas_of(const Settings& settings) {
  const std::optional<Range> range = range_of(settings, "kappa", 10'000);
  if (!range) return std::nullopt;
  if (choice(settings, "dynamics", {"SA", "USA", "causal"}) != 1)
    refuse(settings, "dynamics", "stationary laws are those of USA", "use dynamics=USA");
  refuse_beside_kappa(settings);
  return BifurcationSweep{range->from, range->to, range->points};
}

}  // namespace

MeanFieldSetup make_meanfield(const Settings& settings) {
  MeanFieldSetup s;
  s.name = run_name(settings);
  s.seed = seed_of(settings);
  s.kappas = kappas_of(settings);
  s.field = field_of(settings, s.inputs);
  if (!s.kappas) {
    check(s.field);
    s.start = measure_of(settings, s.field.d, s.inputs);
    s.start.before = prefix_of(settings, s.field.d);
    if (!s.field.causal && !s.start.before.empty())
      refuse(settings, "prefix", "has no effect where all attend to all",
             "use dynamics=causal, or leave it out");
  }
  MeanFieldMethod& m = s.method;
  m.solver =
      static_cast<MeanFieldMethod::Solver>(choice(settings, "solver", {"spectral", "quantiles"}));
  const Sizes sizes = sizes_of(s.field);
  m.modes = count_of(settings, "modes", sizes.modes);
  m.particles = count_of(settings, "particles", sizes.particles);
  m.labels = count_of(settings, "labels", 16);
  m.tolerance = {positive(settings, "rtol"), positive(settings, "atol")};
  m.merge = number(settings, "merge");
  m.max_evaluations = whole(settings, "max_evaluations", 1, kMostWhole);
  if (setting(settings, "threads").text != "all")
    m.threads = static_cast<int>(whole(settings, "threads", 1, 4096));
  if (m.solver == MeanFieldMethod::quantiles && s.field.noise > 0)
    refuse(settings, "noise", "is for the spectral solver only", "use solver=spectral, or noise=0");
  s.schedule = schedule_of(settings);
  if (!s.kappas) {
    refuse_unheeded(settings, s);
    check(s.field, s.start, m, s.schedule);
  }
  Settings resolved = settings;
  if (s.inputs.count("density") != 0) resolved["init"].text = "inputs/density.npy";
  if (s.inputs.count("points") != 0) resolved["init"].text = "points:inputs/points.npy";
  if (s.inputs.count("perceptron_in") != 0) resolved["perceptron"].text = "inputs/perceptron_*.npy";
  s.config = config_of(meanfield_parameters(), resolved);
  return s;
}

}  // namespace murmur
