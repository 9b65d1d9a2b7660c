// equation.cpp: the equation behind a setting, in plain text.
#include <fmt/format.h>

#include <cmath>

#include "core/overloaded.h"
#include "murmur/explain.h"

namespace murmur {

namespace {

// The forces are asked for at y_i.
std::string place_text(const Dynamics& dynamics) {
  if (moves_norms(dynamics)) return "  y_i = x_i / |x_i|\n";
  if (!dynamics.gain.empty() || !dynamics.gain_end.empty())
    return "  y_i = g o x_i, on the ellipsoid of axes g; the swarm holds x_i\n";
  return "";
}

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

std::string attention_text(const Attention& a, const Dynamics& dynamics, const Settings& s) {
  const bool past = a.mask == Attention::causal;
  const std::string place = place_text(dynamics), x = place.empty() ? "x" : "y";
  const std::string grown = a.rescaled ? "e^(tV) " : "";
  const std::string score = a.query.empty() && a.key.empty() && !a.rescaled
                                ? fmt::format("<{0}_i, {0}_j>", x)
                                : fmt::format("<Q {1}{0}_i, K {1}{0}_j>", x, grown);
  const std::string message = fmt::format("{}{}", a.value.empty() ? "" : "V ",
                                          a.relative ? "(" + x + "_j - " + x + "_i)" : x + "_j");
  const std::string p = dynamics.manifold == Manifold::sphere ? "P_i " : "";
  std::string text = fmt::format("  x_i' = {}{}[ {} a_ij {} ],   {}\n{}", p, speed_text(dynamics),
                                 past ? "sum_{j<=i}" : "sum_j", message,
                                 weights_text(a, score, past ? "sum_{k<=i}" : "sum_k"), place);
  if (dynamics.normalisation == LayerNorm::mix)
    text += fmt::format("  while t <= {:g} only turning: |x_i| stays\n", dynamics.mix_until);
  text += fmt::format("  b = beta = {:g}", a.beta);
  if (s.at("model").text != "none") return text + ", matrices and biases as trained\n";
  for (const char* key : {"query", "key", "value"})
    if (s.at(key).text != "identity") text += fmt::format(", {} {}", key, s.at(key).text);
  if (s.at("direction").text == "descent") text += ", turned round (descent)";
  if (std::isfinite(dynamics.sublayers[0].until))
    text += fmt::format(", drawn anew every {}", s.at("redraw").text);
  if (dynamics.clock != Clock::u1) text += fmt::format(", clock {}", s.at("clock").text);
  if (!a.self) text += ", j = i left out";
  return text + "\n";
}

}  // namespace

std::string equation_text(const Experiment& e, const Settings& s) {
  std::string text;
  std::size_t heads = 0;
  for (const Sublayer& sublayer : e.dynamics.sublayers) {
    if (!sublayer.active(0)) continue;
    for (const Force& force : sublayer.forces)
      std::visit(Overloaded{[&](const Attention& a) {
                              if (heads++ == 0) text += attention_text(a, e.dynamics, s);
                            },
                            [&](const Perceptron& p) {
                              text += fmt::format(
                                  "  plus W_out s(W_in x_i + b_in) + b_out,  s = {},  {} units\n",
                                  s.at("activation").text, p.in.rows);
                            }},
                 force);
  }
  if (heads > 1) text += fmt::format("  summed over {} heads\n", heads);
  return text;
}

}  // namespace murmur
