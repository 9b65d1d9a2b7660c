// pair_kernels-inl.h: sums over the pairs of eight swarms at once, each exponential used twice.
#if defined(MURMUR_ENSEMBLE_PAIR_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_ENSEMBLE_PAIR_KERNELS_INL_H_
#undef MURMUR_ENSEMBLE_PAIR_KERNELS_INL_H_
#else
#define MURMUR_ENSEMBLE_PAIR_KERNELS_INL_H_
#endif

#include <algorithm>

#include "core/exp2-inl.h"
#include "ensemble/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::ensemble {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
static_assert(kSwarms % kLanes == 0);

// Where vector `index` of an array of a block starts.
HWY_INLINE std::size_t at(std::size_t index) { return index * kSwarms; }
HWY_INLINE V load(const double* from, std::size_t index) { return hn::Load(D(), from + at(index)); }
HWY_INLINE void store(V v, double* to, std::size_t index) { hn::Store(v, D(), to + at(index)); }

// s[v] <- 2^s[v], 0 where that would be too small to be a normal number.
template <bool kDeep, int kN>
HWY_INLINE void raise(V (&s)[kN]) {
  using Exp2 = simd::HWY_NAMESPACE::Exp2<D>;
  if constexpr (kDeep) {
    const V lowest = hn::Set(D(), Exp2::kLowest);
    V e[kN];
    for (int v = 0; v < kN; ++v) e[v] = hn::Max(lowest, s[v]);
    Exp2()(e);
    for (int v = 0; v < kN; ++v) s[v] = hn::IfThenElseZero(hn::Ge(s[v], lowest), e[v]);
  } else {
    Exp2()(s);
  }
}

// Few dimensions: kI particles with their sums in registers meet all later ones, whose sums are in
// level-1 memory.
template <int kD, bool kDeep>
class SmallPairs {
 public:
  SmallPairs(const LanePairSums& p, const double* x, int part)
      : n_(p.shape.n),
        slope_(hn::Set(D(), p.slope)),
        offset_(hn::Set(D(), p.offset)),
        x_(x + part),
        sums_(p.sums + part),
        totals_(p.totals + part) {}

  void add() const {
    const V zero = hn::Zero(D());
    for (int i = 0; i < n_; ++i) {
      for (int k = 0; k < kD; ++k) store(zero, sums_, i * kD + k);
      store(zero, totals_, i);
    }
    int i = 0;
    for (; i + kTogether <= n_; i += kTogether) Meeting<kTogether>(*this, i).add();
    for (; i < n_; ++i) Meeting<1>(*this, i).add();
  }

 private:
  static constexpr int kTogether =
      2;  // measured best of 1 to 4 in d = 2; running ahead by one j does not pay

  template <int kI>
  struct Meeting {
    HWY_INLINE Meeting(const SmallPairs& all, int first) : p(all), i0(first) {
      for (int a = 0; a < kI; ++a) {
        for (int k = 0; k < kD; ++k) {
          x[a][k] = load(p.x_, (i0 + a) * kD + k);
          u[a][k] = hn::Mul(p.slope_, x[a][k]);
          sum[a][k] = load(p.sums_, (i0 + a) * kD + k);
        }
        total[a] = load(p.totals_, i0 + a);
      }
    }

    HWY_INLINE void add() {
      among();
      const int n = p.n_;
      const V offset = p.offset_;
      const double* x_j = p.x_;
      for (int j = i0 + kI; j < n; ++j) {
        V y[kD], w[kI];
        for (int k = 0; k < kD; ++k) y[k] = load(x_j, j * kD + k);
        for (int a = 0; a < kI; ++a) w[a] = score(u[a], y, offset);
        raise<kDeep>(w);
        meet(j, y, w);
      }
      for (int a = 0; a < kI; ++a) {
        for (int k = 0; k < kD; ++k) store(sum[a][k], p.sums_, (i0 + a) * kD + k);
        store(total[a], p.totals_, i0 + a);
      }
    }

    static HWY_INLINE V score(const V (&u)[kD], const V (&y)[kD], V offset) {
      V s = hn::MulSub(u[0], y[0], offset);
      for (int k = 1; k < kD; ++k) s = hn::MulAdd(u[k], y[k], s);
      return s;
    }

    HWY_INLINE void meet(int j, const V (&y)[kD], const V (&w)[kI]) {
      for (int k = 0; k < kD; ++k) {
        V back = load(p.sums_, j * kD + k);
        for (int a = 0; a < kI; ++a) {
          sum[a][k] = hn::MulAdd(w[a], y[k], sum[a][k]);
          back = hn::MulAdd(w[a], x[a][k], back);
        }
        store(back, p.sums_, j * kD + k);
      }
      V back = load(p.totals_, j);
      for (int a = 0; a < kI; ++a) {
        total[a] = hn::Add(total[a], w[a]);
        back = hn::Add(back, w[a]);
      }
      store(back, p.totals_, j);
    }

    // The pairs within the tile.
    HWY_INLINE void among() {
      for (int a = 0; a < kI; ++a)
        for (int b = a + 1; b < kI; ++b) {
          V w[1] = {score(u[a], x[b], p.offset_)};
          raise<kDeep>(w);
          for (int k = 0; k < kD; ++k) {
            sum[a][k] = hn::MulAdd(w[0], x[b][k], sum[a][k]);
            sum[b][k] = hn::MulAdd(w[0], x[a][k], sum[b][k]);
          }
          total[a] = hn::Add(total[a], w[0]);
          total[b] = hn::Add(total[b], w[0]);
        }
    }

    const SmallPairs& p;
    const int i0;
    V x[kI][kD], u[kI][kD], sum[kI][kD], total[kI];
  };

  const int n_;
  const V slope_, offset_;
  const double* x_;
  double *sums_, *totals_;
};

// c[r][s] = <a_r, b_s>, for kTile particles each; (kTile, d, kSwarms)
HWY_INLINE void cosines(const double* a, const double* b, int d, V (&c)[kTile][kTile]) {
  for (int r = 0; r < kTile; ++r)
    for (int s = 0; s < kTile; ++s) c[r][s] = hn::Zero(D());
  for (int k = 0; k < d; ++k) {
    V left[kTile];
    for (int r = 0; r < kTile; ++r) left[r] = load(a, r * d + k);
    for (int s = 0; s < kTile; ++s) {
      const V right = load(b, s * d + k);
      for (int r = 0; r < kTile; ++r) c[r][s] = hn::MulAdd(left[r], right, c[r][s]);
    }
  }
}

// Many dimensions: cosines, then weights, tile by tile into memory; then N tile by tile.
template <bool kDeep>
class TiledPairs {
 public:
  TiledPairs(const LanePairSums& p, const double* x, int part)
      : p_(p),
        n_(p.shape.n),
        d_(p.shape.d),
        rows_(whole_tiles(p.shape.n)),
        x_(x + part),
        sums_(p.sums + part),
        totals_(p.totals + part),
        weights_(p.weights + part) {}

  void add() const {
    if (!p_.strips)
      for (int i = 0; i < n_; i += kTile)
        for (int j = i; j < n_; j += kTile) {
          write(i, j, i);
          if (j > i) mirror(i, j);
        }
    for (int i = 0; i < n_; i += kTile) {
      if (p_.strips)
        for (int j = 0; j < n_; j += kTile) write(i, j, 0);
      apply(i, p_.strips ? 0 : i);
    }
  }

 private:
  std::size_t entry(int row, int j) const { return static_cast<std::size_t>(row) * rows_ + j; }

  // w_ij of the tile at (i0, j0), into rows from `row`; 0 for i = j and where there is no particle.
  HWY_INLINE void write(int i0, int j0, int row) const {
    const auto offset = [this](int i) { return at(static_cast<std::size_t>(i) * d_); };
    V w[kTile][kTile];
    cosines(x_ + offset(i0), x_ + offset(j0), d_, w);
    const V slope = hn::Set(D(), p_.slope), shift = hn::Set(D(), p_.offset);
    for (int r = 0; r < kTile; ++r) {
      for (int s = 0; s < kTile; ++s) w[r][s] = hn::MulSub(slope, w[r][s], shift);
      raise<kDeep>(w[r]);
      for (int s = 0; s < kTile; ++s) store(w[r][s], weights_, entry(row + r, j0 + s));
    }
    if (i0 != j0 && i0 + kTile <= n_ && j0 + kTile <= n_) return;
    for (int r = 0; r < kTile; ++r)
      for (int s = 0; s < kTile; ++s)
        if (i0 + r == j0 + s || i0 + r >= n_ || j0 + s >= n_)
          store(hn::Zero(D()), weights_, entry(row + r, j0 + s));
  }

  HWY_INLINE void mirror(int i0, int j0) const {
    for (int r = 0; r < kTile; ++r)
      for (int s = 0; s < kTile; ++s)
        store(load(weights_, entry(i0 + r, j0 + s)), weights_, entry(j0 + s, i0 + r));
  }

  HWY_INLINE void apply(int i0, int row) const {
    for (int r = 0; r < kTile; ++r) {
      V total = hn::Zero(D());
      for (int j = 0; j < n_; ++j) total = hn::Add(total, load(weights_, entry(row + r, j)));
      store(total, totals_, i0 + r);
    }
    for (int k0 = 0; k0 < d_; k0 += kTile) {
      V sum[kTile][kTile];
      for (int r = 0; r < kTile; ++r)
        for (int k = 0; k < kTile; ++k) sum[r][k] = hn::Zero(D());
      for (int j = 0; j < n_; ++j) {
        V w[kTile];
        for (int r = 0; r < kTile; ++r) w[r] = load(weights_, entry(row + r, j));
        for (int k = 0; k < kTile; ++k) {
          const V y = load(x_, static_cast<std::size_t>(j) * d_ + k0 + k);
          for (int r = 0; r < kTile; ++r) sum[r][k] = hn::MulAdd(w[r], y, sum[r][k]);
        }
      }
      for (int r = 0; r < kTile; ++r)
        for (int k = 0; k < kTile; ++k)
          store(sum[r][k], sums_, static_cast<std::size_t>(i0 + r) * d_ + k0 + k);
    }
  }

  const LanePairSums& p_;
  const int n_, d_, rows_;
  const double* x_;
  double *sums_, *totals_, *weights_;
};

template <bool kDeep>
void add_pairs(const LanePairSums& p, const double* x, int part) {
  switch (p.shape.d) {
    case 2:
      return SmallPairs<2, kDeep>(p, x, part).add();
    case 3:
      return SmallPairs<3, kDeep>(p, x, part).add();
    case 4:
      return SmallPairs<4, kDeep>(p, x, part).add();
    default:
      return TiledPairs<kDeep>(p, x, part).add();
  }
}

inline void add_pairs(const LanePairSums& p, const double* x) {
  for (int part = 0; part < kSwarms; part += kLanes)
    p.deep ? add_pairs<true>(p, x, part) : add_pairs<false>(p, x, part);
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::ensemble
HWY_AFTER_NAMESPACE();

#endif
