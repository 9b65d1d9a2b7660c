// transform_kernels.cpp: the window of non-uniform Fourier transforms and its error, and kernels
// with one cell per lane, or one point per lane for angles, compiled for every vector target and
// chosen at run time.
#include "engine/moments/transform_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/moments/transform_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After it, once for each target:
#include <hwy/contrib/math/math-inl.h>

#include <cmath>
#include <numbers>

#include "core/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace murmur::moments {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kVectors = kMostWindow / kLanes;  // under a window

// The angle of (x, y) in (-pi, pi].
HWY_INLINE V Angle(V y, V x) {
  const D d;
  constexpr double kHalfTurn = 3.14159265358979323846;
  const V ax = hn::Abs(x), ay = hn::Abs(y);
  const V low = hn::Min(ax, ay), high = hn::Max(ax, ay);
  const V ratio = hn::Div(low, hn::Max(high, hn::Set(d, 1e-300)));
  V angle = hn::Atan(d, ratio);
  angle = hn::IfThenElse(hn::Gt(ay, ax), hn::Sub(hn::Set(d, kHalfTurn / 2), angle), angle);
  angle = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, kHalfTurn), angle), angle);
  return hn::CopySign(angle, y);
}

void AnglesOf(const AnglePoints& p) {
  const D d;
  const V unit = hn::Set(d, p.cells / (2 * 3.14159265358979323846));
  const V cells = hn::Set(d, p.cells);
  for (int i = 0; i < p.count; i += kLanes) {
    const V x = hn::LoadU(d, p.x + i), y = hn::LoadU(d, p.y + i), z = hn::LoadU(d, p.z + i);
    const V side = hn::Sqrt(hn::MulAdd(x, x, hn::Mul(y, y)));
    V phi = hn::Mul(Angle(y, x), unit);
    phi = hn::IfThenElse(hn::Lt(phi, hn::Zero(d)), hn::Add(phi, cells), phi);
    phi = hn::IfThenElse(hn::Ge(phi, cells), hn::Zero(d), phi);
    hn::StoreU(hn::Mul(Angle(side, z), unit), d, p.theta + i);
    hn::StoreU(phi, d, p.phi + i);
  }
}

// The windows of a point in both directions, 16 cells each from `row` and `column` on: zero
// outside.
struct Windows {
  HWY_INLINE Windows(const Window& w, double theta, double phi) {
    const D d;
    const simd::HWY_NAMESPACE::Exp2<D> exp2;
    const double half = 0.5 * w.width;
    row = static_cast<int>(std::ceil(theta - half));
    column = static_cast<int>(std::ceil(phi - half));
    const V scale = hn::Set(d, 2.0 / w.width), one = hn::Set(d, 1.0);
    const V sharp = hn::Set(d, w.sharpness * 1.44269504088896340736);
    V s[2 * kVectors];
    V rest[2 * kVectors];
    for (int v = 0; v < kVectors; ++v) {
      const V cells = hn::Iota(d, static_cast<double>(v * kLanes));
      const V down = hn::Mul(scale, hn::Add(cells, hn::Set(d, row - theta)));
      const V across = hn::Mul(scale, hn::Add(cells, hn::Set(d, column - phi)));
      rest[v] = hn::NegMulAdd(down, down, one);
      rest[kVectors + v] = hn::NegMulAdd(across, across, one);
    }
    for (int v = 0; v < 2 * kVectors; ++v)
      s[v] = hn::Mul(sharp, hn::Sub(hn::Sqrt(hn::Max(rest[v], hn::Zero(d))), one));
    exp2(s);
    for (int v = 0; v < 2 * kVectors; ++v)
      s[v] = hn::IfThenElseZero(hn::Gt(rest[v], hn::Zero(d)), s[v]);
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(s[v], d, down_rows + v * kLanes);
      hn::Store(s[kVectors + v], d, along + v * kLanes);
    }
  }
  HWY_ALIGN double down_rows[kMostWindow];
  HWY_ALIGN double along[kMostWindow];
  int row, column;
};

template <int kWide>
HWY_INLINE void SpreadAll(const Window& w, const TilePoints& p, double* tile) {
  const D d;
  for (int i = 0; i < p.count; ++i) {
    const Windows at(w, p.theta[i], p.phi[i]);
    double* to = tile + (at.row + kMargin) * kTileSide + at.column + kMargin;
    V along[kWide];
    for (int v = 0; v < kWide; ++v)
      along[v] = hn::Mul(hn::Set(d, p.mass[i]), hn::Load(d, at.along + v * kLanes));
    for (int r = 0; r < w.width; ++r, to += kTileSide) {
      const V share = hn::Set(d, at.down_rows[r]);
      for (int v = 0; v < kWide; ++v)
        hn::StoreU(hn::MulAdd(share, along[v], hn::LoadU(d, to + v * kLanes)), d, to + v * kLanes);
    }
  }
}

void SpreadTile(const Window& w, const TilePoints& p, double* tile) {
  w.width <= 8 ? SpreadAll<kVectors / 2>(w, p, tile) : SpreadAll<kVectors>(w, p, tile);
}

template <int kFunctions, int kWide>
HWY_INLINE void SumAllCells(const Window& w, const GridSums& s) {
  const D d;
  for (int i = 0; i < s.count; ++i) {
    const Windows at(w, s.theta[i], s.phi[i]);
    const double* from = s.grid + static_cast<std::size_t>(at.row) * kFunctions * s.row + at.column;
    V sum[kFunctions][kWide];
    for (int f = 0; f < kFunctions; ++f)
      for (int v = 0; v < kWide; ++v) sum[f][v] = hn::Zero(d);
    for (int r = 0; r < w.width; ++r) {
      const V share = hn::Set(d, at.down_rows[r]);
      for (int f = 0; f < kFunctions; ++f, from += s.row)
        for (int v = 0; v < kWide; ++v)
          sum[f][v] = hn::MulAdd(share, hn::LoadU(d, from + v * kLanes), sum[f][v]);
    }
    for (int f = 0; f < kFunctions; ++f) {
      V all = hn::Zero(d);
      for (int v = 0; v < kWide; ++v)
        all = hn::MulAdd(sum[f][v], hn::Load(d, at.along + v * kLanes), all);
      s.out[f * s.stride + i] = hn::GetLane(hn::SumOfLanes(d, all));
    }
  }
}

// The window of a point on a line, 16 cells from `column` on: zero outside.
struct LineWindow {
  HWY_INLINE LineWindow(const Window& w, double phi) {
    const D d;
    const simd::HWY_NAMESPACE::Exp2<D> exp2;
    column = static_cast<int>(std::ceil(phi - 0.5 * w.width));
    const V scale = hn::Set(d, 2.0 / w.width), one = hn::Set(d, 1.0);
    const V sharp = hn::Set(d, w.sharpness * 1.44269504088896340736);
    V rest[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      const V cells = hn::Iota(d, static_cast<double>(v * kLanes));
      const V z = hn::Mul(scale, hn::Add(cells, hn::Set(d, column - phi)));
      rest[v] = hn::NegMulAdd(z, z, one);
      at[v] = hn::Mul(sharp, hn::Sub(hn::Sqrt(hn::Max(rest[v], hn::Zero(d))), one));
    }
    exp2(at);
    for (int v = 0; v < kVectors; ++v)
      at[v] = hn::IfThenElseZero(hn::Gt(rest[v], hn::Zero(d)), at[v]);
  }
  V at[kVectors];
  int column;
};

void SpreadLine(const Window& w, const LinePoints& p, double* line) {
  const D d;
  for (int i = 0; i < p.count; ++i) {
    const LineWindow window(w, p.phi[i]);
    double* to = line + window.column + kMargin;
    const V mass = hn::Set(d, p.mass[i]);
    for (int v = 0; v < kVectors; ++v)
      hn::StoreU(hn::MulAdd(mass, window.at[v], hn::LoadU(d, to + v * kLanes)), d, to + v * kLanes);
  }
}

void SumLine(const Window& w, const LineSums& s) {
  const D d;
  for (int i = 0; i < s.count; ++i) {
    const LineWindow window(w, s.phi[i]);
    for (int f = 0; f < s.functions; ++f) {
      const double* from = s.line + f * s.row + window.column + kMargin;
      V all = hn::Mul(window.at[0], hn::LoadU(d, from));
      for (int v = 1; v < kVectors; ++v)
        all = hn::MulAdd(window.at[v], hn::LoadU(d, from + v * kLanes), all);
      s.out[f * s.stride + i] = hn::GetLane(hn::SumOfLanes(d, all));
    }
  }
}

void SumGrid(const Window& w, const GridSums& s) {
  if (s.functions == 1)
    w.width <= 8 ? SumAllCells<1, kVectors / 2>(w, s) : SumAllCells<1, kVectors>(w, s);
  else
    w.width <= 8 ? SumAllCells<4, kVectors / 2>(w, s) : SumAllCells<4, kVectors>(w, s);
}

}  // namespace HWY_NAMESPACE
}  // namespace murmur::moments
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace murmur::moments {

HWY_EXPORT(AnglesOf);
HWY_EXPORT(SpreadTile);
HWY_EXPORT(SumGrid);
HWY_EXPORT(SpreadLine);
HWY_EXPORT(SumLine);

void angles_of(const AnglePoints& points) { HWY_DYNAMIC_DISPATCH(AnglesOf)(points); }
void spread_tile(const Window& window, const TilePoints& points, double* tile) {
  HWY_DYNAMIC_DISPATCH(SpreadTile)(window, points, tile);
}
void sum_grid(const Window& window, const GridSums& sums) {
  HWY_DYNAMIC_DISPATCH(SumGrid)(window, sums);
}
void spread_line(const Window& window, const LinePoints& points, double* line) {
  HWY_DYNAMIC_DISPATCH(SpreadLine)(window, points, line);
}
void sum_line(const Window& window, const LineSums& sums) {
  HWY_DYNAMIC_DISPATCH(SumLine)(window, sums);
}

namespace {

double window_at(double sharpness, double z) {
  return z * z >= 1 ? 0 : std::exp(sharpness * (std::sqrt(1 - z * z) - 1));
}

// Returns w / 2 times the integral of window(z) cos(a z) over [-1, 1], z = sin t. All but e^{-b} of
// it is smooth, so that the trapezium rule is exact to the last digit for the rest.
double transform_at(int width, double sharpness, double a) {
  constexpr int kNodes = 160;
  double sum = 0;
  for (int e = 1; e < kNodes; ++e) {
    const double t = std::numbers::pi * (static_cast<double>(e) / kNodes - 0.5);
    sum += std::exp(sharpness * (std::cos(t) - 1)) * std::cos(a * std::sin(t)) * std::cos(t);
  }
  return 0.5 * width * sum * std::numbers::pi / kNodes;
}

}  // namespace

Window window_of(int width, double sharpness, int cells, int orders) {
  constexpr int kPlaces = 16;  // within a cell
  Window w{width, sharpness};
  const double h = 2 * std::numbers::pi / cells;
  double worst = 0;
  for (int k = 0; k <= orders; ++k) {
    const double factor = transform_at(width, w.sharpness, 0.5 * k * h * width);
    for (int place = 0; place < kPlaces; ++place) {
      const double x = (place + 0.25) / kPlaces;  // in cells, from the cell to the left
      double re = -1, im = 0;
      for (int g = -width / 2 - 1; g <= width / 2 + 1; ++g) {
        const double value = window_at(w.sharpness, (g - x) * 2 / width) / factor;
        re += value * std::cos(k * h * (g - x));
        im += value * std::sin(k * h * (g - x));
      }
      worst = std::fmax(worst, std::hypot(re, im));
    }
    w.factor.push_back(factor);
    w.error.push_back(worst);
  }
  return w;
}

Window window_for(std::span<const double> share, int cells, double cut, double& error) {
  constexpr double kLeastError = 1e-13;  // rounding is larger
  const int orders = static_cast<int>(share.size());
  Window w;
  for (int width = 6; width <= kMostWindow; ++width) {
    w = window_of(width, 2.65 * width, cells, orders);
    error = 0;
    for (int l = 0; l < orders; ++l) {
      const double e = w.error[l + 1];
      error += share[l] * (2 * e + e * e);
    }
    if (error <= std::fmax(cut, kLeastError)) break;
  }
  return w;
}

}  // namespace murmur::moments
#endif
