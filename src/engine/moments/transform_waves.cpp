// transform_waves.cpp: from the grid to waves, harmonic moments and back.
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/FFT>

#include "core/parallel.h"
#include "engine/moments/transform_kernels.h"
#include "engine/moments/transform_sums.h"

namespace murmur::moments {

namespace {

using Complex = std::complex<double>;

// One thread's transforms. Forward is sum_s x_s e^{-iks}; neither way divides by the size.
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

Fourier& own_fourier() {
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

// (p + 2, 2 p + 3): sum_j m_j e^{i (k theta_j + m phi_j)} for m = 0 .. p + 1, k = -p - 1 .. p + 1.
TransformSums::Wave TransformSums::waves_of(const Spread& s, int threads) const {
  const int orders = degree() + 1, bands = cells_ / 2 + 2 * kMargin;
  Wave rows(static_cast<std::size_t>(orders + 1) * bands);  // (m, row of the grid)
  for_blocks(bands, threads, [&](int r) {
    Fourier& f = own_fourier();
    Complex* x = f.ready(cells_);
    for (int c = 0; c < cells_ + 2 * kMargin; ++c)
      x[(c - kMargin + cells_) % cells_] += s.grid[r * row() + c];
    const Complex* y = f.forward();
    for (int m = 0; m <= orders; ++m) rows[static_cast<std::size_t>(m) * bands + r] = y[m];
  });
  Wave waves(static_cast<std::size_t>(orders + 1) * (2 * orders + 1));
  for_blocks(orders + 1, threads, [&](int m) {
    Fourier& f = own_fourier();
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

// sum_j m_j S(x_j) = (1 / nodes) sum_s S(theta_s) sum_k waves_km e^{-ik theta_s}, and both halves
// of the doubled sphere have the same S but for (-1)^m.
HarmonicMoments TransformSums::moments_of(const Wave& waves, const Spread& spread,
                                          int threads) const {
  const Harmonics& h = harmonic_.up();
  const int orders = degree() + 1;
  HarmonicMoments moments{std::vector<double>(2 * h.count()), 0, spread.off};
  for_blocks(orders + 1, threads, [&](int m) {
    Fourier& f = own_fourier();
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

// (2 p + 1, 2 p + 1): the waves e^{i (k theta + m phi)} of output `first` of a series plus i times
// those of the next, m = -p .. p, k = -p .. p, each over the window's factors.
TransformSums::Wave TransformSums::waves_of(const HarmonicSums::Series& series, int first,
                                            int threads) const {
  const Harmonics& h = harmonic_.down();
  const int p = degree(), side = 2 * p + 1, count = std::min(2, series.outputs - first);
  Wave waves(static_cast<std::size_t>(side) * side);
  for_blocks(p + 1, threads, [&](int m) {
    Fourier& f = own_fourier();
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
    Fourier& f = own_fourier();
    Complex* x = f.ready(cells_);
    for (int k = -p; k <= p; ++k)
      x[wrapped(k, cells_)] = waves[static_cast<std::size_t>(m) * side + p + k];
    const Complex* y = f.backward();
    for (int r = 0; r < bands; ++r)
      rows[static_cast<std::size_t>(r) * side + m] = y[wrapped(r - kMargin, cells_)];
  });
  for_blocks(bands, threads, [&](int r) {
    Fourier& f = own_fourier();
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

}  // namespace murmur::moments
