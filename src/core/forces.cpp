// forces.cpp: formulas of attention, perceptrons and the limit of many heads that engines and
// observables share.
#include "core/forces.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.h"
#include "murmur/stop.h"

namespace murmur {

namespace {

// max_i sum_j |m_ij|
double row_norm(const Matrix& m) {
  double most = 0;
  for (int i = 0; i < m.rows; ++i) {
    double sum = 0;
    for (int j = 0; j < m.cols; ++j) sum += std::fabs(m(i, j));
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c = zeros(a.rows, b.cols);
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.cols; ++k)
      for (int j = 0; j < b.cols; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

//   e^{tM} = ( e^{tM / 2^s} )^{2^s},   |tM| / 2^s <= 1/4
// With |A| <= 1/4 the terms A^k / k! beyond k = 13 sum to less than 2^-60 (the first of them is
// 4^-14 / 14!). Horner: 1 + A (1 + A/2 (1 + A/3 (...))).
Matrix matrix_exponential(const Matrix& m, double t) {
  constexpr int kTerms = 13;
  constexpr double kSmall = 0.25;
  Matrix a = m;
  for (double& entry : a.data) entry *= t;
  int squarings = 0;
  double norm = row_norm(a);
  if (!std::isfinite(norm)) return a;
  double scale = 1;
  for (; norm > kSmall; norm /= 2, scale /= 2) ++squarings;
  for (double& entry : a.data) entry *= scale;

  Matrix e = scaled_identity(m.rows, 1);
  for (int k = kTerms; k >= 1; --k) {
    e = product(a, e);
    for (double& entry : e.data) entry /= k;
    for (int i = 0; i < e.rows; ++i) e(i, i) += 1;
  }
  for (int s = 0; s < squarings; ++s) e = product(e, e);
  return e;
}

namespace {

constexpr double kRowError = 1e-13;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// ln sum_j e^{t_j}
double log_sum(const std::vector<double>& t) {
  const double top = *std::max_element(t.begin(), t.end());
  double sum = 0;
  for (const double value : t) sum += elementary::exp(value - top);
  return top + elementary::log(sum);
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}

}  // namespace

double clock_scale(Clock clock, double beta) {
  const ClockKernel kernel = kernel_of(clock);
  if (kernel.over_max) return 1;
  return (kernel.times_beta ? beta : 1) * elementary::exp(beta);
}

Attention at_time(Attention head, double t, int d) {
  const Matrix value = head.value.empty() ? scaled_identity(d, 1) : head.value;
  const Matrix grown = matrix_exponential(value, t);  // (d, d)
  head.query = head.query.empty() ? grown : product(head.query, grown);
  head.key = head.key.empty() ? grown : product(head.key, grown);
  head.rescaled = false;
  return head;
}

Matrix score_matrix(const Matrix& query, const Matrix& key) {
  if (query.empty()) return key;
  Matrix scores = zeros(query.cols, key.empty() ? query.rows : key.cols);
  for (int k = 0; k < query.rows; ++k)
    for (int i = 0; i < query.cols; ++i)
      if (key.empty())
        scores(i, k) = query(k, i);
      else
        for (int j = 0; j < key.cols; ++j) scores(i, j) += query(k, i) * key(k, j);
  return scores;
}

//   ln p_i = -ln sum_j m_j e^{s_ij} q_j,   ln q_j = -ln sum_i m_i p_i e^{s_ij},   from q = 1
// (Sinkhorn 1964; Sander, Ablin, Blondel, Peyre, 2110.11773). Before the rows are normalised again,
// row i sums to p_i / p_i', which gives the error of the current weights.
std::vector<double> sinkhorn_weights(const std::vector<double>& scores,
                                     const std::vector<double>& mass, int max_sweeps) {
  const std::size_t n = mass.size();
  const double tolerance = std::max(kRowError, 8 * kEpsilon * largest(scores));
  std::vector<double> log_mass(n), log_p(n), log_q(n), t(n);
  for (std::size_t i = 0; i < n; ++i) log_mass[i] = elementary::log(mass[i]);
  for (int sweep = 0; sweep <= max_sweeps; ++sweep) {
    double error = 0;
    std::vector<double> next(n);
    for (std::size_t i = 0; i < n; ++i) {
      stop_point();
      for (std::size_t j = 0; j < n; ++j) t[j] = log_mass[j] + scores[i * n + j] + log_q[j];
      next[i] = -log_sum(t);
      error = std::max(error, std::fabs(elementary::exp(log_p[i] - next[i]) - 1));
    }
    if (sweep > 0 && (error < tolerance || sweep == max_sweeps)) break;
    log_p = next;
    for (std::size_t j = 0; j < n; ++j) {
      stop_point();
      for (std::size_t i = 0; i < n; ++i) t[i] = log_mass[i] + log_p[i] + scores[i * n + j];
      log_q[j] = -log_sum(t);
    }
  }

  std::vector<double> weight(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    stop_point();
    if (mass[j] == 0) continue;
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (mass[i] > 0) top = std::max(top, log_p[i] + scores[i * n + j]);
    for (std::size_t i = 0; i < n; ++i) {
      weight[i * n + j] = elementary::exp(log_p[i] + scores[i * n + j] - top);
      sum += mass[i] * weight[i * n + j];
    }
    for (std::size_t i = 0; i < n; ++i) weight[i * n + j] *= mass[j] / sum;
  }
  return weight;
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

double activation_slope(Perceptron::Activation kind, double z) {
  constexpr double kRootHalf = 0.70710678118654752440, kPdfAt0 = 0.39894228040143267794;
  switch (kind) {
    case Perceptron::relu:
      return z > 0 ? 1.0 : 0.0;
    case Perceptron::gelu:
      return 0.5 * (1 + elementary::erf(z * kRootHalf)) + z * kPdfAt0 * elementary::exp(-z * z / 2);
    case Perceptron::tanh: {
      const double y = elementary::tanh(z);
      return 1 - y * y;
    }
  }
  return 1;
}

double primitive(Perceptron::Activation activation, double z) {
  constexpr double kRootHalf = 0.70710678118654752440, kPdfAt0 = 0.39894228040143267794;
  constexpr double kLn2 = 0.69314718055994530942;
  const double size = std::fabs(z);
  switch (activation) {
    case Perceptron::relu:
      return z > 0 ? z * z / 2 : 0;
    case Perceptron::gelu: {
      const double below = (1 + elementary::erf(z * kRootHalf)) / 2;  // Phi
      const double pdf = kPdfAt0 * elementary::exp(-z * z / 2);
      return ((z * z - 1) * below + z * pdf + 0.5) / 2;
    }
    case Perceptron::tanh:
      return size + elementary::log(1 + elementary::exp(-2 * size)) - kLn2;
  }
  return 0;
}

void add_perceptron_at(const Perceptron& p, const double* x, double* a) {
  for (int m = 0; m < p.in.rows; ++m) {
    double z = p.in_bias.empty() ? 0.0 : p.in_bias[m];
    for (int k = 0; k < p.in.cols; ++k) z += p.in(m, k) * x[k];
    const double s = activate(p.activation, z);
    for (int k = 0; k < p.out.rows; ++k) a[k] += p.out(k, m) * s;
  }
  if (!p.out_bias.empty())
    for (int k = 0; k < p.out.rows; ++k) a[k] += p.out_bias[k];
}

// With u = 2^-53, w_m the rows of W_in, o_m the columns of W_out, S_m = |b_m| + |w_m| |x| >= |z_m|:
//   z_m      has an error of (d + 1) u S_m: d products and as many additions (Higham, Accuracy and
//            Stability of Numerical Algorithms, section 3.1);
//   s(z_m)   has slope times that error, plus the rounding of the activation, `lost` u S_m, since
//            |s(z)| <= |z|: relu none; tanh 1.5 ulp (core/elementary.h); gelu 0.5 z (1 + erf y):
//            erf 1.7 ulp, y two roundings times y erf'(y) <= 0.5, sum and product one each;
//   a        has an error of (h + 2) u sum_m |o_m| S_m, and as much for b_out: h + 1 additions
//            and a product.
// One per cent more covers products of these.
PerceptronBound perceptron_bound(const Perceptron& p) {
  constexpr double kUnit = 0x1p-53, kMore = 1.01;
  const double slope = p.activation == Perceptron::gelu ? 1.13 : 1;
  const double lost = p.activation == Perceptron::gelu   ? 6
                      : p.activation == Perceptron::tanh ? 3
                                                         : 0;
  const double units = slope * (p.in.cols + 1) + lost + p.in.rows + 2;
  PerceptronBound bound;
  for (int m = 0; m < p.in.rows; ++m) {
    double in = 0, out = 0;
    for (int k = 0; k < p.in.cols; ++k) in = std::hypot(in, p.in(m, k));
    for (int k = 0; k < p.out.rows; ++k) out = std::hypot(out, p.out(k, m));
    bound.size_slope += kMore * out * in;
    if (!p.in_bias.empty()) bound.size_fixed += kMore * out * std::fabs(p.in_bias[m]);
  }
  bound.fixed = units * kUnit * bound.size_fixed;
  bound.slope = units * kUnit * bound.size_slope;
  double bias = 0;
  for (const double b : p.out_bias) bias = std::hypot(bias, b);
  bound.size_fixed += kMore * bias;
  bound.fixed += (p.in.rows + 2) * kUnit * kMore * bias;
  return bound;
}

std::optional<Vector> gradient_weights(const Perceptron& p) {
  const auto zero = [](const Vector& v) {
    return std::all_of(v.begin(), v.end(), [](double value) { return value == 0; });
  };
  if (!zero(p.in_bias) || !zero(p.out_bias)) return {};
  Vector weights(p.in.rows);
  for (int m = 0; m < p.in.rows; ++m) {
    double square = 0, along = 0, off = 0, size = 0;
    for (int k = 0; k < p.in.cols; ++k) {
      square += p.in(m, k) * p.in(m, k);
      along += p.in(m, k) * p.out(k, m);
    }
    const double omega = square > 0 ? along / square : 0;
    for (int k = 0; k < p.in.cols; ++k) {
      off = std::max(off, std::abs(p.out(k, m) - omega * p.in(m, k)));
      size = std::max(size, std::abs(p.out(k, m)));
    }
    if (off > 1e-12 * size) return {};
    weights[m] = omega;
  }
  return weights;
}

// Closed forms of E e^{beta <x, S y>} for four laws of S. <x, S y> of unit vectors with cosine c is
//   gaussian  normal of variance 1/d;                goe  normal of variance (1 + c^2) / d;
//   product   s/beta times a sum of d products u v of independent standard normal numbers;
//   psd       the same sum with u, v of correlation c,
// and E e^{s u v} = ((1 - s c)^2 - s^2)^{-1/2}.
double mean_kernel(const ManyHeads& heads, int d, double c) {
  const double beta = heads.beta, s = beta / d;
  switch (heads.law) {
    case ManyHeads::gaussian:
      return elementary::exp(beta * s / 2);
    case ManyHeads::product:
      return elementary::pow(1 - s * s, -0.5 * d);
    case ManyHeads::goe:
      return elementary::exp(beta * s / 2 * (1 + c * c));
    case ManyHeads::psd:
      return elementary::pow((1 - s * c) * (1 - s * c) - s * s, -0.5 * d);
  }
  return 0;
}

namespace {

// Of vectors of any length, 1 becomes |x|^2 |y|^2 and c is still <x, y>; `gradient` asks for the
// gradient in x divided by beta:
//   gaussian: k = e^{beta^2 |x|^2 |y|^2 / 2d}            grad / beta = s k x
//   product:  k = (1 - s^2 |x|^2 |y|^2)^{-d/2}           grad / beta = s k x / (1 - s^2)
//   goe:      k = e^{beta^2 (|x|^2 |y|^2 + c^2) / 2d}    grad / beta = s k (x + c y)
//   psd:      k = D^{-d/2}, D = (1 - s c)^2 - s^2 |x|^2 |y|^2
//                                                        grad / beta = k ((1 - s c) y + s x) / D
Pull gradient_at(const ManyHeads& heads, int d, double c) {
  const double s = heads.beta / d, k = mean_kernel(heads, d, c);
  switch (heads.law) {
    case ManyHeads::gaussian:
      return {0, s * k};
    case ManyHeads::product:
      return {0, s * k / (1 - s * s)};
    case ManyHeads::goe:
      return {s * k * c, s * k};
    case ManyHeads::psd: {
      const double over = k / ((1 - s * c) * (1 - s * c) - s * s);
      return {over * (1 - s * c), over * s};
    }
  }
  return {};
}

//   dk/dc and dk/dbeta
struct KernelSlope {
  double in_cosine = 0, in_beta = 0;
};
KernelSlope kernel_slope(const ManyHeads& heads, int d, double c) {
  const double beta = heads.beta, s = beta / d, k = mean_kernel(heads, d, c);
  switch (heads.law) {
    case ManyHeads::gaussian:
      return {0, s * k};
    case ManyHeads::product:
      return {0, s * k / (1 - s * s)};
    case ManyHeads::goe:
      return {beta * s * c * k, s * (1 + c * c) * k};
    case ManyHeads::psd: {
      const double over = k / ((1 - s * c) * (1 - s * c) - s * s);
      return {beta * (1 - s * c) * over, (c * (1 - s * c) + s) * over};
    }
  }
  return {};
}

}  // namespace

// With `gradient`, each line is the derivative of that of gradient_at.
PullSlope pull_slope(const ManyHeads& heads, int d, double c) {
  const double s = heads.beta / d, k = mean_kernel(heads, d, c);
  const KernelSlope slope = kernel_slope(heads, d, c);
  if (!heads.gradient) return {{k, 0}, {slope.in_cosine, 0}, {slope.in_beta, 0}};
  PullSlope all{.pull = gradient_at(heads, d, c)};
  switch (heads.law) {
    case ManyHeads::gaussian:
      all.in_beta = {0, k / d + s * slope.in_beta};
      break;
    case ManyHeads::product: {
      const double rest = 1 - s * s;
      all.in_beta = {0, (1 + s * s) / (rest * rest) * k / d + s / rest * slope.in_beta};
      break;
    }
    case ManyHeads::goe:
      all.in_cosine = {s * (slope.in_cosine * c + k), s * slope.in_cosine};
      all.in_beta = {(k / d + s * slope.in_beta) * c, k / d + s * slope.in_beta};
      break;
    case ManyHeads::psd: {
      const double rest = 1 - s * c, D = rest * rest - s * s, over = k / D;
      const double over_c = (slope.in_cosine + 2 * s * rest * over) / D;
      const double over_beta = (slope.in_beta + 2 * (c * rest + s) * over / d) / D;
      all.in_cosine = {over_c * rest - over * s, over_c * s};
      all.in_beta = {over_beta * rest - over * c / d, over_beta * s + over / d};
      break;
    }
  }
  return all;
}

Pull pull_at(const ManyHeads& heads, int d, double c) {
  Pull pull{mean_kernel(heads, d, c), 0};
  if (heads.gradient) pull = gradient_at(heads, d, c);
  return {heads.value * pull.to_other, heads.value * pull.to_self};
}

}  // namespace murmur
