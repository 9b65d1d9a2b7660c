// long_context.cpp: one layer over n tokens of common cosine, at beta = gamma ln n: three branches.
#include <fmt/format.h>

#include <cmath>

#include "murmur/theory.h"
#include "reproduce/null_engine.h"
#include "reproduce/reproductions.h"
#include "reproduce/simulations.h"

namespace murmur {

namespace {

// Cosine between the outputs A_1 and A_2 of one softmax layer over n equiangular tokens.
double output_cosine(int n, double gamma, const FigureValues& values, const WrongModel& wrong) {
  ExperimentSpec spec = preset_spec("long-context");
  if (values.is_changed("rho"))
    spec.init = InitialLaw{InitialLaw::equiangular, {values.number("rho")}};
  spec.n = spec.d = n;
  spec.dynamics.beta = gamma * std::log(n);
  spec.engine.name = "simd";
  wrong.spoil(spec);
  const Experiment e = make_experiment(spec);
  const auto engine = make_engine(e.engine, wrong.null);
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

// The closed form for several n, layers of particles on it, and where its branches part.
void draw_branches(const ReproductionControl& control, Reproduction& result) {
  ReproducedTable table{"branches", {"gamma", "n", "closed form", "particles"}};
  const double rho = control.values.number("rho"), most = control.values.number("gamma_max");
  const auto points = static_cast<int>(std::lround(most / 0.0125));
  for (const double size : control.values.numbers("sizes")) {
    const std::string name =
        size > 1e3 ? fmt::format("10^{{{:g}}}", std::log10(size)) : fmt::format("{:g}", size);
    for (int k = 0; k <= points; ++k) {
      const double gamma = 0.0125 * k;
      table.rows.push_back({gamma, name, theory::context_cosine(rho, gamma, size), kNoNumber});
    }
    if (size > 1e3) continue;  // more tokens than a layer holds
    const double step = size > 100 && control.quick ? 0.5 : 0.25;
    for (double gamma = step; gamma <= most; gamma += step)
      table.rows.push_back({gamma, name, kNoNumber,
                            output_cosine(static_cast<int>(size), gamma, control.values, {})});
  }
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.name = "long-context",
       .table = "branches",
       .title = fmt::format("One layer over n tokens of common cosine ρ = {:g}", rho),
       .x = {.label = "γ,  where β = γ ln n"},
       .y = {.label = "cosine between two outputs"},
       .curves = {{"closed form", Drawn::line, "closed form"},
                  {"particles", Drawn::points, "layer of particles"}},
       .by = "n",
       .by_name = "n",
       .guides = {{"γ_{c} = 1/(1 − ρ)", 1 / (1 - rho), kNoNumber}}});
  result.captions["long-context"] =
      "The cosine between two outputs of one layer over n tokens of common cosine 0.3. As n grows "
      "three branches part at γ_c = 1/(1 − ρ): below it outputs collapse to one, above it they "
      "keep "
      "the cosine of the inputs, and at γ_c itself it is 4ρ/(1 + 3ρ) = 0.63. Points: layers of 100 "
      "and 1,000 particles.";
}

}  // namespace

std::optional<Reproduction> long_context(const ReproductionControl& control) {
  Reproduction result = result_of(control, "long-context");
  const int n = control.values.whole("n");
  const double rho = control.values.number("rho"), critical = 1 / (1 - rho);
  for (const double share : {0.8, 1.0, 1.2}) {
    const double predicted = theory::context_cosine(rho, share * critical, n);
    result.checks.push_back(near(
        "long-context.layer",
        {fmt::format("γ = {:g} critical, n = {}: output cosine of a layer of particles", share, n),
         predicted, output_cosine(n, share * critical, control.values, control.wrong)},
        1e-8));
  }
  if (control.figures) draw_branches(control, result);
  return result;
}

}  // namespace murmur
