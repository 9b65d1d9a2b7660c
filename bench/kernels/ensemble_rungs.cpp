// ensemble_rungs.cpp: the rungs of the ladder for ensembles on the circle in double.
#include "kernels/ensemble_rungs.h"

#include <cmath>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ensemble_rungs.cpp"
#include <hwy/foreach_target.h>

#include "ensemble/swarm_kernels-inl.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::ensemble {
namespace HWY_NAMESPACE {

using bench::Samples;

struct LibraryExp {  // Highway's own e^s
  HWY_INLINE V operator()(V s) const {
    return hn::Exp(D(), hn::Mul(s, hn::Set(D(), std::numbers::ln2)));
  }
};
using TableExp = simd::HWY_NAMESPACE::Exp2<D>;

// row <- y / |y|, by a root and a division
HWY_INLINE void divide(V y0, V y1, double* row) {
  const V square = hn::MulAdd(y0, y0, hn::Mul(y1, y1));
  const V inverse = hn::Div(hn::Set(D(), 1.0), hn::Sqrt(square));
  store(hn::Mul(y0, inverse), row, 0);
  store(hn::Mul(y1, inverse), row, 1);
}

// One part of the lanes of one block, for the rungs below.
struct Lane {
  int n, part;
  V slope, dt;
  double* x;              // (n, 2, kSwarms)
  double *sums, *totals;  // (n, 2, kSwarms), (n, kSwarms)

  HWY_INLINE void finish() const {
    for (int i = 0; i < n; ++i) {
      const V z = load(totals, i);
      divide(hn::MulAdd(dt, load(sums, 2 * i), hn::Mul(z, load(x, 2 * i))),
             hn::MulAdd(dt, load(sums, 2 * i + 1), hn::Mul(z, load(x, 2 * i + 1))), x + at(2 * i));
    }
  }
};

template <class Step>
void for_lanes(Samples& f, const Step& step) {
  const Shape shape = f.setting.shape;
  const AlignedArray sums = zeros(block_size(shape)), totals = zeros(block_size(shape));
  for (int b = 0; b < f.blocks; ++b)
    for (int part = 0; part < kSwarms; part += kLanes)
      step(Lane{shape.n, part, hn::Set(D(), f.setting.beta * std::numbers::log2e),
                hn::Set(D(), f.setting.dt), f.block(b) + part, sums.get() + part,
                totals.get() + part});
}

// All ordered pairs.
template <class Exp>
void Ordered(Samples& f) {
  for_lanes(f, [](const Lane& l) {
    const Exp exp2;
    for (int i = 0; i < l.n; ++i) {
      const V u0 = hn::Mul(l.slope, load(l.x, 2 * i)), u1 = hn::Mul(l.slope, load(l.x, 2 * i + 1));
      V s0 = hn::Zero(D()), s1 = s0, z = s0;
      for (int j = 0; j < l.n; ++j) {
        const V y0 = load(l.x, 2 * j), y1 = load(l.x, 2 * j + 1);
        const V w = exp2(hn::MulAdd(u0, y0, hn::MulSub(u1, y1, l.slope)));
        s0 = hn::MulAdd(w, y0, s0);
        s1 = hn::MulAdd(w, y1, s1);
        z = hn::Add(z, w);
      }
      store(s0, l.sums, 2 * i);
      store(s1, l.sums, 2 * i + 1);
      store(z, l.totals, i);
    }
    l.finish();
  });
}

// Each exponential used twice; the weight of a particle with itself is 1.
void Twice(Samples& f) {
  for_lanes(f, [](const Lane& l) {
    const TableExp exp2;
    for (int i = 0; i < l.n; ++i) {
      for (int k = 0; k < 2; ++k) store(load(l.x, 2 * i + k), l.sums, 2 * i + k);
      store(hn::Set(D(), 1.0), l.totals, i);
    }
    for (int i = 0; i < l.n; ++i) {
      const V x0 = load(l.x, 2 * i), x1 = load(l.x, 2 * i + 1);
      const V u0 = hn::Mul(l.slope, x0), u1 = hn::Mul(l.slope, x1);
      V s0 = load(l.sums, 2 * i), s1 = load(l.sums, 2 * i + 1), z = load(l.totals, i);
      for (int j = i + 1; j < l.n; ++j) {
        const V y0 = load(l.x, 2 * j), y1 = load(l.x, 2 * j + 1);
        const V w = exp2(hn::MulAdd(u0, y0, hn::MulSub(u1, y1, l.slope)));
        s0 = hn::MulAdd(w, y0, s0);
        s1 = hn::MulAdd(w, y1, s1);
        z = hn::Add(z, w);
        store(hn::MulAdd(w, x0, load(l.sums, 2 * j)), l.sums, 2 * j);
        store(hn::MulAdd(w, x1, load(l.sums, 2 * j + 1)), l.sums, 2 * j + 1);
        store(hn::Add(w, load(l.totals, j)), l.totals, j);
      }
      store(s0, l.sums, 2 * i);
      store(s1, l.sums, 2 * i + 1);
      store(z, l.totals, i);
    }
    l.finish();
  });
}

// Fourier sums with powers of e^{i theta} on both ways: 4 FMA slots an order for the power, 4 to
// feel it.
void Powers(Samples& f) {
  const Waves waves(f.setting, f.setting.shape);
  const WaveSums& w = waves.sums();
  for_lanes(f, [&](const Lane& l) {
    double* terms = w.terms + l.part;
    const auto turn = [](V& c, V& s, V x0, V x1) {
      const V next = hn::NegMulAdd(s, x1, hn::Mul(c, x0));
      s = hn::MulAdd(s, x0, hn::Mul(c, x1));
      c = next;
    };
    for (int k = 1; k <= w.orders; ++k)
      for (int e = 0; e < 2; ++e) store(hn::Zero(D()), terms, 2 * k + e);
    for (int j = 0; j < l.n; ++j) {
      const V x0 = load(l.x, 2 * j), x1 = load(l.x, 2 * j + 1);
      V c = x0, s = x1;
      for (int k = 1; k <= w.orders; ++k, turn(c, s, x0, x1)) {
        store(hn::Add(load(terms, 2 * k), c), terms, 2 * k);
        store(hn::Add(load(terms, 2 * k + 1), s), terms, 2 * k + 1);
      }
    }
    for (int i = 0; i < l.n; ++i) {
      const V x0 = load(l.x, 2 * i), x1 = load(l.x, 2 * i + 1);
      V c = x0, s = x1, along = hn::Set(D(), w.along[0]), across = hn::Zero(D());
      for (int k = 1; k <= w.orders; ++k, turn(c, s, x0, x1)) {
        const V even = load(terms, 2 * k), odd = load(terms, 2 * k + 1);
        along = hn::MulAdd(hn::Set(D(), w.along[k]), hn::MulAdd(even, c, hn::Mul(odd, s)), along);
        across =
            hn::MulAdd(hn::Set(D(), w.across[k]), hn::MulSub(odd, c, hn::Mul(even, s)), across);
      }
      divide(hn::NegMulAdd(across, x1, hn::Mul(along, x0)),
             hn::MulAdd(across, x0, hn::Mul(along, x1)), l.x + at(2 * i));
    }
  });
}

// The walks of the kernel in src, then roots and divisions.
void Clenshaw(Samples& f) {
  const Waves waves(f.setting, f.setting.shape);
  for_lanes(f, [&](const Lane& l) {
    WaveWalk<true>(waves.sums(), l.x - l.part, l.part)
        .for_each([&](int i, const V(&x)[2], V along, V across) {
          divide(hn::NegMulAdd(across, x[1], hn::Mul(along, x[0])),
                 hn::MulAdd(across, x[0], hn::Mul(along, x[1])), l.x + at(2 * i));
        });
  });
}

void Library(Samples& f) { Ordered<LibraryExp>(f); }
void Table(Samples& f) { Ordered<TableExp>(f); }

}  // namespace HWY_NAMESPACE
}  // namespace murmur::ensemble
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::ensemble {

HWY_EXPORT(Library);
HWY_EXPORT(Table);
HWY_EXPORT(Twice);
HWY_EXPORT(Powers);
HWY_EXPORT(Clenshaw);

}  // namespace murmur::ensemble

namespace murmur::bench {

namespace {

using namespace ensemble;

void plain_loops(Samples& f) {
  const auto [n, d] = f.setting.shape;
  std::vector<double> y(static_cast<std::size_t>(n) * 2);  // (n, 2)
  for (int b = 0; b < f.blocks; ++b)
    for (int swarm = 0; swarm < kSwarms; ++swarm) {
      double* x = f.block(b) + swarm;
      for (int i = 0; i < n; ++i) {
        const double x0 = x[2 * i * kSwarms], x1 = x[(2 * i + 1) * kSwarms];
        double z = 0, s0 = 0, s1 = 0;
        for (int j = 0; j < n; ++j) {
          const double y0 = x[2 * j * kSwarms], y1 = x[(2 * j + 1) * kSwarms];
          const double w = std::exp(f.setting.beta * (x0 * y0 + x1 * y1 - 1));
          z += w;
          s0 += w * y0;
          s1 += w * y1;
        }
        y[2 * i] = x0 + f.setting.dt * s0 / z;
        y[2 * i + 1] = x1 + f.setting.dt * s1 / z;
      }
      for (int i = 0; i < n; ++i) {
        const double size = std::sqrt(y[2 * i] * y[2 * i] + y[2 * i + 1] * y[2 * i + 1]);
        for (int k = 0; k < 2; ++k) x[(2 * i + k) * kSwarms] = y[2 * i + k] / size;
      }
    }
}

// The kernels in src, as they stand.
void pairs(Samples& f) {
  const double slope = f.setting.beta * std::numbers::log2e;
  const AlignedArray sums = zeros(block_size(f.setting.shape)),
                     totals = zeros(block_size(f.setting.shape));
  const LanePairSums p{.shape = f.setting.shape,
                       .slope = slope,
                       .offset = slope,
                       .sums = sums.get(),
                       .totals = totals.get()};
  alignas(64) Lanes lengths;
  for (int b = 0; b < f.blocks; ++b) layer(p, f.setting.dt, f.block(b), lengths.data());
}

void waves(Samples& f) {
  const Waves waves(f.setting, f.setting.shape);
  alignas(64) Lanes lengths;
  for (int b = 0; b < f.blocks; ++b) layer(waves.sums(), f.block(b), lengths.data());
}

}  // namespace

std::span<const EnsembleRung> ensemble_rungs() {
  static const EnsembleRung all[] = {
      {"plain loops", plain_loops},
      {"one lane a swarm, Highway's Exp",
       [](Samples& f) {
         HWY_DYNAMIC_DISPATCH(Library)
         (f);
       }},
      {"2^s by a table in registers",
       [](Samples& f) {
         HWY_DYNAMIC_DISPATCH(Table)
         (f);
       }},
      {"each exponential twice",
       [](Samples& f) {
         HWY_DYNAMIC_DISPATCH(Twice)
         (f);
       }},
      {"two particles together: layer, by pairs", pairs},
      {"Fourier sums by powers of e^{i theta}",
       [](Samples& f) {
         HWY_DYNAMIC_DISPATCH(Powers)
         (f);
       }},
      {"Chebyshev up, Clenshaw down",
       [](Samples& f) {
         HWY_DYNAMIC_DISPATCH(Clenshaw)
         (f);
       }},
      {"estimated roots: layer, by waves", waves},
  };
  return all;
}

}  // namespace murmur::bench
#endif
