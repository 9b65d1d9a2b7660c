// fourier.cpp: fast Fourier transforms, and Gauss's nodes.
#include "meanfield/fourier.h"

#include <algorithm>
#include <boost/math/special_functions/legendre.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <unsupported/Eigen/FFT>

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
  if (size_ < 2) return;  // which Eigen does not take
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

constexpr int kLargestFactor = 61;  // beyond it three transforms of a power of two are faster

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

}  // namespace murmur::meanfield
