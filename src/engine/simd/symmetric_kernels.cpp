// symmetric_kernels.cpp: the symmetric kernels, compiled for every target and chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/symmetric_kernels.cpp"
#include <hwy/foreach_target.h>

#include "engine/simd/symmetric_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

void SymmetricFloat(const PairSums<float>& p, double g, int strip, double* totals) {
  SymmetricSums(p, g, strip, totals);
}

void SymmetricDouble(const PairSums<double>& p, double g, int strip, double* totals) {
  SymmetricSums(p, g, strip, totals);
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(SymmetricFloat);
HWY_EXPORT(SymmetricDouble);

void symmetric_sums(const PairSums<float>& p, double g, int strip, double* totals) {
  HWY_DYNAMIC_DISPATCH(SymmetricFloat)(p, g, strip, totals);
}

void symmetric_sums(const PairSums<double>& p, double g, int strip, double* totals) {
  HWY_DYNAMIC_DISPATCH(SymmetricDouble)(p, g, strip, totals);
}

}  // namespace murmur::simd
#endif
