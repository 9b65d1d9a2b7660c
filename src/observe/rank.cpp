// rank.cpp: ranks by singular values: of positions through their Gram matrix, of any matrix through
// its bidiagonal form.
#include "observe/rank.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <string>

#include "core/elementary.h"
#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur {

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// (2 min(rows, cols)) the singular values and their negatives, ascending: the eigenvalues of the
// tridiagonal matrix with diagonal 0 and d_1, e_1, d_2, ..., d_n beside it, where d and e are the
// diagonals of the bidiagonal form (Golub and Kahan 1965). Eigen's own solvers give the same values
// and take five times as long to compile.
Eigen::VectorXd signed_singular_values(const Matrix& a) {
  const Eigen::Map<const Rows> rows(a.data.data(), a.rows, a.cols);
  const Eigen::MatrixXd tall = a.rows >= a.cols ? Eigen::MatrixXd(rows) : rows.transpose().eval();
  const Eigen::internal::UpperBidiagonalization<Eigen::MatrixXd> form(tall);
  const Eigen::VectorXd d = form.bidiagonal().diagonal(), e = form.bidiagonal().diagonal(1);
  Eigen::VectorXd beside(2 * d.size() - 1);
  for (Eigen::Index k = 0; k < d.size(); ++k) beside[2 * k] = d[k];
  for (Eigen::Index k = 0; k + 1 < d.size(); ++k) beside[2 * k + 1] = e[k];
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::VectorXd::Zero(2 * d.size()), beside,
                                Eigen::EigenvaluesOnly);
  return solver.eigenvalues();
}

}  // namespace

int numerical_rank(const Matrix& a, double tol) {
  if (!(tol > 0 && tol < 1))
    throw Error(Fault::input, "a rank needs a tolerance between 0 and 1",
                "tol = " + std::to_string(tol), "give such a number, for example 1e-6");
  if (a.empty()) return 0;
  const Eigen::VectorXd sigma = signed_singular_values(a);
  const double least = tol * sigma[sigma.size() - 1];
  int rank = 0;
  while (2 * rank < sigma.size() && sigma[sigma.size() - 1 - rank] > least) ++rank;
  return rank;
}

double effective_rank(const Matrix& gram) {
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
