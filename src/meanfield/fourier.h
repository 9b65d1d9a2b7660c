// fourier.h: fast Fourier transforms, and Gauss's nodes.
#pragma once

#include <complex>
#include <vector>

namespace murmur::meanfield {

using Wave = std::vector<std::complex<double>>;

//   y_g = sum_k x_k e^{2 pi i k g / size},   in place; radix 2, after Cooley and Tukey (1965)
class Fourier {
 public:
  explicit Fourier(int size);  // a power of two
  int size() const { return size_; }
  void transform(std::complex<double>* x) const;

 private:
  int size_;
  std::vector<int> place_;                    // (size) bit reversal
  std::vector<std::complex<double>> root_{};  // (size / 2) e^{2 pi i k / size}
};

//   y_k = sum_j x_j e^{2 pi i j k / size}   of any size, by convolution with a chirp (Bluestein
//   1970)
Wave spectrum(const Wave& x);

int power_of_two(int min);  // the least power of two that is no smaller

// Nodes in (-1, 1), descending, and weights of sum 2: exact up to degree 2 count - 1.
struct Gauss {
  std::vector<double> node, weight;
};
Gauss gauss_legendre(int count);

}  // namespace murmur::meanfield
