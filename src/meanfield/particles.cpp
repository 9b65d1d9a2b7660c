// particles.cpp: measures as weighted particles: their observables and their motion.
#include "meanfield/particles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "core/forces.h"
#include "engine/moments/moments.h"
#include "meanfield/continuum.h"
#include "meanfield/harmonics.h"
#include "murmur/error.h"
#include "murmur/observe.h"
#include "murmur/stop.h"
#include "murmur/theory.h"

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

// Returns theta with F(theta) = s: in each cell F is the cubic Hermite interpolant, solved by
// bisection.
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

// Returns the density of waves and bumps relative to the uniform one.
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

// (columns) Returns the relative density along the circle of latitude cos theta = z.
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

// Error(input) unless mass and mean of the particles are those of the measure: else the grid is too
// coarse.
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
                fmt::format("the grid of particles is too coarse for the start: mass {:.7g}, error "
                            "of the mean {:.2g}",
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

// --- Laws as particles on the circle, or on a meridian of a law symmetric about an axis.

namespace {

// The mean of e^{beta (x.y - 1)} over the points y at angle b from the axis, for x at angle a:
//   K(a, b) = e^{beta (cos(a - b) - 1)} e^{g(z)},   z = beta sin a sin b,
//   g(z) = ln(e^{-z} lambda_0(z)) of d - 1 coordinates,   r = 1 + g' = I_{d/2-1/2} / I_{d/2-3/2}
//   dK/da = beta K (r cos a sin b - sin a cos b)
// g and r by cubic Hermite interpolation, r' = 1 - r^2 - (d - 2) r / z. On the circle g = 0 and
// r = 1.
class MeridianKernel {
 public:
  MeridianKernel(int d, double beta) : beta_(beta), flat_ratio_(d == 2 ? 1 : 0) {
    if (d == 2 || beta == 0) return;
    knots_.resize(kKnots + 1);
    step_ = beta / kKnots;
    for (int i = 0; i <= kKnots; ++i) {
      const double z = step_ * i, order = d / 2.0 - 1.5;
      const double r = theory::bessel_ratio(order, z);
      const double bend = i == 0 ? 1.0 / (d - 1) : 1 - r * r - (d - 2) * r / z;
      knots_[i] = {theory::log_eigenvalue(d - 1, z, 0) - z, r, bend};
    }
  }

  struct Value {
    double weight, ratio;  // K, r
  };
  Value at(double sines, double cosine) const {  // sin a sin b, cos(a - b)
    if (knots_.empty()) return {std::exp(beta_ * (cosine - 1)), flat_ratio_};
    const double place = std::min(std::fmax(beta_ * sines / step_, 0), kKnots - 1e-9);
    const int i = static_cast<int>(place);
    const double u = place - i, v = 1 - u;
    const Knot &a = knots_[i], &b = knots_[i + 1];
    const double near = v * v * (1 + 2 * u), far = u * u * (1 + 2 * v);
    const double rise = step_ * u * v * v, fall = step_ * u * u * v;
    const double log = near * a.log + far * b.log + rise * (a.ratio - 1) - fall * (b.ratio - 1);
    const double ratio = near * a.ratio + far * b.ratio + rise * a.bend - fall * b.bend;
    return {std::exp(beta_ * (cosine - 1) + log), ratio};
  }

 private:
  static constexpr int kKnots = 8192;
  struct Knot {
    double log, ratio, bend;  // g, r, r'
  };
  double beta_, flat_ratio_, step_ = 0;
  std::vector<Knot> knots_{};
};

struct Place {
  double sine, cosine, mass;
};

// State: n angles, then n masses, which are constant. On the circle an angle is a position; on a
// meridian it is the angle to the axis, and the particle represents all points at that angle.
class Cloud final : public Continuum {
 public:
  Cloud(const MeanField& field, int particles)
      : field_(field),
        particles_(particles),
        circle_(field.d == 2),
        kernel_(field.d, field.beta),
        reader_(reader_of(field, 0)),
        potential_(meanfield::potential_of(field)) {}

  State start(const Measure& measure) const override {
    return circle_ ? circle_start(measure) : meridian_start(measure);
  }

  const std::vector<double>& laplacian() const override { return laplacian_; }

  // Angles and weighted masses of all laws.
  State mixed(const std::vector<State>& laws, const std::vector<double>& weight) const override {
    State angles, masses;
    for (std::size_t l = 0; l < laws.size(); ++l) {
      const auto half = laws[l].begin() + static_cast<std::ptrdiff_t>(laws[l].size() / 2);
      angles.insert(angles.end(), laws[l].begin(), half);
      for (auto m = half; m != laws[l].end(); ++m) masses.push_back(weight[l] * *m);
    }
    angles.insert(angles.end(), masses.begin(), masses.end());
    return angles;
  }

  void flow(const State& y, const State& seen, State& change) override {
    const bool divided = field_.weighting == Attention::softmax;
    const double scale = (field_.repulsive ? -1 : 1) * clock_scale(field_);
    const std::vector<Place> from = places_of(seen), at = places_of(y);
    change.assign(y.size(), 0);
    for (std::size_t i = 0; i < at.size(); ++i) {
      stop_point();
      const Place& a = at[i];
      double weights = 0, pull = 0;
      for (const Place& b : from) {
        const double sines = a.sine * b.sine;
        const auto [weight, ratio] = kernel_.at(sines, a.cosine * b.cosine + sines);
        weights += b.mass * weight;
        pull += b.mass * weight * (ratio * a.cosine * b.sine - a.sine * b.cosine);
      }
      change[i] = scale * pull / (divided ? weights : 1) + perceptron_at(y[i]);
    }
  }

  double grain(const State& y) const override { return 2.0 / static_cast<double>(y.size()); }

  MeanFieldFrame read(const State& y) override {
    return circle_ ? reader_.read(swarm_of(y)) : read_meridian(y);
  }

  std::vector<double> cells() const override {
    if (circle_) return particle_cells(2);
    std::vector<double> x;
    for (int c = 0; c < kBands; ++c) {
      const std::vector<double> at = on_meridian(field_.d, kBand * (c + 0.5));
      x.insert(x.end(), at.begin(), at.end());
    }
    return x;
  }

 private:
  static constexpr int kBands = 128;
  static constexpr double kBand = std::numbers::pi / kBands;

  std::vector<Place> places_of(const State& y) const {
    const std::size_t n = y.size() / 2;
    std::vector<Place> places;
    for (std::size_t i = 0; i < n; ++i)
      places.push_back({std::sin(y[i]), std::cos(y[i]), y[n + i]});
    return places;
  }

  double perceptron_at(double theta) const {
    if (!field_.perceptron) return 0;
    if (!circle_) return meridian_drift(*field_.perceptron, field_.d, theta);
    const double x[] = {std::cos(theta), std::sin(theta)};
    double drift[] = {0, 0};
    add_perceptron_at(*field_.perceptron, x, drift);
    return x[0] * drift[1] - x[1] * drift[0];
  }

  State circle_start(const Measure& measure) const {
    const HostSwarm x = particles_of(measure, 2, particles_);
    State y;
    for (int i = 0; i < x.n(); ++i) y.push_back(std::atan2(x.at(i, 1), x.at(i, 0)));
    y.insert(y.end(), x.mass.begin(), x.mass.end());
    return y;
  }

  // The density on Gauss's nodes as masses; masses below 1e-18 are removed.
  State meridian_start(const Measure& measure) const {
    const Shares shares = shares_of(measure);
    State angles, masses;
    const Gauss gauss =
        gauss_zonal(field_.d, shares.uniform > 0 || !shares.bumps.empty() ? particles_ : 0);
    for (std::size_t j = 0; j < gauss.node.size(); ++j) {
      const double mass = gauss.weight[j] * density_at(measure, shares, gauss.node[j]);
      if (mass < 1e-18) continue;
      angles.push_back(std::acos(gauss.node[j]));
      masses.push_back(mass);
    }
    for (std::size_t a = 0; a < measure.atoms.size(); ++a) {
      angles.push_back(measure.atoms[a].place.back() > 0 ? 0 : std::numbers::pi);
      masses.push_back(shares.atoms[a]);
    }
    const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
    if (!(std::fabs(sum - 1) <= 1e-6))
      throw Error(Fault::input,
                  fmt::format("there are too few particles for the start: mass {:.7g}", sum),
                  "particles", "use more particles, or a smoother start");
    for (double& m : masses) m /= sum;
    angles.insert(angles.end(), masses.begin(), masses.end());
    return angles;
  }

  // Relative to the uniform density; for a bump it is e^{kappa s} / lambda_0(kappa).
  double density_at(const Measure& measure, const Shares& shares, double s) const {
    double density = shares.uniform;
    if (!measure.waves.empty()) {
      int degree = 0;
      for (const Measure::Wave& w : measure.waves) degree = std::max(degree, w.k);
      const std::vector<double> p = zonal_values(field_.d, degree, s);
      for (const Measure::Wave& w : measure.waves)
        density += 0.5 * w.eps * std::sqrt(harmonics(field_.d, w.k)) * p[w.k];
    }
    for (std::size_t b = 0; b < measure.bumps.size(); ++b) {
      const Measure::Bump& bump = measure.bumps[b];
      density += shares.bumps[b] * std::exp(bump.kappa * s * bump.centre.back() -
                                            theory::log_eigenvalue(field_.d, bump.kappa, 0));
    }
    return density;
  }

  HostSwarm swarm_of(const State& y) const {
    const int n = static_cast<int>(y.size() / 2);
    HostSwarm x({n, 2});
    for (int i = 0; i < n; ++i) {
      x.at(i, 0) = std::cos(y[i]);
      x.at(i, 1) = std::sin(y[i]);
      x.mass[i] = y[n + i];
    }
    return x;
  }

  //   int int e^{beta (x.y - 1)} by pairs; at beta = 0 |int x|^2
  EnergyParts energies_of(const State& y, double order) const {
    const std::vector<Place> at = places_of(y);
    EnergyParts parts;
    for (const Place& a : at)
      for (const Place& b : at) {
        const double sines = a.sine * b.sine;
        parts.pairs += a.mass * b.mass * kernel_.at(sines, a.cosine * b.cosine + sines).weight;
      }
    parts.pairs = 0.5 * (field_.beta > 0 ? parts.pairs / field_.beta : order * order);
    if (!potential_) return parts;
    for (std::size_t i = 0; i < at.size(); ++i)
      parts.potential += at[i].mass * values_of(*potential_, on_meridian(field_.d, y[i]))[0];
    return parts;
  }

  MeanFieldFrame read_meridian(const State& y) const {
    MeanFieldFrame frame;
    MeanFieldReading& r = frame.reading;
    const std::size_t n = y.size() / 2;
    std::vector<double> sum(kModesRead + 1);
    frame.density.resize(kBands);
    for (std::size_t i = 0; i < n; ++i) {
      const std::vector<double> p = zonal_values(field_.d, kModesRead, std::cos(y[i]));
      for (int k = 0; k <= kModesRead; ++k) sum[k] += y[n + i] * p[k];
      const double angle = std::acos(std::cos(y[i]));
      frame.density[std::min(static_cast<int>(angle / kBand), kBands - 1)] += y[n + i];
    }
    for (int c = 0; c < kBands; ++c)
      frame.density[c] /= kBand * std::exp(log_zonal_weight(field_.d, kBand * (c + 0.5)));
    for (int k = 0; k <= kModesRead; ++k)
      r.amplitude.push_back(std::fabs(sum[k]) / std::sqrt(harmonics(field_.d, k)));
    r.mean.assign(field_.d, 0);
    r.mean.back() = sum[1] / std::sqrt(static_cast<double>(field_.d));
    r.order = r.amplitude[1];
    set_energies(field_, energies_of(y, r.order), r);
    r.free_energy = std::numeric_limits<double>::quiet_NaN();
    const auto ends = std::minmax_element(frame.density.begin(), frame.density.end());
    r.min = *ends.first;
    r.max = *ends.second;
    return frame;
  }

  MeanField field_;
  int particles_;
  bool circle_;
  MeridianKernel kernel_;
  ParticleReader reader_;
  std::optional<Potential> potential_;
  std::vector<double> laplacian_{};  // particles have no noise
};

}  // namespace

std::unique_ptr<Continuum> make_cloud(const MeanField& field, int particles) {
  return std::make_unique<Cloud>(field, particles);
}

}  // namespace murmur::meanfield
