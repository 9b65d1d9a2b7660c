// cells_down.cpp: from a target cell to its halves, and from cells to the sums of their targets.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel.h"
#include "engine/moments/cells_room.h"
#include "engine/moments/cells_walk.h"

namespace murmur::moments {

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();

constexpr double kMostExponent = 300;  // leaves of the target tree are within it
constexpr double kLeastValue = 0.02;   // of a polynomial that began at 1

long padded(long count) { return (count + kPadded - 1) / kPadded * kPadded; }

}  // namespace

CellRoom& own_cell_room() {
  static thread_local CellRoom room;
  return room;
}

void hold_lanes(HeldCell& at, const Terms& terms, int lanes) {
  const std::size_t block = static_cast<std::size_t>(terms.count) * kTogetherCells;
  const std::size_t before = (at.lanes + kTogetherCells - 1) / kTogetherCells * block;
  const std::size_t after = (lanes + kTogetherCells - 1) / kTogetherCells * block;
  if (before == 0) {
    at.moments = at.memory.need(after);
  } else if (after > before) {
    simd::Buffer<double> more;
    double* to = more.need(after);
    std::copy_n(at.moments, before, to);
    at.memory = std::move(more);
    at.moments = to;
  }
  std::fill(at.moments + before, at.moments + after, 0.0);
  for (int lane = at.lanes; lane < lanes && lane % kTogetherCells != 0; ++lane) {
    double* m = at.moments + lane / kTogetherCells * block + lane % kTogetherCells;
    for (int e = 0; e < terms.count; ++e) m[e * kTogetherCells] = 0;
  }
  at.centres.resize(static_cast<std::size_t>(lanes) * terms.d);
  at.lanes = lanes;
}

// Copies the moments that are still held, side by side.
void take_lanes(const HeldCell& from, const Terms& terms, std::vector<HeldSources>& held,
                HeldCell& to) {
  const int d = terms.d;
  std::vector<int> lanes;
  for (HeldSources& s : held) {
    if (s.lane < 0) continue;
    std::copy_n(from.centres.begin() + s.lane * d, d,
                to.centres.begin() + static_cast<std::ptrdiff_t>(lanes.size()) * d);
    lanes.push_back(s.lane);
    s.lane = static_cast<int>(lanes.size()) - 1;
  }
  const int count = static_cast<int>(lanes.size());
  for (int first = 0; first < count; first += kTogetherCells) {
    const int together = std::min(kTogetherCells, count - first);
    double* copy = moments_of_lane(to, terms, first);
    bool whole = together == kTogetherCells && lanes[first] % kTogetherCells == 0;
    for (int e = 1; e < together; ++e) whole = whole && lanes[first + e] == lanes[first] + e;
    if (whole) {
      std::copy_n(moments_of_lane(from, terms, lanes[first]), terms.count * kTogetherCells, copy);
      continue;
    }
    const double* of[kTogetherCells];
    for (int e = 0; e < together; ++e) of[e] = moments_of_lane(from, terms, lanes[first + e]);
    for (int t = 0; t < terms.count * kTogetherCells; t += kTogetherCells)
      for (int e = 0; e < together; ++e) copy[t + e] = of[e][t];
  }
}

const double* tilt_cell(const CellProblem& problem, const HeldCell& at, int c, CellRoom& room) {
  const CellTree& tree = problem.sources;
  const CellTree::Cell& cell = tree.cell(c);
  double* t = room.t.need(padded(cell.count) + kPadded);
  double* square = room.square.need(padded(cell.count) + kPadded);
  tilt_sources(tree.d(), {tree.axis(0) + cell.first, static_cast<long>(tree.stride()), cell.count},
               {at.u, at.mean, at.high, at.low}, t, square);
  return t;
}

double* weigh_cell(const CellProblem& problem, const HeldCell& at, HeldSources& s, CellRoom& room) {
  const CellTree::Cell& cell = problem.sources.cell(s.cell);
  const double* t = tilt_cell(problem, at, s.cell, room);
  double top = -std::numeric_limits<double>::infinity();
  for (int j = 0; j < cell.count; ++j) top = std::max(top, t[j]);
  double* w = room.w.need(padded(cell.count) + kPadded);
  weigh_sources(problem.mass + cell.first, t, top, cell.count, w);
  double sum = 0;
  for (int j = 0; j < cell.count; ++j) sum += w[j];
  s.log_weight = top + std::log(sum);
  for (int j = 0; j < cell.count; ++j) w[j] /= sum;
  std::fill(w + cell.count, w + padded(cell.count) + kPadded, 0.0);
  return w;
}

bool CellWalk::finished(const HeldCell& at) const {
  const CellTree::Cell& cell = problem_.targets.cell(at.cell);
  if (cell.left < 0) return true;
  double lanes = 0, alone = 0;
  for (const HeldSources& s : at.held)
    s.lane >= 0 ? lanes += 1 : alone += problem_.sources.cell(s.cell).count;
  if (alone > 0) return false;
  if (lanes <= 1) return true;
  if (at.radius * problem_.reach > kMostExponent) return false;  // e^{<v, c - mean>} overflows
  const double now = cell.count * lanes * problem_.series_cost;
  return now <= 4 * std::ceil(lanes / kTogetherCells) * problem_.shift_cost;
}

// At u = u_T + delta + v the sources of a lane have e^{<v, c>} P(delta + v), and their weight is
// that of before times e^{<delta, c>} P(delta).
void CellWalk::descend(const HeldCell& from, int cell, HeldCell& to, int threads) const {
  const Terms& terms = problem_.terms;
  const int d = terms.d;
  to.cell = cell;
  to.depth = from.depth + 1;
  to.u = problem_.targets.centre(cell);
  to.radius = problem_.targets.cell(cell).radius;
  double delta[kMaxCoordinates];
  for (int k = 0; k < d; ++k) delta[k] = to.u[k] - from.u[k];
  to.high = from.high;
  to.low = from.low;
  std::copy_n(from.mean, d, to.mean);
  for (int k = 0; k < d; ++k) {
    const double product = delta[k] * from.mean[k];
    add_to(to.high, to.low, product);
    to.low += std::fma(delta[k], from.mean[k], -product);
  }
  to.spent = from.spent;
  to.weight_error = from.weight_error;
  to.mean_error = from.mean_error;
  to.rounding = from.rounding;
  to.held = from.held;
  to.lanes = 0;
  int lanes = 0;
  for (const HeldSources& s : from.held) lanes += s.lane >= 0;
  if (lanes > 0) {
    hold_lanes(to, terms, lanes);
    to.rounding += 8 + 2 * (d + 2) * std::sqrt(dot(delta, delta, d)) * problem_.farthest;
    take_lanes(from, terms, to.held, to);
    for (HeldSources& s : to.held) {
      if (s.lane < 0) continue;
      const double* centre = to.centres.data() + s.lane * d;
      for (int k = 0; k < d; ++k) s.log_weight += delta[k] * (centre[k] - from.mean[k]);
    }
    shift(to, delta, threads);
  }
  settle(to, threads);
}

void CellWalk::shift(HeldCell& to, const double* delta, int threads) const {
  const Terms& terms = problem_.terms;
  const int blocks = (to.lanes + kTogetherCells - 1) / kTogetherCells;
  std::vector<double> value(static_cast<std::size_t>(blocks) * kTogetherCells);  // P(delta)
  for_blocks(blocks, threads, [&](int block) {
    double* m = moments_of_lane(to, terms, block * kTogetherCells);
    shift_moments(terms, delta, m);
    double by[kTogetherCells];
    for (int e = 0; e < kTogetherCells; ++e) {
      value[block * kTogetherCells + e] = m[e];
      by[e] = m[e] > kLeastValue ? 1 / m[e] : 0;
    }
    for (int b = 0; b < terms.count; ++b)
      for (int e = 0; e < kTogetherCells; ++e) m[b * kTogetherCells + e] *= by[e];
  });
  renew_norms(to, threads);
  for (HeldSources& s : to.held) {
    if (s.lane < 0) continue;
    if (value[s.lane] > kLeastValue) {
      s.log_weight += std::log(value[s.lane]);
      s.dirt /= value[s.lane];
    } else {  // nothing but error is left of them
      s.lane = -1;
      s.mass = problem_.cell_mass[s.cell];
    }
  }
}

SumsCost CellWalk::evaluate(HeldCell& at) const {
  const CellTree& tree = problem_.targets;
  const CellTree::Cell& cell = tree.cell(at.cell);
  const int d = tree.d();
  CellRoom& room = own_cell_room();
  room.pairs.clear();
  const int pairs = gather_pairs(at, room.pairs);
  const long wide = padded(cell.count);
  double* v = room.v.need(d * wide);
  double* sums = room.sums.need((1 + d) * wide);
  std::fill_n(sums, (1 + d) * wide, 0.0);
  for (int k = 0; k < d; ++k) {
    for (int i = 0; i < cell.count; ++i) v[k * wide + i] = tree.axis(k)[cell.first + i] - at.u[k];
    std::fill(v + k * wide + cell.count, v + (k + 1) * wide, 0.0);
  }
  const CellTargets to{v, sums, wide, cell.count};
  add_series_of(at, to);
  if (pairs > 0) add_pairs(d, to, room.pairs.data(), pairs);
  give(at, to, pairs);
  return {.cells = 1, .pairs = static_cast<double>(pairs) * cell.count};
}

void CellWalk::add_series_of(const HeldCell& at, const CellTargets& to) const {
  const Terms& terms = problem_.terms;
  CellRoom& room = own_cell_room();
  double* c = room.c.need(terms.count);
  for (const HeldSources& s : at.held) {
    if (s.lane < 0) continue;
    const double* m = moments_of_lane(at, terms, s.lane);
    for (int e = 0; e < terms.count; ++e) c[e] = m[e * kTogetherCells] * terms.inverse[e];
    double offset[kMaxCoordinates];
    for (int k = 0; k < terms.d; ++k) offset[k] = at.centres[s.lane * terms.d + k] - at.mean[k];
    add_series(terms, to, {c, offset, s.log_weight, room.series.need(series_room(terms))});
  }
}

// Sources without moments: the reference moves to the Gibbs mean of all that is held, and those
// that matter to some target of the cell are put side by side, (y_j - mean, m_j e^{t_j}).
int CellWalk::gather_pairs(HeldCell& at, std::vector<double>& pairs) const {
  const CellTree& tree = problem_.sources;
  const int d = tree.d();
  CellRoom& room = own_cell_room();
  bool any = false;
  for (HeldSources& s : at.held) {
    if (s.lane >= 0) continue;
    any = true;
    const CellTree::Cell& cell = tree.cell(s.cell);
    const double* w = weigh_cell(problem_, at, s, room);
    at.means.resize(d * (1 + &s - at.held.data()));
    double* mean = at.means.data() + d * (&s - at.held.data());
    for (int k = 0; k < d; ++k) {
      mean[k] = 0;
      for (int j = 0; j < cell.count; ++j) mean[k] += w[j] * tree.axis(k)[cell.first + j];
    }
  }
  if (!any) return 0;
  at.weighed = true;
  refer(at);
  const double least = problem_.log_drop - 2 * at.weight_error - at.radius * at.mean_error;
  double left_out = 0;
  for (const HeldSources& s : at.held) {
    if (s.lane >= 0) continue;
    const CellTree::Cell& cell = tree.cell(s.cell);
    const double* t = tilt_cell(problem_, at, s.cell, room);
    const double* square = room.square.need(cell.count);
    double* w = room.w.need(padded(cell.count) + kPadded);
    weigh_sources(problem_.mass + cell.first, t, 0, cell.count, w);
    for (int j = 0; j < cell.count; ++j) {
      if (t[j] + at.radius * std::sqrt(square[j]) * (1 + 1e-14) <= least) {
        left_out += problem_.mass[cell.first + j];
        continue;
      }
      for (int k = 0; k < d; ++k) pairs.push_back(tree.axis(k)[cell.first + j] - at.mean[k]);
      pairs.push_back(w[j]);
    }
  }
  const double share = left_out * std::exp(problem_.log_drop) * 1.001;
  at.weight_error += share;
  at.mean_error += share * problem_.reach;
  return static_cast<int>(pairs.size()) / (d + 1);
}

//   log Z_i = high + low + <v_i, mean> + log of the sum,   M_i = mean + sum (y - mean) / sum
void CellWalk::give(const HeldCell& at, const CellTargets& from, int pairs) const {
  const CellTree& tree = problem_.targets;
  const CellTree::Cell& cell = tree.cell(at.cell);
  const int d = tree.d();
  double units = at.rounding + 4 * at.radius * problem_.farthest + 96;
  if (pairs > 0) units += std::min(pairs, kFlush) + pairs / kFlush;
  const double sure = 1 - at.weight_error;
  const double infinite = std::numeric_limits<double>::infinity();
  const double weight_bound = sure > 0.5 ? at.weight_error / sure + units * kUnit : infinite;
  const double mean_bound =
      sure > 0.5 ? at.mean_error / sure + kUnit * (units * problem_.reach + 4 * problem_.farthest)
                 : infinite;
  for (int b = 0; b < cell.count; ++b) {
    const int i = tree.original(cell.first + b);
    double high = at.high, low = at.low;
    for (int k = 0; k < d; ++k) add_to(high, low, from.v[k * from.room + b] * at.mean[k]);
    result_.weight[i] = from.sums[b] * std::exp(low);
    result_.shift[i] = high;
    result_.weight_bound[i] = weight_bound;
    if (result_.mean == nullptr) continue;
    for (int k = 0; k < d; ++k)
      result_.mean[k * result_.stride + i] =
          at.mean[k] + from.sums[(1 + k) * from.room + b] / from.sums[b];
    result_.mean_bound[i] = mean_bound;
  }
}

}  // namespace murmur::moments
