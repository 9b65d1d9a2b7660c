// decompose.cpp: symmetric eigenvalues and singular values by Eigen.
#include "landscape/decompose.h"

#include <memory>

#include "murmur/stop.h"

namespace murmur::landscape {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// What `solve` makes of a matrix; of a large one, which takes seconds, so that a stop ends it.
template <class Found, class Solve>
Found solved(const MatrixXd& m, const Solve& solve) {
  constexpr Eigen::Index kLarge = 300;  // rows
  if (m.rows() < kLarge) return solve(m);
  const auto own = std::make_shared<const MatrixXd>(m);
  const auto found = std::make_shared<Found>();
  do_aside([own, found, solve] { *found = solve(*own); });
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
