// kernels.cpp: the kernels of a block, compiled for every target and chosen at run time.
#include "ensemble/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ensemble/kernels.cpp"
#include <hwy/foreach_target.h>

#include "ensemble/wave_kernels-inl.h"

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
  for (int part = 0; part < kSwarms; part += kLanes) Watcher(l, part).summarise_pairs();
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

}  // namespace murmur::ensemble
#endif
