// explain.cpp: murmur explain: the equation, the method and the definitions behind a setting.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "known.h"
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

// The forces are asked for at y_i.
std::string place_text(const Dynamics& dynamics) {
  if (moves_norms(dynamics)) return "  y_i = x_i / |x_i|\n";
  if (!dynamics.gain.empty() || !dynamics.gain_end.empty())
    return "  y_i = g o x_i, on the ellipsoid of axes g; the swarm holds x_i\n";
  return "";
}

std::string speed_text(const Dynamics& dynamics) {
  switch (dynamics.normalisation) {
    case Normalisation::post:
      return dynamics.gain.empty() && dynamics.gain_end.empty() ? "" : "g^-1 o ";
    case Normalisation::peri:
      return "1/|A_i| ";
    case Normalisation::ngpt:
      return fmt::format("{:g}/|A_i| ", dynamics.speed);
    case Normalisation::sqrt:
      return "1/sqrt(t + 1) ";
    default:
      return "";
  }
}

std::string weights_text(const Attention& a, const std::string& score, const std::string& sum) {
  const std::string fall = a.alibi > 0 ? fmt::format(" - {:g} (i - j)", a.alibi) : "";
  switch (a.scale) {
    case Attention::softmax:
      return fmt::format("a_ij = m_j e^(s_ij) / {} m_k e^(s_ik),  s_ij = b {}{}", sum, score, fall);
    case Attention::plain:
      return fmt::format(
          "a_ij = {} e^(b {})",
          a.alibi > 0 ? fmt::format("e^({0:g} (j - i)) / {1} e^({0:g} (k - i))", a.alibi, sum)
                      : "m_j",
          score);
    case Attention::hard:
      return fmt::format("a_ij = m_j / sum of m_k over those of greatest b {}, 0 elsewhere", score);
    case Attention::sinkhorn:
      return fmt::format("a_ij = p_i m_j e^(b {}) q_j, rows sum to 1 and sum_i m_i a_ij = m_j",
                         score);
  }
  return "";
}

std::string attention_text(const Attention& a, const Dynamics& dynamics, const Settings& s) {
  const bool past = a.reach == Attention::past;
  const std::string place = place_text(dynamics), x = place.empty() ? "x" : "y";
  const std::string grown = a.rescaled ? "e^(tV) " : "";
  const std::string score = a.query.empty() && a.key.empty() && !a.rescaled
                                ? fmt::format("<{0}_i, {0}_j>", x)
                                : fmt::format("<Q {1}{0}_i, K {1}{0}_j>", x, grown);
  const std::string message = fmt::format("{}{}", a.value.empty() ? "" : "V ",
                                          a.relative ? "(" + x + "_j - " + x + "_i)" : x + "_j");
  const std::string p = dynamics.habitat == Habitat::sphere ? "P_i " : "";
  std::string text = fmt::format("  x_i' = {}{}[ {} a_ij {} ],   {}\n{}", p, speed_text(dynamics),
                                 past ? "sum_{j<=i}" : "sum_j", message,
                                 weights_text(a, score, past ? "sum_{k<=i}" : "sum_k"), place);
  if (dynamics.normalisation == Normalisation::mix)
    text += fmt::format("  while t <= {:g} only turning: |x_i| stays\n", dynamics.mix_until);
  text += fmt::format("  b = beta = {:g}", a.beta);
  if (s.at("model").text != "none") return text + ", matrices and biases as trained\n";
  for (const char* key : {"query", "key", "value"})
    if (s.at(key).text != "identity") text += fmt::format(", {} {}", key, s.at(key).text);
  if (s.at("direction").text == "descent") text += ", turned round (descent)";
  if (std::isfinite(dynamics.phases[0].until))
    text += fmt::format(", drawn anew every {}", s.at("redraw").text);
  if (dynamics.clock != Clock::u1) text += fmt::format(", clock {}", s.at("clock").text);
  if (!a.self) text += ", j = i left out";
  return text + "\n";
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
                                 e.dynamics.habitat == Habitat::sphere
                                     ? fmt::format("the unit sphere of R^{}", e.swarm.d())
                                     : fmt::format("R^{}", e.swarm.d()));
  std::size_t heads = 0;
  for (const Phase& phase : e.dynamics.phases) {
    if (!phase.active(0)) continue;
    for (const Force& force : phase.forces)
      if (const auto* a = std::get_if<Attention>(&force)) {
        if (heads++ == 0) {
          text += attention_text(*a, e.dynamics, s);
        }
      } else {
        text += fmt::format("  plus W_out s(W_in x_i + b_in) + b_out,  s = {},  {} units\n",
                            s.at("activation").text, std::get<Perceptron>(force).in.rows);
      }
  }
  if (heads > 1) text += fmt::format("  summed over {} heads\n", heads);
  for (const std::string& result : known_results(e)) text += "Known:  " + result + "\n";
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
