// cloud.cpp: laws as particles on the circle, or on a meridian of a law symmetric about an axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/perceptron_at.h"
#include "meanfield/continuum.h"
#include "meanfield/particles.h"
#include "meanfield/zonal.h"
#include "murmur/error.h"
#include "murmur/stop.h"
#include "murmur/theory.h"

namespace murmur::meanfield {

namespace {

// The mean of e^{beta (x.y - 1)} over the places y at angle b from the axis, for x at angle a:
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

// State: n angles, then n masses, which stay. On the circle an angle is that of a place; on a
// meridian that to the axis, and the particle stands for all places at that angle.
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

  // Angles and masses of all, the masses weighed.
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

  // The density on Gauss's nodes as masses; those below 1e-18 are left out.
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
                  fmt::format("the particles are too few for the start: mass {:.7g}", sum),
                  "particles", "use more particles, or a smoother start");
    for (double& m : masses) m /= sum;
    angles.insert(angles.end(), masses.begin(), masses.end());
    return angles;
  }

  // Over the uniform density; a bump's is e^{kappa s} / lambda_0(kappa).
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
  std::vector<double> laplacian_{};  // particles here have no noise
};

}  // namespace

std::unique_ptr<Continuum> make_cloud(const MeanField& field, int particles) {
  return std::make_unique<Cloud>(field, particles);
}

}  // namespace murmur::meanfield
