// mode_sums.cpp: squares of harmonic moments, added up degree by degree.
#include "engine/moments/mode_sums.h"

#include <cmath>
#include <limits>

#include "engine/moments/harmonic_sums.h"

namespace murmur::moments {

namespace {

constexpr int kMostModes[] = {2000, 160, 48, 26};  // d = 2 .. 5: tables of a few 10 MB at most

bool has_sums(int d, int modes) {
  return d >= 2 && d <= kMostCoordinates && modes <= kMostModes[d - 2];
}

}  // namespace

// A trigonometric polynomial of degree k that is at most 1 changes by k a radian at most
// (Bernstein), so that C_k / C_k(1) is off by 2k times what a direction is off by: six units, three
// for each time that it was made a unit vector. The functions at a point, each over the root of its
// square, are a vector of length sqrt(dimension), by the addition theorem; rounding moves that by
// its share, and the square of a sum of such vectors by twice that.
std::optional<ModeSums> mode_sums(const HostSwarm& directions, int modes, int threads) {
  const int d = directions.d();
  if (!has_sums(d, modes)) return std::nullopt;
  constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
  const Harmonics functions(d, modes);
  const HarmonicMoments m = moments_of(functions, directions, threads, nullptr);
  std::vector<long double> power(static_cast<std::size_t>(modes) + 1);
  for (const Fibre& fibre : functions.fibres())
    for (int k = fibre.begin; k <= fibre.last; ++k) {
      const std::size_t at = fibre.first + k - fibre.begin;
      const long double re = m.values[2 * at], im = m.values[2 * at + 1];
      power[k] += (fibre.k[0] == 0 ? 1 : 2) * (re * re + im * im) / functions.squares()[at];
    }
  ModeSums sums;
  for (int k = 0; k <= modes; ++k) {
    const double share = harmonic_rounding(k);
    sums.power.push_back(static_cast<double>(power[k] / dimension(d, k)));
    sums.bound.push_back(m.mass * m.mass * (share * (2 + share) + 12 * k * kUnit));
  }
  return sums;
}

double mode_sums_cost(Shape shape, int modes) {
  if (!has_sums(shape.d, modes)) return std::numeric_limits<double>::infinity();
  constexpr double kFunction = 0.3, kTable = 150;  // at a particle; of the tables, once
  double functions = 0;
  for (int k = 0; k <= modes; ++k) functions += 0.5 * (dimension(shape.d, k) + 1);
  return functions * (kFunction * shape.n + kTable);
}

}  // namespace murmur::moments
