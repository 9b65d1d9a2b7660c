// groups.cpp: peaks of the density of a swarm by mean shift, and its leaders.
#include "groups.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "murmur/matrix.h"

namespace murmur::facade {

namespace {

constexpr int kSteps = 200;
constexpr double kArrived = 1e-5;   // a shorter step ends the climb
constexpr double kSamePeak = 0.02;  // limits closer than this are one peak
constexpr int kMostSeeds = 64;

double square_distance(const Vector& a, const Vector& b) {
  double square = 0;
  for (std::size_t k = 0; k < a.size(); ++k) square += (a[k] - b[k]) * (a[k] - b[k]);
  return square;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

std::vector<Vector> rows_of(const HostSwarm& x) {
  std::vector<Vector> rows(static_cast<std::size_t>(x.n()));
  for (int i = 0; i < x.n(); ++i)
    for (int k = 0; k < x.d(); ++k) rows[static_cast<std::size_t>(i)].push_back(x.at(i, k));
  return rows;
}

Vector climb(const std::vector<Vector>& rows, Manifold manifold, double beta, Vector y) {
  for (int step = 0; step < kSteps; ++step) {
    Vector next(y.size());
    double total = 0;
    for (const Vector& row : rows) {
      // On the sphere this is e^(beta (<y, x> - 1)).
      const double weight = std::exp(-beta * square_distance(y, row) / 2);
      total += weight;
      for (std::size_t k = 0; k < y.size(); ++k) next[k] += weight * row[k];
    }
    const double scale = manifold == Manifold::sphere ? std::sqrt(dot(next, next)) : total;
    if (!(scale > 0)) return y;
    for (double& c : next) c /= scale;
    const double moved = std::sqrt(square_distance(next, y));
    y = std::move(next);
    if (moved < kArrived) break;
  }
  return y;
}

}  // namespace

std::vector<int> density_peaks(const HostSwarm& x, Manifold manifold, double beta) {
  const std::vector<Vector> rows = rows_of(x);
  const std::size_t n = rows.size(), stride = (n + kMostSeeds - 1) / kMostSeeds;
  std::vector<Vector> peaks;
  std::vector<std::size_t> peak_of_seed;
  for (std::size_t i = 0; i < n; i += stride) {
    const Vector y = climb(rows, manifold, beta, rows[i]);
    const auto known = std::find_if(peaks.begin(), peaks.end(), [&](const Vector& peak) {
      return square_distance(peak, y) < kSamePeak * kSamePeak;
    });
    peak_of_seed.push_back(static_cast<std::size_t>(known - peaks.begin()));
    if (known == peaks.end()) peaks.push_back(y);
  }
  std::vector<int> number(peaks.size(), -1), label;
  int count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t nearest = i / stride;
    double least = i % stride == 0 ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; i % stride != 0 && s < peak_of_seed.size(); ++s)
      if (const double square = square_distance(rows[i], rows[s * stride]); square < least) {
        least = square;
        nearest = s;
      }
    int& named = number[peak_of_seed[nearest]];
    if (named < 0) named = count++;
    label.push_back(named);
  }
  return label;
}

std::vector<int> leaders(const HostSwarm& x) {
  const std::vector<Vector> rows = rows_of(x);
  std::vector<int> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double own = dot(rows[i], rows[i]) * (1 + 1e-9);
    if (std::all_of(rows.begin(), rows.end(), [&](const Vector& row) {
          return &row == &rows[i] || dot(rows[i], row) <= own;
        }))
      found.push_back(static_cast<int>(i));
  }
  return found;
}

}  // namespace murmur::facade
