// transform_sums.cpp: particles onto the grid tile by tile, targets off it.
#include "engine/moments/transform_sums.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/buffer.h"
#include "core/parallel.h"
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

int grid_size(int least, int by) {
  for (int size = (least + by - 1) / by * by;; size += by) {
    int rest = size;
    for (const int factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return size;
  }
}

TransformSums::TransformSums(double rho, double cut)
    : rho_(rho), harmonic_(3, degree_for(3, rho, cut, kMostTransformDegree)) {
  const int p = degree();
  cells_ = grid_size(4 * (p + 2), kTileCells);
  nodes_ = grid_size(2 * (p + 1) + 1, 2);
  const ExponentialSeries a = exponential_series(3, rho, p + 1);
  beyond_ = a.beyond[p];
  constexpr double kLeastError = 1e-13;  // rounding leaves more
  for (int width = 6; width <= kMostWindow; ++width) {
    window_ = window_of(width, 2.65 * width, cells_, p + 1);
    window_error_ = 0;
    for (int l = 0; l <= p; ++l) {
      const double e = window_.error[l + 1];
      window_error_ += (2 * l + 1) * a.a[l] * std::sqrt(l + 1.0) * 2 * (2 * e + e * e);
    }
    if (window_error_ <= std::fmax(cut, kLeastError)) break;
  }
}

TransformSums::Spread TransformSums::spread(const HostSwarm& x, int threads,
                                            const Reduction* ranks) const {
  const std::size_t size = rows() * row();
  std::vector<Fixed> total(size);
  Spread s{std::vector<double>(size)};
  std::mutex lock;
  for_blocks((x.n() + kSpreadPoints - 1) / kSpreadPoints, threads, [&](int block) {
    Sorted& points = own_sorted();
    const int first = block * kSpreadPoints;
    const Targets here{x.axis(0) + first, x.stride(), std::min(kSpreadPoints, x.n() - first), 3};
    points.sort(here, cells_, x.mass.data() + first);
    double off = 0;
    for (int i = 0; i < here.n; ++i) off = std::fmax(off, std::fabs(points.length()[i] - 1));
    double* grid = points.grid.need(size);
    std::fill_n(grid, size, 0.0);
    spread_all(window_, cells_, points, grid, row());
    const std::lock_guard hold(lock);
    s.off = std::fmax(s.off, off);
    for (std::size_t e = 0; e < size; ++e)
      if (grid[e] != 0) total[e] += to_fixed(grid[e]);
  });
  if (ranks != nullptr) {
    ranks->sum(total);
    s.off = ranks->largest(s.off);
  }
  for (std::size_t e = 0; e < size; ++e) s.grid[e] = from_fixed(total[e]);
  return s;
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
    const double weight = sums[e];
    const double scores = rho_ * (series.off + 16 * kUnit) + std::fabs(rho_ - points.length()[i]);
    const bool bounded = weight > 2 * eps;
    out.weight[i] = weight;
    out.shift[i] = rho_;
    out.weight_bound[i] =
        bounded ? eps / (weight - eps) + 2 * scores : std::numeric_limits<double>::infinity();
    if (series.outputs == 1) continue;
    for (int k = 0; k < 3; ++k)
      out.mean[k * out.stride + i] = sums[static_cast<std::size_t>(1 + k) * u.n + e] / weight;
    out.mean_bound[i] = bounded ? 2 * eps / weight + 4 * scores + 4 * kUnit + series.off
                                : std::numeric_limits<double>::infinity();
  }
}

}  // namespace murmur::moments
