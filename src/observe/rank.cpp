// rank.cpp: singular values through the smaller of the two Gram matrices.
#include "observe/rank.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/elementary.h"
#include "core/parallel.h"
#include "observe/kernels.h"

namespace murmur {
namespace {

// (n, n): G_ij = <x_i, x_j>, lower triangle.
Eigen::MatrixXd gram_of_particles(const HostSwarm& x, int threads) {
  Eigen::MatrixXd g(x.n(), x.n());
  for_blocks(x.n(), threads, [&](int i) {
    std::vector<double> a(static_cast<std::size_t>(x.d()));  // (d)
    double row[tile];
    gather(x, i, a.data());
    for (int j = 0; j <= i; j += tile) {
      const int count = std::min(tile, i + 1 - j);
      inner_products(a.data(), x, j, count, row);
      for (int c = 0; c < count; ++c) g(i, j + c) = row[c];
    }
  });
  return g;
}

// (d, d): G_kl = sum_i x_ik x_il, lower triangle, a block of particles at a time: two levels of
// sums keep the rounding small, and a block stays in cache.
Eigen::MatrixXd gram_of_axes(const HostSwarm& x, int threads) {
  constexpr int stretch = 1024;
  Eigen::MatrixXd g = Eigen::MatrixXd::Zero(x.d(), x.d());
  for_blocks(x.d(), threads, [&](int k) {
    for (int first = 0; first < x.n(); first += stretch) {
      const int count = std::min(stretch, x.n() - first);
      for (int l = 0; l <= k; ++l) g(k, l) += dot(x.axis(k) + first, x.axis(l) + first, count);
    }
  });
  return g;
}

}  // namespace

double effective_rank(const HostSwarm& x, int threads) {
  const Eigen::MatrixXd g =
      x.n() <= x.d() ? gram_of_particles(x, threads) : gram_of_axes(x, threads);
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
