// forces.cpp: attention, perceptrons, normalisation and gains out of a spec.
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
                          },
                          [](Perceptron& p) {
                            for (double& entry : p.out.data) entry = -entry;
                            for (double& entry : p.out_bias) entry = -entry;
                          }},
               force);
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
  return forces;
}

// How often the weights are drawn in a flight; 1 without redraw. One window more than the flight
// needs, lest its last step look past the end.
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

}  // namespace murmur
