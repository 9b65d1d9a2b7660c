// long_context.cpp: one layer over n tokens of common cosine, at beta = gamma ln n: three branches.
#include <fmt/format.h>

#include <cmath>

#include "murmur/theory.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

constexpr double kRho = 0.3;
constexpr double kCritical = 1 / (1 - kRho);

// Cosine between the outputs A_1 and A_2 of one softmax layer over n equiangular tokens.
double output_cosine(int n, double gamma, const WrongModel& wrong) {
  ExperimentSpec spec = preset_spec("long-context");
  spec.n = spec.d = n;
  spec.dynamics.beta = gamma * std::log(n);
  spec.engine.name = "simd";
  wrong.spoil(spec);
  const Experiment e = make_experiment(spec);
  const auto engine = make_engine(e.engine);
  const auto field = engine->prepare(e.dynamics, e.swarm.shape());
  const auto x = engine->place(e.swarm), a = engine->place(e.swarm);
  field->drift(0, 0, *x, *a);
  const HostSwarm out = engine->fetch(*a);
  double dot = 0, first = 0, second = 0;
  for (int k = 0; k < out.d(); ++k) {
    dot += out.at(0, k) * out.at(1, k);
    first += out.at(0, k) * out.at(0, k);
    second += out.at(1, k) * out.at(1, k);
  }
  return dot / std::sqrt(first * second);
}

}  // namespace

std::optional<Reproduction> long_context(const ReproductionControl& control) {
  Reproduction result = result_of(control, "long-context");
  const int n = control.quick ? 200 : 1000;
  for (const double share : {0.8, 1.0, 1.2}) {
    const double predicted = theory::context_cosine(kRho, share * kCritical, n);
    result.checks.push_back(near(
        "long-context.layer",
        {fmt::format("γ = {:g} critical, n = {}: output cosine of a layer of particles", share, n),
         predicted, output_cosine(n, share * kCritical, control.wrong)},
        1e-8));
  }
  ReproducedTable table{"branches", {"gamma", "n", "output cosine"}};
  for (const double size : {1e2, 1e3, 1e6, 1e12})
    for (int k = 0; k <= 60; ++k) {
      const double gamma = 0.05 * k;
      table.rows.push_back({gamma, size, theory::context_cosine(kRho, gamma, size)});
    }
  result.tables.push_back(std::move(table));
  result.figures.push_back({.name = "long-context",
                            .table = "branches",
                            .columns = {"output cosine"},
                            .x_label = "γ,  β = γ ln n",
                            .y_label = "cosine between two outputs",
                            .title = "Long context: tokens of cosine 0.3, one layer",
                            .by = "n",
                            .dashed = {"output cosine"}});
  return result;
}

}  // namespace murmur
