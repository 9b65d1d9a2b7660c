// reference_engine.cpp: the engine that defines the correct result: plain loops in double, in the
// order of the formulas.
#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "core/elementary.h"
#include "core/forces.h"
#include "core/host_field.h"
#include "core/overloaded.h"
#include "engine/reference/attention_adjoint.h"
#include "murmur/dynamics.h"
#include "murmur/external.h"
#include "murmur/stop.h"
#include "murmur/swarm.h"

namespace murmur {

namespace {

// Returns the rows y_i = M x_i + b, (n, rows). An empty matrix is the identity, an empty bias zero.
std::vector<double> affine(const Matrix& m, const Vector& bias, const HostSwarm& x) {
  const int rows = m.empty() ? x.d() : m.rows;
  std::vector<double> y(static_cast<std::size_t>(x.n()) * rows);  // (n, rows)
  for (int i = 0; i < x.n(); ++i)
    for (int r = 0; r < rows; ++r) {
      double sum = m.empty() ? x.at(i, r) : 0.0;
      if (!m.empty())
        for (int k = 0; k < x.d(); ++k) sum += m(r, k) * x.at(i, k);
      y[static_cast<std::size_t>(i) * rows + r] = bias.empty() ? sum : sum + bias[r];
    }
  return y;
}

double dot(const double* a, const double* b, int k) {
  double sum = 0;
  for (int c = 0; c < k; ++c) sum += a[c] * b[c];
  return sum;
}

// The queries, keys and values of one head for all particles of a swarm.
struct HeadProjections {
  HeadProjections(const Attention& head, const HostSwarm& swarm)
      : a(head),
        x(swarm),
        query(affine(a.query, a.query_bias, x)),
        key(affine(a.key, a.key_bias, x)),
        value(affine(a.value, a.value_bias, x)),
        own(affine(a.value, {}, x)),
        k(x.n() > 0 ? static_cast<int>(query.size() / x.n()) : 0) {}

  int end(int i) const { return a.mask == Attention::causal ? i + 1 : x.n(); }
  bool attends(int i, int j) const { return (a.self || j != i) && x.mass[j] > 0; }
  double score(int i, int j) const {
    return a.beta *
           dot(&query[static_cast<std::size_t>(i) * k], &key[static_cast<std::size_t>(j) * k], k);
  }
  double value_at(int j, int c) const { return value[static_cast<std::size_t>(j) * x.d() + c]; }
  double own_value(int i, int c) const {
    return a.relative ? own[static_cast<std::size_t>(i) * x.d() + c] : 0.0;
  }

  const Attention& a;
  const HostSwarm& x;
  std::vector<double> query, key;  // (n, k)
  std::vector<double> value;       // (n, d), V x_j + b_V
  std::vector<double> own;         // (n, d), V x_i without the bias
  int k;
};

struct RowScratch {
  std::vector<double> weight;  // (n) scores, then weights
  std::vector<double> decay;   // (n) masses of plain attention with a slope
};

// Returns the masses for row i: those of the swarm or, in plain attention with a slope,
// e^{-a (i - j)} / sum_k e^{-a (i - k)} over the k that i attends to.
const std::vector<double>& row_masses(const HeadProjections& head, int i, RowScratch& row) {
  if (head.a.weighting != Attention::unnormalised || head.a.alibi == 0) return head.x.mass;
  double total = 0;
  for (int j = 0; j < head.end(i); ++j) {
    row.decay[j] = head.attends(i, j) ? elementary::exp(-head.a.alibi * (i - j)) : 0.0;
    total += row.decay[j];
  }
  for (int j = 0; j < head.end(i) && total > 0; ++j) row.decay[j] /= total;
  return row.decay;
}

//   softmax: weight_j = m_j e^{s_ij - s_i},   s_i = max_j s_ij
//   plain:   weight_j = m_j e^{s_ij - s},     s = beta in clocks u2 and u4, else 0
//   hard:    weight_j = m_j where s_ij = s_i, else 0
// The weight of a j that i does not attend to is 0. Returns sum_j weight_j.
double compute_row_weights(const HeadProjections& head, Clock clock, int i, RowScratch& row) {
  const Attention& a = head.a;
  const bool plain = a.weighting == Attention::unnormalised;
  const std::vector<double>& mass = row_masses(head, i, row);
  std::vector<double>& weight = row.weight;
  double shift = -std::numeric_limits<double>::infinity();
  for (int j = 0; j < head.end(i); ++j) {
    weight[j] = head.score(i, j);
    if (!plain && a.alibi > 0) weight[j] -= a.alibi * (i - j);
    if (head.attends(i, j)) shift = std::max(shift, weight[j]);
  }
  if (plain) shift = kernel_of(clock).over_max ? a.beta : 0.0;

  double total = 0;
  for (int j = 0; j < head.end(i); ++j) {
    if (!head.attends(i, j))
      weight[j] = 0;
    else if (a.weighting == Attention::hard)
      weight[j] = weight[j] == shift ? mass[j] : 0.0;
    else
      weight[j] = mass[j] * elementary::exp(weight[j] - shift);
    total += weight[j];
  }
  return total;
}

//   A_i = g sum_j weight_j v_j,   g = 1 / sum_j weight_j, or 1 (plain; beta in clock u3)
//   v_j = V x_j + b_V, or V (x_j - x_i) + b_V when relative
void add_row_by_row(const HeadProjections& head, Clock clock, HostSwarm& out) {
  const int n = head.x.n(), d = head.x.d();
  RowScratch row{std::vector<double>(n), std::vector<double>(n)};
  std::vector<double> sum(d);
  for (int i = 0; i < n; ++i) {
    stop_point();
    const double total = compute_row_weights(head, clock, i, row);
    if (total == 0) continue;  // the row is empty
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int j = 0; j < head.end(i); ++j) {
      const double weight = row.weight[j];
      if (weight == 0) continue;
      for (int c = 0; c < d; ++c) sum[c] += weight * (head.value_at(j, c) - head.own_value(i, c));
    }
    const double scale = head.a.weighting != Attention::unnormalised ? 1 / total
                         : kernel_of(clock).times_beta               ? head.a.beta
                                                                     : 1.0;
    for (int c = 0; c < d; ++c) out.at(i, c) += scale * sum[c];
  }
}

//   A_i = sum_j a_ij (V x_j + b_V) - [relative] V x_i
// The rows sum to 1 only within the tolerance of the weights, the columns up to rounding.
// Subtracting V x_i once keeps the mean of the swarm.
void add_sinkhorn(const HeadProjections& head, HostSwarm& out) {
  const int n = head.x.n(), d = head.x.d();
  std::vector<double> scores(static_cast<std::size_t>(n) * n);  // (n, n)
  for (int i = 0; i < n; ++i) {
    stop_point();
    for (int j = 0; j < n; ++j) scores[static_cast<std::size_t>(i) * n + j] = head.score(i, j);
  }
  const std::vector<double> weight = sinkhorn_weights(scores, head.x.mass);  // (n, n)
  for (int i = 0; i < n; ++i) {
    stop_point();
    for (int c = 0; c < d; ++c) {
      double sum = 0;
      for (int j = 0; j < n; ++j)
        sum += weight[static_cast<std::size_t>(i) * n + j] * head.value_at(j, c);
      out.at(i, c) += sum - head.own_value(i, c);
    }
  }
}

// out_i += A_i
void add_attention(const Attention& head, double t, Clock clock, const HostSwarm& x,
                   HostSwarm& out) {
  if (head.rescaled) return add_attention(at_time(head, t, x.d()), t, clock, x, out);
  const HeadProjections projections(head, x);
  if (head.weighting == Attention::sinkhorn)
    add_sinkhorn(projections, out);
  else
    add_row_by_row(projections, clock, out);
}

bool is_multiple_of_identity(const Matrix& m) {
  return m.empty() || m == scaled_identity(m.rows, m(0, 0));
}

//   A_i = W_out s(W_in x_i + b_in) + b_out
void add_perceptron(const Perceptron& p, const HostSwarm& x, HostSwarm& out) {
  const std::vector<double> z = affine(p.in, p.in_bias, x);  // (n, h)
  const int h = p.in.rows;
  std::vector<double> active(h);
  for (int i = 0; i < x.n(); ++i) {
    stop_point();
    for (int m = 0; m < h; ++m)
      active[m] = activate(p.activation, z[static_cast<std::size_t>(i) * h + m]);
    for (int c = 0; c < x.d(); ++c) {
      double sum = 0;
      for (int m = 0; m < h; ++m) sum += p.out(c, m) * active[m];
      out.at(i, c) += p.out_bias.empty() ? sum : sum + p.out_bias[c];
    }
  }
}

//   A_i = g sum_j m_j (p(c_ij) x_j + q(c_ij) x_i),   c_ij = <x_i, x_j>;   g = 1, or e^{-beta}, beta
// in clocks u2 and u3
void add_many_heads(const ManyHeads& heads, Clock clock, const HostSwarm& x, HostSwarm& out) {
  const ClockKernel kernel = kernel_of(clock);
  const double scale = (kernel.over_max ? elementary::exp(-heads.beta) : 1.0) *
                       (kernel.times_beta ? heads.beta : 1.0);
  std::vector<double> sum(x.d());
  for (int i = 0; i < x.n(); ++i) {
    stop_point();
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int j = 0; j < x.n(); ++j) {
      double c = 0;
      for (int k = 0; k < x.d(); ++k) c += x.at(i, k) * x.at(j, k);
      const Pull pull = pull_at(heads, x.d(), c);
      for (int k = 0; k < x.d(); ++k)
        sum[k] += x.mass[j] * (pull.to_other * x.at(j, k) + pull.to_self * x.at(i, k));
    }
    for (int k = 0; k < x.d(); ++k) out.at(i, k) += scale * sum[k];
  }
}

void make_tangential(std::vector<Force>& forces) {
  for (Force& force : forces)
    std::visit(Overloaded{[](Attention& a) {
                            a.relative = a.relative || is_multiple_of_identity(a.value);
                          },
                          [](Perceptron&) {}, [](ManyHeads&) {}},
               force);
}

class ReferenceField final : public HostField {
 public:
  ReferenceField(const Dynamics& dynamics, Shape shape, const std::vector<ExternalForce>& external)
      : HostField(dynamics, shape), external_(external), tangential_(dynamics.sublayers) {
    for (Sublayer& sublayer : tangential_) make_tangential(sublayer.forces);
  }
  // The derivatives of external forces are unknown.
  PairAdjoint* pair_adjoint() override { return external_.empty() ? pair_adjoint_.get() : nullptr; }

 private:
  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& out) override {
    add_dynamics_forces(ask, x, out);
    if (ask.sublayer + 1 == sublayers())
      for (const ExternalForce& force : external_) force.add(ask.t, x, out);
  }

  void add_dynamics_forces(const Ask& ask, const HostSwarm& x, HostSwarm& out) const {
    const Sublayer& sublayer = dynamics_.sublayers[ask.sublayer];
    if (sublayer.forces_end.empty())
      return add_all(ask, (ask.tangential ? tangential_[ask.sublayer] : sublayer).forces, x, out);
    std::vector<Force> now = forces_at(sublayer, ask.t);
    if (ask.tangential) make_tangential(now);
    add_all(ask, now, x, out);
  }

  void add_all(const Ask& ask, const std::vector<Force>& forces, const HostSwarm& x,
               HostSwarm& out) const {
    for (const Force& force : forces)
      std::visit(
          Overloaded{
              [&](const Attention& a) { add_attention(a, ask.t, dynamics_.clock, x, out); },
              [&](const Perceptron& p) { add_perceptron(p, x, out); },
              [&](const ManyHeads& heads) { add_many_heads(heads, dynamics_.clock, x, out); }},
          force);
  }

  const std::vector<ExternalForce> external_;
  std::vector<Sublayer> tangential_;  // the same forces with relative values: less rounding
  std::unique_ptr<PairAdjoint> pair_adjoint_ = reference::make_pair_adjoint();
};

constexpr std::string_view kWith = " with ";

std::string name_with(const std::vector<std::string>& forces) {
  std::string name = "reference";
  for (std::size_t k = 0; k < forces.size(); ++k)
    name += (k == 0 ? std::string(kWith) : ",") + forces[k];
  return name;
}

class ReferenceEngine final : public HostEngine {
 public:
  explicit ReferenceEngine(std::vector<ExternalForce> external) : external_(std::move(external)) {}
  // The manifest of a run names the external forces.
  std::string name() const override {
    std::vector<std::string> names;
    for (const ExternalForce& force : external_) names.push_back(force.name);
    return name_with(names);
  }
  // This engine computes every Dynamics.
  std::optional<Unsupported> unsupported_reason(const Dynamics&, Shape) const override {
    return std::nullopt;
  }

 private:
  std::unique_ptr<Field> make_field(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<ReferenceField>(dynamics, shape, external_);
  }

  const std::vector<ExternalForce> external_;
};

}  // namespace
std::vector<std::string> external_of_engine(const std::string& engine) {
  const std::size_t with = engine.find(kWith);
  if (with == std::string::npos || engine.substr(0, with) != "reference") return {};
  std::vector<std::string> names(1);
  for (const char c : engine.substr(with + kWith.size()))
    if (c == ',')
      names.emplace_back();
    else
      names.back() += c;
  return names;
}

std::unique_ptr<Engine> make_reference_engine() { return make_reference_engine({}); }

std::unique_ptr<Engine> make_reference_engine(std::vector<ExternalForce> forces) {
  return std::make_unique<ReferenceEngine>(std::move(forces));
}

}  // namespace murmur
