// terrain.cpp: energy, first variation and its derivatives in closed form, and lower bounds of the
// first variation near a point.
#include "landscape/terrain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>

#include "murmur/error.h"
#include "murmur/stop.h"

namespace murmur::landscape {

namespace {

constexpr double kLeastBeta = 1e-4;  // below this, k / beta is so large that its changes are lost
constexpr double kMostBeta = 700;    // e^beta is finite
constexpr double kMostScaledBeta = 1e6;   // beta times the rounding of a cosine is negligible
constexpr double kSkew = 1e-12;           // of D, relative to its largest entry
constexpr double kSameEigenvalue = 1e-9;  // of D, relative to |D|

void require(bool fine, const char* what, const char* where, const char* remedy) {
  if (!fine) throw Error(Fault::input, what, where, remedy);
}

// Compares relative to the largest entry, since products Q^T K are symmetric only up to rounding.
void check_matrix(const Landscape& l) {
  require(l.matrix.rows == l.d && l.matrix.cols == l.d, "D has another number of rows or columns",
          "matrix", "give D of shape (d, d)");
  double largest = 0, skew = 0;
  for (int i = 0; i < l.d; ++i)
    for (int j = 0; j < l.d; ++j) {
      require(std::isfinite(l.matrix(i, j)), "D is not finite", "matrix", "give finite numbers");
      largest = std::max(largest, std::fabs(l.matrix(i, j)));
      skew = std::max(skew, std::fabs(l.matrix(i, j) - l.matrix(j, i)));
    }
  require(largest > 0, "D is zero, and every measure has the same energy", "matrix",
          "give a matrix that is not zero");
  require(skew <= kSkew * largest,
          "D = Q^T K is not symmetric, and the value D y is the gradient of no energy", "matrix",
          "give a symmetric D, for example goe, psd or matrix:2,0;0,1");
}

void check(const Landscape& l) {
  require(l.d >= 2, "a sphere has at least two coordinates", "d", "give d of at least 2");
  require(l.beta > 0 && std::isfinite(l.beta), "the energy divides by beta", "beta",
          "give beta above 0");
  require(l.beta >= kLeastBeta, "beta is so small that k / beta loses significant digits", "beta",
          "give beta of at least 1e-4");
  require(!l.matrix.empty() || l.kernel == Landscape::scaled || l.beta <= kMostBeta,
          "e^beta overflows", "beta", "use the scaled kernel, or beta up to 700");
  require(l.beta <= kMostScaledBeta, "beta is so large that rounding errors matter", "beta",
          "give beta up to 1e6");
  if (!l.matrix.empty()) check_matrix(l);
  require(l.a.rows == static_cast<int>(l.omega.size()),
          "weights and directions of the units differ in number", "omega",
          "give one omega per unit");
  require(l.a.empty() || l.a.cols == l.d, "the units have another number of coordinates", "a",
          "give a of shape (h, d)");
  for (const double value : l.a.data)
    require(std::isfinite(value), "a is not finite", "a", "give finite numbers");
  for (const double value : l.omega)
    require(std::isfinite(value), "omega is not finite", "omega", "give finite numbers");
}

double lipschitz(Perceptron::Activation kind) {
  // gelu: Phi(z) + z pdf(z) peaks at z = sqrt 2 with 1.12890...
  return kind == Perceptron::gelu ? 1.129 : 1;
}

double normal_cdf(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }
double normal_pdf(double z) {
  return std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

}  // namespace

Terrain::Terrain(const Landscape& l)
    : d_(l.d),
      beta_(l.beta),
      sign_(l.direction == Landscape::descent ? 1 : -1),
      activation_(l.activation) {
  check(l);
  shift_ = l.kernel == Landscape::scaled ? 1 : 0;
  set_matrix(l.matrix);
  a_.resize(l.a.rows, d_);
  omega_ = Eigen::Map<const VectorXd>(l.omega.data(), l.a.rows);
  for (int m = 0; m < l.a.rows; ++m)
    for (int k = 0; k < d_; ++k) a_(m, k) = l.a(m, k);
  unit_scale_ = omega_.cwiseAbs().dot(a_.rowwise().squaredNorm());
  const double pairs = has_matrix() ? norm_ * most_kernel() : most_kernel();
  scale_ = pairs + unit_scale_;
  unit_curvature_ = lipschitz(activation_) * unit_scale_;
  curvature_ = pairs + unit_curvature_;
}

// The identity is not stored: without a matrix an atom has no force on itself, and more digits are
// kept.
void Terrain::set_matrix(const Matrix& matrix) {
  if (is_identity(matrix)) return;
  matrix_.resize(d_, d_);
  for (int i = 0; i < d_; ++i)
    for (int j = 0; j < d_; ++j) matrix_(i, j) = (matrix(i, j) + matrix(j, i)) / 2;
  const Spectrum spectrum = spectrum_of(matrix_);
  least_ = spectrum.values[0];
  most_ = spectrum.values[d_ - 1];
  norm_ = std::max(std::fabs(least_), std::fabs(most_));
  require(beta_ * (norm_ - shift_) <= kMostBeta, "e^{beta |D|} overflows", "beta",
          "give a smaller beta or D: beta |D| up to 700, with the scaled kernel beta (|D| - 1)");
  require(beta_ * norm_ >= kLeastBeta && beta_ * norm_ <= kMostScaledBeta,
          "beta |D| is so small or so large that digits are lost", "beta",
          "give beta |D| from 1e-4 to 1e6");
  for (int first = 0, last = 0; first < d_; first = last) {
    while (last < d_ && spectrum.values[last] - spectrum.values[first] <= kSameEigenvalue * norm_)
      ++last;
    eigenspaces_.emplace_back(spectrum.vectors.middleCols(first, last - first));
  }
}

// Eigenvalues that are negative only by rounding count as 0.
bool Terrain::is_convex() const { return sign_ > 0 && least_ >= -1e-14 * d_ * norm_; }

const MatrixXd& Terrain::sources(const MatrixXd& x, MatrixXd& scratch) const {
  if (!has_matrix()) return x;
  scratch.noalias() = matrix_ * x;
  return scratch;
}

MatrixXd Terrain::scores_between(const MatrixXd& x, const MatrixXd& y) const {
  MatrixXd scratch;
  return x.transpose() * sources(y, scratch);
}

double Terrain::activation(double z) const {
  if (activation_ == Perceptron::relu) return z > 0 ? z : 0;
  return activation_ == Perceptron::gelu ? z * normal_cdf(z) : std::tanh(z);
}

double Terrain::activation_slope(double z) const {
  if (activation_ == Perceptron::relu) return z > 0 ? 1 : 0;
  if (activation_ == Perceptron::gelu) return normal_cdf(z) + z * normal_pdf(z);
  const double t = std::tanh(z);
  return 1 - t * t;
}

double Terrain::kernel(double s) const { return std::exp(beta_ * (s - shift_)); }

std::vector<MatrixXd> Terrain::symmetric_spaces() const {
  MatrixXd all = MatrixXd::Zero(d_, std::max(1, units()));
  for (int m = 0; m < units(); ++m)
    if (omega_[m] != 0) all.col(m) = a_.row(m).transpose();
  if (!has_matrix()) return {orthogonal_to_columns(all, 1e-12)};
  std::vector<MatrixXd> spaces;
  for (const MatrixXd& space : eigenspaces_)
    spaces.emplace_back(space * orthogonal_to_columns(space.transpose() * all, 1e-12));
  return spaces;
}

double Terrain::potential(const VectorXd& x) const {
  double sum = 0;
  for (int m = 0; m < units(); ++m) sum += omega_[m] * primitive(activation_, a_.row(m).dot(x));
  return sum;
}

double Terrain::value(const Cloud& mu, const VectorXd& x) const {
  MatrixXd scratch;
  const MatrixXd& y = sources(mu.x, scratch);
  double sum = 0;
  for (int j = 0; j < mu.count(); ++j) sum += mu.m[j] * kernel(y.col(j).dot(x));
  return sum / beta_ + potential(x);
}

//   grad F = sum_j m_j k(x . D x_j) D x_j + sum_m omega_m s(a_m . x) a_m
double Terrain::slope(const Cloud& mu, const VectorXd& x, VectorXd& gradient) const {
  MatrixXd scratch;
  const MatrixXd& y = sources(mu.x, scratch);
  double sum = 0;
  gradient.setZero(d_);
  for (int j = 0; j < mu.count(); ++j) {
    const double weight = mu.m[j] * kernel(y.col(j).dot(x));
    sum += weight;
    gradient += weight * y.col(j);
  }
  double value = sum / beta_;
  add_units(x, &value, gradient);
  return value;
}

void Terrain::add_units(const VectorXd& x, double* value, Eigen::Ref<VectorXd> gradient) const {
  for (int m = 0; m < units(); ++m) {
    const double z = a_.row(m).dot(x);
    gradient += omega_[m] * activation(z) * a_.row(m).transpose();
    if (value != nullptr) *value += omega_[m] * primitive(activation_, z);
  }
}

//   F'' = beta sum_j m_j k(x . D x_j) D x_j (D x_j)^t + sum_m omega_m s'(a_m . x) a_m a_m^t
Local Terrain::local(const Cloud& mu, const VectorXd& x, int left_out) const {
  Local here;
  Cloud others = mu;
  if (left_out >= 0) others.m[left_out] = 0;
  here.value = slope(others, x, here.gradient);
  MatrixXd scratch;
  const MatrixXd& from = sources(mu.x, scratch);
  const MatrixXd t = frame(x);
  here.second = -x.dot(here.gradient) * MatrixXd::Identity(d_ - 1, d_ - 1);
  for (int j = 0; j < mu.count(); ++j) {
    if (j == left_out) continue;
    const VectorXd y = t.transpose() * from.col(j);
    here.second += beta_ * mu.m[j] * kernel(from.col(j).dot(x)) * y * y.transpose();
  }
  for (int m = 0; m < units(); ++m) {
    const VectorXd y = t.transpose() * a_.row(m).transpose();
    const double z = a_.row(m).dot(x);
    const bool edge = activation_ == Perceptron::relu && std::fabs(z) <= kEdge * a_.row(m).norm();
    here.second += (edge ? 0 : omega_[m] * activation_slope(z)) * y * y.transpose();
  }
  return here;
}

std::vector<int> Terrain::edges_at(const VectorXd& x) const {
  std::vector<int> edges;
  for (int m = 0; m < units() && activation_ == Perceptron::relu; ++m)
    if (omega_[m] != 0 && std::fabs(a_.row(m).dot(x)) <= kEdge * a_.row(m).norm())
      edges.push_back(m);
  return edges;
}

MatrixXd Terrain::worst_of_edges(const VectorXd& x) const {
  MatrixXd sum = MatrixXd::Zero(d_ - 1, d_ - 1);
  const MatrixXd t = frame(x);
  for (const int m : edges_at(x)) {
    const VectorXd y = t.transpose() * a_.row(m).transpose();
    if (sign_ * omega_[m] < 0) sum += omega_[m] * y * y.transpose();
  }
  return sum;
}

MatrixXd Terrain::kernels(const MatrixXd& x) const {
  const MatrixXd scores = scores_between(x, x);
  return (beta_ * (scores.array() - shift_)).exp().matrix();
}

VectorXd Terrain::values(const Cloud& mu) const {
  VectorXd f = kernels(mu.x) * mu.m / beta_;
  for (int i = 0; i < mu.count() && units() > 0; ++i) f[i] += potential(mu.x.col(i));
  return f;
}

MatrixXd Terrain::slopes(const Cloud& mu, VectorXd* values) const {
  MatrixXd weights = kernels(mu.x) * mu.m.asDiagonal();  // (i, j) m_j k_ij
  if (values != nullptr) *values = weights.rowwise().sum() / beta_;
  if (!has_matrix()) weights.diagonal().setZero();  // along x_i itself, which P removes
  MatrixXd scratch;
  MatrixXd g = sources(mu.x, scratch) * weights.transpose();
  for (int i = 0; i < mu.count(); ++i) {
    add_units(mu.x.col(i), values != nullptr ? &(*values)[i] : nullptr, g.col(i));
    g.col(i) -= mu.x.col(i).dot(g.col(i)) * mu.x.col(i);
  }
  return g;
}

VectorXd Terrain::term_lengths(const Cloud& mu) const {
  MatrixXd weights = kernels(mu.x) * mu.m.asDiagonal();
  const VectorXd own = (most_ - least_) / 2 * weights.diagonal();
  weights.diagonal().setZero();
  MatrixXd scratch;
  VectorXd length = weights.rowwise().sum();
  if (has_matrix()) length = weights * sources(mu.x, scratch).colwise().norm().transpose() + own;
  for (int i = 0; i < mu.count(); ++i)
    for (int m = 0; m < units(); ++m)
      length[i] += std::fabs(omega_[m] * activation(a_.row(m).dot(mu.x.col(i)))) * a_.row(m).norm();
  return length;
}

double Terrain::energy(const Cloud& mu) const {
  double sum = mu.m.dot(kernels(mu.x) * mu.m) / (2 * beta_);
  for (int i = 0; i < mu.count() && units() > 0; ++i) sum += mu.m[i] * potential(mu.x.col(i));
  return sum;
}

// The reflection that maps -+e_1 to x; its other columns span the tangent space.
MatrixXd frame(const VectorXd& x) {
  const auto d = static_cast<int>(x.size());
  VectorXd v = x;
  v[0] += x[0] < 0 ? -1 : 1;
  const MatrixXd reflection = MatrixXd::Identity(d, d) - (2 / v.squaredNorm()) * v * v.transpose();
  return reflection.rightCols(d - 1);
}

VectorXd exponential_map(const VectorXd& x, const VectorXd& u) {
  const double angle = u.norm();
  if (angle == 0) return x;
  return (std::cos(angle) * x + (std::sin(angle) / angle) * u).normalized();
}

Cloud cloud_of(const Landscape& landscape, const Atoms& mu) {
  const int n = mu.count(), d = mu.x.cols;
  require(n >= 1, "there is no atom", "atoms", "give at least one");
  require(d == landscape.d, "the atoms have another number of coordinates", "atoms",
          "give x of shape (count, d)");
  require(static_cast<int>(mu.mass.size()) == n, "masses and atoms differ in number", "mass",
          "give one mass per atom");
  Cloud cloud{MatrixXd(d, n), Eigen::Map<const VectorXd>(mu.mass.data(), n)};
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < d; ++k) cloud.x(k, i) = mu.x(i, k);
  require(cloud.x.allFinite() && ((cloud.x.colwise().norm().array() - 1).abs() <= 1e-9).all(),
          "an atom is off the sphere", "atoms", "give rows of norm 1");
  require((cloud.m.array() > 0).all() && std::fabs(cloud.m.sum() - 1) <= 1e-9,
          "the masses do not sum to 1", "mass", "give positive masses of sum 1");
  return cloud;
}

Atoms atoms_of(const Cloud& cloud) {
  const auto d = static_cast<int>(cloud.x.rows());
  Atoms mu{zeros(cloud.count(), d), Vector(cloud.m.data(), cloud.m.data() + cloud.count())};
  for (int i = 0; i < cloud.count(); ++i)
    for (int k = 0; k < d; ++k) mu.x(i, k) = cloud.x(k, i);
  return mu;
}

Cloud merge_atoms(const Cloud& mu, double chord) {
  const int n = mu.count();
  std::vector<int> root(n);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      if ((mu.x.col(i) - mu.x.col(j)).squaredNorm() < chord * chord) root[find(i)] = find(j);
  MatrixXd sum = MatrixXd::Zero(mu.x.rows(), n);
  VectorXd mass = VectorXd::Zero(n);
  for (int i = 0; i < n; ++i) {
    sum.col(find(i)) += mu.m[i] * mu.x.col(i);
    mass[find(i)] += mu.m[i];
  }
  std::vector<int> kept;
  for (int i = 0; i < n; ++i)
    if (root[i] == i && mass[i] > 0) kept.push_back(i);
  std::stable_sort(kept.begin(), kept.end(), [&](int i, int j) { return mass[i] > mass[j]; });
  Cloud result{MatrixXd(mu.x.rows(), kept.size()), VectorXd(kept.size())};
  for (std::size_t k = 0; k < kept.size(); ++k) {
    result.x.col(k) = sum.col(kept[k]).normalized();
    result.m[k] = mass[kept[k]];
  }
  return result;
}

Cloud without_light_atoms(const Cloud& mu, double min) {
  if (mu.m.minCoeff() > min) return mu;
  Cloud rest = mu;
  int kept = 0;
  for (int i = 0; i < mu.count(); ++i)
    if (mu.m[i] > min) {
      rest.x.col(kept) = mu.x.col(i);
      rest.m[kept++] = mu.m[i];
    }
  rest.x.conservativeResize(Eigen::NoChange, kept);
  rest.m.conservativeResize(kept);
  rest.m /= rest.m.sum();
  return rest;
}

// --- Lower bounds of the first variation near a point: Taylor series with a remainder.

namespace {

// Bounds of |F'''| along great circles. For the kernel, with s = x . x_j along one,
//   (e^{beta s} / beta)''' = e^{beta s} s' (beta^2 s'^2 - 3 beta s - 1).
// On the whole circle, s = 1 - w / (2 beta) and s'^2 <= w / beta bound it, relative to k(1) sqrt
// beta, by sqrt w e^{-w/2} times max(w, 3 + 1/beta) or, if 3 beta s + 1 < 0, times w + 3; the
// maxima of these are below .607 (3 + 1/beta) and 2.63.
double kernel_third(double beta) { return 2.63 * std::sqrt(beta) + 0.61 / std::sqrt(beta); }

// The same within rho of a point with x . x_j = s, relative to k at the nearest point, `nearest`.
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

// For sources y = D x_j of length L: e^{beta x.y} / beta is L e^{b s} / b with b = beta
// L and s the cosine, so L times the bounds above at b hold. For L = 0 the term is constant.

// For a unit with z = a . x along a great circle: phi(z)''' = s'' z'^3 - 3 s' z z' - s z', s the
// activation; |omega| |a|^2 times the first plus |omega| |a|^3 times the second is an upper bound.
// s'' of tanh is at most 4 / (3 sqrt 3), that of gelu at most 2 / sqrt(2 pi), that of relu 0.
double unit_third(Perceptron::Activation kind) { return kind == Perceptron::gelu ? 2.2 : 2; }
double unit_third_cubed(Perceptron::Activation kind) {
  return kind == Perceptron::tanh ? 0.77 : kind == Perceptron::gelu ? 0.798 : 0;
}

// Sum over terms with weight e, slope e y and curvature c y y^t at a point of the circle or of S^2.
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
// where f, g, l are value, slope and least eigenvalue of the second derivative of sign F at x, and
// C bounds its third derivative. A relu unit whose edge may lie within rho counts with second
// derivative 0 if it is convex in sign F, and omega a a^t if it is concave; the error of that is
// below 2 |omega| |a|^2 rho^4. If |F''| <= B gives a higher bound, that is used: f - |g| rho - B
// rho^2 / 2.
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

// --- Eigen's decompositions, which are compiled only here.

namespace {

// Applies `solve` to a matrix. For a large one, which takes seconds, in a thread that a stop can
// abandon.
template <class Result, class Solve>
Result solved(const MatrixXd& m, const Solve& solve) {
  constexpr Eigen::Index kLarge = 300;  // rows
  if (m.rows() < kLarge) return solve(m);
  const auto own = std::make_shared<const MatrixXd>(m);
  const auto found = std::make_shared<Result>();
  run_in_thread([own, found, solve] { *found = solve(*own); });
  return std::move(*found);
}

}  // namespace

Spectrum spectrum_of(const MatrixXd& symmetric) {
  return solved<Spectrum>(symmetric, [](const MatrixXd& m) -> Spectrum {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(m);
    return {solver.eigenvalues(), solver.eigenvectors()};
  });
}

VectorXd eigenvalues_of(const MatrixXd& symmetric) {
  return solved<VectorXd>(symmetric, [](const MatrixXd& m) -> VectorXd {
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(m, Eigen::EigenvaluesOnly).eigenvalues();
  });
}

VectorXd singular_values_of(const MatrixXd& m) {
  return Eigen::JacobiSVD<MatrixXd>(m).singularValues();
}

MatrixXd orthogonal_to_columns(const MatrixXd& m, double threshold) {
  Eigen::JacobiSVD<MatrixXd> svd(m, Eigen::ComputeFullU);
  svd.setThreshold(threshold);
  const Eigen::Index rank = m.norm() > 0 ? svd.rank() : 0;
  return svd.matrixU().rightCols(m.rows() - rank);
}

}  // namespace murmur::landscape
