// sample_kernels.cpp: the fused kernels, compiled for every target and chosen at run time.
#include "learn/sample_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learn/sample_kernels.cpp"
#include <hwy/foreach_target.h>

#include "learn/attention_kernels-inl.h"
#include "learn/sample_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

void Attend(const AttentionPass& p) {
  ForWidths(p, [&]<int kD, int kK>() HWY_ATTR { AttentionForward<kD, kK>(p); });
}

void AttendBack(const AttentionPass& p) {
  ForWidths(p, [&]<int kD, int kK>() HWY_ATTR { AttentionBackward<kD, kK>(p); });
}

void FeedForwardForward(const PerceptronPass& p) {
  if (p.d == 2) return PerceptronForward<2>(p);
  return p.d == 3 ? PerceptronForward<3>(p) : PerceptronForward<4>(p);
}

void FeedForwardBackward(const PerceptronPass& p) {
  if (p.d == 2) return PerceptronBackward<2>(p);
  return p.d == 3 ? PerceptronBackward<3>(p) : PerceptronBackward<4>(p);
}

void Softmax(const SoftmaxPass& p) { SoftmaxRows(p); }
void SoftmaxBack(const SoftmaxPass& p, float* ds) { SoftmaxRowsBack(p, ds); }

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(Attend);
HWY_EXPORT(AttendBack);
HWY_EXPORT(FeedForwardForward);
HWY_EXPORT(FeedForwardBackward);
HWY_EXPORT(Softmax);
HWY_EXPORT(SoftmaxBack);

std::size_t scratch_size(int d, int k, std::size_t stride) {
  const int wide = std::max(d, k);
  const auto axes = static_cast<std::size_t>(wide);
  return stride * (static_cast<std::size_t>(pitch(wide)) + 6 * axes + 1 + 2 * axes * kPadding);
}

void attention_forward(const AttentionPass& p) { HWY_DYNAMIC_DISPATCH(Attend)(p); }
void attention_backward(const AttentionPass& p) { HWY_DYNAMIC_DISPATCH(AttendBack)(p); }
void perceptron_forward(const PerceptronPass& p) { HWY_DYNAMIC_DISPATCH(FeedForwardForward)(p); }
void perceptron_backward(const PerceptronPass& p) { HWY_DYNAMIC_DISPATCH(FeedForwardBackward)(p); }
void softmax_rows(const SoftmaxPass& p) { HWY_DYNAMIC_DISPATCH(Softmax)(p); }
void softmax_rows_back(const SoftmaxPass& p, float* ds) {
  HWY_DYNAMIC_DISPATCH(SoftmaxBack)(p, ds);
}

}  // namespace murmur::simd
#endif
