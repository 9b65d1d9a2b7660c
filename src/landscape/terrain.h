// terrain.h: the functions of a Landscape at points and at clouds of atoms, over Eigen.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <vector>

#include "murmur/landscape.h"

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

// sign F at a point, and a lower bound of it within some radius.
struct Floor {
  double value = 0, min = 0;
};

using Stop = std::function<bool()>;  // asked between steps, by any thread; true: leave

class Terrain {
 public:
  explicit Terrain(const Landscape& landscape);  // checks it

  // Long optimisations over it ask between steps whether to leave, with whatever they have.
  void stop_when(Stop stop) { stop_ = std::move(stop); }
  bool stopped() const { return stop_ && stop_(); }

  int d() const { return d_; }
  int units() const { return static_cast<int>(a_.rows()); }
  double beta() const { return beta_; }
  double sign() const { return sign_; }            // of what is minimised: sign E
  double scale() const { return scale_; }          // k(1) + sum |omega| |a|^2
  double curvature() const { return curvature_; }  // k(1) + Lip(s) sum |omega| |a|^2 >= |F''|
  double most_kernel() const { return kernel(1); }
  double kernel(double s) const;

  const MatrixXd& unit_rows() const { return a_; }  // (h, d)
  MatrixXd unseen_by_units() const;  // (d, c) orthonormal columns, orthogonal to every a_m
  double potential(const VectorXd& x) const;
  double mean_potential() const;   // of V over the sphere
  double potential_range() const;  // of V, as far as points spread on the sphere show it
  // Largest rounding error of a sum of so many terms m_j k(x . x_j), as a share of it; and of V.
  double pair_rounding(int count) const;
  double potential_rounding() const;
  double value(const Cloud& mu, const VectorXd& x) const;                      // F
  double slope(const Cloud& mu, const VectorXd& x, VectorXd& gradient) const;  // F, and grad F
  // An atom at x itself may be left out: its term e^beta would hide those of the others by
  // rounding. On the edge of a relu unit the second derivative is the one of the inactive side.
  Local local(const Cloud& mu, const VectorXd& x, int left_out = -1) const;
  // (h) units on whose edge x lies, to kEdge |a_m|; none but relu's
  std::vector<int> edges_at(const VectorXd& x) const;
  // Second derivatives of the units of those edges, where they make sign F less convex.
  MatrixXd worst_of_edges(const VectorXd& x) const;
  Floor floor_near(const Cloud& mu, const VectorXd& x, double rho) const;  // d = 2, 3

  MatrixXd kernels(const MatrixXd& x) const;                 // (count, count)
  VectorXd values(const Cloud& mu) const;                    // (count) F at the atoms
  MatrixXd slopes(const Cloud& mu, VectorXd* values) const;  // (d, count) P grad F
  // (count) sum_{j != i} m_j k_ij + sum_m |omega_m| |s(a_m . x_i)| |a_m|: lengths of the terms
  VectorXd term_lengths(const Cloud& mu) const;
  double energy(const Cloud& mu) const;

 private:
  Stop stop_{};
  double activation(double z) const;
  double activation_slope(double z) const;

  int d_;
  double beta_, shift_, sign_, scale_, curvature_, unit_scale_;
  MatrixXd a_;  // (h, d)
  VectorXd omega_;
  Perceptron::Activation activation_;
};

MatrixXd frame(const VectorXd& x);                     // (d, d-1)
VectorXd moved(const VectorXd& x, const VectorXd& u);  // exp_x(u) for a tangent u

Cloud cloud_of(const Landscape& landscape, const Atoms& mu);  // checks the atoms
Atoms atoms_of(const Cloud& mu);

// Atoms closer than the chord become one, at their mean; single linkage. Heaviest first.
Cloud merged(const Cloud& mu, double chord);

// Without atoms of `least` mass or less; the others share what those had.
Cloud without_dust(const Cloud& mu, double min);

}  // namespace murmur::landscape
