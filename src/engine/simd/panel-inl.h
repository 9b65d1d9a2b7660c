// panel-inl.h: the register-tiled product that applies every matrix of the engine.
#if defined(MURMUR_SIMD_PANEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_SIMD_PANEL_INL_H_
#undef MURMUR_SIMD_PANEL_INL_H_
#else
#define MURMUR_SIMD_PANEL_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "core/wasm_double-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A panel holds rows of kWidth<T> particles side by side: lanes are particles.
template <class T>
inline constexpr int kWidth = 2 * static_cast<int>(hn::MaxLanes(hn::ScalableTag<T>()));

template <class T>
struct Factor {
  const T* a;         // (depth, pitch): the matrix, transposed
  std::size_t pitch;  // at least rows rounded up to four
  int rows, depth;
};

//   c[r][:] = (onto ? c[r][:] : 0) + sum_k a[k][r] b[k][:],   r < kRows, k < depth
// The matrix is read by broadcasts from adjacent places; 2 kRows sums stay in registers.
template <int kRows, class T>
HWY_INLINE void PanelRows(Factor<T> f, const T* b, T* c, std::size_t stride, bool onto) {
  const hn::ScalableTag<T> d;
  constexpr int kLanes = kWidth<T> / 2;
  hn::Vec<decltype(d)> sum[2 * kRows];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < 2; ++v)
      sum[2 * r + v] = onto ? hn::LoadU(d, c + r * stride + v * kLanes) : hn::Zero(d);
  for (int k = 0; k < f.depth; ++k, f.a += f.pitch, b += kWidth<T>) {
    const auto b0 = hn::Load(d, b), b1 = hn::Load(d, b + kLanes);
    for (int r = 0; r < kRows; ++r) {
      const auto a = hn::Set(d, f.a[r]);
      sum[2 * r] = hn::MulAdd(a, b0, sum[2 * r]);
      sum[2 * r + 1] = hn::MulAdd(a, b1, sum[2 * r + 1]);
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < 2; ++v) hn::StoreU(sum[2 * r + v], d, c + r * stride + v * kLanes);
}

// The same for all rows; c (rows rounded up to four, stride), of which kWidth are used.
template <class T>
HWY_NOINLINE void PanelProduct(Factor<T> f, const T* b, T* c, bool onto,
                               std::size_t stride = kWidth<T>) {
#if HWY_TARGET <= HWY_AVX3
  constexpr int kRows = 8;  // 16 of 32 registers
#else
  constexpr int kRows = 4;  // 8 of 16
#endif
  int r = 0;
  for (; r + kRows <= f.rows; r += kRows, f.a += kRows)
    PanelRows<kRows>(f, b, c + r * stride, stride, onto);
  for (; r < f.rows; r += 4, f.a += 4) PanelRows<4>(f, b, c + r * stride, stride, onto);
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#endif
