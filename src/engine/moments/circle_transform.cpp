// circle_transform.cpp: particles onto a grid of angles, its waves, and targets off the grid.
#include "engine/moments/circle_transform.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <unsupported/Eigen/FFT>

#include "core/buffer.h"
#include "engine/moments/harmonics.h"
#include "engine/moments/series_row.h"
#include "engine/moments/transform_kernels.h"

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
  std::vector<double> share;
  for (int l = 0; l <= p; ++l) share.push_back((l == 0 ? 1 : 2) * a_[l]);
  window_ = window_for(share, cells_, cut, window_error_);
}

SpreadGrid CircleTransform::spread(const HostSwarm& x, int threads, const Reduction* ranks) const {
  return spread_blocks(x, row(), {threads, ranks}, [&](const Targets& here, const double* mass) {
    Angles& points = own_angles();
    points.of(here, cells_);
    double* grid = points.grid.need(2 * row());
    double* run = grid + row();
    std::fill_n(grid, row(), 0.0);
    for (int i = 0; i < here.n; i += kRun) {
      std::fill_n(run, row(), 0.0);
      spread_line(window_, {points.phi + i, mass + i, std::min(kRun, here.n - i)}, run);
      for (std::size_t c = 0; c < row(); ++c) grid[c] += run[c];
    }
    return SpreadBlock{grid, points.length};
  });
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
  const SpreadGrid spread = this->spread(x, threads, ranks);
  series.off = spread.off;
  const Wave m = moments_of(spread.grid);
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
  for (int i = 0; i < u.n; ++i)
    put_row({.sums = sums + i,
             .stride = n,
             .coordinates = series.outputs - 1,
             .rho = rho_,
             .eps = eps,
             .scores = angle_scores(rho_, series.off, points.length[i]),
             .off = series.off},
            i, out);
}

}  // namespace murmur::moments
