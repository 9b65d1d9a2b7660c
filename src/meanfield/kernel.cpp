// kernel.cpp: what circle and sphere share: the kernel's eigenvalues, energies, weights, tails.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/attention.h"
#include "core/perceptron_at.h"
#include "core/plain_forces.h"
#include "meanfield/circle.h"
#include "meanfield/continuum.h"
#include "meanfield/grid_density.h"
#include "murmur/theory.h"

namespace murmur {

Dynamics dynamics_of(const MeanField& f) {
  Attention head{.beta = f.beta, .weighting = f.weighting};
  if (f.repulsive) head.value = scaled_identity(f.d, -1);
  if (f.causal) head.mask = Attention::causal;
  Dynamics dynamics{.sublayers = {{{head}}}, .clock = f.clock, .noise = f.noise};
  if (f.perceptron) dynamics.sublayers.push_back({{*f.perceptron}});
  return dynamics;
}

MeanField mean_field_of(const Dynamics& dynamics, int d) {
  // The mask becomes a law a label; what else plain forces refuse stays refused.
  Dynamics unmasked = dynamics;
  bool causal = false;
  for (Sublayer& sublayer : unmasked.sublayers)
    for (Force& force : sublayer.forces)
      if (const Attention* head = head_of(force);
          head != nullptr && head->mask == Attention::causal && head->alibi == 0) {
        Attention open = *head;
        open.mask = Attention::none;
        force = open;
        causal = true;
      }
  PlainForces forces = mean_field_forces(unmasked);
  return {.d = d,
          .beta = forces.head.beta,
          .weighting = forces.head.weighting,
          .repulsive = forces.repulsive,
          .clock = dynamics.clock,
          .perceptron = std::move(forces.perceptron),
          .noise = dynamics.noise,
          .causal = causal};
}

double clock_scale(const MeanField& f) {
  return f.weighting == Attention::softmax ? 1 : clock_scale(f.clock, f.beta);
}

bool has_potential(const MeanField& f) {
  return f.weighting == Attention::unnormalised && f.perceptron &&
         gradient_weights(*f.perceptron).has_value();
}

namespace meanfield {

Kernel kernel_of(int d, double beta, int count) {
  Kernel kernel{std::vector<double>(count), std::vector<double>(count)};
  for (int k = 0; k < count; ++k) {
    if (beta == 0) {
      kernel.value[k] = k == 0 ? 1 : 0;
      kernel.slope[k] = k == 1 ? 1.0 / d : 0;
      continue;
    }
    kernel.value[k] = std::exp(theory::log_eigenvalue(d, beta, k) - beta);
    kernel.slope[k] = kernel.value[k] / beta;
  }
  return kernel;
}

double harmonics(int d, int k) {
  if (k == 0) return 1;
  if (d == 2) return 2;
  double count = (2.0 * k + d - 2) / k;
  for (int j = 1; j < k; ++j) count *= static_cast<double>(j + d - 2) / j;
  return count;
}

State Continuum::mixed(const std::vector<State>& laws, const std::vector<double>& weight) const {
  State sum(laws.front().size());
  for (std::size_t l = 0; l < laws.size(); ++l)
    for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += weight[l] * laws[l][e];
  return sum;
}

int energy_degrees(const MeanField& f) {
  int k = 1;
  while (f.beta > 0 &&
         harmonics(f.d, k) * std::exp(theory::log_eigenvalue(f.d, f.beta, k) - f.beta) > 1e-17)
    ++k;
  return k;
}

double pairs_of(const MeanField& f, const Kernel& kernel, const std::vector<double>& amplitude) {
  double sum = 0;
  for (std::size_t k = amplitude.size(); k-- > 0;)
    sum += kernel.slope[k] * harmonics(f.d, static_cast<int>(k)) * amplitude[k] * amplitude[k];
  return 0.5 * sum;
}

std::optional<Potential> potential_of(const MeanField& f) {
  if (!has_potential(f)) return std::nullopt;
  return potential_of(*f.perceptron, f.repulsive ? -1 : 1);
}

void set_energies(const MeanField& f, const EnergyParts& parts, MeanFieldReading& r) {
  const double clocked =
      parts.pairs * (f.weighting == Attention::unnormalised ? clock_scale(f) : std::exp(f.beta));
  r.energy = has_potential(f) ? clocked + parts.potential : parts.pairs * std::exp(f.beta);
  r.free_energy = r.energy;
  if (f.noise > 0)
    r.free_energy = clocked + parts.potential - (f.repulsive ? -1 : 1) * f.noise * parts.entropy;
}

double entropy_of(const std::vector<double>& density, const std::vector<double>& weight) {
  double sum = 0;
  for (std::size_t i = 0; i < density.size(); ++i)
    if (density[i] > 0) sum += weight[i] * density[i] * std::log(density[i]);
  return sum;
}

double mean_of(const std::vector<double>& v, const std::vector<double>& density,
               const std::vector<double>& weight) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += weight[i] * density[i] * v[i];
  return sum;
}

double tail_of(const Kernel& kernel, const std::vector<double>& amplitude, int spacing) {
  const int last = static_cast<int>(amplitude.size()) - 1;
  double tail = 0, held = 0;  // held: the largest amplitude from degree last + 1 - l on
  for (int l = 1; l <= last; ++l) {
    held = std::fmax(held, amplitude[last + 1 - l]);
    if (l <= std::max(last / 10 + 1, spacing)) tail = std::fmax(tail, held);
    tail = std::fmax(tail, kernel.value[l] / kernel.value[0] * amplitude[l] * held);
  }
  return tail;
}

Shares shares_of(const Measure& m) {
  Shares shares;
  double sum = 0;
  for (const auto& b : m.bumps) sum += b.weight;
  for (const auto& a : m.atoms) sum += a.weight;
  shares.uniform = sum > 0 ? 0 : 1;
  for (const auto& b : m.bumps) shares.bumps.push_back(b.weight / sum);
  for (const auto& a : m.atoms) shares.atoms.push_back(a.weight / sum);
  return shares;
}

double beyond(const Measure& m, int d, int degree) {
  double most = 0;
  if (!m.density.empty() && d == 3) return grid_beyond(m, degree);
  if (!m.density.empty()) {
    const auto waves = grid_waves(m);
    for (std::size_t k = degree + 1; k < waves.size(); ++k)
      most = std::fmax(most, std::abs(waves[k]));
    return most;
  }
  const auto norm = [d](int k) { return d == 2 ? 1 : std::sqrt(harmonics(d, k)); };
  for (const Measure::Wave& w : m.waves)
    if (w.k > degree) most = std::fmax(most, 0.5 * std::fabs(w.eps) * norm(w.k));
  const Shares shares = shares_of(m);
  const double first = 0.5 * d - 1;  // heights of bumps are I_{first + k} / I_first
  for (std::size_t b = 0; b < m.bumps.size(); ++b)
    if (const double kappa = m.bumps[b].kappa; kappa > 0)
      most += shares.bumps[b] * norm(degree + 1) *
              std::exp(theory::log_bessel(first + degree + 1, kappa) -
                       theory::log_bessel(first, kappa));
  return m.atoms.empty() ? most : 1;
}

}  // namespace meanfield
}  // namespace murmur
