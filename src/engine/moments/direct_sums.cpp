// direct_sums.cpp: groups of targets against tiles of sources, twice.
#include "engine/moments/direct_sums.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/buffer.h"
#include "core/parallel.h"
#include "engine/moments/direct_kernels.h"

namespace murmur::moments {

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
constexpr int kGroups = 4;  // groups of targets that a tile is copied for
constexpr int kAtOnce = kGroups * kDirectTargets;

struct Room {
  simd::Buffer<double> tile, targets;
  SourceTile load(const HostSwarm& x, int first) {
    double* at = tile.need(static_cast<std::size_t>(x.d() + 1) * kTile);
    const int count = std::min(kTile, x.n() - first);
    for (int k = 0; k <= x.d(); ++k) {
      const double* from = (k < x.d() ? x.axis(k) : x.mass.data()) + first;
      std::copy_n(from, count, at + k * kTile);
      std::fill(at + k * kTile + count, at + (k + 1) * kTile, 0.0);
    }
    return {at, at + x.d() * kTile, x.d(), count};
  }
};

Room& own_room() {
  static thread_local Room room;
  return room;
}

// (groups) of the targets from `first` on; those beyond the last are copies of it.
void gather(const Targets& u, int first, double* to) {
  for (int k = 0; k < u.d; ++k)
    for (int e = 0; e < kAtOnce; ++e)
      to[(e / kDirectTargets * u.d + k) * kDirectTargets + e % kDirectTargets] =
          u.at(std::min(first + e, u.n - 1), k);
}

// Rounding, in units of 2^-53 of a sum of terms m_j e^{s_j - top} >= 0 (Higham, Accuracy and
// Stability of Numerical Algorithms, sections 3.1 and 4.2): as many as additions follow one
// another; d of the size of the largest score for <u, x_j>; for the difference to the top, its
// product with log2 e and that constant three of |s_j - top|, which is at most twice that size; and
// 16 for the power of two (core/exp2-inl.h: its table, its polynomial and its scaling), the
// products with mass and coordinate and the last division.
struct Rounding {
  double additions, coordinates;
  double of(double score) const { return (additions + (coordinates + 6) * score + 16) * kUnit; }
};

}  // namespace

SumsCost direct_sums(const SumsRequest& request, const SumsResult& result) {
  const HostSwarm& x = request.x;
  const Targets& u = request.u;
  assert(x.d() <= kMostDirectCoordinates);
  double most = 0;  // max |x_j|
  for (int j = 0; j < x.n(); ++j) {
    double square = 0;
    for (int k = 0; k < x.d(); ++k) square += x.at(j, k) * x.at(j, k);
    most = std::fmax(most, square);
  }
  most = std::sqrt(most) * (1 + 8 * kUnit);
  const Rounding rounding{kTile / 2.0 + (x.n() + kTile - 1) / kTile, 1.0 * x.d()};
  const int outputs = x.d() + 1;
  for_blocks((u.n + kAtOnce - 1) / kAtOnce, request.threads, [&](int block) {
    Room& room = own_room();
    const std::size_t size = static_cast<std::size_t>(kAtOnce) * (x.d() + 1 + outputs);
    double* rows = room.targets.need(size);
    double *top = rows + kAtOnce * x.d(), *sums = top + kAtOnce;
    gather(u, block * kAtOnce, rows);
    std::fill_n(top, kAtOnce, -std::numeric_limits<double>::infinity());
    std::fill_n(sums, kAtOnce * outputs, 0.0);
    const auto group = [&](int g) {
      return DirectTargets{rows + g * kDirectTargets * x.d(), top + g * kDirectTargets,
                           sums + g * kDirectTargets * outputs};
    };
    for (const bool adding : {false, true})
      for (int first = 0; first < x.n(); first += kTile) {
        const SourceTile tile = room.load(x, first);
        for (int g = 0; g < kGroups; ++g)
          adding ? add_pairs(tile, group(g)) : raise_top(tile, group(g));
      }
    for (int e = 0; e < kAtOnce && block * kAtOnce + e < u.n; ++e) {
      const int i = block * kAtOnce + e;
      const double* sum = sums + e * outputs;
      double square = 0;
      for (int k = 0; k < x.d(); ++k) square += u.at(i, k) * u.at(i, k);
      const double error = rounding.of(std::sqrt(square) * most);
      result.weight[i] = sum[0];
      result.shift[i] = top[e];
      result.weight_bound[i] = std::expm1(error);
      if (!request.mean) continue;
      for (int k = 0; k < x.d(); ++k) result.mean[k * result.stride + i] = sum[1 + k] / sum[0];
      result.mean_bound[i] = 2 * error * most;
    }
  });
  return {.pairs = static_cast<double>(u.n) * x.n()};
}

}  // namespace murmur::moments
