// groups.cpp: peaks of the density of a swarm by mean shift, and its leaders.
#include "groups.h"

#include <algorithm>
#include <cmath>

namespace murmur::facade {

namespace {

constexpr int kSteps = 200;
constexpr double kArrived = 1e-5;   // a shorter step ends the climb
constexpr double kSamePeak = 0.02;  // limits closer than this are one peak
constexpr int kMostSeeds = 64;

double square_distance(const double* a, const double* b, int d) {
  double square = 0;
  for (int k = 0; k < d; ++k) square += (a[k] - b[k]) * (a[k] - b[k]);
  return square;
}

double dot(const double* a, const double* b, int d) {
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += a[k] * b[k];
  return sum;
}

// Moves y, (d), to the peak above it.
void climb(Rows x, Manifold manifold, double beta, double* y) {
  std::vector<double> next(static_cast<std::size_t>(x.d));
  for (int step = 0; step < kSteps; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    double total = 0;
    for (int j = 0; j < x.n; ++j) {
      // On the sphere this is e^(beta (<y, x> - 1)).
      const double weight = std::exp(-beta * square_distance(y, x[j], x.d) / 2);
      total += weight;
      for (int k = 0; k < x.d; ++k) next[k] += weight * x[j][k];
    }
    const double scale =
        manifold == Manifold::sphere ? std::sqrt(dot(next.data(), next.data(), x.d)) : total;
    if (!(scale > 0)) return;
    for (double& c : next) c /= scale;
    const double moved = square_distance(next.data(), y, x.d);
    std::copy(next.begin(), next.end(), y);
    if (moved < kArrived * kArrived) return;
  }
}

// Returns the row nearest to y.
int nearest(Rows x, const double* y) {
  int best = 0;
  for (int i = 1; i < x.n; ++i)
    if (square_distance(x[i], y, x.d) < square_distance(x[best], y, x.d)) best = i;
  return best;
}

}  // namespace

std::vector<int> density_peaks(Rows x, Manifold manifold, double beta) {
  const int stride = (x.n + kMostSeeds - 1) / kMostSeeds;
  std::vector<double> seeds, peaks;
  for (int i = 0; i < x.n; i += stride) seeds.insert(seeds.end(), x[i], x[i] + x.d);
  const Rows starts{seeds.data(), (x.n + stride - 1) / stride, x.d};
  std::vector<int> peak_of_seed;
  for (int s = 0; s < starts.n; ++s) {
    std::vector<double> y(starts[s], starts[s] + x.d);
    climb(x, manifold, beta, y.data());
    const Rows known{peaks.data(), static_cast<int>(peaks.size()) / x.d, x.d};
    int peak = 0;
    while (peak < known.n && !(square_distance(known[peak], y.data(), x.d) < kSamePeak * kSamePeak))
      ++peak;
    if (peak == known.n) peaks.insert(peaks.end(), y.begin(), y.end());
    peak_of_seed.push_back(peak);
  }
  std::vector<int> number(peaks.size(), -1), label;
  int count = 0;
  for (int i = 0; i < x.n; ++i) {
    int& named = number[peak_of_seed[i % stride == 0 ? i / stride : nearest(starts, x[i])]];
    if (named < 0) named = count++;
    label.push_back(named);
  }
  return label;
}

std::vector<int> leaders(Rows x) {
  std::vector<int> found;
  for (int i = 0; i < x.n; ++i) {
    const double own = dot(x[i], x[i], x.d) * (1 + 1e-9);
    int j = 0;
    while (j < x.n && (j == i || dot(x[i], x[j], x.d) <= own)) ++j;
    if (j == x.n) found.push_back(i);
  }
  return found;
}

}  // namespace murmur::facade
