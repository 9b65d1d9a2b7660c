// terrain.h: a Landscape made ready: its functions of points and of clouds of atoms, over Eigen.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "murmur/landscape.h"

namespace murmur::landscape {

using Eigen::MatrixXd;
using Eigen::VectorXd;

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

class Terrain {
 public:
  explicit Terrain(const Landscape& landscape);  // checks it

  int d() const { return d_; }
  int units() const { return static_cast<int>(a_.rows()); }
  double beta() const { return beta_; }
  double sign() const { return sign_; }            // of what is minimised: sign E
  double scale() const { return scale_; }          // k(1) + sum |omega| |a|^2
  double curvature() const { return curvature_; }  // bound of |F''| along great circles
  double most_kernel() const { return kernel(1); }
  double kernel(double s) const;

  double potential(const VectorXd& x) const;
  double value(const Cloud& mu, const VectorXd& x) const;                      // F
  double slope(const Cloud& mu, const VectorXd& x, VectorXd& gradient) const;  // F, and grad F
  Local local(const Cloud& mu, const VectorXd& x) const;

  MatrixXd kernels(const MatrixXd& x) const;                 // (count, count)
  VectorXd values(const Cloud& mu) const;                    // (count) F at the atoms
  MatrixXd slopes(const Cloud& mu, VectorXd* values) const;  // (d, count) P grad F
  double energy(const Cloud& mu) const;

 private:
  int d_;
  double beta_, shift_, sign_, scale_, curvature_;
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

}  // namespace murmur::landscape
