// attention.cpp: doubly stochastic weights by alternate normalisation in logarithms, heads whose
// scores grow with time, and clocks.
#include "core/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.h"
#include "core/matrix_exponential.h"
#include "murmur/stop.h"

namespace murmur {

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
// (Sinkhorn 1964; Sander, Ablin, Blondel, Peyre, 2110.11773). Before the rows are normalised again
// row i sums to p_i / p_i', which tells the error of the weights at hand.
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

}  // namespace murmur
