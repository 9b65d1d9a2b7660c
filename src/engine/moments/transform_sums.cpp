// transform_sums.cpp: particles onto the grid tile by tile, targets off it.
#include "engine/moments/transform_sums.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/buffer.h"
#include "engine/moments/series_row.h"
#include "engine/moments/transform_kernels.h"

namespace murmur::moments {

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
constexpr int kRun = 256;  // points of a tile that are added before all others

// The angles of a set of points, sorted by tiles of the grid: one thread's.
class Sorted {
 public:
  // Rows 0 .. count - 1 of theta(), phi() and from() are the points tile after tile.
  void sort(const Targets& u, int cells, const double* mass) {
    const std::size_t n = u.n, size = (n + 7) / 8 * 8;
    double* at = values_.need(8 * size);
    double* length = at + 3 * size;
    double *theta = at + 4 * size, *phi = at + 5 * size;
    theta_ = at + 6 * size, phi_ = at + 7 * size;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t e = std::min(i, n - 1);
      const double x = u.axis(0)[e], y = u.axis(1)[e], z = u.axis(2)[e];
      const double r = std::sqrt(x * x + y * y + z * z);
      const double over = r > 0 ? 1 / r : 0;  // the zero vector looks to the pole
      at[i] = x * over, at[size + i] = y * over, at[2 * size + i] = r > 0 ? z * over : 1;
      length[i] = r;
    }
    angles_of({at, at + size, at + 2 * size, theta, phi, u.n, cells});
    const int across = cells / kTileCells, tiles = across * (cells / 2 / kTileCells + 1);
    tile_.resize(n);
    first_.assign(tiles + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
      tile_[i] =
          static_cast<int>(theta[i]) / kTileCells * across + static_cast<int>(phi[i]) / kTileCells;
      ++first_[tile_[i] + 1];
    }
    for (int t = 0; t < tiles; ++t) first_[t + 1] += first_[t];
    next_ = first_;
    from_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const int to = next_[tile_[i]]++;
      theta_[to] = theta[i];
      phi_[to] = phi[i];
      from_[to] = static_cast<int>(i);
    }
    length_ = length;
    if (mass == nullptr) return;
    mass_.resize(n);
    for (std::size_t i = 0; i < n; ++i) mass_[i] = mass[from_[i]];
  }
  double* theta() { return theta_; }
  double* phi() { return phi_; }
  const double* length() const { return length_; }  // (n) as they came
  const std::vector<double>& mass() const { return mass_; }
  const std::vector<int>& from() const { return from_; }
  const std::vector<int>& first() const { return first_; }  // (tiles + 1)

  simd::Buffer<double> grid, sums;

 private:
  simd::Buffer<double> values_;
  double *theta_ = nullptr, *phi_ = nullptr, *length_ = nullptr;
  std::vector<double> mass_;
  std::vector<int> tile_, first_, next_, from_;
};

Sorted& own_sorted() {
  static thread_local Sorted sorted;
  return sorted;
}

// The points of each tile onto the tile, and that onto the grid.
void spread_all(const Window& window, int cells, Sorted& points, double* grid, std::size_t row) {
  constexpr int kRoom = kTileSide * kTileSide + kMostWindow;
  alignas(64) double tile[kRoom];
  const int across = cells / kTileCells;
  for (int t = 0; t + 1 < static_cast<int>(points.first().size()); ++t) {
    const int top = t / across * kTileCells, left = t % across * kTileCells;
    for (int i = points.first()[t]; i < points.first()[t + 1]; ++i) {
      points.theta()[i] -= top;
      points.phi()[i] -= left;
    }
    for (int i = points.first()[t]; i < points.first()[t + 1]; i += kRun) {
      std::fill_n(tile, kRoom, 0.0);
      spread_tile(window,
                  {points.theta() + i, points.phi() + i, points.mass().data() + i,
                   std::min(kRun, points.first()[t + 1] - i)},
                  tile);
      for (int r = 0; r < kTileSide; ++r) {
        double* to = grid + (top + r) * row + left;
        for (int c = 0; c < kTileSide; ++c) to[c] += tile[r * kTileSide + c];
      }
    }
  }
}

}  // namespace

TransformSums::TransformSums(double rho, double cut)
    : rho_(rho), harmonic_(3, degree_for(3, rho, cut, kMostTransformDegree)) {
  const int p = degree();
  cells_ = grid_size(4 * (p + 2), kTileCells);
  nodes_ = grid_size(2 * (p + 1) + 1, 2);
  const ExponentialSeries a = exponential_series(3, rho, p + 1);
  beyond_ = a.beyond[p];
  std::vector<double> share;
  for (int l = 0; l <= p; ++l) share.push_back((2 * l + 1) * a.a[l] * std::sqrt(l + 1.0) * 2);
  window_ = window_for(share, cells_, cut, window_error_);
}

SpreadGrid TransformSums::spread(const HostSwarm& x, int threads, const Reduction* ranks) const {
  const std::size_t size = rows() * row();
  return spread_blocks(x, size, {threads, ranks}, [&](const Targets& here, const double* mass) {
    Sorted& points = own_sorted();
    points.sort(here, cells_, mass);
    double* grid = points.grid.need(size);
    std::fill_n(grid, size, 0.0);
    spread_all(window_, cells_, points, grid, row());
    return SpreadBlock{grid, points.length()};
  });
}

TransformSums::Series TransformSums::series_of(const HostSwarm& x, int threads,
                                               const Reduction* ranks, bool mean) const {
  return series_of(spread(x, threads, ranks), threads, mean);
}

TransformSums::Series TransformSums::series_of(const Spread& s, int threads, bool mean) const {
  const HarmonicMoments m = moments_of(waves_of(s, threads), s, threads);
  const HarmonicSums::Series harmonic = harmonic_.series_of(m, rho_, mean);
  Series series{.outputs = harmonic.outputs, .mass = m.mass, .off = m.off};
  series.grid.resize(rows() * row() * series.outputs + 2 * kMostWindow);
  for (int first = 0; first < series.outputs; first += 2)
    to_grid(waves_of(harmonic, first, threads), first, series, threads);
  return series;
}

double TransformSums::error(int adds) const {
  return beyond_ + window_error_ + (4 * (degree() + 8) + adds + 8 + kMostWindow * 4) * kUnit;
}

// As of HarmonicSums, with the window, and angles that are right to a few units of pi.
void TransformSums::evaluate(const Series& series, const Targets& u, const SumsResult& out) const {
  assert(u.n <= kTransformPoints);
  Sorted& points = own_sorted();
  points.sort(u, cells_, nullptr);
  for (int i = 0; i < u.n; ++i) {
    points.theta()[i] += kMargin;
    points.phi()[i] += kMargin;
  }
  double* sums = points.sums.need(static_cast<std::size_t>(series.outputs) * u.n);
  sum_grid(window_, {series.grid.data(), row(), series.outputs, points.theta(), points.phi(), u.n,
                     sums, static_cast<std::size_t>(u.n)});
  const double eps = series.mass * error(kRun + kSpreadPoints / kRun);
  for (int e = 0; e < u.n; ++e) {
    const int i = points.from()[e];
    put_row({.sums = sums + e,
             .stride = static_cast<std::size_t>(u.n),
             .coordinates = series.outputs - 1,
             .rho = rho_,
             .eps = eps,
             .scores = angle_scores(rho_, series.off, points.length()[i]),
             .off = series.off},
            i, out);
  }
}

}  // namespace murmur::moments
