// dynamics.cpp: checks a dynamics, interpolates its forces in time, and finds the plain forces that
// measures can have.
#include "murmur/dynamics.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/overloaded.h"
#include "core/plain_forces.h"
#include "murmur/error.h"

namespace murmur {

namespace {

std::string shape_text(int rows, int cols) {
  return std::string("(").append(std::to_string(rows)).append(", ").append(std::to_string(cols)) +
         ")";
}

void require(bool good, const std::string& what, const std::string& remedy) {
  if (!good) throw Error(Fault::input, what, "in the dynamics", remedy);
}

void check_bias(const char* name, const Vector& bias, int length) {
  require(bias.empty() || static_cast<int>(bias.size()) == length,
          std::string(name) + " has " + std::to_string(bias.size()) + " entries, " +
              std::to_string(length) + " are needed",
          "give a vector of that length, or none");
}

void check_matrix(const char* name, const Matrix& m, int rows, int cols) {
  require(m.rows == rows && m.cols == cols,
          std::string(name) + " has shape " + shape_text(m.rows, m.cols) + ", " +
              shape_text(rows, cols) + " is needed",
          "give a matrix of that shape, or change d");
}

void check_force(const Attention& a, int d) {
  const int k_query = a.query.empty() ? d : a.query.rows;
  const int k_key = a.key.empty() ? d : a.key.rows;
  if (!a.query.empty()) check_matrix("query", a.query, k_query, d);
  if (!a.key.empty()) check_matrix("key", a.key, k_key, d);
  require(k_query == k_key,
          "query has " + std::to_string(k_query) + " rows and key has " + std::to_string(k_key),
          "queries and keys are compared: give both the same number of rows");
  if (!a.value.empty()) check_matrix("value", a.value, d, d);
  check_bias("query_bias", a.query_bias, k_query);
  check_bias("key_bias", a.key_bias, k_key);
  check_bias("value_bias", a.value_bias, d);
}

void check_force(const Perceptron& p, int d) {
  check_matrix("perceptron in", p.in, p.in.rows, d);
  check_matrix("perceptron out", p.out, d, p.in.rows);
  check_bias("perceptron in_bias", p.in_bias, p.in.rows);
  check_bias("perceptron out_bias", p.out_bias, d);
}

// A limit has no matrices.
void check_force(const ManyHeads& heads, int d) {
  const double s = std::fabs(heads.beta) / d;
  require(std::isfinite(heads.beta) && std::isfinite(heads.value), "beta is not a finite number",
          "give a number");
  require(heads.law != ManyHeads::product || s < 1,
          "the mean of e^{beta <Q x, K y>} over Gaussian Q and K is infinite from beta = d on",
          "use |beta| < d");
  require(heads.law != ManyHeads::psd || s < 0.5,
          "the mean of e^{beta <x, S y>} over S = G G^T / d is infinite from beta = d/2 on",
          "use |beta| < d / 2");
}

void check_meaning(const Attention& a, Manifold manifold) {
  require(a.alibi >= 0 && std::isfinite(a.alibi), "the slope alibi is not a number of 0 or above",
          "use alibi=0 for none");
  require(a.alibi == 0 || a.mask == Attention::causal,
          "alibi counts how far back a token lies, and here all see all", "use reach=past");
  require(
      a.alibi == 0 || a.weighting == Attention::softmax || a.weighting == Attention::unnormalised,
      "alibi is known for softmax and plain attention", "use dynamics=SA or dynamics=USA");
  require(a.weighting != Attention::sinkhorn || (a.mask == Attention::none && a.self),
          "sinkhorn weights need everyone to see everyone, itself included",
          "use reach=all and self=true");
  require(!a.rescaled || (a.relative && manifold == Manifold::space),
          "rescaled attention moves z = e^{-tV} x, which lives in R^d",
          "use habitat=space and relative=true");
}

void check_meaning(const Perceptron&, Manifold) {}  // every perceptron of fitting shape is valid

void check_meaning(const ManyHeads&, Manifold manifold) {
  require(manifold == Manifold::sphere, "the limit of many heads is known between unit vectors",
          "use habitat=sphere, and leave gains out");
}

// Whether two forces can be interpolated: they differ only in the numbers of their matrices.
struct SameButForNumbers {
  static bool same(const Matrix& a, const Matrix& b, int d) {
    const auto shape = [d](const Matrix& m) {
      return m.empty() ? std::pair(d, d) : std::pair(m.rows, m.cols);
    };
    return shape(a) == shape(b);
  }
  int d;

  bool operator()(const Attention& a, const Attention& b) const {
    return same(a.query, b.query, d) && same(a.key, b.key, d) && a.beta == b.beta &&
           a.relative == b.relative && a.self == b.self && a.mask == b.mask &&
           a.weighting == b.weighting && a.alibi == b.alibi && !a.rescaled && !b.rescaled;
  }
  bool operator()(const Perceptron& a, const Perceptron& b) const {
    return a.in.rows == b.in.rows && a.activation == b.activation;
  }
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return false;
  }
};

void check_ends(const Sublayer& sublayer, int d) {
  if (sublayer.forces_end.empty()) return;
  bool fits = sublayer.forces.size() == sublayer.forces_end.size();
  for (std::size_t f = 0; fits && f < sublayer.forces.size(); ++f)
    fits = std::visit(SameButForNumbers{d}, sublayer.forces[f], sublayer.forces_end[f]);
  require(fits, "forces change in a line into forces of another kind or shape",
          "give the same forces with other matrices");
  require(std::isfinite(sublayer.from) && std::isfinite(sublayer.until) &&
              sublayer.from < sublayer.until,
          "forces that change in a line need a beginning and an end", "give from < until");
}

void check_normalisation(const Dynamics& dynamics) {
  const bool sphere = dynamics.manifold == Manifold::sphere;
  const LayerNormRow& row = row_of(dynamics.normalisation);
  require(!moves_norms(dynamics) || !sphere, "normalisation pre, peri and mix move the norms too",
          "use habitat=space");
  const bool post = dynamics.normalisation == LayerNorm::post;
  require(post || row.moves_norms || sphere, "normalisation ngpt and sqrt keep the norms at 1",
          "use habitat=sphere");
  require(post || !kernel_of(dynamics.clock).arc_length,
          "the arc-length clock U4 sets the speed itself", "use normalisation=post");
  require(row.argument != LayerNormRow::time || dynamics.mix_until >= 0,
          "mix turns from post to pre at a time of 0 or above", "give mix:TAU with TAU >= 0");
  require(
      row.argument != LayerNormRow::speed || (dynamics.speed > 0 && std::isfinite(dynamics.speed)),
      "the speed of ngpt must be above 0", "give ngpt:SPEED with SPEED > 0");
}

void check_gain(const Dynamics& dynamics, int d) {
  const bool changes = !dynamics.gain_end.empty();
  if (dynamics.gain.empty() && !changes) return;
  require(dynamics.manifold == Manifold::sphere, "gains are the axes of an ellipsoid",
          "use habitat=ellipsoid");
  require(dynamics.normalisation == LayerNorm::post, "gains belong to normalisation post",
          "leave gains or normalisation out");
  require(!by_kind(dynamics).others, "the limit of many heads is known only on the round sphere",
          "leave gains out");
  check_bias("gain", dynamics.gain, d);
  check_bias("gain_end", dynamics.gain_end, d);
  for (const Vector* gain : {&dynamics.gain, &dynamics.gain_end})
    for (const double g : *gain)
      require(g > 0 && std::isfinite(g), "a gain is not a positive number",
              "give positive gains, one a coordinate");
  require(!changes || dynamics.gain_until > 0, "gains that change need a time to do it in",
          "give gain_until above 0");
}

void check_clock(const Dynamics& dynamics) {
  if (dynamics.clock == Clock::u1) return;
  double beta = 0;
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      if (const Attention* a = head_of(force)) {
        require(a->weighting == Attention::unnormalised, "clocks U2 to U4 are those of USA",
                "use dynamics=USA, or clock=U1");
        beta = a->beta;
      }
  require(!kernel_of(dynamics.clock).arc_length || (beta > 1 && dynamics.sublayers.size() == 1),
          "the arc-length clock U4 runs at ln(beta)",
          "use beta > 1 and one phase, or another clock");
}

constexpr LayerNormRow kLayerNorms[] = {
    {.norm = LayerNorm::post, .name = "post"},
    {.norm = LayerNorm::pre, .name = "pre", .moves_norms = true},
    {.norm = LayerNorm::peri, .name = "peri", .moves_norms = true},
    {.norm = LayerNorm::mix, .name = "mix", .moves_norms = true, .argument = LayerNormRow::time},
    {.norm = LayerNorm::ngpt, .name = "ngpt", .whole_drift = true, .argument = LayerNormRow::speed},
    {.norm = LayerNorm::sqrt, .name = "sqrt"},
};

}  // namespace

std::span<const LayerNormRow> layer_norms() { return kLayerNorms; }

const LayerNormRow& row_of(LayerNorm norm) {
  switch (norm) {
    case LayerNorm::post:
      return kLayerNorms[0];
    case LayerNorm::pre:
      return kLayerNorms[1];
    case LayerNorm::peri:
      return kLayerNorms[2];
    case LayerNorm::mix:
      return kLayerNorms[3];
    case LayerNorm::ngpt:
      return kLayerNorms[4];
    case LayerNorm::sqrt:
      return kLayerNorms[5];
  }
  return kLayerNorms[0];
}

bool moves_norms(const Dynamics& dynamics) { return row_of(dynamics.normalisation).moves_norms; }

ClockKernel kernel_of(Clock clock) {
  switch (clock) {
    case Clock::u1:
      return {};
    case Clock::u2:
      return {.over_max = true};
    case Clock::u3:
      return {.times_beta = true};
    case Clock::u4:
      return {.over_max = true, .arc_length = true};
  }
  return {};
}

const Attention* head_of(const Force& force) {
  return std::visit(
      Overloaded{[](const Attention& a) { return &a; },
                 [](const Perceptron&) { return static_cast<const Attention*>(nullptr); },
                 [](const ManyHeads&) { return static_cast<const Attention*>(nullptr); }},
      force);
}

ForcesByKind by_kind(const Dynamics& dynamics) {
  ForcesByKind all;
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      std::visit(Overloaded{[&](const Attention& a) { all.heads.push_back(&a); },
                            [&](const Perceptron& p) { all.perceptrons.push_back(&p); },
                            [&](const ManyHeads&) { all.others = true; }},
                 force);
  return all;
}

//   g(t) = gain + (gain_end - gain) min(t / gain_until, 1)
Vector gain_at(const Dynamics& dynamics, double t) {
  if (dynamics.gain_end.empty()) return dynamics.gain;
  Vector g = dynamics.gain.empty() ? Vector(dynamics.gain_end.size(), 1) : dynamics.gain;
  const double share = std::clamp(t / dynamics.gain_until, 0.0, 1.0);
  for (std::size_t k = 0; k < g.size(); ++k) g[k] += share * (dynamics.gain_end[k] - g[k]);
  return g;
}

void check(const Dynamics& dynamics, int d) {
  require(!dynamics.sublayers.empty(), "the dynamics has no phase", "give at least one force");
  for (const Sublayer& sublayer : dynamics.sublayers) {
    for (const auto* forces : {&sublayer.forces, &sublayer.forces_end})
      for (const Force& force : *forces) {
        std::visit([d](const auto& f) { check_force(f, d); }, force);
        std::visit([&](const auto& f) { check_meaning(f, dynamics.manifold); }, force);
      }
    check_ends(sublayer, d);
  }
  require(std::is_sorted(dynamics.jump_times.begin(), dynamics.jump_times.end()),
          "jump_times are not in order", "sort them");
  check_normalisation(dynamics);
  check_gain(dynamics, d);
  check_clock(dynamics);
  require(dynamics.noise >= 0 && std::isfinite(dynamics.noise),
          "noise is not a number of 0 or above", "use noise=0 for none");
}

const char* word_of(Attention::Weighting value) {
  switch (value) {
    case Attention::softmax:
      return "softmax";
    case Attention::unnormalised:
      return "unnormalised";
    case Attention::hard:
      return "hard";
    case Attention::sinkhorn:
      return "sinkhorn";
  }
  return "";
}
const char* word_of(Attention::Mask value) {
  switch (value) {
    case Attention::none:
      return "none";
    case Attention::causal:
      return "causal";
  }
  return "";
}
const char* word_of(Perceptron::Activation value) {
  switch (value) {
    case Perceptron::relu:
      return "relu";
    case Perceptron::gelu:
      return "gelu";
    case Perceptron::tanh:
      return "tanh";
  }
  return "";
}
const char* word_of(Manifold value) {
  switch (value) {
    case Manifold::sphere:
      return "sphere";
    case Manifold::space:
      return "space";
  }
  return "";
}
const char* word_of(Clock value) {
  switch (value) {
    case Clock::u1:
      return "U1";
    case Clock::u2:
      return "U2";
    case Clock::u3:
      return "U3";
    case Clock::u4:
      return "U4";
  }
  return "";
}

namespace {

//   a + share (b - a); an empty one is zero
Vector between(const Vector& a, const Vector& b, double share) {
  Vector v = a.empty() ? Vector(b.size()) : a;
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += share * ((b.empty() ? 0 : b[k]) - v[k]);
  return v;
}

// The same; an empty one is the identity.
Matrix between(const Matrix& a, const Matrix& b, double share) {
  if (a.empty() && b.empty()) return {};
  Matrix m = a.empty() ? scaled_identity(b.cols, 1) : a;
  const Matrix end = b.empty() ? scaled_identity(a.cols, 1) : b;
  for (std::size_t e = 0; e < m.data.size(); ++e) m.data[e] += share * (end.data[e] - m.data[e]);
  return m;
}

struct Between {
  double share;

  Force operator()(const Attention& a, const Attention& b) const {
    Attention now = a;
    now.query = between(a.query, b.query, share);
    now.key = between(a.key, b.key, share);
    now.value = between(a.value, b.value, share);
    now.query_bias = between(a.query_bias, b.query_bias, share);
    now.key_bias = between(a.key_bias, b.key_bias, share);
    now.value_bias = between(a.value_bias, b.value_bias, share);
    return now;
  }
  Force operator()(const Perceptron& a, const Perceptron& b) const {
    Perceptron now = a;
    now.in = between(a.in, b.in, share);
    now.in_bias = between(a.in_bias, b.in_bias, share);
    now.out = between(a.out, b.out, share);
    now.out_bias = between(a.out_bias, b.out_bias, share);
    return now;
  }
  // A limit has no matrices, and `check` refuses forces that change their kind.
  template <class A, class B>
  Force operator()(const A& a, const B&) const {
    return a;
  }
};

}  // namespace

std::vector<Force> forces_at(const Sublayer& sublayer, double t) {
  if (sublayer.forces_end.empty()) return sublayer.forces;
  const double share = std::clamp((t - sublayer.from) / (sublayer.until - sublayer.from), 0.0, 1.0);
  std::vector<Force> now;
  for (std::size_t f = 0; f < sublayer.forces.size(); ++f)
    now.push_back(std::visit(Between{share}, sublayer.forces[f], sublayer.forces_end[f]));
  return now;
}

namespace {

void check_sphere(const Dynamics& dynamics) {
  if (dynamics.manifold != Manifold::sphere)
    refuse_dynamics("this is a measure on the sphere, and the particles move in R^d",
                    "use habitat=sphere");
  if (!dynamics.gain.empty() || !dynamics.gain_end.empty())
    refuse_dynamics("gains have no counterpart here", "leave gains out");
  if (dynamics.normalisation != LayerNorm::post)
    refuse_dynamics("this layer norm has no counterpart here", "use normalisation=post");
}

void check_matrices(const Attention& a) {
  if (!is_identity(a.query) || !is_identity(a.key))
    refuse_dynamics("scores are beta <x, y> here", "use query=identity and key=identity");
  if (!is_identity(a.value) && a.value != scaled_identity(a.value.rows, -1))
    refuse_dynamics("the value is neither the identity nor its negative",
                    "use value=identity or minus-identity");
}

void check_head(const Attention& a) {
  if (!a.query_bias.empty() || !a.key_bias.empty())
    refuse_dynamics("scores have no biases here", "leave biases of query and key out");
  if (!a.value_bias.empty() || a.relative || a.rescaled)
    refuse_dynamics("the value acts only on x_j here", "use relative=false and no bias");
  if (a.mask != Attention::none || a.alibi != 0)
    refuse_dynamics("a measure has no order of tokens", "use reach=all and alibi=0");
  if (!a.self) refuse_dynamics("a measure sees all of itself", "use self=true");
}

}  // namespace

void refuse_dynamics(const std::string& reason, const std::string& remedy) {
  throw Error(Fault::input, reason, "the dynamics", remedy);
}

PlainForces forces_with_matrices(const Dynamics& dynamics) {
  check_sphere(dynamics);
  const ForcesByKind forces = by_kind(dynamics);
  for (const Sublayer& sublayer : dynamics.sublayers)
    if (sublayer.limited())
      refuse_dynamics("the weights change with time", "use redraw=0 and weights_in_time=constant");
  if (forces.others) refuse_dynamics("one of the forces has no counterpart here", "leave it out");
  if (forces.heads.empty()) refuse_dynamics("nothing attends", "use dynamics=SA or USA");
  if (forces.perceptrons.size() > 1)
    refuse_dynamics("there is more than one perceptron", "give one");
  check_head(*forces.heads[0]);
  if (forces.heads.size() > 1) refuse_dynamics("there is more than one head", "use heads=1");
  PlainForces found{.head = *forces.heads[0]};
  if (!forces.perceptrons.empty()) found.perceptron = *forces.perceptrons[0];
  return found;
}

PlainForces plain_forces(const Dynamics& dynamics) {
  PlainForces plain = forces_with_matrices(dynamics);
  check_matrices(plain.head);
  plain.repulsive = !is_identity(plain.head.value);
  return plain;
}

PlainForces mean_field_forces(const Dynamics& dynamics) {
  PlainForces forces = plain_forces(dynamics);
  const Attention::Weighting weighting = forces.head.weighting;
  if (weighting != Attention::softmax && weighting != Attention::unnormalised)
    refuse_dynamics("this attention has no mean field here", "use dynamics=SA or USA");
  if (kernel_of(dynamics.clock).arc_length)
    refuse_dynamics("the clock U4 counts arc length of particles", "use U1, U2 or U3");
  return forces;
}

}  // namespace murmur
