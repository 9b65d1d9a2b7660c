// decompose.h: Eigen's decompositions behind functions: their templates are compiled once.
#pragma once

#include <Eigen/Dense>

namespace murmur::landscape {

// Of a symmetric matrix; values ascend.
struct Spectrum {
  Eigen::VectorXd values{};
  Eigen::MatrixXd vectors{};  // one a column
};
Spectrum spectrum_of(const Eigen::MatrixXd& symmetric);
Eigen::VectorXd eigenvalues_of(const Eigen::MatrixXd& symmetric);

Eigen::VectorXd singular_values_of(const Eigen::MatrixXd& m);  // they descend
// An orthonormal basis of what is orthogonal to every column, as columns; a singular value below
// `threshold` of the largest counts as 0.
Eigen::MatrixXd orthogonal_to_columns(const Eigen::MatrixXd& m, double threshold);

}  // namespace murmur::landscape
