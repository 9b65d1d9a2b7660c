// sample_kernels.cpp: the fused kernels, compiled for every target and chosen at run time.
#include "learn/sample_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learn/sample_kernels.cpp"
#include <hwy/foreach_target.h>

#include "learn/sample_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

void Attend(const AttentionPass& p) {
  if (p.d == 2) return p.mask ? AttentionForward<2, true>(p) : AttentionForward<2, false>(p);
  if (p.d == 3) return p.mask ? AttentionForward<3, true>(p) : AttentionForward<3, false>(p);
  return p.mask ? AttentionForward<4, true>(p) : AttentionForward<4, false>(p);
}

void AttendBack(const AttentionPass& p) {
  if (p.d == 2) return p.mask ? AttentionBackward<2, true>(p) : AttentionBackward<2, false>(p);
  if (p.d == 3) return p.mask ? AttentionBackward<3, true>(p) : AttentionBackward<3, false>(p);
  return p.mask ? AttentionBackward<4, true>(p) : AttentionBackward<4, false>(p);
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

std::size_t scratch_size(int d, std::size_t stride) {
  const auto axes = static_cast<std::size_t>(d);
  return stride * (static_cast<std::size_t>(pitch(d)) + 5 * axes + 1 + 2 * axes * kPadding);
}

void attention_forward(const AttentionPass& p) { HWY_DYNAMIC_DISPATCH(Attend)(p); }
void attention_backward(const AttentionPass& p) { HWY_DYNAMIC_DISPATCH(AttendBack)(p); }
void perceptron_forward(const PerceptronPass& p) { HWY_DYNAMIC_DISPATCH(FeedForwardForward)(p); }
void perceptron_backward(const PerceptronPass& p) { HWY_DYNAMIC_DISPATCH(FeedForwardBackward)(p); }
void softmax_rows(const SoftmaxPass& p) { HWY_DYNAMIC_DISPATCH(Softmax)(p); }

}  // namespace murmur::simd
#endif
