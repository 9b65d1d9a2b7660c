// cells_room.h: a thread's arrays, and the small steps that a walk over cells is made of.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/buffer.h"
#include "engine/moments/cells_walk.h"

namespace murmur::moments {

inline double dot(const double* a, const double* b, int d) {
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += a[k] * b[k];
  return sum;
}

inline double distance(const double* a, const double* b, int d) {
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

// high + low += more, without loss in high.
inline void add_to(double& high, double& low, double more) {
  const double sum = high + more, back = sum - high;
  low += (high - (sum - back)) + (more - back);
  high = sum;
}

// One thread's arrays.
struct Room {
  simd::Buffer<double> t, square, w, moments, block, gamma, series, v, sums, c;
  std::vector<double> pairs{};
};
Room& own_room();

// Room for so many lanes of moments; new ones are zero.
void hold_lanes(HeldCell& at, const Terms& terms, int lanes);

// t_j = <u_T, y_j> less the reference, in room.t, and |y_j - mean|^2 in room.square.
const double* tilt_cell(const CellProblem& problem, const HeldCell& at, int cell, Room& room);

// w_j = m_j e^{<u_T, y_j>} over their sum, in room.w and padded with zeros; the log of the sum,
// less the reference, becomes the log_weight of s.
double* weigh_cell(const CellProblem& problem, const HeldCell& at, HeldSources& s, Room& room);

}  // namespace murmur::moments
