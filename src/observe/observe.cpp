// observe.cpp: the table of observables, and the row of numbers it gives for one frame.
#include "murmur/observe.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/axes.h"
#include "core/elementary.h"
#include "core/forces.h"
#include "core/pair_kernels.h"
#include "core/parallel.h"
#include "murmur/dynamics.h"
#include "murmur/error.h"
#include "murmur/matrix.h"
#include "murmur/swarm.h"
#include "observe/clusters.h"
#include "observe/energy.h"
#include "observe/visit_pairs.h"

namespace murmur {

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// (2 min(rows, cols)) the singular values and their negatives, ascending: the eigenvalues of the
// tridiagonal matrix with diagonal 0 and off-diagonal d_1, e_1, d_2, ..., d_n, where d and e are
// the diagonals of the bidiagonal form (Golub and Kahan 1965). Eigen's own solvers give the same
// values and take five times as long to compile.
Eigen::VectorXd signed_singular_values(const Matrix& a) {
  const Eigen::Map<const Rows> rows(a.data.data(), a.rows, a.cols);
  const Eigen::MatrixXd tall = a.rows >= a.cols ? Eigen::MatrixXd(rows) : rows.transpose().eval();
  const Eigen::internal::UpperBidiagonalization<Eigen::MatrixXd> form(tall);
  const Eigen::VectorXd d = form.bidiagonal().diagonal(), e = form.bidiagonal().diagonal(1);
  Eigen::VectorXd beside(2 * d.size() - 1);
  for (Eigen::Index k = 0; k < d.size(); ++k) beside[2 * k] = d[k];
  for (Eigen::Index k = 0; k + 1 < d.size(); ++k) beside[2 * k + 1] = e[k];
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::VectorXd::Zero(2 * d.size()), beside,
                                Eigen::EigenvaluesOnly);
  return solver.eigenvalues();
}

// Returns exp of the entropy of p_k = sigma_k / sum_l sigma_l, with sigma the singular values of
// the (n, d) matrix of positions (Roy and Vetterli 2007). `gram` holds the lower triangle of its
// smaller Gram matrix. Masses do not matter. NaN for a swarm at the origin.
double effective_rank(const Matrix& gram) {
  const Eigen::MatrixXd g = Eigen::Map<const Rows>(gram.data.data(), gram.rows, gram.cols);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(g, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::VectorXd& lambda = solver.eigenvalues();  // sigma^2, ascending

  // A Gram matrix gives sigma^2 only up to rounding errors: values below those count as zero.
  const double floor = 1e-15 * static_cast<double>(lambda.size()) * lambda[lambda.size() - 1];
  double total = 0;
  for (const double square : lambda) total += square > floor ? std::sqrt(square) : 0;
  double entropy = 0;
  for (const double square : lambda) {
    if (square <= floor) continue;
    const double p = std::sqrt(square) / total;
    entropy -= p * elementary::log(p);
  }
  return total > 0 ? elementary::exp(entropy) : std::numeric_limits<double>::quiet_NaN();
}

constexpr int rows_per_block = 16;

// out_i = scale (M x_i + bias), with room for one more coordinate: (n, k + 1).
HostSwarm project(const HostSwarm& x, const Matrix& m, const Vector& bias, double scale) {
  const int n = x.n(), k = m.empty() ? x.d() : m.rows;
  HostSwarm out(Shape{n, k + 1});
  for (int row = 0; row < k; ++row) {
    double* to = out.axis(row);
    for (int col = 0; col < x.d(); ++col) {
      const double entry = m.empty() ? (row == col ? 1 : 0) : m(row, col);
      if (entry == 0) continue;
      const double* from = x.axis(col);
      for (int i = 0; i < n; ++i) to[i] += entry * from[i];
    }
    const double shift = bias.empty() ? 0 : bias[row];
    for (int i = 0; i < n; ++i) to[i] = scale * (to[i] + shift);
  }
  return out;
}

struct VisibleRange {  // the particles that i attends to: [0, end) without `hole`
  int end, hole;
};
VisibleRange visible_range(const Attention& head, int i, int n) {
  return {head.mask == Attention::causal ? i + 1 : n, head.self ? n : i};
}

// With t_j = s_ij + ln m_j, top = max_j t_j and Z = sum_j e^{t_j - top}:
//   -sum_j a_ij ln a_ij = ln Z - sum_j e^{t_j - top} (t_j - top) / Z
double row_entropy(const double* t, int count) {
  const double top = max(t, count);
  double weight = 0, moment = 0;
  for (int j = 0; j < count; j += tile) {
    const EntropySums part = entropy_sums(t + j, std::min(tile, count - j), top);
    weight += part.weight;
    moment += part.moment;
  }
  return elementary::log(weight) - moment / weight;
}

struct Part {
  double entropy = 0;
  std::int64_t rows = 0;
};

// For hard attention, moves log_mass of the allowed j of greatest score to the front of t. Returns
// how many there are.
int keep_max(const double* log_mass, std::vector<double>& t, int end, int hole) {
  double top = -std::numeric_limits<double>::infinity();
  for (int j = 0; j < end; ++j)
    if (j != hole) top = std::max(top, t[j]);
  int count = 0;
  for (int j = 0; j < end; ++j)
    if (j != hole && t[j] == top) t[count++] = log_mass[j];
  return count;
}

// Sums -sum_j a_ij ln a_ij over all i for doubly stochastic weights. Not for swarms whose pairs are
// sampled: these weights cannot be computed row by row.
Part sinkhorn_entropy(const HostSwarm& x, const Attention& head, const ObserveSettings& settings) {
  const auto n = static_cast<std::size_t>(x.n());
  if (is_sampled(x.n(), sample_of(settings))) return {};
  const HostSwarm query = project(x, head.query, head.query_bias, head.beta);
  const HostSwarm key = project(x, head.key, head.key_bias, 1);
  std::vector<double> scores(n * n);  // (n, n)
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k + 1 < query.d(); ++k)
      for (std::size_t j = 0; j < n; ++j) scores[i * n + j] += query.axis(k)[i] * key.axis(k)[j];
  Part total{0, x.n()};
  for (const double weight : sinkhorn_weights(scores, x.mass))
    if (weight > 0) total.entropy -= weight * elementary::log(weight);
  return total;
}

// Adds one head: the scores t_ij are inner products of queries and keys whose last coordinates are
// 1 and ln m_j.
Part head_entropy(const HostSwarm& x, const Attention& head, const ObserveSettings& settings) {
  const int n = x.n();
  HostSwarm query = project(x, head.query, head.query_bias, head.beta);
  HostSwarm key = project(x, head.key, head.key_bias, 1);
  std::fill_n(query.axis(query.d() - 1), n, 1.0);
  std::vector<double> log_mass(n);  // (n)
  for (int j = 0; j < n; ++j) log_mass[j] = elementary::log(x.mass[j]);
  const bool hard = head.weighting == Attention::hard;
  // The slope replaces the masses.
  const bool faded = head.weighting == Attention::unnormalised && head.alibi > 0;
  if (!hard && !faded) std::copy(log_mass.begin(), log_mass.end(), key.axis(key.d() - 1));

  const bool sampled = is_sampled(n, sample_of(settings));
  const std::int64_t rows = sampled ? std::max<std::int64_t>(1, settings.sample_pairs / n) : n;
  std::vector<Part> parts(static_cast<std::size_t>((rows + rows_per_block - 1) / rows_per_block));
  for_blocks(static_cast<int>(parts.size()), settings.threads, [&](int block) {
    std::vector<double> q(static_cast<std::size_t>(query.d()));  // (k + 1)
    std::vector<double> t(static_cast<std::size_t>(n));          // (n)
    const std::int64_t first = std::int64_t{block} * rows_per_block;
    for (std::int64_t r = first; r < std::min(rows, first + rows_per_block); ++r) {
      const int i = sampled ? sampled_row(r, n, settings.seed) : static_cast<int>(r);
      const VisibleRange seen = visible_range(head, i, n);
      gather(query, i, q.data());
      for (int j = 0; j < seen.end; j += tile) {
        inner_products(q.data(), key, j, std::min(tile, seen.end - j), &t[j]);
      }
      for (int j = 0; j < seen.end && head.alibi > 0; ++j) t[j] -= head.alibi * (i - j);
      int count = seen.end;
      if (hard)
        count = keep_max(log_mass.data(), t, seen.end, seen.hole);
      else if (seen.hole < seen.end)
        t[seen.hole] = t[--count];
      if (count == 0) continue;
      parts[block].entropy += row_entropy(t.data(), count);
      ++parts[block].rows;
    }
  });
  Part total;
  for (const Part& part : parts) {
    total.entropy += part.entropy;
    total.rows += part.rows;
  }
  return total;
}

// Mean over heads and particles i with at least one allowed j of -sum_j a_ij ln a_ij (nats), where
//   a_ij = m_j e^{s_ij} / sum_k m_k e^{s_ik},   s_ij = beta <Q x_i + b_Q, K x_j + b_K>
// over the allowed j, for softmax and unnormalised heads. For a hard head a_ij is proportional to
// m_j over the j of greatest score; for a sinkhorn head it is the doubly stochastic weight. Heads,
// gains and rescaled scores are those at settings.t. NaN if every row is empty. For large swarms
// (is_sampled) the mean is over a fixed sample of rows, except for sinkhorn.
double attention_entropy(const HostSwarm& x, const Dynamics& dynamics,
                         const ObserveSettings& settings) {
  HostSwarm at = x;
  const Vector gain = gain_at(dynamics, settings.t);
  for (std::size_t k = 0; k < gain.size(); ++k)
    for (int i = 0; i < x.n(); ++i) at.axis(static_cast<int>(k))[i] *= gain[k];
  Part total;
  for (const Attention& head : heads_of(dynamics, settings.t)) {
    const Attention now = head.rescaled ? at_time(head, settings.t, x.d()) : head;
    const Part part = now.weighting == Attention::sinkhorn ? sinkhorn_entropy(at, now, settings)
                                                           : head_entropy(at, now, settings);
    total.entropy += part.entropy;
    total.rows += part.rows;
  }
  if (total.rows == 0) return std::numeric_limits<double>::quiet_NaN();
  return total.entropy / static_cast<double>(total.rows);
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Reading {  // every observable of one frame
  double energy = not_a_number, energy_scaled = not_a_number;
  double clusters = not_a_number, largest_cluster = not_a_number;
  double order = not_a_number;
  double mean_cos = not_a_number, min_cos = not_a_number, max_cos = not_a_number;
  double close_pairs = not_a_number;
  double norm_drift = not_a_number, radius = not_a_number;
  double attention_entropy = not_a_number;
  double effective_rank = not_a_number;
  double cluster_tol = not_a_number, pairs = not_a_number;
};

bool always(const Dynamics&) { return true; }
bool on_sphere(const Dynamics& dynamics) { return dynamics.manifold == Manifold::sphere; }
bool in_space(const Dynamics& dynamics) { return dynamics.manifold == Manifold::space; }
bool with_attention(const Dynamics& dynamics) { return first_attention(dynamics) != nullptr; }
bool with_scaled_energy(const Dynamics& dynamics) {
  return on_sphere(dynamics) && with_attention(dynamics);
}
bool with_energy(const Dynamics& dynamics) { return interaction(dynamics).has_value(); }

struct Row {
  Observable observable;
  bool (*applies)(const Dynamics&);
  double Reading::*value;
};

constexpr Row table[] = {
    {{"energy", "E",
      "interaction energy of all pairs, and the potential of a perceptron in gradient form; empty "
      "where it overflows",
      "(1/2β) Σ m_i m_j exp(β x_i·D x_j), D = QᵀK", "any number"},
     with_energy,
     &Reading::energy},
    {{"energy_scaled", "Ẽ",
      "energy divided by its greatest value, with the β of the first attention",
      "Σ m_i m_j exp(β(x_i·x_j - 1))", "0 to 1 where β is positive"},
     with_scaled_energy,
     &Reading::energy_scaled},
    {{"clusters", "K", "number of components of the graph of pairs closer than cluster_tol", "",
      "1 to n"},
     always,
     &Reading::clusters},
    {{"largest_cluster", "m₁", "mass of the heaviest cluster, of 1 in all", "", "0 to 1"},
     always,
     &Reading::largest_cluster},
    {{"order", "R", "length of the mean position", "|Σ m_i x_i|", "0 to 1 on the sphere"},
     always,
     &Reading::order},
    {{"mean_cos", "⟨cos⟩", "mean cosine over pairs i < j, not weighted by mass", "", "-1 to 1"},
     always,
     &Reading::mean_cos},
    {{"min_cos", "cos min", "smallest cosine over pairs i < j", "", "-1 to 1"},
     always,
     &Reading::min_cos},
    {{"max_cos", "cos max", "largest cosine over pairs i < j", "", "-1 to 1"},
     always,
     &Reading::max_cos},
    {{"close_pairs", "ρ", "fraction of pairs i < j with cosine above pair_threshold, not weighted",
      "", "0 to 1"},
     always,
     &Reading::close_pairs},
    {{"norm_drift", "δ", "largest distance of a norm from 1: the error of the sphere",
      "max_i | |x_i| - 1 |", "0 or above"},
     on_sphere,
     &Reading::norm_drift},
    {{"radius", "⟨r⟩", "mean norm of the particles", "Σ m_i |x_i|", "0 or above"},
     in_space,
     &Reading::radius},
    {{"attention_entropy", "H",
      "mean entropy of the attention weights over particles and heads, in nats",
      "mean_i -Σ_j a_ij ln a_ij", "0 to ln n"},
     with_attention,
     &Reading::attention_entropy},
    {{"effective_rank", "r",
      "number of directions that the positions fill: exp of the entropy of the normalised singular "
      "values",
      "exp(-Σ_k p_k ln p_k), p_k = σ_k / Σ_l σ_l", "1 to min(n, d)"},
     always,
     &Reading::effective_rank},
    {{"cluster_tol", "ε", "the tolerance of clusters: 1 - cosine on the sphere, distance in R^d",
      "", "above 0"},
     always,
     &Reading::cluster_tol},
    {{"pairs", "P", "pairs behind the cosines: all n(n-1)/2, or a fixed sample of large swarms", "",
      "0 or above"},
     always,
     &Reading::pairs},
};

constexpr auto listed = [] {
  std::array<Observable, std::size(table)> all{};
  for (std::size_t row = 0; row < all.size(); ++row) all[row] = table[row].observable;
  return all;
}();

double finite_or_nan(double value) { return std::isfinite(value) ? value : not_a_number; }

// A frame and the functions that compute its sums: by the field, or from the frame itself.
struct Observed {
  const HostSwarm& frame;
  const Dynamics& dynamics;
  std::function<ParticleSums(int threads)> particle_sums;
  std::function<PairSums(const PairRequest&)> pair_sums;
};

double length(const Vector& v) {
  double square = 0;
  for (const double value : v) square += value * value;
  return std::sqrt(square);
}

// Cosines and energies. On the sphere one pass over the pairs serves both when D = I:
//   E = e^beta / (2 beta) sum_ij m_i m_j e^{beta (x_i . x_j - 1)}
void read_pairs(const Observed& observed, const ObserveSettings& settings, Reading& reading) {
  const bool sphere = on_sphere(observed.dynamics);
  const Attention* head = first_attention(observed.dynamics);
  PairRequest request{.directions = !sphere,
                      .beta = sphere && head != nullptr ? head->beta : 0,
                      .anchor = 1,
                      .threshold = settings.pair_threshold,
                      .sample = sample_of(settings),
                      .threads = settings.threads};
  const PairSums cosines = observed.pair_sums(request);
  reading.mean_cos = cosines.mean;
  reading.min_cos = cosines.min;
  reading.max_cos = cosines.max;
  reading.close_pairs = cosines.close;
  reading.pairs = cosines.pairs;
  if (sphere && head != nullptr) {
    reading.energy_scaled = head->beta == 0 ? 1 : finite_or_nan(cosines.gibbs);
  }

  const auto interacting = interaction(observed.dynamics);
  if (!interacting) return;
  const double b = interacting->beta;
  if (sphere && interacting->matrix.empty()) {
    reading.energy = cosines.gibbs * elementary::exp(b) / (2 * b);
  } else {
    request.directions = false;
    request.matrix = interacting->matrix;
    request.beta = b;
    request.anchor = 0;
    reading.energy = observed.pair_sums(request).gibbs / (2 * b);
  }
  if (!interacting->potentials.empty()) reading.energy *= interacting->weight;
  for (const Potential& potential : interacting->potentials)
    reading.energy += energy_of(potential, observed.frame);
  reading.energy = finite_or_nan(reading.energy);
}

// Observables that are not sums over particles or pairs.
void read_frame(const Observed& observed, const ObserveSettings& settings, Reading& reading) {
  const HostSwarm& x = observed.frame;
  const Dynamics& dynamics = observed.dynamics;
  const Clusters found = clusters(x, dynamics, settings.cluster_tol);
  reading.clusters = found.count;
  reading.largest_cluster = *std::max_element(found.mass.begin(), found.mass.end());
  reading.attention_entropy = moves_norms(dynamics)
                                  ? attention_entropy(directions_of(x), dynamics, settings)
                                  : attention_entropy(x, dynamics, settings);
}

void check(const ObserveSettings& settings) {
  const auto refuse = [](const char* name, const std::string& value, const char* remedy) {
    throw Error(Fault::input, "a setting of the observables is out of range",
                std::string(name) + " = " + value, remedy);
  };
  if (!(settings.cluster_tol > 0)) {
    refuse("cluster_tol", std::to_string(settings.cluster_tol),
           "give a small positive number, such as cluster_tol=1e-3");
  }
  if (settings.max_exact < 0) {
    refuse("max_exact", std::to_string(settings.max_exact), "give a count of particles, 0 or more");
  }
  if (settings.sample_pairs < 1) {
    refuse("sample_pairs", std::to_string(settings.sample_pairs), "sample at least one pair");
  }
}

std::vector<double> read_row(const Observed& observed, const ObserveSettings& asked) {
  check(asked);
  constexpr double kWorthThreads = 1e6;  // n^2 d below which threads cost more than they save
  const double n = observed.frame.n();
  ObserveSettings settings = asked;
  if (n * n * observed.frame.d() < kWorthThreads) settings.threads = 1;
  Reading reading;
  reading.cluster_tol = settings.cluster_tol;
  const ParticleSums particles = n > 0 ? observed.particle_sums(settings.threads) : ParticleSums{};
  if (particles.measurable) {
    reading.order = length(particles.mean);
    reading.norm_drift = particles.norm_drift;
    reading.radius = particles.radius;
    reading.effective_rank = effective_rank(particles.gram);
    read_pairs(observed, settings, reading);
    read_frame(observed, settings, reading);
  }
  std::vector<double> row;
  for (const Row& entry : table) {
    if (entry.applies(observed.dynamics)) row.push_back(reading.*entry.value);
  }
  return row;
}

}  // namespace

int numerical_rank(const Matrix& a, double tol) {
  if (!(tol > 0 && tol < 1))
    throw Error(Fault::input, "a rank needs a tolerance between 0 and 1",
                "tol = " + std::to_string(tol), "give such a number, for example 1e-6");
  if (a.empty()) return 0;
  const Eigen::VectorXd sigma = signed_singular_values(a);
  const double least = tol * sigma[sigma.size() - 1];
  int rank = 0;
  while (2 * rank < sigma.size() && sigma[sigma.size() - 1 - rank] > least) ++rank;
  return rank;
}

std::span<const Observable> observables() { return listed; }

Clusters clusters(const HostSwarm& x, const Dynamics& dynamics, double tol) {
  return moves_norms(dynamics) ? clusters(directions_of(x), Manifold::sphere, tol)
                               : clusters(x, dynamics.manifold, tol);
}

std::vector<std::string> observable_names(const Dynamics& dynamics) {
  std::vector<std::string> names;
  for (const Row& row : table) {
    if (row.applies(dynamics)) names.emplace_back(row.observable.name);
  }
  return names;
}

std::size_t observable_column(const Dynamics& dynamics, const std::string& name) {
  const std::vector<std::string> names = observable_names(dynamics);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<double> observe(const HostSwarm& x, const Dynamics& dynamics,
                            const ObserveSettings& settings) {
  return read_row({x, dynamics, [&](int threads) { return particle_sums(dynamics, x, threads); },
                   [&](const PairRequest& request) { return pair_sums(dynamics, x, request); }},
                  settings);
}

std::vector<double> observe(Field& field, const Swarm& x, const HostSwarm& frame,
                            const ObserveSettings& settings) {
  return read_row(
      {frame, field.dynamics(), [&](int threads) { return field.particle_sums(x, threads); },
       [&](const PairRequest& request) { return field.pair_sums(x, request); }},
      settings);
}

}  // namespace murmur
