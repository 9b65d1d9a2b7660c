// equation.cpp: the equation of an experiment in plain text, a term a force.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/overloaded.h"
#include "experiment/forces.h"
#include "experiment/values.h"
#include "murmur/forces.h"

namespace murmur {

namespace {

// The forces are asked for at y_i.
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

// What an equation adds up, and the lines below it that say what its letters mean.
struct Equation {
  std::vector<std::string> terms{};
  std::string weights{};  // beside it
  std::string notes{};    // (lines)
};

// The layers of files, as the equation tells them.
std::string layers_text(const Dynamics& dynamics, const Settings& s) {
  std::size_t heads = 0;  // sublayers that attend: one a layer
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
  if (heads.value < 0) equation.notes += "  turned round: V of mean -I, or descent\n";
  if (gaussian) equation.notes += "  k does not depend on c: all attend to all alike\n";
}

// What the matrices of a head are: in the words that asked for them, or by their shapes.
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
    return fmt::format(", drawn anew every {}", s->at("redraw").text);
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
  if (s != nullptr && s->at("direction").text == "descent") text += ", turned round (descent)";
  text += time_text(dynamics, s);
  if (dynamics.clock != Clock::u1)
    text += fmt::format(", clock {}", codec::Named::write(dynamics.clock));
  if (!a.self) text += ", j = i left out";
  text += "\n";
}

void add_perceptron(const Perceptron& p, const Dynamics& dynamics, Equation& equation) {
  const char* x = place_text(dynamics).empty() ? "x" : "y";
  equation.terms.push_back(fmt::format("W_out s(W_in {}_i + b_in) + b_out", x));
  equation.notes +=
      fmt::format("  s = {},  {} units\n", codec::Named::write(p.activation), p.in.rows);
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
    text += fmt::format("  while t <= {:g} only turning: |x_i| stays\n", dynamics.mix_until);
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

}  // namespace murmur
