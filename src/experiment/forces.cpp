// forces.cpp: makes the dynamics that a spec describes: manifold, forces, layers, gains,
// normalisation.
#include "experiment/forces.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/overloaded.h"
#include "experiment/matrices.h"
#include "experiment/verify.h"
#include "experiment/words.h"
#include "murmur/error.h"
#include "murmur/forces.h"

namespace murmur {

// --- The limit of many heads.

namespace {

constexpr const char* kHeadScale = "head_scale";

// Returns the law of S = Q^T K, or nothing if its mean is unknown.
std::optional<ManyHeads::Law> law_of(MatrixChoice::Kind query, MatrixChoice::Kind key) {
  using Choice = MatrixChoice;
  if (query == Choice::gaussian && key == Choice::gaussian) return ManyHeads::product;
  if (query != Choice::identity && key != Choice::identity) return std::nullopt;
  switch (query == Choice::identity ? key : query) {
    case Choice::gaussian:
      return ManyHeads::gaussian;
    case Choice::goe:
      return ManyHeads::goe;
    case Choice::psd:
      return ManyHeads::psd;
    default:
      return std::nullopt;
  }
}

// Returns the factor c if the mean of V is c I; nothing if it is not a multiple of I, or zero.
std::optional<double> mean_value(MatrixChoice::Kind value) {
  switch (value) {
    case MatrixChoice::identity:
    case MatrixChoice::psd:
    case MatrixChoice::query_key:
      return 1;
    case MatrixChoice::minus_identity:
    case MatrixChoice::minus_query_key:
      return -1;
    default:
      return std::nullopt;
  }
}

void check_attention(const DynamicsRequest& request) {
  const DynamicsSpec& spec = request.spec;
  if (spec.interaction != Interaction::USA)
    refuse(request.words, kHeadScale,
           "only unnormalised attention has a known mean over random heads",
           "use dynamics=USA, or head_scale=mean with many heads");
  if (spec.heads)
    refuse(request.words, "heads", "the limit is that of infinitely many heads", "remove heads");
  if (spec.mask != Attention::none || !spec.self || spec.alibi != 0 ||
      spec.relative == Relative::yes)
    refuse(request.words, kHeadScale, "the limit is known only if all attend to all",
           "use reach=all, self=true, alibi=0 and relative=false");
  if (spec.redraw != 0)
    refuse(request.words, "redraw", "the limit of many heads has no random weights",
           "use redraw=0");
}

}  // namespace

ManyHeads many_heads(const DynamicsRequest& request) {
  check_attention(request);
  const DynamicsSpec& spec = request.spec;
  const std::optional<ManyHeads::Law> law = law_of(spec.query.kind, spec.key.kind);
  if (!law)
    refuse(request.words, kHeadScale,
           "the mean over these queries and keys is not known in closed form",
           "use query=goe, psd or gaussian with key=identity, or both gaussian");
  const std::optional<double> value = mean_value(spec.value.kind);
  if (!value)
    refuse(request.words, "value", "has no mean over heads, or the mean 0: nothing would move",
           "use value=identity, minus-identity, psd, query-key or minus-query-key");
  const bool gradient = spec.value.kind == MatrixChoice::query_key ||
                        spec.value.kind == MatrixChoice::minus_query_key;
  if (gradient && (*law == ManyHeads::gaussian || *law == ManyHeads::product))
    refuse(request.words, "value",
           "E e^{beta <x, S y>} of a Gaussian S depends only on lengths: its gradient has no part "
           "along the sphere",
           "use query=goe or psd, or value=identity");
  return {.beta = spec.beta, .law = *law, .value = *value, .gradient = gradient};
}

// --- Layers of weights in files, and the times at which they act.

namespace {

constexpr std::size_t kMostLayers = 100'000;
constexpr const char* kWeightsInTime = "weights_in_time";

void check_company(const DynamicsRequest& request, bool scores_change) {
  const DynamicsSpec& spec = request.spec;
  if (spec.redraw != 0)
    refuse(request.words, "redraw", "weights are drawn again, or come in layers of files, not both",
           "use redraw=0, or weights_in_time=constant");
  if (spec.interaction == Interaction::rescaled)
    refuse(request.words, kWeightsInTime, "rescaled attention has one V in e^{tV}",
           "use weights_in_time=constant, or dynamics=euclidean");
  const bool derived = spec.value.kind == MatrixChoice::query_key ||
                       spec.value.kind == MatrixChoice::minus_query_key;
  if (spec.weights_in_time == WeightsInTime::linear && derived && scores_change)
    refuse(request.words, "value", "Q^T K is not linear in time where Q or K is",
           "give V as a file, or use weights_in_time=piecewise");
}

}  // namespace

std::size_t number_of_layers(const DynamicsRequest& request, Record& inputs) {
  const DynamicsSpec& spec = request.spec;
  std::size_t layers = 0;
  const auto count = [&](const char* key, std::size_t more) {
    if (more == 0 || more > kMostLayers)
      refuse(request.words, key, fmt::format("has {} layers", more), "give 1 to 100,000 of them");
    if (layers != 0 && more != layers)
      refuse(request.words, key,
             fmt::format("has {} layers, and another file has {}", more, layers),
             "give all files the same number of layers");
    layers = more;
  };
  const std::pair<const char*, const MatrixChoice*> matrices[] = {
      {"query", &spec.query}, {"key", &spec.key}, {"value", &spec.value}};
  for (const auto& [name, matrix] : matrices) {
    if (name == std::string("value")) check_company(request, layers != 0);
    if (spec.interaction == Interaction::none || matrix->kind != MatrixChoice::from_file) continue;
    if (inputs.count(name) == 0) {
      Array array = read_matrices(*matrix, name);
      check_finite(request.words, name, array);
      inputs[name] = std::move(array);
    }
    if (inputs[name].shape.size() > 2) count(name, inputs[name].shape[0]);
  }
  for (const std::size_t more : layers_in_perceptron(request, inputs)) count("perceptron", more);
  if (layers == 0)
    refuse(request.words, kWeightsInTime, "finds no file of weights with an axis of layers",
           "give query, key, value as (layers, k, d) or (layers, heads, k, d), a perceptron with "
           "in (layers, h, d), or use weights_in_time=constant");
  return layers;
}

double weights_until(const DynamicsRequest& request) {
  const std::optional<double>& until = request.spec.weights_until;
  if (!until) return request.T;
  if (!(*until > 0 && std::isfinite(*until))) positive(request.words, "weights_until");  // throws
  return *until;
}

void check_weights_until(const DynamicsRequest& request) {
  if (request.spec.weights_until && request.spec.weights_in_time == WeightsInTime::constant)
    refuse(request.words, "weights_until", "there are no layers that could end then",
           "use weights_in_time=piecewise or linear, or remove weights_until");
}

// --- The dynamics.

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

// Hard attention in R^d is x' = mean - x, and rescaled attention is defined in this way.
bool is_relative(const DynamicsSpec& spec) {
  if (spec.relative != Relative::automatic) return spec.relative == Relative::yes;
  return spec.interaction == Interaction::rescaled ||
         (spec.interaction == Interaction::hardmax && manifold_of(spec) == Manifold::space);
}

void check_gains(const DynamicsRequest& request, const char* key, const Vector& gains, int d) {
  if (!gains.empty() && static_cast<int>(gains.size()) != d)
    refuse(request.words, key, fmt::format("has {} numbers for {} coordinates", gains.size(), d),
           "write one positive number per coordinate, for example 1,2,0.5");
}

// Returns the time at which gains_end is reached: T, or as given.
double gains_until(const DynamicsRequest& request) {
  const std::optional<double>& until = request.spec.gains_until;
  if (!until) return request.T;
  if (request.spec.gains_end.empty())
    refuse(request.words, "gains_until", "there are no gains to reach then",
           "add gains_end=1,2,..., or remove gains_until");
  if (!(*until > 0 && std::isfinite(*until))) positive(request.words, "gains_until");  // throws
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
           "add gains=1,2,... with one number per coordinate");
  if (!ellipsoid && !none)
    refuse(request.words, spec.gains.empty() ? "gains_end" : "gains",
           "gains are the axes of an ellipsoid", "use habitat=ellipsoid, or remove habitat");
  dynamics.gain_until = gains_until(request);
}

void set_normalisation(const NormalisationChoice& choice, Dynamics& dynamics) {
  dynamics.normalisation = choice.kind;
  if (!choice.argument) return;
  const bool time = row_of(choice.kind).argument == LayerNormRow::time;
  (time ? dynamics.mix_until : dynamics.speed) = *choice.argument;
}

// direction=descent reverses every force.
void reverse_forces(int d, std::vector<Force>& forces) {
  for (Force& force : forces)
    std::visit(Overloaded{[d](Attention& a) {
                            if (a.value.empty()) a.value = scaled_identity(d, 1);
                            for (double& entry : a.value.data) entry = -entry;
                            for (double& entry : a.value_bias) entry = -entry;
                          },
                          [](Perceptron& p) {
                            for (double& entry : p.out.data) entry = -entry;
                            for (double& entry : p.out_bias) entry = -entry;
                          },
                          [](ManyHeads& heads) { heads.value = -heads.value; }},
               force);
}

// head_scale=mean: V / H in each of the H heads.
void average_heads(const DynamicsRequest& request, int d, std::vector<Force>& heads) {
  if (request.spec.head_scale != HeadScale::mean || heads.size() < 2) return;
  if (request.spec.interaction == Interaction::rescaled)
    refuse(request.words, "head_scale", "rescaled attention has its V in e^{tV} too",
           "use head_scale=sum, or another dynamics");
  for (Force& force : heads) {
    auto& a = std::get<Attention>(force);
    if (a.value.empty()) a.value = scaled_identity(d, 1);
    for (double& entry : a.value.data) entry /= static_cast<double>(heads.size());
  }
}

std::vector<Force> attention_heads(const DynamicsRequest& request, Shape shape, const Turn& turn,
                                   Record& inputs) {
  const DynamicsSpec& spec = request.spec;
  if (spec.head_scale == HeadScale::limit) return {many_heads(request)};
  const HeadMatrices all{request, shape.d, number_of_heads(spec, inputs), turn, inputs};
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

constexpr double kMostWeights = 1 << 30;  // bytes, for all layers or draws together

// Returns how often the weights are drawn in a simulation; 1 without redraw. Includes one window
// after the end, which the last step may read.
int windows_of(const DynamicsRequest& request, int d) {
  const DynamicsSpec& spec = request.spec;
  if (spec.redraw == 0) return 1;
  if (spec.redraw < 0)
    refuse(request.words, "redraw", "must be 0 or above", "use redraw=0 for never");
  if (!is_random(spec.perceptron) && !is_random(spec.query) && !is_random(spec.key) &&
      !is_random(spec.value))
    refuse(request.words, "redraw", "there are no random weights to redraw",
           "use query, key or value=gaussian, goe, wigner or psd, or a random perceptron");
  const double windows = std::ceil(request.T / spec.redraw * (1 - 1e-12)) + 1;
  const double numbers = 3.0 * number_of_heads(spec) * d * d + numbers_of(spec.perceptron, d);
  if (windows > 100'000 || windows * numbers * sizeof(double) > kMostWeights)
    refuse(request.words, "redraw",
           "needs more than 100,000 draws of the weights, or 1 GiB of them",
           "redraw less often, or use a smaller T, d or heads");
  return static_cast<int>(windows);
}

// Window k is k redraw <= t < (k + 1) redraw, started slightly early since times are sums of steps.
Sublayer window(double every, int k, int windows) {
  constexpr double kSlack = 1e-9;
  Sublayer sublayer;
  if (k > 0) sublayer.from = (k - kSlack) * every;
  if (k + 1 < windows) sublayer.until = (k + 1 - kSlack) * every;
  return sublayer;
}

// All forces once: attention, then feed-forward, each a sublayer; for all times.
std::vector<Sublayer> sublayers_of(const DynamicsRequest& request, Shape shape, const Turn& turn,
                                   Record& inputs) {
  std::vector<Sublayer> all;
  if (request.spec.interaction != Interaction::none)
    all.push_back({attention_heads(request, shape, turn, inputs)});
  if (request.spec.perceptron.kind != PerceptronChoice::none)
    all.push_back({{perceptron_of(request, shape.d, turn, inputs)}});
  for (Sublayer& sublayer : all)
    if (request.spec.direction == Direction::descent) reverse_forces(shape.d, sublayer.forces);
  return all;
}

// The L layers of files until time U: layer l for l U/L <= t < (l + 1) U/L, or matrices
// interpolated linearly between layer l at t = l U/(L - 1). The last one remains.
void set_layers(const DynamicsRequest& request, Shape shape, Record& inputs, Dynamics& dynamics) {
  const DynamicsSpec& spec = request.spec;
  const std::size_t layers = number_of_layers(request, inputs);
  const double until = weights_until(request);
  const bool linear = spec.weights_in_time == WeightsInTime::linear;
  if (const double bytes = (linear ? 2.0 : 1.0) * static_cast<double>(layers) * sizeof(double) * 3 *
                           number_of_heads(spec, inputs) * shape.d * shape.d;
      bytes > kMostWeights)
    refuse(request.words, "weights_in_time", "needs more than 1 GiB of weights",
           "use fewer layers, heads or coordinates");
  const auto time = [&](std::size_t l) {
    return static_cast<double>(l) * until / static_cast<double>(linear ? layers - 1 : layers);
  };
  std::vector<Sublayer> now = sublayers_of(request, shape, {0, 0}, inputs);
  for (std::size_t l = 0; l < layers; ++l) {
    const bool last = l + 1 == layers;
    std::vector<Sublayer> next;
    if (!last) next = sublayers_of(request, shape, {0, l + 1}, inputs);
    for (std::size_t s = 0; s < now.size(); ++s) {
      if (l > 0 || (linear && !last)) now[s].from = time(l);
      if (!last) now[s].until = time(l + 1);
      if (!last && linear) now[s].forces_end = next[s].forces;
      dynamics.sublayers.push_back(std::move(now[s]));
    }
    if (!last && !linear) dynamics.jump_times.push_back(time(l + 1));
    now = std::move(next);
  }
}

void set_sublayers(const DynamicsRequest& request, Shape shape, Record& inputs,
                   Dynamics& dynamics) {
  const DynamicsSpec& spec = request.spec;
  const bool attends = spec.interaction != Interaction::none,
             perceptrons = spec.perceptron.kind != PerceptronChoice::none;
  if (!attends && !perceptrons) {  // Brownian motion needs no force
    if (spec.noise <= 0 && external_of(request.words).empty())
      refuse(request.words, "dynamics", "leaves no force",
             "give a perceptron, noise, or dynamics=SA");
    dynamics.sublayers.push_back({});
    return;
  }
  check_weights_until(request);
  if (spec.weights_in_time != WeightsInTime::constant)
    return set_layers(request, shape, inputs, dynamics);
  const int windows = windows_of(request, shape.d);
  for (int k = 0; k < windows; ++k) {
    const Sublayer times = window(spec.redraw, k, windows);
    for (Sublayer& sublayer :
         sublayers_of(request, shape, {static_cast<std::uint32_t>(k)}, inputs)) {
      sublayer.from = times.from;
      sublayer.until = times.until;
      dynamics.sublayers.push_back(std::move(sublayer));
    }
  }
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
  if (!external_of(request.words).empty() && !dynamics.sublayers.back().forces.empty())
    dynamics.sublayers.push_back({});
  return dynamics;
}

Dynamics dynamics_of(const DynamicsRequest& request, Shape shape, Record& inputs) {
  Dynamics dynamics = unchecked_dynamics(request, shape, inputs);
  check(dynamics, shape.d);
  return dynamics;
}

// --- Dynamics whose particles must not merge when they meet.

std::optional<WhyNotMerge> why_not_merge(const Dynamics& dynamics) {
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      if (const Attention* a = head_of(force)) {
        if (a->mask == Attention::causal)
          return WhyNotMerge{"particles of a causal swarm move differently when they meet",
                             "use merge=0"};
        if (!a->self)
          return WhyNotMerge{"with self=false a merged group would not attend to itself",
                             "use merge=0, or self=true"};
      }
  return std::nullopt;
}

}  // namespace murmur
