// reference_engine.cpp: the definition of right: plain loops in double, in the order of the
// formulas.
#include <algorithm>
#include <limits>
#include <vector>

#include "core/elementary.h"
#include "core/host_field.h"

namespace murmur {

namespace {

// rows y_i = M x_i + b; an empty matrix is the identity, an empty bias zero.
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

//   s_ij = beta <Q x_i + b_Q, K x_j + b_K>
//   softmax: A_i = sum_j m_j e^{s_ij - s_i} v_j / sum_j m_j e^{s_ij - s_i},   s_i = max_j s_ij
//   plain:   A_i = g sum_j m_j e^{s_ij - s} v_j
//            (g, s) = (1, 0) in clock u1, (1, beta) in u2 and u4, (beta, 0) in u3
//   v_j = V x_j + b_V, or V (x_j - x_i) + b_V when relative
void add_attention(const Attention& a, Clock clock, const HostSwarm& x, HostSwarm& out) {
  const int n = x.n(), d = x.d();
  const std::vector<double> q = affine(a.query, a.query_bias, x);  // (n, k)
  const std::vector<double> p = affine(a.key, a.key_bias, x);      // (n, k)
  const std::vector<double> v = affine(a.value, a.value_bias, x);  // (n, d)
  const std::vector<double> w = affine(a.value, {}, x);            // (n, d), V x_i alone
  const int k = static_cast<int>(q.size() / n);
  std::vector<double> score(n), sum(d);

  for (int i = 0; i < n; ++i) {
    const int end = a.reach == Attention::past ? i + 1 : n;
    const auto seen = [&](int j) { return a.self || j != i; };
    double shift = -std::numeric_limits<double>::infinity();
    for (int j = 0; j < end; ++j) {
      score[j] =
          a.beta * dot(&q[static_cast<std::size_t>(i) * k], &p[static_cast<std::size_t>(j) * k], k);
      if (seen(j)) shift = std::max(shift, score[j]);
    }
    if (a.scale == Attention::plain)
      shift = clock == Clock::u2 || clock == Clock::u4 ? a.beta : 0.0;

    double total = 0;
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int j = 0; j < end; ++j) {
      if (!seen(j)) continue;
      const double weight = x.mass[j] * elementary::exp(score[j] - shift);
      total += weight;
      for (int c = 0; c < d; ++c) {
        const double message = v[static_cast<std::size_t>(j) * d + c];
        const double own = a.relative ? w[static_cast<std::size_t>(i) * d + c] : 0.0;
        sum[c] += weight * (message - own);
      }
    }
    if (total == 0) continue;  // sees nobody
    const double scale = a.scale == Attention::softmax ? 1 / total
                         : clock == Clock::u3          ? a.beta
                                                       : 1.0;
    for (int c = 0; c < d; ++c) out.at(i, c) += scale * sum[c];
  }
}

bool is_multiple_of_identity(const Matrix& m) {
  return m.empty() || m == scaled_identity(m.rows, m(0, 0));
}

double activate(Perceptron::Activation kind, double z) {
  constexpr double kRootHalf = 0.70710678118654752440;
  switch (kind) {
    case Perceptron::relu:
      return z > 0 ? z : 0.0;
    case Perceptron::gelu:
      return 0.5 * z * (1 + elementary::erf(z * kRootHalf));
    case Perceptron::tanh:
      return elementary::tanh(z);
  }
  return z;
}

//   A_i = W_out s(W_in x_i + b_in) + b_out
void add_perceptron(const Perceptron& p, const HostSwarm& x, HostSwarm& out) {
  const std::vector<double> z = affine(p.in, p.in_bias, x);  // (n, h)
  const int h = p.in.rows;
  std::vector<double> active(h);
  for (int i = 0; i < x.n(); ++i) {
    for (int m = 0; m < h; ++m)
      active[m] = activate(p.activation, z[static_cast<std::size_t>(i) * h + m]);
    for (int c = 0; c < x.d(); ++c) {
      double sum = 0;
      for (int m = 0; m < h; ++m) sum += p.out(c, m) * active[m];
      out.at(i, c) += p.out_bias.empty() ? sum : sum + p.out_bias[c];
    }
  }
}

class ReferenceField final : public HostField {
 public:
  ReferenceField(const Dynamics& dynamics, Shape shape)
      : HostField(dynamics, shape), tangential_(dynamics.phases) {
    for (Phase& phase : tangential_)
      for (Force& force : phase.forces)
        if (auto* a = std::get_if<Attention>(&force))
          a->relative = a->relative || is_multiple_of_identity(a->value);
  }

 private:
  void add_forces(const Ask& ask, const HostSwarm& x, HostSwarm& out) override {
    const std::vector<Phase>& phases = ask.tangential ? tangential_ : dynamics_.phases;
    for (const Force& force : phases[ask.phase].forces)
      if (const auto* attention = std::get_if<Attention>(&force))
        add_attention(*attention, dynamics_.clock, x, out);
      else
        add_perceptron(std::get<Perceptron>(force), x, out);
  }

  std::vector<Phase> tangential_;  // the same forces along the sphere, with less rounding
};

class ReferenceEngine final : public HostEngine {
 public:
  std::string name() const override { return "reference"; }
  std::unique_ptr<Field> prepare(const Dynamics& dynamics, Shape shape) override {
    return std::make_unique<ReferenceField>(dynamics, shape);
  }
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine() { return std::make_unique<ReferenceEngine>(); }

}  // namespace murmur
