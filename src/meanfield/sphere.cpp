// sphere.cpp: densities on the sphere by their coefficients in spherical harmonics.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/forces.h"
#include "meanfield/continuum.h"
#include "meanfield/harmonics.h"
#include "murmur/theory.h"

namespace murmur::meanfield {

using Complex = std::complex<double>;

// Associated Legendre functions with int Y^2 dsigma = 1 for the uniform probability:
//   Y_l0 = Q_l0,   Y_lm = Q_lm cos m phi,   Y_l,-m = Q_lm sin m phi
// by the recurrences in l that stay accurate in all degrees (Holmes and Featherstone, J. Geodesy
// 76, 2002).
Legendre legendre_at(int degree, double cosine) {
  const double sine = std::sqrt((1 - cosine) * (1 + cosine));
  const auto size = static_cast<std::size_t>(legendre_index(degree, degree) + 1);
  Legendre q{std::vector<double>(size), std::vector<double>(size)};
  const auto at = [&](int l, int m) -> double& { return q.value[legendre_index(l, m)]; };
  at(0, 0) = 1;
  for (int m = 1; m <= degree; ++m)
    at(m, m) = sine * at(m - 1, m - 1) * (m == 1 ? std::sqrt(3.0) : std::sqrt(1 + 0.5 / m));
  for (int m = 0; m <= degree; ++m)
    for (int l = m + 1; l <= degree; ++l) {
      const double ll = l, mm = m, square = ll * ll - mm * mm;
      const double below = l > m + 1 ? at(l - 2, m) : 0, k = ll - 1;
      at(l, m) = std::sqrt((4 * ll * ll - 1) / square) *
                 (cosine * at(l - 1, m) -
                  (l > m + 1 ? std::sqrt((k * k - mm * mm) / (4 * k * k - 1)) : 0) * below);
    }
  for (int l = 1; l <= degree; ++l)
    for (int m = 0; m <= l; ++m) {
      const double ll = l, mm = m;
      const double below = m < l ? at(l - 1, m) : 0;
      q.slope[legendre_index(l, m)] =
          (ll * cosine * at(l, m) -
           std::sqrt((ll * ll - mm * mm) * (2 * ll + 1) / (2 * ll - 1)) * below) /
          sine;
    }
  return q;
}

// (harmonics up to `degree`) Y_lm(x) in the order of a state, l = 0 first.
std::vector<double> harmonics_at(int degree, const double* x) {
  // At a pole only m = 0 contributes, and no slope is needed.
  const Legendre q = legendre_at(degree, std::clamp(x[2], -1.0, 1.0));
  const double phi = std::atan2(x[1], x[0]);
  std::vector<double> y(static_cast<std::size_t>(degree + 1) * (degree + 1));
  for (int l = 0; l <= degree; ++l)
    for (int m = 0; m <= l; ++m) {
      const double value = q.value[legendre_index(l, m)];
      y[harmonic_index(l, m)] = value * std::cos(m * phi);
      if (m > 0) y[harmonic_index(l, -m)] = value * std::sin(m * phi);
    }
  return y;
}

std::vector<double> sphere_coefficients(const Measure& measure, int degree) {
  if (!measure.density.empty()) return grid_coefficients(measure, degree);
  std::vector<double> c(static_cast<std::size_t>(degree + 1) * (degree + 1));
  const Shares shares = shares_of(measure);
  c[0] = 1;
  // P_k = Y_k0 / sqrt(2k + 1)
  for (const Measure::Wave& w : measure.waves)
    if (w.k <= degree) c[harmonic_index(w.k, 0)] += 0.5 * w.eps * std::sqrt(2.0 * w.k + 1);
  const auto add = [&](const std::vector<double>& place, const std::vector<double>& height) {
    const std::vector<double> y = harmonics_at(degree, place.data());
    for (int l = 1; l <= degree; ++l)
      for (int m = -l; m <= l; ++m) c[harmonic_index(l, m)] += height[l] * y[harmonic_index(l, m)];
  };
  for (std::size_t b = 0; b < measure.bumps.size(); ++b) {
    std::vector<double> height = {shares.bumps[b]};  // i_l / i_0
    for (int l = 1; l <= degree; ++l)
      height.push_back(measure.bumps[b].kappa > 0
                           ? height.back() * theory::bessel_ratio(l - 0.5, measure.bumps[b].kappa)
                           : 0);
    add(measure.bumps[b].centre, height);
  }
  for (std::size_t a = 0; a < measure.atoms.size(); ++a)
    add(measure.atoms[a].place, std::vector<double>(degree + 1, shares.atoms[a]));
  return c;
}

namespace {

// State: c_lm = int Y_lm dmu for l = 1 .. L, m = -l .. l. Over the uniform density,
//   density = sum c_lm Y_lm,   Z = sum value_l c_lm Y_lm,   G = grad sum slope_l c_lm Y_lm
//   c_lm'   = int density <v, grad Y_lm> dsigma,   v = sign G / Z (SA), sign clock G (USA), plus
//             the perceptron's; on a Gauss grid of latitudes that integrates degree 3 L exactly
class Sphere final : public Continuum {
 public:
  Sphere(const MeanField& field, int degree)
      : field_(field),
        degree_(degree),
        kernel_(kernel_of(3, field.beta, degree + 1)),
        fourier_(power_of_two(3 * degree + 1)),
        gauss_(gauss_legendre((3 * degree + 2) / 2)),
        rows_(static_cast<int>(gauss_.node.size())),
        density_row_(fourier_.size()),
        weight_row_(fourier_.size()) {
    for (int l = 1; l <= degree; ++l)
      laplacian_.insert(laplacian_.end(), 2 * l + 1, static_cast<double>(l) * (l + 1));
    for (int j = 0; j < rows_; ++j) table_.push_back(legendre_at(degree, gauss_.node[j]));
    if (field.perceptron) find_perceptron();
    if (const auto potential = meanfield::potential_of(field))
      potential_ = values_of(*potential, cells());
  }

  State start(const Measure& measure) const override {
    const std::vector<double> c = sphere_coefficients(measure, degree_);
    return {c.begin() + 1, c.end()};
  }

  const std::vector<double>& laplacian() const override { return laplacian_; }

  void flow(const State& y, const State& seen, State& change) override {
    const bool divided = field_.weighting == Attention::softmax;
    const double scale = (field_.repulsive ? -1 : 1) * clock_scale(field_);
    const int size = fourier_.size();
    change.assign(y.size(), 0);
    for (int j = 0; j < rows_; ++j) {
      synthesise(y, seen, j);  // density + i Z and G_theta + i G_phi
      for (int g = 0; g < size; ++g) {
        const double term = scale / (divided ? density_row_[g].imag() : 1);
        Complex v = term * weight_row_[g];
        if (!perceptron_.empty()) v += perceptron_[static_cast<std::size_t>(j) * size + g];
        weight_row_[g] = density_row_[g].real() * v;
      }
      fourier_.transform(weight_row_.data());
      analyse(j, change);
    }
  }

  MeanFieldFrame read(const State& y) override {
    MeanFieldFrame frame;
    std::vector<double> weight;
    for (int j = 0; j < rows_; ++j) {
      synthesise(y, y, j);
      for (int g = 0; g < fourier_.size(); ++g) {
        frame.density.push_back(density_row_[g].real());
        weight.push_back(0.5 * gauss_.weight[j] / fourier_.size());
      }
    }
    MeanFieldReading& r = frame.reading;
    const auto ends = std::minmax_element(frame.density.begin(), frame.density.end());
    r.min = *ends.first;
    r.max = *ends.second;
    std::vector<double> amplitude = {1};
    for (int l = 1; l <= degree_; ++l) {
      double square = 0;
      for (int m = -l; m <= l; ++m)
        square += y[harmonic_index(l, m) - 1] * y[harmonic_index(l, m) - 1];
      amplitude.push_back(std::sqrt(square / (2 * l + 1)));
    }
    std::vector<double> held = amplitude;  // the norm of all c_lm of a degree
    for (int l = 1; l <= degree_; ++l) held[l] *= std::sqrt(2.0 * l + 1);
    r.tail = tail_of(kernel_, held);
    set_energies(field_,
                 {pairs_of(field_, kernel_, amplitude), mean_of(potential_, frame.density, weight),
                  entropy_of(frame.density, weight)},
                 r);
    const double root = std::sqrt(3.0);  // Y_1 = sqrt(3) x
    r.mean = {y[harmonic_index(1, 1) - 1] / root, y[harmonic_index(1, -1) - 1] / root,
              y[harmonic_index(1, 0) - 1] / root};
    r.order = amplitude[1];
    amplitude.resize(kModesRead + 1);
    r.amplitude = amplitude;
    return frame;
  }

  std::vector<double> cells() const override {
    std::vector<double> x;
    for (int j = 0; j < rows_; ++j)
      for (int g = 0; g < fourier_.size(); ++g) {
        const double z = gauss_.node[j], s = std::sqrt((1 - z) * (1 + z));
        const double phi = 2 * std::numbers::pi * g / fourier_.size();
        x.insert(x.end(), {s * std::cos(phi), s * std::sin(phi), z});
      }
    return x;
  }

 private:
  // sum_m of (A_m cos m phi + B_m sin m phi) is Re (A_m - i B_m) e^{i m phi}; two real rows share a
  // transform as real and imaginary part.
  struct Order {
    Complex density, weight, north, east;  // A_m - i B_m of each row
  };

  Order order_at(const State& y, const State& seen, int j, int m) const {
    const double sine = std::sqrt((1 - gauss_.node[j]) * (1 + gauss_.node[j]));
    Order o{};
    if (m == 0) {
      o.density = 1;
      o.weight = kernel_.value[0];
    }
    for (int l = std::max(m, 1); l <= degree_; ++l) {
      const auto c_of = [&](const State& of) {
        return Complex(of[harmonic_index(l, m) - 1], m > 0 ? -of[harmonic_index(l, -m) - 1] : 0);
      };
      const Complex c = c_of(seen);
      const int at = legendre_index(l, m);
      const double q = table_[j].value[at], slope = kernel_.slope[l];
      o.density += q * c_of(y);
      o.weight += (kernel_.value[l] * q) * c;
      o.north += (slope * table_[j].slope[at]) * c;
      o.east += (slope * q) * c;
    }
    o.east *= Complex(0, m / sine);  // d/dphi
    return o;
  }

  void synthesise(const State& y, const State& seen, int j) {
    const int size = fourier_.size();
    std::fill(density_row_.begin(), density_row_.end(), 0);
    std::fill(weight_row_.begin(), weight_row_.end(), 0);
    const Complex i(0, 1);
    for (int m = 0; m <= degree_; ++m) {
      const Order o = order_at(y, seen, j, m);
      if (m == 0) {
        density_row_[0] = o.density + i * o.weight;
        weight_row_[0] = o.north + i * o.east;
        continue;
      }
      density_row_[m] = 0.5 * (o.density + i * o.weight);
      density_row_[size - m] = 0.5 * (std::conj(o.density) + i * std::conj(o.weight));
      weight_row_[m] = 0.5 * (o.north + i * o.east);
      weight_row_[size - m] = 0.5 * (std::conj(o.north) + i * std::conj(o.east));
    }
    fourier_.transform(density_row_.data());
    fourier_.transform(weight_row_.data());
  }

  // Adds the contribution of a row to int <flux, grad Y_lm>; the row holds the transform of north +
  // i east.
  void analyse(int j, State& change) const {
    const int size = fourier_.size();
    const double sine = std::sqrt((1 - gauss_.node[j]) * (1 + gauss_.node[j]));
    const double share = 0.5 * gauss_.weight[j] / size;
    for (int m = 0; m <= degree_; ++m) {
      const Complex plus = weight_row_[m], minus = std::conj(weight_row_[(size - m) % size]);
      // sums over the row of north and east times e^{i m phi}
      const Complex north = share * 0.5 * (plus + minus);
      const Complex east = share * Complex(0, -0.5) * (plus - minus);
      for (int l = std::max(m, 1); l <= degree_; ++l) {
        const int at = legendre_index(l, m);
        const double slope = table_[j].slope[at], turn = m * table_[j].value[at] / sine;
        change[harmonic_index(l, m) - 1] += slope * north.real() - turn * east.imag();
        if (m > 0) change[harmonic_index(l, -m) - 1] += slope * north.imag() + turn * east.real();
      }
    }
  }

  // north + i east of the perceptron, with d/dtheta pointing south of the pole theta = 0
  void find_perceptron() {
    const std::vector<double> x = cells();
    for (std::size_t p = 0; p < x.size(); p += 3) {
      double drift[] = {0, 0, 0};
      add_perceptron_at(*field_.perceptron, &x[p], drift);
      const double s = std::hypot(x[p], x[p + 1]), c = x[p] / s, e = x[p + 1] / s;
      perceptron_.emplace_back(x[p + 2] * (c * drift[0] + e * drift[1]) - s * drift[2],
                               c * drift[1] - e * drift[0]);
    }
  }

  MeanField field_;
  int degree_;
  Kernel kernel_;
  Fourier fourier_;
  Gauss gauss_;
  int rows_;
  std::vector<Legendre> table_;  // (rows)
  Wave density_row_, weight_row_;
  Wave perceptron_;                // (rows, longitudes)
  std::vector<double> potential_;  // (rows, longitudes) V; empty: none
  std::vector<double> laplacian_;
};

}  // namespace

std::unique_ptr<Continuum> make_sphere(const MeanField& field, int modes) {
  return std::make_unique<Sphere>(field, modes);
}

}  // namespace murmur::meanfield
