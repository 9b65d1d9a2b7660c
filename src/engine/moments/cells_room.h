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
struct CellRoom {
  simd::Buffer<double> t, square, w, moments, block, gamma, series, v, sums, c;
  std::vector<double> pairs{};
  HeldCell spare{};
};
CellRoom& own_cell_room();

inline double* moments_of_lane(const HeldCell& at, const Terms& terms, int lane) {
  const std::size_t block = static_cast<std::size_t>(lane / kTogetherCells);
  return at.moments + block * terms.count * kTogetherCells + lane % kTogetherCells;
}

inline double* norms_of_lane(HeldCell& at, const Terms& terms, int lane) {
  const std::size_t block = static_cast<std::size_t>(lane / kTogetherCells);
  return at.norms.data() + block * (terms.p + 1) * kTogetherCells + lane % kTogetherCells;
}

// Room for so many lanes of moments; new ones are zero.
void hold_lanes(HeldCell& at, const Terms& terms, int lanes);

// Copies the moments of `held` side by side, and tells it where they are then.
void take_lanes(const HeldCell& from, const Terms& terms, std::vector<HeldSources>& held,
                HeldCell& to);

// t_j = <u_T, y_j> less the reference, in room.t, and |y_j - mean|^2 in room.square.
const double* tilt_cell(const CellProblem& problem, const HeldCell& at, int cell, CellRoom& room);

// w_j = m_j e^{<u_T, y_j>} over their sum, in room.w and padded with zeros; the log of the sum,
// less the reference, becomes the log_weight of s.
double* weigh_cell(const CellProblem& problem, const HeldCell& at, HeldSources& s, CellRoom& room);

}  // namespace murmur::moments
