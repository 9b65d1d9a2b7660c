// equation.cpp: the equation of an experiment, and its method in one sentence.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/overloaded.h"
#include "experiment/forces.h"
#include "experiment/rows.h"
#include "murmur/experiment.h"
#include "murmur/forces.h"

namespace murmur {

namespace {

// The point y_i at which the forces are evaluated.
std::string place_text(const Dynamics& dynamics) {
  if (moves_norms(dynamics)) return "  y_i = x_i / |x_i|\n";
  if (!dynamics.gain.empty() || !dynamics.gain_end.empty())
    return "  y_i = g o x_i, on the ellipsoid of axes g; the swarm holds x_i\n";
  return "";
}

std::string weights_text(const Attention& a, const std::string& score, const std::string& sum) {
  const std::string fall = a.alibi > 0 ? fmt::format(" - {:g} (i - j)", a.alibi) : "";
  switch (a.weighting) {
    case Attention::softmax:
      return fmt::format("a_ij = m_j e^(s_ij) / {} m_k e^(s_ik),  s_ij = b {}{}", sum, score, fall);
    case Attention::unnormalised:
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

// The terms of an equation, and the lines below it that define its symbols.
struct Equation {
  std::vector<std::string> terms{};
  std::string weights{};  // on the same line
  std::string notes{};    // (lines)
};

// The layers of files, as the equation describes them.
std::string layers_text(const Dynamics& dynamics, const Settings& s) {
  std::size_t heads = 0;  // attention sublayers: one per layer
  for (const Sublayer& sublayer : dynamics.sublayers)
    if (!sublayer.forces.empty() && head_of(sublayer.forces[0]) != nullptr) ++heads;
  if (heads < 2) return "";
  const bool linear = s.at("weights_in_time").text == "linear";
  const std::string& until = s.at("weights_until").text;
  return fmt::format(",\n  {} {} layers until t = {}{}",
                     linear ? "linear between" : "one after another,", heads,
                     until == "T" ? s.at("T").text : until, linear ? "" : " (jumps between)");
}

void add_many_heads(const ManyHeads& heads, Equation& equation) {
  const bool gaussian = heads.law == ManyHeads::gaussian || heads.law == ManyHeads::product;
  const char* kernel = heads.law == ManyHeads::gaussian  ? "e^(b^2 / 2d)"
                       : heads.law == ManyHeads::product ? "(1 - (b/d)^2)^(-d/2)"
                       : heads.law == ManyHeads::goe     ? "e^(b^2 (1 + c^2) / 2d)"
                                                         : "((1 - b c / d)^2 - (b/d)^2)^(-d/2)";
  equation.terms.push_back(heads.gradient ? "sum_j m_j grad_x k(c_ij) / b"
                                          : "sum_j m_j k(c_ij) x_j");
  equation.weights = fmt::format(",   c_ij = <x_i, x_j>,  k = {}", kernel);
  equation.notes +=
      fmt::format("  b = beta = {:g}, the mean over infinitely many heads of USA\n", heads.beta);
  if (heads.value < 0) equation.notes += "  reversed: V of mean -I, or descent\n";
  if (gaussian) equation.notes += "  k does not depend on c: all attend to all equally\n";
}

// Describes the matrices of a head: by their settings, or by their shapes.
std::string matrices_text(const Attention& a, const Settings* words) {
  std::string text;
  const std::pair<const char*, const Matrix*> all[] = {
      {"query", &a.query}, {"key", &a.key}, {"value", &a.value}};
  for (const auto& [name, matrix] : all)
    if (words != nullptr) {
      if (words->at(name).text != "identity")
        text += fmt::format(", {} {}", name, words->at(name).text);
    } else if (!matrix->empty()) {
      text += fmt::format(", {} ({}, {})", name, matrix->rows, matrix->cols);
    }
  if (words == nullptr && !(a.query_bias.empty() && a.key_bias.empty() && a.value_bias.empty()))
    text += ", with biases";
  return text;
}

std::string time_text(const Dynamics& dynamics, const Settings* s) {
  if (s == nullptr) return "";
  if (s->at("weights_in_time").text != "constant") return layers_text(dynamics, *s);
  if (std::isfinite(dynamics.sublayers[0].until))
    return fmt::format(", drawn again every {}", s->at("redraw").text);
  return "";
}

void add_attention(const Attention& a, const Dynamics& dynamics, const Settings* s,
                   Equation& equation) {
  const bool past = a.mask == Attention::causal;
  const std::string place = place_text(dynamics), x = place.empty() ? "x" : "y";
  const std::string grown = a.rescaled ? "e^(tV) " : "";
  const std::string score = a.query.empty() && a.key.empty() && !a.rescaled
                                ? fmt::format("<{0}_i, {0}_j>", x)
                                : fmt::format("<Q {1}{0}_i, K {1}{0}_j>", x, grown);
  const std::string message = fmt::format("{}{}", a.value.empty() ? "" : "V ",
                                          a.relative ? "(" + x + "_j - " + x + "_i)" : x + "_j");
  equation.terms.push_back(fmt::format("{} a_ij {}", past ? "sum_{j<=i}" : "sum_j", message));
  equation.weights = ",   " + weights_text(a, score, past ? "sum_{k<=i}" : "sum_k");
  std::string& text = equation.notes;
  text += fmt::format("  b = beta = {:g}", a.beta);
  if (s != nullptr && s->at("model").text != "none") {
    text += ", matrices and biases as trained\n";
    return;
  }
  text += matrices_text(a, s);
  if (s != nullptr && s->at("direction").text == "descent") text += ", reversed (descent)";
  text += time_text(dynamics, s);
  if (dynamics.clock != Clock::u1) text += fmt::format(", clock {}", codec::write(dynamics.clock));
  if (!a.self) text += ", without j = i";
  text += "\n";
}

void add_perceptron(const Perceptron& p, const Dynamics& dynamics, Equation& equation) {
  const char* x = place_text(dynamics).empty() ? "x" : "y";
  equation.terms.push_back(fmt::format("W_out s(W_in {}_i + b_in) + b_out", x));
  equation.notes += fmt::format("  s = {},  {} units\n", codec::write(p.activation), p.in.rows);
}

}  // namespace

std::string speed_text(const Dynamics& dynamics) {
  switch (dynamics.normalisation) {
    case LayerNorm::post:
      return dynamics.gain.empty() && dynamics.gain_end.empty() ? "" : "g^-1 o ";
    case LayerNorm::peri:
      return "1/|A_i| ";
    case LayerNorm::ngpt:
      return fmt::format("{:g}/|A_i| ", dynamics.speed);
    case LayerNorm::sqrt:
      return "1/sqrt(t + 1) ";
    case LayerNorm::pre:
    case LayerNorm::mix:
      return "";
  }
  return "";
}

namespace {

std::string text_of(const Dynamics& dynamics, const Settings* s) {
  Equation equation;
  std::size_t heads = 0;
  for (const Sublayer& sublayer : dynamics.sublayers) {
    if (!sublayer.active(0)) continue;
    for (const Force& force : sublayer.forces)
      std::visit(Overloaded{[&](const Attention& a) {
                              if (heads++ == 0) add_attention(a, dynamics, s, equation);
                            },
                            [&](const Perceptron& p) { add_perceptron(p, dynamics, equation); },
                            [&](const ManyHeads& m) { add_many_heads(m, equation); }},
                 force);
  }
  for (const std::string& name : s == nullptr ? std::vector<std::string>() : external_of(*s))
    equation.terms.push_back(name + "(t, x)_i");
  const bool sphere = dynamics.manifold == Manifold::sphere;
  const std::string before = (sphere ? "P_i " : "") + speed_text(dynamics);
  std::string sum = fmt::format("{}", fmt::join(equation.terms, " + "));
  if (!sum.empty() && !before.empty()) sum = fmt::format("{}[ {} ]", before, sum);
  if (dynamics.noise > 0)
    sum += fmt::format("{}sqrt(2 * {:g}) w_i'", sum.empty() ? "" : " + ", dynamics.noise);
  std::string text = fmt::format("  x_i' = {}{}\n{}", sum, equation.weights, place_text(dynamics));
  if (dynamics.normalisation == LayerNorm::mix)
    text += fmt::format("  while t <= {:g} only rotation: |x_i| is constant\n", dynamics.mix_until);
  text += equation.notes;
  const bool averaged =
      s != nullptr && s->at("model").text == "none" && s->at("head_scale").text == "mean";
  if (heads > 1 && averaged)
    text += fmt::format("  averaged over {0} heads: V is divided by {0} in each\n", heads);
  else if (heads > 1)
    text += fmt::format("  summed over {} heads\n", heads);
  if (dynamics.noise > 0)
    text += fmt::format("  w_i are Brownian motions {}\n", sphere ? "on the sphere" : "in R^d");
  return text;
}

}  // namespace

std::string equation_text(const Experiment& e, const Settings& s) {
  return text_of(e.dynamics, &s);
}

std::string equation_text(const Dynamics& dynamics) { return text_of(dynamics, nullptr); }

namespace {

bool is_turned(const Dynamics& dynamics) {  // `mix`
  return row_of(dynamics.normalisation).argument == LayerNormRow::time;
}

// The factor of A in the equation, for any particle.
std::string factor_text(const Dynamics& dynamics) {
  std::string text = speed_text(dynamics);
  if (const auto at = text.find("A_i"); at != std::string::npos) text.replace(at, 3, "A");
  return text;
}

// One step of `layers` (along: A) or of `euler` (along: P A).
std::string update_text(const Dynamics& dynamics, const std::string& along) {
  const std::string step = fmt::format("dt {}", factor_text(dynamics));
  if (dynamics.manifold == Manifold::sphere) return fmt::format("x <- N(x + {}{})", step, along);
  if (is_turned(dynamics))
    return fmt::format("x <- |x| N(x / |x| + dt {}) while t <= {:g}, then x <- x + dt A", along,
                       dynamics.mix_until);
  return fmt::format("x <- x + {}A", step);
}

// <x, A> near a cluster, known if all forces are softmax heads: a mean of tokens that are all near
// x. 0: unknown, or not constant in time.
double outward(const Dynamics& dynamics) {
  const ForcesByKind forces = by_kind(dynamics);
  if (forces.heads.size() != 1 || !forces.perceptrons.empty() || forces.others) return 0;
  const Attention& a = *forces.heads[0];
  if (a.weighting != Attention::softmax || !a.value.empty() || a.relative) return 0;
  const bool round = dynamics.gain.empty() && dynamics.gain_end.empty();
  if (dynamics.normalisation == LayerNorm::ngpt) return dynamics.speed;
  return round && (dynamics.normalisation == LayerNorm::post || is_turned(dynamics)) ? 1 : 0;
}

// Describes the effect of the normal part of A on normalised layers.
std::string clock_text(const Experiment& e) {
  if (kernel_of(e.dynamics.clock).arc_length) return ": Euler's method, arc length being along x";
  const bool normalised = e.dynamics.manifold == Manifold::sphere || is_turned(e.dynamics);
  if (!normalised) return "; nothing is normalised: Euler steps, sublayer by sublayer";
  std::string text =
      fmt::format("; not Euler of the equation: its clock is slow by the factor 1 + dt <x, {}A>",
                  factor_text(e.dynamics));
  if (const double along = outward(e.dynamics); along > 0)
    text += fmt::format(", near clusters by about {:.3g} %", 100 * e.flow.dt * along);
  if (is_turned(e.dynamics)) text += ", as long as it normalises";
  return text;
}

}  // namespace

std::string method_text(const Experiment& e) {
  const FlowSettings& f = e.flow;
  const bool sphere = e.dynamics.manifold == Manifold::sphere;
  const bool arc_length = kernel_of(e.dynamics.clock).arc_length;
  std::string text = row_of(f.method).explanation;
  const std::pair<std::string, std::string> values[] = {
      {"$layer", update_text(e.dynamics, arc_length ? "P A" : "A")},
      {"$euler", update_text(e.dynamics, "P A")},
      {"$clock", clock_text(e)},
      {"$dt", fmt::format("{:g}", f.dt)},
      {"$rtol", fmt::format("{:g}", f.tolerance.rtol)},
      {"$atol", fmt::format("{:g}", f.tolerance.atol)},
      {"$kept", sphere ? ", retracted" : ""}};
  for (const auto& [word, value] : values)
    if (const auto at = text.find(word); at != std::string::npos)
      text.replace(at, word.size(), value);
  if (e.dynamics.noise > 0)
    text += fmt::format("; Brownian motion of strength {:g}", e.dynamics.noise);
  if (f.merge > 0) text += fmt::format("; particles closer than {:g} become one", f.merge);
  return text;
}

std::string cluster_text(const Experiment& e) {
  const double tol = e.observe.cluster_tol;
  if (moves_norms(e.dynamics)) return fmt::format("<x_i, x_j> > (1 - {:g}) |x_i| |x_j|", tol);
  return e.dynamics.manifold == Manifold::sphere ? fmt::format("<x_i, x_j> > 1 - {:g}", tol)
                                                 : fmt::format("|x_i - x_j| < {:g}", tol);
}

}  // namespace murmur
