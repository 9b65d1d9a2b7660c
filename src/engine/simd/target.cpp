// target.cpp: asks the dispatcher itself, by a kernel that only says where it was compiled for.
#include "engine/simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/target.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {
const char* TargetHere() { return hwy::TargetName(HWY_TARGET); }
}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {
HWY_EXPORT(TargetHere);
const char* target_name() { return HWY_DYNAMIC_DISPATCH(TargetHere)(); }
}  // namespace murmur::simd
#endif
