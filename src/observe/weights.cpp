// weights.cpp: attention matrices of small swarms, and the tokens that receive most attention.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/axes.h"
#include "core/forces.h"
#include "core/sums.h"
#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur {
namespace {

constexpr double unseen = -std::numeric_limits<double>::infinity();
constexpr int largest_swarm = 8'192;

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Rows rows_of(const HostSwarm& x) {
  Rows rows(x.n(), x.d());
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < x.d(); ++k) rows(i, k) = x.at(i, k);
  return rows;
}

Rows matrix_of(const Matrix& m) { return Eigen::Map<const Rows>(m.data.data(), m.rows, m.cols); }

// (n, d): the positions that the heads see at time t.
Rows seen_positions(const HostSwarm& x, const Dynamics& dynamics, double t) {
  Rows seen = rows_of(moves_norms(dynamics) ? directions_of(x) : x);
  const Vector gain = gain_at(dynamics, t);
  for (std::size_t k = 0; k < gain.size(); ++k) seen.col(static_cast<int>(k)) *= gain[k];
  return seen;
}

Rows project(const Rows& x, const Matrix& m, const Vector& bias) {
  Rows out = m.empty() ? x : Rows(x * matrix_of(m).transpose());
  if (!bias.empty()) out.rowwise() += Eigen::Map<const Eigen::RowVectorXd>(bias.data(), out.cols());
  return out;
}

struct RowRange {  // particles first, first + 1, ...
  int first, count;
};

// (count, n): s_ij - alibi (i - j) of the given rows i, -infinity if the mask excludes j.
Rows scores(const Rows& x, const Attention& head, RowRange rows) {
  Rows s = head.beta * project(x.middleRows(rows.first, rows.count), head.query, head.query_bias) *
           project(x, head.key, head.key_bias).transpose();
  for (int row = 0; row < s.rows(); ++row) {
    const int i = rows.first + row;
    for (int j = 0; j < s.cols(); ++j) {
      const bool hidden = (head.mask == Attention::causal && j > i) || (!head.self && j == i);
      s(row, j) = hidden ? unseen : s(row, j) - head.alibi * (i - j);
    }
  }
  return s;
}

// Rows of m_j e^{s_ij} over their sums, shifted by the greatest score of the row.
void softmax_rows(Rows& s, const std::vector<double>& mass) {
  for (int i = 0; i < s.rows(); ++i) {
    const double top = s.row(i).maxCoeff();
    double sum = 0;
    for (int j = 0; j < s.cols(); ++j) {
      s(i, j) = s(i, j) == unseen ? 0 : mass[j] * std::exp(s(i, j) - top);
      sum += s(i, j);
    }
    if (sum > 0) s.row(i) /= sum;
  }
}

void hard_rows(Rows& s, const std::vector<double>& mass) {
  for (int i = 0; i < s.rows(); ++i) {
    const double top = s.row(i).maxCoeff();
    double sum = 0;
    for (int j = 0; j < s.cols(); ++j) {
      s(i, j) = top != unseen && s(i, j) == top ? mass[j] : 0;
      sum += s(i, j);
    }
    if (sum > 0) s.row(i) /= sum;
  }
}

void sinkhorn_rows(Rows& s, const std::vector<double>& mass) {
  if ((s.array() == unseen).any())
    throw Error(Fault::input, "no scaling makes this attention matrix doubly stochastic",
                "a particle does not see all the others and itself", "use reach=all and self=true");
  const std::vector<double> scores(s.data(), s.data() + s.size());
  s = Eigen::Map<const Rows>(sinkhorn_weights(scores, mass).data(), s.rows(), s.cols());
}

// The head as it is at time t.
Attention head_at(const HostSwarm& x, const Dynamics& dynamics, int head, double t) {
  const std::vector<Attention> heads = heads_of(dynamics, t);
  if (heads.empty())
    throw Error(Fault::input, "there is no attention here",
                "the dynamics has no head at t = " + std::to_string(t),
                "use a dynamics with attention: SA, USA or causal");
  if (head < 0 || head >= static_cast<int>(heads.size()))
    throw Error(Fault::input, "there is no such head", "head = " + std::to_string(head),
                "the dynamics has heads 0 to " + std::to_string(heads.size() - 1));
  require_measurable(x);
  return heads[head].rescaled ? at_time(heads[head], t, x.d()) : heads[head];
}

// Scores become weights; sinkhorn needs all rows.
void scores_to_weights(Rows& a, const Attention& head, const std::vector<double>& mass) {
  if (head.weighting == Attention::hard)
    hard_rows(a, mass);
  else if (head.weighting == Attention::sinkhorn)
    sinkhorn_rows(a, mass);
  else if (head.weighting == Attention::unnormalised &&
           head.alibi > 0)  // the slope replaces the masses
    softmax_rows(a, std::vector<double>(mass.size(), 1.0));
  else
    softmax_rows(a, mass);
}

}  // namespace

std::vector<Attention> heads_of(const Dynamics& dynamics, double t) {
  std::vector<Attention> heads;
  for (const Sublayer& sublayer : dynamics.sublayers) {
    if (!sublayer.active(t)) continue;
    for (const Force& force : forces_at(sublayer, t))
      if (const Attention* head = head_of(force)) heads.push_back(*head);
  }
  return heads;
}

Matrix attention_weights(const HostSwarm& x, const Dynamics& dynamics, int head, double t) {
  const Attention asked = head_at(x, dynamics, head, t);
  if (x.n() > largest_swarm)
    throw Error(Fault::input, "the attention matrix would be too large",
                "n = " + std::to_string(x.n()),
                "it is shown up to n = " + std::to_string(largest_swarm));
  Rows a = scores(seen_positions(x, dynamics, t), asked, {0, x.n()});
  scores_to_weights(a, asked, x.mass);
  return {x.n(), x.n(), std::vector<double>(a.data(), a.data() + a.size())};
}

Vector attention_row(const HostSwarm& x, const Dynamics& dynamics, const AttentionRow& row) {
  if (row.i < 0 || row.i >= x.n())
    throw Error(Fault::input, "there is no such particle", "i = " + std::to_string(row.i),
                "the swarm has particles 0 to " + std::to_string(x.n() - 1));
  const Attention asked = head_at(x, dynamics, row.head, row.t);
  if (asked.weighting == Attention::sinkhorn) {
    const Matrix all = attention_weights(x, dynamics, row.head, row.t);
    const double* from = all.data.data() + static_cast<std::size_t>(row.i) * all.cols;
    return {from, from + all.cols};
  }
  Rows a = scores(seen_positions(x, dynamics, row.t), asked, {row.i, 1});
  scores_to_weights(a, asked, x.mass);
  return {a.data(), a.data() + a.size()};
}

std::vector<double> attention_received(const Matrix& weights) {
  std::vector<double> received(static_cast<std::size_t>(weights.cols), 0.0);
  for (int i = 0; i < weights.rows; ++i)
    for (int j = 0; j < weights.cols; ++j) received[j] += weights(i, j);
  return received;
}

std::vector<int> leaders(const Matrix& weights, double share) {
  std::vector<int> found;
  const std::vector<double> received = attention_received(weights);
  for (int j = 0; j < weights.cols; ++j)
    if (received[j] > share * weights.rows) found.push_back(j);
  return found;
}

}  // namespace murmur
