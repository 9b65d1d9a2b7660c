// rank.cpp: singular values through the smaller of the two Gram matrices.
#include "observe/rank.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "core/elementary.h"

namespace murmur {

double effective_rank(const Matrix& gram) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd g = Eigen::Map<const Rows>(gram.data.data(), gram.rows, gram.cols);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(g, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::VectorXd& lambda = solver.eigenvalues();  // sigma^2, ascending

  // A Gram matrix has sigma^2 only up to rounding: values below that count as zero.
  const double floor = 1e-15 * static_cast<double>(lambda.size()) * lambda[lambda.size() - 1];
  double total = 0;
  for (const double square : lambda) total += square > floor ? std::sqrt(square) : 0;
  double entropy = 0;
  for (const double square : lambda) {
    if (square <= floor) continue;
    const double p = std::sqrt(square) / total;
    entropy -= p * elementary::log(p);
  }
  return total > 0 ? elementary::exp(entropy) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace murmur
