// forces.cpp: attention, perceptrons, normalisation and gains out of a spec, and their formulas.
#include "experiment/forces.h"

#include <fmt/format.h>

#include <cmath>

#include "core/overloaded.h"
#include "experiment/matrices.h"
#include "experiment/perceptrons.h"
#include "experiment/words.h"
#include "murmur/error.h"

namespace murmur {

namespace {

Attention::Weighting weighting_of(Interaction interaction) {
  switch (interaction) {
    case Interaction::USA:
      return Attention::unnormalised;
    case Interaction::hardmax:
      return Attention::hard;
    case Interaction::sinkhorn:
      return Attention::sinkhorn;
    case Interaction::SA:
    case Interaction::causal:
    case Interaction::euclidean:
    case Interaction::rescaled:
    case Interaction::none:
      return Attention::softmax;
  }
  return Attention::softmax;
}

// Hard attention in R^d goes to x' = mean - x, and rescaled attention is defined so.
bool is_relative(const DynamicsSpec& spec) {
  if (spec.relative != Relative::automatic) return spec.relative == Relative::yes;
  return spec.interaction == Interaction::rescaled ||
         (spec.interaction == Interaction::hardmax && manifold_of(spec) == Manifold::space);
}

void check_gains(const DynamicsRequest& request, const char* key, const Vector& gains, int d) {
  if (!gains.empty() && static_cast<int>(gains.size()) != d)
    refuse(request.words, key, fmt::format("has {} numbers for {} coordinates", gains.size(), d),
           "write one positive number a coordinate, as 1,2,0.5");
}

// When gains_end is reached: T, or as given.
double gains_until(const DynamicsRequest& request) {
  const std::optional<double>& until = request.spec.gains_until;
  if (!until) return request.T;
  if (request.spec.gains_end.empty())
    refuse(request.words, "gains_until", "there are no gains to arrive at then",
           "add gains_end=1,2,..., or leave gains_until out");
  if (!(*until > 0 && std::isfinite(*until))) positive(request.words, "gains_until");  // refuses
  return *until;
}

void set_gains(const DynamicsRequest& request, int d, Dynamics& dynamics) {
  const DynamicsSpec& spec = request.spec;
  check_gains(request, "gains", spec.gains, d);
  check_gains(request, "gains_end", spec.gains_end, d);
  dynamics.gain = spec.gains;
  dynamics.gain_end = spec.gains_end;
  const bool ellipsoid = resolved_manifold(spec) == ManifoldChoice::ellipsoid;
  const bool none = spec.gains.empty() && spec.gains_end.empty();
  if (ellipsoid && none)
    refuse(request.words, "habitat", "has no axes",
           "add gains=1,2,... with one number a coordinate");
  if (!ellipsoid && !none)
    refuse(request.words, spec.gains.empty() ? "gains_end" : "gains",
           "gains are the axes of an ellipsoid", "use habitat=ellipsoid, or leave habitat out");
  dynamics.gain_until = gains_until(request);
}

void set_normalisation(const NormalisationChoice& choice, Dynamics& dynamics) {
  dynamics.normalisation = choice.kind;
  if (!choice.argument) return;
  const bool time = row_of(choice.kind).argument == LayerNormRow::time;
  (time ? dynamics.mix_until : dynamics.speed) = *choice.argument;
}

// direction=descent turns every force round.
void turn_round(int d, std::vector<Force>& forces) {
  for (Force& force : forces)
    std::visit(Overloaded{[d](Attention& a) {
                            if (a.value.empty()) a.value = scaled_identity(d, 1);
                            for (double& entry : a.value.data) entry = -entry;
                            for (double& entry : a.value_bias) entry = -entry;
                          },
                          [](Perceptron& p) {
                            for (double& entry : p.out.data) entry = -entry;
                            for (double& entry : p.out_bias) entry = -entry;
                          }},
               force);
}

// head_scale=mean: V / H in each of the H heads.
void average_heads(const DynamicsRequest& request, int d, std::vector<Force>& heads) {
  if (request.spec.head_scale == HeadScale::sum || heads.size() < 2) return;
  if (request.spec.interaction == Interaction::rescaled)
    refuse(request.words, "head_scale", "rescaled attention has its V in e^{tV} too",
           "use head_scale=sum, or another dynamics");
  for (Force& force : heads) {
    auto& a = std::get<Attention>(force);
    if (a.value.empty()) a.value = scaled_identity(d, 1);
    for (double& entry : a.value.data) entry /= static_cast<double>(heads.size());
  }
}

std::vector<Force> attention_heads(const DynamicsRequest& request, Shape shape,
                                   std::uint32_t redraw, Record& inputs) {
  const DynamicsSpec& spec = request.spec;
  const HeadMatrices all{request, shape.d, number_of_heads(spec, inputs), redraw, inputs};
  const bool past = spec.interaction == Interaction::causal;
  const std::vector<Matrix> query = all.query();
  const std::vector<Matrix> key = all.key();
  const std::vector<Matrix> value = all.value(query, key);
  std::vector<Force> forces;
  for (int h = 0; h < all.heads; ++h)
    forces.push_back(Attention{.beta = spec.beta,
                               .query = query[h],
                               .key = key[h],
                               .value = value[h],
                               .relative = is_relative(spec),
                               .self = spec.self,
                               .mask = past ? Attention::causal : spec.mask,
                               .weighting = weighting_of(spec.interaction),
                               .alibi = spec.alibi / shape.n,
                               .rescaled = spec.interaction == Interaction::rescaled});
  average_heads(request, shape.d, forces);
  return forces;
}

// How often the weights are drawn in a simulation; 1 without redraw. One window more than the
// simulation needs, lest its last step look past the end.
int windows_of(const DynamicsRequest& request, int d) {
  const DynamicsSpec& spec = request.spec;
  if (spec.redraw == 0) return 1;
  if (spec.redraw < 0)
    refuse(request.words, "redraw", "must be 0 or above", "use redraw=0 for never");
  if (!is_random(spec.perceptron) && !is_random(spec.query) && !is_random(spec.key) &&
      !is_random(spec.value))
    refuse(request.words, "redraw", "finds no random weights to redraw",
           "use query, key or value=gaussian, goe, wigner or psd, or a random perceptron");
  const double windows = std::ceil(request.T / spec.redraw * (1 - 1e-12)) + 1;
  const double numbers = 3.0 * number_of_heads(spec) * d * d + numbers_of(spec.perceptron, d);
  if (windows > 100'000 || windows * numbers * sizeof(double) > 1 << 30)
    refuse(request.words, "redraw",
           "asks for more than 100,000 draws of the weights, or 1 GiB of them",
           "redraw less often, or use a smaller T, d or heads");
  return static_cast<int>(windows);
}

// Window k is k redraw <= t < (k + 1) redraw, begun a little early: times are sums of steps.
Sublayer window(double every, int k, int windows) {
  constexpr double kSlack = 1e-9;
  Sublayer sublayer;
  if (k > 0) sublayer.from = (k - kSlack) * every;
  if (k + 1 < windows) sublayer.until = (k + 1 - kSlack) * every;
  return sublayer;
}

void set_sublayers(const DynamicsRequest& request, Shape shape, Record& inputs,
                   Dynamics& dynamics) {
  const DynamicsSpec& spec = request.spec;
  const bool attends = spec.interaction != Interaction::none,
             perceptrons = spec.perceptron.kind != PerceptronChoice::none;
  if (!attends && !perceptrons) {  // Brownian motion needs no force
    if (spec.noise <= 0)
      refuse(request.words, "dynamics", "leaves no force at all",
             "give a perceptron, noise, or dynamics=SA");
    dynamics.sublayers.push_back({});
    return;
  }
  const int windows = windows_of(request, shape.d);
  for (int k = 0; k < windows; ++k) {
    const auto redraw = static_cast<std::uint32_t>(k);
    const Sublayer empty = window(spec.redraw, k, windows);
    if (attends) {
      dynamics.sublayers.push_back(empty);
      dynamics.sublayers.back().forces = attention_heads(request, shape, redraw, inputs);
    }
    if (perceptrons) {
      dynamics.sublayers.push_back(empty);
      dynamics.sublayers.back().forces = {perceptron_of(request, shape.d, redraw, inputs)};
    }
  }
  for (Sublayer& sublayer : dynamics.sublayers)
    if (spec.direction == Direction::descent) turn_round(shape.d, sublayer.forces);
}

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

void add_attention(const Attention& a, const Experiment& e, const Settings& s, Equation& equation) {
  const Dynamics& dynamics = e.dynamics;
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
  if (s.at("model").text != "none") {
    text += ", matrices and biases as trained\n";
    return;
  }
  for (const char* key : {"query", "key", "value"})
    if (s.at(key).text != "identity") text += fmt::format(", {} {}", key, s.at(key).text);
  if (s.at("direction").text == "descent") text += ", turned round (descent)";
  if (std::isfinite(dynamics.sublayers[0].until))
    text += fmt::format(", drawn anew every {}", s.at("redraw").text);
  if (dynamics.clock != Clock::u1) text += fmt::format(", clock {}", s.at("clock").text);
  if (!a.self) text += ", j = i left out";
  text += "\n";
}

void add_perceptron(const Perceptron& p, const Experiment& e, const Settings& s,
                    Equation& equation) {
  const char* x = place_text(e.dynamics).empty() ? "x" : "y";
  equation.terms.push_back(fmt::format("W_out s(W_in {}_i + b_in) + b_out", x));
  equation.notes += fmt::format("  s = {},  {} units\n", s.at("activation").text, p.in.rows);
}

}  // namespace

ManifoldChoice resolved_manifold(const DynamicsSpec& spec) {
  if (spec.manifold != ManifoldChoice::automatic) return spec.manifold;
  if (!spec.gains.empty() || !spec.gains_end.empty()) return ManifoldChoice::ellipsoid;
  const bool space =
      row_of(spec.normalisation.kind).moves_norms || spec.interaction == Interaction::hardmax ||
      spec.interaction == Interaction::euclidean || spec.interaction == Interaction::rescaled;
  return space ? ManifoldChoice::space : ManifoldChoice::sphere;
}

Manifold manifold_of(const DynamicsSpec& spec) {
  return resolved_manifold(spec) == ManifoldChoice::space ? Manifold::space : Manifold::sphere;
}

Dynamics unchecked_dynamics(const DynamicsRequest& request, Shape shape, Record& inputs) {
  const DynamicsSpec& spec = request.spec;
  Dynamics dynamics;
  dynamics.manifold = manifold_of(spec);
  dynamics.clock = spec.clock;
  dynamics.noise = spec.noise;
  if (spec.interaction == Interaction::euclidean && dynamics.manifold != Manifold::space)
    refuse(request.words, "dynamics", "is softmax attention in R^d",
           "use habitat=space, or dynamics=SA on the sphere");
  set_normalisation(spec.normalisation, dynamics);
  set_gains(request, shape.d, dynamics);
  set_sublayers(request, shape, inputs, dynamics);
  return dynamics;
}

Dynamics dynamics_of(const DynamicsRequest& request, Shape shape, Record& inputs) {
  Dynamics dynamics = unchecked_dynamics(request, shape, inputs);
  check(dynamics, shape.d);
  return dynamics;
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

std::string equation_text(const Experiment& e, const Settings& s) {
  Equation equation;
  std::size_t heads = 0;
  for (const Sublayer& sublayer : e.dynamics.sublayers) {
    if (!sublayer.active(0)) continue;
    for (const Force& force : sublayer.forces)
      std::visit(Overloaded{[&](const Attention& a) {
                              if (heads++ == 0) add_attention(a, e, s, equation);
                            },
                            [&](const Perceptron& p) { add_perceptron(p, e, s, equation); }},
                 force);
  }
  const bool sphere = e.dynamics.manifold == Manifold::sphere;
  const std::string before = (sphere ? "P_i " : "") + speed_text(e.dynamics);
  std::string sum = fmt::format("{}", fmt::join(equation.terms, " + "));
  if (!sum.empty() && !before.empty()) sum = fmt::format("{}[ {} ]", before, sum);
  if (e.dynamics.noise > 0)
    sum += fmt::format("{}sqrt(2 * {:g}) w_i'", sum.empty() ? "" : " + ", e.dynamics.noise);
  std::string text =
      fmt::format("  x_i' = {}{}\n{}", sum, equation.weights, place_text(e.dynamics));
  if (e.dynamics.normalisation == LayerNorm::mix)
    text += fmt::format("  while t <= {:g} only turning: |x_i| stays\n", e.dynamics.mix_until);
  text += equation.notes;
  const bool averaged = s.at("model").text == "none" && s.at("head_scale").text == "mean";
  if (heads > 1 && averaged)
    text += fmt::format("  averaged over {0} heads: V is divided by {0} in each\n", heads);
  else if (heads > 1)
    text += fmt::format("  summed over {} heads\n", heads);
  if (e.dynamics.noise > 0)
    text += fmt::format("  w_i are Brownian motions {}\n", sphere ? "on the sphere" : "in R^d");
  return text;
}

}  // namespace murmur
