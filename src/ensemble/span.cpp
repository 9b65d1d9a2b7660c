// span.cpp: a swarm in the span of its own particles, by Gram-Schmidt done as often as needed.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ensemble/span.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "ensemble/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::ensemble {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;

HWY_INLINE double dot(const double* a, const double* b, int d) {
  constexpr int kChains = 4;
  const D tag;
  const int lanes = static_cast<int>(hn::Lanes(tag));
  hn::Vec<D> sum[kChains];
  for (auto& s : sum) s = hn::Zero(tag);
  int k = 0;
  for (; k + kChains * lanes <= d; k += kChains * lanes)
    for (int c = 0; c < kChains; ++c)
      sum[c] =
          hn::MulAdd(hn::LoadU(tag, a + k + c * lanes), hn::LoadU(tag, b + k + c * lanes), sum[c]);
  const hn::Vec<D> all = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
  double total = hn::GetLane(hn::SumOfLanes(tag, all));
  for (; k < d; ++k) total += a[k] * b[k];
  return total;
}

// y += c x
HWY_INLINE void add_scaled(double c, const double* x, int d, double* y) {
  const D tag;
  const int lanes = static_cast<int>(hn::Lanes(tag));
  const hn::Vec<D> scale = hn::Set(tag, c);
  int k = 0;
  for (; k + lanes <= d; k += lanes)
    hn::StoreU(hn::MulAdd(scale, hn::LoadU(tag, x + k), hn::LoadU(tag, y + k)), tag, y + k);
  for (; k < d; ++k) y[k] += c * x[k];
}

// q <- q less its parts along the first i rows of the basis, which are added to c (i).
// Returns the length left.
inline double orthogonalise(const Span& s, int i, double* c) {
  const int d = s.shape.d;
  double* q = s.basis + static_cast<std::size_t>(i) * d;
  for (int k = 0; k < i; ++k) {
    const double* other = s.basis + static_cast<std::size_t>(k) * d;
    const double along = dot(q, other, d);
    add_scaled(-along, other, d, q);
    c[k] += along;
  }
  return std::sqrt(dot(q, q, d));
}

// A pass that takes away more than half has left rounding behind, which the next one takes away;
// what vanishes in kPasses of them is no direction.
void Enter(const Span& s) {
  constexpr int kPasses = 5;
  const int n = s.shape.n, d = s.shape.d;
  for (int i = 0; i < n; ++i) {
    double* q = s.basis + static_cast<std::size_t>(i) * d;
    double* c = s.coordinates + static_cast<std::size_t>(i) * n;
    std::copy_n(s.rows + static_cast<std::size_t>(i) * d, d, q);
    std::fill_n(c, n, 0.0);
    double before = std::sqrt(dot(q, q, d)), after = 0;
    bool settled = false;
    for (int pass = 0; pass < kPasses && !settled; ++pass) {
      after = orthogonalise(s, i, c);
      settled = after > 0.5 * before;
      before = after;
    }
    c[i] = settled ? after : 0.0;
    for (int k = 0; k < d; ++k) q[k] = settled ? q[k] / after : 0.0;
  }
}

void Leave(const Span& s) {
  const int n = s.shape.n, d = s.shape.d;
  std::fill_n(s.rows, static_cast<std::size_t>(n) * d, 0.0);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      add_scaled(s.coordinates[static_cast<std::size_t>(i) * n + k],
                 s.basis + static_cast<std::size_t>(k) * d, d,
                 s.rows + static_cast<std::size_t>(i) * d);
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::ensemble
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::ensemble {

HWY_EXPORT(Enter);
HWY_EXPORT(Leave);

void enter(const Span& s) { HWY_DYNAMIC_DISPATCH(Enter)(s); }
void leave(const Span& s) { HWY_DYNAMIC_DISPATCH(Leave)(s); }

}  // namespace murmur::ensemble
#endif
