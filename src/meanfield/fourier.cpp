// fourier.cpp: fast Fourier transforms, Gauss's nodes, and densities on a grid of the sphere.
#include <algorithm>
#include <boost/math/special_functions/legendre.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <unsupported/Eigen/FFT>

#include "meanfield/harmonics.h"

namespace murmur::meanfield {

int power_of_two(int min) {
  int size = 1;
  while (size < min) size *= 2;
  return size;
}

struct Fourier::Plan {
  Eigen::FFT<double> fft{};
};

Fourier::Fourier(int size) : size_(size), plan_(std::make_unique<Plan>()), scratch_(size) {
  plan_->fft.SetFlag(Eigen::FFT<double>::Unscaled);
}

Fourier::~Fourier() = default;

void Fourier::transform(std::complex<double>* x) {
  if (size_ < 2) return;  // Eigen does not accept this size
  std::copy(x, x + size_, scratch_.begin());
  plan_->fft.inv(x, scratch_.data(), size_);
}

namespace {

int largest_prime_factor(int n) {
  int largest = 1;
  for (int p = 2; p <= n / p; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

constexpr int kLargestFactor =
    61;  // for larger factors three transforms of a power of two are faster

}  // namespace

// j k = (j^2 + k^2 - (k - j)^2) / 2
Wave spectrum(const Wave& x) {
  const auto size = static_cast<std::int64_t>(x.size());
  if (largest_prime_factor(static_cast<int>(size)) <= kLargestFactor) {
    Wave y = x;
    Fourier(static_cast<int>(size)).transform(y.data());
    return y;
  }
  Fourier fourier(power_of_two(static_cast<int>(2 * size)));
  Wave chirp, product(fourier.size()), turned(fourier.size());
  for (std::int64_t j = 0; j < size; ++j) {
    const auto square = static_cast<double>(j * j % (2 * size));
    chirp.push_back(std::polar(1.0, std::numbers::pi * square / static_cast<double>(size)));
    product[j] = x[j] * chirp[j];
    turned[j] = turned[j == 0 ? 0 : fourier.size() - j] = std::conj(chirp[j]);
  }
  fourier.transform(product.data());
  fourier.transform(turned.data());
  for (int k = 0; k < fourier.size(); ++k) product[k] = std::conj(product[k] * turned[k]);
  fourier.transform(product.data());
  Wave y;
  for (std::int64_t k = 0; k < size; ++k)
    y.push_back(chirp[k] * std::conj(product[k]) / static_cast<double>(fourier.size()));
  return y;
}

//   w_i = 2 / ((1 - z_i^2) P'(z_i)^2),   P(z_i) = 0
Gauss gauss_legendre(int count) {
  Gauss g{std::vector<double>(count), std::vector<double>(count)};
  if (count == 0) return g;
  const std::vector<double> zeros = boost::math::legendre_p_zeros<double>(count);  // from 0 up
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    const double z = zeros[i], slope = boost::math::legendre_p_prime(count, z);
    const std::size_t at = zeros.size() - 1 - i, mirrored = count - 1 - at;
    g.node[at] = z;
    if (mirrored != at) g.node[mirrored] = -z;
    g.weight[at] = g.weight[mirrored] = 2 / ((1 - z * z) * slope * slope);
  }
  return g;
}

// --- A density given on a grid of the sphere, integrated and interpolated.

using Complex = std::complex<double>;

namespace {

constexpr double kPi = std::numbers::pi;

// (columns / 2 + 1, rows) F_m on the rows of the grid
std::vector<Wave> orders_of(const Measure& measure) {
  const std::size_t columns = measure.density.size() / measure.rows;
  std::vector<Wave> orders(columns / 2 + 1);
  for (auto row = measure.density.begin(); row != measure.density.end(); row += columns) {
    const Wave waves = spectrum({row, row + columns});
    for (std::size_t m = 0; m < orders.size(); ++m)
      orders[m].push_back(std::conj(waves[m]) / static_cast<double>(columns));
  }
  return orders;
}

// The series through `order` at theta_i = pi (i + 1/2) / rows: the Fourier series of its even or
// odd continuation around the circle.
Wave series_of(const Wave& order, bool odd) {
  const std::size_t rows = order.size();
  Wave around = order;
  for (std::size_t i = rows; i-- > 0;) around.push_back(odd ? -order[i] : order[i]);
  const Wave waves = spectrum(around);
  Wave series;
  for (std::size_t k = 0; k < rows; ++k) {
    const std::size_t degree = odd ? k + 1 : k;
    const double angle = kPi * static_cast<double>(degree) / (2 * static_cast<double>(rows));
    series.push_back(waves[degree] * std::polar(0.5, angle) * (odd ? Complex(0, -1) : Complex(1)) *
                     ((degree == 0 || degree == rows ? 1.0 : 2.0) / static_cast<double>(rows)));
  }
  return series;
}

}  // namespace

std::vector<double> fejer_weights(int rows) {
  std::vector<double> weight;
  for (int i = 0; i < rows; ++i) {
    const double theta = kPi * (i + 0.5) / rows;
    double sum = 1;
    for (int j = 1; j <= rows / 2; ++j) sum -= 2 * std::cos(2 * j * theta) / (4.0 * j * j - 1);
    weight.push_back(2 * sum / rows);
  }
  return weight;
}

GridDensity::GridDensity(const Measure& measure) : rows_(measure.rows) {
  const std::vector<Wave> orders = orders_of(measure);
  const std::size_t columns = measure.density.size() / rows_, last = orders.size() - 1;
  const std::vector<double> weight = fejer_weights(rows_);
  double mass = 0;  // of the uniform probability
  for (int i = 0; i < rows_; ++i) mass += 0.5 * weight[i] * orders[0][i].real();
  for (std::size_t m = 0; m <= last; ++m) {
    Wave series = series_of(orders[m], m % 2 == 1);
    for (Complex& c : series) c /= mass;
    const int from = m < last - last / 10 ? rows_ - 1 - rows_ / 10 : 0;
    for (int k = from; k < rows_; ++k) tail_ = std::fmax(tail_, std::abs(series[k]));
    if (2 * m < columns) series_.push_back(std::move(series));
  }
  const auto silent = [](const Wave& series) {
    return std::all_of(series.begin(), series.end(), [](Complex c) { return std::abs(c) < 1e-16; });
  };
  while (series_.size() > 1 && silent(series_.back())) series_.pop_back();
}

std::vector<Complex> GridDensity::at(double z) const {
  const double theta = std::acos(std::clamp(z, -1.0, 1.0));
  std::vector<double> cosine, sine;
  for (int k = 0; k < rows_; ++k) {
    cosine.push_back(std::cos(k * theta));
    sine.push_back(std::sin((k + 1) * theta));
  }
  std::vector<Complex> orders;
  for (std::size_t m = 0; m < series_.size(); ++m) {
    const std::vector<double>& wave = m % 2 == 1 ? sine : cosine;
    Complex sum = 0;
    for (int k = 0; k < rows_; ++k) sum += wave[k] * series_[m][k];
    orders.push_back(sum);
  }
  return orders;
}

double density_at(const std::vector<Complex>& orders, double phi) {
  double sum = orders[0].real();
  for (std::size_t m = 1; m < orders.size(); ++m)
    sum += 2 * (orders[m] * std::polar(1.0, static_cast<double>(m) * phi)).real();
  return sum;
}

// The product of a series and Q_lm is a polynomial in z of degree rows + degree at most.
std::vector<double> grid_coefficients(const Measure& measure, int degree) {
  std::vector<double> c(static_cast<std::size_t>(degree + 1) * (degree + 1));
  const GridDensity density(measure);
  const Gauss gauss = gauss_legendre((density.rows() + degree) / 2 + 1);
  for (std::size_t j = 0; j < gauss.node.size(); ++j) {
    const Legendre q = legendre_at(degree, gauss.node[j]);
    const std::vector<Complex> orders = density.at(gauss.node[j]);
    const int most = std::min(degree, static_cast<int>(orders.size()) - 1);
    for (int m = 0; m <= most; ++m)
      for (int l = m; l <= degree; ++l) {
        const double share = 0.5 * gauss.weight[j] * q.value[legendre_index(l, m)];
        c[harmonic_index(l, m)] += share * orders[m].real();
        if (m > 0) c[harmonic_index(l, -m)] -= share * orders[m].imag();
      }
  }
  c[0] = 1;
  return c;
}

double grid_beyond(const Measure& measure, int degree) {
  const std::vector<double> c = grid_coefficients(measure, degree);
  const GridDensity density(measure);
  double most = 0;
  for (int i = 0; i < density.rows(); ++i) {
    const double z = std::cos(kPi * (i + 0.5) / density.rows());
    const Legendre q = legendre_at(degree, z);
    std::vector<Complex> lacking = density.at(z);
    for (int m = 0; m <= std::min(degree, static_cast<int>(lacking.size()) - 1); ++m)
      for (int l = m; l <= degree; ++l)
        lacking[m] -= (m == 0 ? 1.0 : 0.5) * q.value[legendre_index(l, m)] *
                      Complex(c[harmonic_index(l, m)], m > 0 ? -c[harmonic_index(l, -m)] : 0);
    for (const Complex lack : lacking) most = std::fmax(most, std::abs(lack));
  }
  return most;
}

}  // namespace murmur::meanfield
