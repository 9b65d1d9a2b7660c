// observe.cpp: the table of observables, and the row of numbers it gives for one frame.
#include "murmur/observe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "core/directions.h"
#include "core/elementary.h"
#include "murmur/error.h"
#include "observe/clusters.h"
#include "observe/energy.h"
#include "observe/entropy.h"
#include "observe/pair_sample.h"
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
    {{"mean_cos", "⟨cos⟩", "mean cosine over pairs i < j, not weighed by mass", "", "-1 to 1"},
     always,
     &Reading::mean_cos},
    {{"min_cos", "cos min", "smallest cosine over pairs i < j", "", "-1 to 1"},
     always,
     &Reading::min_cos},
    {{"max_cos", "cos max", "largest cosine over pairs i < j", "", "-1 to 1"},
     always,
     &Reading::max_cos},
    {{"close_pairs", "ρ", "fraction of pairs i < j with cosine above pair_threshold, not weighed",
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

// A frame, and where its sums come from: from the field that carries it, or from the frame itself.
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

// What is no sum over particles or pairs.
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
