// circle_kernels.cpp: powers of z up and Horner's rule down, one particle a lane.
#include "engine/moments/circle_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/moments/circle_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace murmur::moments {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// Turning by z keeps lengths, so rounding grows like k on both ways, also where theta is near 0.
struct Complex {
  V re, im;
  // Written out: on aarch64 gcc 12 makes the implicit ones for another target than this namespace.
  HWY_INLINE Complex() {}
  HWY_INLINE Complex(V real, V imaginary) : re(real), im(imaginary) {}
};
HWY_INLINE Complex turned(Complex a, Complex z) {
  return {hn::NegMulAdd(a.im, z.im, hn::Mul(a.re, z.re)),
          hn::MulAdd(a.re, z.im, hn::Mul(a.im, z.re))};
}

//   up:  w_0 = m,  w_k = z w_{k-1},  added over the particles lane by lane
void AddPowers(const CircleBlock& block, int orders, double* lanes, double* sums) {
  const D d;
  const int width = static_cast<int>(hn::Lanes(d));
  for (int e = 0; e < 2 * (orders + 1); ++e) hn::Store(hn::Zero(d), d, lanes + e * width);
  for (int j = 0; j < block.count; j += kTogether * width) {
    Complex z[kTogether], w[kTogether];
    for (int a = 0; a < kTogether; ++a) {
      z[a] = {hn::Load(d, block.x + j + a * width), hn::Load(d, block.y + j + a * width)};
      w[a] = {hn::Load(d, block.mass + j + a * width), hn::Zero(d)};
    }
    for (int k = 0; k <= orders; ++k) {
      double* at = lanes + 2 * k * width;
      V re = hn::Load(d, at), im = hn::Load(d, at + width);
      re = hn::Add(re, hn::Add(hn::Add(w[0].re, w[1].re), hn::Add(w[2].re, w[3].re)));
      im = hn::Add(im, hn::Add(hn::Add(w[0].im, w[1].im), hn::Add(w[2].im, w[3].im)));
      hn::Store(re, d, at);
      hn::Store(im, d, at + width);
      for (int a = 0; a < kTogether; ++a) w[a] = turned(w[a], z[a]);
    }
  }
  for (int e = 0; e < 2 * (orders + 1); ++e) {
    sums[e] = 0;
    for (int lane = 0; lane < width; ++lane) sums[e] += lanes[e * width + lane];
  }
}

//   down:  b_k = c_k + z b_{k+1},  sum = Re b_0
template <int kSeries>
void SumAll(const CircleBlock& block, const CircleSeries& s) {
  constexpr int kAtOnce = kSeries == 1 ? 4 : 2;
  const D d;
  const int width = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < block.count; i += kAtOnce * width) {
    Complex z[kAtOnce], b[kAtOnce][kSeries];
    for (int a = 0; a < kAtOnce; ++a) {
      z[a] = {hn::Load(d, block.x + i + a * width), hn::Load(d, block.y + i + a * width)};
      for (int e = 0; e < kSeries; ++e) b[a][e] = {hn::Zero(d), hn::Zero(d)};
    }
    for (int k = s.orders; k >= 0; --k) {
      const double* c = s.terms + 2 * kSeries * k;
      for (int e = 0; e < kSeries; ++e) {
        const V re = hn::Set(d, c[2 * e]), im = hn::Set(d, c[2 * e + 1]);
        for (int a = 0; a < kAtOnce; ++a) {
          const Complex above = b[a][e];
          b[a][e] = {hn::NegMulAdd(above.im, z[a].im, hn::MulAdd(above.re, z[a].re, re)),
                     hn::MulAdd(above.re, z[a].im, hn::MulAdd(above.im, z[a].re, im))};
        }
      }
    }
    for (int a = 0; a < kAtOnce; ++a)
      for (int e = 0; e < kSeries; ++e) hn::Store(b[a][e].re, d, s.out[e] + i + a * width);
  }
}

void SumSeries(const CircleBlock& block, const CircleSeries& s) {
  s.series == 1 ? SumAll<1>(block, s) : s.series == 2 ? SumAll<2>(block, s) : SumAll<3>(block, s);
}

int Width() { return static_cast<int>(hn::Lanes(D())); }
const char* TargetHere() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace murmur::moments
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::moments {

HWY_EXPORT(AddPowers);
HWY_EXPORT(SumSeries);
HWY_EXPORT(Width);
HWY_EXPORT(TargetHere);

void add_powers(const CircleBlock& block, int orders, double* lanes, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddPowers)(block, orders, lanes, sums);
}
int scratch_size(int orders) { return 2 * (orders + 1) * HWY_DYNAMIC_DISPATCH(Width)(); }
std::string target_name() { return HWY_DYNAMIC_DISPATCH(TargetHere)(); }
int longest_sum() { return kBlock / (kTogether * HWY_DYNAMIC_DISPATCH(Width)()); }
void sum_series(const CircleBlock& block, const CircleSeries& series) {
  HWY_DYNAMIC_DISPATCH(SumSeries)(block, series);
}

}  // namespace murmur::moments
#endif
