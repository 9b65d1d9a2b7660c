// fourier.h: fast Fourier transforms, and Gauss's nodes.
#pragma once

#include <complex>
#include <memory>
#include <vector>

namespace murmur::meanfield {

using Wave = std::vector<std::complex<double>>;

//   y_g = sum_k x_k e^{2 pi i k g / size},   in place, by Eigen's transform: time grows with the
//   sum of the prime factors of the size
class Fourier {
 public:
  explicit Fourier(int size);
  ~Fourier();
  Fourier(const Fourier&) = delete;
  Fourier& operator=(const Fourier&) = delete;
  int size() const { return size_; }
  void transform(std::complex<double>* x);

 private:
  struct Plan;
  int size_;
  std::unique_ptr<Plan> plan_;
  Wave scratch_;  // (size)
};

//   y_k = sum_j x_j e^{2 pi i j k / size}   quickly for any size: one with a large prime factor is
//   made a convolution with a chirp (Bluestein 1970)
Wave spectrum(const Wave& x);

int power_of_two(int min);  // the least power of two that is no smaller

// Nodes in (-1, 1), descending, and weights of sum 2: exact up to degree 2 count - 1.
struct Gauss {
  std::vector<double> node, weight;
};
Gauss gauss_legendre(int count);

}  // namespace murmur::meanfield
