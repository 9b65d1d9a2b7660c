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
  double beta, t, published;
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

Experiment experiment_of(const Case& c, const SaveChoice& save) {
  ExperimentSpec spec = preset_spec("orthonormal");
  spec.dynamics.interaction = c.interaction;
  spec.dynamics.beta = c.beta;
  spec.n = spec.d = c.n;
  spec.T = c.t;
  spec.save = save;
  spec.init = InitialLaw{InitialLaw::orthonormal};
  spec.tolerance = {1e-12, 1e-13};
  return make_experiment(spec);
}

void check_cosines(Reproduction& result) {
  for (const Case& c : kCases) {
    const Experiment e = experiment_of(c, {.kind = SaveChoice::final});
    const Cosines at = cosines(simulate_in_memory(e).last());
    Check check =
        near(fmt::format("{}, n = {}, β = {:g}: common cosine at t = {:g}",
                         c.interaction == Interaction::SA ? "SA" : "USA", c.n, c.beta, c.t),
             c.published, at.mean, 1e-9);
    check.more["spread over pairs"] = at.spread;
    check.agrees = check.agrees && at.spread < 1e-9;
    result.checks.push_back(std::move(check));
  }
}

// Clustering times of the closed form, as printed; n tokens, delta = 1e-3.
struct Curve {
  int n;
  double at[10];  // beta = 0.1, 1, 2, ..., 9
};
constexpr Curve kPhase[] = {
    {32, {5.192, 5.270, 5.458, 5.898, 6.954, 9.544, 15.995, 32.233, 73.446, 178.731}},
    {128, {5.881, 5.909, 5.979, 6.148, 6.570, 7.634, 10.353, 17.350, 35.467, 82.593}}};

void check_phase_curve(Reproduction& result) {
  for (const Curve& curve : kPhase)
    for (const int k : {0, 1, 4, 6, 9}) {
      const double beta = k == 0 ? 0.1 : k;
      result.checks.push_back(
          near(fmt::format("n = {}, β = {:g}: time at which 1 - cos is 0.001", curve.n, beta),
               curve.at[k], theory::clustering_time({.n = curve.n, .beta = beta}, 1e-3), 6e-4));
    }
}

}  // namespace

std::optional<Reproduction> equiangular(const ReproductionControl& control) {
  Reproduction result = result_of(control, "equiangular");
  check_cosines(result);
  check_phase_curve(result);
  ReproducedTable curves{"courses", {"t", "beta", "particles", "closed form"}};
  for (const double beta : {0.0, 1.0, 4.0, 7.0}) {
    const Experiment e =
        experiment_of({Interaction::SA, 32, beta, 15, 0}, {SaveChoice::every, 0.5});
    const Simulated simulated = simulate_in_memory(e);
    const theory::Equiangular swarm = theory::equiangular_of(e.dynamics, e.swarm.n());
    for (std::size_t k = 0; k < simulated.times.size(); ++k)
      curves.rows.push_back({simulated.times[k], beta, cosines(simulated.frames[k]).mean,
                             theory::cosine(swarm, simulated.times[k])});
  }
  ReproducedTable phase{"phase", {"beta", "n = 32", "n = 128"}};
  for (int k = 1; k <= 90; ++k) {
    const double beta = 0.1 * k;
    phase.rows.push_back({beta, theory::clustering_time({.n = 32, .beta = beta}, 1e-3),
                          theory::clustering_time({.n = 128, .beta = beta}, 1e-3)});
  }
  result.tables = {std::move(curves), std::move(phase)};
  result.figures.push_back({.name = "equiangular",
                            .table = "courses",
                            .columns = {"particles", "closed form"},
                            .x_label = "t",
                            .y_label = "common cosine",
                            .title = "32 orthonormal tokens, SA",
                            .by = "beta",
                            .dashed = {"closed form"},
                            .points = {"particles"}});
  result.figures.push_back({.name = "equiangular",
                            .table = "phase",
                            .columns = {"n = 32", "n = 128"},
                            .x_label = "β",
                            .y_label = "time at which 1 - cos is 0.001",
                            .log_y = true,
                            .title = "The phase curve",
                            .dashed = {"n = 32", "n = 128"}});
  return result;
}

}  // namespace murmur
