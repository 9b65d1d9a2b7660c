// row_kernels.cpp: softmax and activations of rows, compiled for every target and chosen at run
// time.
#include <algorithm>
#include <cmath>

#include "model/parts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/row_kernels.cpp"
#include <hwy/foreach_target.h>

#include "core/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::simd {
namespace HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

// e^x, x <= 0
HWY_INLINE FloatVector ExpOf(Floats d, FloatVector x) {
  return Exp2<Floats>()(
      hn::Max(hn::Set(d, Exp2<Floats>::kLowest), hn::Mul(x, hn::Set(d, 1.44269504f))));
}

// Calls `each` with every full vector of the row, and with the rest padded with zeros.
template <class Each>
HWY_INLINE void ForVectors(float* row, std::size_t size, const Each& each) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t at = 0;
  for (; at + lanes <= size; at += lanes) hn::StoreU(each(hn::LoadU(d, row + at)), d, row + at);
  if (at == size) return;
  HWY_ALIGN float rest[hn::MaxLanes(Floats())] = {};
  std::copy(row + at, row + size, rest);
  hn::Store(each(hn::Load(d, rest)), d, rest);
  std::copy(rest, rest + (size - at), row + at);
}

void Softmax(float* row, int n) {
  const Floats d;
  const float top = *std::max_element(row, row + n);
  const FloatVector most = hn::Set(d, top);
  ForVectors(row, static_cast<std::size_t>(n),
             [&](FloatVector x) HWY_ATTR { return ExpOf(d, hn::Sub(x, most)); });
  double total = 0;
  for (int j = 0; j < n; ++j) total += row[j];
  const FloatVector share = hn::Set(d, static_cast<float>(1 / total));
  ForVectors(row, static_cast<std::size_t>(n),
             [&](FloatVector x) HWY_ATTR { return hn::Mul(x, share); });
}

// (1 + 2r) e^(r^2) erfc(r) for 0 <= r <= 5 in t = (r - 3) / (r + 3), by interpolation at the
// Chebyshev nodes: relative error 5e-9.
inline constexpr float kErfc[] = {1.25300805f,    -0.135621089f,  -0.0475611756f, 0.129645716f,
                                  -0.119308535f,  0.0682248772f,  -0.0235640245f, 0.0036093287f,
                                  0.00354475282f, 0.000260232983f};

//   z Phi(z),   Phi(z) = 1 - q for z >= 0, else q,   q = erfc(|z| / sqrt 2) / 2
HWY_INLINE FloatVector GeluOf(Floats d, FloatVector z) {
  const auto set = [&](float c) HWY_ATTR { return hn::Set(d, c); };
  const FloatVector r = hn::Min(hn::Mul(hn::Abs(z), set(0.70710678f)), set(5));
  const FloatVector t = hn::Div(hn::Sub(r, set(3)), hn::Add(r, set(3)));
  constexpr int kTerms = sizeof(kErfc) / sizeof(float);
  FloatVector p = set(kErfc[kTerms - 1]);
  for (int k = kTerms - 2; k >= 0; --k) p = hn::MulAdd(p, t, set(kErfc[k]));
  const FloatVector q = hn::Div(hn::Mul(hn::Mul(p, set(0.5f)), ExpOf(d, hn::Neg(hn::Mul(r, r)))),
                                hn::MulAdd(r, set(2), set(1)));
  return hn::Mul(z, hn::IfThenElse(hn::Ge(z, hn::Zero(d)), hn::Sub(set(1), q), q));
}

//   z / (1 + e^-y): e = e^-|y|, and 1 or e over 1 + e
HWY_INLINE FloatVector GatedBy(Floats d, FloatVector z, FloatVector y) {
  const FloatVector one = hn::Set(d, 1.0f), e = ExpOf(d, hn::Neg(hn::Abs(y)));
  const FloatVector top = hn::IfThenElse(hn::Ge(y, hn::Zero(d)), one, e);
  return hn::Mul(z, hn::Div(top, hn::Add(one, e)));
}

void Activate(float* row, std::size_t size, FeedForwardActivation activation) {
  const Floats d;
  switch (activation) {
    case FeedForwardActivation::relu:
      return ForVectors(row, size, [&](FloatVector z) HWY_ATTR { return hn::Max(z, hn::Zero(d)); });
    case FeedForwardActivation::gelu:
      return ForVectors(row, size, [&](FloatVector z) HWY_ATTR { return GeluOf(d, z); });
    case FeedForwardActivation::gelu_tanh:
      return ForVectors(row, size, [&](FloatVector z) HWY_ATTR {
        const FloatVector cubic = hn::MulAdd(hn::Mul(z, z), hn::Set(d, 0.044715f), hn::Set(d, 1));
        return GatedBy(d, z, hn::Mul(hn::Mul(z, hn::Set(d, 1.59576912f)), cubic));
      });
    case FeedForwardActivation::silu:
      return ForVectors(row, size, [&](FloatVector z) HWY_ATTR { return GatedBy(d, z, z); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::simd {

HWY_EXPORT(Softmax);
HWY_EXPORT(Activate);

void softmax(float* row, int n) { HWY_DYNAMIC_DISPATCH(Softmax)(row, n); }

void activate(float* row, std::size_t size, FeedForwardActivation activation) {
  HWY_DYNAMIC_DISPATCH(Activate)(row, size, activation);
}

}  // namespace murmur::simd

namespace murmur {

void softmax_row(float* row, int n) { simd::softmax(row, n); }

void activate_row(float* row, std::size_t size, FeedForwardActivation activation) {
  simd::activate(row, size, activation);
}

}  // namespace murmur
#endif
