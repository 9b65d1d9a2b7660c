// explain.cpp: murmur explain: the equation, the method and the definitions behind a setting.
#include "murmur/explain.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "landscape.h"
#include "murmur/error.h"
#include "murmur/meanfield_setup.h"
#include "murmur/training.h"

namespace murmur::app {

namespace {

bool list_parameters = false;

std::string parameter_list(std::span<const Parameter> table) {
  std::string text;
  for (const Parameter& p : table)
    text += fmt::format("{:<16} {} [{}]\n{:<16} takes {}\n", p.name, p.meaning, p.initial, "",
                        p.values);
  return text;
}

std::string method_text(const Experiment& e) {
  const FlowSettings& f = e.flow;
  std::string text;
  switch (f.method) {
    case Method::layers:
      text = fmt::format(
          "x <- N(x + {:g} A), the papers' layers; not Euler of the equation: near "
          "clusters its clock runs about {:.0f} % slow",
          f.dt, 100 * f.dt);
      break;
    case Method::euler:
      text = fmt::format("x <- N(x + {:g} P A), projected Euler", f.dt);
      break;
    case Method::rk4:
      text = fmt::format("classical Runge-Kutta, dt = {:g}, retracted", f.dt);
      break;
    case Method::dopri5:
      text = fmt::format(
          "Dormand-Prince 5(4), rtol {:g}, atol {:g}, retracted; frames are "
          "interpolated and never change the steps",
          f.tolerance.rtol, f.tolerance.atol);
      break;
    case Method::strang:
      text = fmt::format(
          "half a step of noise, the midpoint rule, half a step of noise; dt = {:g}, retracted",
          f.dt);
      break;
    case Method::bdf:
      text = fmt::format(
          "backward differentiation formulas (CVODE), rtol {:g}, atol {:g}, projected; a flight "
          "through mergers is flown again by dopri5 with merging, and both must agree",
          f.tolerance.rtol, f.tolerance.atol);
  }
  if (f.noise > 0) text += fmt::format("; Brownian motion of strength {:g}", f.noise);
  if (f.merge > 0) text += fmt::format("; particles closer than {:g} become one", f.merge);
  return text;
}

std::string explanation(const Experiment& e, const Settings& s) {
  std::string text = fmt::format("{} particles on {}\n", e.swarm.n(),
                                 e.dynamics.manifold == Manifold::sphere
                                     ? fmt::format("the unit sphere of R^{}", e.swarm.d())
                                     : fmt::format("R^{}", e.swarm.d()));
  text += equation_text(e, s);
  for (const std::string& result : known_results(e)) text += "Known:  " + result + "\n";
  text += fmt::format(
      "Method: {}\nEngine: {}, {}\n", method_text(e), e.engine.name,
      e.engine.precision == Precision::f32 ? "pair sums in single precision" : "double precision");
  text += fmt::format("Clusters: components of the graph {} (cluster_tol)\n",
                      e.dynamics.manifold == Manifold::sphere
                          ? fmt::format("<x_i, x_j> > 1 - {:g}", e.observe.cluster_tol)
                          : fmt::format("|x_i - x_j| < {:g}", e.observe.cluster_tol));
  text += "Columns:\n";
  const std::vector<std::string> names = observable_names(e.dynamics);
  for (const Observable& o : observables())
    for (const std::string& name : names)
      if (name == o.name) text += fmt::format("  {:<18} {}\n", o.name, o.meaning);
  return text;
}

int run(const Flags& flags, const std::vector<std::string>& words) {
  if (list_parameters) {
    const std::pair<const char*, std::span<const Parameter>> tables[] = {
        {"simulate", parameters()},
        {"train", training_parameters()},
        {"meanfield", meanfield_parameters()},
        {"landscape", landscape_parameters()}};
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& [command, table] : tables) {
      if (!flags.json) data(fmt::format("murmur {}\n\n{}\n", command, parameter_list(table)));
      for (const Parameter& p : table)
        rows.push_back({{"command", command},
                        {"name", p.name},
                        {"default", p.initial},
                        {"takes", p.values},
                        {"meaning", p.meaning}});
    }
    if (flags.json) data(rows.dump(2) + "\n");
    return 0;
  }
  const Settings settings = settings_of(sort_words(words));
  const std::string text = explanation(make_experiment(settings), settings);
  data(flags.json ? nlohmann::json{{"explanation", text}}.dump(2) + "\n" : text);
  return 0;
}

}  // namespace

Command explain_command() {
  return {"explain", "The equation, method and definitions behind a setting.",
          "  murmur explain dynamics=causal beta=9\n  murmur explain --parameters",
          [](Options& sub, Flags&) {
            sub.add_flag("--parameters", list_parameters, "list every parameter");
          },
          run};
}

}  // namespace murmur::app
