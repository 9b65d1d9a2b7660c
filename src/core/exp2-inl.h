// exp2-inl.h: 2^s on vectors: a table held in registers and a short polynomial.
#if defined(MURMUR_CORE_EXP2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_CORE_EXP2_INL_H_
#undef MURMUR_CORE_EXP2_INL_H_
#else
#define MURMUR_CORE_EXP2_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "core/wasm_double-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Minimax polynomials of 2^f in relative error on |f| <= 2^-(bits + 1). The best number of table
// bits depends on how many values one permutation of registers can choose from.
template <class T>
struct Exp2Terms;

template <>
struct Exp2Terms<float> {
  using Bits = std::int32_t;
  static constexpr int kMantissa = 23;
#if HWY_TARGET <= HWY_AVX3
  static constexpr int kBits = 5;  // error 5.3e-8
  static constexpr float kPoly[] = {1.0000000004299562f, 0.69315734362107682f,
                                    0.24022474587354094f};
#elif HWY_TARGET == HWY_AVX2
  static constexpr int kBits = 3;  // error 1.8e-8
  static constexpr float kPoly[] = {0.99999998166760123f, 0.69314720855211970f,
                                    0.24026407296311595f, 0.055498895388555233f};
#else
  static constexpr int kBits = 0;  // error 7.5e-8
  static constexpr float kPoly[] = {1.0000000716457143f,  0.69314696709554908f,
                                    0.24022119755112492f, 0.055507132264042488f,
                                    0.00967554039915033f, 0.0013276487050971839f};
#endif
};

template <>
struct Exp2Terms<double> {
  using Bits = std::int64_t;
  static constexpr int kMantissa = 52;
#if HWY_TARGET <= HWY_AVX3
  static constexpr int kBits = 4;  // error 7e-18, before rounding
  static constexpr double kPoly[] = {1.0,
                                     0.69314718055994686283,
                                     0.24022650695909842597,
                                     0.055504108652094756429,
                                     0.0096181291131304727895,
                                     0.0013333818806095755244,
                                     0.00015403305551373697719};
#else
  static constexpr int kBits = 0;  // error 3e-18, before rounding
  static constexpr double kPoly[] = {1.0,
                                     0.69314718055994533040,
                                     0.24022650695910156171,
                                     0.055504108664819926434,
                                     0.0096181291075883477941,
                                     0.0013333558146788773461,
                                     0.00015403530462498820296,
                                     1.5252733491096090395e-5,
                                     1.3215433097307574654e-6,
                                     1.0178197558846428875e-7,
                                     7.0741043418275163482e-9,
                                     4.4353523518648835224e-10};
#endif
};

// The bits of 2^(i / 2^bits), minus i at the position where the shifted index is added.
template <class T>
struct Exp2Table {
  using Terms = Exp2Terms<T>;
  static constexpr int kSize = 1 << Terms::kBits;
  static constexpr int kShift = Terms::kMantissa - Terms::kBits;
  alignas(64) typename Terms::Bits bits[kSize];

  constexpr Exp2Table() : bits{} {
    constexpr long double kRoot = Terms::kBits == 5   ? 1.0218971486541166782344801347833L
                                  : Terms::kBits == 4 ? 1.0442737824274138403219664787399L
                                                      : 1.0905077326652576592070106557607L;
    long double power = 1;
    for (int i = 0; i < kSize; ++i, power *= kRoot)
      bits[i] = __builtin_bit_cast(typename Terms::Bits, static_cast<T>(power)) -
                (static_cast<typename Terms::Bits>(i) << kShift);
  }
};

//   2^s = 2^n 2^(i / 2^bits) 2^f,   n 2^bits + i = round(2^bits s)
// Adding 1.5 2^(mantissa - bits) to s rounds it and leaves n 2^bits + i in the lowest bits; shifted
// up, n is in the exponent and i where the table expects it. Valid if 2^s is a normal number.
template <class D>
class Exp2 {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  using Terms = Exp2Terms<T>;
  using DI = hn::RebindToSigned<D>;
  static constexpr Exp2Table<T> kTable{};
  static constexpr int kDegree = sizeof(Terms::kPoly) / sizeof(T) - 1;

 public:
  // The least valid s. Callers pass Max(kLowest, s), which keeps a NaN in s. It is far enough above
  // the smallest normal number that products with 2^s are normal too.
  static constexpr T kLowest = sizeof(T) == 4 ? -100 : -980;

  // s[v] <- 2^s[v]. Each stage runs over all v, so that dependent instructions are apart.
  template <int kN>
  HWY_INLINE void operator()(V (&s)[kN]) const {
    const D d;
    constexpr T kMagic =
        static_cast<T>(1.5) * static_cast<T>(std::int64_t{1} << (Terms::kMantissa - Terms::kBits));
    const V magic = hn::Set(d, kMagic);
    V rounded[kN], p[kN];
    for (int v = 0; v < kN; ++v) rounded[v] = hn::Add(s[v], magic);
    for (int v = 0; v < kN; ++v) p[v] = hn::Sub(rounded[v], magic);
    for (int v = 0; v < kN; ++v) s[v] = hn::Sub(s[v], p[v]);
    for (int v = 0; v < kN; ++v) p[v] = hn::Set(d, Terms::kPoly[kDegree]);
    for (int k = kDegree - 1; k >= 0; --k)
      for (int v = 0; v < kN; ++v) p[v] = hn::MulAdd(p[v], s[v], hn::Set(d, Terms::kPoly[k]));
    for (int v = 0; v < kN; ++v) rounded[v] = power(rounded[v]);
    for (int v = 0; v < kN; ++v) s[v] = hn::Mul(rounded[v], p[v]);
  }

  HWY_INLINE V operator()(V s) const {
    V one[1] = {s};
    (*this)(one);
    return one[0];
  }

 private:
  using VI = hn::Vec<DI>;

  // Returns 2^n 2^(i / 2^bits) from the lowest bits of the rounded number.
  HWY_INLINE static V power(V rounded) {
    const VI index = hn::BitCast(DI(), rounded);
    return hn::BitCast(D(), hn::Add(look_up(index), hn::ShiftLeft<Exp2Table<T>::kShift>(index)));
  }

  HWY_INLINE static VI look_up(VI index) {
    const DI di;
#if HWY_TARGET <= HWY_AVX3
    constexpr int kHalf = 64 / sizeof(T);
    const VI low = hn::Load(di, kTable.bits), high = hn::Load(di, kTable.bits + kHalf);
    if constexpr (sizeof(T) == 4)
      return VI{_mm512_permutex2var_epi32(low.raw, index.raw, high.raw)};
    else
      return VI{_mm512_permutex2var_epi64(low.raw, index.raw, high.raw)};
#elif HWY_TARGET == HWY_AVX2
    if constexpr (sizeof(T) == 4)
      return VI{_mm256_permutevar8x32_epi32(hn::Load(di, kTable.bits).raw, index.raw)};
    else
      return hn::Set(di, kTable.bits[0]);
#else
    (void)index;
    return hn::Set(di, kTable.bits[0]);
#endif
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#endif
