// transform_sums.cpp: particles onto a grid under a window, its waves and harmonic moments, and the
// sums of targets off the grid.
#include "engine/moments/transform_sums.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <unsupported/Eigen/FFT>

#include "core/buffer.h"
#include "core/parallel.h"

namespace murmur::moments {

SpreadGrid spread_blocks(const HostSwarm& x, std::size_t size, const Sharing& sharing,
                         const std::function<SpreadBlock(const Targets&, const double*)>& spread) {
  std::vector<Fixed> total(size);
  SpreadGrid all{std::vector<double>(size)};
  std::mutex lock;
  for_blocks((x.n() + kSpreadPoints - 1) / kSpreadPoints, sharing.threads, [&](int block) {
    const int first = block * kSpreadPoints;
    const Targets here{x.axis(0) + first, x.stride(), std::min(kSpreadPoints, x.n() - first),
                       x.d()};
    const SpreadBlock part = spread(here, x.mass.data() + first);
    double off = 0;
    for (int i = 0; i < here.n; ++i) off = std::fmax(off, std::fabs(part.length[i] - 1));
    const std::lock_guard hold(lock);
    all.off = std::fmax(all.off, off);
    for (std::size_t e = 0; e < size; ++e)
      if (part.grid[e] != 0) total[e] += to_fixed(part.grid[e]);
  });
  if (sharing.ranks != nullptr) {
    sharing.ranks->sum(total);
    all.off = sharing.ranks->largest(all.off);
  }
  for (std::size_t e = 0; e < size; ++e) all.grid[e] = from_fixed(total[e]);
  return all;
}

double score_error(double rho, double off, double length) {
  return rho * (off + 8 * std::numeric_limits<double>::epsilon()) + std::fabs(rho - length);
}

int grid_size(int least, int by) {
  for (int size = (least + by - 1) / by * by;; size += by) {
    int rest = size;
    for (const int factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return size;
  }
}

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
constexpr int kRun = 256;  // points, of a tile or of the circle, that are added up first

// The angles of a set of points of one thread, sorted by tiles of the grid.
class SortedPoints {
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
      const double over = r > 0 ? 1 / r : 0;  // the zero vector counts as the pole
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
  const double* length() const { return length_; }  // (n) in the order of the input
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

SortedPoints& thread_points() {
  static thread_local SortedPoints sorted;
  return sorted;
}

// Spreads the points of each tile onto the tile, and adds the tile to the grid.
void spread_all(const Window& window, int cells, SortedPoints& points, double* grid,
                std::size_t row) {
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
    SortedPoints& points = thread_points();
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

// The bounds are those of HarmonicSums with the errors of the window and of the angles.
void TransformSums::evaluate(const Series& series, const Targets& u, const SumsResult& out) const {
  assert(u.n <= kTransformPoints);
  SortedPoints& points = thread_points();
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
    store_row({.sums = sums + e,
               .stride = static_cast<std::size_t>(u.n),
               .coordinates = series.outputs - 1,
               .rho = rho_,
               .eps = eps,
               .scores = score_error(rho_, series.off, points.length()[i]),
               .off = series.off},
              i, out);
  }
}

namespace {

using Complex = std::complex<double>;

// The transforms of one thread. Forward is sum_s x_s e^{-iks}; neither way divides by the size.
struct Fourier {
  Eigen::FFT<double> fft{};
  std::vector<Complex> from{}, to{};
  Fourier() { fft.SetFlag(Eigen::FFT<double>::Unscaled); }
  Complex* ready(int size) {
    from.assign(size, 0);
    to.resize(size);
    return from.data();
  }
  const Complex* forward() {
    fft.fwd(to.data(), from.data(), static_cast<int>(from.size()));
    return to.data();
  }
  const Complex* backward() {
    fft.inv(to.data(), from.data(), static_cast<int>(from.size()));
    return to.data();
  }
};

Fourier& thread_fourier() {
  static thread_local Fourier fourier;
  return fourier;
}

int wrapped(int k, int size) { return k < 0 ? k + size : k; }

// cos and sin^m of the nodes theta_s = 2 pi s / nodes, s = 0 .. nodes / 2.
struct Nodes {
  std::vector<double> z, side;
  Nodes(int nodes, int m) {
    for (int s = 0; s <= nodes / 2; ++s) {
      const double theta = 2 * std::numbers::pi * s / nodes;
      z.push_back(std::cos(theta));
      side.push_back(std::pow(s == 0 || 2 * s == nodes ? 0.0 : std::sin(theta), m));
    }
  }
};

// G_l at all nodes, one l after another, along the fibre m.
class Steps {
 public:
  Steps(const Harmonics& h, int m, const std::vector<double>& z)
      : b_(h.row(3, m)), z_(z), now_(z.size(), 1.0), before_(z.size()) {}
  const std::vector<double>& now() const { return now_; }
  void step() {
    const double b = b_[n_++];
    for (std::size_t s = 0; s < z_.size(); ++s) {
      const double next = z_[s] * now_[s] - b * before_[s];
      before_[s] = now_[s];
      now_[s] = next;
    }
  }

 private:
  const double* b_;
  const std::vector<double>& z_;
  std::vector<double> now_, before_;
  int n_ = 0;
};

}  // namespace

// Returns (p + 2, 2 p + 3): sum_j m_j e^{i (k theta_j + m phi_j)} for m = 0 .. p + 1, k = -p - 1 ..
// p + 1.
TransformSums::Wave TransformSums::waves_of(const Spread& s, int threads) const {
  const int orders = degree() + 1, bands = cells_ / 2 + 2 * kMargin;
  Wave rows(static_cast<std::size_t>(orders + 1) * bands);  // (m, row of the grid)
  for_blocks(bands, threads, [&](int r) {
    Fourier& f = thread_fourier();
    Complex* x = f.ready(cells_);
    for (int c = 0; c < cells_ + 2 * kMargin; ++c)
      x[(c - kMargin + cells_) % cells_] += s.grid[r * row() + c];
    const Complex* y = f.forward();
    for (int m = 0; m <= orders; ++m) rows[static_cast<std::size_t>(m) * bands + r] = y[m];
  });
  Wave waves(static_cast<std::size_t>(orders + 1) * (2 * orders + 1));
  for_blocks(orders + 1, threads, [&](int m) {
    Fourier& f = thread_fourier();
    Complex* x = f.ready(cells_);
    for (int r = 0; r < bands; ++r)
      x[wrapped(r - kMargin, cells_)] += rows[static_cast<std::size_t>(m) * bands + r];
    const Complex* y = f.forward();
    for (int k = -orders; k <= orders; ++k)
      waves[static_cast<std::size_t>(m) * (2 * orders + 1) + k + orders] =
          std::conj(y[wrapped(k, cells_)]) / (window_.factor[m] * window_.factor[std::abs(k)]);
  });
  return waves;
}

// Computes sum_j m_j S(x_j) = (1 / nodes) sum_s S(theta_s) sum_k waves_km e^{-ik theta_s}, where S
// is the same on both halves of the doubled sphere up to (-1)^m.
HarmonicMoments TransformSums::moments_of(const Wave& waves, const Spread& spread,
                                          int threads) const {
  const Harmonics& h = harmonic_.up();
  const int orders = degree() + 1;
  HarmonicMoments moments{std::vector<double>(2 * h.count()), 0, spread.off};
  for_blocks(orders + 1, threads, [&](int m) {
    Fourier& f = thread_fourier();
    Complex* x = f.ready(nodes_);
    for (int k = -orders; k <= orders; ++k)
      x[wrapped(k, nodes_)] += waves[static_cast<std::size_t>(m) * (2 * orders + 1) + k + orders];
    const Complex* y = f.forward();
    const Nodes nodes(nodes_, m);
    std::vector<double> re(nodes.z.size()), im(nodes.z.size());
    for (int s = 0; s <= nodes_ / 2; ++s) {
      Complex both = y[s];
      if (s > 0 && 2 * s < nodes_) both += (m % 2 == 0 ? 1.0 : -1.0) * y[nodes_ - s];
      re[s] = both.real() * nodes.side[s] / nodes_;
      im[s] = both.imag() * nodes.side[s] / nodes_;
    }
    Steps steps(h, m, nodes.z);
    const Fibre& fibre = h.fibres()[m];
    for (int l = m; l <= fibre.last; ++l, steps.step()) {
      double sum_re = 0, sum_im = 0;
      for (std::size_t s = 0; s < re.size(); ++s) {
        sum_re += re[s] * steps.now()[s];
        sum_im += im[s] * steps.now()[s];
      }
      const std::size_t at = 2 * (fibre.first + l - m);
      moments.values[at] = sum_re;
      moments.values[at + 1] = sum_im;
    }
  });
  moments.mass = moments.values[0];
  return moments;
}

// Returns (2 p + 1, 2 p + 1): the waves e^{i (k theta + m phi)} of output `first` of a series plus
// i times those of the next, m = -p .. p, k = -p .. p, each divided by the factors of the window.
TransformSums::Wave TransformSums::waves_of(const HarmonicSums::Series& series, int first,
                                            int threads) const {
  const Harmonics& h = harmonic_.down();
  const int p = degree(), side = 2 * p + 1, count = std::min(2, series.outputs - first);
  Wave waves(static_cast<std::size_t>(side) * side);
  for_blocks(p + 1, threads, [&](int m) {
    Fourier& f = thread_fourier();
    const Nodes nodes(nodes_, m);
    std::vector<double> re(nodes.z.size()), im(nodes.z.size());
    for (int e = 0; e < count; ++e) {
      std::fill(re.begin(), re.end(), 0.0);
      std::fill(im.begin(), im.end(), 0.0);
      Steps steps(h, m, nodes.z);
      const Fibre& fibre = h.fibres()[m];
      for (int l = m; l <= fibre.last; ++l, steps.step()) {
        const double* c = &series.terms[2 * ((fibre.first + l - m) * series.outputs + first + e)];
        for (std::size_t s = 0; s < re.size(); ++s) {
          re[s] += c[0] * steps.now()[s];
          im[s] -= c[1] * steps.now()[s];
        }
      }
      Complex* x = f.ready(nodes_);
      for (int s = 0; s <= nodes_ / 2; ++s) {
        const Complex value(re[s] * nodes.side[s], im[s] * nodes.side[s]);
        x[s] = value;
        if (s > 0 && 2 * s < nodes_) x[nodes_ - s] = (m % 2 == 0 ? 1.0 : -1.0) * value;
      }
      const Complex* y = f.forward();
      const Complex unit = e == 0 ? Complex(1, 0) : Complex(0, 1);
      for (int k = -p; k <= p; ++k) {
        const Complex half = y[wrapped(k, nodes_)] * (0.5 / nodes_) /
                             (window_.factor[m] * window_.factor[std::abs(k)]);
        waves[static_cast<std::size_t>(p + m) * side + p + k] += unit * half;
        waves[static_cast<std::size_t>(p - m) * side + p - k] += unit * std::conj(half);
      }
    }
  });
  return waves;
}

void TransformSums::to_grid(const Wave& waves, int first, Series& series, int threads) const {
  const int p = degree(), side = 2 * p + 1, bands = cells_ / 2 + 2 * kMargin + 1;
  Wave rows(static_cast<std::size_t>(bands) * side);  // (row of the grid, m)
  for_blocks(side, threads, [&](int m) {
    Fourier& f = thread_fourier();
    Complex* x = f.ready(cells_);
    for (int k = -p; k <= p; ++k)
      x[wrapped(k, cells_)] = waves[static_cast<std::size_t>(m) * side + p + k];
    const Complex* y = f.backward();
    for (int r = 0; r < bands; ++r)
      rows[static_cast<std::size_t>(r) * side + m] = y[wrapped(r - kMargin, cells_)];
  });
  for_blocks(bands, threads, [&](int r) {
    Fourier& f = thread_fourier();
    Complex* x = f.ready(cells_);
    for (int m = -p; m <= p; ++m)
      x[wrapped(m, cells_)] = rows[static_cast<std::size_t>(r) * side + p + m];
    const Complex* y = f.backward();
    double* to = series.grid.data() + static_cast<std::size_t>(r) * series.outputs * row();
    for (int c = 0; c < cells_ + 2 * kMargin; ++c) {
      const Complex value = y[(c - kMargin + cells_) % cells_];
      to[first * row() + c] = value.real();
      if (first + 1 < series.outputs) to[(first + 1) * row() + c] = value.imag();
    }
  });
}

namespace {

// The angles in cells and the lengths of a set of points of one thread.
struct Angles {
  simd::Buffer<double> values, grid, sums;
  double *phi = nullptr, *length = nullptr;

  void compute(const Targets& u, int cells) {
    const std::size_t n = u.n, size = (n + 7) / 8 * 8;
    double* at = values.need(6 * size);
    length = at + 3 * size;
    double* theta = at + 4 * size;
    phi = at + 5 * size;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t e = std::min(i, n - 1);
      const double x = u.axis(0)[e], y = u.axis(1)[e];
      length[i] = std::sqrt(x * x + y * y);
      at[i] = length[i] > 0 ? x : 1;  // the zero vector counts as the first axis
      at[size + i] = y;
      at[2 * size + i] = 0;
    }
    angles_of({at, at + size, at + 2 * size, theta, phi, u.n, cells});
  }
};

Angles& thread_angles() {
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
    Angles& points = thread_angles();
    points.compute(here, cells_);
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

// Writes the real and the imaginary part of sum_k waves_{k + p} e^{ik phi} at the cells, k = -p ..
// p.
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
  Angles& points = thread_angles();
  points.compute(u, cells_);
  const std::size_t n = u.n;
  double* sums = points.sums.need(series.outputs * n);
  sum_line(window_, {series.grid.data(), row(), series.outputs, points.phi, u.n, sums, n});
  const double rounding =
      (4 * (degree_ + 8) + kRun + kSpreadPoints / kRun + 8 + 2 * kMostWindow) * kUnit;
  const double eps = series.mass * (beyond_ + window_error_ + rounding);
  for (int i = 0; i < u.n; ++i)
    store_row({.sums = sums + i,
               .stride = n,
               .coordinates = series.outputs - 1,
               .rho = rho_,
               .eps = eps,
               .scores = score_error(rho_, series.off, points.length[i]),
               .off = series.off},
              i, out);
}

}  // namespace murmur::moments
