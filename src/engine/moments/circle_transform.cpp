// circle_transform.cpp: particles onto a grid of angles, its waves, and targets off the grid.
#include "engine/moments/circle_transform.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>
#include <unsupported/Eigen/FFT>

#include "core/buffer.h"
#include "core/parallel.h"
#include "engine/moments/harmonics.h"
#include "engine/moments/transform_kernels.h"
#include "engine/moments/transform_sums.h"

namespace murmur::moments {

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
constexpr int kRun = 256;  // points that are added before all others

// The angles of a set of points in cells, and how long the points are: one thread's.
struct Angles {
  simd::Buffer<double> values, grid, sums;
  double *phi = nullptr, *length = nullptr;

  void of(const Targets& u, int cells) {
    const std::size_t n = u.n, size = (n + 7) / 8 * 8;
    double* at = values.need(6 * size);
    length = at + 3 * size;
    double* theta = at + 4 * size;
    phi = at + 5 * size;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t e = std::min(i, n - 1);
      const double x = u.axis(0)[e], y = u.axis(1)[e];
      length[i] = std::sqrt(x * x + y * y);
      at[i] = length[i] > 0 ? x : 1;  // the zero vector looks along the first axis
      at[size + i] = y;
      at[2 * size + i] = 0;
    }
    angles_of({at, at + size, at + 2 * size, theta, phi, u.n, cells});
  }
};

Angles& own_angles() {
  static thread_local Angles angles;
  return angles;
}

}  // namespace

CircleTransform::CircleTransform(double rho, double cut)
    : rho_(rho), degree_(degree_for(2, rho, cut, kMostCircleDegree)) {
  const int p = degree_;
  assert(p != kNoDegree);
  cells_ = grid_size(4 * (p + 2), 16);
  const ExponentialSeries a = exponential_series(2, rho, p + 1);
  a_.assign(a.a.begin(), a.a.begin() + p + 1);
  beyond_ = a.beyond[p];
  constexpr double kLeastError = 1e-13;  // rounding leaves more
  for (int width = 6; width <= kMostWindow; ++width) {
    window_ = window_of(width, 2.65 * width, cells_, p + 1);
    window_error_ = 0;
    for (int l = 0; l <= p; ++l) {
      const double e = window_.error[l + 1];
      window_error_ += (l == 0 ? 1 : 2) * a_[l] * (2 * e + e * e);
    }
    if (window_error_ <= std::fmax(cut, kLeastError)) break;
  }
}

// (row), kMargin cells before and after the circle's.
std::vector<double> CircleTransform::spread(const HostSwarm& x, int threads, const Reduction* ranks,
                                            double& off) const {
  std::vector<Fixed> total(row());
  off = 0;
  std::mutex lock;
  for_blocks((x.n() + kSpreadPoints - 1) / kSpreadPoints, threads, [&](int block) {
    Angles& points = own_angles();
    const int first = block * kSpreadPoints;
    const Targets here{x.axis(0) + first, x.stride(), std::min(kSpreadPoints, x.n() - first), 2};
    points.of(here, cells_);
    double most = 0;
    for (int i = 0; i < here.n; ++i) most = std::fmax(most, std::fabs(points.length[i] - 1));
    double* grid = points.grid.need(2 * row());
    double* run = grid + row();
    std::fill_n(grid, row(), 0.0);
    for (int i = 0; i < here.n; i += kRun) {
      std::fill_n(run, row(), 0.0);
      spread_line(window_, {points.phi + i, x.mass.data() + first + i, std::min(kRun, here.n - i)},
                  run);
      for (std::size_t c = 0; c < row(); ++c) grid[c] += run[c];
    }
    const std::lock_guard hold(lock);
    off = std::fmax(off, most);
    for (std::size_t c = 0; c < row(); ++c)
      if (grid[c] != 0) total[c] += to_fixed(grid[c]);
  });
  if (ranks != nullptr) {
    ranks->sum(total);
    off = ranks->largest(off);
  }
  std::vector<double> grid(row());
  for (std::size_t c = 0; c < row(); ++c) grid[c] = from_fixed(total[c]);
  return grid;
}

CircleTransform::Wave CircleTransform::moments_of(const std::vector<double>& grid) const {
  Wave from(cells_), to(cells_);
  for (std::size_t c = 0; c < row(); ++c)
    from[(static_cast<int>(c) - kMargin + cells_) % cells_] += grid[c];
  Eigen::FFT<double> fft;
  fft.fwd(to.data(), from.data(), cells_);
  Wave moments(degree_ + 2);
  for (int k = 0; k <= degree_ + 1; ++k) moments[k] = std::conj(to[k]) / window_.factor[k];
  return moments;
}

// The real and the imaginary part of sum_k waves_{k + p} e^{ik phi} at the cells, k = -p .. p.
void CircleTransform::to_grid(const Wave& waves, double* re, double* im) const {
  Wave from(cells_), to(cells_);
  for (int k = -degree_; k <= degree_; ++k)
    from[k < 0 ? k + cells_ : k] = waves[k + degree_] / window_.factor[std::abs(k)];
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::Unscaled);
  fft.inv(to.data(), from.data(), cells_);
  for (std::size_t c = 0; c < row(); ++c) {
    const std::complex<double> value = to[(static_cast<int>(c) - kMargin + cells_) % cells_];
    re[c] = value.real();
    if (im != nullptr) im[c] = value.imag();
  }
}

CircleTransform::Series CircleTransform::series_of(const HostSwarm& x, int threads,
                                                   const Reduction* ranks, bool mean) const {
  Series series{.outputs = mean ? 3 : 1};
  const Wave m = moments_of(spread(x, threads, ranks, series.off));
  series.mass = m[0].real();
  series.grid.resize(row() * series.outputs);
  const auto moment = [&](int k) { return k < 0 ? m[-k] : std::conj(m[k]); };  // conj(m_k)
  Wave weights, values;
  for (int k = -degree_; k <= degree_; ++k) {
    weights.push_back(a_[std::abs(k)] * moment(k));
    values.push_back(a_[std::abs(k)] * moment(k - 1));
  }
  double* grid = series.grid.data();
  to_grid(weights, grid, nullptr);
  if (mean) to_grid(values, grid + row(), grid + 2 * row());
  return series;
}

void CircleTransform::evaluate(const Series& series, const Targets& u,
                               const SumsResult& out) const {
  assert(u.n <= kCirclePoints);
  Angles& points = own_angles();
  points.of(u, cells_);
  const std::size_t n = u.n;
  double* sums = points.sums.need(series.outputs * n);
  sum_line(window_, {series.grid.data(), row(), series.outputs, points.phi, u.n, sums, n});
  const double rounding =
      (4 * (degree_ + 8) + kRun + kSpreadPoints / kRun + 8 + 2 * kMostWindow) * kUnit;
  const double eps = series.mass * (beyond_ + window_error_ + rounding);
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = sums[i];
    // An angle is right to a few units of its own size, and a score to that times rho.
    const double scores = rho_ * (series.off + 16 * kUnit) + std::fabs(rho_ - points.length[i]);
    const bool bounded = weight > 2 * eps;
    out.weight[i] = weight;
    out.shift[i] = rho_;
    out.weight_bound[i] =
        bounded ? eps / (weight - eps) + 2 * scores : std::numeric_limits<double>::infinity();
    if (series.outputs == 1) continue;
    for (int k = 0; k < 2; ++k) out.mean[k * out.stride + i] = sums[(1 + k) * n + i] / weight;
    out.mean_bound[i] = bounded ? 2 * eps / weight + 4 * scores + 4 * kUnit + series.off
                                : std::numeric_limits<double>::infinity();
  }
}

}  // namespace murmur::moments
