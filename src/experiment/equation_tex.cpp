// equation_tex.cpp: the equation behind a setting, as TeX.
#include <fmt/format.h>

#include <cmath>

#include "murmur/explain.h"

namespace murmur {

namespace {

// The forces are asked for at y_i; x_i where that is the same.
std::string place_tex(const Dynamics& dynamics) {
  if (moves_norms(dynamics)) return R"(y_i = x_i / |x_i|)";
  if (!dynamics.gain.empty() || !dynamics.gain_end.empty()) return R"(y_i = g \circ x_i)";
  return "";
}

std::string speed_tex(const Dynamics& dynamics) {
  switch (dynamics.normalisation) {
    case Normalisation::post:
      return place_tex(dynamics).empty() ? "" : R"(g^{-1} \circ )";
    case Normalisation::peri:
      return R"(\frac{1}{|A_i|}\,)";
    case Normalisation::ngpt:
      return fmt::format(R"(\frac{{{:g}}}{{|A_i|}}\,)", dynamics.speed);
    case Normalisation::sqrt:
      return R"(\frac{1}{\sqrt{t + 1}}\,)";
    default:
      return "";
  }
}

// The kernel of plain attention in the dynamics' clock.
std::string kernel_tex(Clock clock) {
  switch (clock) {
    case Clock::u1:
      return "e^{s_{ij}}";
    case Clock::u3:
      return R"(\beta\, e^{s_{ij}})";
    default:
      return R"(e^{s_{ij} - \beta})";
  }
}

std::string weights_tex(const Attention& a, Clock clock) {
  const char* over = a.reach == Attention::past ? (a.self ? R"(k \le i)" : "k < i")
                                                : (a.self ? "k" : R"(k \ne i)");
  switch (a.scale) {
    case Attention::softmax:
      return fmt::format(
          R"(a_{{ij}} &= \frac{{m_j e^{{s_{{ij}}}}}}{{\sum_{{{}}} m_k e^{{s_{{ik}}}}}})", over);
    case Attention::plain:
      if (a.alibi > 0)
        return fmt::format(
            R"(a_{{ij}} &= \frac{{e^{{{0:g} (j - i)}}}}{{\sum_{{{1}}} e^{{{0:g} (k - i)}}}} {2})",
            a.alibi, over, kernel_tex(clock));
      return "a_{ij} &= m_j " + kernel_tex(clock);
    case Attention::hard:
      return fmt::format(
          R"(a_{{ij}} &= m_j \Big/ \sum_{{k \in T_i}} m_k \text{{ for }} j \in T_i = )"
          R"(\arg\max_{{{}}} s_{{ik}})",
          over);
    case Attention::sinkhorn:
      return R"(a_{ij} &= p_i m_j e^{s_{ij}} q_j,\quad \sum_j a_{ij} = 1,\ \sum_i m_i a_{ij} = m_j)";
  }
  return "";
}

std::string scores_tex(const Attention& a, const std::string& x) {
  const bool mapped = !a.query.empty() || !a.key.empty() || a.rescaled;
  const std::string grown = a.rescaled ? "e^{tV} " : "";
  const auto side = [&](const char* name, const Vector& bias, const char* index) {
    return fmt::format("{}{}{}_{}{}", mapped ? std::string(name) + " " : "", grown, x, index,
                       bias.empty() ? "" : fmt::format(" + b_{}", name));
  };
  const std::string fall =
      a.alibi > 0 && a.scale == Attention::softmax ? fmt::format(" - {:g} (i - j)", a.alibi) : "";
  return fmt::format(R"(s_{{ij}} &= \beta\, \langle {}, {} \rangle{},\quad \beta = {:g})",
                     side("Q", a.query_bias, "i"), side("K", a.key_bias, "j"), fall, a.beta);
}

std::string sum_tex(const Attention& a, const std::string& x) {
  const char* over = a.reach == Attention::past ? (a.self ? R"(j \le i)" : "j < i")
                                                : (a.self ? "j" : R"(j \ne i)");
  std::string message = a.relative ? fmt::format("({0}_j - {0}_i)", x) : x + "_j";
  if (!a.value.empty()) message = "V " + message;
  if (!a.value_bias.empty()) message = "(" + message + " + b_V)";
  return fmt::format(R"(\sum_{{{}}} a_{{ij}}\, {})", over, message);
}

struct Terms {  // the forces that act at t = 0
  const Attention* head = nullptr;
  const Perceptron* will = nullptr;
  int heads = 0;
};

Terms terms_of(const Dynamics& dynamics) {
  Terms terms;
  for (const Phase& phase : dynamics.phases) {
    if (!phase.active(0)) continue;
    for (const Force& force : phase.forces) {
      if (const auto* head = std::get_if<Attention>(&force)) {
        if (terms.heads++ == 0) terms.head = head;
      } else if (terms.will == nullptr) {
        terms.will = &std::get<Perceptron>(force);
      }
    }
  }
  return terms;
}

std::string will_tex(const Perceptron& will, const std::string& x) {
  static constexpr const char* names[] = {R"(\mathrm{relu})", R"(\mathrm{gelu})", R"(\tanh)"};
  return fmt::format(R"(W_{{\rm out}}\, {}(W_{{\rm in}} {}_i + b_{{\rm in}}) + b_{{\rm out}})",
                     names[will.activation], x);
}

// One line a phase: x_i moves by the messages, then by its own will.
std::string layers_tex(const Terms& terms, double dt) {
  const std::string step = fmt::format(R"(x_i &\leftarrow x_i + {:g} )", dt);
  std::string text;
  if (terms.head != nullptr)
    text += step + (terms.heads > 1 ? R"(\sum_{\rm heads} )" : "") + sum_tex(*terms.head, "x");
  if (terms.head != nullptr && terms.will != nullptr) text += R"(,\\ )";
  if (terms.will != nullptr) text += step + R"(\big[ )" + will_tex(*terms.will, "x") + R"( \big])";
  return text;
}

std::string flow_tex(const Dynamics& dynamics, const Terms& terms, const std::string& x) {
  const bool sphere = dynamics.habitat == Habitat::sphere;
  std::string sum;
  if (terms.head != nullptr)
    sum = (terms.heads > 1 ? R"(\sum_{\rm heads} )" : "") + sum_tex(*terms.head, x);
  if (terms.will != nullptr) sum += (sum.empty() ? "" : " + ") + will_tex(*terms.will, x);
  std::string text = R"(\dot x_i &= )" + std::string(sphere ? "P_{x_i} " : "") +
                     speed_tex(dynamics) + R"(\Big[ )" + sum + R"( \Big])";
  if (dynamics.noise > 0)
    text += fmt::format(R"( + \sqrt{{2 \cdot {:g}}}\, \dot B_i)", dynamics.noise);
  return text;
}

}  // namespace

std::string equation_tex(const Experiment& e) {
  const Terms terms = terms_of(e.dynamics);
  const std::string place = place_tex(e.dynamics), x = place.empty() ? "x" : "y";
  const bool layered = e.dynamics.phases.size() > 1 && e.flow.method == Method::layers &&
                       e.dynamics.habitat == Habitat::space && e.dynamics.noise == 0 &&
                       place.empty() && terms.will != nullptr;
  std::string text = R"(\begin{aligned} )" +
                     (layered ? layers_tex(terms, e.flow.dt) : flow_tex(e.dynamics, terms, x));
  if (terms.head != nullptr)
    text += R"(,\\ )" + weights_tex(*terms.head, e.dynamics.clock) + R"(,\\ )" +
            scores_tex(*terms.head, x);
  if (!place.empty()) {
    std::string aligned = place;
    text += R"(,\\ )" + aligned.replace(aligned.find('='), 1, "&=");
  }
  return text + R"( \end{aligned})";
}

}  // namespace murmur
