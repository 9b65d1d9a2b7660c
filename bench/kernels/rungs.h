// rungs.h: one way of computing the same sums a rung, from plain loops to the engine's kernel.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace murmur::bench {

//   Z_i = sum_j e^{beta <x_i, x_j>},   N_i = sum_j e^{beta <x_i, x_j>} x_j,   x_i in R^3
struct Sums {
  std::vector<double> z;     // (n)
  std::vector<double> n[3];  // (3, n)
};

struct Points {
  int n;  // a whole number of 64
  double beta;
  std::vector<float> x[3];  // (3, n)
};

struct Rung {
  const char* name;
  void (*sum)(const Points&, Sums&);
};
std::span<const Rung> rungs();

}  // namespace murmur::bench
