// cells_kernels.cpp: the list of monomials, and sums over them and over pairs, with one source
// cell, source or target per lane; compiled for every vector target and chosen at run time.
#include "engine/moments/cells_walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/moments/cells_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <map>

#include "core/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::moments {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kTogetherCells>;
using V = hn::Vec<D>;
using Exp2 = simd::HWY_NAMESPACE::Exp2<D>;
constexpr double kLog2e = 1.4426950408889634074;

HWY_INLINE int width() { return static_cast<int>(hn::Lanes(D())); }

// Along one axis after the other:  m'_k = sum_q delta^q / q! m_{k + q}
void ShiftMoments(const Terms& terms, const double* delta, double* block) {
  const D d;
  for (int axis = 0; axis < terms.d; ++axis) {
    double e[kMaxDegree + 1] = {1};
    for (int q = 1; q <= terms.p; ++q) e[q] = e[q - 1] * delta[axis] / q;
    for (int line = terms.line_of_axis[axis]; line < terms.line_of_axis[axis + 1]; ++line) {
      const int* at = terms.line_terms.data() + terms.line_begin[line];
      const int length = terms.line_begin[line + 1] - terms.line_begin[line];
      for (int part = 0; part < kTogetherCells; part += width()) {
        V m[kMaxDegree + 1];
        for (int k = 0; k < length; ++k) m[k] = hn::Load(d, block + at[k] * kTogetherCells + part);
        for (int k = 0; k + 1 < length; ++k) {
          V sum = m[k];
          for (int q = 1; k + q < length; ++q) sum = hn::MulAdd(hn::Set(d, e[q]), m[k + q], sum);
          hn::Store(sum, d, block + at[k] * kTogetherCells + part);
        }
      }
    }
  }
}

// With m_b = b! c_b, along one axis after the other:  c'_k = sum_q gamma^q / q! c_{k - q}
void MoveMoments(const Terms& terms, const double* gamma, double* block) {
  const D d;
  for (int part = 0; part < kTogetherCells; part += width()) {
    for (int e = 0; e < terms.count; ++e) {
      double* at = block + e * kTogetherCells + part;
      hn::Store(hn::Mul(hn::Load(d, at), hn::Set(d, terms.inverse[e])), d, at);
    }
    for (int axis = 0; axis < terms.d; ++axis) {
      V g[kMaxDegree + 1];
      g[0] = hn::Set(d, 1.0);
      const V by = hn::Load(d, gamma + axis * kTogetherCells + part);
      for (int q = 1; q <= terms.p; ++q) g[q] = hn::Mul(hn::Mul(g[q - 1], by), hn::Set(d, 1.0 / q));
      for (int line = terms.line_of_axis[axis]; line < terms.line_of_axis[axis + 1]; ++line) {
        const int* at = terms.line_terms.data() + terms.line_begin[line];
        const int length = terms.line_begin[line + 1] - terms.line_begin[line];
        V c[kMaxDegree + 1];
        for (int k = 0; k < length; ++k) c[k] = hn::Load(d, block + at[k] * kTogetherCells + part);
        for (int k = 1; k < length; ++k) {
          V sum = c[k];
          for (int q = 1; q <= k; ++q) sum = hn::MulAdd(g[q], c[k - q], sum);
          hn::Store(sum, d, block + at[k] * kTogetherCells + part);
        }
      }
    }
    for (int e = 0; e < terms.count; ++e) {
      double* at = block + e * kTogetherCells + part;
      hn::Store(hn::Mul(hn::Load(d, at), hn::Set(d, terms.factorial[e])), d, at);
    }
  }
}

void NormsOf(const Terms& terms, const double* block, double* norms) {
  const D d;
  for (int part = 0; part < kTogetherCells; part += width()) {
    V sum[kMaxDegree + 1];
    for (int k = 0; k <= terms.p; ++k) sum[k] = hn::Zero(d);
    for (const Terms::Row& row : terms.rows)
      for (int k = 0, degree = terms.degree[row.first]; k < row.length; ++k) {
        const V m = hn::Load(d, block + (row.first + k) * kTogetherCells + part);
        const V scaled = hn::Mul(m, hn::Set(d, terms.norm[row.first + k]));
        sum[degree + k] = hn::MulAdd(scaled, m, sum[degree + k]);
      }
    for (int k = 0; k <= terms.p; ++k)
      hn::Store(hn::Sqrt(sum[k]), d, norms + k * kTogetherCells + part);
  }
}

constexpr int kUp = 4;  // vectors of sources at once

// The rows of `scratch` are powers of the last coordinate, (p + 1, kUp); monomials of the others,
// (rows, kUp); the sums of the terms, (count).
void AddMoments(const Terms& terms, const CellSources& at, const double* w, const double* centre,
                double* scratch, double* out) {
  const D d;
  const int lanes = width(), last = terms.d - 1;
  double* powers = scratch;
  double* monomials = powers + (terms.p + 1) * kUp * lanes;
  double* sums = monomials + static_cast<long>(terms.rows.size()) * kUp * lanes;
  for (int e = 0; e < terms.count; ++e) hn::Store(hn::Zero(d), d, sums + e * lanes);
  alignas(64) double tail[kUp * kTogetherCells];
  const int step = kUp * lanes;
  V y[kMaxCoordinates][kUp];
  for (int j = 0; j < at.count; j += step) {
    const bool whole = j + step <= at.count;
    for (int k = 0; k < terms.d; ++k) {
      const double* from = at.y + k * at.stride + j;
      if (!whole) {
        for (int b = 0; b < step; ++b) tail[b] = j + b < at.count ? from[b] : centre[k];
        from = tail;
      }
      for (int a = 0; a < kUp; ++a)
        y[k][a] = hn::Sub(hn::LoadU(d, from + a * lanes), hn::Set(d, centre[k]));
    }
    for (int a = 0; a < kUp; ++a) {
      V power = hn::Set(d, 1.0);
      for (int k = 0; k <= terms.p; ++k) {
        hn::Store(power, d, powers + (k * kUp + a) * lanes);
        power = hn::Mul(power, y[last][a]);
      }
    }
    for (std::size_t r = 0; r < terms.rows.size(); ++r) {
      const Terms::Row& row = terms.rows[r];
      V f[kUp];
      for (int a = 0; a < kUp; ++a) {
        f[a] = r == 0 ? hn::LoadU(d, w + j + a * lanes)
                      : hn::Mul(hn::Load(d, monomials + (row.parent * kUp + a) * lanes),
                                y[row.axis][a]);
        hn::Store(f[a], d, monomials + (static_cast<long>(r) * kUp + a) * lanes);
      }
      double* sum = sums + row.first * lanes;
      for (int k = 0; k < row.length; ++k) {
        const double* z = powers + k * kUp * lanes;
        V s = hn::MulAdd(f[0], hn::Load(d, z), hn::Load(d, sum + k * lanes));
        const V more = hn::Mul(f[1], hn::Load(d, z + lanes));
        s = hn::MulAdd(f[2], hn::Load(d, z + 2 * lanes), s);
        s = hn::Add(s, hn::MulAdd(f[3], hn::Load(d, z + 3 * lanes), more));
        hn::Store(s, d, sum + k * lanes);
      }
    }
  }
  for (int e = 0; e < terms.count; ++e) {
    double sum = 0;
    for (int lane = 0; lane < lanes; ++lane) sum += sums[e * lanes + lane];
    out[e * kTogetherCells] += sum;
  }
}

// Returns a b - product, exactly.
HWY_INLINE V product_error(V a, V b, V product) {
#if HWY_NATIVE_FMA
  return hn::MulSub(a, b, product);
#else
  const V split = hn::Set(D(), 134217729.0);  // 2^27 + 1: halves whose products are exact
  const V ca = hn::Mul(a, split), cb = hn::Mul(b, split);
  const V ah = hn::Sub(ca, hn::Sub(ca, a)), bh = hn::Sub(cb, hn::Sub(cb, b));
  const V al = hn::Sub(a, ah), bl = hn::Sub(b, bh);
  const V rest =
      hn::Sub(hn::Sub(hn::Sub(product, hn::Mul(ah, bh)), hn::Mul(al, bh)), hn::Mul(ah, bl));
  return hn::Sub(hn::Mul(al, bl), rest);
#endif
}

void TiltSources(int dimension, const CellSources& at, const Tilt& tilt, double* t,
                 double* square) {
  const D d;
  const int lanes = width();
  alignas(64) double tail[kTogetherCells];
  for (int j = 0; j < at.count; j += lanes) {
    V sum = hn::Zero(d), rest = hn::Set(d, -tilt.low), far = hn::Zero(d);
    for (int k = 0; k < dimension; ++k) {
      const double* from = at.y + k * at.stride + j;
      if (j + lanes > at.count) {
        for (int b = 0; b < lanes; ++b) tail[b] = j + b < at.count ? from[b] : tilt.centre[k];
        from = tail;
      }
      const V y = hn::LoadU(d, from), u = hn::Set(d, tilt.u[k]);
      const V product = hn::Mul(u, y);
      const V next = hn::Add(sum, product), back = hn::Sub(next, sum);
      const V lost = hn::Add(hn::Sub(sum, hn::Sub(next, back)), hn::Sub(product, back));
      rest = hn::Add(rest, hn::Add(lost, product_error(u, y, product)));
      sum = next;
      const V off = hn::Sub(y, hn::Set(d, tilt.centre[k]));
      far = hn::MulAdd(off, off, far);
    }
    hn::StoreU(hn::Add(hn::Sub(sum, hn::Set(d, tilt.high)), rest), d, t + j);
    hn::StoreU(far, d, square + j);
  }
}

void WeighSources(const double* mass, const double* t, double top, int count, double* w) {
  const D d;
  const int lanes = width();
  const Exp2 exp2;
  for (int j = 0; j < count; j += lanes) {
    const V s = hn::Mul(hn::Sub(hn::LoadU(d, t + j), hn::Set(d, top)), hn::Set(d, kLog2e));
    const V e = exp2(hn::Max(hn::Set(d, Exp2::kLowest), s));
    hn::StoreU(hn::Mul(e, hn::LoadU(d, mass + j)), d, w + j);
  }
}

constexpr int kDown = 2;  // vectors of targets at once

//   P = sum over rows of (monomial of the row) q(z),  q and q' by Horner's rule
void AddSeries(const Terms& terms, const CellTargets& at, const CellSeries& series) {
  const D d;
  const int lanes = width(), last = terms.d - 1;
  const Exp2 exp2;
  V v[kMaxCoordinates][kDown], grad[kMaxCoordinates][kDown];
  for (int i = 0; i < at.count; i += kDown * lanes) {
    V value[kDown], e[kDown];
    for (int a = 0; a < kDown; ++a) {
      value[a] = hn::Zero(d);
      e[a] = hn::Set(d, series.log_weight);
      for (int k = 0; k < terms.d; ++k) {
        v[k][a] = hn::Load(d, at.v + k * at.stride + i + a * lanes);
        grad[k][a] = hn::Zero(d);
        e[a] = hn::MulAdd(v[k][a], hn::Set(d, series.offset[k]), e[a]);
      }
      e[a] = hn::Max(hn::Set(d, Exp2::kLowest), hn::Mul(e[a], hn::Set(d, kLog2e)));
    }
    exp2(e);
    const V z0 = v[last][0], z1 = v[last][1];
    for (std::size_t r = 0; r < terms.rows.size(); ++r) {
      const Terms::Row& row = terms.rows[r];
      const double* c = series.c + row.first;
      V q0 = hn::Set(d, c[row.length - 1]), q1 = q0, s0 = hn::Zero(d), s1 = s0;
      for (int k = row.length - 2; k >= 0; --k) {
        const V ck = hn::Set(d, c[k]);
        s0 = hn::MulAdd(s0, z0, q0);
        s1 = hn::MulAdd(s1, z1, q1);
        q0 = hn::MulAdd(q0, z0, ck);
        q1 = hn::MulAdd(q1, z1, ck);
      }
      double* own = series.scratch + static_cast<long>(r) * kDown * lanes;
      const double* above = series.scratch + static_cast<long>(row.parent) * kDown * lanes;
      const V m0 = r == 0 ? hn::Set(d, 1.0) : hn::Mul(hn::Load(d, above), v[row.axis][0]);
      const V m1 = r == 0 ? hn::Set(d, 1.0) : hn::Mul(hn::Load(d, above + lanes), v[row.axis][1]);
      hn::Store(m0, d, own);
      hn::Store(m1, d, own + lanes);
      value[0] = hn::MulAdd(m0, q0, value[0]);
      value[1] = hn::MulAdd(m1, q1, value[1]);
      grad[last][0] = hn::MulAdd(m0, s0, grad[last][0]);
      grad[last][1] = hn::MulAdd(m1, s1, grad[last][1]);
      for (int l = terms.lowers_of[r]; l < terms.lowers_of[r + 1]; ++l) {
        const Terms::Lower& low = terms.lowers[l];
        const double* at_low = series.scratch + static_cast<long>(low.lower) * kDown * lanes;
        const V power = hn::Set(d, low.power);
        grad[low.axis][0] = hn::MulAdd(hn::Mul(power, q0), hn::Load(d, at_low), grad[low.axis][0]);
        grad[low.axis][1] =
            hn::MulAdd(hn::Mul(power, q1), hn::Load(d, at_low + lanes), grad[low.axis][1]);
      }
    }
    for (int a = 0; a < kDown; ++a) {
      double* sums = at.sums + i + a * lanes;
      hn::Store(hn::MulAdd(e[a], value[a], hn::Load(d, sums)), d, sums);
      for (int k = 0; k < terms.d; ++k) {
        double* sum = sums + (1 + k) * at.stride;
        const V part = hn::MulAdd(hn::Set(d, series.offset[k]), value[a], grad[k][a]);
        hn::Store(hn::MulAdd(e[a], part, hn::Load(d, sum)), d, sum);
      }
    }
  }
}

// kD coordinates, known to the compiler; kU vectors of targets at once.
template <int kD, int kU>
void AddPairsOf(const CellTargets& at, const double* pairs, int count) {
  const D d;
  const int lanes = width();
  const Exp2 exp2;
  const V lowest = hn::Set(d, Exp2::kLowest);
  for (int i = 0; i < at.count; i += kU * lanes) {
    V v[kD][kU];
    for (int k = 0; k < kD; ++k)
      for (int a = 0; a < kU; ++a)
        v[k][a] = hn::Mul(hn::Load(d, at.v + k * at.stride + i + a * lanes), hn::Set(d, kLog2e));
    for (int first = 0; first < count; first += kFlush) {
      const int end = first + kFlush < count ? first + kFlush : count;
      V weight[kU], sum[kD][kU];
      for (int a = 0; a < kU; ++a) {
        weight[a] = hn::Zero(d);
        for (int k = 0; k < kD; ++k) sum[k][a] = hn::Zero(d);
      }
      for (int j = first; j < end; ++j) {
        const double* y = pairs + static_cast<long>(j) * (kD + 1);
        V e[kU];
        for (int a = 0; a < kU; ++a) e[a] = hn::Mul(v[0][a], hn::Set(d, y[0]));
        for (int k = 1; k < kD; ++k)
          for (int a = 0; a < kU; ++a) e[a] = hn::MulAdd(v[k][a], hn::Set(d, y[k]), e[a]);
        for (int a = 0; a < kU; ++a) e[a] = hn::Max(lowest, e[a]);
        exp2(e);
        for (int a = 0; a < kU; ++a) {
          e[a] = hn::Mul(e[a], hn::Set(d, y[kD]));
          weight[a] = hn::Add(weight[a], e[a]);
        }
        for (int k = 0; k < kD; ++k)
          for (int a = 0; a < kU; ++a) sum[k][a] = hn::MulAdd(e[a], hn::Set(d, y[k]), sum[k][a]);
      }
      for (int a = 0; a < kU; ++a) {
        double* to = at.sums + i + a * lanes;
        hn::Store(hn::Add(hn::Load(d, to), weight[a]), d, to);
        for (int k = 0; k < kD; ++k) {
          double* row = to + (1 + k) * at.stride;
          hn::Store(hn::Add(hn::Load(d, row), sum[k][a]), d, row);
        }
      }
    }
  }
}

// Any number of coordinates.
void AddPairsAny(int dimension, const CellTargets& at, const double* pairs, int count) {
  const D d;
  const int lanes = width();
  const Exp2 exp2;
  V v[kMaxCoordinates], sum[kMaxCoordinates];
  for (int i = 0; i < at.count; i += lanes) {
    for (int k = 0; k < dimension; ++k)
      v[k] = hn::Mul(hn::Load(d, at.v + k * at.stride + i), hn::Set(d, kLog2e));
    for (int first = 0; first < count; first += kFlush) {
      const int end = first + kFlush < count ? first + kFlush : count;
      V weight = hn::Zero(d);
      for (int k = 0; k < dimension; ++k) sum[k] = hn::Zero(d);
      for (int j = first; j < end; ++j) {
        const double* y = pairs + static_cast<long>(j) * (dimension + 1);
        V e = hn::Mul(v[0], hn::Set(d, y[0]));
        for (int k = 1; k < dimension; ++k) e = hn::MulAdd(v[k], hn::Set(d, y[k]), e);
        e = hn::Mul(exp2(hn::Max(hn::Set(d, Exp2::kLowest), e)), hn::Set(d, y[dimension]));
        weight = hn::Add(weight, e);
        for (int k = 0; k < dimension; ++k) sum[k] = hn::MulAdd(e, hn::Set(d, y[k]), sum[k]);
      }
      double* to = at.sums + i;
      hn::Store(hn::Add(hn::Load(d, to), weight), d, to);
      for (int k = 0; k < dimension; ++k) {
        double* row = to + (1 + k) * at.stride;
        hn::Store(hn::Add(hn::Load(d, row), sum[k]), d, row);
      }
    }
  }
}

void AddPairs(int dimension, const CellTargets& at, const double* pairs, int count) {
  switch (dimension) {
    case 2:
      return AddPairsOf<2, 4>(at, pairs, count);
    case 3:
      return AddPairsOf<3, 2>(at, pairs, count);
    case 4:
      return AddPairsOf<4, 2>(at, pairs, count);
    default:
      return AddPairsAny(dimension, at, pairs, count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::moments
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::moments {

HWY_EXPORT(ShiftMoments);
HWY_EXPORT(MoveMoments);
HWY_EXPORT(NormsOf);
HWY_EXPORT(AddMoments);
HWY_EXPORT(TiltSources);
HWY_EXPORT(WeighSources);
HWY_EXPORT(AddSeries);
HWY_EXPORT(AddPairs);

void shift_moments(const Terms& terms, const double* delta, double* block) {
  HWY_DYNAMIC_DISPATCH(ShiftMoments)(terms, delta, block);
}
void move_moments(const Terms& terms, const double* gamma, double* block) {
  HWY_DYNAMIC_DISPATCH(MoveMoments)(terms, gamma, block);
}
void norms_of(const Terms& terms, const double* block, double* norms) {
  HWY_DYNAMIC_DISPATCH(NormsOf)(terms, block, norms);
}
void add_moments(const Terms& terms, const CellSources& at, const double* w, const double* centre,
                 double* scratch, double* out) {
  HWY_DYNAMIC_DISPATCH(AddMoments)(terms, at, w, centre, scratch, out);
}
long moments_scratch_size(const Terms& terms) {
  return kTogetherCells * (4L * (terms.p + 1 + static_cast<long>(terms.rows.size())) + terms.count);
}
void tilt_sources(int d, const CellSources& at, const Tilt& tilt, double* t, double* square) {
  HWY_DYNAMIC_DISPATCH(TiltSources)(d, at, tilt, t, square);
}
void weigh_sources(const double* mass, const double* t, double top, int count, double* w) {
  HWY_DYNAMIC_DISPATCH(WeighSources)(mass, t, top, count, w);
}
void add_series(const Terms& terms, const CellTargets& at, const CellSeries& series) {
  HWY_DYNAMIC_DISPATCH(AddSeries)(terms, at, series);
}
long series_scratch_size(const Terms& terms) {
  return 2L * kTogetherCells * static_cast<long>(terms.rows.size());
}
void add_pairs(int d, const CellTargets& at, const double* pairs, int count) {
  HWY_DYNAMIC_DISPATCH(AddPairs)(d, at, pairs, count);
}

namespace {

using Index = std::vector<int>;

// All multi-indices of d coordinates with |b| <= p, the last coordinate fastest.
void list(int d, int p, Index& at, std::vector<Index>& all) {
  if (static_cast<int>(at.size()) == d) {
    all.push_back(at);
    return;
  }
  for (int k = 0; k <= p; ++k) {
    at.push_back(k);
    list(d, p - k, at, all);
    at.pop_back();
  }
}

int total(const Index& b) {
  int sum = 0;
  for (const int k : b) sum += k;
  return sum;
}

double factorial_of(int k) { return k <= 1 ? 1.0 : k * factorial_of(k - 1); }

}  // namespace

double terms_count(int d, int p) {
  double count = 1;
  for (int k = 1; k <= d; ++k) count *= static_cast<double>(p + k) / k;
  return count;
}

Terms::Terms(int d_, int p_) : d(d_), p(p_) {
  std::vector<Index> all;
  Index at;
  list(d, p, at, all);
  count = static_cast<int>(all.size());
  std::map<Index, int> place;
  for (int e = 0; e < count; ++e) place[all[e]] = e;
  for (const Index& b : all) {
    double product = 1;
    for (const int k : b) product *= factorial_of(k);
    degree.push_back(total(b));
    factorial.push_back(product);
    inverse.push_back(1 / product);
    norm.push_back(1 / (product * factorial_of(total(b))));
  }
  for (int q = 0; q < d; ++q) {
    Index one(d, 0);
    one[q] = 1;
    linear.push_back(place.at(one));
  }
  std::map<Index, int> row_of;  // of the first d - 1 coordinates
  lowers_of.push_back(0);
  for (int e = 0; e < count; ++e) {
    if (all[e].back() != 0) continue;
    Index prefix(all[e].begin(), all[e].end() - 1);
    Row row{.first = e, .length = p - total(prefix) + 1};
    const int index = static_cast<int>(rows.size());
    row_of[prefix] = index;
    for (int q = 0; q < d - 1; ++q) {
      if (prefix[q] == 0) continue;
      Index below = prefix;
      --below[q];
      row.parent = row_of.at(below);
      row.axis = q;
      lowers.push_back({index, q, row.parent, static_cast<double>(prefix[q])});
    }
    rows.push_back(row);
    lowers_of.push_back(static_cast<int>(lowers.size()));
  }
  line_of_axis.push_back(0);
  line_begin.push_back(0);
  for (int q = 0; q < d; ++q) {
    for (const Index& b : all) {
      if (b[q] != 0) continue;
      Index along = b;
      for (const int k0 = total(b); k0 + along[q] <= p; ++along[q])
        line_terms.push_back(place.at(along));
      line_begin.push_back(static_cast<int>(line_terms.size()));
    }
    line_of_axis.push_back(static_cast<int>(line_begin.size()) - 1);
  }
}

}  // namespace murmur::moments
#endif
