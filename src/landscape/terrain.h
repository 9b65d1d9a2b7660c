// terrain.h: the functions of a Landscape at points and at clouds of atoms, over Eigen.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <vector>

#include "murmur/landscape.h"
#include "murmur/stop.h"

namespace murmur::landscape {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kEdge = 1e-8;  // |a . x| / |a| below which x lies on the edge of a relu unit

struct Cloud {
  MatrixXd x;  // (d, count) columns of norm 1
  VectorXd m;  // (count)
  int count() const { return static_cast<int>(x.cols()); }
};

// F at a point: value, gradient in R^d, and the second derivative in the point's tangent frame.
struct Local {
  double value = 0;
  VectorXd gradient{};  // (d)
  MatrixXd second{};    // (d-1, d-1): T^t (D^2 F) T - (x . grad F) I
};

// sign F at a point, and a lower bound of sign F within some radius.
struct Floor {
  double value = 0, min = 0;
};

// A number, and a bound on its rounding error.
struct Rounded {
  double value = 0, rounding = 0;
};

using Stop = std::function<bool()>;  // called between steps by any thread; true: stop

class Terrain {
 public:
  explicit Terrain(const Landscape& landscape);  // checks it

  // Long optimisations call `stop` between steps; if it returns true, they return their current
  // state.
  void stop_when(Stop stop) { stop_ = std::move(stop); }
  bool stopped() const {
    stop_point();
    return stop_ && stop_();
  }

  int d() const { return d_; }
  int units() const { return static_cast<int>(a_.rows()); }
  double beta() const { return beta_; }
  double sign() const { return sign_; }    // sign E is minimised
  double scale() const { return scale_; }  // |D| k(|D|) + sum |omega| |a|^2
  // |D| k(|D|) + Lip(s) sum |omega| |a|^2 >= |F''|
  double curvature() const { return curvature_; }
  double most_kernel() const { return kernel(norm_); }
  double kernel(double s) const;
  double anchor() const { return shift_; }  // k(s) = e^{beta (s - anchor)}

  // D is the matrix of the scores <x, D y>. Without a matrix D is the identity.
  bool has_matrix() const { return matrix_.size() > 0; }
  double least_score() const { return least_; }  // smallest eigenvalue of D
  double most_score() const { return most_; }
  double score_norm() const { return norm_; }  // |D|, the larger absolute value of the two
  // Returns whether sign E is convex in the measure: under descent with D >= 0, never under ascent.
  bool is_convex() const;
  // (d, count) D x, on which the contribution of a source at x to F depends; x itself without a
  // matrix.
  const MatrixXd& sources(const MatrixXd& x, MatrixXd& scratch) const;
  MatrixXd scores_between(const MatrixXd& x, const MatrixXd& y) const;  // x^t D y

  const MatrixXd& unit_rows() const { return a_; }  // (h, d)
  // Orthonormal bases (d, c) of spaces orthogonal to every a_m, one for each eigenspace of D, or
  // one for R^d without a matrix. Rotations within each space do not change the energy.
  std::vector<MatrixXd> symmetric_spaces() const;
  const std::vector<MatrixXd>& eigenspaces() const { return eigenspaces_; }  // none without D
  double potential(const VectorXd& x) const;
  // Adds grad V(x) to `gradient` and, unless `value` is null, V(x) to `value`.
  void add_units(const VectorXd& x, double* value, Eigen::Ref<VectorXd> gradient) const;
  double mean_potential() const;   // of V over the sphere
  double potential_range() const;  // of V, estimated from points spread on the sphere
  // Bounds on the rounding error of a sum of `count` terms m_j k(x . x_j), relative to the sum, and
  // of V.
  double pair_rounding(int count) const;
  double potential_rounding() const;
  double value(const Cloud& mu, const VectorXd& x) const;                      // F
  double slope(const Cloud& mu, const VectorXd& x, VectorXd& gradient) const;  // F, and grad F
  // `left_out` is an atom at x itself, whose term e^beta would hide the other terms by rounding. On
  // the edge of a relu unit the second derivative is that of the inactive side.
  Local local(const Cloud& mu, const VectorXd& x, int left_out = -1) const;
  // (h) relu units on whose edge x lies, within kEdge |a_m|
  std::vector<int> edges_at(const VectorXd& x) const;
  // Sum of the second derivatives of the units on those edges that make sign F less convex.
  MatrixXd worst_of_edges(const VectorXd& x) const;
  Floor floor_near(const Cloud& mu, const VectorXd& x, double rho) const;  // d = 2, 3

  MatrixXd kernels(const MatrixXd& x) const;                 // (count, count)
  VectorXd values(const Cloud& mu) const;                    // (count) F at the atoms
  MatrixXd slopes(const Cloud& mu, VectorXd* values) const;  // (d, count) P grad F
  // (count) sum_{j != i} m_j k_ij |D x_j| + sum_m |omega_m| |s(a_m . x_i)| |a_m|: lengths of the
  // terms. The term of an atom at itself, m_i k_ii P D x_i, counts as half the range of D's
  // eigenvalues.
  VectorXd term_lengths(const Cloud& mu) const;
  double energy(const Cloud& mu) const;

 private:
  Stop stop_{};
  double activation(double z) const;
  double activation_slope(double z) const;

  void set_matrix(const Matrix& matrix);

  int d_;
  double beta_, shift_, sign_, scale_, curvature_, unit_scale_, unit_curvature_;
  double least_ = 1, most_ = 1, norm_ = 1;
  MatrixXd matrix_{};  // (d, d), or empty
  std::vector<MatrixXd> eigenspaces_{};
  MatrixXd a_;  // (h, d)
  VectorXd omega_;
  Perceptron::Activation activation_;
};

MatrixXd frame(const VectorXd& x);                               // (d, d-1)
VectorXd exponential_map(const VectorXd& x, const VectorXd& u);  // exp_x(u) for a tangent u

Cloud cloud_of(const Landscape& landscape, const Atoms& mu);  // checks the atoms
Atoms atoms_of(const Cloud& mu);

// Merges atoms closer than the chord at their mean (single linkage). Heaviest atoms first.
Cloud merge_atoms(const Cloud& mu, double chord);

// Removes atoms of mass `min` or less and rescales the other masses.
Cloud without_light_atoms(const Cloud& mu, double min);

// Eigenvalues, increasing, and eigenvectors of a symmetric matrix.
struct Spectrum {
  Eigen::VectorXd values{};
  Eigen::MatrixXd vectors{};  // one per column
};
Spectrum spectrum_of(const Eigen::MatrixXd& symmetric);
Eigen::VectorXd eigenvalues_of(const Eigen::MatrixXd& symmetric);

Eigen::VectorXd singular_values_of(const Eigen::MatrixXd& m);  // decreasing
// Returns an orthonormal basis of the space orthogonal to every column. Singular values below
// `threshold` times the largest count as 0.
Eigen::MatrixXd orthogonal_to_columns(const Eigen::MatrixXd& m, double threshold);

}  // namespace murmur::landscape
