// probes.cpp: measures what one core can do, by loops of multiply-adds, of powers of two and of
// streams through memory, and names the instruction set that is in use.
#include "engine/simd/probes.h"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/probes.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>

#include "core/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

// Runs enough chains of multiply-adds to hide their latency. Returns the number of multiply-adds.
template <class T>
double MultiplyAdds(int turns, double& sink) {
  constexpr int kChains = 12;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const V scale = hn::Set(d, static_cast<T>(0.999)), shift = hn::Set(d, static_cast<T>(0.001));
  V a[kChains];
  for (int c = 0; c < kChains; ++c) a[c] = hn::Set(d, static_cast<T>(c));
  for (int turn = 0; turn < turns; ++turn)
    for (int c = 0; c < kChains; ++c) a[c] = hn::MulAdd(a[c], scale, shift);
  for (int c = 0; c < kChains; ++c) sink += hn::GetLane(a[c]);
  return static_cast<double>(turns) * kChains * hn::Lanes(d);
}

// Runs powers of two of scores in the first cache, each added to a sum, as for Z. Returns their
// number.
template <class T>
double Powers(int turns, double& sink) {
  constexpr int kVectors = 4, kGroups = 16;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const Exp2<decltype(d)> exp2;
  const int lanes = static_cast<int>(hn::Lanes(d)), count = kGroups * kVectors * lanes;
  const auto score = hwy::AllocateAligned<T>(count);
  for (int i = 0; i < count; ++i) score[i] = static_cast<T>(-8.0 * i / count);
  V sum[kVectors];
  for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  for (int turn = 0; turn < turns; ++turn)
    for (int g = 0; g < kGroups; ++g) {
      V s[kVectors];
      for (int v = 0; v < kVectors; ++v)
        s[v] = hn::Load(d, score.get() + (g * kVectors + v) * lanes);
      exp2(s);
      for (int v = 0; v < kVectors; ++v) sum[v] = hn::Add(sum[v], s[v]);
    }
  for (int v = 0; v < kVectors; ++v) sink += hn::GetLane(sum[v]);
  return static_cast<double>(turns) * count;
}

//   a_i = b_i + s c_i, without writing to the caches
void Triad(const double* b, const double* c, double* a, std::size_t count) {
  const hn::ScalableTag<double> d;
  const auto scale = hn::Set(d, 0.5);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    hn::Stream(hn::MulAdd(hn::Load(d, c + i), scale, hn::Load(d, b + i)), d, a + i);
}

const char* TargetHere() { return hwy::TargetName(HWY_TARGET); }

double MultiplyAddsFloat(int turns, double& sink) { return MultiplyAdds<float>(turns, sink); }
double MultiplyAddsDouble(int turns, double& sink) { return MultiplyAdds<double>(turns, sink); }
double PowersFloat(int turns, double& sink) { return Powers<float>(turns, sink); }
double PowersDouble(int turns, double& sink) { return Powers<double>(turns, sink); }

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(TargetHere);
HWY_EXPORT(MultiplyAddsFloat);
HWY_EXPORT(MultiplyAddsDouble);
HWY_EXPORT(PowersFloat);
HWY_EXPORT(PowersDouble);
HWY_EXPORT(Triad);

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Returns the largest of several rates: other processes can only make a core slower.
template <class Work>
double best_rate(int tries, const Work& work) {
  double best = 0;
  for (int t = 0; t < tries; ++t) {
    const double start = processor_seconds();
    const double done = work();
    best = std::max(best, done / (processor_seconds() - start));
  }
  return best;
}

volatile double keep_results;  // so that the compiler removes no loop

}  // namespace

CoreLimits probe_arithmetic() {
  constexpr int kTries = 12, kTurns = 400'000, kPowerTurns = 10'000;
  CoreLimits limits;
  double sink = 0;
  limits.fma_f32 =
      best_rate(kTries, [&] { return HWY_DYNAMIC_DISPATCH(MultiplyAddsFloat)(kTurns, sink); });
  limits.fma_f64 =
      best_rate(kTries, [&] { return HWY_DYNAMIC_DISPATCH(MultiplyAddsDouble)(kTurns, sink); });
  limits.exp2_f32 =
      best_rate(kTries, [&] { return HWY_DYNAMIC_DISPATCH(PowersFloat)(kPowerTurns, sink); });
  limits.exp2_f64 =
      best_rate(kTries, [&] { return HWY_DYNAMIC_DISPATCH(PowersDouble)(kPowerTurns, sink); });
  keep_results = sink;
  return limits;
}

CoreLimits probe_core() {
  CoreLimits limits = probe_arithmetic();
  constexpr std::size_t kCount = std::size_t{1} << 24;  // 128 MiB per array
  const auto a = hwy::AllocateAligned<double>(kCount), b = hwy::AllocateAligned<double>(kCount),
             c = hwy::AllocateAligned<double>(kCount);
  std::fill_n(a.get(), kCount, 0.0);
  std::fill_n(b.get(), kCount, 1.0);
  std::fill_n(c.get(), kCount, 2.0);
  limits.memory_bytes = best_rate(4, [&] {
    HWY_DYNAMIC_DISPATCH(Triad)(b.get(), c.get(), a.get(), kCount);
    return 3.0 * sizeof(double) * kCount;
  });
  keep_results = a[kCount / 2];
  return limits;
}

const char* target_name() { return HWY_DYNAMIC_DISPATCH(TargetHere)(); }

}  // namespace murmur::simd
#endif
