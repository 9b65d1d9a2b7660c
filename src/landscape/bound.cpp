// bound.cpp: lower bounds of the first variation near a point: Taylor series with a remainder.
#include <algorithm>
#include <array>
#include <cmath>

#include "landscape/terrain.h"

namespace murmur::landscape {

namespace {

// |F'''| along great circles. Of the kernel, with s = x . x_j along one,
//   (e^{beta s} / beta)''' = e^{beta s} s' (beta^2 s'^2 - 3 beta s - 1).
// Everywhere: s = 1 - w / (2 beta) and s'^2 <= w / beta make it at most, over k(1) sqrt beta,
// sqrt w e^{-w/2} times max(w, 3 + 1/beta) or, where 3 beta s + 1 < 0, times w + 3; their maxima
// are below .607 (3 + 1/beta) and 2.63.
double kernel_third(double beta) { return 2.63 * std::sqrt(beta) + 0.61 / std::sqrt(beta); }

// Within rho of a point where x . x_j = s: relative to k at the nearest point, `nearest`.
double near_third(double beta, double s, double rho, double& nearest) {
  const double cosine = std::cos(rho), sine = std::sin(rho), across = std::sqrt(1 - s * s);
  nearest = s >= cosine ? 1 : std::min(1.0, s * cosine + across * sine);
  const double farthest = -s >= cosine ? -1 : s * cosine - across * sine;
  const double steep =
      std::fabs(s) <= sine ? 1 : std::min(1.0, across * cosine + std::fabs(s) * sine);
  const double square = beta * beta * steep * steep;
  return steep * std::max(square + 3 * beta * std::max(0.0, -farthest),
                          std::max(0.0, 3 * beta * nearest + 1));
}

// Sources y of any length L, as those D x_j are: e^{beta x.y} / beta is L e^{b s} / b with b = beta
// L and s the cosine, so that L times the bounds above at b hold. Without length it is constant.

// Of a unit, z = a . x along a great circle: phi(z)''' = s'' z'^3 - 3 s' z z' - s z', s the
// activation; |omega| |a|^2 times the first plus |omega| |a|^3 times the second is no less.
// s'' of tanh is at most 4 / (3 sqrt 3), that of gelu at most 2 / sqrt(2 pi), that of relu 0.
double unit_third(Perceptron::Activation kind) { return kind == Perceptron::gelu ? 2.2 : 2; }
double unit_third_cubed(Perceptron::Activation kind) {
  return kind == Perceptron::tanh ? 0.77 : kind == Perceptron::gelu ? 0.798 : 0;
}

// sum over terms of weight e, slope e y and curvature c y y^t at a point of the circle or of S^2.
struct Taylor {
  int d;
  double value = 0;
  std::array<double, 3> gradient{};
  std::array<std::array<double, 3>, 3> second{};

  void bend(const double* y, double c) {
    for (int i = 0; i < d; ++i)
      for (int k = 0; k < d; ++k) second[i][k] += c * y[i] * y[k];
  }
  void add(const double* y, double e, double c) {
    for (int i = 0; i < d; ++i) gradient[i] += e * y[i];
    bend(y, c);
  }
};

// The least eigenvalue of T^t S T - (x . g) I, T a frame of the tangent space.
double min_eigenvalue(const Taylor& f, const VectorXd& x) {
  const MatrixXd t = frame(x);
  double along = 0, m[2][2] = {};
  for (int i = 0; i < f.d; ++i) along += x[i] * f.gradient[i];
  for (int p = 0; p < f.d - 1; ++p)
    for (int q = 0; q < f.d - 1; ++q)
      for (int i = 0; i < f.d; ++i)
        for (int k = 0; k < f.d; ++k) m[p][q] += t(i, p) * f.second[i][k] * t(k, q);
  if (f.d == 2) return m[0][0] - along;
  return (m[0][0] + m[1][1]) / 2 - std::hypot((m[0][0] - m[1][1]) / 2, m[0][1]) - along;
}

}  // namespace

//   sign F >= f - |g| t + l t^2 / 2 - C rho^3 / 6,   t <= rho,
// f, g, l value, slope and least eigenvalue of the second derivative of sign F at x, C a bound of
// its third. A relu unit whose edge may lie within rho has the second derivative 0 where it is
// convex in sign F and omega a a^t where it is concave; the error of that is below
// 2 |omega| |a|^2 rho^4. Where |F''| <= B gives a higher bound, f - |g| rho - B rho^2 / 2.
Floor Terrain::floor_near(const Cloud& mu, const VectorXd& x, double rho) const {
  Taylor f{d_};
  double third = 0, units_third = 0, edges = 0;
  MatrixXd scratch;
  const MatrixXd& sources_of = sources(mu.x, scratch);
  double pairs_third = 0, pairs_second = 0;  // over the whole sphere
  for (int j = 0; j < mu.count(); ++j) {
    const double* y = &sources_of(0, j);
    const double length = has_matrix() ? sources_of.col(j).norm() : 1;
    double s = 0, nearest = 1;
    for (int k = 0; k < d_; ++k) s += y[k] * x[k];
    s = std::clamp(s, -length, length);
    const double e = sign_ * mu.m[j] * kernel(s);
    f.value += e / beta_;
    if (length == 0) continue;
    f.add(y, e, beta_ * e);
    const double sharp = beta_ * length, weight = mu.m[j] * length;
    const double most = near_third(sharp, std::clamp(s / length, -1.0, 1.0), rho, nearest);
    third += weight * kernel(length * nearest) * most;
    pairs_third += weight * kernel(length) * kernel_third(sharp);
    pairs_second += weight * kernel(length);
  }
  for (int m = 0; m < units(); ++m) {
    const std::array<double, 3> a{a_(m, 0), a_(m, 1), d_ == 3 ? a_(m, 2) : 0};
    double z = 0, square = 0;
    for (int k = 0; k < d_; ++k) {
      z += a[k] * x[k];
      square += a[k] * a[k];
    }
    const double w = sign_ * omega_[m];
    const bool edge = activation_ == Perceptron::relu && z * z <= square * rho * rho;
    f.value += w * primitive(activation_, z);
    f.add(a.data(), w * activation(z), edge ? std::min(w, 0.0) : w * activation_slope(z));
    units_third += std::fabs(w) * square *
                   (unit_third(activation_) + unit_third_cubed(activation_) * std::sqrt(square));
    if (edge) edges += 2 * std::fabs(w) * square;
  }
  double steep = 0, along = 0;
  for (int k = 0; k < d_; ++k) along += x[k] * f.gradient[k];
  for (int k = 0; k < d_; ++k) steep = std::hypot(steep, f.gradient[k] - along * x[k]);
  const double bend = has_matrix() ? pairs_second + unit_curvature_ : curvature_;
  Floor floor{f.value, f.value - steep * rho - bend * rho * rho / 2};
  if (rho > 0.5) return floor;
  if (!has_matrix()) pairs_third = most_kernel() * kernel_third(beta_);
  third = std::min(third, pairs_third) + units_third;
  const double min = min_eigenvalue(f, x);
  const double t = min > 0 ? std::min(rho, steep / min) : rho;
  const double cube = rho * rho * rho;
  floor.min = std::max(floor.min,
                       f.value + (min * t / 2 - steep) * t - third * cube / 6 - edges * cube * rho);
  return floor;
}

}  // namespace murmur::landscape
