// forces.cpp: attention, perceptrons, normalisation and gains out of settings.
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

enum Kind { SA, USA, causal, hardmax, sinkhorn, euclidean, rescaled, none };

Kind kind_of(const Settings& settings) {
  return static_cast<Kind>(
      choice(settings, "dynamics",
             {"SA", "USA", "causal", "hardmax", "sinkhorn", "euclidean", "rescaled", "none"}));
}

Attention::Weighting weighting_of(Kind kind) {
  return kind == USA        ? Attention::unnormalised
         : kind == hardmax  ? Attention::hard
         : kind == sinkhorn ? Attention::sinkhorn
                            : Attention::softmax;
}

// Hard attention in R^d goes to x' = mean - x, and rescaled attention is defined so.
bool is_relative(const Settings& settings, Kind kind) {
  const int asked = choice(settings, "relative", {"auto", "true", "false"});
  if (asked != 0) return asked == 1;
  return kind == rescaled || (kind == hardmax && manifold_of(settings) == Manifold::space);
}

bool is_given_word(const Settings& settings, const std::string& key) {
  return setting(settings, key).text != "none";
}

// (d) positive numbers: 1,2,0.5
Vector gains_of(const Settings& settings, const std::string& key, int d) {
  Vector gains;
  if (!is_given_word(settings, key)) return gains;
  for (const std::string& text : split(setting(settings, key).text, ','))
    if (!parse_number(text, gains.emplace_back()) || !(gains.back() > 0))
      refuse(settings, key, fmt::format("'{}' is not a positive number", text),
             "write one positive number a coordinate, as 1,2,0.5");
  if (static_cast<int>(gains.size()) != d)
    refuse(settings, key, fmt::format("has {} numbers for {} coordinates", gains.size(), d),
           "write one positive number a coordinate, as 1,2,0.5");
  return gains;
}

void set_gains(const Settings& settings, int d, Dynamics& dynamics) {
  dynamics.gain = gains_of(settings, "gains", d);
  dynamics.gain_end = gains_of(settings, "gains_end", d);
  const bool ellipsoid = manifold_name(settings) == "ellipsoid";
  if (ellipsoid && dynamics.gain.empty() && dynamics.gain_end.empty())
    refuse(settings, "habitat", "has no axes", "add gains=1,2,... with one number a coordinate");
  if (!ellipsoid && (!dynamics.gain.empty() || !dynamics.gain_end.empty()))
    refuse(settings, dynamics.gain.empty() ? "gains_end" : "gains",
           "gains are the axes of an ellipsoid", "use habitat=ellipsoid, or leave habitat out");
  const std::string until = setting(settings, "gains_until").text;
  if (until != "T" && dynamics.gain_end.empty())
    refuse(settings, "gains_until", "there are no gains to arrive at then",
           "add gains_end=1,2,..., or leave gains_until out");
  dynamics.gain_until = positive(settings, until == "T" ? "T" : "gains_until");
}

// post, pre, peri, mix:TAU, ngpt, ngpt:SPEED, sqrt
void set_normalisation(const Settings& settings, Dynamics& dynamics) {
  std::vector<std::string> names;
  for (const LayerNormRow& row : layer_norms()) names.emplace_back(row.name);
  const std::vector<std::string> parts = split(setting(settings, "normalisation").text, ':');
  Settings word = settings;
  word["normalisation"].text = parts[0];
  const LayerNormRow& row = layer_norms()[choice(word, "normalisation", names)];
  dynamics.normalisation = row.norm;
  const bool mix = row.argument == LayerNormRow::time, ngpt = row.argument == LayerNormRow::speed;
  if (parts.size() > (mix || ngpt ? 2u : 1u) || (mix && parts.size() < 2))
    refuse(settings, "normalisation", "has the wrong number of arguments",
           "write mix:TAU with the time to change at, or ngpt:SPEED");
  double& argument = mix ? dynamics.mix_until : dynamics.speed;
  if (parts.size() == 2 && (!parse_number(parts[1], argument) || argument < 0))
    refuse(settings, "normalisation", fmt::format("'{}' is not a number of 0 or above", parts[1]),
           "write mix:TAU or ngpt:SPEED");
}

// direction=descent turns every force round.
void turn_round(int d, std::vector<Force>& forces) {
  for (Force& force : forces)
    std::visit(Overloaded{[d](Attention& a) {
                            if (a.value.empty()) a.value = scaled_identity(d, 1);
                            for (double& entry : a.value.data) entry = -entry;
                          },
                          [](Perceptron& p) {
                            for (double& entry : p.out.data) entry = -entry;
                            for (double& entry : p.out_bias) entry = -entry;
                          }},
               force);
}

std::vector<Force> attention_heads(const Settings& settings, Shape shape, std::uint32_t redraw,
                                   Record& inputs) {
  const HeadMatrices all{settings, shape.d, number_of_heads(settings, inputs), redraw, inputs};
  const Kind kind = kind_of(settings);
  const bool past = choice(settings, "reach", {"all", "past"}) == 1 || kind == causal;
  const std::vector<Matrix> query = all.named("query", Stream::query);
  const std::vector<Matrix> key = all.named("key", Stream::key);
  const std::vector<Matrix> value = all.values(query, key);
  std::vector<Force> forces;
  for (int h = 0; h < all.heads; ++h)
    forces.push_back(Attention{.beta = number(settings, "beta"),
                               .query = query[h],
                               .key = key[h],
                               .value = value[h],
                               .relative = is_relative(settings, kind),
                               .self = flag(settings, "self"),
                               .mask = past ? Attention::causal : Attention::none,
                               .weighting = weighting_of(kind),
                               .alibi = number(settings, "alibi") / shape.n,
                               .rescaled = kind == rescaled});
  return forces;
}

// How often the weights are drawn in a flight; 1 without redraw. One window more than the flight
// needs, lest its last step look past the end.
int windows_of(const Settings& settings, int d) {
  const double every = number(settings, "redraw");
  if (every == 0) return 1;
  if (every < 0) refuse(settings, "redraw", "must be 0 or above", "use redraw=0 for never");
  bool random = is_random_perceptron(settings);
  for (const char* key : {"query", "key", "value"})
    random = random || is_random_matrix(settings, key);
  if (!random)
    refuse(settings, "redraw", "finds no random weights to redraw",
           "use query, key or value=gaussian, goe, wigner or psd, or a random perceptron");
  const double windows = std::ceil(positive(settings, "T") / every * (1 - 1e-12)) + 1;
  const double numbers = 3.0 * number_of_heads(settings) * d * d + perceptron_numbers(settings, d);
  if (windows > 100'000 || windows * numbers * sizeof(double) > 1 << 30)
    refuse(settings, "redraw", "asks for more than 100,000 draws of the weights, or 1 GiB of them",
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

void set_sublayers(const Settings& settings, Shape shape, Record& inputs, Dynamics& dynamics) {
  const bool attends = kind_of(settings) != none,
             perceptrons = is_given_word(settings, "perceptron");
  if (!attends && !perceptrons) {  // Brownian motion needs no force
    if (number(settings, "noise") <= 0)
      refuse(settings, "dynamics", "leaves no force at all",
             "give a perceptron, noise, or dynamics=SA");
    dynamics.sublayers.push_back({});
    return;
  }
  const bool descent = choice(settings, "direction", {"ascent", "descent"}) == 1;
  const int windows = windows_of(settings, shape.d);
  for (int k = 0; k < windows; ++k) {
    const auto redraw = static_cast<std::uint32_t>(k);
    const Sublayer empty = window(number(settings, "redraw"), k, windows);
    if (attends) {
      dynamics.sublayers.push_back(empty);
      dynamics.sublayers.back().forces = attention_heads(settings, shape, redraw, inputs);
    }
    if (perceptrons) {
      dynamics.sublayers.push_back(empty);
      dynamics.sublayers.back().forces = {perceptron_of(settings, shape.d, redraw, inputs)};
    }
  }
  for (Sublayer& sublayer : dynamics.sublayers)
    if (descent) turn_round(shape.d, sublayer.forces);
}

}  // namespace

std::string manifold_name(const Settings& settings) {
  if (is_given(settings, "habitat")) {
    static const std::vector<std::string> names = {"sphere", "space", "ellipsoid"};
    return names[choice(settings, "habitat", names)];
  }
  if (is_given_word(settings, "gains") || is_given_word(settings, "gains_end")) return "ellipsoid";
  const std::string normalisation = setting(settings, "normalisation").text;
  if (normalisation == "pre" || normalisation == "peri" || normalisation.rfind("mix", 0) == 0)
    return "space";
  const Kind kind = kind_of(settings);
  return kind == hardmax || kind == euclidean || kind == rescaled ? "space" : "sphere";
}

Manifold manifold_of(const Settings& settings) {
  return manifold_name(settings) == "space" ? Manifold::space : Manifold::sphere;
}

Dynamics dynamics_of(const Settings& settings, Shape shape, Record& inputs) {
  Dynamics dynamics;
  dynamics.manifold = manifold_of(settings);
  dynamics.clock = static_cast<Clock>(choice(settings, "clock", {"U1", "U2", "U3", "U4"}));
  if (kind_of(settings) == euclidean && dynamics.manifold != Manifold::space)
    refuse(settings, "dynamics", "is softmax attention in R^d",
           "use habitat=space, or dynamics=SA on the sphere");
  set_normalisation(settings, dynamics);
  set_gains(settings, shape.d, dynamics);
  set_sublayers(settings, shape, inputs, dynamics);
  check(dynamics, shape.d);
  return dynamics;
}

}  // namespace murmur
