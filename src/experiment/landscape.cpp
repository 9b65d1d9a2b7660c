// landscape.cpp: searches of a landscape out of words: energy, starts, and the betas of a scan.
#include "murmur/landscape.h"

#include <fmt/format.h>

#include <cmath>

#include "experiment/config.h"
#include "experiment/landscape_setup.h"
#include "experiment/matrices.h"
#include "experiment/perceptrons.h"
#include "experiment/rows.h"
#include "experiment/words.h"
#include "murmur/error.h"

namespace murmur {

std::span<const Parameter> landscape_parameters() {
  using P = Parameter;
  static constexpr Parameter table[] = {
      {P::word, "name", "landscape", "a word", "first part of the run directory's name"},
      {P::whole, "d", "3", "2 or more", "dimension; tokens live on the unit sphere of R^d"},
      {P::whole, "n", "64", "1 or more", "tokens of mass 1/n; with free masses, at the start"},
      {P::number, "beta", "4", "above 0, to 700; 1e6 with kernel=scaled",
       "inverse temperature of attention"},
      {P::word, "betas", "none", "none, or FROM:TO:POINTS",
       "the best measure, masses free, at each of these betas"},
      {P::word, "kernel", "plain", "plain, scaled", "e^{beta x.y}, or e^{beta (x.y - 1)}"},
      {P::word, "query", "identity",
       "identity, minus-identity, goe, wigner, psd, matrix:a,b;c,d;..., FILE.npy",
       "query matrix Q: scores are beta <Q x, K y>, values D y with D = Q^T K, symmetric"},
      {P::word, "key", "identity", "as query", "key matrix K; psd and minus-identity make D < 0"},
      {P::word, "direction", "ascent", "ascent, descent",
       "tokens climb the energy and attract, or descend it and repel"},
      {P::word, "perceptron", "none", "none, gradient:M, FILE.safetensors, NAME_*.npy",
       "feed-forward units in gradient form, whose potential joins the energy"},
      {P::word, "activation", "relu", "relu, gelu, tanh", "activation of the perceptron"},
      {P::word, "masses", "equal", "equal, free",
       "tokens of mass 1/n, or atoms whose masses move too"},
      {P::whole, "starts", "100", "1 or more", "where searches begin"},
      {P::number, "tolerance", "1e-8", "1e-14 to 1",
       "largest gap of a certificate, as a share of the stake"},
      {P::whole, "seed", "0", "0 or more", "seed of starts and of a random perceptron"},
      {P::whole, "replica", "0", "0 or more", "which random perceptron of the seed"},
      {P::word, "threads", "all", "all, or 1 or more", "threads; results never depend on it"},
  };
  return table;
}

namespace {

// Each the same multiple of the one before; none: empty.
std::vector<double> betas_of(const Settings& settings) {
  const std::optional<Range> range = range_of(settings, "betas", 10'000);
  std::vector<double> betas;
  for (int k = 0; range && k < range->points; ++k)
    betas.push_back(k == range->points - 1 ? range->to
                                           : range->from * std::pow(range->to / range->from,
                                                                    k / (range->points - 1.0)));
  return betas;
}

// A scan finds one measure a beta, its masses free: words that say otherwise are refused.
Settings for_scan(Settings settings) {
  if (is_typed(settings, "beta"))
    refuse(settings, "beta", "betas is there too", "give one of both");
  if (is_typed(settings, "starts"))
    refuse(settings, "starts", "a scan begins once at each beta", "leave starts out");
  if (is_given(settings, "masses") && setting(settings, "masses").text == "equal")
    refuse(settings, "masses", "the best measure has masses of its own",
           "give masses=free, or search beta by beta");
  settings["masses"].text = "free";
  return settings;
}

// The words that a landscape has in common with simulate; its kernel is that of a clock of USA.
DynamicsSpec forces_of(const Settings& settings) {
  positive(settings, "beta");
  const bool scaled = choice(settings, "kernel", {"plain", "scaled"}) == 1;
  DynamicsSpec spec = dynamics_spec_of(settings);
  spec.interaction = Interaction::USA;
  spec.value.kind = MatrixChoice::query_key;
  spec.clock = scaled ? Clock::u2 : Clock::u1;
  return spec;
}

// (h, d + 1) rows a_m and omega_m.
Array units_of(const Landscape& l) {
  std::vector<double> rows;
  for (int m = 0; m < l.a.rows; ++m) {
    for (int k = 0; k < l.d; ++k) rows.push_back(l.a(m, k));
    rows.push_back(l.omega[m]);
  }
  Array units = array_of(std::move(rows));
  units.shape = {static_cast<std::size_t>(l.a.rows), static_cast<std::size_t>(l.d) + 1};
  return units;
}

Landscape landscape_in(const Settings& settings, Record& inputs) {
  const int d = static_cast<int>(whole(settings, "d", 2, 1000));
  const DynamicsSpec spec = forces_of(settings);
  RandomKey random;
  if (is_random(spec.perceptron) || is_random(spec.query) || is_random(spec.key))
    random = {seed_of(settings), replica_of(settings)};
  const Dynamics dynamics = unchecked_dynamics({spec, random, 1, settings}, {1, d}, inputs);
  const Landscape l = landscape_of(dynamics, d);
  if (!l.a.empty()) inputs["units"] = units_of(l);
  return l;
}

}  // namespace

LandscapeSetup make_landscape(const Settings& words) {
  LandscapeSetup s;
  s.betas = betas_of(words);
  Settings settings = s.betas.empty() ? words : for_scan(words);
  s.name = run_name(settings);
  s.landscape = landscape_in(settings, s.inputs);
  if (!s.betas.empty()) s.landscape.beta = s.betas.back();
  energy_scale(s.landscape);  // refuses what is no landscape
  SearchSettings& search = s.search;
  search.masses = choice(settings, "masses", {"equal", "free"}) == 1 ? Masses::free : Masses::equal;
  search.n = static_cast<int>(whole(settings, "n", 1, 1'000'000));
  search.starts = static_cast<int>(whole(settings, "starts", 1, 1'000'000));
  search.seed = seed_of(settings);
  search.certify.tolerance = number(settings, "tolerance");
  if (!(search.certify.tolerance >= 1e-14 && search.certify.tolerance <= 1))
    refuse(settings, "tolerance", "is not from 1e-14 to 1", "use tolerance=1e-8");
  if (setting(settings, "threads").text != "all")
    search.threads = static_cast<int>(whole(settings, "threads", 1, 4096));
  for (const char* key : {"query", "key"})
    if (s.inputs.count(key) != 0) settings[key].text = fmt::format("inputs/{}.npy", key);
  if (s.inputs.count("perceptron_in") != 0) settings["perceptron"].text = "inputs/perceptron_*.npy";
  s.config = config_of(landscape_parameters(), settings);
  return s;
}

}  // namespace murmur
