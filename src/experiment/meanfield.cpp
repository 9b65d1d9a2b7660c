// meanfield.cpp: mean fields out of words: law, initial measure, solver and schedule.
#include <fmt/format.h>

#include <cmath>

#include "experiment/config.h"
#include "experiment/measures.h"
#include "experiment/perceptrons.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/meanfield_setup.h"

namespace murmur {

std::span<const Parameter> meanfield_parameters() {
  using P = Parameter;
  static constexpr Parameter table[] = {
      {P::word, "name", "meanfield", "a word", "first part of the run directory's name"},
      {P::whole, "d", "2", "2 or 3", "the circle or the sphere; any d of a bifurcation diagram"},
      {P::number, "beta", "4", "0 to 700", "inverse temperature of attention"},
      {P::word, "dynamics", "SA", "SA, USA", "softmax attention, or unnormalised"},
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
       "FILE.npy",
       "the measure at t = 0; on the sphere an ANGLE is POLAR/AZIMUTH; a file is a density on an "
       "even grid of the circle"},
      {P::number, "T", "10", "above 0", "final time"},
      {P::word, "save", "every:T/100", "every:DT, final", "when densities are kept"},
      {P::word, "solver", "spectral", "spectral, quantiles",
       "coefficients of waves, which stop where they no longer resolve the density; or particles"},
      {P::word, "modes", "auto", "auto, or 4 or more", "degrees of the spectral solver"},
      {P::word, "particles", "auto", "auto, or 2 or more", "of the solver quantiles"},
      {P::number, "merge", "0", "0 or above", "particles closer than this chord become one"},
      {P::number, "rtol", "1e-9", "above 0", "relative tolerance of the steps"},
      {P::number, "atol", "1e-12", "above 0", "absolute tolerance of the steps"},
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
  return static_cast<int>(whole(settings, key, 2, 100'000'000));
}

MeanField field_of(const Settings& settings, Record& inputs) {
  MeanField f;
  f.d = static_cast<int>(whole(settings, "d", 2, 1000));
  f.beta = number(settings, "beta");
  f.scale =
      choice(settings, "dynamics", {"SA", "USA"}) == 0 ? Attention::softmax : Attention::plain;
  f.repulsive = choice(settings, "value", {"identity", "minus-identity"}) == 1;
  f.clock = static_cast<Clock>(choice(settings, "clock", {"U1", "U2", "U3"}));
  f.noise = number(settings, "noise");
  if (setting(settings, "perceptron").text != "none")
    f.will = perceptron_of(settings, f.d, 0, inputs);
  return f;
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

std::optional<BifurcationSweep> kappas_of(const Settings& settings) {
  const std::string& text = setting(settings, "kappa").text;
  if (text == "none") return std::nullopt;
  const std::vector<std::string> parts = split(text, ':');
  BifurcationSweep sweep;
  double points = 0;
  if (parts.size() != 3 || !parse_number(parts[0], sweep.from) ||
      !parse_number(parts[1], sweep.to) || !parse_number(parts[2], points) || !(sweep.from > 0) ||
      !(sweep.to > sweep.from) || points < 2 || points > 100'000 || points != std::floor(points))
    refuse(settings, "kappa", "is not a sweep", "write kappa=1:3:41, ascending");
  if (choice(settings, "dynamics", {"SA", "USA"}) == 0)
    refuse(settings, "dynamics", "stationary laws are those of USA", "use dynamics=USA");
  sweep.points = static_cast<int>(points);
  return sweep;
}

}  // namespace

MeanFieldSetup make_meanfield(const Settings& settings) {
  MeanFieldSetup s;
  s.name = run_name(settings);
  s.seed = seed_of(settings);
  s.field = field_of(settings, s.inputs);
  s.kappas = kappas_of(settings);
  if (!s.kappas) {
    check(s.field);
    s.start = measure_of(settings, s.field.d, s.inputs);
    check(s.start, s.field.d);
  }
  MeanFieldMethod& m = s.method;
  m.solver =
      static_cast<MeanFieldMethod::Solver>(choice(settings, "solver", {"spectral", "quantiles"}));
  m.modes = count_of(settings, "modes", s.field.d == 2 ? 512 : 40);
  m.particles = count_of(settings, "particles", s.field.d == 2 ? 100'000 : 3'200);
  m.tolerance = {positive(settings, "rtol"), positive(settings, "atol")};
  m.merge = number(settings, "merge");
  if (m.merge < 0) refuse(settings, "merge", "must be 0 or above", "use merge=0 for never");
  m.max_evaluations = whole(settings, "max_evaluations", 1, kMostWhole);
  if (setting(settings, "threads").text != "all")
    m.threads = static_cast<int>(whole(settings, "threads", 1, 4096));
  if (m.solver == MeanFieldMethod::quantiles && s.field.noise > 0)
    refuse(settings, "noise", "is for the spectral solver only", "use solver=spectral, or noise=0");
  s.schedule = schedule_of(settings);
  Settings resolved = settings;
  if (s.inputs.count("density") != 0) resolved["init"].text = "inputs/density.npy";
  if (s.inputs.count("perceptron_in") != 0) resolved["perceptron"].text = "inputs/perceptron_*.npy";
  s.config = config_of(meanfield_parameters(), resolved);
  return s;
}

}  // namespace murmur
