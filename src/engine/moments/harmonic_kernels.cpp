// harmonic_kernels.cpp: Gegenbauer's recurrences along the fibres, up for moments, down for sums,
// compiled for every vector target and chosen at run time.
#include "engine/moments/harmonic_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/moments/harmonic_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace murmur::moments {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

constexpr int kUp = 4;    // vectors of sources at once
constexpr int kRuns = 8;  // groups whose sums are added up first
#if HWY_TARGET <= HWY_AVX3
constexpr int kDown = 2;  // vectors of targets at once, as many as fit into registers
#else
constexpr int kDown = 1;
#endif

// A group of kN vectors of points: their coordinates, and r_t^2 of the levels below the last.
template <int kD, int kN>
struct Group {
  V x[kD][kN];
  V square[kD > 3 ? kD - 3 : 1][kN];  // r_3^2 ..
  HWY_INLINE Group(const PointBlock& block, int at) {
    const D d;
    const int width = static_cast<int>(hn::Lanes(d));
    for (int a = 0; a < kN; ++a) {
      for (int k = 0; k < kD; ++k) x[k][a] = hn::Load(d, block.axis[k] + at + a * width);
      V sum = hn::MulAdd(x[1][a], x[1][a], hn::Mul(x[0][a], x[0][a]));
      for (int k = 2; k + 1 < kD; ++k) {
        sum = hn::MulAdd(x[k][a], x[k][a], sum);
        square[k - 2][a] = sum;
      }
    }
  }
};

// Visits the fibres in the order of Harmonics: at(k, re, im) of each, with the values of
// S_{d-1} = re + i im at the points.
template <int kLevel, int kD, int kN, class At>
HWY_INLINE void Descend(const Harmonics& h, const Group<kD, kN>& g, int k, const V (&re)[kN],
                        const V (&im)[kN], At& at) {
  if constexpr (kLevel >= kD) {  // on the circle every fibre is one function
    at(k, re, im);
  } else {
    const D d;
    const double* b = h.row(kLevel, k);
    V now[kN], before[kN], here_re[kN], here_im[kN];
    for (int a = 0; a < kN; ++a) now[a] = hn::Set(d, 1), before[a] = hn::Zero(d);
    for (int n = 0; k + n <= h.degree(); ++n) {
      for (int a = 0; a < kN; ++a) {
        here_re[a] = hn::Mul(now[a], re[a]);
        here_im[a] = hn::Mul(now[a], im[a]);
      }
      Descend<kLevel + 1, kD, kN>(h, g, k + n, here_re, here_im, at);
      const V bn = hn::Set(d, b[n]);
      for (int a = 0; a < kN; ++a) {
        const V old = hn::Mul(hn::Mul(bn, g.square[kLevel - 3][a]), before[a]);
        before[a] = now[a];
        now[a] = hn::MulSub(g.x[kLevel - 1][a], now[a], old);
      }
    }
  }
}

template <int kD, int kN, class At>
HWY_INLINE void Visit(const Harmonics& h, const Group<kD, kN>& g, At& at) {
  const D d;
  V re[kN], im[kN];
  for (int a = 0; a < kN; ++a) re[a] = hn::Set(d, 1), im[a] = hn::Zero(d);
  for (int m = 0; m <= h.degree(); ++m) {
    Descend<3, kD, kN>(h, g, m, re, im, at);
    for (int a = 0; a < kN; ++a) {
      const V next_re = hn::NegMulAdd(im[a], g.x[1][a], hn::Mul(re[a], g.x[0][a]));
      im[a] = hn::MulAdd(re[a], g.x[1][a], hn::Mul(im[a], g.x[0][a]));
      re[a] = next_re;
    }
  }
}

//   up:  lanes_l += G_l re, G_l im  along a fibre
template <int kD>
struct AddFibre {
  const Harmonics& h;
  const Group<kD, kUp>& g;
  const V* mass;
  double* lanes;
  HWY_INLINE void operator()(int k, const V (&re)[kUp], const V (&im)[kUp]) {
    const D d;
    const int width = static_cast<int>(hn::Lanes(d)), last = kD == 2 ? k : h.degree();
    const double* b = h.row(kD, k);
    V now[kUp], before[kUp];
    for (int a = 0; a < kUp; ++a) now[a] = mass[a], before[a] = hn::Zero(d);
    for (int l = k; l <= last; ++l, lanes += 2 * width) {
      V sum_re = hn::Load(d, lanes), sum_im = hn::Load(d, lanes + width);
      for (int a = 0; a < kUp; ++a) {
        sum_re = hn::MulAdd(now[a], re[a], sum_re);
        sum_im = hn::MulAdd(now[a], im[a], sum_im);
      }
      hn::Store(sum_re, d, lanes);
      hn::Store(sum_im, d, lanes + width);
      const V bn = hn::Set(d, b[l - k]);
      for (int a = 0; a < kUp; ++a) {
        const V old = hn::Mul(bn, before[a]);
        before[a] = now[a];
        now[a] = hn::MulSub(g.x[kD - 1][a], now[a], old);
      }
    }
  }
};

template <int kD>
void AddAll(const Harmonics& h, const PointBlock& block, double* lanes, double* sums) {
  const D d;
  const int width = static_cast<int>(hn::Lanes(d));
  const std::size_t size = 2 * h.count() * width;
  double* run = lanes + size;
  for (std::size_t e = 0; e < 2 * size; e += width) hn::Store(hn::Zero(d), d, lanes + e);
  const auto flush = [&] {
    for (std::size_t e = 0; e < size; e += width) {
      hn::Store(hn::Add(hn::Load(d, lanes + e), hn::Load(d, run + e)), d, lanes + e);
      hn::Store(hn::Zero(d), d, run + e);
    }
  };
  int since = 0;
  for (int j = 0; j < block.count; j += kUp * width) {
    const Group<kD, kUp> g(block, j);
    V mass[kUp];
    for (int a = 0; a < kUp; ++a) mass[a] = hn::Load(d, block.mass + j + a * width);
    AddFibre<kD> add{h, g, mass, run};
    Visit<kD, kUp>(h, g, add);
    if (++since == kRuns) flush(), since = 0;
  }
  if (since > 0) flush();
  for (std::size_t e = 0; e < 2 * h.count(); ++e) {
    sums[e] = 0;
    for (int lane = 0; lane < width; ++lane) sums[e] += lanes[e * width + lane];
  }
}

void AddHarmonics(const Harmonics& h, const PointBlock& block, double* lanes, double* sums) {
  h.d() == 2   ? AddAll<2>(h, block, lanes, sums)
  : h.d() == 3 ? AddAll<3>(h, block, lanes, sums)
  : h.d() == 4 ? AddAll<4>(h, block, lanes, sums)
               : AddAll<5>(h, block, lanes, sums);
}

// Writes A_l(rho) / e^rho for l = 0 .. degree to rows[l * kDown + a], as exponential_series does,
// and returns the remainder. It starts a few degrees above, with an upper bound of the ratio
// (Amos), so that the remainder is bounded from above.
constexpr int kAbove = 12;
HWY_INLINE V Rows(const Harmonics& h, V rho, double* rows, int a) {
  const D d;
  const int width = static_cast<int>(hn::Lanes(d)), first = h.degree() + kAbove;
  const double half = 0.5 * h.d() - 1;
  const V low = hn::Set(d, first + half - 1), high = hn::Set(d, first + half + 1);
  V ratio = hn::Div(rho, hn::Add(low, hn::Sqrt(hn::MulAdd(high, high, hn::Mul(rho, rho)))));
  V tail = hn::Div(hn::Mul(ratio, hn::Set(d, dimension(h.d(), first))),
                   hn::Sub(hn::Set(d, 1.0), hn::Min(ratio, hn::Set(d, 0.99))));
  V beyond = tail;
  for (int l = first - 1; l >= 1; --l) {
    const double size = dimension(h.d(), l);
    if (l == h.degree()) beyond = tail;
    ratio = hn::Div(rho, hn::MulAdd(rho, ratio, hn::Set(d, 2 * (l + half))));
    tail = hn::Mul(ratio, hn::Add(tail, hn::Set(d, size)));
    if (l <= h.degree()) hn::Store(ratio, d, rows + (l * kDown + a) * width);
  }
  V value = hn::Div(hn::Set(d, 1.0), hn::Add(hn::Set(d, 1.0), tail));
  hn::Store(value, d, rows + a * width);
  for (int l = 1; l <= h.degree(); ++l) {
    double* at = rows + (l * kDown + a) * width;
    value = hn::Mul(value, hn::Load(d, at));
    hn::Store(value, d, at);
  }
  return hn::Mul(hn::Mul(beyond, value), hn::Set(d, 1.01));
}

//   down:  sum_e += Re S (sum_l Re c_el A_l G_l) + Im S (sum_l Im c_el A_l G_l)  along a fibre
template <int kD, int kOut, bool kVarying>
struct SumFibre {
  const Harmonics& h;
  const Group<kD, kDown>& g;
  const double *c, *rows;
  V (&sum)[kOut][kDown];
  HWY_INLINE void operator()(int k, const V (&re)[kDown], const V (&im)[kDown]) {
    const D d;
    const int width = static_cast<int>(hn::Lanes(d)), last = kD == 2 ? k : h.degree();
    const double* b = h.row(kD, k);
    V now[kDown], before[kDown], part_re[kOut][kDown], part_im[kOut][kDown];
    for (int a = 0; a < kDown; ++a) {
      now[a] = hn::Set(d, 1.0);
      before[a] = hn::Zero(d);
      for (int e = 0; e < kOut; ++e) part_re[e][a] = part_im[e][a] = hn::Zero(d);
    }
    for (int l = k; l <= last; ++l, c += 2 * kOut) {
      V value[kDown];
      for (int a = 0; a < kDown; ++a)
        value[a] = kVarying ? hn::Mul(now[a], hn::Load(d, rows + (l * kDown + a) * width)) : now[a];
      for (int e = 0; e < kOut; ++e) {
        const V c_re = hn::Set(d, c[2 * e]), c_im = hn::Set(d, c[2 * e + 1]);
        for (int a = 0; a < kDown; ++a) {
          part_re[e][a] = hn::MulAdd(c_re, value[a], part_re[e][a]);
          part_im[e][a] = hn::MulAdd(c_im, value[a], part_im[e][a]);
        }
      }
      const V bn = hn::Set(d, b[l - k]);
      for (int a = 0; a < kDown; ++a) {
        const V old = hn::Mul(bn, before[a]);
        before[a] = now[a];
        now[a] = hn::MulSub(g.x[kD - 1][a], now[a], old);
      }
    }
    for (int e = 0; e < kOut; ++e)
      for (int a = 0; a < kDown; ++a)
        sum[e][a] = hn::MulAdd(re[a], part_re[e][a], hn::MulAdd(im[a], part_im[e][a], sum[e][a]));
  }
};

template <int kD, int kOut, bool kVarying>
void SumAll(const Harmonics& h, const PointBlock& block, const HarmonicSeries& s) {
  const D d;
  const int width = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < block.count; i += kDown * width) {
    const Group<kD, kDown> g(block, i);
    if constexpr (kVarying)
      for (int a = 0; a < kDown; ++a)
        hn::Store(Rows(h, hn::Load(d, s.rho + i + a * width), s.rows, a), d,
                  s.beyond + i + a * width);
    V sum[kOut][kDown];
    for (int e = 0; e < kOut; ++e)
      for (int a = 0; a < kDown; ++a) sum[e][a] = hn::Zero(d);
    SumFibre<kD, kOut, kVarying> add{h, g, s.terms, s.rows, sum};
    Visit<kD, kDown>(h, g, add);
    for (int e = 0; e < kOut; ++e)
      for (int a = 0; a < kDown; ++a) hn::Store(sum[e][a], d, s.out[e] + i + a * width);
  }
}

template <int kD>
void SumIn(const Harmonics& h, const PointBlock& block, const HarmonicSeries& s) {
  if (s.outputs == 1)
    s.rho == nullptr ? SumAll<kD, 1, false>(h, block, s) : SumAll<kD, 1, true>(h, block, s);
  else
    s.rho == nullptr ? SumAll<kD, kD + 1, false>(h, block, s)
                     : SumAll<kD, kD + 1, true>(h, block, s);
}

void SumHarmonics(const Harmonics& h, const PointBlock& block, const HarmonicSeries& s) {
  h.d() == 2   ? SumIn<2>(h, block, s)
  : h.d() == 3 ? SumIn<3>(h, block, s)
  : h.d() == 4 ? SumIn<4>(h, block, s)
               : SumIn<5>(h, block, s);
}

int HarmonicWidth() { return static_cast<int>(hn::Lanes(D())); }

}  // namespace HWY_NAMESPACE
}  // namespace murmur::moments
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::moments {

HWY_EXPORT(AddHarmonics);
HWY_EXPORT(SumHarmonics);
HWY_EXPORT(HarmonicWidth);

void add_harmonics(const Harmonics& h, const PointBlock& block, double* lanes, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddHarmonics)(h, block, lanes, sums);
}
std::size_t harmonic_scratch(const Harmonics& h) {
  return 4 * h.count() * HWY_DYNAMIC_DISPATCH(HarmonicWidth)();
}
int longest_harmonic_sum() {
  const int width = HWY_DYNAMIC_DISPATCH(HarmonicWidth)();
  return 4 * 8 + kPoints / (4 * 8 * width) + width;
}
void sum_harmonics(const Harmonics& h, const PointBlock& block, const HarmonicSeries& series) {
  HWY_DYNAMIC_DISPATCH(SumHarmonics)(h, block, series);
}
std::size_t series_scratch(const Harmonics& h) {
  return 2 * static_cast<std::size_t>(h.degree() + 1) * HWY_DYNAMIC_DISPATCH(HarmonicWidth)();
}

}  // namespace murmur::moments
#endif
