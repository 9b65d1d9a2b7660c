// attention.cpp: softmax, plain and hard attention, row after row as the formulas say.
#include "engine/reference/attention.h"

#include <algorithm>
#include <limits>

#include "core/attention.h"
#include "core/elementary.h"
#include "murmur/stop.h"

namespace murmur::reference {

namespace {

// What one head reads off a swarm.
struct View {
  View(const Attention& head, const HostSwarm& swarm)
      : a(head),
        x(swarm),
        query(affine(a.query, a.query_bias, x)),
        key(affine(a.key, a.key_bias, x)),
        value(affine(a.value, a.value_bias, x)),
        own(affine(a.value, {}, x)),
        k(x.n() > 0 ? static_cast<int>(query.size() / x.n()) : 0) {}

  int end(int i) const { return a.mask == Attention::causal ? i + 1 : x.n(); }
  bool seen(int i, int j) const { return (a.self || j != i) && x.mass[j] > 0; }
  double score(int i, int j) const {
    return a.beta *
           dot(&query[static_cast<std::size_t>(i) * k], &key[static_cast<std::size_t>(j) * k], k);
  }
  double message(int j, int c) const { return value[static_cast<std::size_t>(j) * x.d() + c]; }
  double own_message(int i, int c) const {
    return a.relative ? own[static_cast<std::size_t>(i) * x.d() + c] : 0.0;
  }

  const Attention& a;
  const HostSwarm& x;
  std::vector<double> query, key;  // (n, k)
  std::vector<double> value;       // (n, d), V x_j + b_V
  std::vector<double> own;         // (n, d), V x_i alone
  int k;
};

struct Row {                          // scratch of one row
  std::vector<double> weight, faded;  // (n), scores first
};

// The masses that row i reads: those of the swarm or, in plain attention with a slope,
// e^{-a (i - j)} / sum_k e^{-a (i - k)} over the seen.
const std::vector<double>& masses(const View& view, int i, Row& row) {
  if (view.a.weighting != Attention::unnormalised || view.a.alibi == 0) return view.x.mass;
  double total = 0;
  for (int j = 0; j < view.end(i); ++j) {
    row.faded[j] = view.seen(i, j) ? elementary::exp(-view.a.alibi * (i - j)) : 0.0;
    total += row.faded[j];
  }
  for (int j = 0; j < view.end(i) && total > 0; ++j) row.faded[j] /= total;
  return row.faded;
}

//   softmax: weight_j = m_j e^{s_ij - s_i},   s_i = max_j s_ij
//   plain:   weight_j = m_j e^{s_ij - s},     s = beta in clocks u2 and u4, else 0
//   hard:    weight_j = m_j where s_ij = s_i, else 0
// Who is not seen weighs 0. Returns sum_j weight_j.
double weigh_row(const View& view, Clock clock, int i, Row& row) {
  const Attention& a = view.a;
  const bool plain = a.weighting == Attention::unnormalised;
  const std::vector<double>& mass = masses(view, i, row);
  std::vector<double>& weight = row.weight;
  double shift = -std::numeric_limits<double>::infinity();
  for (int j = 0; j < view.end(i); ++j) {
    weight[j] = view.score(i, j);
    if (!plain && a.alibi > 0) weight[j] -= a.alibi * (i - j);
    if (view.seen(i, j)) shift = std::max(shift, weight[j]);
  }
  if (plain) shift = kernel_of(clock).over_max ? a.beta : 0.0;

  double total = 0;
  for (int j = 0; j < view.end(i); ++j) {
    if (!view.seen(i, j))
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
void add_by_rows(const View& view, Clock clock, HostSwarm& out) {
  const int n = view.x.n(), d = view.x.d();
  Row row{std::vector<double>(n), std::vector<double>(n)};
  std::vector<double> sum(d);
  for (int i = 0; i < n; ++i) {
    stop_point();
    const double total = weigh_row(view, clock, i, row);
    if (total == 0) continue;  // sees nobody
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int j = 0; j < view.end(i); ++j) {
      const double weight = row.weight[j];
      if (weight == 0) continue;
      for (int c = 0; c < d; ++c) sum[c] += weight * (view.message(j, c) - view.own_message(i, c));
    }
    const double scale = view.a.weighting != Attention::unnormalised ? 1 / total
                         : kernel_of(clock).times_beta               ? view.a.beta
                                                                     : 1.0;
    for (int c = 0; c < d; ++c) out.at(i, c) += scale * sum[c];
  }
}

//   A_i = sum_j a_ij (V x_j + b_V) - [relative] V x_i
// The rows sum to 1 only within the tolerance of the weights, the columns to rounding: taking
// V x_i off once keeps the mean of the swarm.
void add_sinkhorn(const View& view, HostSwarm& out) {
  const int n = view.x.n(), d = view.x.d();
  std::vector<double> scores(static_cast<std::size_t>(n) * n);  // (n, n)
  for (int i = 0; i < n; ++i) {
    stop_point();
    for (int j = 0; j < n; ++j) scores[static_cast<std::size_t>(i) * n + j] = view.score(i, j);
  }
  const std::vector<double> weight = sinkhorn_weights(scores, view.x.mass);  // (n, n)
  for (int i = 0; i < n; ++i) {
    stop_point();
    for (int c = 0; c < d; ++c) {
      double sum = 0;
      for (int j = 0; j < n; ++j)
        sum += weight[static_cast<std::size_t>(i) * n + j] * view.message(j, c);
      out.at(i, c) += sum - view.own_message(i, c);
    }
  }
}

}  // namespace

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

void add_attention(const Attention& head, Moment at, const HostSwarm& x, HostSwarm& out) {
  if (head.rescaled) return add_attention(at_time(head, at.t, x.d()), at, x, out);
  const View view(head, x);
  if (head.weighting == Attention::sinkhorn)
    add_sinkhorn(view, out);
  else
    add_by_rows(view, at.clock, out);
}

}  // namespace murmur::reference
