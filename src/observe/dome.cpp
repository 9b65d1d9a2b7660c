// dome.cpp: query and keys of a head on the unit sphere in R^3, and axes for arrows in R^d.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/axes.h"
#include "murmur/token_move.h"

namespace murmur {

namespace {

double dot(const double* a, const double* b, int k) {
  double sum = 0;
  for (int c = 0; c < k; ++c) sum += a[c] * b[c];
  return sum;
}

// v / |v|; 0 stays 0.
Vector unit(const double* v, int k) {
  const double length = std::sqrt(dot(v, v, k));
  Vector u(v, v + k);
  for (double& c : u) c = length > 0 ? c / length : 0;
  return u;
}

const double* row(const Matrix& m, int j) {
  return m.data.data() + static_cast<std::size_t>(j) * m.cols;
}

// (count, k): the part of each unit key orthogonal to the query, made a unit vector; 0 where a key
// points along the query.
Matrix around(const Vector& query, const Matrix& keys) {
  constexpr double kAlong = 1e-12;  // shorter than this there is no direction around the query
  Matrix out = zeros(keys.rows, keys.cols);
  const int k = keys.cols;
  for (int j = 0; j < keys.rows; ++j) {
    Vector rest = unit(row(keys, j), k);
    const double along = dot(rest.data(), query.data(), k);
    for (int c = 0; c < k; ++c) rest[c] -= along * query[c];
    if (dot(rest.data(), rest.data(), k) < kAlong * kAlong) continue;
    rest = unit(rest.data(), k);
    std::copy(rest.begin(), rest.end(), out.data.begin() + static_cast<std::ptrdiff_t>(j) * k);
  }
  return out;
}

// (count, k) vectors: their second moment, its leading axes, and the share of all that these hold.
std::vector<double> axes_of(const Matrix& vectors, int count, double& share) {
  const HostSwarm swarm = from_rows({vectors.rows, vectors.cols}, vectors.data.data());
  const int k = vectors.cols;
  const std::vector<double> moment = second_moment({&swarm, 1}, false);
  std::vector<double> axes = leading_axes(moment, k, count);
  double shown = 0, all = 0;
  for (int c = 0; c < k; ++c) all += moment[static_cast<std::size_t>(c) * k + c];
  for (int j = 0; j < vectors.rows; ++j)
    for (int a = 0; a < count; ++a) {
      const double along = dot(row(vectors, j), axes.data() + static_cast<std::size_t>(a) * k, k);
      shown += along * along;
    }
  share = all > 0 ? std::min(1.0, shown / all) : 1;
  return axes;
}

bool same_lengths(const Matrix& keys) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (int j = 0; j < keys.rows; ++j) {
    const double square = dot(row(keys, j), row(keys, j), keys.cols);
    least = std::min(least, square);
    most = std::max(most, square);
  }
  return most <= least * (1 + 1e-6);
}

Dome high_dome(const HeadPart& head) {
  const int k = head.keys.cols, n = head.keys.rows;
  Dome dome{.k = k, .query = {0, 0, 1}, .keys = zeros(n, 3)};
  const Vector query = unit(head.query.data(), k);
  const Matrix rest = around(query, head.keys);
  const std::vector<double> axes = axes_of(rest, 2, dome.share);
  if (dot(query.data(), query.data(), k) == 0) dome.query = {0, 0, 0};
  for (int j = 0; j < n; ++j) {
    const Vector key = unit(row(head.keys, j), k);
    if (dot(key.data(), key.data(), k) == 0) continue;
    const double up = std::clamp(dot(key.data(), query.data(), k), -1.0, 1.0);
    const double x = dot(row(rest, j), axes.data(), k), y = dot(row(rest, j), axes.data() + k, k);
    const double radius = std::hypot(x, y), out = std::sqrt(1 - up * up);
    dome.keys(j, 0) = radius > 0 ? out * x / radius : out;
    dome.keys(j, 1) = radius > 0 ? out * y / radius : 0;
    dome.keys(j, 2) = up;
  }
  return dome;
}

Dome low_dome(const HeadPart& head) {
  const int k = head.keys.cols;
  Dome dome{.k = k, .query = unit(head.query.data(), k), .keys = zeros(head.keys.rows, 3)};
  dome.query.resize(3, 0.0);
  for (int j = 0; j < head.keys.rows; ++j) {
    const Vector key = unit(row(head.keys, j), k);
    for (int c = 0; c < k; ++c) dome.keys(j, c) = key[c];
  }
  return dome;
}

}  // namespace

Dome dome_of(const HeadPart& head) {
  Dome dome = head.keys.cols > 3 ? high_dome(head) : low_dome(head);
  dome.same_lengths = same_lengths(head.keys);
  return dome;
}

ArrowAxes arrow_axes(std::span<const Vector> vectors, int d) {
  ArrowAxes found{zeros(3, d), 1};
  for (int a = 0; a < std::min(3, d); ++a) found.axes(a, a) = 1;
  if (d <= 3 || vectors.empty()) return found;
  Matrix units = zeros(static_cast<int>(vectors.size()), d);
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    const Vector u = unit(vectors[v].data(), d);
    std::copy(u.begin(), u.end(), units.data.begin() + static_cast<std::ptrdiff_t>(v) * d);
  }
  found.axes.data = axes_of(units, 3, found.share);
  return found;
}

}  // namespace murmur
