// attention_adjoint.cpp: the adjoint of the attention of reference_engine.cpp, row after row.
#include "engine/reference/attention_adjoint.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/elementary.h"
#include "core/force_adjoint.h"
#include "core/forces.h"
#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur::reference {

namespace {

double dot(const double* a, const double* b, int k) {
  double sum = 0;
  for (int c = 0; c < k; ++c) sum += a[c] * b[c];
  return sum;
}

double* row_of(std::vector<double>& rows, int i, int width) {
  return rows.data() + static_cast<std::size_t>(i) * width;
}
const double* row_of(const std::vector<double>& rows, int i, int width) {
  return rows.data() + static_cast<std::size_t>(i) * width;
}

// to += scale from
void add_row(double scale, const double* from, double* to, int width) {
  for (int c = 0; c < width; ++c) to[c] += scale * from[c];
}

// One row i of weights a_ij and their cotangents u_ij = <w_i, v_j - own_i>.
struct WeightRow {
  std::vector<double> weight, factor;  // (n) a_ij and f_ij, where a_ij = m_j f_ij
  std::vector<double> unscaled;        // (n) a_ij before the clock's factor, of plain attention
  std::vector<double> d_weight;        // (n) u_ij
  std::vector<double> ds;              // (n) cotangents of the scores
};

class RowAdjoint {
 public:
  RowAdjoint(const HeadRows& rows, HeadCotangents& to)
      : r_(rows), a_(rows.head), to_(to), kernel_(kernel_of(rows.clock)) {
    for (auto* all : {&row_.weight, &row_.factor, &row_.unscaled, &row_.d_weight, &row_.ds})
      all->resize(r_.n);
  }

  void add() {
    for (int i = 0; i < r_.n; ++i) {
      stop_point();
      const bool any = plain() ? compute_plain_weights(i) : compute_softmax_weights(i);
      if (!any) continue;
      for (int j = 0; j < end(i); ++j) row_.d_weight[j] = weight_cotangent(i, j);
      plain() ? plain_backward(i) : softmax_backward(i);
      values_backward(i);
      scores_backward(i);
    }
  }

 private:
  bool plain() const { return a_.weighting == Attention::unnormalised; }
  int end(int i) const { return a_.mask == Attention::causal ? i + 1 : r_.n; }
  bool unmasked(int i, int j) const { return a_.self || j != i; }
  bool attends(int i, int j) const { return unmasked(i, j) && r_.mass[j] > 0; }
  double product(int i, int j) const {
    return dot(row_of(r_.query, i, r_.k), row_of(r_.key, j, r_.k), r_.k);
  }
  double score(int i, int j) const {
    return a_.beta * product(i, j) - (plain() ? 0.0 : a_.alibi * (i - j));
  }
  double weight_cotangent(int i, int j) const {
    const double* w = row_of(r_.cotangent, i, r_.d);
    const double along_value = dot(w, row_of(r_.value, j, r_.d), r_.d);
    return r_.own.empty() ? along_value : along_value - dot(w, row_of(r_.own, i, r_.d), r_.d);
  }

  //   a_ij = m_j f_ij,   f_ij = e^{s_ij} / sum_k m_k e^{s_ik}
  bool compute_softmax_weights(int i) {
    double shift = -std::numeric_limits<double>::infinity(), total = 0;
    for (int j = 0; j < end(i); ++j)
      if (attends(i, j)) shift = std::max(shift, score(i, j));
    for (int j = 0; j < end(i); ++j) {
      row_.factor[j] = unmasked(i, j) ? elementary::exp(score(i, j) - shift) : 0.0;
      total += r_.mass[j] > 0 ? r_.mass[j] * row_.factor[j] : 0.0;
    }
    for (int j = 0; j < end(i) && total > 0; ++j) {
      row_.factor[j] /= total;
      row_.weight[j] = r_.mass[j] > 0 ? r_.mass[j] * row_.factor[j] : 0.0;
    }
    return total > 0;
  }

  double scale() const { return plain() && kernel_.times_beta ? a_.beta : 1.0; }

  //   a_ij = g m_j f_ij,   f_ij = e^{s_ij - s};   with a slope, its normalised decay in place of
  //   m_j
  bool compute_plain_weights(int i) {
    const double shift = kernel_.over_max ? a_.beta : 0.0;
    double decay_sum = 0;
    for (int j = 0; j < end(i); ++j)
      if (attends(i, j)) decay_sum += elementary::exp(-a_.alibi * (i - j));
    bool any = false;
    for (int j = 0; j < end(i); ++j) {
      row_.factor[j] = unmasked(i, j) ? elementary::exp(score(i, j) - shift) : 0.0;
      const double mass = a_.alibi == 0   ? r_.mass[j]
                          : attends(i, j) ? elementary::exp(-a_.alibi * (i - j)) / decay_sum
                                          : 0.0;
      row_.unscaled[j] = mass > 0 ? mass * row_.factor[j] : 0.0;
      row_.weight[j] = scale() * row_.unscaled[j];
      any = any || attends(i, j);
    }
    return any;
  }

  //   ds_ij = a_ij (u_ij - sum_k a_ik u_ik),   dm_j += f_ij (u_ij - sum_k a_ik u_ik)
  void softmax_backward(int i) {
    softmax_adjoint(end(i), 1, row_.weight.data(), row_.d_weight.data(), row_.ds.data());
    double mean = 0;
    for (int j = 0; j < end(i); ++j) mean += row_.weight[j] * row_.d_weight[j];
    for (int j = 0; j < end(i); ++j) {
      to_.mass[j] += row_.factor[j] * (row_.d_weight[j] - mean);
      if (a_.alibi > 0) to_.alibi -= row_.ds[j] * (i - j);
    }
  }

  //   ds_ij = a_ij u_ij,   dm_j += g f_ij u_ij;   the clock's kernel depends on beta too
  void plain_backward(int i) {
    double lag = 0, decay_sum = 0;  // lag: the mean of i - j over the decaying masses
    for (int j = 0; j < end(i); ++j)
      if (attends(i, j)) {
        lag += elementary::exp(-a_.alibi * (i - j)) * (i - j);
        decay_sum += elementary::exp(-a_.alibi * (i - j));
      }
    lag = decay_sum > 0 ? lag / decay_sum : 0;
    for (int j = 0; j < end(i); ++j) {
      row_.ds[j] = row_.weight[j] * row_.d_weight[j];
      if (kernel_.over_max) to_.beta -= row_.ds[j];
      if (kernel_.times_beta) to_.beta += row_.unscaled[j] * row_.d_weight[j];
      if (a_.alibi == 0)
        to_.mass[j] += scale() * row_.factor[j] * row_.d_weight[j];
      else
        to_.alibi += row_.ds[j] * (lag - (i - j));
    }
  }

  //   dv_j += a_ij w_i,   d own_i -= sum_j a_ij w_i
  void values_backward(int i) {
    const double* w = row_of(r_.cotangent, i, r_.d);
    for (int j = 0; j < end(i); ++j) {
      add_row(row_.weight[j], w, row_of(to_.value, j, r_.d), r_.d);
      if (!r_.own.empty()) add_row(-row_.weight[j], w, row_of(to_.own, i, r_.d), r_.d);
      if (to_.drift == nullptr) continue;
      double* drift = row_of(*to_.drift, i, r_.d);
      add_row(row_.weight[j], row_of(r_.value, j, r_.d), drift, r_.d);
      if (!r_.own.empty()) add_row(-row_.weight[j], row_of(r_.own, i, r_.d), drift, r_.d);
    }
  }

  //   s_ij = beta <q_i, k_j>
  void scores_backward(int i) {
    for (int j = 0; j < end(i); ++j) {
      const double ds = row_.ds[j];
      if (ds == 0) continue;
      to_.beta += ds * product(i, j);
      add_row(a_.beta * ds, row_of(r_.key, j, r_.k), row_of(to_.query, i, r_.k), r_.k);
      add_row(a_.beta * ds, row_of(r_.query, i, r_.k), row_of(to_.key, j, r_.k), r_.k);
    }
  }

  const HeadRows& r_;
  const Attention& a_;
  HeadCotangents& to_;
  const ClockKernel kernel_;
  WeightRow row_{};
};

// Solves m z = b in place, m (n, n), by elimination with the largest pivot of each column.
void solve(std::vector<double>& m, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    stop_point();
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::fabs(m[r * n + c]) > std::fabs(m[pivot * n + c])) pivot = r;
    for (std::size_t e = c; e < n && pivot != c; ++e) std::swap(m[c * n + e], m[pivot * n + e]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = m[r * n + c] / m[c * n + c];
      for (std::size_t e = c; e < n; ++e) m[r * n + e] -= factor * m[c * n + e];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t e = c + 1; e < n; ++e) b[c] -= m[c * n + e] * b[e];
    b[c] /= m[c * n + c];
  }
}

// a_ij = m_j e^{s_ij + f_i + g_j} with sum_j a_ij = 1 and, b_ij = m_i a_ij / m_j, sum_i b_ij = 1.
// Both sets of conditions have multipliers lambda and mu that cancel the cotangents of f and g:
// with H_ij = a_ij <w_i, v_j>,
//   lambda = -H 1 - b mu,   (I - a^T b) mu = a^T H 1 - H^T 1
//   ds_ij = H_ij + lambda_i a_ij + mu_j b_ij
// The matrix has the null vector m, which changes no ds, so m 1^T is added to it.
void add_sinkhorn(const HeadRows& r, HeadCotangents& to) {
  const std::size_t n = static_cast<std::size_t>(r.n);
  std::vector<double> scores(n * n), d_weight(n * n), by_row(n), by_column(n);  // H 1, H^T 1
  for (int i = 0; i < r.n; ++i)
    for (int j = 0; j < r.n; ++j) {
      scores[i * n + j] = r.head.beta * dot(row_of(r.query, i, r.k), row_of(r.key, j, r.k), r.k);
      d_weight[i * n + j] = dot(row_of(r.cotangent, i, r.d), row_of(r.value, j, r.d), r.d);
    }
  const std::vector<double> a =
      sinkhorn_weights(scores, std::vector<double>(r.mass.begin(), r.mass.end()));
  const auto b = [&](std::size_t i, std::size_t j) { return r.mass[i] * a[i * n + j] / r.mass[j]; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      by_row[i] += a[i * n + j] * d_weight[i * n + j];
      by_column[j] += a[i * n + j] * d_weight[i * n + j];
    }
  std::vector<double> matrix(n * n), mu(n), lambda(n);
  for (std::size_t j = 0; j < n; ++j) {
    stop_point();
    mu[j] = -by_column[j];
    for (std::size_t i = 0; i < n; ++i) mu[j] += a[i * n + j] * by_row[i];
    for (std::size_t l = 0; l < n; ++l) {
      double sum = (j == l ? 1.0 : 0.0) + r.mass[j];
      for (std::size_t i = 0; i < n; ++i) sum -= a[i * n + j] * b(i, l);
      matrix[j * n + l] = sum;
    }
  }
  solve(matrix, mu);
  for (std::size_t i = 0; i < n; ++i) {
    lambda[i] = -by_row[i];
    for (std::size_t j = 0; j < n; ++j) lambda[i] -= b(i, j) * mu[j];
  }
  for (int i = 0; i < r.n; ++i)
    for (int j = 0; j < r.n; ++j) {
      const double weight = a[i * n + j];
      const double ds = weight * (d_weight[i * n + j] + lambda[i]) + mu[j] * b(i, j);
      to.beta += ds * dot(row_of(r.query, i, r.k), row_of(r.key, j, r.k), r.k);
      add_row(r.head.beta * ds, row_of(r.key, j, r.k), row_of(to.query, i, r.k), r.k);
      add_row(r.head.beta * ds, row_of(r.query, i, r.k), row_of(to.key, j, r.k), r.k);
      add_row(weight, row_of(r.cotangent, i, r.d), row_of(to.value, j, r.d), r.d);
      if (to.drift) add_row(weight, row_of(r.value, j, r.d), row_of(*to.drift, i, r.d), r.d);
      to.mass[j] += weight * (d_weight[i * n + j] + lambda[i]) / r.mass[j];
      to.mass[i] += mu[j] * weight / r.mass[j];
    }
  for (int i = 0; i < r.n && !r.own.empty(); ++i) {
    add_row(-1, row_of(r.cotangent, i, r.d), row_of(to.own, i, r.d), r.d);
    if (to.drift) add_row(-1, row_of(r.own, i, r.d), row_of(*to.drift, i, r.d), r.d);
  }
}

class ReferencePairAdjoint final : public PairAdjoint {
 public:
  void add(const HeadRows& rows, HeadCotangents& to) override;
};

void ReferencePairAdjoint::add(const HeadRows& rows, HeadCotangents& to) {
  switch (rows.head.weighting) {
    case Attention::softmax:
    case Attention::unnormalised:
      return RowAdjoint(rows, to).add();
    case Attention::sinkhorn:
      if (std::find(rows.mass.begin(), rows.mass.end(), 0.0) != rows.mass.end())
        throw Error(Fault::input,
                    "doubly stochastic weights of particles without mass have no "
                    "derivative here",
                    "weighting = sinkhorn", "give every particle a mass above 0");
      return add_sinkhorn(rows, to);
    case Attention::hard:
      break;
  }
  throw Error(Fault::input, "hard attention jumps from one token to another: it has no gradient",
              "weighting = hard", "use softmax attention with a large beta");
}

}  // namespace

std::unique_ptr<PairAdjoint> make_pair_adjoint() {
  return std::make_unique<ReferencePairAdjoint>();
}

}  // namespace murmur::reference
