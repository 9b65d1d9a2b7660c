// explain.cpp: murmur explain: the equation, the method and the definitions behind a setting.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "murmur/error.h"
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

std::string attention_text(const Attention& a, Habitat habitat, const Settings& s) {
  const std::string sum = a.reach == Attention::past ? "sum_{j<=i}" : "sum_j";
  const bool plain_matrices = a.query.empty() && a.key.empty();
  const std::string score = plain_matrices ? "<x_i, x_j>" : "<Q x_i, K x_j>";
  const std::string message = a.value.empty() ? "x_j" : "V x_j";
  const std::string p = habitat == Habitat::sphere ? "P_i" : "";
  std::string text;
  if (a.scale == Attention::softmax)
    text = fmt::format("  x_i' = {}[ {} a_ij {} ],   a_ij = m_j e^(b {}) / {} m_k e^(b {})\n", p,
                       sum, message, score, a.reach == Attention::past ? "sum_{k<=i}" : "sum_k",
                       plain_matrices ? "<x_i, x_k>" : "<Q x_i, K x_k>");
  else
    text = fmt::format("  x_i' = {}[ {} m_j e^(b {}) {} ]\n", p, sum, score, message);
  text += fmt::format("  b = beta = {:g}", a.beta);
  if (s.at("model").text != "none") return text + ", matrices and biases as trained\n";
  for (const char* key : {"query", "key", "value"})
    if (s.at(key).text != "identity") text += fmt::format(", {} {}", key, s.at(key).text);
  if (!a.self) text += ", j = i left out";
  return text + "\n";
}

// What is proved about this setting; nothing where nothing is known.
std::string theorem_text(const Attention& a, const Experiment& e) {
  const bool identity = a.query.empty() && a.key.empty() && a.value.empty();
  const int n = e.swarm.n(), d = e.swarm.d();
  if (e.dynamics.habitat != Habitat::sphere || e.dynamics.phases.size() > 1) return "";
  if (a.reach == Attention::past && a.value.empty())
    return "For almost every start all tokens come to the first, which never moves (2411.04990).";
  if (!identity || a.reach == Attention::past) return "";
  if (d >= 3 && a.beta >= 0)
    return fmt::format(
        "For almost every start the swarm ends as one cluster (2312.10794){}; the energy never "
        "falls.",
        d >= n ? ", exponentially fast: 1 - cos decays as e^(-2t) for SA, e^(-2 t e^beta) for USA"
               : "");
  if (d == 2 && a.beta >= 0)
    return fmt::format(
        "On the circle one cluster is known for beta <= 1 and for beta of order n^2; in between "
        "expect metastable clusters that live for times of order e^(beta (1 - cos)).");
  return "";
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
  }
  if (f.merge > 0) text += fmt::format("; particles closer than {:g} become one", f.merge);
  return text;
}

std::string explanation(const Experiment& e, const Settings& s) {
  std::string text = fmt::format("{} particles on {}\n", e.swarm.n(),
                                 e.dynamics.habitat == Habitat::sphere
                                     ? fmt::format("the unit sphere of R^{}", e.swarm.d())
                                     : fmt::format("R^{}", e.swarm.d()));
  std::size_t heads = 0;
  for (const Phase& phase : e.dynamics.phases) {
    if (!phase.active(0)) continue;
    for (const Force& force : phase.forces)
      if (const auto* a = std::get_if<Attention>(&force)) {
        if (heads++ == 0) {
          text += attention_text(*a, e.dynamics.habitat, s);
          const std::string theorem = theorem_text(*a, e);
          if (!theorem.empty()) text += "Known:  " + theorem + "\n";
        }
      } else {
        text += fmt::format("  plus W_out s(W_in x_i + b_in) + b_out,  s = {},  {} units\n",
                            s.at("activation").text, std::get<Perceptron>(force).in.rows);
      }
  }
  if (heads > 1) text += fmt::format("  summed over {} heads\n", heads);
  text += fmt::format(
      "Method: {}\nEngine: {}, {}\n", method_text(e), e.engine.name,
      e.engine.precision == Precision::f32 ? "pair sums in single precision" : "double precision");
  text += fmt::format("Clusters: components of the graph {} (cluster_tol)\n",
                      e.dynamics.habitat == Habitat::sphere
                          ? fmt::format("<x_i, x_j> > 1 - {:g}", e.measure.cluster_tol)
                          : fmt::format("|x_i - x_j| < {:g}", e.measure.cluster_tol));
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
        {"simulate", parameters()}, {"train", training_parameters()}};
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
          [](CLI::App& sub, Flags&) {
            sub.add_flag("--parameters", list_parameters, "list every parameter");
          },
          run};
}

}  // namespace murmur::app
