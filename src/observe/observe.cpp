// observe.cpp: the table of observables, and the row of numbers it gives for one frame.
#include "murmur/observe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/elementary.h"
#include "murmur/error.h"
#include "observe/clusters.h"
#include "observe/directions.h"
#include "observe/energy.h"
#include "observe/entropy.h"
#include "observe/pairs.h"
#include "observe/rank.h"

namespace murmur {
namespace {

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
      "(1/2β) Σ m_i m_j exp(β x_i·D x_j) with D = QᵀK, and the potential of a perceptron in "
      "gradient form; empty where it overflows"},
     with_energy,
     &Reading::energy},
    {{"energy_scaled", "Ẽ", "Σ m_i m_j exp(β(x_i·x_j - 1)), the β of the first attention"},
     with_scaled_energy,
     &Reading::energy_scaled},
    {{"clusters", "K", "components of the graph of pairs closer than cluster_tol"},
     always,
     &Reading::clusters},
    {{"largest_cluster", "m₁", "mass of the heaviest cluster, of 1 in all"},
     always,
     &Reading::largest_cluster},
    {{"order", "R", "length of the mean position |Σ m_i x_i|"}, always, &Reading::order},
    {{"mean_cos", "⟨cos⟩", "mean cosine over pairs i < j, not weighed by mass"},
     always,
     &Reading::mean_cos},
    {{"min_cos", "cos min", "smallest cosine over pairs i < j"}, always, &Reading::min_cos},
    {{"max_cos", "cos max", "largest cosine over pairs i < j"}, always, &Reading::max_cos},
    {{"close_pairs", "ρ", "fraction of pairs i < j with cosine above pair_threshold, not weighed"},
     always,
     &Reading::close_pairs},
    {{"norm_drift", "δ", "largest | |x_i| - 1 |"}, on_sphere, &Reading::norm_drift},
    {{"radius", "⟨r⟩", "mean norm Σ m_i |x_i|"}, in_space, &Reading::radius},
    {{"attention_entropy", "H",
      "mean entropy of the attention weights over particles and heads, "
      "in nats"},
     with_attention,
     &Reading::attention_entropy},
    {{"effective_rank", "r",
      "exp of the entropy of the normalised singular values of the positions"},
     always,
     &Reading::effective_rank},
    {{"cluster_tol", "ε", "the tolerance of clusters: 1 - cosine on the sphere, distance in R^d"},
     always,
     &Reading::cluster_tol},
    {{"pairs", "P", "pairs behind the cosines: all n(n-1)/2, or a fixed sample of large swarms"},
     always,
     &Reading::pairs},
};

constexpr auto listed = [] {
  std::array<Observable, std::size(table)> all{};
  for (std::size_t row = 0; row < all.size(); ++row) all[row] = table[row].observable;
  return all;
}();

double finite_or_nan(double value) { return std::isfinite(value) ? value : not_a_number; }

double norm(const HostSwarm& x, int i) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) square += x.at(i, k) * x.at(i, k);
  return std::sqrt(square);
}

HostSwarm apply(const Matrix& m, const HostSwarm& x) {
  HostSwarm y(x.shape());
  for (int row = 0; row < m.rows; ++row) {
    for (int col = 0; col < m.cols; ++col) {
      for (int i = 0; i < x.n(); ++i) y.axis(row)[i] += m(row, col) * x.axis(col)[i];
    }
  }
  return y;
}

double order(const HostSwarm& x) {
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    double mean = 0;
    for (int i = 0; i < x.n(); ++i) mean += x.mass[i] * x.axis(k)[i];
    square += mean * mean;
  }
  return std::sqrt(square);
}

double norm_drift(const HostSwarm& x) {
  double worst = 0;
  for (int i = 0; i < x.n(); ++i) worst = std::max(worst, std::abs(norm(x, i) - 1));
  return worst;
}

double radius(const HostSwarm& x) {
  double mean = 0;
  for (int i = 0; i < x.n(); ++i) mean += x.mass[i] * norm(x, i);
  return mean;
}

// Cosines and energies. On the sphere one pass over the pairs serves both when D = I:
//   E = e^beta / (2 beta) sum_ij m_i m_j e^{beta (x_i . x_j - 1)}
void read_pairs(const HostSwarm& x, const Dynamics& dynamics, const ObserveSettings& settings,
                Reading& reading) {
  const bool sphere = on_sphere(dynamics);
  const Attention* head = first_attention(dynamics);
  const double beta = sphere && head != nullptr ? head->beta : 0;
  const HostSwarm turned = sphere ? HostSwarm{} : directions_of(x);
  const HostSwarm& u = sphere ? x : turned;
  const PairSums cosines = sum_pairs({.x = u, .y = u, .beta = beta, .anchor = 1}, settings);
  reading.mean_cos = cosines.mean;
  reading.min_cos = cosines.min;
  reading.max_cos = cosines.max;
  reading.close_pairs = cosines.close;
  reading.pairs = cosines.pairs;
  if (sphere && head != nullptr) {
    reading.energy_scaled = beta == 0 ? 1 : finite_or_nan(cosines.gibbs);
  }

  const auto interacting = interaction(dynamics);
  if (!interacting) return;
  const double b = interacting->beta;
  const Matrix& matrix = interacting->matrix;
  if (sphere && matrix.empty()) {
    reading.energy = cosines.gibbs * elementary::exp(b) / (2 * b);
  } else {
    const HostSwarm image = matrix.empty() ? x : apply(matrix, x);
    const PairSums sums = sum_pairs({.x = x, .y = image, .beta = b, .anchor = 0}, settings);
    reading.energy = sums.gibbs / (2 * b);
  }
  if (!interacting->potentials.empty()) reading.energy *= interacting->weight;
  for (const Potential& potential : interacting->potentials)
    reading.energy += energy_of(potential, x);
  reading.energy = finite_or_nan(reading.energy);
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

}  // namespace

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
                            const ObserveSettings& asked) {
  check(asked);
  constexpr double kWorthThreads = 1e6;  // n^2 d below which threads cost more than they save
  ObserveSettings settings = asked;
  if (static_cast<double>(x.n()) * x.n() * x.d() < kWorthThreads) settings.threads = 1;
  Reading reading;
  reading.cluster_tol = settings.cluster_tol;
  if (x.n() > 0 && !first_unmeasurable(x)) {
    const HostSwarm turned = moves_norms(dynamics) ? directions_of(x) : HostSwarm{};
    const HostSwarm& u = moves_norms(dynamics) ? turned : x;
    read_pairs(u, dynamics, settings, reading);
    const Clusters found = clusters(x, dynamics, settings.cluster_tol);
    reading.clusters = found.count;
    reading.largest_cluster = *std::max_element(found.mass.begin(), found.mass.end());
    reading.order = order(u);
    reading.norm_drift = norm_drift(x);
    reading.radius = radius(x);
    reading.attention_entropy = attention_entropy(u, dynamics, settings);
    reading.effective_rank = effective_rank(u, settings.threads);
  }
  std::vector<double> row;
  for (const Row& entry : table) {
    if (entry.applies(dynamics)) row.push_back(reading.*entry.value);
  }
  return row;
}

}  // namespace murmur
