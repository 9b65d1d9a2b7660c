// numerical_rank.cpp: the rank of a matrix by its singular values; apart, since Eigen's solver is
// long to compile (cmake/compile.cmake).
#include <Eigen/SVD>
#include <string>

#include "murmur/error.h"
#include "murmur/observe.h"

namespace murmur {

int numerical_rank(const Matrix& a, double tol) {
  if (!(tol > 0 && tol < 1))
    throw Error(Fault::input, "a rank needs a tolerance between 0 and 1",
                "tol = " + std::to_string(tol), "give such a number, for example 1e-6");
  if (a.empty()) return 0;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(
      Eigen::MatrixXd(Eigen::Map<const Rows>(a.data.data(), a.rows, a.cols)));
  const Eigen::VectorXd& sigma = svd.singularValues();  // descending
  int rank = 0;
  while (rank < sigma.size() && sigma[rank] > tol * sigma[0]) ++rank;
  return rank;
}

}  // namespace murmur
