// merging.cpp: finds particles that have met by a sweep along the first axis, and joins them.
#include "flow/merging.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace murmur {

namespace {

struct Pair {
  double square;  // of the chord
  int i, j;       // rows, i < j
};

// The nearest pair with chord below delta; i < 0 when there is none. Ties go to the lower rows.
Pair nearest_pair(const HostSwarm& x, double delta) {
  std::vector<int> order(x.n());
  std::iota(order.begin(), order.end(), 0);
  const double* first = x.axis(0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return first[a] != first[b] ? first[a] < first[b] : a < b; });
  Pair best{delta * delta, -1, -1};
  for (int a = 0; a < x.n(); ++a)
    for (int b = a + 1; b < x.n() && first[order[b]] - first[order[a]] < delta; ++b) {
      double square = 0;
      for (int k = 0; k < x.d(); ++k) {
        const double delta_k = x.at(order[a], k) - x.at(order[b], k);
        square += delta_k * delta_k;
      }
      const Pair pair{square, std::min(order[a], order[b]), std::max(order[a], order[b])};
      const bool nearer =
          square < best.square || (square == best.square && best.i >= 0 &&
                                   (pair.i < best.i || (pair.i == best.i && pair.j < best.j)));
      if (nearer) best = pair;
    }
  return best;
}

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
    const Pair pair = nearest_pair(state.x, delta);
    if (pair.i < 0) return merges;
    const int into = first_member(state.group, pair.i);
    const int absorbed = first_member(state.group, pair.j);
    join(state.x, pair.i, pair.j, manifold);
    for (int& row : state.group) row = row == pair.j ? pair.i : row > pair.j ? row - 1 : row;
    merges.push_back({state.t, into, absorbed, state.x.mass[pair.i], state.x.n()});
  }
}

}  // namespace murmur
