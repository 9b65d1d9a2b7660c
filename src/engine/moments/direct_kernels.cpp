// direct_kernels.cpp: scores, powers of two and weighted sums, one source a lane.
#include "engine/moments/direct_kernels.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/moments/direct_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::moments {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

constexpr int kT = kDirectTargets;
constexpr int kMostDirect = 16;  // coordinates whose sums stay in registers or near them

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
  HWY_ALIGN double lanes[(kMostDirect + 1) * kT * HWY_MAX_BYTES / sizeof(double)];
  for (int e = 0; e < outputs * kT; ++e) hn::Store(hn::Zero(d), d, lanes + e * width);
  V top[kT];
  for (int t = 0; t < kT; ++t) top[t] = hn::Set(d, targets.top[t]);
  const V log2e = hn::Set(d, 1.44269504088896340736);
  const V lowest = hn::Set(d, simd::HWY_NAMESPACE::Exp2<D>::kLowest);
  for (int j = 0; j < tile.count; j += width) {
    V s[kT];
    Scores(tile, targets.u, j, s);
    for (int t = 0; t < kT; ++t) s[t] = hn::Max(lowest, hn::Mul(hn::Sub(s[t], top[t]), log2e));
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

void raise_top(const SourceTile& tile, const DirectTargets& targets) {
  HWY_DYNAMIC_DISPATCH(RaiseTop)(tile, targets);
}
void add_pairs(const SourceTile& tile, const DirectTargets& targets) {
  HWY_DYNAMIC_DISPATCH(AddPairs)(tile, targets);
}

}  // namespace murmur::moments
#endif
