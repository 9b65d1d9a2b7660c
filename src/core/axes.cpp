// axes.cpp: second moments of swarms, and their leading directions by orthogonal iteration.
#include "core/axes.h"

#include <algorithm>
#include <cmath>

#include "core/elementary.h"

namespace murmur {

namespace {

// Orthonormalises the rows in place; a row that vanishes becomes the first coordinate axis that is
// independent of the others.
void orthonormalise(std::vector<double>& rows, int count, int d) {
  for (int r = 0; r < count; ++r) {
    double* row = &rows[static_cast<std::size_t>(r) * d];
    for (int attempt = 0; attempt <= d; ++attempt) {
      double before = 0, after = 0;
      for (int k = 0; k < d; ++k) before += row[k] * row[k];
      for (int pass = 0; pass < 2; ++pass) {
        for (int q = 0; q < r; ++q) {
          const double* other = &rows[static_cast<std::size_t>(q) * d];
          double dot = 0;
          for (int k = 0; k < d; ++k) dot += row[k] * other[k];
          for (int k = 0; k < d; ++k) row[k] -= dot * other[k];
        }
      }
      for (int k = 0; k < d; ++k) after += row[k] * row[k];
      if (after > 1e-20 * before && std::isfinite(after) && after > 0) {
        for (int k = 0; k < d; ++k) row[k] /= std::sqrt(after);
        break;
      }
      std::fill_n(row, d, 0.0);
      if (attempt < d) row[attempt] = 1;
    }
  }
}

}  // namespace

std::vector<double> second_moment(std::span<const HostSwarm> swarms, bool centred) {
  const int d = swarms.empty() ? 0 : swarms.front().d();
  std::vector<double> mean(static_cast<std::size_t>(d), 0.0);
  std::vector<double> moment(static_cast<std::size_t>(d) * d, 0.0);
  if (centred) {
    std::size_t count = 0;
    for (const HostSwarm& x : swarms) {
      for (int k = 0; k < d; ++k)
        for (int i = 0; i < x.n(); ++i) mean[k] += x.at(i, k);
      count += static_cast<std::size_t>(x.n());
    }
    for (double& m : mean) m /= static_cast<double>(count);
  }
  for (const HostSwarm& x : swarms) {
    for (int k = 0; k < d; ++k) {
      for (int l = 0; l <= k; ++l) {
        double sum = 0;
        for (int i = 0; i < x.n(); ++i) sum += (x.at(i, k) - mean[k]) * (x.at(i, l) - mean[l]);
        moment[k * d + l] += sum;
      }
    }
  }
  for (int k = 0; k < d; ++k)
    for (int l = 0; l < k; ++l) moment[l * d + k] = moment[k * d + l];
  return moment;
}

std::vector<double> leading_axes(const std::vector<double>& matrix, int d, int count) {
  const int block = std::min(d, count + 5);  // a wider block converges faster
  std::vector<double> rows(static_cast<std::size_t>(block) * d), next(rows.size());
  for (int r = 0; r < block; ++r)
    for (int k = 0; k < d; ++k)
      rows[r * d + k] = elementary::cos(1.0 + 0.7 * k * (r + 1) + 0.3 * r * r);
  orthonormalise(rows, block, d);
  for (int iteration = 0; iteration < 200; ++iteration) {
    for (int r = 0; r < block; ++r) {
      for (int k = 0; k < d; ++k) {
        double sum = 0;
        for (int l = 0; l < d; ++l) sum += matrix[k * d + l] * rows[r * d + l];
        next[r * d + k] = sum;
      }
    }
    rows.swap(next);
    orthonormalise(rows, block, d);
  }
  rows.resize(static_cast<std::size_t>(count) * d);
  for (int r = 0; r < count; ++r) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(r) * d;
    const double top = *std::max_element(
        row, row + d, [](double a, double b) { return std::abs(a) < std::abs(b); });
    if (top < 0) std::transform(row, row + d, row, [](double a) { return -a; });
  }
  return rows;
}

}  // namespace murmur
