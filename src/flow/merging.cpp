// merging.cpp: joins particles that have met, nearest pair first.
#include "flow/merging.h"

#include <algorithm>
#include <cmath>

#include "core/close_pairs.h"

namespace murmur {

namespace {

// Row j joins row i; later rows move up by one.
void join(HostSwarm& x, int i, int j, Manifold manifold) {
  const double mass = x.mass[i] + x.mass[j];
  double square = 0;
  for (int k = 0; k < x.d(); ++k) {
    x.at(i, k) = (x.mass[i] * x.at(i, k) + x.mass[j] * x.at(j, k)) / mass;
    square += x.at(i, k) * x.at(i, k);
  }
  if (manifold == Manifold::sphere)
    for (int k = 0; k < x.d(); ++k) x.at(i, k) /= std::sqrt(square);
  x.mass[i] = mass;
  for (int k = 0; k < x.d(); ++k) std::copy(x.axis(k) + j + 1, x.axis(k) + x.n(), x.axis(k) + j);
  std::copy(x.mass.begin() + j + 1, x.mass.end(), x.mass.begin() + j);
  x.resize(x.n() - 1);
}

int first_member(const std::vector<int>& group, int row) {
  return static_cast<int>(std::find(group.begin(), group.end(), row) - group.begin());
}

}  // namespace

std::vector<Merge> merge_close(FlowState& state, double delta, Manifold manifold) {
  std::vector<Merge> merges;
  for (;;) {
    const ClosePair pair = nearest_pair(state.x, delta);
    if (pair.i < 0) return merges;
    const int into = first_member(state.group, pair.i);
    const int absorbed = first_member(state.group, pair.j);
    join(state.x, pair.i, pair.j, manifold);
    for (int& row : state.group) row = row == pair.j ? pair.i : row > pair.j ? row - 1 : row;
    merges.push_back({state.t, into, absorbed, state.x.mass[pair.i], state.x.n()});
  }
}

}  // namespace murmur
