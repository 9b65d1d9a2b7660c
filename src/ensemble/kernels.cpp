// kernels.cpp: the kernels of a block, compiled for every target and chosen at run time.
#include "ensemble/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ensemble/kernels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>

#include "ensemble/swarm_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::ensemble {
namespace HWY_NAMESPACE {

void Layer(const LanePairSums& p, double dt, double* x, double* lengths) {
  step_layer(p, dt, x, lengths);
}
void Velocity(const LanePairSums& p, const double* x, double* v) { find_velocity(p, x, v); }
void WaveLayer(const WaveSums& w, double* x, double* lengths) { wave_layer(w, x, lengths); }
void WaveVelocity(const WaveSums& w, const double* x, double* v) {
  w.divided ? wave_velocity<true>(w, x, v) : wave_velocity<false>(w, x, v);
}
void MakeMove(const Retract& m) { make_move(m); }
void FindErrorNorm(const ErrorNorm& g) { find_error_norm(g); }

void SummarisePairs(const PairSummary& l) {
  for (int part = 0; part < kSwarms; part += kLanes) PairReader(l, part).summarise_pairs();
}

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

// Subtracts from q its parts along the first i rows of the basis, and adds them to c (i). Returns
// the remaining length.
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

// A pass that removes more than half of the length leaves rounding errors, which the next pass
// removes. A vector that vanishes in kPasses passes gives no new direction.
void ProjectToSpan(const Span& s) {
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

void ExpandFromSpan(const Span& s) {
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

HWY_EXPORT(Layer);
HWY_EXPORT(Velocity);
HWY_EXPORT(WaveLayer);
HWY_EXPORT(WaveVelocity);
HWY_EXPORT(MakeMove);
HWY_EXPORT(FindErrorNorm);
HWY_EXPORT(SummarisePairs);
HWY_EXPORT(ProjectToSpan);
HWY_EXPORT(ExpandFromSpan);

void layer(const LanePairSums& p, double dt, double* x, double* lengths) {
  HWY_DYNAMIC_DISPATCH(Layer)(p, dt, x, lengths);
}
void velocity(const LanePairSums& p, const double* x, double* v) {
  HWY_DYNAMIC_DISPATCH(Velocity)(p, x, v);
}
void layer(const WaveSums& w, double* x, double* lengths) {
  HWY_DYNAMIC_DISPATCH(WaveLayer)(w, x, lengths);
}
void velocity(const WaveSums& w, const double* x, double* v) {
  HWY_DYNAMIC_DISPATCH(WaveVelocity)(w, x, v);
}
void retract(const Retract& m) { HWY_DYNAMIC_DISPATCH(MakeMove)(m); }
void error_norm(const ErrorNorm& g) { HWY_DYNAMIC_DISPATCH(FindErrorNorm)(g); }
void summarise_pairs(const PairSummary& l) { HWY_DYNAMIC_DISPATCH(SummarisePairs)(l); }
void project_to_span(const Span& s) { HWY_DYNAMIC_DISPATCH(ProjectToSpan)(s); }
void expand_from_span(const Span& s) { HWY_DYNAMIC_DISPATCH(ExpandFromSpan)(s); }

}  // namespace murmur::ensemble
#endif
