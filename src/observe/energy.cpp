// energy.cpp: recognises forces that are gradients of an energy, and computes their potentials.
#include "observe/energy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/forces.h"

namespace murmur {
namespace {

// Returns an empty matrix for every form of the identity.
const Matrix& reduced(const Matrix& m) {
  static const Matrix identity{};
  return is_identity(m) ? identity : m;
}

// Whether max |a - sign b| <= 1e-12 max |b|, entry by entry.
bool agree(const Matrix& a, const Matrix& b, double sign) {
  if (a.rows != b.rows || a.cols != b.cols) return false;
  double off = 0, size = 0;
  for (std::size_t e = 0; e < b.data.size(); ++e) {
    off = std::max(off, std::abs(a.data[e] - sign * b.data[e]));
    size = std::max(size, std::abs(b.data[e]));
  }
  return off <= 1e-12 * size;
}

Matrix transpose(const Matrix& m) {
  Matrix t = zeros(m.cols, m.rows);
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.cols; ++j) t(j, i) = m(i, j);
  }
  return t;
}

bool zero(const Vector& v) {
  return std::all_of(v.begin(), v.end(), [](double value) { return value == 0; });
}

struct Signed {
  EnergyForm interaction;
  double sign;  // of V = +-D
};

Matrix scores_of(const Attention& head) {  // D
  return score_matrix(reduced(head.query), reduced(head.key));
}

std::optional<Signed> pair_energy(const Attention& head, Manifold manifold) {
  if (head.weighting != Attention::softmax && head.weighting != Attention::unnormalised) return {};
  if (head.beta == 0 || head.relative || head.mask != Attention::none || head.rescaled) return {};
  Matrix scores = scores_of(head);
  // Without j = i there is an energy only if P_x x = 0
  if (!head.self && (!scores.empty() || manifold == Manifold::space)) return {};
  const std::optional<double> sign = value_sign(head);
  if (!sign) return {};
  return Signed{{.beta = head.beta, .matrix = std::move(scores)}, *sign};
}

// V at the point whose coordinate k is x(k).
template <class Point>
double value_at(const Potential& potential, const Point& x) {
  double value = 0;
  for (int m = 0; m < potential.a.rows; ++m) {
    double z = 0;
    for (int k = 0; k < potential.a.cols; ++k) z += potential.a(m, k) * x(k);
    value += potential.omega[m] * primitive(potential.activation, z);
  }
  return value;
}

}  // namespace

std::optional<double> value_sign(const Attention& head) {
  if (!zero(head.query_bias) || !zero(head.key_bias) || !zero(head.value_bias)) return {};
  const Matrix scores = scores_of(head);
  const int size = scores.empty() ? head.value.rows : scores.rows;
  const Matrix identity = scaled_identity(size, 1);
  const Matrix& d = scores.empty() ? identity : scores;
  const Matrix& value = head.value.empty() ? identity : head.value;
  if (!agree(d, transpose(d), 1)) return {};
  if (agree(value, d, 1)) return 1;
  return agree(value, d, -1) ? std::optional(-1.0) : std::nullopt;
}

const Attention* first_attention(const Dynamics& dynamics) {
  const ForcesByKind forces = by_kind(dynamics);
  return forces.heads.empty() ? nullptr : forces.heads[0];
}

std::optional<EnergyForm> interaction(const Dynamics& dynamics) {
  if (dynamics.normalisation != LayerNorm::post) return {};
  if (!dynamics.gain.empty() || !dynamics.gain_end.empty()) return {};
  for (const Sublayer& sublayer : dynamics.sublayers)
    if (sublayer.limited()) return {};
  const ForcesByKind forces = by_kind(dynamics);
  if (forces.heads.size() != 1 || forces.others) return {};
  const Attention* head = forces.heads[0];
  auto found = pair_energy(*head, dynamics.manifold);
  if (!found || forces.perceptrons.empty())
    return found ? std::optional(found->interaction) : std::nullopt;

  if (head->weighting != Attention::unnormalised || kernel_of(dynamics.clock).arc_length) return {};
  EnergyForm& all = found->interaction;
  const ClockKernel kernel = kernel_of(dynamics.clock);
  if (kernel.over_max) all.weight = std::exp(-all.beta);
  if (kernel.times_beta) all.weight = all.beta;
  for (const Perceptron* perceptron : forces.perceptrons) {
    auto potential = potential_of(*perceptron, found->sign);
    if (!potential) return {};
    all.potentials.push_back(std::move(*potential));
  }
  return all;
}

std::optional<Potential> potential_of(const Perceptron& p, double sign) {
  std::optional<Vector> omega = gradient_weights(p);
  if (!omega) return {};
  for (double& weight : *omega) weight *= sign;
  return Potential{p.in, std::move(*omega), p.activation};
}

double energy_of(const Potential& potential, const HostSwarm& x) {
  double energy = 0;
  for (int i = 0; i < x.n(); ++i)
    energy += x.mass[i] * value_at(potential, [&](int k) { return x.at(i, k); });
  return energy;
}

std::vector<double> values_of(const Potential& potential, const std::vector<double>& x) {
  std::vector<double> values;
  for (auto row = x.begin(); row != x.end(); row += potential.a.cols)
    values.push_back(value_at(potential, [&](int k) { return row[k]; }));
  return values;
}

}  // namespace murmur
