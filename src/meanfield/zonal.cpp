// zonal.cpp: densities symmetric about an axis of R^d by their coefficients in Gegenbauer's
// polynomials.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/forces.h"
#include "meanfield/continuum.h"
#include "meanfield/harmonics.h"
#include "murmur/theory.h"

namespace murmur::meanfield {

namespace {

double recurrence(int d, double k) {  // b_k
  return std::sqrt(k * (k + d - 3) / ((2 * k + d - 2) * (2 * k + d - 4)));
}

bool on_axis(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end() - 1, [](double v) { return std::fabs(v) < 1e-9; });
}

}  // namespace

std::vector<double> zonal_values(int d, int degree, double s) {
  std::vector<double> p(degree + 1, 1);
  if (degree > 0) p[1] = s * std::sqrt(static_cast<double>(d));
  for (int k = 1; k < degree; ++k)
    p[k + 1] = (s * p[k] - recurrence(d, k) * p[k - 1]) / recurrence(d, k + 1);
  return p;
}

std::vector<double> zonal_slopes(int d, int degree, double theta) {
  std::vector<double> slope(degree + 1);
  if (degree == 0) return slope;
  const std::vector<double> above = zonal_values(d + 2, degree - 1, std::cos(theta));
  for (int k = 1; k <= degree; ++k)
    slope[k] = -std::sin(theta) * std::sqrt(k * (k + d - 2.0) * d / (d - 1.0)) * above[k - 1];
  return slope;
}

// Eigenvalues of the matrix of the recurrence (Golub and Welsch 1969), one step of Newton's method,
// and
//   w_j = 1 / sum_{k < count} p_k(s_j)^2
Gauss gauss_zonal(int d, int count) {
  Eigen::VectorXd off(std::max(count - 1, 0));
  for (int k = 1; k < count; ++k) off[k - 1] = recurrence(d, k);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::VectorXd::Zero(count), off, Eigen::EigenvaluesOnly);
  Gauss gauss{std::vector<double>(count), std::vector<double>(count)};
  for (int j = 0; 2 * j < count; ++j) {
    const int mirrored = count - 1 - j;
    double s = mirrored == j ? 0 : std::min(solver.eigenvalues()[mirrored], 1.0);
    const double slope =
        zonal_slopes(d, count, std::acos(s)).back() / -std::sqrt((1 - s) * (1 + s));
    if (mirrored != j) s -= zonal_values(d, count, s).back() / slope;
    const std::vector<double> p = zonal_values(d, count - 1, s);
    gauss.node[mirrored] = -s;
    gauss.node[j] = s;
    gauss.weight[j] = gauss.weight[mirrored] =
        1 / std::inner_product(p.begin(), p.end(), p.begin(), 0.0);
  }
  return gauss;
}

std::vector<double> zonal_coefficients(const Measure& measure, int d, int degree) {
  std::vector<double> y(degree + 1);
  const Shares shares = shares_of(measure);
  y[0] = 1;
  for (const Measure::Wave& w : measure.waves)
    if (w.k <= degree) y[w.k] += 0.5 * w.eps * std::sqrt(harmonics(d, w.k));
  const auto add = [&](double side, const std::vector<double>& height) {
    for (int k = 1; k <= degree; ++k)
      y[k] += std::sqrt(harmonics(d, k)) * height[k] * (side < 0 && k % 2 == 1 ? -1 : 1);
  };
  for (std::size_t b = 0; b < measure.bumps.size(); ++b) {
    const Measure::Bump& bump = measure.bumps[b];
    std::vector<double> height = {shares.bumps[b]};  // I_{k + d/2 - 1} / I_{d/2 - 1}
    for (int k = 1; k <= degree; ++k)
      height.push_back(
          bump.kappa > 0 ? height.back() * theory::bessel_ratio(k + d / 2.0 - 2, bump.kappa) : 0);
    add(bump.centre.back(), height);
  }
  for (std::size_t a = 0; a < measure.atoms.size(); ++a)
    add(measure.atoms[a].place.back(), std::vector<double>(degree + 1, shares.atoms[a]));
  return y;
}

double log_zonal_weight(int d, double theta) {
  return std::lgamma(d / 2.0) - std::lgamma((d - 1) / 2.0) - 0.5 * std::log(std::numbers::pi) +
         (d - 2) * std::log(std::sin(theta));
}

bool is_zonal(const Measure& measure) {
  return std::all_of(measure.bumps.begin(), measure.bumps.end(),
                     [](const Measure::Bump& b) { return on_axis(b.centre); }) &&
         std::all_of(measure.atoms.begin(), measure.atoms.end(),
                     [](const Measure::Atom& a) { return on_axis(a.place); });
}

// W_in depends only on the last coordinate, and W_out and its bias point along it.
bool is_zonal(const Perceptron& p) {
  for (int h = 0; h < p.in.rows; ++h)
    for (int k = 0; k + 1 < p.in.cols; ++k)
      if (p.in(h, k) != 0) return false;
  for (int k = 0; k + 1 < p.out.rows; ++k)
    for (int h = 0; h < p.out.cols; ++h)
      if (p.out(k, h) != 0) return false;
  return std::all_of(p.out_bias.begin(),
                     p.out_bias.empty() ? p.out_bias.end() : p.out_bias.end() - 1,
                     [](double v) { return v == 0; });
}

std::vector<double> on_meridian(int d, double theta) {
  std::vector<double> x(d);
  x.front() = std::sin(theta);
  x.back() = std::cos(theta);
  return x;
}

double meridian_drift(const Perceptron& perceptron, int d, double theta) {
  const std::vector<double> x = on_meridian(d, theta);
  std::vector<double> drift(d);
  add_perceptron_at(perceptron, x.data(), drift.data());
  return x.back() * drift.front() - x.front() * drift.back();
}

namespace {

// State: y_k = int p_k dmu for k = 1 .. L. Over the uniform density,
//   density = sum y_k p_k,   Z = sum value_k y_k p_k,   G = d/dtheta sum slope_k y_k p_k
//   y_k'    = int density v dp_k/dtheta dsigma,   v = sign G / Z (SA), sign clock G (USA), plus the
//             perceptron's; on Gauss's nodes, which integrate degree 3 L exactly
class Zonal final : public Continuum {
 public:
  Zonal(const MeanField& field, int degree)
      : field_(field),
        degree_(degree),
        kernel_(kernel_of(field.d, field.beta, degree + 1)),
        gauss_(gauss_zonal(field.d, (3 * degree + 2) / 2)) {
    for (int k = 1; k <= degree; ++k) laplacian_.push_back(k * (k + field.d - 2.0));
    for (const double s : gauss_.node) {
      const double theta = std::acos(s);
      value_.push_back(zonal_values(field.d, degree, s));
      slope_.push_back(zonal_slopes(field.d, degree, theta));
      perceptron_.push_back(field.perceptron ? meridian_drift(*field.perceptron, field.d, theta)
                                             : 0);
    }
    if (const auto potential = meanfield::potential_of(field))
      potential_ = values_of(*potential, cells());
  }

  State start(const Measure& measure) const override {
    const std::vector<double> y = zonal_coefficients(measure, field_.d, degree_);
    return {y.begin() + 1, y.end()};
  }

  const std::vector<double>& laplacian() const override { return laplacian_; }

  void flow(const State& y, const State& seen, State& change) override {
    const bool divided = field_.weighting == Attention::softmax;
    const double scale = (field_.repulsive ? -1 : 1) * clock_scale(field_);
    change.assign(y.size(), 0);
    for (std::size_t j = 0; j < value_.size(); ++j) {
      double density = 1, z = kernel_.value[0], g = 0;
      for (int k = 1; k <= degree_; ++k) {
        density += y[k - 1] * value_[j][k];
        z += kernel_.value[k] * seen[k - 1] * value_[j][k];
        g += kernel_.slope[k] * seen[k - 1] * slope_[j][k];
      }
      const double flux =
          gauss_.weight[j] * density * (scale * g / (divided ? z : 1) + perceptron_[j]);
      for (int k = 1; k <= degree_; ++k) change[k - 1] += flux * slope_[j][k];
    }
  }

  MeanFieldFrame read(const State& y) override {
    MeanFieldFrame frame;
    MeanFieldReading& r = frame.reading;
    std::vector<double> held = {1}, amplitude = {1};  // |y_k|, and of one harmonic
    for (int k = 1; k <= degree_; ++k) {
      held.push_back(std::fabs(y[k - 1]));
      amplitude.push_back(held.back() / std::sqrt(harmonics(field_.d, k)));
    }
    const double size = std::sqrt(std::inner_product(held.begin(), held.end(), held.begin(), 0.0));
    r.tail = std::fmax(tail_of(kernel_, held), std::numeric_limits<double>::epsilon() * size);
    read_density(y, size, frame);
    set_energies(
        field_,
        {pairs_of(field_, kernel_, amplitude), mean_of(potential_, frame.density, gauss_.weight),
         entropy_of(frame.density, gauss_.weight)},
        r);
    r.mean.assign(field_.d, 0);
    r.mean.back() = y[0] / std::sqrt(static_cast<double>(field_.d));
    r.order = amplitude[1];
    amplitude.resize(kModesRead + 1);
    r.amplitude = amplitude;
    return frame;
  }

  std::vector<double> cells() const override {
    std::vector<double> x;
    for (const double s : gauss_.node) {
      const std::vector<double> at = on_meridian(field_.d, std::acos(s));
      x.insert(x.end(), at.begin(), at.end());
    }
    return x;
  }

 private:
  // Near the poles in high dimension the uniform law has almost no mass, and the polynomials are so
  // large that errors of the coefficients, about 1e-11 |y|, exceed the density. The density is set
  // to 0 there.
  void read_density(const State& y, double size, MeanFieldFrame& frame) const {
    MeanFieldReading& r = frame.reading;
    r.min = std::numeric_limits<double>::infinity();
    r.max = 0;
    for (const std::vector<double>& p : value_) {
      double density = 1, square = 1;
      for (int k = 1; k <= degree_; ++k) {
        density += y[k - 1] * p[k];
        square += p[k] * p[k];
      }
      const double error = 1e-11 * size * std::sqrt(square);
      const bool hidden = error > 1e-9 && std::fabs(density) < 10 * error;
      frame.density.push_back(hidden ? 0 : density);
      if (hidden) continue;
      r.min = std::fmin(r.min, density);
      r.max = std::fmax(r.max, density);
    }
  }

  MeanField field_;
  int degree_;
  Kernel kernel_;
  Gauss gauss_;
  std::vector<std::vector<double>> value_, slope_;  // (nodes, degrees + 1)
  std::vector<double> perceptron_;                  // (nodes) its angular velocity
  std::vector<double> potential_;                   // (nodes) V; empty: none
  std::vector<double> laplacian_;
};

}  // namespace

std::unique_ptr<Continuum> make_zonal(const MeanField& field, int modes) {
  return std::make_unique<Zonal>(field, modes);
}

}  // namespace murmur::meanfield
