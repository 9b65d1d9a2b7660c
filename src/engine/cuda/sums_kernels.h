// sums_kernels.h: sums over particles and over pairs that leave the GPU as a few numbers.
#pragma once

#include <cstdint>

#include "engine/cuda/swarm_kernels.h"

namespace murmur::cuda {

// Returns the scratch of each function of this file, in numbers.
std::size_t reduce_scratch(int n);

// Writes (d) sum_i x_i / n, or sum_i m_i x_i if masses are given.
void centre(const ConstPlaces& x, const double* mass, double* scratch, double* to);
// Writes max_i |x_i - origin|^2, NaN if one of them is NaN; origin nullptr: 0.
void largest_square(const ConstPlaces& x, const double* origin, double* scratch, double* to);
// Writes four numbers: max |key_i - middle|^2, max |key_i|^2, max |u_i|^2, max | |x_i|^2 - 1 |.
void largest_squares(const ConstPlaces& keys, const double* middle, const ConstPlaces& u,
                     const ConstPlaces& x, double* scratch, double* to);
// Writes max_i | |x_i|^2 - 1 |.
void sphere_deviation(const ConstPlaces& x, double* scratch, double* to);
// Writes max_i 1 / z_i, the inverse of the least z_i; NaN if one of them is not above 0.
void largest_inverse(const double* z, int first, int n, double* scratch, double* to);

// Writes sum_i ( |a_i - b_i| / (atol + rtol max(|a_i|, |b_i|)) )^2
void error_square(const ConstPlaces& a, const ConstPlaces& b, double rtol, double atol,
                  double* scratch, double* to);
// Writes n sum_i m_i |v_i|^2.
void speed_square(const ConstPlaces& v, const double* mass, double n, double* scratch, double* to);

// Writes sum_i m_i |x_i|, max_i | |x_i| - 1 |, max_ik |x_ik|
void norm_sums(const ConstPlaces& x, const double* mass, double* scratch, double* to);
// Writes the lower triangle of U U^T (n, n) where n <= d, else of U^T U (d, d); row-major.
void gram(const ConstPlaces& u, double* scratch, double* to);

// The sums of a block of pairs: sum, minimum, maximum and number above the threshold of the scores,
// the Gibbs sum, and the weight m_i m_j of drawn pairs.
struct PairPart {
  double sum, min, max, close, gibbs, weight;
};
struct PairSumInput {
  ConstPlaces x{}, y{};  // scores <x_i, y_j>
  const double* mass = nullptr;
  double beta = 0, anchor = 0, threshold = 1;
};
int pair_parts(int n);
void all_pairs(const PairSumInput& q, PairPart* to);
int drawn_parts(std::int64_t pairs);
void drawn_pairs(const PairSumInput& q, std::uint64_t seed, std::int64_t pairs, PairPart* to);
int diagonal_parts(int n);
void diagonal_pairs(const PairSumInput& q, PairPart* to);  // i = j

// The nearest two particles, if nearer than delta.
struct NearPair {
  double square;
  int i, j;  // i < 0: none
};
std::size_t nearest_bytes(int n);
int nearest_parts(int n);
void nearest(const ConstPlaces& x, double delta, void* room, NearPair* to);

}  // namespace murmur::cuda
