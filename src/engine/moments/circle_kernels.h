// circle_kernels.h: sums over powers of z = e^{i theta}, for blocks of particles.
#pragma once

#include <string>

namespace murmur::moments {

inline constexpr int kBlock = 2048;  // particles; arrays of a block are padded up to it
inline constexpr int kTogether = 4;  // vectors of particles that are added before all others

// One block in aligned memory. Padding has mass 0 and stands at (1, 0).
struct CircleBlock {
  const double *x, *y, *mass;  // (kBlock)
  int count;                   // particles in it, the rest is padding
};

// sums[2 k], sums[2 k + 1] = sum_j m_j cos k theta_j, sum_j m_j sin k theta_j, k = 0 .. orders;
// lanes: scratch of scratch_size(orders) doubles.
void add_powers(const CircleBlock& block, int orders, double* lanes, double* sums);
int scratch_size(int orders);
std::string target_name();  // of the instruction set in use: "AVX3"
int longest_sum();          // numbers one lane of a block adds up one after another

// out[s] = Re sum_k c_sk z^k for s = 0 .. series - 1, series 1, 2 or 3.
struct CircleSeries {
  int series, orders;
  const double* terms;  // (orders + 1, series, 2): Re and Im of c_sk
  double* out[3];       // (kBlock) each
};
void sum_series(const CircleBlock& block, const CircleSeries& series);

}  // namespace murmur::moments
