// direct_sums.cpp: sums pair by pair: groups of targets against tiles of sources, twice; kernels
// are compiled for every vector target and chosen at run time.
#include "engine/moments/direct_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/moments/direct_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/buffer.h"
#include "core/exp2-inl.h"
#include "core/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::moments {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

constexpr int kT = kDirectTargets;

HWY_INLINE void Scores(const SourceTile& tile, const double* u, int j, V (&s)[kT]) {
  const D d;
  for (int t = 0; t < kT; ++t) s[t] = hn::Zero(d);
  for (int k = 0; k < tile.d; ++k) {
    const V x = hn::Load(d, tile.x + static_cast<std::size_t>(k) * kTile + j);
    for (int t = 0; t < kT; ++t) s[t] = hn::MulAdd(hn::Set(d, u[k * kT + t]), x, s[t]);
  }
}

void RaiseTop(const SourceTile& tile, const DirectTargets& targets) {
  const D d;
  const int width = static_cast<int>(hn::Lanes(d));
  V top[kT];
  for (int t = 0; t < kT; ++t) top[t] = hn::Set(d, targets.top[t]);
  for (int j = 0; j < tile.count; j += width) {
    V s[kT];
    Scores(tile, targets.u, j, s);
    const auto there = hn::Gt(hn::Load(d, tile.mass + j), hn::Zero(d));
    for (int t = 0; t < kT; ++t) top[t] = hn::IfThenElse(there, hn::Max(top[t], s[t]), top[t]);
  }
  for (int t = 0; t < kT; ++t) targets.top[t] = hn::GetLane(hn::MaxOfLanes(d, top[t]));
}

void AddPairs(const SourceTile& tile, const DirectTargets& targets) {
  const D d;
  const int width = static_cast<int>(hn::Lanes(d)), outputs = tile.d + 1;
  const simd::HWY_NAMESPACE::Exp2<D> exp2;
  HWY_ALIGN double lanes[(kMostDirectCoordinates + 1) * kT * HWY_MAX_BYTES / sizeof(double)];
  for (int e = 0; e < outputs * kT; ++e) hn::Store(hn::Zero(d), d, lanes + e * width);
  V top[kT];
  for (int t = 0; t < kT; ++t) top[t] = hn::Set(d, targets.top[t]);
  const V log2e = hn::Set(d, 1.44269504088896340736);
  const V lowest = hn::Set(d, simd::HWY_NAMESPACE::Exp2<D>::kLowest);
  // The score of a source without mass, padding included, may be above the top.
  for (int j = 0; j < tile.count; j += width) {
    V s[kT];
    Scores(tile, targets.u, j, s);
    for (int t = 0; t < kT; ++t)
      s[t] = hn::Max(lowest, hn::Min(hn::Mul(hn::Sub(s[t], top[t]), log2e), hn::Zero(d)));
    exp2(s);
    const V mass = hn::Load(d, tile.mass + j);
    for (int t = 0; t < kT; ++t) {
      s[t] = hn::Mul(s[t], mass);
      hn::Store(hn::Add(hn::Load(d, lanes + t * width), s[t]), d, lanes + t * width);
    }
    for (int k = 0; k < tile.d; ++k) {
      const V x = hn::Load(d, tile.x + static_cast<std::size_t>(k) * kTile + j);
      for (int t = 0; t < kT; ++t) {
        double* at = lanes + ((k + 1) * kT + t) * width;
        hn::Store(hn::MulAdd(s[t], x, hn::Load(d, at)), d, at);
      }
    }
  }
  for (int t = 0; t < kT; ++t)
    for (int e = 0; e < outputs; ++e) {
      double sum = 0;
      for (int lane = 0; lane < width; ++lane) sum += lanes[(e * kT + t) * width + lane];
      targets.sums[t * outputs + e] += sum;
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::moments
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::moments {

HWY_EXPORT(RaiseTop);
HWY_EXPORT(AddPairs);

namespace {

// top becomes the maximum of itself and the scores of the tile.
void raise_top(const SourceTile& tile, const DirectTargets& targets) {
  HWY_DYNAMIC_DISPATCH(RaiseTop)(tile, targets);
}

// sums += the sums over the tile.
void add_pairs(const SourceTile& tile, const DirectTargets& targets) {
  HWY_DYNAMIC_DISPATCH(AddPairs)(tile, targets);
}

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
constexpr int kGroups = 4;  // groups of targets per copy of a tile
constexpr int kAtOnce = kGroups * kDirectTargets;

struct Scratch {
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

Scratch& thread_scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

// Copies the targets from `first` on in groups; those beyond the last are copies of it.
void gather(const Targets& u, int first, double* to) {
  for (int k = 0; k < u.d; ++k)
    for (int e = 0; e < kAtOnce; ++e)
      to[(e / kDirectTargets * u.d + k) * kDirectTargets + e % kDirectTargets] =
          u.at(std::min(first + e, u.n - 1), k);
}

// The rounding of a sum of terms m_j e^{s_j - top} >= 0 in units of 2^-53 (Higham, Accuracy and
// Stability of Numerical Algorithms, sections 3.1 and 4.2): the additions one after another; d
// times the size of the largest score for <u, x_j>; three times |s_j - top|, which is at most twice
// that size, for the difference to the top, its product with log2 e and that constant; and 16 for
// the power of two (core/exp2-inl.h: its table, its polynomial and its scaling), the products with
// mass and coordinate and the last division.
struct Rounding {
  double additions, coordinates;
  double of(double score) const { return (additions + (coordinates + 6) * score + 16) * kUnit; }
};

}  // namespace

SumsCost direct_sums(const SumsRequest& request, const SumsResult& result) {
  const HostSwarm& x = request.x;
  const Targets& u = request.u;
  assert(x.d() <= kMostDirectCoordinates);
  const double most = largest_norm(x) * (1 + 8 * kUnit);
  const Rounding rounding{kTile / 2.0 + (x.n() + kTile - 1) / kTile, 1.0 * x.d()};
  const int outputs = x.d() + 1;
  for_blocks((u.n + kAtOnce - 1) / kAtOnce, request.threads, [&](int block) {
    Scratch& scratch = thread_scratch();
    const std::size_t size = static_cast<std::size_t>(kAtOnce) * (x.d() + 1 + outputs);
    double* rows = scratch.targets.need(size);
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
        const SourceTile tile = scratch.load(x, first);
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
#endif
