// wasm_double-inl.h: the operations on two doubles that Highway 1.0 lacks for WebAssembly.
#include <hwy/highway.h>

#if HWY_TARGET == HWY_WASM && !HWY_HAVE_FLOAT64 && !defined(MURMUR_CORE_WASM_DOUBLE_INL_H_)
#define MURMUR_CORE_WASM_DOUBLE_INL_H_

HWY_BEFORE_NAMESPACE();
namespace hwy {
namespace HWY_NAMESPACE {

using Doubles = Vec128<double>;
using DoublesMask = Mask128<double>;

HWY_API Doubles Set(Full128<double>, const double t) { return {wasm_f64x2_splat(t)}; }

HWY_API Doubles operator+(Doubles a, Doubles b) { return {wasm_f64x2_add(a.raw, b.raw)}; }
HWY_API Doubles operator-(Doubles a, Doubles b) { return {wasm_f64x2_sub(a.raw, b.raw)}; }
HWY_API Doubles operator*(Doubles a, Doubles b) { return {wasm_f64x2_mul(a.raw, b.raw)}; }
HWY_API Doubles operator/(Doubles a, Doubles b) { return {wasm_f64x2_div(a.raw, b.raw)}; }
HWY_API Doubles Abs(Doubles a) { return {wasm_f64x2_abs(a.raw)}; }
HWY_API Doubles Max(Doubles a, Doubles b) { return {wasm_f64x2_max(a.raw, b.raw)}; }
HWY_API Doubles Min(Doubles a, Doubles b) { return {wasm_f64x2_min(a.raw, b.raw)}; }

HWY_API Doubles MulAdd(Doubles a, Doubles b, Doubles add) { return a * b + add; }
HWY_API Doubles NegMulAdd(Doubles a, Doubles b, Doubles add) { return add - a * b; }
HWY_API Doubles MulSub(Doubles a, Doubles b, Doubles sub) { return a * b - sub; }

HWY_API DoublesMask operator==(Doubles a, Doubles b) { return {wasm_f64x2_eq(a.raw, b.raw)}; }
HWY_API DoublesMask operator!=(Doubles a, Doubles b) { return {wasm_f64x2_ne(a.raw, b.raw)}; }
HWY_API DoublesMask operator<(Doubles a, Doubles b) { return {wasm_f64x2_lt(a.raw, b.raw)}; }
HWY_API DoublesMask operator>(Doubles a, Doubles b) { return {wasm_f64x2_gt(a.raw, b.raw)}; }
HWY_API DoublesMask operator<=(Doubles a, Doubles b) { return {wasm_f64x2_le(a.raw, b.raw)}; }
HWY_API DoublesMask operator>=(Doubles a, Doubles b) { return {wasm_f64x2_ge(a.raw, b.raw)}; }

}  // namespace HWY_NAMESPACE
}  // namespace hwy
HWY_AFTER_NAMESPACE();

#endif
