// small_kernels.cpp: the kernels of few dimensions, compiled for every target and chosen at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/small_kernels.cpp"
#include <hwy/foreach_target.h>

#include "engine/simd/small_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

void SmallFloat(const PairSums<float>& p, int block) {
  p.form == Form::open ? SmallSums<float, Form::open>(p, block)
                       : SmallSums<float, Form::difference>(p, block);
}

void SmallDouble(const PairSums<double>& p, int block) {
  p.form == Form::open ? SmallSums<double, Form::open>(p, block)
                       : SmallSums<double, Form::bounded>(p, block);
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(SmallFloat);
HWY_EXPORT(SmallDouble);

void small_sums(const PairSums<float>& p, int block) { HWY_DYNAMIC_DISPATCH(SmallFloat)(p, block); }
void small_sums(const PairSums<double>& p, int block) {
  HWY_DYNAMIC_DISPATCH(SmallDouble)(p, block);
}

}  // namespace murmur::simd
#endif
