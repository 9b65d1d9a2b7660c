// decompose.cpp: symmetric eigenvalues and singular values by Eigen.
#include "landscape/decompose.h"

namespace murmur::landscape {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Spectrum spectrum_of(const MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VectorXd eigenvalues_of(const MatrixXd& symmetric) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
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
