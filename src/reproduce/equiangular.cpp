// equiangular.cpp: tokens that start at right angles keep one common cosine, known in closed form.
#include <fmt/format.h>

#include <cmath>

#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

struct Case {
  Interaction interaction;
  int n;
  double beta, t, predicted;
};
constexpr Case kCases[] = {{Interaction::SA, 8, 1, 3, 0.970493827},
                           {Interaction::USA, 8, 1, 0.8, 0.416079473},
                           {Interaction::SA, 32, 4, 3, 0.332986702},
                           {Interaction::USA, 32, 4, 0.12, 0.008560837}};

struct Cosines {
  double mean, spread;  // over all pairs; greatest less smallest
};

Cosines cosines(const HostSwarm& x) {
  double low = 1, high = -1, sum = 0;
  for (int i = 0; i < x.n(); ++i)
    for (int j = 0; j < i; ++j) {
      double dot = 0;
      for (int k = 0; k < x.d(); ++k) dot += x.at(i, k) * x.at(j, k);
      low = std::min(low, dot);
      high = std::max(high, dot);
      sum += dot;
    }
  return {sum / (x.n() * (x.n() - 1) / 2), high - low};
}

ExperimentSpec spec_of(const Case& c, const SaveChoice& save) {
  ExperimentSpec spec = preset_spec("orthonormal");
  spec.dynamics.interaction = c.interaction;
  spec.dynamics.beta = c.beta;
  spec.n = spec.d = c.n;
  spec.T = c.t;
  spec.save = save;
  spec.init = InitialLaw{InitialLaw::orthonormal};
  spec.tolerance = {1e-12, 1e-13};
  return spec;
}

void check_cosines(const ReproductionControl& control, Reproduction& result) {
  for (const Case& c : kCases) {
    ExperimentSpec spec = spec_of(c, {.kind = SaveChoice::final});
    control.wrong.spoil(spec);
    const Cosines at =
        cosines(simulate_in_memory(make_experiment(spec), control.wrong.null).last());
    Check check =
        near("equiangular.cosine",
             {fmt::format("{}, n = {}, β = {:g}: common cosine at t = {:g}",
                          c.interaction == Interaction::SA ? "SA" : "USA", c.n, c.beta, c.t),
              c.predicted, at.mean},
             1e-9);
    check.more["spread over pairs"] = at.spread;
    if (at.spread >= 1e-9) check.answer = Answer::disagrees;
    result.checks.push_back(std::move(check));
  }
}

// When 1 - cos of n orthonormal tokens has fallen to delta, between frames by its logarithm.
double measured_time(int n, double beta, double delta) {
  const double predicted = theory::clustering_time({.n = n, .beta = beta}, delta);
  ExperimentSpec spec =
      spec_of({Interaction::SA, n, beta, 1.1 * predicted, 0}, {SaveChoice::every, predicted / 100});
  spec.tolerance = {1e-8, 1e-10};
  const Simulated simulated = simulate_in_memory(make_experiment(spec));
  double before = 1, t = 0;
  for (std::size_t k = 0; k < simulated.times.size(); ++k) {
    const double gap = 1 - cosines(simulated.frames[k]).mean;
    if (gap <= delta)
      return t + (simulated.times[k] - t) * std::log(before / delta) / std::log(before / gap);
    before = gap;
    t = simulated.times[k];
  }
  return kNoNumber;
}

// The phase curve, and the same read off particles.
void draw_phase(const ReproductionControl& control, Reproduction& result) {
  const double delta = control.values.number("delta");
  const bool coarse = control.quick;
  ReproducedTable phase{"phase", {"beta", "n", "theory", "particles"}};
  for (const int n : control.values.wholes("sizes")) {
    for (int k = 1; k <= 90; ++k)
      phase.rows.push_back({0.1 * k, static_cast<double>(n),
                            theory::clustering_time({.n = n, .beta = 0.1 * k}, delta), kNoNumber});
    for (double beta = 1; beta <= (n <= 32 ? 9 : 8); beta += n <= 32 || !coarse ? 1 : 3.5)
      phase.rows.push_back(
          {beta, static_cast<double>(n), kNoNumber, measured_time(n, beta, delta)});
  }
  result.tables.push_back(std::move(phase));
  result.figures.push_back(
      {.name = "equiangular",
       .table = "phase",
       .title = "The phase curve t*(β)",
       .x = {.label = "inverse temperature β"},
       .y = {.label = fmt::format("time at which 1 − ρ = {:g}", delta), .log = true},
       .curves = {{"theory", Drawn::line, "closed form"},
                  {"particles", Drawn::points, "particles"}},
       .by = "n",
       .by_name = "n"});
}

}  // namespace

std::optional<Reproduction> equiangular(const ReproductionControl& control) {
  Reproduction result = result_of(control, "equiangular");
  check_cosines(control, result);
  if (!control.figures) return result;
  ReproducedTable curves{"courses", {"t", "beta", "particles", "closed form"}};
  const int n = control.values.whole("n");
  const double T = control.values.number("T");
  for (const double beta : control.values.numbers("betas")) {
    const Experiment e =
        make_experiment(spec_of({Interaction::SA, n, beta, T, 0}, {SaveChoice::every, 0.1}));
    const Simulated simulated = simulate_in_memory(e);
    const theory::Equiangular swarm = theory::equiangular_of(e.dynamics, e.swarm.n());
    for (std::size_t k = 0; k < simulated.times.size(); ++k)
      curves.rows.push_back({simulated.times[k], beta,
                             k % 10 == 0 ? cosines(simulated.frames[k]).mean : kNoNumber,
                             theory::cosine(swarm, simulated.times[k])});
  }
  result.tables = {std::move(curves)};
  result.figures.push_back({.name = "equiangular",
                            .table = "courses",
                            .title = fmt::format("{} orthonormal tokens, SA", n),
                            .x = {.label = "time t"},
                            .y = {.label = "common cosine ρ(t)"},
                            .curves = {{"closed form", Drawn::line, "closed form"},
                                       {"particles", Drawn::points, "particles"}},
                            .by = "beta",
                            .by_name = "β"});
  draw_phase(control, result);
  result.captions["equiangular"] =
      "Orthonormal tokens keep one common cosine. Left: it rises along the closed form (lines) at "
      "every β, particles are points. Right: the time at which 1 − ρ is 0.001, from the closed "
      "form and from particles.";
  return result;
}

}  // namespace murmur
