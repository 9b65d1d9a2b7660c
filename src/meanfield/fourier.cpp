// fourier.cpp: fast Fourier transforms, and Gauss's nodes.
#include "meanfield/fourier.h"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace murmur::meanfield {

int power_of_two(int min) {
  int size = 1;
  while (size < min) size *= 2;
  return size;
}

Fourier::Fourier(int size) : size_(size), place_(size) {
  for (int k = 1, reversed = 0; k < size; ++k) {
    int bit = size / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed |= bit;
    place_[k] = reversed;
  }
  for (int k = 0; k < size / 2; ++k)
    root_.push_back(std::polar(1.0, 2 * std::numbers::pi * k / size));
}

void Fourier::transform(std::complex<double>* x) const {
  for (int k = 0; k < size_; ++k)
    if (k < place_[k]) std::swap(x[k], x[place_[k]]);
  for (int half = 1; half < size_; half *= 2) {
    const int stride = size_ / (2 * half);
    for (int first = 0; first < size_; first += 2 * half)
      for (int k = 0; k < half; ++k) {
        const std::complex<double> a = x[first + k], b = x[first + k + half];
        const std::complex<double> r = root_[static_cast<std::size_t>(k) * stride];
        const std::complex<double> turned(b.real() * r.real() - b.imag() * r.imag(),
                                          b.real() * r.imag() + b.imag() * r.real());
        x[first + k] = a + turned;
        x[first + k + half] = a - turned;
      }
  }
}

// j k = (j^2 + k^2 - (k - j)^2) / 2
Wave spectrum(const Wave& x) {
  const auto size = static_cast<std::int64_t>(x.size());
  if (power_of_two(static_cast<int>(size)) == size) {
    Wave y = x;
    Fourier(static_cast<int>(size)).transform(y.data());
    return y;
  }
  const Fourier fourier(power_of_two(static_cast<int>(2 * size)));
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

// Newton's method from Tricomi's guess.
Gauss gauss_legendre(int count) {
  Gauss g{std::vector<double>(count), std::vector<double>(count)};
  for (int i = 0; i < count; ++i) {
    double z = std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5)), slope = 1;
    for (int newton = 0; newton < 100; ++newton) {
      double below = 1, p = z;
      for (int k = 2; k <= count; ++k)
        below = std::exchange(p, ((2 * k - 1) * z * p - (k - 1) * below) / k);
      slope = count == 1 ? 1 : count * (z * p - below) / (z * z - 1);
      const double step = p / slope;
      z -= step;
      if (std::fabs(step) < 1e-15) break;
    }
    g.node[i] = z;
    g.weight[i] = 2 / ((1 - z * z) * slope * slope);
  }
  return g;
}

}  // namespace murmur::meanfield
