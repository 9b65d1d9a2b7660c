// series_row.h: what a series tells of one target, and the bound that follows for it.
#pragma once

#include <cmath>
#include <limits>

#include "engine/moments/sums.h"

namespace murmur::moments {

// The sums at a target over e^rho: its weight, and where means are wanted one more a coordinate.
struct SeriesRow {
  const double* sums;  // weight first; the next `stride` further on
  std::size_t stride;
  int coordinates;  // 0: weights alone
  double rho;       // |u| of the series
  double eps;       // what each of the sums may be off by
  double scores;    // what every score may be off by
  double off;       // how far from the sphere the particles are
};

// |N| <= Z, so that |N / Z - computed| <= 2 eps / Z; scores that are off scale every weight.
inline void put_row(const SeriesRow& row, int i, const SumsResult& out) {
  constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  const double weight = row.sums[0], eps = row.eps;
  const bool bounded = weight > 2 * eps;
  out.weight[i] = weight;
  out.shift[i] = row.rho;
  out.weight_bound[i] = bounded ? eps / (weight - eps) + 2 * row.scores : kUnbounded;
  if (row.coordinates == 0) return;
  for (int k = 0; k < row.coordinates; ++k)
    out.mean[k * out.stride + i] = row.sums[(1 + k) * row.stride] / weight;
  out.mean_bound[i] =
      bounded ? 2 * eps / weight + 4 * row.scores + 4 * kUnit + row.off : kUnbounded;
}

}  // namespace murmur::moments
