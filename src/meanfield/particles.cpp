// particles.cpp: measures as weighted particles, and the observables of these.
#include "meanfield/particles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "engine/moments/moments.h"
#include "meanfield/circle.h"
#include "meanfield/continuum.h"
#include "meanfield/fourier.h"
#include "meanfield/grid_density.h"
#include "meanfield/sphere.h"
#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur::meanfield {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kCircleCells = 512, kBands = 32, kMeridians = 64;

// The distribution function F and the density p at the nodes of an even grid, by Fourier series.
struct Distribution {
  std::vector<double> f, p;  // (cells + 1), (cells + 1)
};

Distribution distribution_of(const Measure& measure) {
  constexpr int kGrid = 65'536;
  std::vector<std::complex<double>> m = circle_coefficients(measure, kDistributionDegrees);
  while (m.size() > 1 && std::abs(m.back()) < 1e-17) m.pop_back();
  Fourier fourier(kGrid);
  Wave sum(kGrid);  // density + i (F - theta / 2 pi), over the uniform one
  sum[0] = 1;
  for (int k = 1; k < static_cast<int>(m.size()); ++k) {
    const std::complex<double> c = std::conj(m[k]), i(0, 1);
    const std::complex<double> whole = c / (i * (kTurn * k));
    sum[k] = c + i * whole;
    sum[kGrid - k] = std::conj(c) + i * std::conj(whole);
  }
  fourier.transform(sum.data());
  Distribution d;
  for (int g = 0; g <= kGrid; ++g) {
    const std::complex<double> at = sum[g % kGrid];
    d.f.push_back(at.imag() - sum[0].imag() + static_cast<double>(g) / kGrid);
    d.p.push_back(std::max(0.0, at.real() / kTurn));
  }
  return d;
}

// theta with F(theta) = s: in each cell F is the cubic Hermite interpolant, solved by bisection.
double quantile(const Distribution& d, double s) {
  const auto after = std::upper_bound(d.f.begin() + 1, d.f.end() - 1, s);
  const auto cell = static_cast<std::size_t>(after - d.f.begin()) - 1;
  const double width = kTurn / static_cast<double>(d.f.size() - 1);
  const double rise = d.f[cell + 1] - d.f[cell];
  const double a = width * d.p[cell], b = width * d.p[cell + 1];
  double low = 0, high = 1;
  for (int halving = 0; halving < 52; ++halving) {
    const double u = 0.5 * (low + high);
    const double value = d.f[cell] + u * (a + u * (3 * rise - 2 * a - b + u * (a + b - 2 * rise)));
    (value < s ? low : high) = u;
  }
  return width * (static_cast<double>(cell) + 0.5 * (low + high));
}

HostSwarm circle_particles(const Measure& measure, int n) {
  const Shares shares = shares_of(measure);
  const auto atoms = static_cast<int>(shares.atoms.size());
  const double atomic = std::accumulate(shares.atoms.begin(), shares.atoms.end(), 0.0);
  Measure smooth = measure;
  smooth.atoms.clear();
  const int spread = atomic < 1 ? n : 0;
  HostSwarm x({spread + atoms, 2});
  if (spread > 0) {
    const Distribution d = distribution_of(smooth);
    for (int i = 0; i < spread; ++i) {
      const double theta = quantile(d, (i + 0.5) / spread);
      x.at(i, 0) = std::cos(theta);
      x.at(i, 1) = std::sin(theta);
      x.mass[i] = (1 - atomic) / spread;
    }
  }
  for (int a = 0; a < atoms; ++a) {
    for (int k = 0; k < 2; ++k) x.at(spread + a, k) = measure.atoms[a].place[k];
    x.mass[spread + a] = shares.atoms[a];
  }
  return x;
}

// The density of waves and bumps relative to the uniform one.
double mixture_density(const Measure& measure, const Shares& shares, const double* x) {
  double p = shares.uniform;
  for (const Measure::Wave& w : measure.waves) {
    double below = 1, now = x[2];
    for (int k = 2; k <= w.k; ++k)
      below = std::exchange(now, ((2 * k - 1) * x[2] * now - (k - 1) * below) / k);
    p += 0.5 * w.eps * (2 * w.k + 1) * now;
  }
  for (std::size_t b = 0; b < measure.bumps.size(); ++b) {
    const Measure::Bump& bump = measure.bumps[b];
    const double along = std::inner_product(x, x + 3, bump.centre.begin(), 0.0) - 1;
    const double k = bump.kappa;  // k / sinh k e^{k cos}
    p += shares.bumps[b] * (k > 0 ? 2 * k / -std::expm1(-2 * k) * std::exp(k * along) : 1.0);
  }
  return p;
}

// (columns) the relative density along the circle of latitude cos theta = z.
std::vector<double> latitude_density(const Measure& measure, double z,
                                     const std::vector<double>& azimuth,
                                     const std::optional<GridDensity>& grid) {
  const Shares shares = shares_of(measure);
  const double s = std::sqrt((1 - z) * (1 + z));
  const auto orders = grid ? grid->at(z) : Wave{};
  std::vector<double> density;
  for (const double phi : azimuth) {
    const double at[] = {s * std::cos(phi), s * std::sin(phi), z};
    density.push_back(grid ? std::max(0.0, density_at(orders, phi))
                           : mixture_density(measure, shares, at));
  }
  return density;
}

int rows_of(int n) { return std::max(2, static_cast<int>(std::sqrt(n / 2.0))); }

// Mass and mean of the particles are those of the measure, unless the grid is too coarse for it.
void check_resolved(const HostSwarm& x, const Measure& measure) {
  constexpr double kOff = 1e-6;
  const std::vector<double> wanted = sphere_coefficients(measure, 1);
  std::vector<double> found(wanted.size());
  for (int i = 0; i < x.n(); ++i) {
    const double at[] = {x.at(i, 0), x.at(i, 1), x.at(i, 2)};
    const std::vector<double> y = harmonics_at(1, at);
    for (std::size_t k = 0; k < y.size(); ++k) found[k] += x.mass[i] * y[k];
  }
  double off = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    off = std::fmax(off, std::fabs(found[k] - wanted[k]));
  if (!(off <= kOff))
    throw Error(Fault::input,
                fmt::format("the grid of particles is too coarse for the start: mass {:.7g}, mean "
                            "off by {:.2g}",
                            found[0], off),
                "particles", "use more particles, or a smoother start");
}

HostSwarm sphere_particles(const Measure& measure, int n) {
  const Shares shares = shares_of(measure);
  const auto atoms = static_cast<int>(shares.atoms.size());
  const bool spread = shares.uniform > 0 || !shares.bumps.empty();
  const int rows = spread ? rows_of(n) : 0;
  const Gauss gauss = gauss_legendre(rows);
  std::optional<GridDensity> grid;
  if (!measure.density.empty()) grid.emplace(measure);
  HostSwarm x({2 * rows * rows + atoms, 3});
  int i = 0;
  for (int j = 0; j < rows; ++j) {
    const double z = gauss.node[j], s = std::sqrt((1 - z) * (1 + z));
    std::vector<double> azimuth;
    for (int g = 0; g < 2 * rows; ++g) azimuth.push_back(kTurn * (g + 0.5 * (j % 2)) / (2 * rows));
    const std::vector<double> density = latitude_density(measure, z, azimuth, grid);
    for (int g = 0; g < 2 * rows; ++g, ++i) {
      x.at(i, 0) = s * std::cos(azimuth[g]);
      x.at(i, 1) = s * std::sin(azimuth[g]);
      x.at(i, 2) = z;
      x.mass[i] = gauss.weight[j] / (4 * rows) * density[g];
    }
  }
  for (int a = 0; a < atoms; ++a, ++i) {
    for (int k = 0; k < 3; ++k) x.at(i, k) = measure.atoms[a].place[k];
    x.mass[i] = shares.atoms[a];
  }
  check_resolved(x, measure);
  // Masses must be positive: particles whose mass underflows are left out.
  HostSwarm kept({static_cast<int>(std::count_if(x.mass.begin(), x.mass.end(),
                                                 [](double m) { return m > 1e-18; })),
                  3});
  double sum = 0;
  for (int from = 0, to = 0; from < x.n(); ++from)
    if (x.mass[from] > 1e-18) {
      for (int k = 0; k < 3; ++k) kept.at(to, k) = x.at(from, k);
      sum += x.mass[from];
      kept.mass[to++] = x.mass[from];
    }
  for (double& m : kept.mass) m /= sum;
  return kept;
}

int cell_of(const HostSwarm& x, int i) {
  double phi = std::atan2(x.at(i, 1), x.at(i, 0));
  if (phi < 0) phi += kTurn;
  const int columns = x.d() == 2 ? kCircleCells : kMeridians;
  const int column = static_cast<int>(std::floor(phi / kTurn * columns + 0.5)) % columns;
  if (x.d() == 2) return column;
  const int band = std::clamp(static_cast<int>((1 - x.at(i, 2)) / 2 * kBands), 0, kBands - 1);
  return band * kMeridians + column;
}

}  // namespace

int particle_degrees(int d, int n) {
  if (d > 3) return n / 2;
  return d == 2 ? std::min(n / 8, kDistributionDegrees) : rows_of(n) - 1;
}

HostSwarm particles_of(const Measure& measure, int d, int n) {
  return d == 2 ? circle_particles(measure, n) : sphere_particles(measure, n);
}

std::vector<double> particle_cells(int d) {
  std::vector<double> x;
  const int bands = d == 2 ? 1 : kBands, columns = d == 2 ? kCircleCells : kMeridians;
  for (int j = 0; j < bands; ++j)
    for (int g = 0; g < columns; ++g) {
      const double z = d == 2 ? 0 : 1 - 2 * (j + 0.5) / kBands, s = std::sqrt(1 - z * z);
      x.insert(x.end(), {s * std::cos(kTurn * g / columns), s * std::sin(kTurn * g / columns)});
      if (d == 3) x.push_back(z);
    }
  return x;
}

ParticleReader reader_of(const MeanField& field, int threads) {
  const int degrees = std::max(energy_degrees(field), kModesRead);
  return {field, kernel_of(field.d, field.beta, degrees + 1), threads};
}

MeanFieldFrame ParticleReader::read(const HostSwarm& x) const {
  MeanFieldFrame frame;
  MeanFieldReading& r = frame.reading;
  const int degrees = static_cast<int>(kernel.value.size()) - 1;
  std::vector<double> amplitude;
  if (x.d() == 2)
    for (const auto& m : circle_moments(x, degrees, threads)) amplitude.push_back(std::abs(m));
  else
    amplitude = mode_amplitudes(x, degrees);
  const auto potential = potential_of(field);
  set_energies(field,
               {pairs_of(field, kernel, amplitude), potential ? energy_of(*potential, x) : 0}, r);
  r.free_energy = std::numeric_limits<double>::quiet_NaN();
  for (int k = 0; k < x.d(); ++k)
    r.mean.push_back(std::inner_product(x.mass.begin(), x.mass.end(), x.axis(k), 0.0));
  r.order = amplitude[1];
  amplitude.resize(kModesRead + 1);
  r.amplitude = amplitude;
  const int cells = x.d() == 2 ? kCircleCells : kBands * kMeridians;
  frame.density.resize(cells);
  for (int i = 0; i < x.n(); ++i) frame.density[cell_of(x, i)] += cells * x.mass[i];
  const auto ends = std::minmax_element(frame.density.begin(), frame.density.end());
  r.min = *ends.first;
  r.max = *ends.second;
  return frame;
}

}  // namespace murmur::meanfield
