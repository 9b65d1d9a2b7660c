// kernel.cpp: what circle and sphere share: the kernel's eigenvalues, energies, weights, checks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "meanfield/continuum.h"
#include "murmur/error.h"
#include "murmur/theory.h"

namespace murmur {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& where,
                         const std::string& remedy) {
  throw Error(Fault::input, what, where, remedy);
}

bool is_unit(const std::vector<double>& x, int d) {
  const double square = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  return static_cast<int>(x.size()) == d && std::fabs(square - 1) < 1e-9;
}

void check_density(const std::vector<double>& density, int d) {
  if (d != 2) refuse("a density on a grid is one on the circle", "init", "use d=2");
  if (density.size() < 8) refuse("the grid has too few cells", "init", "give 8 cells or more");
  double sum = 0;
  for (std::size_t i = 0; i < density.size(); ++i) {
    if (!(std::isfinite(density[i]) && density[i] >= 0))
      refuse("the density is negative or no number", fmt::format("init, cell {}", i),
             "give densities of 0 or above");
    sum += density[i];
  }
  const double integral = 2 * 3.14159265358979323846 * sum / static_cast<double>(density.size());
  if (std::fabs(integral - 1) > 1e-6)
    refuse(fmt::format("the density integrates to {:g}, not to 1", integral), "init",
           "divide it by its mean and by 2 pi");
}

}  // namespace

void check(const MeanField& f) {
  if (f.d != 2 && f.d != 3)
    refuse("mean fields are solved on the circle and the sphere", fmt::format("d = {}", f.d),
           "use d=2 or d=3");
  if (!(f.beta >= 0 && f.beta <= 700))
    refuse("beta is out of range", fmt::format("beta = {:g}", f.beta), "give beta from 0 to 700");
  if (f.scale != Attention::softmax && f.scale != Attention::plain)
    refuse("this attention has no mean field here", "dynamics", "use dynamics=SA or USA");
  if (f.clock == Clock::u4 || (f.clock != Clock::u1 && f.scale == Attention::softmax))
    refuse("this clock does not fit", "clock", "use U1; USA also knows U2 and U3");
  if (!(f.noise >= 0 && std::isfinite(f.noise)))
    refuse("there is no such noise", "noise", "give 0 or more");
}

void check(const Measure& m, int d) {
  if (!m.density.empty()) return check_density(m.density, d);
  double swing = 0;
  for (const Measure::Wave& w : m.waves) {
    if (w.k < 1) refuse("a mode has a degree of 1 or more", "init", "write mode:3:1e-4");
    swing += std::fabs(w.eps) * (d == 2 ? 1 : (2 * w.k + 1) / 2.0);
  }
  if (!(swing <= 1))
    refuse("the modes make the density negative", "init", "give smaller amplitudes");
  for (const Measure::Bump& b : m.bumps)
    if (!(b.kappa >= 0 && b.kappa <= 1e5 && b.weight > 0 && is_unit(b.centre, d)))
      refuse("a bump is off", "init", "give kappa from 0 to 1e5, a weight above 0, unit vectors");
  for (const Measure::Atom& a : m.atoms)
    if (!(a.weight > 0 && is_unit(a.place, d)))
      refuse("an atom is off", "init", "give weights above 0 and unit vectors");
  if (!m.waves.empty() && (!m.bumps.empty() || !m.atoms.empty()))
    refuse("modes perturb the uniform law alone", "init", "leave bumps and atoms out");
}

Dynamics dynamics_of(const MeanField& f) {
  Attention head{.beta = f.beta, .scale = f.scale};
  if (f.repulsive) head.value = scaled_identity(f.d, -1);
  Dynamics dynamics{.phases = {{{head}}}, .clock = f.clock, .noise = f.noise};
  if (f.will) dynamics.phases.push_back({{*f.will}});
  return dynamics;
}

double clock_scale(const MeanField& f) {
  if (f.scale == Attention::softmax || f.clock == Clock::u2) return 1;
  return (f.clock == Clock::u3 ? f.beta : 1) * std::exp(f.beta);
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

int harmonics(int d, int k) { return k == 0 ? 1 : d == 2 ? 2 : 2 * k + 1; }

int energy_degrees(const MeanField& f) {
  int k = 1;
  while (f.beta > 0 &&
         harmonics(f.d, k) * std::exp(theory::log_eigenvalue(f.d, f.beta, k) - f.beta) > 1e-17)
    ++k;
  return k;
}

double energy_of(const MeanField& f, const Kernel& kernel, const std::vector<double>& amplitude) {
  double sum = 0;
  for (std::size_t k = amplitude.size(); k-- > 0;)
    sum += kernel.slope[k] * harmonics(f.d, static_cast<int>(k)) * amplitude[k] * amplitude[k];
  return 0.5 * std::exp(f.beta) * sum;
}

double entropy_of(const std::vector<double>& density, const std::vector<double>& weight) {
  double sum = 0;
  for (std::size_t i = 0; i < density.size(); ++i)
    if (density[i] > 0) sum += weight[i] * density[i] * std::log(density[i]);
  return sum;
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

}  // namespace meanfield
}  // namespace murmur
