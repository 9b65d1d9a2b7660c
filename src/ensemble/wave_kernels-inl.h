// wave_kernels-inl.h: steps on the circle by Fourier sums, eight swarms at once.
#if defined(MURMUR_ENSEMBLE_WAVE_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_ENSEMBLE_WAVE_KERNELS_INL_H_
#undef MURMUR_ENSEMBLE_WAVE_KERNELS_INL_H_
#else
#define MURMUR_ENSEMBLE_WAVE_KERNELS_INL_H_
#endif

#include "ensemble/swarm_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::ensemble {
namespace HWY_NAMESPACE {

// Computes C_k = sum_j cos k theta_j and S_k = sum_j sin k theta_j, then the sums for each
// particle. Both recurrences take one FMA per term, and one addition that runs in parallel:
//   up:    cos (k+1) theta = 2 cos theta cos k theta - cos (k-1) theta, and the same of sin
//   down:  b_k = c_k + 2 cos theta b_{k+1} - b_{k+2}, after Clenshaw (1955), gives
//          sum_k c_k cos k theta = c_0 + cos theta b_1 - b_2
//          sum_k c_k sin k theta = sin theta b_1
// Rounding errors grow like k^2 in both recurrences if cos theta is near 1 or -1, but the
// coefficients decrease faster: the measured error of sums over n particles is at most n 1e-15.
template <bool kAlong>
class WaveWalk {
 public:
  WaveWalk(const WaveSums& w, const double* x, int part)
      : w_(w), n_(w.shape.n), x_(x + part), terms_(w.terms + part) {
    const V zero = hn::Zero(D());
    for (int k = 1; k <= w.orders; ++k)
      for (int e = 0; e < 2; ++e) store(zero, terms_, k * kTerms + e);
    int j = 0;
    for (; j + kUp <= n_; j += kUp) add<kUp>(j);
    for (; j < n_; ++j) add<1>(j);
    weigh();
  }

  // For every particle: done(i, x_i, along_i, across_i)
  template <class Done>
  HWY_INLINE void for_each(const Done& done) const {
    int i = 0;
    for (; i + kDown <= n_; i += kDown) evaluate<kDown>(i, done);
    for (; i < n_; ++i) evaluate<1>(i, done);
  }

 private:
  static constexpr int kTerms = 4;  // of an order: along by cos and sin, across by cos and sin
  static constexpr int kUp = 4, kDown = 2;  // particles together in registers

  template <int kI>
  HWY_INLINE void add(int first) const {
    V twice[kI], c[2][kI], s[2][kI];  // orders k and k - 1, in turn
    for (int a = 0; a < kI; ++a) {
      c[1][a] = load(x_, 2 * (first + a));
      s[1][a] = load(x_, 2 * (first + a) + 1);
      c[0][a] = hn::Set(D(), 1.0);
      s[0][a] = hn::Zero(D());
      twice[a] = hn::Add(c[1][a], c[1][a]);
    }
    int k = 1;
    for (; k < w_.orders; k += 2) {
      rise<kI>(k, twice, c[1], s[1], c[0], s[0]);
      rise<kI>(k + 1, twice, c[0], s[0], c[1], s[1]);
    }
    if (k == w_.orders) rise<kI>(k, twice, c[1], s[1], c[0], s[0]);
  }

  // Adds order k and replaces order k - 1 by order k + 1.
  template <int kI>
  HWY_INLINE void rise(int k, const V (&twice)[kI], const V (&c)[kI], const V (&s)[kI],
                       V (&c_next)[kI], V (&s_next)[kI]) const {
    V cosines = load(terms_, k * kTerms), sines = load(terms_, k * kTerms + 1);
    for (int a = 0; a < kI; ++a) {
      cosines = hn::Add(cosines, c[a]);
      sines = hn::Add(sines, s[a]);
      c_next[a] = hn::MulSub(twice[a], c[a], c_next[a]);
      s_next[a] = hn::MulSub(twice[a], s[a], s_next[a]);
    }
    store(cosines, terms_, k * kTerms);
    store(sines, terms_, k * kTerms + 1);
  }

  // C_k, S_k -> the four terms c_k of `down`
  HWY_INLINE void weigh() const {
    for (int k = 1; k <= w_.orders; ++k) {
      const V c = load(terms_, k * kTerms), s = load(terms_, k * kTerms + 1);
      const V across = hn::Set(D(), w_.across[k]);
      if constexpr (kAlong) {
        const V along = hn::Set(D(), w_.along[k]);
        store(hn::Mul(along, c), terms_, k * kTerms);
        store(hn::Mul(along, s), terms_, k * kTerms + 1);
      }
      store(hn::Mul(across, s), terms_, k * kTerms + 2);
      store(hn::Neg(hn::Mul(across, c)), terms_, k * kTerms + 3);
    }
  }

  template <int kI, class Done>
  HWY_INLINE void evaluate(int first, const Done& done) const {
    constexpr int kFrom = kAlong ? 0 : 2;
    V x[kI][2], twice[kI], b[2][kI][kTerms];  // orders of one parity each
    for (int a = 0; a < kI; ++a) {
      for (int e = 0; e < 2; ++e) x[a][e] = load(x_, 2 * (first + a) + e);
      twice[a] = hn::Add(x[a][0], x[a][0]);
      for (int e = kFrom; e < kTerms; ++e) b[0][a][e] = b[1][a][e] = hn::Zero(D());
    }
    int k = w_.orders;
    if (k % 2 == 1) fall<kI>(k--, twice, b[0], b[1]);
    for (; k > 0; k -= 2) {
      fall<kI>(k, twice, b[1], b[0]);
      fall<kI>(k - 1, twice, b[0], b[1]);
    }
    for (int a = 0; a < kI; ++a) {
      const V across = hn::MulAdd(x[a][1], b[1][a][3], hn::MulSub(x[a][0], b[1][a][2], b[0][a][2]));
      V along = hn::Zero(D());
      if constexpr (kAlong)
        along = hn::MulAdd(
            x[a][1], b[1][a][1],
            hn::MulAdd(x[a][0], b[1][a][0], hn::Sub(hn::Set(D(), w_.along[0]), b[0][a][0])));
      done(first + a, x[a], along, across);
    }
  }

  // replaces b_{k+2} by b_k
  template <int kI>
  HWY_INLINE void fall(int k, const V (&twice)[kI], const V (&above)[kI][kTerms],
                       V (&b)[kI][kTerms]) const {
    for (int e = kAlong ? 0 : 2; e < kTerms; ++e) {
      const V term = load(terms_, k * kTerms + e);
      for (int a = 0; a < kI; ++a)
        b[a][e] = hn::MulAdd(twice[a], above[a][e], hn::Sub(term, b[a][e]));
    }
  }

  const WaveSums& w_;
  const int n_;
  const double* x_;
  double* terms_;
};

// normalise(along x + across x'), x' = (-x_1, x_0)
inline void wave_layer(const WaveSums& w, double* x, double* lengths) {
  for (int part = 0; part < kSwarms; part += kLanes) {
    V length = hn::Zero(D());
    WaveWalk<true>(w, x, part).for_each([&](int i, const V(&at_i)[2], V along, V across) {
      const V y0 = hn::NegMulAdd(across, at_i[1], hn::Mul(along, at_i[0]));
      const V y1 = hn::MulAdd(across, at_i[0], hn::Mul(along, at_i[1]));
      const V square = hn::MulAdd(y0, y0, hn::Mul(y1, y1));
      const V inverse = inverse_root(square);
      store(hn::Mul(y0, inverse), x + part, 2 * i);
      store(hn::Mul(y1, inverse), x + part, 2 * i + 1);
      length = hn::MulAdd(square, inverse, length);
    });
    hn::Store(length, D(), lengths + part);
  }
}

// v = (across / along) x', or across x' without along
template <bool kAlong>
void wave_velocity(const WaveSums& w, const double* x, double* v) {
  for (int part = 0; part < kSwarms; part += kLanes)
    WaveWalk<kAlong>(w, x, part).for_each([&](int i, const V(&at_i)[2], V along, V across) {
      const V turn = kAlong ? hn::Div(across, along) : across;
      store(hn::Neg(hn::Mul(turn, at_i[1])), v + part, 2 * i);
      store(hn::Mul(turn, at_i[0]), v + part, 2 * i + 1);
    });
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::ensemble
HWY_AFTER_NAMESPACE();

#endif
