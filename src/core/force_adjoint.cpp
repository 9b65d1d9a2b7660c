// force_adjoint.cpp: adjoints of affine maps, heads, perceptrons and the limit of many heads.
#include "core/force_adjoint.h"

#include <algorithm>
#include <cstddef>

#include "core/elementary.h"
#include "core/forces.h"
#include "core/overloaded.h"

namespace murmur {

// The outer loop is over the coordinates of x, the inner one over those of y: every sum has the
// order of the formula, and the inner loop runs along memory.
std::vector<double> applied(const AffineMap& map, const std::vector<double>& x) {
  const std::size_t n = x.size() / map.in;
  std::vector<double> columns(map.matrix ? static_cast<std::size_t>(map.in) * map.out : 0);  // W^T
  for (int r = 0; r < map.out && map.matrix; ++r)
    for (int c = 0; c < map.in; ++c) columns[c * map.out + r] = map.matrix[r * map.in + c];
  std::vector<double> y(n * map.out);
  for (std::size_t i = 0; i < n; ++i) {
    double* to = &y[i * map.out];
    for (int r = 0; r < map.out && map.bias; ++r) to[r] = map.bias[r];
    for (int c = 0; c < map.in; ++c) {
      const double from = x[i * map.in + c];
      if (!map.matrix) to[c] += from;
      for (int r = 0; r < map.out && map.matrix; ++r) to[r] += columns[c * map.out + r] * from;
    }
  }
  return y;
}

void add_adjoint(const AffineMap& map, const AffineGradient& gradient, const std::vector<double>& x,
                 const AffinePushes& pushes) {
  const std::size_t n = x.size() / map.in;
  for (std::size_t i = 0; i < n; ++i)
    for (int r = 0; r < map.out; ++r) {
      const double push = pushes.dy[i * map.out + r];
      if (gradient.bias) gradient.bias[r] += push;
      if (!map.matrix) pushes.dx[i * map.in + r] += push;
      for (int c = 0; gradient.matrix && c < map.in; ++c)
        gradient.matrix[r * map.in + c] += push * x[i * map.in + c];
      for (int c = 0; map.matrix && c < map.in; ++c)
        pushes.dx[i * map.in + c] += map.matrix[r * map.in + c] * push;
    }
}

void softmax_adjoint(int n, double scale, const double* a, const double* da, double* ds) {
  double mean = 0;
  for (int j = 0; j < n; ++j) mean += a[j] * da[j];
  for (int j = 0; j < n; ++j) ds[j] = scale * a[j] * (da[j] - mean);
}

namespace {

const double* data_of(const Matrix& m) { return m.empty() ? nullptr : m.data.data(); }
const double* data_of(const Vector& v) { return v.empty() ? nullptr : v.data(); }

void add(const Vector& from, Vector& to, double scale = 1) {
  for (std::size_t e = 0; e < from.size(); ++e) to[e] += scale * from[e];
}

// A^T B, (k, c) from (r, k) and (r, c); an empty A is the identity.
Matrix transposed_product(const Matrix& a, const Matrix& b) {
  if (a.empty()) return b;
  Matrix c = zeros(a.cols, b.cols);
  for (int r = 0; r < a.rows; ++r)
    for (int i = 0; i < a.cols; ++i)
      for (int j = 0; j < b.cols; ++j) c(i, j) += a(r, i) * b(r, j);
  return c;
}

Matrix transposed(const Matrix& m) {
  Matrix t = zeros(m.cols, m.rows);
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.cols; ++j) t(j, i) = m(i, j);
  return t;
}

// The cotangent of M from that of e^{tM}: t times the block (1, 2) of exp [A, dE; 0, A], A = t M^T
// (Higham, Functions of Matrices, 2008, section 10.6; the adjoint is the transpose).
Matrix exponential_adjoint(const Matrix& m, double t, const Matrix& d_exponential) {
  const int d = m.rows;
  Matrix both = zeros(2 * d, 2 * d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) {
      both(i, j) = both(d + i, d + j) = t * m(j, i);
      both(i, d + j) = d_exponential(i, j);
    }
  const Matrix grown = matrix_exponential(both, 1);
  Matrix adjoint = zeros(d, d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) adjoint(i, j) = t * grown(i, d + j);
  return adjoint;
}

AffineMap map_of(const Matrix& m, const Vector& bias, int d) {
  return {data_of(m), data_of(bias), m.empty() ? d : m.rows, d};
}

// A head that is not rescaled.
void add_head(const Attention& head, const ForceRows& at, PairAdjoint& pairs, ForceCotangents to) {
  Attention& gradient = std::get<Attention>(to.force);
  const AffineMap query = map_of(head.query, head.query_bias, at.d);
  const AffineMap key = map_of(head.key, head.key_bias, at.d);
  const AffineMap value = map_of(head.value, head.value_bias, at.d);
  const AffineMap own{value.matrix, nullptr, at.d, at.d};
  const HeadRows rows{.head = head,
                      .clock = at.clock,
                      .n = at.n,
                      .k = query.out,
                      .d = at.d,
                      .mass = at.mass,
                      .query = applied(query, at.x),
                      .key = applied(key, at.x),
                      .value = applied(value, at.x),
                      .own = head.relative ? applied(own, at.x) : std::vector<double>{},
                      .cotangent = at.w};
  HeadCotangents found{std::vector<double>(rows.query.size()),
                       std::vector<double>(rows.key.size()),
                       std::vector<double>(rows.value.size()),
                       std::vector<double>(rows.own.size()),
                       to.mass,
                       to.drift};
  pairs.add(rows, found);
  gradient.beta += found.beta;
  gradient.alibi += found.alibi;
  add_adjoint(query, {gradient.query.data.data(), gradient.query_bias.data()}, at.x,
              {found.query, to.x});
  add_adjoint(key, {gradient.key.data.data(), gradient.key_bias.data()}, at.x, {found.key, to.x});
  add_adjoint(value, {gradient.value.data.data(), gradient.value_bias.data()}, at.x,
              {found.value, to.x});
  if (head.relative)
    add_adjoint(own, {gradient.value.data.data(), nullptr}, at.x, {found.own, to.x});
}

//   Q' = Q E,  K' = K E,  E = e^{tV}:   dQ = dQ' E^T,  dE = Q^T dQ' + K^T dK'
void add_rescaled(const Attention& head, const ForceRows& at, PairAdjoint& pairs,
                  ForceCotangents to) {
  const Attention now = at_time(head, at.t, at.d);
  Force of_now = zero_force(now, at.d);
  add_head(now, at, pairs, {to.x, to.mass, of_now, to.drift});
  const Attention& found = std::get<Attention>(of_now);
  Attention& gradient = std::get<Attention>(to.force);
  const Matrix value = head.value.empty() ? scaled_identity(at.d, 1) : head.value;
  const Matrix back = transposed(matrix_exponential(value, at.t));
  add(product(found.query, back).data, gradient.query.data);
  add(product(found.key, back).data, gradient.key.data);
  Matrix grown = transposed_product(head.query, found.query);
  add(transposed_product(head.key, found.key).data, grown.data);
  add(exponential_adjoint(value, at.t, grown).data, gradient.value.data);
  add(found.value.data, gradient.value.data);
  add(found.query_bias, gradient.query_bias);
  add(found.key_bias, gradient.key_bias);
  add(found.value_bias, gradient.value_bias);
  gradient.beta += found.beta;
}

//   z = W_in x + b_in,  u = s(z),  A = W_out u + b_out
void add_perceptron(const Perceptron& p, const ForceRows& at, ForceCotangents to) {
  Perceptron& gradient = std::get<Perceptron>(to.force);
  const AffineMap in = map_of(p.in, p.in_bias, at.d);
  const AffineMap out{data_of(p.out), data_of(p.out_bias), at.d, p.in.rows};
  const std::vector<double> z = applied(in, at.x);  // (n, h)
  std::vector<double> u(z.size()), d_inner(z.size());
  for (std::size_t e = 0; e < z.size(); ++e) u[e] = activate(p.activation, z[e]);
  if (to.drift != nullptr) add(applied(out, u), *to.drift);
  add_adjoint(out, {gradient.out.data.data(), gradient.out_bias.data()}, u, {at.w, d_inner});
  for (std::size_t e = 0; e < z.size(); ++e) d_inner[e] *= activation_slope(p.activation, z[e]);
  add_adjoint(in, {gradient.in.data.data(), gradient.in_bias.data()}, at.x, {d_inner, to.x});
}

//   A_i = g value sum_j m_j (p(c_ij) x_j + q(c_ij) x_i),   c_ij = <x_i, x_j>
// g = 1, or e^{-beta}, beta in clocks u2 and u3.
void add_many_heads(const ManyHeads& heads, const ForceRows& at, ForceCotangents to) {
  ManyHeads& gradient = std::get<ManyHeads>(to.force);
  const ClockKernel kernel = kernel_of(at.clock);
  const double fading = kernel.over_max ? elementary::exp(-heads.beta) : 1.0;
  const double clock = fading * (kernel.times_beta ? heads.beta : 1.0);
  const double clock_slope = kernel.over_max ? -clock : kernel.times_beta ? fading : 0.0;
  const int d = at.d;
  for (int i = 0; i < at.n; ++i)
    for (int j = 0; j < at.n; ++j) {
      const double *xi = &at.x[static_cast<std::size_t>(i) * d], *w = &at.w[xi - at.x.data()];
      const double* xj = &at.x[static_cast<std::size_t>(j) * d];
      double c = 0, to_other = 0, to_self = 0;  // <x_i, x_j>, <w_i, x_j>, <w_i, x_i>
      for (int k = 0; k < d; ++k) {
        c += xi[k] * xj[k];
        to_other += w[k] * xj[k];
        to_self += w[k] * xi[k];
      }
      const PullSlope at_c = pull_slope(heads, d, c);
      const auto along = [&](const Pull& p) { return p.to_other * to_other + p.to_self * to_self; };
      const double weight = clock * at.mass[j], felt = along(at_c.pull);
      to.mass[j] += clock * heads.value * felt;
      gradient.value += weight * felt;
      gradient.beta +=
          heads.value * (weight * along(at_c.in_beta) + clock_slope * at.mass[j] * felt);
      const double scale = weight * heads.value, dc = scale * along(at_c.in_cosine);
      double *di = &to.x[static_cast<std::size_t>(i) * d], *dj = &to.x[xj - at.x.data()];
      for (int k = 0; k < d; ++k) {
        di[k] += scale * at_c.pull.to_self * w[k] + dc * xj[k];
        dj[k] += scale * at_c.pull.to_other * w[k] + dc * xi[k];
        if (to.drift != nullptr)
          (*to.drift)[static_cast<std::size_t>(i) * d + k] +=
              scale * (at_c.pull.to_other * xj[k] + at_c.pull.to_self * xi[k]);
      }
    }
}

struct AddScaled {  // to += scale from, for two forces of one kind
  double scale;
  bool numbers;  // beta and other scalars too, which do not change in time

  void operator()(const Attention& from, Attention& to) const {
    add(from.query.data, to.query.data, scale);
    add(from.key.data, to.key.data, scale);
    add(from.value.data, to.value.data, scale);
    add(from.query_bias, to.query_bias, scale);
    add(from.key_bias, to.key_bias, scale);
    add(from.value_bias, to.value_bias, scale);
    if (!numbers) return;
    to.beta += from.beta;
    to.alibi += from.alibi;
  }
  void operator()(const Perceptron& from, Perceptron& to) const {
    add(from.in.data, to.in.data, scale);
    add(from.in_bias, to.in_bias, scale);
    add(from.out.data, to.out.data, scale);
    add(from.out_bias, to.out_bias, scale);
  }
  void operator()(const ManyHeads& from, ManyHeads& to) const {
    if (!numbers) return;
    to.beta += from.beta;
    to.value += from.value;
  }
  template <class A, class B>
  void operator()(const A&, B&) const {}  // a gradient has the same kinds of forces
};

}  // namespace

void add_force_adjoint(const Force& force, const ForceRows& at, PairAdjoint& pairs,
                       ForceCotangents to) {
  std::visit(Overloaded{[&](const Attention& a) {
                          a.rescaled ? add_rescaled(a, at, pairs, to) : add_head(a, at, pairs, to);
                        },
                        [&](const Perceptron& p) { add_perceptron(p, at, to); },
                        [&](const ManyHeads& heads) { add_many_heads(heads, at, to); }},
             force);
}

void add_at_time(const Sublayer& sublayer, double t, const std::vector<Force>& now, Sublayer& to) {
  const bool changes = !sublayer.forces_end.empty();
  const double share =
      changes ? std::clamp((t - sublayer.from) / (sublayer.until - sublayer.from), 0.0, 1.0) : 0;
  for (std::size_t f = 0; f < now.size(); ++f) {
    std::visit(AddScaled{1 - share, true}, now[f], to.forces[f]);
    if (changes) std::visit(AddScaled{share, false}, now[f], to.forces_end[f]);
  }
}

Force zero_force(const Force& force, int d) {
  return std::visit(Overloaded{[&](Attention a) -> Force {
                                 const int k = a.query.empty() ? d : a.query.rows;
                                 a.beta = a.alibi = 0;
                                 a.query = a.key = zeros(k, d);
                                 a.value = zeros(d, d);
                                 a.query_bias = a.key_bias = Vector(k);
                                 a.value_bias = Vector(d);
                                 return a;
                               },
                               [&](Perceptron p) -> Force {
                                 const int h = p.in.rows;
                                 p.in = zeros(h, d);
                                 p.in_bias = Vector(h);
                                 p.out = zeros(d, h);
                                 p.out_bias = Vector(d);
                                 return p;
                               },
                               [&](ManyHeads heads) -> Force {
                                 heads.beta = heads.value = 0;
                                 return heads;
                               }},
                    force);
}

}  // namespace murmur
