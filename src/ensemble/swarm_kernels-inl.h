// swarm_kernels-inl.h: sums over pairs, Fourier sums on the circle, steps, comparisons and readings
// of eight swarms at once; each exponential serves both particles of a pair.
#if defined(MURMUR_ENSEMBLE_SWARM_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MURMUR_ENSEMBLE_SWARM_KERNELS_INL_H_
#undef MURMUR_ENSEMBLE_SWARM_KERNELS_INL_H_
#else
#define MURMUR_ENSEMBLE_SWARM_KERNELS_INL_H_
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

// Returns the offset of vector `index` in an array of a block.
HWY_INLINE std::size_t at(std::size_t index) { return index * kSwarms; }
HWY_INLINE V load(const double* from, std::size_t index) { return hn::Load(D(), from + at(index)); }
HWY_INLINE void store(V v, double* to, std::size_t index) { hn::Store(v, D(), to + at(index)); }

// s[v] <- 2^s[v], or 0 if that is too small for a normal number.
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

// For few dimensions: pairs kI particles, with their sums in registers, with all later ones, whose
// sums are in L1.
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
    for (; i + kTogether <= n_; i += kTogether) RowBlock<kTogether>(*this, i).add();
    for (; i < n_; ++i) RowBlock<1>(*this, i).add();
  }

 private:
  // Measured: the best of 1 to 4 in d = 2; software pipelining by one j does not help
  static constexpr int kTogether = 2;

  template <int kI>
  struct RowBlock {
    HWY_INLINE RowBlock(const SmallPairs& all, int first) : p(all), i0(first) {
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
      add_inside();
      const int n = p.n_;
      const V offset = p.offset_;
      const double* x_j = p.x_;
      for (int j = i0 + kI; j < n; ++j) {
        V y[kD], w[kI];
        for (int k = 0; k < kD; ++k) y[k] = load(x_j, j * kD + k);
        for (int a = 0; a < kI; ++a) w[a] = score(u[a], y, offset);
        raise<kDeep>(w);
        add_partner(j, y, w);
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

    HWY_INLINE void add_partner(int j, const V (&y)[kD], const V (&w)[kI]) {
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

    // Adds the pairs within the block.
    HWY_INLINE void add_inside() {
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

// For many dimensions: cosines, then weights, tile by tile into memory; then N tile by tile.
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

  // Writes w_ij of the tile at (i0, j0) into rows from `row`; 0 for i = j and for padding.
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

// 1 / sqrt(v), to within two units of the last place; not finite for 0, and a NaN where v v^{-1/2}
// is not finite. From an estimate r off by e = 1 - v r^2 <= 2^-13:
//   v^{-1/2} = r (1 - e)^{-1/2} = r (1 + e/2 + 3 e^2/8 + 5 e^3/16 + O(e^4))
HWY_INLINE V inverse_root(V v) {
#if HWY_TARGET <= HWY_AVX3
  const V r{_mm512_rsqrt14_pd(v.raw)};
  const V e = hn::NegMulAdd(hn::Mul(v, r), r, hn::Set(D(), 1.0));
  const V q = hn::MulAdd(e, hn::Set(D(), 0.3125), hn::Set(D(), 0.375));
  return hn::MulAdd(hn::Mul(r, e), hn::MulAdd(e, q, hn::Set(D(), 0.5)), r);
#else
  return hn::Div(hn::Set(D(), 1.0), hn::Sqrt(v));
#endif
}

// y (d, kSwarms) <- y / |y|, given |y|^2. Returns a number that is finite if the result is.
HWY_INLINE V normalise(V square, int d, double* y) {
  const V inverse = inverse_root(square);
  for (int k = 0; k < d; ++k) store(hn::Mul(load(y, k), inverse), y, k);
  return hn::Mul(square, inverse);
}

//   softmax:  x_i + dt A_i is along (Z_i + (1 + dt) self) x_i + dt N_i
//   plain:    x_i + dt A_i = (1 + dt factor self) x_i + dt factor N_i
inline void step_layer(const LanePairSums& p, double dt, double* x, double* lengths) {
  add_pairs(p, x);
  const D tag;
  const int d = p.shape.d;
  const double term = p.softmax ? dt : dt * p.factor;
  const V drift = hn::Set(tag, term);
  const V own = hn::Set(tag, p.softmax ? (1 + dt) * p.self : 1 + term * p.self);
  const bool faint = p.softmax && p.self < 1e-100;  // squares of such sums would underflow
  for (int part = 0; part < kSwarms; part += kLanes) {
    V length = hn::Zero(tag);
    for (int i = 0; i < p.shape.n; ++i) {
      double* row = x + at(static_cast<std::size_t>(i) * d) + part;
      const double* sum = p.sums + at(static_cast<std::size_t>(i) * d) + part;
      const V keep = p.softmax ? hn::Add(own, load(p.totals + part, i)) : own;
      const V scale = faint ? hn::Div(hn::Set(tag, 1.0), keep) : hn::Set(tag, 1.0);
      const V kept = hn::Mul(scale, keep), pulled = hn::Mul(scale, drift);
      V square = hn::Zero(tag);
      for (int k = 0; k < d; ++k) {
        const V y = hn::MulAdd(pulled, load(sum, k), hn::Mul(kept, load(row, k)));
        square = hn::MulAdd(y, y, square);
        store(y, row, k);
      }
      length = hn::Add(length, normalise(square, d, row));
    }
    hn::Store(length, tag, lengths + part);
  }
}

//   v_i = g_i (N_i - <x_i, N_i> x_i),   g_i = 1 / (Z_i + self) or factor
inline void find_velocity(const LanePairSums& p, const double* x, double* v) {
  add_pairs(p, x);
  const D tag;
  const int d = p.shape.d;
  const V self = hn::Set(tag, p.self), factor = hn::Set(tag, p.factor), one = hn::Set(tag, 1.0);
  for (int part = 0; part < kSwarms; part += kLanes)
    for (int i = 0; i < p.shape.n; ++i) {
      const std::size_t begin = at(static_cast<std::size_t>(i) * d) + part;
      V along = hn::Zero(tag);
      for (int k = 0; k < d; ++k)
        along = hn::MulAdd(load(x + begin, k), load(p.sums + begin, k), along);
      const V g = p.softmax ? hn::Div(one, hn::Add(self, load(p.totals + part, i))) : factor;
      for (int k = 0; k < d; ++k)
        store(hn::Mul(g, hn::NegMulAdd(along, load(x + begin, k), load(p.sums + begin, k))),
              v + begin, k);
    }
}

inline void make_move(const Retract& m) {
  const D tag;
  const int d = m.shape.d;
  for (int part = 0; part < kSwarms; part += kLanes) {
    V length = hn::Zero(tag);
    for (int i = 0; i < m.shape.n; ++i) {
      const std::size_t begin = at(static_cast<std::size_t>(i) * d) + part;
      V square = hn::Zero(tag);
      for (int k = 0; k < d; ++k) {
        V y = load(m.x + begin, k);
        for (const LaneTerm& term : m.terms)
          y = hn::MulAdd(hn::Set(tag, term.scale), load(term.along + begin, k), y);
        square = hn::MulAdd(y, y, square);
        store(y, m.y + begin, k);
      }
      length = hn::Add(length, normalise(square, d, m.y + begin));
    }
    hn::Store(length, tag, m.lengths + part);
  }
}

inline void find_error_norm(const ErrorNorm& g) {
  const D tag;
  const int d = g.shape.d;
  const V atol = hn::Set(tag, g.tolerance.atol), rtol = hn::Set(tag, g.tolerance.rtol);
  for (int part = 0; part < kSwarms; part += kLanes) {
    V sum = hn::Zero(tag);
    for (int i = 0; i < g.shape.n; ++i) {
      const std::size_t begin = at(static_cast<std::size_t>(i) * d) + part;
      V size_a = hn::Zero(tag), size_b = size_a, square = size_a;
      for (int k = 0; k < d; ++k) {
        const V a = load(g.a + begin, k), b = load(g.b + begin, k), apart = hn::Sub(a, b);
        size_a = hn::MulAdd(a, a, size_a);
        size_b = hn::MulAdd(b, b, size_b);
        square = hn::MulAdd(apart, apart, square);
      }
      const V scale = hn::MulAdd(rtol, hn::Sqrt(hn::Max(size_a, size_b)), atol);
      sum = hn::Add(sum, hn::Div(square, hn::Mul(scale, scale)));
    }
    hn::Store(hn::Sqrt(hn::Div(sum, hn::Set(tag, static_cast<double>(g.shape.n)))), tag,
              g.error_norm + part);
  }
}

// Counts close pairs and links, and sums cosines, of one part of the lanes, tile by tile.
class PairReader {
 public:
  PairReader(const PairSummary& l, int part)
      : l_(l), part_(part), words_(link_words(l.shape.n)), count_(hn::Zero(D())) {}

  void summarise_pairs() {
    const DI di;
    const int n = l_.shape.n;
    for (int e = 0; e < n * words_; ++e)
      hn::Store(hn::Zero(di), di, l_.link + at(static_cast<std::size_t>(e)) + part_);
    for (int i = 0; i < n; i += kTile)
      for (int j = i; j < n; j += kTile) tile(i, j);
    hn::Store(count_, D(), l_.closes + part_);
    sum_up();
  }

 private:
  using DI = hn::RebindToUnsigned<D>;
  using VI = hn::Vec<DI>;

  HWY_INLINE void tile(int i0, int j0) {
    const D tag;
    const int n = l_.shape.n, d = l_.shape.d;
    const double* x = l_.x + part_;
    V c[kTile][kTile];
    cosines(x + at(static_cast<std::size_t>(i0) * d), x + at(static_cast<std::size_t>(j0) * d), d,
            c);
    if (i0 == j0 || i0 + kTile > n || j0 + kTile > n)
      for (int r = 0; r < kTile; ++r)
        for (int s = 0; s < kTile; ++s)
          if (i0 + r >= j0 + s || j0 + s >= n) c[r][s] = hn::Set(tag, kNone);
    V most = c[0][0];
    for (int r = 0; r < kTile; ++r)
      for (int s = 0; s < kTile; ++s) most = hn::Max(most, c[r][s]);
    if (!hn::AllFalse(tag, hn::Gt(most, hn::Set(tag, l_.close)))) count(c);
    if (!hn::AllFalse(tag, hn::Gt(most, hn::Set(tag, l_.linked)))) link(i0, j0, c);
  }

  HWY_INLINE void count(const V (&c)[kTile][kTile]) {
    const V close = hn::Set(D(), l_.close), one = hn::Set(D(), 1.0);
    for (int r = 0; r < kTile; ++r) {
      V row = hn::Zero(D());
      for (int s = 0; s < kTile; ++s)
        row = hn::Add(row, hn::IfThenElseZero(hn::Gt(c[r][s], close), one));
      count_ = hn::Add(count_, row);
    }
  }

  HWY_INLINE void link(int i0, int j0, const V (&c)[kTile][kTile]) {
    const DI di;
    VI row[kTile], column[kTile];
    for (int r = 0; r < kTile; ++r) row[r] = column[r] = hn::Zero(di);
    for (int r = 0; r < kTile; ++r)
      for (int s = 0; s < kTile; ++s) {
        const auto near = hn::RebindMask(di, hn::Gt(c[r][s], hn::Set(D(), l_.linked)));
        row[r] = hn::Or(row[r], hn::IfThenElseZero(near, hn::Set(di, bit(j0 + s))));
        column[s] = hn::Or(column[s], hn::IfThenElseZero(near, hn::Set(di, bit(i0 + r))));
      }
    for (int r = 0; r < kTile; ++r) {
      note(i0 + r, j0 / 64, row[r]);
      note(j0 + r, i0 / 64, column[r]);
    }
  }

  static std::uint64_t bit(int j) { return std::uint64_t{1} << (j % 64); }

  HWY_INLINE void note(int i, int word, VI bits) {
    if (i >= l_.shape.n) return;
    const DI di;
    std::uint64_t* to = l_.link + at(static_cast<std::size_t>(i) * words_ + word) + part_;
    hn::Store(hn::Or(hn::Load(di, to), bits), di, to);
  }

  // sum_{i < j} <x_i, x_j> = (|sum_i x_i|^2 - sum_i |x_i|^2) / 2
  void sum_up() {
    const D tag;
    V square = hn::Zero(tag), own = square;
    for (int k = 0; k < l_.shape.d; ++k) {
      V sum = hn::Zero(tag);
      for (int i = 0; i < l_.shape.n; ++i) {
        const V x = load(l_.x + part_, static_cast<std::size_t>(i) * l_.shape.d + k);
        sum = hn::Add(sum, x);
        own = hn::MulAdd(x, x, own);
      }
      square = hn::MulAdd(sum, sum, square);
    }
    hn::Store(hn::Mul(hn::Set(tag, 0.5), hn::Sub(square, own)), tag, l_.cosines + part_);
    hn::Store(hn::Div(hn::Sqrt(square), hn::Set(tag, static_cast<double>(l_.shape.n))), tag,
              l_.mean + part_);
  }

  static constexpr double kNone = -4;  // below every threshold: not a pair i < j
  const PairSummary& l_;
  const int part_, words_;
  V count_;  // close pairs
};

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
